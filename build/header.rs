//! Writes the C headers: reblock.h from the functions of src/ffi, in groups, and reblock_scalapack.h from ScaLAPACK's
//! names. cbindgen writes the declarations of a group; this file has the text between the groups.

use std::path::Path;

/// A group of reblock.h: its heading, its purpose, the rules for threads, and the files with its functions.
struct Group {
    title: &'static str,
    purpose: &'static str,
    threads: &'static str,
    files: &'static [&'static str],
}

/// The rule for threads that holds for most objects.
const SHARED: &str = "Several threads may use the same handles. Collective calls on one communicator are made in the same order on all ranks.";

/// The groups, in the order of the header.
const GROUPS: &[Group] = &[
    Group {
        title: "Objects",
        purpose: "A program refers to objects by handles. A function named ..._free frees a handle and sets it to NULL. The object \
                  lives as long as other objects need it.",
        threads: "Any thread may use a handle. A freed handle is refused with REBLOCK_ERR_HANDLE, and never dereferenced.",
        files: &["objects.rs"],
    },
    Group {
        title: "Processor arrangements (procs)",
        purpose: "Ranks of a communicator as a grid of any number of axes: HPF's PROCESSORS.",
        threads: SHARED,
        files: &["hpf/procs.rs"],
    },
    Group {
        title: "Templates",
        purpose: "An index space; each axis is distributed over an axis of an arrangement: HPF's TEMPLATE and DISTRIBUTE.",
        threads: SHARED,
        files: &["hpf/template.rs", "hpf/distribute.rs", "hpf/format.rs", "hpf/redistribute.rs"],
    },
    Group {
        title: "Maps",
        purpose: "The place of each element of an array: its alignment with a template, and the order of local storage. A map \
                  never changes.",
        threads: SHARED,
        files: &[
            "hpf/map.rs",
            "hpf/plain.rs",
            "hpf/plain_text.rs",
            "hpf/boxes.rs",
            "hpf/inquire.rs",
            "hpf/same.rs",
            "hpf/dereference.rs",
        ],
    },
    Group {
        title: "Plans and requests",
        purpose: "A plan moves a section of one array to a section of another. It is made once and executed any number of times.",
        threads: "Several threads may use the same plans. Collective calls on one communicator are made in the same order on all \
                  ranks. Only one thread may wait for a request.",
        files: &[
            "hpf/options.rs",
            "hpf/plan.rs",
            "hpf/irregular.rs",
            "hpf/shift.rs",
            "hpf/lines.rs",
            "hpf/reverse.rs",
            "hpf/shadow.rs",
            "hpf/execute.rs",
            "hpf/update.rs",
            "hpf/request.rs",
        ],
    },
    Group {
        title: "Moves",
        purpose: "Moves without an explicit plan: the library makes the plan at the first call, and keeps it.",
        threads: "Collective calls on one communicator are made in the same order on all ranks.",
        files: &["hpf/moves.rs"],
    },
    Group {
        title: "Arrays",
        purpose: "Arrays whose storage reblock owns; they move when they are realigned, or their template is redistributed.",
        threads: "A call on an array that another thread moves, saves or loads fails with REBLOCK_ERR_STATE.",
        files: &["hpf/array.rs"],
    },
    Group {
        title: "Files",
        purpose: "Arrays in files of NumPy's format. Any number of ranks can read a file, with any map.",
        threads: "Collective calls on one communicator are made in the same order on all ranks.",
        files: &["hpf/file.rs"],
    },
    Group {
        title: "Scopes",
        purpose: "HPF's directives as text, executed at run time.",
        threads: SHARED,
        files: &["hpf/text.rs"],
    },
    Group {
        title: "Jobs",
        purpose: "Programs that change their number of ranks while they run. A job moves its registered matrices, arrays and values along.",
        threads: "Only one thread may use a job at a time; a call of another one fails with REBLOCK_ERR_STATE.",
        files: &[
            "job/begin.rs",
            "job/register.rs",
            "job/formats.rs",
            "job/resize.rs",
            "job/policy.rs",
            "job/placement.rs",
            "job/figures.rs",
        ],
    },
    Group {
        title: "BLACS",
        purpose: "Arrays of ScaLAPACK programs in shared memory of the node, and process grids. ScaLAPACK's routines are in \
                  reblock_scalapack.h.",
        threads: "As for BLACS, only one thread at a time may make calls in a context.",
        files: &["blacs.rs", "hpf/grid.rs"],
    },
    Group {
        title: "Memory of GPUs",
        purpose: "Arrays may lie in the memory of NVIDIA GPUs if REBLOCK_DEVICE=1 is set (docs/gpu.md). Not yet run on hardware.",
        threads: "Each thread has its own stream.",
        files: &["device.rs"],
    },
    Group {
        title: "The library",
        purpose: "Codes and their texts, the version, and the memory that buffers take.",
        threads: "Any thread may call these functions at any time. Each thread has its own message.",
        files: &["outcome.rs", "native.rs"],
    },
];

/// The group of the functions with Fortran's handles.
const FORTRAN: Group = Group {
    title: "Bindings",
    purpose: "Functions with a communicator or an info, for bindings that have Fortran's handles of MPI objects (MPI_Fint). C \
              programs call the functions without _fortran in their names.",
    threads: "As for the functions without _fortran.",
    files: &["fortran.rs"],
};

/// Conventions that hold for all functions.
const CONVENTIONS: &str = "\
Functions return REBLOCK_OK or the code of a failure; reblock_message returns its text. All ranks \
of the communicator that a collective function names must call it. It returns the same code on all of them. If it fails, nothing \
has been written, unless MPI or a copy in the memory of a GPU has failed. \
Axes, coordinates and local positions count from 0; indices have the program's own bounds; strides and widths are in elements. \
If the address of a result is NULL, the result is not written. The address of a new handle must not be NULL. \
Programs link reblock_core, or reblock to replace ScaLAPACK's routines, too: \
`pkg-config --cflags --libs reblock_core`.";

/// Declaration of the type of the program's Fortran INTEGER.
const INTEGER: &str = "\
// The program's Fortran INTEGER. Define REBLOCK_ILP64 to use the libraries with _ilp64 in their names.
#ifndef REBLOCK_INT
#define REBLOCK_INT
#ifdef REBLOCK_ILP64
typedef int64_t reblock_int;
#else
typedef int32_t reblock_int;
#endif
#endif
";

/// Returns the sources with the functions of reblock.h.
pub fn sources() -> Vec<String> {
    let read = |file| {
        std::fs::read_to_string(Path::new("src/ffi").join(file)).expect("a source of src/ffi can be read")
    };
    GROUPS.iter().chain([&FORTRAN]).flat_map(|group| group.files).map(read).collect()
}

/// Returns the text of reblock.h. The file at `twins` has the functions with Fortran's handles.
pub fn reblock(version: &str, twins: &Path) -> String {
    let parts: Vec<&str> = version.split('.').collect();
    let example: String = include_str!("example.c").lines().map(|line| format!("//     {line}\n")).collect();
    let mut groups: String = GROUPS.iter().map(|group| group.text(&[], true)).collect();
    groups += &FORTRAN.text(&[twins], false);
    format!(
        "// reblock {version}: moves distributed arrays from one layout to another over MPI.\n\
         // Made from the Rust sources by `make headers`; do not edit.\n\
         //\n\
         // An array of 1000 x 500 doubles goes from blocks of rows to blocks of columns, on all ranks of `comm`:\n\
         //\n{example}//\n{conventions}\n\
         #ifndef REBLOCK_H\n#define REBLOCK_H\n\n#include <mpi.h>\n#include <stdint.h>\n\n\
         #define REBLOCK_VERSION \"{version}\"\n#define REBLOCK_VERSION_MAJOR {}\n#define REBLOCK_VERSION_MINOR {}\n\
         #define REBLOCK_VERSION_PATCH {}\n\n\
         {INTEGER}\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
         {groups}#ifdef __cplusplus\n}} // extern \"C\"\n#endif\n\n#endif // REBLOCK_H\n",
        parts[0],
        parts[1],
        parts[2],
        conventions = comment(CONVENTIONS),
    )
}

/// Returns the text of reblock_scalapack.h. The file at `entries` has the entry points.
pub fn scalapack(version: &str, entries: &Path) -> String {
    let text = "\
ScaLAPACK's routines, as libreblock provides them: under the names that Fortran compilers give them, and under ScaLAPACK's C \
names, if there are any. p?gemr2d copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on; p?trmr2d copies the \
trapezoid (UPLO, DIAG) of the section. All processes of the context ICTXT call them; all processes of the program call the \
variants whose names end in \"o\". A process outside the grid of A (B) passes context -1 in DESCA (DESCB). All processes of the \
context in DESCA call p?tran, p?tranu and p?tranc (C := BETA C + ALPHA op(A), with A transposed), p?geadd (op by TRANS), p?tradd \
(a trapezoid of it, by UPLO) and p?lacpy. A descriptor has 9 integers; p?tran, p?geadd and p?tradd also take one of 11, with \
DTYPE 2. A local array has all elements that its descriptor gives the process, in columns LLD elements apart. Nothing else may \
use it during the call. An invalid argument ends the job with one line on standard error. Only one thread at a time may make \
calls in a context.";
    format!(
        "// reblock {version}: ScaLAPACK's p?gemr2d, p?trmr2d, p?tran, p?geadd, p?tradd and p?lacpy.\n\
         // Made from the Rust sources by `make headers`; do not edit.\n//\n{}\n\
         #ifndef REBLOCK_SCALAPACK_H\n#define REBLOCK_SCALAPACK_H\n\n#include <stdint.h>\n\n\
         {INTEGER}\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
         {}\n#ifdef __cplusplus\n}} // extern \"C\"\n#endif\n\n#endif // REBLOCK_SCALAPACK_H\n",
        comment(text),
        declarations(&[entries], false),
    )
}

impl Group {
    /// Returns the text of the group, with its functions and those in the generated files `made`.
    fn text(&self, made: &[&Path], documented: bool) -> String {
        let Self { title, purpose, threads, files } = self;
        let rule = "-".repeat(110 - title.len());
        let paths: Vec<_> = files.iter().map(|file| Path::new("src/ffi").join(file)).collect();
        let paths: Vec<&Path> = made.iter().copied().chain(paths.iter().map(AsRef::as_ref)).collect();
        format!(
            "// ---- {title} {rule}\n//\n{}{}\n{}\n",
            comment(purpose),
            comment(&format!("Threads: {threads}")),
            declarations(&paths, documented)
        )
    }
}

/// Returns cbindgen's declarations of the functions, types and constants in `files`.
fn declarations(files: &[&Path], documented: bool) -> String {
    let mut config = cbindgen::Config::from_file("cbindgen.toml").expect("cbindgen.toml is valid");
    config.documentation = documented;
    let builder = files
        .iter()
        .fold(cbindgen::Builder::new().with_config(config), |builder, file| builder.with_src(file));
    let mut text = Vec::new();
    builder.generate().expect("the exported functions can be declared in C").write(&mut text);
    let text = String::from_utf8(text).expect("the sources are text");
    promises(&renamed(
        &text.replace("struct reblock_", "reblock_").replace("typedef reblock_", "typedef struct reblock_"),
    ))
}

/// Init functions of structures that got new members, each with the current version of its structure. The name of the
/// current function ends with the version. The header defines the name without the version as a macro for that
/// function; the function with this name serves programs that were compiled with version 1.
const VERSIONED: &[(&str, u32)] = &[("reblock_plan_options_init", 3)];

fn renamed(text: &str) -> String {
    VERSIONED.iter().fold(text.to_owned(), |text, (name, version)| {
        let Some(at) = text.find(&format!("{name}_{version}(")) else { return text };
        let end = at + text[at..].find(";\n").expect("a declaration ends") + 2;
        format!("{}#define {name} {name}_{version}\n{}", &text[..end], &text[end..])
    })
}

/// Removes the headings `# Safety` of Rust's documentation, so that the promises follow the function's description.
/// Removes whole sections that only refer to the promises of another function.
fn promises(text: &str) -> String {
    text.replace("//\n// # Safety\n// The same holds.\n", "")
        .replace("//\n// # Safety\n", "")
        .trim_matches('\n')
        .to_owned()
        + "\n"
}

/// Returns a text as lines of a comment.
fn comment(text: &str) -> String {
    let mut lines = vec![String::from("//")];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        match line.len() + word.len() < 118 {
            true => *line += &format!(" {word}"),
            false => lines.push(format!("// {word}")),
        }
    }
    lines.join("\n") + "\n"
}

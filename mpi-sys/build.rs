//! Compiles the shim with MPI's own compiler, which checks it against `mpi.h`; generates Rust's declarations from
//! `interface.h`; and prints the libraries to link.

use std::path::{Path, PathBuf};
use std::process::Command;

const FAMILIES: [&str; 3] = ["openmpi", "mpich", "abi"];

/// Cargo's keys for a folder of libraries and for a library, after `rustc-link-`.
const FOLDER: &str = "search=native";
const LIBRARY: &str = "lib";

fn main() {
    for input in ["interface.h", "families.h", "shim.c"] {
        println!("cargo:rerun-if-changed=src/{input}");
    }
    for variable in ["MPICC", "OMPI_CC", "MPICH_CC", "I_MPI_CC"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    println!("cargo:rustc-check-cfg=cfg(mpi, values(\"openmpi\", \"mpich\", \"abi\"))");
    // Prints one line for cargo, instead of a panic with a backtrace.
    if let Err(why) = bind() {
        println!("cargo::error={}", why.lines().map(str::trim).collect::<Vec<_>>().join("; "));
    }
}

/// Compiles the shim and writes the declarations, for the MPI that `MPICC` names.
fn bind() -> Result<(), String> {
    let mpicc = std::env::var("MPICC").unwrap_or_else(|_| "mpicc".into());
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let family = family(&mpicc, &out)?;
    println!("cargo:rustc-cfg=mpi=\"{}\"", FAMILIES[family]);
    println!("cargo:family={}", FAMILIES[family]);
    let mut shim = cc::Build::new();
    let compiled = shim.file("src/shim.c").std("gnu11").compiler(&mpicc).try_compile("reblock_mpi");
    compiled
        .map_err(|why| format!("{mpicc} does not compile the bindings, as the lines above say: {why}"))?;
    let listed = std::fs::read_to_string("src/interface.h").expect("interface.h is there");
    std::fs::write(out.join("interface.rs"), declared(&listed, family)).expect("OUT_DIR can be written");
    for (kind, what) in libraries(&mpicc, &out)? {
        println!("cargo:rustc-link-{kind}={what}");
    }
    Ok(())
}

/// Runs a command and returns its standard output and its standard error.
fn run(command: &mut Command) -> Result<(String, String), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|why| {
        format!(
            "the MPI's C compiler, {program}, cannot be run ({why}): install an MPI with its compiler command, or set MPICC to that \
             command"
        )
    })?;
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    if output.status.success() {
        return Ok((out, err));
    }
    Err(format!("the MPI's C compiler fails: {command:?}: {}", err.trim()))
}

/// Returns the folders and libraries that programs of this MPI are linked with.
fn libraries(mpicc: &str, out: &Path) -> Result<Vec<(&'static str, String)>, String> {
    let shown = run(Command::new(mpicc).arg("-show")).map(|(line, _)| linked(&line)).unwrap_or_default();
    if shown.iter().any(|(kind, _)| *kind == LIBRARY) {
        return Ok(shown);
    }
    // Cray's commands do not know -show. GCC, Clang and NVIDIA's compiler print the linker's command line without
    // running it. It includes the compiler's own libraries and Cray's ScaLAPACK, which must not be linked.
    let probe = out.join("linked.c");
    std::fs::write(&probe, "int main(void) { return 0; }\n").expect("OUT_DIR can be written");
    let (text, more) = run(Command::new(mpicc).arg("-###").arg(&probe).arg("-o").arg(out.join("linked")))?;
    let all = linked(&(text + &more));
    let of = |kind| all.iter().filter(move |(other, _)| *other == kind).map(|(_, what)| what);
    let mpi: Vec<_> = of(LIBRARY).filter(|name| name.starts_with("mpi")).collect();
    if mpi.is_empty() {
        return Err(format!(
            "{mpicc} has no option -show, and its linker's command line (-###) has no library of MPI: set MPICC to the MPI's C compiler"
        ));
    }
    let has_any = |folder: &&String| {
        mpi.iter().any(|name| {
            ["so", "a"].iter().any(|end| Path::new(folder).join(format!("lib{name}.{end}")).exists())
        })
    };
    let folders = of(FOLDER).filter(has_any).map(|folder| (FOLDER, folder.clone()));
    Ok(folders.chain(mpi.iter().map(|&name| (LIBRARY, name.clone()))).collect())
}

/// Returns the family of this MPI, as families.h determines it.
fn family(mpicc: &str, out: &Path) -> Result<usize, String> {
    let probe = out.join("family.c");
    std::fs::write(&probe, "#include <mpi.h>\n#include \"families.h\"\nFAMILY(0, 1, 2)\n")
        .expect("OUT_DIR can be written");
    let (text, _) = run(Command::new(mpicc).args(["-E", "-P", "-Isrc"]).arg(&probe))?;
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    last.trim().parse().map_err(|_| format!("{mpicc} -E ends with {last:?}, expected the number of an ABI"))
}

/// Returns the folders and libraries in a compiler's command line. Words may be in quotation marks, and may have
/// blanks in them.
fn linked(line: &str) -> Vec<(&'static str, String)> {
    let mut words = vec![String::new()];
    let mut quoted = None;
    for c in line.chars() {
        match quoted {
            Some(mark) if c == mark => quoted = None,
            None if c == '"' || c == '\'' => quoted = Some(c),
            None if c.is_whitespace() => words.push(String::new()),
            _ => words.last_mut().expect("there is a word").push(c),
        }
    }
    let option = |word: String| match word.split_at_checked(2) {
        Some(("-L", folder)) if !folder.is_empty() => Some((FOLDER, folder.to_owned())),
        Some(("-l", library)) => Some((LIBRARY, library.to_owned())),
        _ => None,
    };
    words.into_iter().filter_map(option).collect()
}

/// Returns Rust's declarations for C's lines.
fn declared(lines: &str, family: usize) -> String {
    let mut functions = String::new();
    let mut numbers = String::new();
    for line in lines.lines() {
        if let Some(text) = line.strip_prefix("CONSTANT(") {
            let (kind, name) = text.trim_end_matches(')').split_once(", ").expect("a type and a name");
            let kind = typed(kind);
            functions += &format!(
                "    /// `MPI_{name}`.\n    #[link_name = \"reblock_mpi_{name}\"]\n    pub static RSMPI_{name}: {kind};\n"
            );
        } else if let Some(text) = line.strip_prefix("NUMBER(") {
            let mut words = text.trim_end_matches(')').split(", ");
            let name = words.next().expect("a name");
            let value = words.nth(family).expect("a number for each family");
            let kind = if value.starts_with('-') { "i32" } else { "u32" };
            numbers += &format!("/// `{name}`.\npub const {name}: {kind} = {value};\n");
        } else if let Some(text) = line.strip_prefix("int ") {
            let (name, text) = text.split_once('(').expect("a function");
            let arguments: Vec<_> = text.trim_end_matches(");").split(", ").filter_map(argument).collect();
            let arguments = arguments.join(", ");
            functions += &format!("    /// `{name}`.\n    pub fn {name}({arguments}) -> c_int;\n");
        }
    }
    format!("{numbers}unsafe extern \"C\" {{\n{functions}}}\n")
}

/// Returns an argument in Rust's syntax, from one in C's: `const int ranks1[]`.
fn argument(text: &str) -> Option<String> {
    if text == "void" {
        return None;
    }
    let (list, text) = text.strip_suffix("[]").map_or((false, text), |text| (true, text));
    let begin = text.rfind([' ', '*']).expect("a type and a name") + 1;
    let (kind, name) = text.split_at(begin);
    let kind = if list { format!("{} *", kind.trim_end()) } else { kind.to_owned() };
    Some(format!("{name}_: {}", typed(&kind)))
}

/// Returns a type in Rust's syntax.
fn typed(text: &str) -> String {
    let (constant, text) = text.strip_prefix("const ").map_or((false, text), |text| (true, text));
    let name = text.trim_end_matches([' ', '*']);
    // C's name is the type of a function, and its arguments are pointers to one.
    if name.ends_with("_function") {
        return name.to_owned();
    }
    let name = match name {
        "int" | "char" | "void" => format!("c_{name}"),
        name => name.to_owned(),
    };
    let stars = text.matches('*').count();
    // `const` belongs to the target of the innermost pointer.
    let inner = if constant && stars > 0 { "*const " } else { "*mut " };
    (0..stars).fold(name, |kind, star| format!("{}{kind}", if star == 0 { inner } else { "*mut " }))
}

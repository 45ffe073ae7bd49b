//! Links forwarding libraries with the C compiler, in a temporary folder.

use object::read::elf::{Dyn, FileHeader};
use object::{Endianness, elf};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The C compiler, and a temporary folder for its output, removed on drop.
pub struct Linker {
    compiler: String,
    folder: PathBuf,
}

impl Drop for Linker {
    fn drop(&mut self) {
        // If the removal fails, the files stay until the system cleans its folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Linker {
    /// Takes the compiler that the variable CC names, or `cc`, and makes the folder.
    pub fn create() -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("reblock-forward-{}", std::process::id()));
        let failed = |error| format!("{}: {error}", folder.display());
        std::fs::create_dir(&folder).map_err(failed)?;
        let linker =
            Self { compiler: std::env::var("CC").unwrap_or_else(|_| "cc".into()), folder: folder.clone() };
        std::fs::write(linker.source(), "").map_err(failed)?;
        Ok(linker)
    }

    /// Returns the library's own name (DT_SONAME), if it has one.
    pub fn own_name(path: &Path) -> Result<Option<String>, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = match object::FileKind::parse(&*bytes) {
            Ok(object::FileKind::Elf64) => soname::<elf::FileHeader64<Endianness>>(&bytes),
            Ok(object::FileKind::Elf32) => soname::<elf::FileHeader32<Endianness>>(&bytes),
            _ => return Err(format!("{}: is not a shared library", path.display())),
        };
        name.map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Links the forwarding library that is to become `output`. It needs `library` first, then the libraries `names`.
    /// Returns its path in the temporary folder.
    pub fn forwarding(&self, output: &Path, library: &Path, names: &[String]) -> Result<PathBuf, String> {
        let own = Self::own_name(library)?.or_else(|| file_name(library));
        let own = own.ok_or_else(|| format!("{}: has no name", library.display()))?;
        let folder = library.parent().unwrap_or(Path::new("/"));
        let beside = output.parent().and_then(|folder| folder.canonicalize().ok());
        let folder = match beside.is_some_and(|beside| beside == folder) {
            // With this, a user may move both files together.
            true => "$ORIGIN".into(),
            false => folder.display().to_string(),
        };
        if folder.contains(':') {
            return Err(format!("{folder}: the loader cannot search a folder with a colon in its name"));
        }
        let name = file_name(output).ok_or_else(|| format!("{}: is no file name", output.display()))?;
        let needed: Vec<String> = std::iter::once(own).chain(names.iter().cloned()).collect();
        self.link("made", &needed, &["-soname", &name, "-rpath", &folder, "--enable-new-dtags"])
    }

    /// Links a library without a name of its own that needs the libraries `names`. Returns its path.
    pub fn link_needing(&self, names: &[String]) -> Result<PathBuf, String> {
        self.link("needing", names, &[])
    }

    /// Links the library `file`, which needs `names`, with these linker `options`.
    fn link(&self, file: &str, names: &[String], options: &[&str]) -> Result<PathBuf, String> {
        let needed = names.iter().enumerate().map(|(k, name)| self.empty(&format!("{file}.{k}.so"), name));
        let needed = needed.collect::<Result<Vec<_>, _>>()?;
        let options = options.iter().flat_map(|option| ["-Xlinker", option]);
        // CC may be MPI's compiler wrapper, which adds MPI's libraries at the end.
        let mut command = self.command(file);
        command.args(options).arg("-Wl,--no-as-needed").args(&needed).arg("-Wl,--as-needed");
        self.run(&mut command)?;
        Ok(self.folder.join(file))
    }

    /// Links an empty library `file` whose own name is `name`. Returns its path.
    fn empty(&self, file: &str, name: &str) -> Result<PathBuf, String> {
        self.run(self.command(file).args(["-Xlinker", "-soname", "-Xlinker", name]).arg(self.source()))?;
        Ok(self.folder.join(file))
    }

    /// Returns the path of an empty source file: the linker needs at least one input.
    fn source(&self) -> PathBuf {
        self.folder.join("empty.c")
    }

    fn command(&self, file: &str) -> Command {
        let mut words = self.compiler.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or("cc"));
        command.args(words).args(["-shared", "-nostdlib", "-o"]).arg(self.folder.join(file));
        // Without this, an empty library would request executable stacks.
        command.arg("-Wl,-z,noexecstack");
        command
    }

    fn run(&self, command: &mut Command) -> Result<(), String> {
        let output = command.output().map_err(|error| {
            format!("{}: {error}: a C compiler is needed; the variable CC names it", self.compiler)
        })?;
        match output.status.success() {
            true => Ok(()),
            false => Err(format!("{}: {}", self.compiler, String::from_utf8_lossy(&output.stderr).trim())),
        }
    }
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name()?.to_str().map(String::from)
}

/// Reads DT_SONAME of an ELF file.
fn soname<Elf: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> object::Result<Option<String>> {
    let header = Elf::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let Some((entries, strings)) = sections.dynamic(endian, bytes)? else { return Ok(None) };
    let strings = sections.strings(endian, bytes, strings)?;
    let named = entries.iter().find(|entry| entry.tag32(endian) == Some(elf::DT_SONAME));
    let name = named.map(|entry| entry.string(endian, strings)).transpose()?;
    Ok(name.map(|name| String::from_utf8_lossy(name).into_owned()))
}

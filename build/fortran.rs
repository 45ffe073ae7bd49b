//! Functions of src/ffi with MPI's communicators of Fortran.

/// A function of the C interface: its name, and the names and types of its parameters.
struct Function {
    name: String,
    parameters: Vec<(String, String)>,
}

/// Returns the functions in a source of src/ffi that return a code.
fn functions(source: &str) -> Vec<Function> {
    let signature = |rest: &str| {
        let (name, parameters) = rest.split('{').next()?.strip_suffix(") -> i32 ")?.split_once('(')?;
        let pairs = parameters.split(',').filter_map(|parameter| parameter.split_once(':'));
        let parameters = pairs.map(|(name, of)| (name.trim().into(), of.trim().into())).collect();
        Some(Function { name: name.into(), parameters })
    };
    source.split("pub unsafe extern \"C\" fn ").skip(1).filter_map(signature).collect()
}

/// Writes a function `..._fortran`, which takes a communicator's handle in Fortran, for each function in `sources` whose
/// first parameter is a communicator.
pub fn twins(sources: &[String]) -> String {
    let twin = |gate: &str, Function { name, parameters }: Function| {
        let ((comm, _), rest) = parameters.split_first().filter(|((_, of), _)| of == "MPI_Comm")?;
        let declared: String = rest.iter().map(|(name, of)| format!(", {name}: {of}")).collect();
        let passed: String = rest.iter().map(|(name, _)| format!(", {name}")).collect();
        Some(format!(
            "/// As {name}.\n///\n/// # Safety\n/// As for {name}.\n{gate}#[unsafe(no_mangle)]\n\
             pub unsafe extern \"C\" fn {name}_fortran({comm}: i32{declared}) -> i32 {{\n\
             // SAFETY: the handle is that of a communicator, or MPI_COMM_NULL; the rest is this fn's contract.\n\
             unsafe {{ {name}(RSMPI_Comm_f2c({comm}){passed}) }}\n}}\n\n"
        ))
    };
    let gate = |source: &String| if source.contains(GATE) { "#[cfg(feature = \"text\")]\n" } else { "" };
    sources
        .iter()
        .flat_map(|source| functions(source).into_iter().filter_map(|f| twin(gate(source), f)))
        .collect()
}

/// The line of a source whose functions need the feature "text".
const GATE: &str = "#![cfg(feature = \"text\")]";

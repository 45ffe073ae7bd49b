//! Writes the sources for Fortran that follow from the functions of src/ffi: functions that take Fortran's handles of
//! communicators, and the interfaces of all functions that the modules in fortran/hpf call.

/// A function of the C interface: its name without `reblock_`, and the names and types of its parameters.
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
    source.split("extern \"C\" fn reblock_").skip(1).filter_map(signature).collect()
}

/// Returns the functions `..._fortran` of the functions in `sources` whose first parameter is a communicator. They take
/// its handle in Fortran.
pub fn twins(sources: &[String]) -> String {
    let twin = |gate: &str, Function { name, parameters }: Function| {
        let ((comm, _), rest) = parameters.split_first().filter(|((_, of), _)| of == "MPI_Comm")?;
        let declared: String = rest.iter().map(|(name, of)| format!(", {name}: {of}")).collect();
        let passed: String = rest.iter().map(|(name, _)| format!(", {name}")).collect();
        Some(format!(
            "/// As reblock_{name}.\n///\n/// # Safety\n/// As for reblock_{name}.\n{gate}#[unsafe(no_mangle)]\n\
             pub unsafe extern \"C\" fn reblock_{name}_fortran({comm}: i32{declared}) -> i32 {{\n\
             // SAFETY: the handle is that of a communicator, or MPI_COMM_NULL; the rest is this fn's contract.\n\
             unsafe {{ reblock_{name}(RSMPI_Comm_f2c({comm}){passed}) }}\n}}\n\n"
        ))
    };
    let gate = |source: &String| match source.contains(GATE) {
        true => "#[cfg(feature = \"text\")]\n",
        false => "",
    };
    sources
        .iter()
        .flat_map(|source| functions(source).into_iter().filter_map(|f| twin(gate(source), f)))
        .collect()
}

/// The line of a source whose functions need the feature "text".
const GATE: &str = "#![cfg(feature = \"text\")]";

/// Output parameters that point to several numbers: one for each axis, or a count that another parameter gives. All
/// other output parameters with numbers point to one number.
const LISTS: [&str; 17] = [
    "after", "aligned", "before", "coords", "extents", "first", "grid", "index", "last", "local", "lower",
    "places", "ranks", "rest", "shape", "strides", "upper",
];

/// Returns the module with the interfaces of the functions in `sources`, under their names with `c_` instead of
/// `reblock_` and without `_fortran`.
pub fn calls(sources: &[String]) -> String {
    let all = sources.iter().flat_map(|source| functions(source));
    let interfaces: String = all.filter_map(|function| function.interface()).collect();
    format!(
        "! Interfaces of the functions of include/reblock.h for the other modules. Axes count from 0 here. A list that the\n\
         ! library reads may be absent: NULL.\n\
         ! Made from src/ffi by `make headers`; do not edit.\n\
         module reblock_hpf_calls\n  \
         use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int32_t, c_int64_t, c_ptr\n  \
         implicit none\n  public\n  interface\n{interfaces}  end interface\nend module reblock_hpf_calls\n"
    )
}

impl Function {
    /// Returns the interface, or `None` for a function with a handle of C's MPI.
    fn interface(&self) -> Option<String> {
        let short = self.name.trim_end_matches("_fortran");
        let names: Vec<&str> = self.parameters.iter().map(|(name, _)| name.as_str()).collect();
        let declared =
            self.parameters.iter().map(|(name, of)| Some(format!("      {}\n", declaration(name, of)?)));
        let declared: String = declared.collect::<Option<_>>()?;
        Some(format!(
            "    integer(c_int32_t) function c_{short}( &\n      {}) &\n      bind(c, name='reblock_{}')\n      \
             import\n{declared}    end function c_{short}\n",
            names.join(", "),
            self.name,
        ))
    }
}

/// Returns the declaration of a parameter of the Rust type `of`, or `None` for a handle of MPI.
fn declaration(name: &str, of: &str) -> Option<String> {
    let number = |of: &str| match of {
        "i64" | "reblock_range" | "reblock_align" | "reblock_format" => Some("integer(c_int64_t)"),
        "i32" => Some("integer(c_int32_t)"),
        "c_int" => Some("integer(c_int)"),
        "Int" => Some("integer"),
        "f64" => Some("real(c_double)"),
        "c_char" => Some("character(c_char)"),
        _ => None,
    };
    let list = if of == "*mut reblock_format" || LISTS.contains(&name) { "(*)" } else { "" };
    Some(match (of.strip_prefix("*const "), of.strip_prefix("*mut ")) {
        _ if of.contains("MPI_") => return None,
        (None, None) => format!("{}, value :: {name}", number(of).unwrap_or("type(c_funptr)")),
        (Some(of), _) if number(of).is_some() => {
            format!("{}, intent(in), optional :: {name}(*)", number(of)?)
        }
        (Some(of), _) if of.starts_with('*') => format!("type(c_ptr), intent(in) :: {name}(*)"),
        (Some("c_void"), _) if name == "boundary" => format!("type(*), intent(in), optional :: {name}"),
        // The library keeps the addresses of a job's arrays and descriptors.
        (_, Some("Int" | "c_char" | "*mut c_void")) => format!("type(c_ptr), value :: {name}"),
        (_, Some(of)) if number(of).is_some() => format!("{}, intent(inout) :: {name}{list}", number(of)?),
        (_, Some(of)) if of.starts_with('*') => format!("type(c_ptr), intent(inout) :: {name}"),
        _ => format!("type(c_ptr), value :: {name}"),
    })
}

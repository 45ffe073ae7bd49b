//! Writes the Rust source of ScaLAPACK's routines. Each routine has all names that Fortran compilers use and, if
//! ScaLAPACK has a C name, this name. The source is generated as text, not by a macro, so that cbindgen can read it for
//! the C header.

#[path = "../src/scalapack/family.rs"]
mod family;

use family::{Properties, TABLE};

/// An element type: ScaLAPACK's letter, the Rust type of elements, bytes per element, the type in Fortran.
struct Type {
    letter: char,
    element: &'static str,
    bytes: &'static str,
    fortran: &'static str,
}

const TYPES: [Type; 5] = [
    Type { letter: 'i', element: "Int", bytes: "size_of::<Int>()", fortran: "integer" },
    Type { letter: 's', element: "f32", bytes: "4", fortran: "real" },
    Type { letter: 'd', element: "f64", bytes: "8", fortran: "double precision" },
    Type { letter: 'c', element: "c_void", bytes: "8", fortran: "complex" },
    Type { letter: 'z', element: "c_void", bytes: "16", fortran: "complex(kind(1d0))" },
];

struct Routine {
    family: &'static Properties,
    of: &'static Type,
}

/// Returns the functions under the names that C programs use: the C name, and the Fortran name of gfortran and nearly
/// all other compilers.
pub fn declared() -> String {
    routines().map(|r| r.fortran(&format!("{}_", r.name())) + &r.c()).collect()
}

/// Returns the Fortran module, which has an explicit interface of each routine.
pub fn module() -> String {
    let interfaces: String = routines().map(|r| r.interface()).collect();
    format!(
        "! Explicit interfaces of ScaLAPACK's routines, as libreblock provides them.\n\
         ! Made from src/scalapack/family.rs by `make headers`; do not edit.\n\
         module reblock\n  implicit none\n  public\n  interface\n{interfaces}  end interface\nend module reblock\n"
    )
}

/// Returns the functions under the names that other Fortran compilers use.
pub fn aliases() -> String {
    let names = |r: &Routine| {
        let (name, upper) = (r.name(), r.name().to_uppercase());
        [name.clone(), format!("{name}__"), upper.clone(), format!("{upper}_")]
    };
    routines().flat_map(|r| names(&r).map(|symbol| r.fortran(&symbol))).collect()
}

fn routines() -> impl Iterator<Item = Routine> {
    let has = |family: &Properties, of: &Type| family.letters.contains(of.letter);
    TABLE.iter().flat_map(move |family| {
        TYPES.iter().filter(move |of| has(family, of)).map(move |of| Routine { family, of })
    })
}

impl Routine {
    fn name(&self) -> String {
        format!("p{}{:?}", self.of.letter, self.family.family).to_lowercase()
    }

    /// Returns the name of the parameter whose matrix the routine writes.
    fn target(&self) -> String {
        self.family.target().to_lowercase()
    }

    fn docs(&self) -> String {
        let (upper, what, target) = (self.name().to_uppercase(), self.family.what, self.family.target());
        let callers = match (self.family.context, self.family.in_c) {
            (true, _) => format!(
                "every process of the context ICTXT. A process outside the grid of A ({target}) passes context -1 in DESCA \
                 (DESC{target})"
            ),
            (_, true) => format!(
                "every process of the program. A process outside the grid of A ({target}) passes context -1 in DESCA \
                 (DESC{target})"
            ),
            (_, false) => String::from("every process of the context in DESCA"),
        };
        format!(
            "/// ScaLAPACK's {upper}: {what}.\n\
             /// Called by {callers}.\n\
             /// An invalid argument ends the job with one line on standard error.\n\
             ///\n\
             /// # Safety\n\
             /// A descriptor has all its integers. A local array has all elements that its descriptor gives this process,\n\
             /// in columns LLD elements apart. Nothing else uses the arrays during the call.\n\
             #[allow(non_snake_case)]\n\
             #[unsafe(no_mangle)]\n"
        )
    }

    /// Returns the expression of the `Routine`.
    fn value(&self) -> String {
        let Self { family: Properties { family, .. }, of: Type { letter, bytes, .. } } = self;
        format!("Routine {{ letter: '{letter}', family: Family::{family:?}, element: {bytes} }}")
    }

    /// Returns the list of the numbers that Fortran programs pass by address, each with its name.
    fn numbers(&self) -> String {
        let t = self.target();
        let context = if self.family.context { "ictxt " } else { "" };
        let names = format!("m n ia ja i{t} j{t} {context}");
        names.split_whitespace().map(|name| format!("(\"{}\", {name}), ", name.to_uppercase())).collect()
    }

    /// Returns the expression of the `RawCall` that a call makes. `scalar` is `*` if scalars are references, or empty.
    fn call(&self, language: &str, scalar: &str) -> String {
        let target = self.target();
        let option = |option: &str| match self.family.options.contains(&option) {
            true => format!("Some({option}.cast())"),
            false => "None".into(),
        };
        let scalars = if self.family.scalars { "Some([alpha.cast(), beta.cast()])" } else { "None" };
        let context = if self.family.context { format!("Some({scalar}ictxt)") } else { "None".into() };
        format!(
            "RawCall {{ routine: {}, language: Language::{language}, uplo: {}, diag: {}, trans: {}, extent: [{scalar}m, {scalar}n], \
             scalars: {scalars}, context: {context}, \
             a: RawMatrix {{ base: a.cast_mut().cast(), start: [{scalar}ia, {scalar}ja], descriptor: desca }}, \
             b: RawMatrix {{ base: {target}.cast(), start: [{scalar}i{target}, {scalar}j{target}], \
             descriptor: desc{target} }} }}",
            self.value(),
            option("uplo"),
            option("diag"),
            option("trans"),
        )
    }

    /// Returns the list of parameters, with integers of type `int`.
    fn parameters(&self, int: &str) -> String {
        let Self { family: Properties { options, scalars, context, .. }, of } = self;
        let t = self.target();
        let element = of.element;
        let options: String = options.iter().map(|name| format!("{name}: *const c_char, ")).collect();
        let scalar = |name: &str| match scalars {
            true => format!("{name}: *const {element}, "),
            false => String::new(),
        };
        let (alpha, beta) = (scalar("alpha"), scalar("beta"));
        let context = if *context { format!(", ictxt: {int}") } else { String::new() };
        format!(
            "{options}m: {int}, n: {int}, {alpha}a: *const {element}, ia: {int}, ja: {int}, desca: *const Int, \
             {beta}{t}: *mut {element}, i{t}: {int}, j{t}: {int}, desc{t}: *const Int{context}"
        )
    }

    /// Returns the function with the Fortran name `symbol`, which takes scalars by reference. Hidden string lengths,
    /// which come last, are ignored.
    fn fortran(&self, symbol: &str) -> String {
        format!(
            "{}pub unsafe extern \"C\" fn {symbol}({}) {{\n\
             check_numbers({}, &[{}]);\n\
             // SAFETY: the caller's promise, passed on.\n\
             unsafe {{ call({}) }}\n}}\n\n",
            self.docs(),
            self.parameters("*const Int"),
            self.value(),
            self.numbers(),
            self.call("Fortran", "*"),
        )
    }

    /// Returns the function with the C name, which takes scalars by value; an empty text if ScaLAPACK has no C name.
    fn c(&self) -> String {
        if !self.family.in_c {
            return String::new();
        }
        format!(
            "{}pub unsafe extern \"C\" fn C{}({}) {{\n\
             let raw = {};\n\
             // SAFETY: the caller's promise, passed on.\n\
             unsafe {{ call(raw) }}\n}}\n\n",
            self.docs(),
            self.name(),
            self.parameters("Int"),
            self.call("C", ""),
        )
    }

    fn interface(&self) -> String {
        let Self { family: Properties { options, scalars, context, in_c, .. }, of } = self;
        let t = self.target();
        let (name, element) = (self.name(), of.fortran);
        let listed: String = options.iter().map(|name| format!("{name}, ")).collect();
        let letters = match options {
            [] => String::new(),
            _ => format!("      character, intent(in) :: {}\n", options.join(", ")),
        };
        let ictxt = if *context { ", ictxt" } else { "" };
        let (alpha, beta, factors) = match scalars {
            true => ("alpha, ", "beta, ", format!("      {element}, intent(in) :: alpha, beta\n")),
            false => ("", "", String::new()),
        };
        let entries = if *in_c { "9" } else { "*" };
        format!(
            "    subroutine {name}({listed}m, n, {alpha}a, ia, ja, desca, {beta}{t}, i{t}, j{t}, desc{t}{ictxt})\n\
             {letters}      integer, intent(in) :: m, n, ia, ja, desca({entries}), i{t}, j{t}, desc{t}({entries}){ictxt}\n\
             {factors}      {element}, intent(in) :: a(*)\n      {element}, intent(inout) :: {t}(*)\n    \
             end subroutine {name}\n"
        )
    }
}

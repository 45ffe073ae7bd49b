//! Writes the Rust source of ScaLAPACK's 20 redistribution routines, each under all names that Fortran compilers use
//! and under its C name. Text, not a macro, because the C header is made from the same lines.

/// Element types: ScaLAPACK's letter, the type of the arrays' elements, bytes an element, the type in Fortran.
const TYPES: [(char, &str, &str, &str); 5] = [
    ('i', "Int", "size_of::<Int>()", "integer"),
    ('s', "f32", "4", "real"),
    ('d', "f64", "8", "double precision"),
    ('c', "c_void", "8", "complex"),
    ('z', "c_void", "16", "complex(kind(1d0))"),
];

/// A routine's family: its name behind `p` and the letter, whether it takes UPLO and DIAG, whether ICTXT.
const FAMILIES: [(&str, bool, bool); 4] =
    [("gemr2d", false, true), ("trmr2d", true, true), ("gemr2do", false, false), ("trmr2do", true, false)];

/// One routine: everything that its entry points differ in.
struct Routine {
    letter: char,
    element: &'static str,
    bytes: &'static str,
    fortran_type: &'static str,
    family: &'static str,
    trapezoid: bool,
    context: bool,
}

/// The names that C programs use: that of gfortran and nearly all other Fortran compilers, and the C name.
pub fn declared() -> String {
    routines().map(|r| r.fortran(&format!("{}_", r.name())) + &r.c()).collect()
}

/// A Fortran module with an explicit interface of each routine.
pub fn module() -> String {
    let interfaces: String = routines().map(|r| r.interface()).collect();
    format!(
        "! Explicit interfaces of ScaLAPACK's redistribution routines, as libreblock provides them.\n\
         ! Made from build/entries.rs by `make headers`; do not edit.\n\
         module reblock\n  implicit none\n  public\n  interface\n{interfaces}  end interface\nend module reblock\n"
    )
}

/// Names that other Fortran compilers use.
pub fn aliases() -> String {
    let names = |r: &Routine| {
        let (name, upper) = (r.name(), r.name().to_uppercase());
        [name.clone(), format!("{name}__"), upper.clone(), format!("{upper}_")]
    };
    routines().flat_map(|r| names(&r).map(|symbol| r.fortran(&symbol))).collect()
}

fn routines() -> impl Iterator<Item = Routine> {
    let of_family = |(family, trapezoid, context)| {
        TYPES.map(|(letter, element, bytes, fortran_type)| Routine {
            letter,
            element,
            bytes,
            fortran_type,
            family,
            trapezoid,
            context,
        })
    };
    FAMILIES.into_iter().flat_map(of_family)
}

impl Routine {
    fn name(&self) -> String {
        format!("p{}{}", self.letter, self.family)
    }

    /// The `Routine` that the library knows it by.
    fn value(&self) -> String {
        let Self { letter, bytes, trapezoid, context, .. } = self;
        let old = !context;
        format!("Routine {{ letter: '{letter}', trapezoid: {trapezoid}, old: {old}, element: {bytes} }}")
    }

    fn docs(&self) -> String {
        let upper = self.name().to_uppercase();
        let what = if self.trapezoid {
            "the trapezoid (UPLO, DIAG) of an M x N section"
        } else {
            "an M x N section"
        };
        let callers =
            if self.context { "every process of the context ICTXT" } else { "every process of the program" };
        format!(
            "/// ScaLAPACK's {upper}: copies {what} of A, from (IA, JA) on, to B, from (IB, JB) on.\n\
             /// Called by {callers}. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).\n\
             /// An invalid argument ends the job with one line on standard error.\n\
             ///\n\
             /// # Safety\n\
             /// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,\n\
             /// in columns LLD elements apart. Nothing else uses the arrays during the call.\n\
             #[allow(non_snake_case)]\n\
             #[unsafe(no_mangle)]\n"
        )
    }

    /// UPLO and DIAG as parameters and as an argument.
    fn part(&self) -> (&'static str, &'static str) {
        match self.trapezoid {
            true => ("uplo: *const c_char, diag: *const c_char, ", "Some((uplo, diag))"),
            false => ("", "None"),
        }
    }

    /// Scalars by reference. Hidden string lengths come last and are ignored.
    fn fortran(&self, symbol: &str) -> String {
        let (docs, element, value) = (self.docs(), self.element, self.value());
        let (part_parameters, part) = self.part();
        let (ictxt_parameter, ictxt) =
            if self.context { (", ictxt: *const Int", "Some(*ictxt)") } else { ("", "None") };
        format!(
            "{docs}pub unsafe extern \"C\" fn {symbol}({part_parameters}m: *const Int, n: *const Int, \
             a: *const {element}, ia: *const Int, ja: *const Int, desca: *const Int, \
             b: *mut {element}, ib: *const Int, jb: *const Int, descb: *const Int{ictxt_parameter}) {{\n\
             // SAFETY: the caller's promise, passed on.\n\
             unsafe {{\n\
             let a = RawMatrix {{ base: a.cast_mut().cast(), start: [*ia, *ja], descriptor: desca }};\n\
             let b = RawMatrix {{ base: b.cast(), start: [*ib, *jb], descriptor: descb }};\n\
             call(RawCall {{ routine: {value}, language: Language::Fortran, part: {part}, extent: [*m, *n], \
             a, b, context: {ictxt} }})\n\
             }}\n}}\n\n"
        )
    }

    /// Scalars by value.
    fn c(&self) -> String {
        let (docs, name, element, value) = (self.docs(), self.name(), self.element, self.value());
        let (part_parameters, part) = self.part();
        let (ictxt_parameter, ictxt) =
            if self.context { (", ictxt: Int", "Some(ictxt)") } else { ("", "None") };
        format!(
            "{docs}pub unsafe extern \"C\" fn C{name}({part_parameters}m: Int, n: Int, \
             a: *const {element}, ia: Int, ja: Int, desca: *const Int, \
             b: *mut {element}, ib: Int, jb: Int, descb: *const Int{ictxt_parameter}) {{\n\
             let a = RawMatrix {{ base: a.cast_mut().cast(), start: [ia, ja], descriptor: desca }};\n\
             let b = RawMatrix {{ base: b.cast(), start: [ib, jb], descriptor: descb }};\n\
             let raw = RawCall {{ routine: {value}, language: Language::C, part: {part}, extent: [m, n], \
             a, b, context: {ictxt} }};\n\
             // SAFETY: the caller's promise, passed on.\n\
             unsafe {{ call(raw) }}\n}}\n\n"
        )
    }

    fn interface(&self) -> String {
        let (name, element) = (self.name(), self.fortran_type);
        let (part, part_lines) = match self.trapezoid {
            true => ("uplo, diag, ", "      character, intent(in) :: uplo, diag\n"),
            false => ("", ""),
        };
        let ictxt = if self.context { ", ictxt" } else { "" };
        format!(
            "    subroutine {name}({part}m, n, a, ia, ja, desca, b, ib, jb, descb{ictxt})\n{part_lines}      \
             integer, intent(in) :: m, n, ia, ja, desca(9), ib, jb, descb(9){ictxt}\n      \
             {element}, intent(in) :: a(*)\n      \
             {element}, intent(inout) :: b(*)\n    \
             end subroutine {name}\n"
        )
    }
}

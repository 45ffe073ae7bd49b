//! WHERE in this process is the ScaLAPACK that reblock replaces? It is the next library with a routine of that name, in the
//! loader's order; if there is none, any loaded library with it, such as that of a Python extension, which the loader hides.

use super::Int;
use super::find::{base, file, in_library, in_scope, loaded};
use std::cell::Cell;
use std::ffi::{CString, c_char, c_void};
use std::path::PathBuf;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// By which of a routine's two names it is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// `pdgemr2d_`, all arguments by reference.
    Fortran,
    /// `Cpdgemr2d`, scalars by value.
    C,
}

/// A routine of the host's ScaLAPACK.
#[derive(Clone, Copy)]
pub struct Original {
    address: P,
    language: Language,
}

/// The arguments of a call; ICTXT is absent from the older routines, UPLO and DIAG from p?gemr2d.
pub struct Arguments {
    /// UPLO and DIAG.
    pub part: Option<(*const c_char, *const c_char)>,
    /// M and N.
    pub extent: [Int; 2],
    /// A, (IA, JA) and DESCA.
    pub a: (*mut u8, [Int; 2], *const Int),
    /// B, (IB, JB) and DESCB.
    pub b: (*mut u8, [Int; 2], *const Int),
    /// ICTXT.
    pub context: Option<Int>,
}

type P = *const c_void;

/// Calls the function at an address, with arguments of these types.
macro_rules! invoke {
    ($address:expr, $($argument:expr => $type:ty),+) => {{
        let function: unsafe extern "C" fn($($type),+) = std::mem::transmute::<P, _>($address);
        function($($argument),+)
    }};
}

impl Original {
    /// The routine called `name`, in lower case, in another library than this one.
    pub fn find(name: &str, language: Language) -> Option<Self> {
        let symbol = match language {
            Language::Fortran => format!("{name}_"),
            Language::C => format!("C{name}"),
        };
        let symbol = CString::new(symbol).ok()?;
        let own = base((base as fn(P) -> P) as P);
        let other = |address: P| {
            let found = !address.is_null() && base(address) != own;
            found.then_some(Self { address, language })
        };
        // SAFETY: the handle is a constant, the name a string.
        let next = unsafe { libc::dlsym(libc::RTLD_NEXT, symbol.as_ptr()) }.cast_const();
        let here =
            |handle| in_scope(handle, [symbol.as_c_str()]).and_then(|[found]| other(found.cast_const()));
        other(next).or_else(|| loaded().iter().find_map(|library| in_library(library, here)))
    }

    /// By which name it is called.
    pub fn language(self) -> Language {
        self.language
    }

    /// The file of the library that has it, if that is known.
    pub fn library(self) -> Option<PathBuf> {
        let file = file(self.address)?;
        // What the linker's name stands for has the version in its own.
        Some(file.canonicalize().unwrap_or(file))
    }

    /// Calls it. What it calls under one of reblock's names is its own, too: see [`is_inside`].
    ///
    /// # Safety
    /// The arguments are what the caller of the routine of that name gave, or another B of the same shape.
    pub unsafe fn call(self, with: &Arguments) {
        let before = INSIDE.replace(true);
        // SAFETY: this fn's contract.
        unsafe {
            match self.language {
                Language::Fortran => self.by_reference(with),
                Language::C => self.by_value(with),
            }
        }
        INSIDE.set(before);
    }

    /// # Safety
    /// That of [`Original::call`].
    unsafe fn by_reference(self, with: &Arguments) {
        let Arguments { part, extent: [m, n], a: (a, [ia, ja], desca), b: (b, [ib, jb], descb), context } =
            with;
        type I = *const Int;
        // SAFETY: Fortran routines of these names take addresses of these; the rest is this fn's contract.
        unsafe {
            match (*part, context) {
                (None, Some(context)) => {
                    invoke!(self.address, m => I, n => I, *a => *mut u8, ia => I, ja => I,
                    *desca => I, *b => *mut u8, ib => I, jb => I, *descb => I, context => I)
                }
                (None, None) => {
                    invoke!(self.address, m => I, n => I, *a => *mut u8, ia => I, ja => I, *desca => I,
                    *b => *mut u8, ib => I, jb => I, *descb => I)
                }
                (Some((uplo, diag)), Some(context)) => invoke!(self.address, uplo => *const c_char,
                    diag => *const c_char, m => I, n => I, *a => *mut u8, ia => I, ja => I, *desca => I,
                    *b => *mut u8, ib => I, jb => I, *descb => I, context => I),
                (Some((uplo, diag)), None) => {
                    invoke!(self.address, uplo => *const c_char, diag => *const c_char,
                    m => I, n => I, *a => *mut u8, ia => I, ja => I, *desca => I, *b => *mut u8, ib => I, jb => I,
                    *descb => I)
                }
            }
        }
    }

    /// # Safety
    /// That of [`Original::call`].
    unsafe fn by_value(self, with: &Arguments) {
        let &Arguments { part, extent: [m, n], a: (a, [ia, ja], desca), b: (b, [ib, jb], descb), context } =
            with;
        type I = *const Int;
        // SAFETY: C routines of these names take these; the rest is this fn's contract.
        unsafe {
            match (part, context) {
                (None, Some(context)) => {
                    invoke!(self.address, m => Int, n => Int, a => *mut u8, ia => Int, ja => Int,
                    desca => I, b => *mut u8, ib => Int, jb => Int, descb => I, context => Int)
                }
                (None, None) => invoke!(self.address, m => Int, n => Int, a => *mut u8, ia => Int, ja => Int,
                    desca => I, b => *mut u8, ib => Int, jb => Int, descb => I),
                (Some((uplo, diag)), Some(context)) => invoke!(self.address, uplo => *const c_char,
                    diag => *const c_char, m => Int, n => Int, a => *mut u8, ia => Int, ja => Int, desca => I,
                    b => *mut u8, ib => Int, jb => Int, descb => I, context => Int),
                (Some((uplo, diag)), None) => {
                    invoke!(self.address, uplo => *const c_char, diag => *const c_char,
                    m => Int, n => Int, a => *mut u8, ia => Int, ja => Int, desca => I, b => *mut u8, ib => Int,
                    jb => Int, descb => I)
                }
            }
        }
    }
}

/// Whether this thread is inside a routine of the host's ScaLAPACK that reblock called: its Fortran routines call its C
/// routines by name, and the loader sends them here.
pub fn is_inside() -> bool {
    INSIDE.get()
}

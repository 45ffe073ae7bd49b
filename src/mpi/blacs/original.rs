//! Finds and calls the ScaLAPACK routine that reblock replaces: in the libraries after reblock in the loader's order
//! (RTLD_NEXT), then on the call stack, then in all loaded libraries, since a Python extension's ScaLAPACK is outside
//! the global scope.

use super::Int;
use super::find::{base, callers, file, in_library, in_scope, keep_loaded, loaded};
use std::cell::Cell;
use std::ffi::{CString, c_void};
use std::path::PathBuf;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Calling convention of a routine; each has a name of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// `pdgemr2d_`, with all arguments by reference.
    Fortran,
    /// `Cpdgemr2d`, with integers by value.
    C,
}

/// A routine of the host's ScaLAPACK.
#[derive(Clone, Copy)]
pub struct Original {
    address: P,
    language: Language,
}

/// Arguments of a call; an argument that the routine does not have is `None`.
pub struct Arguments {
    pub options: [Option<*const u8>; 3],
    pub extent: [Int; 2],
    pub scalars: Option<[*const u8; 2]>,
    /// A, (IA, JA) and DESCA.
    pub a: (*mut u8, [Int; 2], *const Int),
    /// B, (IB, JB) and DESCB, or C, (IC, JC) and DESCC.
    pub b: (*mut u8, [Int; 2], *const Int),
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

/// Calls the function at an address with the entries of a list as arguments; a row for each list length.
macro_rules! invoke_list {
    ($address:expr, $list:expr, $($count:literal: $($k:literal)+;)+) => {
        match $list.len() {
            $($count => invoke!($address, $($list[$k] => P),+),)+
            count => unreachable!("no routine has {count} arguments"),
        }
    };
}

impl Original {
    /// Finds the routine `name` (in lower case, without prefix or suffix) in a library other than this one.
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
        other(next).or_else(|| {
            // The nearest caller's library comes first.
            let libraries = callers().into_iter().chain(loaded());
            let found = libraries.into_iter().find_map(|library| in_library(&library, here))?;
            keep_loaded(found.address);
            Some(found)
        })
    }

    /// Returns the calling convention of the name that was found.
    pub fn language(self) -> Language {
        self.language
    }

    /// Returns the file of its library, if that is known.
    pub fn library(self) -> Option<PathBuf> {
        let file = file(self.address)?;
        // Resolves the linker's name to the file name, which has the version.
        Some(file.canonicalize().unwrap_or(file))
    }

    /// Calls the routine. During the call, [`is_inside`] returns true on this thread.
    ///
    /// # Safety
    /// The arguments are those that the caller passed to the routine of that name; another array of the same shape may
    /// stand for B.
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

    /// Calls the routine with all arguments by reference, as Fortran does.
    ///
    /// # Safety
    /// As for [`Original::call`].
    unsafe fn by_reference(self, with: &Arguments) {
        let Arguments { options, extent: [m, n], scalars, a, b, context } = with;
        let integer = |n: &Int| std::ptr::from_ref(n).cast::<c_void>();
        let matrix = |(base, [i, j], descriptor): &(*mut u8, [Int; 2], *const Int)| {
            [base.cast_const().cast(), integer(i), integer(j), descriptor.cast()]
        };
        let options = || options.iter().flatten();
        let scalar = |k: usize| scalars.map(|scalars| scalars[k].cast());
        let mut list: Vec<P> =
            options().map(|option| option.cast()).chain([integer(m), integer(n)]).collect();
        list.extend(scalar(0).into_iter().chain(matrix(a)).chain(scalar(1)).chain(matrix(b)));
        list.extend(context.as_ref().map(integer));
        // Fortran passes the lengths of strings after all arguments.
        list.extend(options().map(|_| std::ptr::without_provenance::<c_void>(1)));
        // SAFETY: Fortran routines of these names take the addresses of these arguments, in this order; the rest is
        // this fn's contract.
        unsafe {
            invoke_list!(self.address, list,
                10: 0 1 2 3 4 5 6 7 8 9;
                11: 0 1 2 3 4 5 6 7 8 9 10;
                12: 0 1 2 3 4 5 6 7 8 9 10 11;
                13: 0 1 2 3 4 5 6 7 8 9 10 11 12;
                14: 0 1 2 3 4 5 6 7 8 9 10 11 12 13;
                15: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14;
                16: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15;
            );
        }
    }

    /// Calls the routine with integers by value, as C does.
    ///
    /// # Safety
    /// As for [`Original::call`].
    unsafe fn by_value(self, with: &Arguments) {
        let &Arguments { options, extent: [m, n], a: (a, [ia, ja], desca), b: (b, [ib, jb], descb), .. } =
            with;
        let context = with.context;
        let part = options[0].zip(options[1]);
        type I = *const Int;
        // SAFETY: C routines of these names take these arguments, in this order; the rest is this fn's contract.
        unsafe {
            match (part, context) {
                (None, Some(context)) => {
                    invoke!(self.address, m => Int, n => Int, a => *mut u8, ia => Int, ja => Int,
                    desca => I, b => *mut u8, ib => Int, jb => Int, descb => I, context => Int)
                }
                (None, None) => invoke!(self.address, m => Int, n => Int, a => *mut u8, ia => Int, ja => Int,
                    desca => I, b => *mut u8, ib => Int, jb => Int, descb => I),
                (Some((uplo, diag)), Some(context)) => invoke!(self.address, uplo => *const u8,
                    diag => *const u8, m => Int, n => Int, a => *mut u8, ia => Int, ja => Int, desca => I,
                    b => *mut u8, ib => Int, jb => Int, descb => I, context => Int),
                (Some((uplo, diag)), None) => {
                    invoke!(self.address, uplo => *const u8, diag => *const u8,
                    m => Int, n => Int, a => *mut u8, ia => Int, ja => Int, desca => I, b => *mut u8, ib => Int,
                    jb => Int, descb => I)
                }
            }
        }
    }
}

/// Returns whether this thread is inside a ScaLAPACK routine that reblock has called: ScaLAPACK's Fortran routines call
/// its C routines by names that lead to reblock's entry points.
pub fn is_inside() -> bool {
    INSIDE.get()
}

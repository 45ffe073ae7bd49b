//! Table of ScaLAPACK's routines. The build script compiles this file, too, and writes the entry points, the header and
//! the Fortran module from it.

/// Routines that differ only in the element type, by their names after `p` and its letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Gemr2d,
    Trmr2d,
    Gemr2do,
    Trmr2do,
    Tran,
    Tranu,
    Tranc,
    Geadd,
    Tradd,
    Lacpy,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentRules {
    /// The rules of routines that move between any two contexts.
    Redistribution,
    /// The rules of routines within one context.
    Pblas,
    /// The rules of p?lacpy: only arguments that the results depend on are checked.
    Lacpy,
}

/// A row of [`TABLE`]: arguments, element types and rules of a family.
#[allow(dead_code, reason = "some are for the build script only")]
pub struct Properties {
    pub family: Family,
    /// The name that selects the routine in `REBLOCK_ONLY`.
    pub chosen_as: &'static str,
    /// Letters of the element types of its routines.
    pub letters: &'static str,
    /// The arguments before M that are letters: UPLO, DIAG, TRANS.
    pub options: &'static [&'static str],
    /// Whether the routine takes ALPHA and BETA.
    pub scalars: bool,
    pub context: bool,
    /// Whether the routine also has a C name, which takes scalar arguments by value.
    pub in_c: bool,
    pub rules: ArgumentRules,
    /// Description of the routine, for the header and the Fortran module.
    pub what: &'static str,
}

const MOVE: Properties = Properties {
    family: Family::Gemr2d,
    chosen_as: "gemr2d",
    letters: "isdcz",
    options: &[],
    scalars: false,
    context: true,
    in_c: true,
    rules: ArgumentRules::Redistribution,
    what: "copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on",
};
const TRAPEZOID: Properties = Properties {
    family: Family::Trmr2d,
    chosen_as: "trmr2d",
    options: &["uplo", "diag"],
    what: "copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on",
    ..MOVE
};
const UPDATE: Properties = Properties {
    family: Family::Tran,
    chosen_as: "tran",
    letters: "sd",
    scalars: true,
    context: false,
    in_c: false,
    rules: ArgumentRules::Pblas,
    what: "C := BETA C + ALPHA A', an M x N section of C from (IC, JC) on, N x M of A from (IA, JA) on",
    ..MOVE
};

/// The families, in the order of [`Family`].
pub static TABLE: [Properties; 10] = [
    MOVE,
    TRAPEZOID,
    // Without ICTXT: all processes of the program call these.
    Properties { family: Family::Gemr2do, context: false, ..MOVE },
    Properties { family: Family::Trmr2do, context: false, ..TRAPEZOID },
    UPDATE,
    Properties { family: Family::Tranu, letters: "cz", ..UPDATE },
    Properties {
        family: Family::Tranc,
        letters: "cz",
        what: "C := BETA C + ALPHA conjg(A'), an M x N section of C from (IC, JC) on, N x M of A from (IA, JA) on",
        ..UPDATE
    },
    Properties {
        family: Family::Geadd,
        chosen_as: "geadd",
        letters: "sdcz",
        options: &["trans"],
        what: "C := BETA C + ALPHA op(A), an M x N section of C from (IC, JC) on; op is given by TRANS",
        ..UPDATE
    },
    Properties {
        family: Family::Tradd,
        chosen_as: "tradd",
        letters: "sdcz",
        options: &["uplo", "trans"],
        what: "the same as p?geadd for the trapezoid (UPLO) of the M x N section of C",
        ..UPDATE
    },
    Properties {
        family: Family::Lacpy,
        chosen_as: "lacpy",
        letters: "sdcz",
        options: &["uplo"],
        context: false,
        in_c: false,
        rules: ArgumentRules::Lacpy,
        what: "copies an M x N section of A, or a trapezoid of it (UPLO), from (IA, JA) on, to B, from (IB, JB) on",
        ..MOVE
    },
];

impl Properties {
    /// Returns the name of the matrix that is written.
    pub fn target(&self) -> &'static str {
        if self.scalars { "C" } else { "B" }
    }
}

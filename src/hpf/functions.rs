//! WHICH functions do several ranks call together, and which of their arguments do all ranks give alike?

/// A function, by its name, and the names of the arguments that all ranks must give alike.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its name, as error lines show it.
    pub name: &'static str,
    /// Names of arguments.
    pub arguments: &'static [&'static str],
}

/// All functions that several ranks call together; the number of one is its place here.
pub const FUNCTIONS: [Function; 11] = [
    Function { name: "procs_create", arguments: &["the shape and the ranks of the arrangement"] },
    Function {
        name: "template_commit",
        arguments: &["the processor arrangement", "the template", "the owners"],
    },
    Function {
        name: "plan_create",
        arguments: &[
            "the map of the source",
            "the section of the source",
            "the map of the target",
            "the section of the target",
            "the bytes of an element",
            "the options or settings",
        ],
    },
    Function { name: "plan_create", arguments: &["the redistribution"] },
    Function { name: "execute", arguments: &["the plan"] },
    Function { name: "array_create", arguments: &["the map", "the bytes of an element"] },
    Function { name: "array_free", arguments: &["the array"] },
    Function {
        name: "redistribute",
        arguments: &["the array or template", "what it is to be like", "the arrays", "the dead arrays"],
    },
    Function { name: "scope_create", arguments: &[] },
    Function { name: "directive", arguments: &["the line"] },
    Function { name: "scope_array", arguments: &["the name"] },
];

/// Their numbers.
pub const PROCS: u8 = 0;
pub const COMMIT: u8 = 1;
pub const PLAN: u8 = 2;
pub const PLANNED: u8 = 3;
pub const EXECUTE: u8 = 4;
pub const ARRAY: u8 = 5;
pub const FREE: u8 = 6;
pub const REDISTRIBUTE: u8 = 7;
pub const SCOPE: u8 = 8;
pub const DIRECTIVE: u8 = 9;
pub const NAMED: u8 = 10;
/// Whatever the others call.
pub const ANY: u8 = u8::MAX;

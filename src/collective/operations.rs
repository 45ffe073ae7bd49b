//! WHICH operations are collective, and which of their arguments must be the same on all ranks?

/// An operation that several ranks call together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Operation {
    /// Makes a processor arrangement.
    Procs,
    /// Commits a template.
    Commit,
    /// Makes a plan.
    Plan,
    /// Goes on with what all ranks agreed to do, if each of them can.
    Confirm,
    /// Moves arrays.
    Execute,
    /// Makes an array.
    Array,
    /// Frees one.
    Free,
    /// Redistributes a template, or realigns an array.
    Redistribute,
    /// Makes a scope.
    Scope,
    /// Carries out a directive.
    Directive,
    /// Asks for an array by its name.
    Named,
    /// Saves an array in a file.
    Save,
    /// Loads one.
    Load,
    /// Asks for the owners of elements.
    Dereference,
    /// Makes a job.
    Job,
    /// Makes a job's process grid.
    Grid,
    /// Comes to a resize point.
    Step,
    /// Makes a job larger.
    Expand,
    /// Makes it smaller.
    Shrink,
    /// Says where arrays are to be afterwards.
    Goals,
    /// Ends a job.
    End,
    /// Makes a map from extents, processes and block sizes.
    BlockCyclicMap,
    /// Makes one as `MPI_Type_create_darray` does a type.
    DarrayMap,
    /// Makes one from a text.
    TextMap,
    /// Makes one of boxes.
    BoxesMap,
    /// Moves an array by a plan that the library keeps.
    Move,
    /// Makes the plan of the way back.
    Reverse,
    /// Makes a plan for shadows.
    Shadow,
    /// Makes a plan to gather elements that are named.
    Gather,
    /// Makes a plan to scatter values to them.
    Scatter,
    /// Makes the plan of a shift.
    Shift,
    /// Makes the plan of a shift of each line by itself.
    Lines,
}

impl Operation {
    /// All of them.
    const ALL: [Self; 32] = [
        Self::Procs,
        Self::Commit,
        Self::Plan,
        Self::Confirm,
        Self::Execute,
        Self::Array,
        Self::Free,
        Self::Redistribute,
        Self::Scope,
        Self::Directive,
        Self::Named,
        Self::Save,
        Self::Load,
        Self::Dereference,
        Self::Job,
        Self::Grid,
        Self::Step,
        Self::Expand,
        Self::Shrink,
        Self::Goals,
        Self::End,
        Self::BlockCyclicMap,
        Self::DarrayMap,
        Self::TextMap,
        Self::BoxesMap,
        Self::Move,
        Self::Reverse,
        Self::Shadow,
        Self::Gather,
        Self::Scatter,
        Self::Shift,
        Self::Lines,
    ];

    /// The operation with that number.
    pub fn of(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.number() == number)
    }

    /// Its number.
    pub fn number(self) -> i64 {
        i64::from(self as u8)
    }

    /// Its name, as error lines show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Procs => "procs_create",
            Self::Commit => "template_commit",
            Self::Plan | Self::Confirm => "plan_create",
            Self::Execute => "plan_execute",
            Self::Array => "array_create",
            Self::Free => "array_free",
            Self::Redistribute => "template_redistribute or array_realign",
            Self::Scope => "scope_create",
            Self::Directive => "scope_directive",
            Self::Named => "scope_array",
            Self::Save => "save",
            Self::Load => "load",
            Self::Dereference => "map_dereference",
            Self::Job => "job_init",
            Self::Grid => "job_get_blacs",
            Self::Step => "job_step",
            Self::Expand => "job_expand",
            Self::Shrink => "job_shrink",
            // All ranks have agreed which of the three it is.
            Self::Goals => "job_step",
            Self::End => "job_finalize",
            Self::BlockCyclicMap => "map_block_cyclic",
            Self::DarrayMap => "map_from_darray",
            Self::TextMap => "map_from_text",
            Self::BoxesMap => "map_from_boxes",
            Self::Move => "move",
            Self::Reverse => "plan_reverse",
            Self::Shadow => "plan_shadow",
            Self::Gather => "plan_gather",
            Self::Scatter => "plan_scatter",
            Self::Shift => "plan_cshift or plan_eoshift",
            Self::Lines => "plan_shift_lines",
        }
    }

    /// The arguments that all ranks must give alike, as error lines show them.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Procs => &["the shape and the ranks of the arrangement"],
            Self::Commit => {
                &["the processor arrangement", "the template", "the axes of which ranks give stretches"]
            }
            Self::Dereference => &["the map"],
            Self::BlockCyclicMap | Self::DarrayMap | Self::TextMap => {
                &["the extents of the array", "the distribution of the array"]
            }
            Self::BoxesMap => &["the extents of the array or the order of axes"],
            Self::Plan | Self::Move => &[
                "the map of the source",
                "the section of the source",
                "the map of the target",
                "the section of the target",
                "the bytes of an element",
                "the options or settings",
            ],
            Self::Shift => &[
                "the map of the source",
                "the section of the source",
                "the map of the target",
                "the section of the target",
                "the bytes of an element, the shifts or the boundary",
                "the options or settings",
            ],
            Self::Lines => &[
                "the map of the source",
                "the section of the source",
                "the map of the target",
                "the section of the target",
                "the bytes of an element, the axis or whether it is circular",
                "the options or settings",
            ],
            Self::Execute => &["the plan", "the update"],
            Self::Reverse => &["the plan"],
            Self::Shadow => &[
                "the map",
                "the widths, the periodic axes or the corners",
                "the bytes of an element",
                "the options or settings",
            ],
            Self::Gather | Self::Scatter => {
                &["the map", "the axis", "the bytes of an element", "the options or settings"]
            }
            Self::Array => &["the map", "the bytes of an element"],
            Self::Free => &["the array"],
            Self::Redistribute => &[
                "the array or template",
                "what it is to be like",
                "the arrays or the shadows to fill",
                "the dead arrays",
            ],
            Self::Directive => &["the line"],
            Self::Named => &["the name"],
            Self::Save | Self::Load => {
                &["the path", "the map", "the bytes of an element", "the element type", "the settings"]
            }
            Self::Job => &["the options"],
            Self::Grid => &["the shape of the grid"],
            Self::Step => &["what is registered"],
            Self::Expand | Self::Shrink => &["what is registered", "the number of ranks"],
            Self::Goals => &["where arrays are to be"],
            Self::Confirm | Self::Scope | Self::End => &[],
        }
    }
}

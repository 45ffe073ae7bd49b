//! Table of collective operations: names, and arguments that must be equal on all ranks.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Operation {
    Procs,
    Commit,
    Plan,
    /// A step of a call that all ranks agreed on; it is made unless a rank has failed since.
    Confirm,
    Execute,
    Array,
    Free,
    /// Redistributes a template, or realigns an array.
    Redistribute,
    Scope,
    Directive,
    /// Looks up an array by its name.
    Named,
    Save,
    Load,
    /// Asks for the owners of elements.
    Dereference,
    Job,
    /// Makes a job's process grid.
    Grid,
    Step,
    Expand,
    Shrink,
    /// Sets the layouts of arrays after a resize.
    Goals,
    End,
    /// Makes a map from extents, processes and block sizes.
    BlockCyclicMap,
    /// Makes a map with the parameters of `MPI_Type_create_darray`.
    DarrayMap,
    TextMap,
    BoxesMap,
    /// Moves an array by a plan that the library keeps.
    Move,
    /// Makes the plan of the reverse move.
    Reverse,
    /// Makes a plan that exchanges shadows.
    Shadow,
    /// Makes a plan that gathers listed elements.
    Gather,
    /// Makes a plan that scatters values to listed elements.
    Scatter,
    Shift,
    /// Makes the plan of a shift with a distance for each line.
    Lines,
}

impl Operation {
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

    /// Returns the operation with this number, if there is one.
    pub fn of(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.number() == number)
    }

    pub fn number(self) -> i64 {
        i64::from(self as u8)
    }

    /// Returns the name of the function, for error texts.
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
            // A step of `job_step`, `job_expand` or `job_shrink`.
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

    /// Returns the arguments that must be equal on all ranks, for error texts.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Procs => &["the shape and the ranks of the arrangement"],
            Self::Commit => &[
                "the processor arrangement",
                "the template",
                "the axes for which ranks give ranges of owners",
            ],
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
                "the element size",
                "the options or settings",
            ],
            Self::Shift => &[
                "the map of the source",
                "the section of the source",
                "the map of the target",
                "the section of the target",
                "the element size, the shifts or the boundary",
                "the options or settings",
            ],
            Self::Lines => &[
                "the map of the source",
                "the section of the source",
                "the map of the target",
                "the section of the target",
                "the element size, the axis or the kind of shift",
                "the options or settings",
            ],
            Self::Execute => &["the plan", "the update"],
            Self::Reverse => &["the plan"],
            Self::Shadow => &[
                "the map",
                "the widths, the periodic axes or the corners",
                "the element size",
                "the options or settings",
            ],
            Self::Gather | Self::Scatter => {
                &["the map", "the axis", "the element size", "the options or settings"]
            }
            Self::Array => &["the map", "the element size"],
            Self::Free => &["the array"],
            Self::Redistribute => &[
                "the array or template",
                "the template or map to change to",
                "the arrays or the shadows to fill",
                "the dead arrays",
            ],
            Self::Directive => &["the line"],
            Self::Named => &["the name"],
            Self::Save | Self::Load => {
                &["the path", "the map", "the element size", "the element type", "the settings"]
            }
            Self::Job => &["the options"],
            Self::Grid => &["the shape of the grid"],
            Self::Step => &["the registered arrays and values"],
            Self::Expand | Self::Shrink => &["the registered arrays and values", "the number of ranks"],
            Self::Goals => &["the new layouts of the arrays"],
            Self::Confirm | Self::Scope | Self::End => &[],
        }
    }
}

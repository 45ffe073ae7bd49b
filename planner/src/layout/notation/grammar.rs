//! The grammars of distributions and directives, as pest generates their parser.
#![allow(missing_docs)]

#[derive(pest_derive::Parser)]
#[grammar = "layout/notation/distribution.pest"]
#[grammar = "layout/notation/directive.pest"]
pub struct Grammar;

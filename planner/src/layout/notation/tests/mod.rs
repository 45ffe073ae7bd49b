//! Tests of distributions: the meaning of valid ones, and the errors of invalid ones with their positions. The files of
//! this folder test other texts.

mod alignments;
mod directives;
mod lines;
mod random;
mod round_trips;

use super::*;
use crate::layout::distribution::{GenBlock, Indirect};
use crate::layout::mapping::Format;

fn target(name: &str, shape: &[u32]) -> Option<Target> {
    let text = |name: &str| (!name.is_empty()).then(|| name.to_string());
    Some(Target { name: text(name), shape: (!shape.is_empty()).then(|| shape.to_vec()) })
}

fn good(line: &str) -> Directive {
    directive(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn formats(text: &str) -> Vec<Format> {
    distribution(text).unwrap_or_else(|error| panic!("{text}: {error}")).formats
}

#[test]
fn distributions() {
    let list = vec![Format::cyclic(4), Format::Block(None), Format::Collapsed];
    for (text, onto) in [
        ("(CYCLIC(4), BLOCK, *) ONTO P(2,3)", target("P", &[2, 3])),
        ("cyclic(4),block,*ONTO p ( 2 , 3 )", target("P", &[2, 3])),
        (" ( Cyclic ( 4 ) ,\n\tBlock,* ) ", None),
        ("(CYCLIC(4),BLOCK,*)onto grid_2", target("GRID_2", &[])),
        ("(CYCLIC(4),BLOCK,*) ONTO(2,3)", target("", &[2, 3])),
    ] {
        assert_eq!(distribution(text), Ok(Distribution { formats: list.clone(), onto }), "{text}");
    }
    assert_eq!(formats("BLOCK(7)"), [Format::Block(Some(7))]);
    assert_eq!(formats("CYCLIC"), [Format::cyclic(1)]);
    let sizes = Format::GenBlock(GenBlock::new(&[3, 5, 2]).unwrap());
    assert_eq!(formats("GEN_BLOCK(/3,5,2/),gen_block(3,5,2)"), [sizes.clone(), sizes]);
    let owners =
        |procs, runs: &[(u32, u64)]| Format::Indirect(Indirect::new(procs, runs.iter().copied()).unwrap());
    assert_eq!(formats("INDIRECT(/0,1,1,2/)"), [owners(3, &[(0, 1), (1, 2), (2, 1)])]);
    assert_eq!(formats("INDIRECT( / 3*1 , 4 * 0 / )"), [owners(2, &[(1, 3), (0, 4)])]);
    for text in ["INDIRECT((/3*1,4*0/))", "INDIRECT([3*1,4*0])", "INDIRECT(3*1,4*0)"] {
        assert_eq!(formats(text), [owners(2, &[(1, 3), (0, 4)])], "{text}");
    }
    for text in ["GEN_BLOCK((/3,5,2/))", "GEN_BLOCK([3,5,2])", "gen_block ( ( / 3, 5, 2 / ) )"] {
        assert_eq!(formats(text), [Format::GenBlock(GenBlock::new(&[3, 5, 2]).unwrap())], "{text}");
    }
    assert_eq!(formats("INDIRECT(//)"), [owners(1, &[])]);
    assert_eq!(formats("CYCLIC(9223372036854775807)"), [Format::cyclic(i64::MAX as u64)]);
}

#[test]
fn formats_are_dealt_out_in_order() {
    let dealt = |text: &str, shape: &[u32]| distribution(text).unwrap().apply_to(shape).map_err(|why| why.0);
    let owners = Format::Indirect(Indirect::new(3, [(0, 1), (1, 1)]).unwrap());
    let list = vec![(owners, Some(0)), (Format::Collapsed, None), (Format::Block(None), Some(1))];
    assert_eq!(dealt("(INDIRECT(/0,1/),*,BLOCK)", &[3, 2]), Ok(list.clone()));
    assert_eq!(dealt("(INDIRECT(/0,1/),*,BLOCK) ONTO P(3,2)", &[3, 2]), Ok(list));
    let copies = vec![(Format::Block(None), Some(0)), (Format::Collapsed, None)];
    assert_eq!(dealt("(BLOCK,*) ONTO P(2,3)", &[2, 3]), Ok(copies), "copies along the second axis");
    for (text, shape, why) in [
        ("BLOCK ONTO P(3)", &[4][..], "ONTO has 3 processes, but the arrangement has 4 processes"),
        ("(BLOCK,CYCLIC)", &[6], "there are 2 formats other than *, but the arrangement has 1 axis"),
        ("INDIRECT(/0,3/)", &[3], "INDIRECT has owner 3, expected 0 to 2"),
    ] {
        assert_eq!(dealt(text, shape), Err(why.into()), "{text}");
    }
}

#[test]
fn errors_in_distributions_are_located() {
    for (text, why) in [
        ("", "column 1: found the end, expected a distribution format"),
        ("SLICES", "column 1: found \"SLICES\", expected a distribution format"),
        ("BLOCKS", "column 1: found \"BLOCKS\", expected a distribution format"),
        ("(BLOCK", "column 7: found the end, expected \"(\", \")\" or \",\""),
        ("(BLOCK,", "column 8: found the end, expected \"*\", BLOCK, CYCLIC, GEN_BLOCK or INDIRECT"),
        ("CYCLIC(-3)", "column 8: found \"-\", expected a number"),
        ("BLOCK(0)", "column 7: the block size is 0, expected 1 to 9223372036854775807"),
        (
            "CYCLIC(9223372036854775808)",
            "column 8: the block size is 9223372036854775808, expected 1 to 9223372036854775807",
        ),
        ("GEN_BLOCK", "column 10: found the end, expected \"(\""),
        ("GEN_BLOCK((/1,2)", "column 16: found \")\", expected \",\" or \"/\""),
        ("GEN_BLOCK([1,2/)", "column 15: found \"/\", expected \",\" or \"]\""),
        ("GEN_BLOCK((1,2))", "column 12: found \"1\", expected \"/\""),
        ("GEN_BLOCK(/1,2)", "column 15: found \")\", expected \",\" or \"/\""),
        (
            "*,GEN_BLOCK(/9223372036854775807,1/)",
            "column 3: the block sizes add up to more than 9223372036854775807",
        ),
        ("INDIRECT", "column 9: found the end, expected \"(\""),
        ("INDIRECT(/0,*1/)", "column 13: found \"*\", expected a number"),
        ("INDIRECT(/0*1/)", "column 11: the repeat count is 0, expected 1 to 9223372036854775807"),
        ("INDIRECT(/4194304/)", "column 11: the owner is 4194304, expected 0 to 4194303"),
        ("INDIRECT(/9223372036854775807*1,0/)", "column 1: there are more than 9223372036854775807 owners"),
        ("(BLOCK) ONTO 5", "column 14: found \"5\", expected a name or \"(\""),
        ("(BLOCK) ONTO P(0)", "column 16: the number of processes is 0, expected 1 to 2147483647"),
        ("BLOCK ONTO P(2) AT 4", "column 17: found \"AT\", expected the end"),
        (
            "BLOCK,CYCLIC ONTO P(2)",
            "column 14: the arrangement has 1 axis, but there are 2 formats other than *",
        ),
        ("*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*", "column 31: 16 formats, expected at most 15"),
        ("BLOCK\u{1}", "column 6: found \"\\u{1}\", expected the end, ONTO, \"(\" or \",\""),
        (
            "(BLOCK,\n  ä)",
            "line 2, column 3: found \"ä\", expected \"*\", BLOCK, CYCLIC, GEN_BLOCK or INDIRECT",
        ),
    ] {
        assert_eq!(distribution(text).unwrap_err().to_string(), why, "{text}");
    }
}

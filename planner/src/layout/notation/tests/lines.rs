//! Tests of printed mappings, of errors shown beneath the line, and of very long texts.

use super::alignments::pattern;
use super::*;

#[test]
fn mappings_are_read_as_they_are_printed() {
    let text = "A(i,*,k) WITH T(-k+20,2*i+1,4), T(BLOCK,CYCLIC(2),*) ONTO P(2,3)";
    assert_eq!(mapping(text).unwrap().to_string(), text);
    for (text, why) in [
        ("A(i) WITH T(i), U(BLOCK)", "column 17: found \"U\", expected T"),
        (
            "A(i) WITH T(i), T(BLOCK,*)",
            "column 19: the number of formats is 2, expected 1, as many as subscripts",
        ),
        ("A(i) WITH T(i)", "column 15: found the end, expected \",\""),
        ("(i) WITH T(i)", "column 1: found \"(\", expected a name"),
    ] {
        assert_eq!(mapping(text).unwrap_err().to_string(), why, "{text}");
    }
}

#[test]
fn errors_are_shown_beneath_the_line() {
    let show = |line: &str| directive(line).unwrap_err().show(line);
    assert_eq!(show("PROCESSORS P(2:3)"), "PROCESSORS P(2:3)\n              ^");
    assert_eq!(show("\tPROCESSORS P"), "\tPROCESSORS P\n\t            ^");
    assert_eq!(show("PROCESSORS\r\n P(ä)\r\n"), " P(ä)\n   ^");
    assert_eq!(show(""), "\n^");
}

#[test]
fn long_texts_are_read_or_refused() {
    let many = |piece: &str| piece.repeat(100_000);
    for text in [many("("), many("+"), many("i*"), many("1,"), format!("(BLOCK({}", many("9")), many("x")] {
        assert!(distribution(&text).is_err() && mapping(&text).is_err());
        for start in ["ALIGN A(i) WITH T(", "TEMPLATE T(", "DISTRIBUTE T(", "PROCESSORS P("] {
            let error = directive(&format!("{start}{text}")).unwrap_err();
            assert!(error.to_string().len() < 300, "{error}");
        }
    }
    let owners = formats(&format!("INDIRECT(/{}7/)", many("3,2*5,")));
    assert!(matches!(&owners[..], [Format::Indirect(dist)] if dist.total() == 300_001));
    assert_eq!(pattern(&format!("ALIGN A(i) WITH T({}i)", many("1-1+"))), pattern("ALIGN A(i) WITH T(i)"));
}

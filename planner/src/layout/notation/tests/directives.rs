//! Tests of directives: the meaning of valid ones, and the errors of invalid ones with their positions.

use super::*;

#[test]
fn declarations() {
    let bounded = |name: &str, bounds: &[(i64, i64)]| Bounded { name: name.into(), bounds: bounds.into() };
    let shaped = |name: &str, shape: &[u32]| Shaped { name: name.into(), shape: shape.into() };
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let p = Directive::Processors(vec![shaped("P", &[2, 3])]);
    for line in [
        "PROCESSORS P(2,3)",
        "!HPF$ PROCESSORS P(2,3)",
        "chpf$processors p(2,3)",
        "*HPF$  Processors P (2,3)!",
    ] {
        assert_eq!(good(line), p, "{line}");
    }
    for (line, meant) in [
        ("processors p(1), q(4)", Directive::Processors(vec![shaped("P", &[1]), shaped("Q", &[4])])),
        ("TEMPLATE T(100,0:9) ! tiles", Directive::Template(vec![bounded("T", &[(1, 100), (0, 9)])])),
        (
            "DIMENSION A(10,-2:20), B(0)",
            Directive::Dimension(vec![bounded("A", &[(1, 10), (-2, 20)]), bounded("B", &[(1, 0)])]),
        ),
        (
            "DIMENSION A(-9223372036854775808:-9223372036854775808)",
            Directive::Dimension(vec![bounded("A", &[(i64::MIN, i64::MIN)])]),
        ),
        ("DYNAMIC A, B", Directive::Dynamic(names(&["A", "B"]))),
        ("DYNAMIC :: A", Directive::Dynamic(names(&["A"]))),
        (
            "SHADOW A(1:2,0,3)",
            Directive::Shadow(Widths { names: names(&["A"]), widths: vec![(1, 2), (0, 0), (3, 3)] }),
        ),
        ("SHADOW (1) :: A, B", Directive::Shadow(Widths { names: names(&["A", "B"]), widths: vec![(1, 1)] })),
    ] {
        assert_eq!(good(line), meant, "{line}");
    }
    let formats = vec![Format::Block(None), Format::Collapsed];
    for (line, again, onto, named) in [
        ("DISTRIBUTE T(BLOCK,*) ONTO P", false, target("P", &[]), &["T"][..]),
        ("DISTRIBUTE (BLOCK,*) ONTO P :: T, U", false, target("P", &[]), &["T", "U"]),
        ("REDISTRIBUTE T(BLOCK,*)", true, None, &["T"]),
        ("!hpf$ redistribute (block,*) onto(4) :: t", true, target("", &[4]), &["T"]),
    ] {
        let distribution = Distribution { formats: formats.clone(), onto };
        assert_eq!(good(line), Directive::Distribute { again, distribution, names: names(named) }, "{line}");
    }
}

#[test]
fn directives_with_attributes() {
    let bounded = |name: &str, bounds: &[(i64, i64)]| Bounded { name: name.into(), bounds: bounds.into() };
    let shaped = |name: &str, shape: &[u32]| Shaped { name: name.into(), shape: shape.into() };
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let block = || Distribution { formats: vec![Format::Block(None)], onto: None };
    let procs = Directive::Processors(vec![shaped("P", &[4]), shaped("Q", &[2, 2])]);
    for line in [
        "PROCESSORS :: P(4), Q(2,2)",
        "processors, dimension(4) :: p, q(2,2)",
        "DIMENSION(2,2),PROCESSORS::P(4),Q",
    ] {
        assert_eq!(good(line), procs, "{line}");
    }
    let templates = || Directive::Template(vec![bounded("T", &[(1, 9)]), bounded("U", &[(0, 5)])]);
    assert_eq!(good("TEMPLATE, DIMENSION(9) :: T, U(0:5)"), templates());
    assert_eq!(good("TEMPLATE :: T(9), U(0:5)"), templates());
    assert_eq!(good("DIMENSION(9) :: A"), Directive::Dimension(vec![bounded("A", &[(1, 9)])]));
    let distribute =
        |these: &[&str]| Directive::Distribute { again: false, distribution: block(), names: names(these) };
    for (line, all) in [
        (
            "DISTRIBUTE (BLOCK), DYNAMIC :: A, B",
            vec![distribute(&["A", "B"]), Directive::Dynamic(names(&["A", "B"]))],
        ),
        (
            "DYNAMIC, DISTRIBUTE (BLOCK) :: A, B",
            vec![distribute(&["A", "B"]), Directive::Dynamic(names(&["A", "B"]))],
        ),
        (
            "DISTRIBUTE (BLOCK), TEMPLATE, DIMENSION(9) :: T, U(0:5)",
            vec![templates(), distribute(&["T", "U"])],
        ),
        (
            "DIMENSION(9), SHADOW(1), DISTRIBUTE(BLOCK) :: A",
            vec![
                Directive::Dimension(vec![bounded("A", &[(1, 9)])]),
                distribute(&["A"]),
                Directive::Shadow(Widths { names: names(&["A"]), widths: vec![(1, 1)] }),
            ],
        ),
    ] {
        assert_eq!(good(line), Directive::Combined(all), "{line}");
        assert_eq!(good(&good(line).to_string()), good(line), "{line}");
    }
    for (line, why) in [
        ("PROCESSORS :: P", "column 15: P has no bounds: expected P(...), or the attribute DIMENSION(...)"),
        (
            "PROCESSORS :: P(0:3)",
            "column 17: found a lower bound, expected the number of processes: axes of PROCESSORS begin at 1",
        ),
        ("PROCESSORS :: P(-3)", "column 17: the number of processes is -3, expected 1 to 2147483647"),
        ("PROCESSORS, DYNAMIC :: P(3)", "column 13: DYNAMIC cannot be combined with PROCESSORS"),
        ("ALIGN WITH T, DISTRIBUTE(BLOCK) :: A", "column 15: DISTRIBUTE cannot be combined with ALIGN"),
        ("DYNAMIC, DYNAMIC :: A", "column 10: DYNAMIC is given twice"),
        (
            "DYNAMIC, REDISTRIBUTE (BLOCK) :: A",
            "column 10: REDISTRIBUTE cannot be combined with other attributes",
        ),
        (
            "DISTRIBUTE (BLOCK) :: A(10)",
            "column 24: found \"(\", expected the end or \",\": only PROCESSORS, TEMPLATE and DIMENSION declare bounds",
        ),
        ("TEMPLATE, DIMENSION(9) :: T, t", "column 30: T is named twice"),
        ("DISTRIBUTE (BLOCK), INHERIT :: A", "column 21: found \"INHERIT\", expected WORDS"),
        ("DISTRIBUTE ONTO P :: A", "column 17: found \"P\", expected \"(\""),
        ("DISTRIBUTE *(BLOCK) :: A", "column 12: found \"*\", expected a name or \"(\""),
    ] {
        let why = why.replace(
            "WORDS",
            "PROCESSORS, TEMPLATE, DIMENSION, DISTRIBUTE, REDISTRIBUTE, ALIGN, REALIGN, DYNAMIC or SHADOW",
        );
        assert_eq!(directive(line).unwrap_err().to_string(), why, "{line}");
    }
}

#[test]
fn errors_in_directives_are_located() {
    let words =
        "PROCESSORS, TEMPLATE, DIMENSION, DISTRIBUTE, REDISTRIBUTE, ALIGN, REALIGN, DYNAMIC or SHADOW";
    let range = "-9223372036854775808 to 9223372036854775807";
    for (line, why) in [
        ("", "column 1: found the end, expected a directive such as DISTRIBUTE or ALIGN"),
        ("CALL F()", "column 1: found \"CALL\", expected a directive such as DISTRIBUTE or ALIGN"),
        ("!HPF$ FOO", &format!("column 7: found \"FOO\", expected {words}")),
        ("PROCESSORS", "column 11: found the end, expected a name, \",\" or \"::\""),
        ("PROCESSORS P", "column 13: found the end, expected \"(\""),
        ("PROCESSORS P(2:3)", "column 15: found \":\", expected \")\" or \",\""),
        ("PROCESSORS P(2),p(3)", "column 17: P is named twice"),
        (
            "PROCESSORSP(2)",
            "column 1: found \"PROCESSORSP\", expected a directive such as DISTRIBUTE or ALIGN",
        ),
        ("TEMPLATE T(1:", "column 14: found the end, expected a number"),
        (
            "TEMPLATE T(9223372036854775808)",
            &format!("column 12: 9223372036854775808 is out of range, expected {range}"),
        ),
        ("DISTRIBUTE T", "column 13: found the end, expected \"(\""),
        ("DISTRIBUTE (BLOCK) ONTO P", "column 26: found the end, expected \"(\", \",\" or \"::\""),
        ("DISTRIBUTE (BLOCK) :: T,T", "column 25: T is named twice"),
        ("DISTRIBUTE T(BLOCK) :: U", "column 21: found \":\", expected the end or ONTO"),
        ("ALIGN A(i,j)", "column 13: found the end, expected WITH"),
        ("ALIGN A(i,I) WITH T(i)", "column 11: dummy I is given twice"),
        ("ALIGN A(i) WITH T(i,i)", "column 21: dummy i is in 2 subscripts, expected at most 1"),
        ("ALIGN A(i,j) WITH T(i,k)", "column 23: found \"k\", expected a number, i or j"),
        (
            "ALIGN A(*) WITH T(k)",
            "column 19: found \"k\", expected a number: the array's list has no dummies",
        ),
        (
            "ALIGN A(i,j) WITH T(i*j)",
            "column 23: found \"j\", expected a number: a product of dummies is not affine",
        ),
        ("ALIGN A(i,j) WITH T(i+j)", "column 23: found \"j\", expected no dummy but i here"),
        (
            "ALIGN A(i) WITH T(2*i*i)",
            "column 23: found \"i\", expected a number: a product of dummies is not affine",
        ),
        ("ALIGN A(i) WITH T(i-i)", "column 19: the stride of i must not be 0"),
        ("ALIGN A(i) WITH T(2*(i+1))", "column 21: found \"(\", expected a name or a number"),
        ("ALIGN A(i) WITH T(i/2)", "column 20: found \"/\", expected \"*\", \")\", \",\" or a sign"),
        (
            "ALIGN A(i) WITH T(99999999999*99999999999*i)",
            &format!("column 19: 99999999999*99999999999*i is out of range, expected {range}"),
        ),
        (
            "ALIGN A(i) WITH T(i+9223372036854775808)",
            &format!("column 19: i+9223372036854775808 is out of range, expected {range}"),
        ),
        (
            "ALIGN A(:,:) WITH T(*,:)",
            "column 20: found 1 triplet, expected 2, one for each \":\" of the array's list",
        ),
        (
            "ALIGN A(i) WITH T(:)",
            "column 18: found 1 triplet, expected 0, one for each \":\" of the array's list",
        ),
        ("ALIGN A(i) WITH T", "column 17: found no subscripts, expected some: the array's list has no \":\""),
        ("ALIGN A(:) WITH T(1:2:0)", "column 23: the stride must not be 0"),
        ("ALIGN A(2) WITH T(i)", "column 9: found \"2\", expected a dummy, \"*\" or \":\""),
        ("ALIGN (i) WITH T(i)", "column 20: found the end, expected \",\" or \"::\""),
        ("SHADOW A(-1)", "column 10: found \"-\", expected a number"),
        ("SHADOW A(1:)", "column 12: found \")\", expected a number"),
        ("DYNAMIC A B", "column 11: found \"B\", expected the end or \",\""),
    ] {
        assert_eq!(directive(line).unwrap_err().to_string(), *why, "{line}");
    }
}

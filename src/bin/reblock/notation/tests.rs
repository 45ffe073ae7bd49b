//! Texts and their layouts, and the places of mistakes.

use super::*;

fn dim(format: Format, procs: u32) -> crate::layout::Dim {
    crate::layout::Dim { format, procs, first: 0, start: 0 }
}

fn good(text: &str, shape: &[u64]) -> Dealt {
    dealt(text, "--from", shape).unwrap_or_else(|error| panic!("{error}"))
}

fn whole(dims: Vec<crate::layout::Dim>, at: u32) -> Dealt {
    Dealt { dims, copies: Vec::new(), at }
}

/// Returns the position and the reason of an error.
fn bad(text: &str, shape: &[u64]) -> (String, String) {
    let error = read(text, "--from", shape).unwrap_err();
    let mut lines = error.lines();
    assert_eq!(lines.next(), Some("--from is not a layout"));
    let at = lines.next().unwrap().trim().strip_prefix("--> ").unwrap().to_string();
    assert!(error.contains('^'), "{error}");
    (at, error.lines().find_map(|line| line.trim().strip_prefix("= ")).unwrap().to_string())
}

#[test]
fn a_text_without_onto_gets_a_hint() {
    for (text, is_suggested) in
        [("(BLOCK,*)", true), ("block", true), ("(BLOCK,*) ONTO", false), ("BLOCKS", false)]
    {
        let error = read(text, "--from", &[8, 8]).unwrap_err();
        assert_eq!(error.contains("write for instance (BLOCK,*) ONTO P(4)"), is_suggested, "{text}: {error}");
    }
}

#[test]
fn layouts_in_the_notation_of_hpf() {
    let blocks = whole(vec![dim(Format::Cyclic(128), 4), dim(Format::Cyclic(1), 2)], 0);
    for text in [
        "CYCLIC(128),CYCLIC ONTO P(4,2)",
        "(cyclic(128), Cyclic) onto some_grid_2(4, 2) at 0",
        " ( CYCLIC ( 128 ) ,\n CYCLIC(1) )\tONTO P ( 4 , 2 ) ",
    ] {
        assert_eq!(good(text, &[1000, 1000]), blocks, "{text}");
    }
    let mixed = good("(BLOCK, *, BLOCK(4), GEN_BLOCK(5,0,7)) ONTO P(2,3,3) AT 16", &[9, 8, 12, 12]);
    let formats = [Format::Block, Format::Collapsed, Format::BlockOf(4), Format::GenBlock(vec![5, 0, 7])];
    let procs = [2, 1, 3, 3];
    let dims = formats.into_iter().zip(procs).map(|(format, procs)| dim(format, procs)).collect();
    assert_eq!(mixed, whole(dims, 16));
    assert_eq!(mixed.to_string(), "(BLOCK,*,BLOCK(4),GEN_BLOCK(5,0,7)) ONTO P(2,3,3) AT 16");
    for sizes in ["(/5,0,7/)", "[5,0,7]", " ( / 5, 0, 7 / ) "] {
        let text = format!("(BLOCK, *, BLOCK(4), GEN_BLOCK({sizes})) ONTO P(2,3,3) AT 16");
        assert_eq!(good(&text, &[9, 8, 12, 12]), mixed, "{text}");
    }
    let slashes = good("(BLOCK, *, BLOCK(4), GEN_BLOCK(/5,0,7/)) ONTO P(2,3,3) AT 16", &[9, 8, 12, 12]);
    assert_eq!(slashes, mixed);
    let owners = dim(Format::Indirect(vec![(0, 1), (2, 3), (0, 2)]), 3);
    for text in ["INDIRECT(/0,3*2,2*0/) ONTO P(3)", "indirect(0, 3 * 2, 2*0) onto p(3)"] {
        assert_eq!(good(text, &[6]), whole(vec![owners.clone()], 0), "{text}");
    }
}

#[test]
fn further_dimensions_of_the_arrangement_number_copies() {
    let layout = good("(BLOCK,*) ONTO P(4,2,3) AT 1", &[9, 9]);
    assert_eq!((layout.dims[0].procs, &layout.copies[..]), (4, &[2, 3][..]));
    assert_eq!(layout.to_string(), "(BLOCK,*) ONTO P(4,2,3) AT 1");
    let layout = Layout::from(layout);
    assert_eq!((layout.ranks(), layout.grid().extents()), (24, &[4, 1, 2, 3][..]));
}

#[test]
fn directives_align_an_array_with_a_template() {
    let parsed = |text: &str| read(text, "--to", &[10]).map(|layout| (layout.to_string(), layout.ranks()));
    let printed = "A(i) WITH T(2*i+1,*), T(BLOCK,CYCLIC(4)) ONTO P(2,3)";
    for (text, end) in [
        ("TEMPLATE T(100,50); ALIGN A(i) WITH T(2*i+1,*); DISTRIBUTE T(BLOCK,CYCLIC(4)) ONTO P(2,3)", ""),
        (
            "template t(100,50);align a(k) with t(2*k+1,*);distribute t(block,cyclic(4)) onto p(2,3) at 7;",
            " AT 7",
        ),
        (
            "PROCESSORS Q(2,3); TEMPLATE T(100,50); DISTRIBUTE T(BLOCK,CYCLIC(4)) ONTO Q; ALIGN A(i) WITH T(2*i+1,*)",
            "",
        ),
        (
            "PROCESSORS Q(2,3); TEMPLATE T(100,50); ALIGN A(i) WITH T(2*i+1,*); DISTRIBUTE T(BLOCK,CYCLIC(4)) ONTO Q",
            "",
        ),
        (
            "PROCESSORS Q(2,3); TEMPLATE T(100,50); ALIGN A(i) WITH T(2*i+1,*); DISTRIBUTE T(BLOCK,CYCLIC(4)) ONTO Q AT 16",
            " AT 16",
        ),
        ("TEMPLATE T(100,50); ALIGN A(i) WITH T(2*i+1,*); DISTRIBUTE (BLOCK,CYCLIC(4)) ONTO P(2,3) :: T", ""),
    ] {
        assert_eq!(parsed(text), Ok((format!("{printed}{end}"), 6)), "{text}");
    }
    let (align, deal) = ("ALIGN A(i) WITH T(i)", "DISTRIBUTE T(BLOCK) ONTO P(2)");
    let moved = format!("DIMENSION A(0:9); TEMPLATE T(0:9); {align}; {deal}");
    assert_eq!(parsed(&moved).map(|(text, _)| text), Ok("A(i) WITH T(i), T(BLOCK) ONTO P(2)".into()));
    assert_eq!(
        parsed("TEMPLATE T(10); DISTRIBUTE T(BLOCK) ONTO P(2); ALIGN A WITH T"),
        Ok(("A(i) WITH T(i), T(BLOCK) ONTO P(2)".into(), 2))
    );
    for (text, why) in [
        (format!("{deal};"), "there is no ALIGN"),
        (format!("TEMPLATE T(10); {align};"), "there is no DISTRIBUTE"),
        (format!("{align}; {deal}"), "T has no bounds: declare it by TEMPLATE"),
        (
            format!("TEMPLATE T(9); {align}; {deal}"),
            "dimension 1 of A: index 10 is aligned with index 10 of dimension 1 of T, expected 1 to 9",
        ),
        (
            format!("TEMPLATE T(10); {align}; DISTRIBUTE S(BLOCK) ONTO P(2)"),
            "S is distributed, but A is aligned with T",
        ),
        (format!("TEMPLATE T(10); {align}; DISTRIBUTE T(BLOCK)"), "the number of processes is missing"),
        (format!("TEMPLATE T(10,9); {align}; {deal}"), "1 format for 2 dimensions of T"),
        (
            format!("TEMPLATE T(10); {align}; {deal} AT x"),
            "found \"AT x\" at the end, expected AT and a rank from 0",
        ),
        (
            format!("TEMPLATE T(10); {align}; {align}; {deal}"),
            "expected PROCESSORS, TEMPLATE, DIMENSION, one ALIGN",
        ),
        (
            format!("DIMENSION A(9); TEMPLATE T(10); {align}; {deal}"),
            "DIMENSION gives A other extents than --shape",
        ),
        (
            "TEMPLATE T(10,9); ALIGN A(i) WITH T(i,12); DISTRIBUTE T(BLOCK,BLOCK) ONTO P(2,2)".to_string(),
            "ALIGN names index 12 of dimension 2 of T, expected 1 to 9",
        ),
        (
            format!("TEMPLATE T(10); ALIGN A(i,j) WITH T(i); {deal}"),
            "the alignment names 2 dimensions of A, which has 1 dimension",
        ),
        (
            format!("TEMPLATE T(10); ALIGN A(:) WITH T(2:5); {deal}"),
            "dimension 1 of A: it has 10 indices, but 2:5 of dimension 1 of T has 4",
        ),
        (format!("TEMPLATE T(10); {align}; DISTRIBUTE T(GEN_BLOCK(3,4)) ONTO P(2)"), "dimension 1 of T: "),
        (
            format!("TEMPLATE T(10); {align}; DISTRIBUTE T(BLOCK) ONTO P(9999,9999)"),
            "more than 4194304 ranks",
        ),
        ("TEMPLATE T(10; ALIGN".to_string(), "   ^"),
    ] {
        let error = parsed(&text).unwrap_err();
        assert!(error.starts_with("--to is not a layout\n") && error.contains(why), "{text}: {error}");
    }
}

#[test]
fn printed_layouts_are_read_back() {
    for (text, shape) in [
        ("(BLOCK,*) ONTO P(7)", vec![10, 10]),
        ("(CYCLIC(3),GEN_BLOCK(9,1)) ONTO P(2,2) AT 5", vec![10, 10]),
        ("(BLOCK(50)) ONTO P(2)", vec![100]),
        ("(INDIRECT(1,97*0,2*1)) ONTO P(2)", vec![100]),
    ] {
        assert_eq!(good(text, &shape).to_string(), text);
    }
}

#[test]
fn numbers_of_scalapack() {
    let layout = good("MB=128 nb=64, NPROW=4 NPCOL=2 CSRC=1 IA=257", &[100, 100]);
    let row = crate::layout::Dim { start: 256, ..dim(Format::Cyclic(128), 4) };
    let column = crate::layout::Dim { first: 1, ..dim(Format::Cyclic(64), 2) };
    assert_eq!(layout, whole(vec![row, column], 0));
    assert_eq!(
        layout.to_string(),
        "(CYCLIC(128),CYCLIC(64)) ONTO P(4,2), from index 257 in dimension 1, first process 1 in dimension 2"
    );
}

#[test]
fn a_grid_of_scalapack_starts_at_a_rank() {
    for text in [
        "MB=2 NB=3 NPROW=2 NPCOL=1 AT 5",
        "mb=2, nb=3, nprow=2, npcol=1, at=5",
        "MB=2 NB=3 NPROW=2 NPCOL=1at5",
    ] {
        let layout = good(text, &[9, 9]);
        assert_eq!(layout.at, 5, "{text}");
        assert_eq!(layout.dims, good("CYCLIC(2),CYCLIC(3) ONTO P(2,1)", &[9, 9]).dims, "{text}");
    }
    let why = "the first rank is 2147483647, expected 0 to ";
    let (at, message) = bad("MB=2 NB=3 NPROW=2 NPCOL=1 AT 2147483647", &[9, 9]);
    assert!(at == "1:30" && message.starts_with(why), "{at} {message}");
}

#[test]
fn ranks_are_row_major_from_the_first_one() {
    let grid = Layout::from(good("BLOCK,BLOCK ONTO P(2,3) AT 10", &[6, 6])).grid();
    let ranks: Vec<u32> = grid.ranks().map(|rank| rank.0).collect();
    assert_eq!(ranks, [10, 11, 12, 13, 14, 15]);
    let places: Vec<Vec<u32>> =
        (0..6).map(|n| reblock_plan::layout::distribution::place(&[2, 3], n)).collect();
    assert_eq!(places, grid.places().collect::<Vec<_>>());
}

#[test]
fn syntax_errors_are_located() {
    let list = "expected a distribution format or one of MB=, NB=, NPROW=, NPCOL=, RSRC=, CSRC=, IA=, JA=";
    for (text, at, why) in [
        ("", "1:1", list),
        ("SLICES ONTO P(2)", "1:1", list),
        ("BLOCK", "1:6", "expected ONTO name(p1,p2,...), (, or a comma"),
        ("BLOCK,\nBLOCK(2)", "2:9", "expected ONTO name(p1,p2,...) or a comma"),
        ("CYCLIC(3 ONTO P(4)", "1:10", "expected )"),
        ("CYCLIC(-3) ONTO P(4)", "1:8", "expected a number"),
        ("GEN_BLOCK ONTO P(4)", "1:11", "expected ("),
        ("BLOCK ONTO (4)", "1:12", "expected the arrangement's name"),
        ("BLOCK ONTO P(4) AT x", "1:20", "expected a number"),
        ("BLOCK ONTO P(4) 7", "1:17", "expected the end or AT rank"),
        ("GEN_BLOCK([4,4) ONTO P(2)", "1:15", "expected a comma or ]"),
        ("MB=3 NB=3 NPROW=2 NPCOL=2 AT", "1:29", "expected = or a number"),
        ("MB=3 NB", "1:8", "expected ="),
        ("MB 3", "1:4", "expected ="),
    ] {
        assert_eq!(bad(text, &[8]), (at.into(), why.into()), "{text}");
    }
}

#[test]
fn invalid_layouts_are_located() {
    for (text, at, why) in [
        ("CYCLIC(0) ONTO P(4)", "1:8", "the block size is 0, expected 1 to 18446744073709551615"),
        (
            "CYCLIC(18446744073709551616) ONTO P(4)",
            "1:8",
            "the block size is 18446744073709551616, expected 1 to 18446744073709551615",
        ),
        ("BLOCK ONTO P(0)", "1:14", "the number of processes is 0, expected 1 to 4194304"),
        ("BLOCK ONTO P(4194305)", "1:14", "the number of processes is 4194305, expected 1 to 4194304"),
        ("BLOCK ONTO P(2) AT 4294967296", "1:20", "the first rank is 4294967296, expected 0 to 2143289343"),
        ("BLOCK,BLOCK ONTO P(2,2)", "1:1", "2 formats for an array of 1 dimension, expected one for each"),
        ("BLOCK ONTO P(2,0)", "1:16", "the number of processes is 0, expected 1 to 4194304"),
        ("BLOCK(3) ONTO P(2)", "1:1", "2 blocks of 3 hold fewer than 8 elements"),
        ("(GEN_BLOCK(3,4)) ONTO P(2)", "1:2", "the block sizes add up to 7, expected at least 8"),
        ("GEN_BLOCK(3,4) ONTO P(3)", "1:1", "2 block sizes for 3 processes"),
        ("INDIRECT(3*0,4*1) ONTO P(2)", "1:1", "the number of owners is 7, expected 8"),
        ("INDIRECT(7*0,2) ONTO P(2)", "1:1", "the owner is 2, expected 0 to 1"),
        ("INDIRECT(0*0) ONTO P(2)", "1:10", "the repeat count is 0, expected 1 to 18446744073709551615"),
        (
            "GEN_BLOCK(18446744073709551615,1) ONTO P(2)",
            "1:1",
            "the block sizes add up to more than fits in 64 bits, expected at least 8",
        ),
        ("MB=1 NB=1 NPROW=1 NPCOL=1", "1:1", "ScaLAPACK's arrays have 2 dimensions, this one has 1"),
    ] {
        assert_eq!(bad(text, &[8]), (at.into(), why.into()), "{text}");
    }
    let square = [8, 8];
    let (at, why) = bad("BLOCK,BLOCK ONTO P(4096,4096)", &square);
    assert_eq!((at.as_str(), why.as_str()), ("1:1", "more than 4194304 ranks"));
    for (text, at, why) in [
        ("MB=1 NB=1 NPROW=1", "1:1", "NPCOL= is missing"),
        ("MB=1 MB=1 NB=1 NPROW=1 NPCOL=1", "1:6", "MB is given twice"),
        ("MB=1 NB=1 NPROW=1 NPCOL=1 RSRC=1", "1:32", "RSRC is 1, expected 0 to 0"),
        ("MB=1 NB=1 NPROW=1 NPCOL=1 IA=0", "1:30", "IA is 0, expected 1 to 9007199254740992"),
    ] {
        assert_eq!(bad(text, &square), (at.into(), why.into()), "{text}");
    }
}

#[test]
fn errors_shorten_long_texts() {
    let owners = "1,".repeat(150_000);
    let digits = "9".repeat(300_000);
    for (text, mark) in [
        (format!("INDIRECT({owners}1 ONTO P(2)"), "^---"),
        (format!("INDIRECT({owners}7) ONTO P(2)"), "^-"),
        (format!("CYCLIC({digits}) ONTO P(2)"), "^-"),
        (format!("BLOCK ONTO P(2) {owners}"), "^---"),
        (format!("\tBLOCK,\tBLOCK ONTO {}", "é".repeat(300_000)), "^---"),
    ] {
        let error = read(&text, "--from", &[9]).unwrap_err();
        assert!(error.len() < 600 && error.contains(mark), "{} bytes: {}", error.len(), &error[..200]);
    }
    let error = read("CYCLIC(3 ONTO P(16)", "--from", &[9]).unwrap_err();
    let want = "--from is not a layout\n --> 1:10\n  |\n1 | CYCLIC(3 ONTO P(16)\n  |          ^---\n  |\n  = expected )";
    assert_eq!(error, want);
}

#[test]
fn no_text_panics() {
    let pieces = [
        "BLOCK",
        "CYCLIC",
        "GEN_BLOCK",
        "INDIRECT",
        "/",
        "*",
        "(",
        ")",
        ",",
        "ONTO",
        " P",
        "AT",
        "0",
        "1",
        "7",
        "18446744073709551615",
        " ",
        "\n",
        "MB=",
        "NPROW=",
        "é",
        "=",
    ];
    let mut rng = fastrand::Rng::with_seed(12);
    let mut read_well = 0;
    for _ in 0..20_000 {
        let text: String = (0..rng.usize(0..14)).map(|_| pieces[rng.usize(0..pieces.len())]).collect();
        read_well += usize::from(read(&text, "--to", &[7]).is_ok());
    }
    // Texts with one wrong character.
    for _ in 0..20_000 {
        let mut text: Vec<char> = "(CYCLIC(18),*) ONTO P(40) AT 3".chars().collect();
        let at = rng.usize(0..text.len());
        text[at] = *rng.choice(&['0', '9', '(', ')', ',', '*', ' ', 'é']).unwrap();
        let text: String = text.into_iter().collect();
        read_well += usize::from(read(&text, "--to", &[7, 9]).is_ok());
    }
    assert!(read_well > 100, "{read_well}");
}

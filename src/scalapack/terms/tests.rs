//! Tests that terms survive messages, and that an error names each difference.

use super::*;
use crate::pack::{Combine, Number, Update};
use crate::scalapack::{Family, Routine};

fn matrix(grid: Grid) -> Matrix {
    let descriptor = Descriptor::new([40, 50], [4, 5], [0, 1], 99);
    Matrix { grid, at: [0, 0], descriptor, start: [3, 2] }
}

fn call(a: Option<Matrix>, b: Option<Matrix>) -> Call {
    let routine = Routine { letter: 'd', family: Family::Trmr2d, element: 8 };
    let part = Part::trapezoid(true, false, 10, 20);
    Call { routine, extent: [10, 20], part, transposed: false, update: None, a, b }
}

fn full() -> Call {
    let permuted = Grid::from_ranks(&[2, 2], &[3, 0, 1, 2]).unwrap();
    call(Some(matrix(Grid::row_major(&[2, 2]))), Some(matrix(permuted)))
}

/// Returns whether `here` takes the message of `there` for an echo of its own.
fn echoes(here: &CallTerms, there: &CallTerms) -> bool {
    let mut message = [0; CallTerms::BYTES];
    there.write(&mut message);
    here.is_echo(&message)
}

fn merged(terms: &[CallTerms]) -> Result<CallTerms, Error> {
    let mut all = terms[0].clone();
    for other in &terms[1..] {
        all.absorb(other, None)?;
    }
    all.complete()?;
    Ok(all)
}

#[test]
fn terms_survive_a_message() {
    let terms = CallTerms::of(&full(), 1, 4, 5);
    let mut message = [0; CallTerms::BYTES];
    terms.write(&mut message);
    assert_eq!(CallTerms::read(&message), terms);
}

#[test]
fn ranks_outside_a_grid_receive_its_terms() {
    let whole = full();
    let only_a = call(whole.a.clone(), None);
    let only_b = call(None, whole.b.clone());
    let neither = call(None, None);
    let terms: Vec<_> = [&only_a, &neither, &only_b, &only_b]
        .into_iter()
        .zip(0..)
        .map(|(c, me)| CallTerms::of(c, me, 9, 5))
        .collect();
    let agreed = merged(&terms).unwrap();
    assert_eq!(agreed.grid_a(), Ok(Grid::row_major(&[2, 2])));
    assert_eq!(agreed.grid_b(), Err(Unlisted { rows: 2, cols: 2, root: 2 }));
    for terms in &terms {
        assert_eq!(terms.agree(&agreed, None), Ok(()));
        assert!(!echoes(terms, terms), "others may have something to add");
    }
    let grid = || whole.b.as_ref().unwrap().grid.clone();
    let all = CallTerms::of(&whole, 0, 4, 5).problem(whole.part, false, Grid::row_major(&[2, 2]), grid());
    assert_eq!(agreed.problem(whole.part, false, Grid::row_major(&[2, 2]), grid()), all);
    assert_eq!(
        (all.dims[0].len, all.dims[0].from.start, all.dims[1].to.dist.to_string()),
        (10, 2, "CYCLIC(5)".into())
    );
}

#[test]
fn a_matrix_without_members_is_an_error() {
    let terms = CallTerms::of(&call(full().a, None), 0, 9, 5);
    let error = merged(&[terms]).unwrap_err();
    assert!(error.to_string().contains("in the grid of B"), "{error}");
}

#[test]
fn each_difference_is_named() {
    type Change = fn(&mut Call);
    let cases: [(Change, &str); 15] = [
        (
            |c| c.routine.letter = 's',
            "the routine differs between ranks: PDTRMR2D on this rank, PSTRMR2D on rank 7",
        ),
        (|c| c.extent[1] = 21, "N differs between ranks: 20 on this rank, 21 on rank 7"),
        (
            |c| c.part = Part::Lower { shift: 1 },
            "UPLO differs between ranks: upper on this rank, lower on rank 7",
        ),
        (|c| c.part = Part::Upper { shift: 0 }, "DIAG"),
        (|c| c.a.as_mut().unwrap().start[1] = 4, "JA differs between ranks: 2 on this rank, 4 on rank 7"),
        (|c| c.b.as_mut().unwrap().start[0] = 4, "IB differs between ranks: 3 on this rank, 4 on rank 7"),
        (
            |c| c.a.as_mut().unwrap().descriptor.block[0] = 9,
            "MB_ of DESCA differs between ranks: 4 on this rank, 9 on rank 7",
        ),
        (
            |c| {
                let descriptor = &mut c.a.as_mut().unwrap().descriptor;
                *descriptor = Descriptor::new(descriptor.extent, [4, 7], descriptor.first, descriptor.ld);
            },
            "NB_ of DESCA differs between ranks: 5 on this rank, 7 on rank 7",
        ),
        (
            |c| c.b.as_mut().unwrap().descriptor.first[1] = 0,
            "CSRC_ of DESCB differs between ranks: 1 on this rank, 0 on rank 7",
        ),
        (
            |c| c.a.as_mut().unwrap().grid = Grid::affine(&[2, 2], 0, &[1, 2]),
            "distance of process rows in A's grid",
        ),
        (
            |c| c.b.as_mut().unwrap().grid = Grid::from_ranks(&[2, 2], &[3, 0, 2, 1]).unwrap(),
            "the list of processes of B's grid",
        ),
        (
            |c| c.a.as_mut().unwrap().descriptor.first_block[1] = 9,
            "INB_ of DESCA differs between ranks: 5 on this rank, 9 on rank 7",
        ),
        (|c| c.transposed = true, "TRANS differs between ranks: N on this rank, T on rank 7"),
        (
            |c| {
                let factors = [Scalar::of(&2.5_f64.to_ne_bytes()), Number::Double.scalar(1)];
                c.update = Update::new(Number::Double, Combine::Add, false, factors);
            },
            "ALPHA differs between ranks: 0 on this rank, 2.5 on rank 7",
        ),
        (
            |c| c.b = None,
            "the membership of all ranks in the grids of A and B differs between ranks: true on this rank, false on rank 7",
        ),
    ];
    for (change, want) in cases {
        let mut other = full();
        change(&mut other);
        let (here, there) = (CallTerms::of(&full(), 0, 4, 5), CallTerms::of(&other, 1, 4, 5));
        let error = here.agree(&there, Some(7)).unwrap_err().to_string();
        // Names like MB_ must begin the error: IMB_ contains MB_, too.
        let is_named = if want.contains("B_ of ") { error.starts_with(want) } else { error.contains(want) };
        assert!(is_named, "{error:?} instead of {want:?}");
        assert!(!echoes(&here, &there) && !echoes(&there, &here), "{want}");
        assert!(merged(&[here, there]).is_err());
    }
}

#[test]
fn the_scalar_minus_zero_is_known_and_compared() {
    let with_beta = |call: Call, beta: f64| {
        let factors = [1.0, beta].map(|factor| Scalar::of(&factor.to_ne_bytes()));
        Call { update: Update::new(Number::Double, Combine::Add, false, factors), ..call }
    };
    let terms = |beta, me| CallTerms::of(&with_beta(full(), beta), me, 4, 5);
    let error = terms(-0.0, 0).agree(&terms(5.0, 1), Some(7)).unwrap_err().to_string();
    assert_eq!(error, "BETA differs between ranks: -0 on this rank, 5 on rank 7");
    let (only_a, only_b) = (call(full().a, None), call(None, full().b));
    let ranks = [only_a, only_b].map(|call| with_beta(call, -0.0));
    let terms: Vec<_> = ranks.iter().zip(0..).map(|(call, me)| CallTerms::of(call, me, 9, 5)).collect();
    assert!(merged(&terms).is_ok());
}

#[test]
fn leading_dimensions_and_places_may_differ() {
    let mut other = full();
    other.a.as_mut().unwrap().descriptor.ld = 1000;
    other.b.as_mut().unwrap().at = [1, 1];
    let (here, there) = (CallTerms::of(&full(), 0, 4, 5), CallTerms::of(&other, 3, 4, 5));
    assert_eq!(here.agree(&there, Some(3)), Ok(()));
    assert!(echoes(&here, &there) && echoes(&there, &here));
    assert!(merged(&[here, there]).is_ok());
}

#[test]
fn settings_are_compared() {
    let (here, there) = (CallTerms::of(&full(), 0, 4, 5), CallTerms::of(&full(), 1, 4, 6));
    assert!(here.agree(&there, Some(1)).unwrap_err().to_string().starts_with("the digest of the settings"));
}

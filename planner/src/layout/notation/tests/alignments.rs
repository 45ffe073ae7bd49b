//! Tests of the meaning of alignments, without and with the bounds of the array and the template.

use super::*;
use crate::layout::mapping::{Align, Rest};

/// Parses an `ALIGN` line and returns the alignment of the axes of the array and of the template.
pub fn pattern(line: &str) -> (Vec<Along>, Vec<Rest>) {
    let Directive::Align { alignment: Alignment { pattern, .. }, .. } = good(line) else { panic!("{line}") };
    let Pattern { axes, rest } = pattern.expect("it has lists");
    (axes, rest)
}

#[test]
fn alignments() {
    let affine = |axis, stride, offset| Along::Affine { axis, stride, offset };
    let whole = |axis| Along::Triplet { axis, first: None, last: None, stride: 1 };
    let all = |n| vec![Rest::Replicated; n];
    assert_eq!(pattern("ALIGN A(i,j) WITH T(2*i+1,j,*)"), (vec![affine(0, 2, 1), affine(1, 1, 0)], all(3)));
    assert_eq!(pattern("ALIGN A(:,:) WITH T(:,:)"), (vec![whole(0), whole(1)], all(2)));
    assert_eq!(pattern("align a(I,:) with t(:,i)"), (vec![affine(1, 1, 0), whole(0)], all(2)));
    let at = vec![Rest::Replicated, Rest::At(5)];
    assert_eq!(
        pattern("ALIGN A(i,*,k) WITH T(i,5)"),
        (vec![affine(0, 1, 0), Along::Collapsed, Along::Collapsed], at)
    );
    assert_eq!(
        pattern("ALIGN A(:) WITH T(*,-1:19:-2)"),
        (vec![Along::Triplet { axis: 1, first: Some(-1), last: Some(19), stride: -2 }], all(2))
    );
    for (subscript, stride, offset) in [
        ("i-3", 1, -3),
        ("-i+20", -1, 20),
        ("3-i", -1, 3),
        ("i*2", 2, 0),
        ("+i", 1, 0),
        ("7*i*3", 21, 0),
        ("2 + i*2 - 3 + i", 3, -1),
        ("-9223372036854775808*i-9223372036854775808", i64::MIN, i64::MIN),
        ("9223372036854775807+i+1-1", 1, i64::MAX),
    ] {
        let line = format!("ALIGN A(i) WITH T({subscript})");
        assert_eq!(pattern(&line), (vec![affine(0, stride, offset)], all(1)), "{line}");
    }
    for (line, same) in [
        ("ALIGN (i,j) WITH T(j,i) :: A, B", "ALIGN (i,j) WITH T(j,i) :: A,B"),
        ("realign a(x,y) with t(y,2*x)", "REALIGN A(i,j) WITH T(j,2*i)"),
        ("ALIGN WITH T(:,*,::2) :: A", "ALIGN A(:,:) WITH T(:,*,::2)"),
        ("ALIGN A(:,*,:) WITH T", "ALIGN A(:,*,:) WITH T(:,:)"),
        ("ALIGN A WITH T", "ALIGN A WITH T"),
        ("REALIGN WITH T :: A, B", "REALIGN WITH T :: A,B"),
        ("ALIGN with(i) WITH T(i,2-3)", "ALIGN WITH(i) WITH T(i,-1)"),
    ] {
        assert_eq!(good(line).to_string(), same, "{line}");
    }
}

#[test]
fn alignments_are_completed_by_bounds() {
    let between = |list: &str, array: &[(i64, i64)], template: &[(i64, i64)]| {
        let Directive::Align { alignment, .. } = good(&format!("ALIGN A{list}")) else { panic!("{list}") };
        alignment.apply(array, template).map_err(|why| why.0)
    };
    let with = |axis, stride, offset| Align::With { axis, stride, offset };
    let all = vec![Rest::Replicated; 2];
    let (array, template) = ([(0, 9), (-4, 5)], [(1, 10), (100, 109)]);
    let straight = Ok((vec![with(0, 1, 1), with(1, 1, 104)], all.clone()));
    assert_eq!(between(" WITH T", &array, &template), straight);
    assert_eq!(between("(:,:) WITH T(:,:)", &array, &template), straight);
    let mixed = Ok((vec![with(1, -1, 50), with(0, 1, 5)], all.clone()));
    assert_eq!(between("(i,:) WITH T(:,50-i)", &array, &template), mixed);
    let stepped = Ok((vec![with(0, 2, -3), Align::Collapsed], vec![Rest::Replicated, Rest::At(100)]));
    assert_eq!(between("(:,*) WITH T(1::2,100)", &[(2, 6), (1, 3)], &template), stepped);
    let back = Ok((vec![with(0, -3, 40)], vec![Rest::Replicated]));
    assert_eq!(between("(:) WITH T(10:2:-3)", &[(10, 12)], &[(1, 10)]), back);
    for (list, array, why) in [
        (" WITH T", &[(1, 10)][..], "the alignment names 1 axis of the template, which has 2 axes"),
        ("(:) WITH T(:)", &[(1, 10)], "the alignment names 1 axis of the template, which has 2 axes"),
        ("(i,j) WITH T(i,j)", &[(1, 10)], "the alignment names 2 axes of the array, which has 1 axis"),
        (
            "(*,:) WITH T(1:9:3,*)",
            &[(1, 5), (1, 4)],
            "axis 1 of the array: it has 4 indices, but 1:9:3 of axis 0 of the template has 3",
        ),
        (
            "(:) WITH T(*,:)",
            &[(1, 11)],
            "axis 0 of the array: it has 11 indices, but 100:109 of axis 1 of the template has 10",
        ),
        (
            "(:) WITH T(1:1:9223372036854775807,*)",
            &[(-9, -9)],
            "axis 0 of the array: the offset 83010348331692982264 does not fit in 64 bits",
        ),
    ] {
        assert_eq!(between(list, array, &template), Err(why.into()), "{list}");
    }
}

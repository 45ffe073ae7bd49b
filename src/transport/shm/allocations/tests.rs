//! Notes about more allocations than the sender has places for.

use super::*;
use crate::pack::place::device_tests::{Array, let_fail, run_with_stand_in};

#[test]
#[cfg(not(miri))]
fn queued_notes_keep_their_places() {
    run_with_stand_in(module_path!(), "places");
}

/// Slots are filled together, so notes about all places can wait when one more allocation is to be offered.
#[test]
#[ignore = "run by queued_notes_keep_their_places, with the stand-in"]
fn places() {
    const RECEIVER: usize = 1;
    let shape = Shape::dense(8, &[8]);
    for has_handle in [true, false] {
        let arrays: Vec<Array> = (0..=MAX_OFFERED).map(|_| Array::new(Some(0), &[0; 64])).collect();
        let headers: Vec<Header> = arrays.iter().map(|_| Header::new()).collect();
        let mut offers = Offers::new(2);
        let decide = |offers: &mut Offers, slot: usize| {
            let (source, device) = (arrays[slot].source(0, &shape), arrays[slot].device().unwrap());
            let decided = offers.decide(&headers, (slot, RECEIVER), &source, &device);
            assert!(matches!(decided, DeviceSend::Packed), "slot {slot}");
        };
        let noted = |slot: usize| Note::of_words(headers[slot].note());
        let number = |slot: usize| arrays[slot].device().unwrap().sharable().unwrap().number;

        (0..MAX_OFFERED).for_each(|slot| decide(&mut offers, slot));
        let_fail(c"cuIpcGetMemHandle", i64::from(!has_handle), 1);
        decide(&mut offers, MAX_OFFERED);
        let_fail(c"cuIpcGetMemHandle", 0, 0);
        for slot in 0..MAX_OFFERED {
            assert!(offers.note(&headers, slot, RECEIVER), "slot {slot}");
            assert_eq!((noted(slot).allocation, noted(slot).place), (number(slot), slot));
        }
        assert!(!offers.note(&headers, MAX_OFFERED, RECEIVER), "there is no place for the allocation");

        // The receiver has returned all slots, so a place is free again.
        decide(&mut offers, MAX_OFFERED);
        assert!(offers.note(&headers, MAX_OFFERED, RECEIVER));
        assert_eq!(noted(MAX_OFFERED).allocation, number(MAX_OFFERED));
    }
}

//! Finality that a file brings, under the set that its client pinned: whatever the bytes, no other block is shown final.
//! `SUPERROOT_FUZZ_KIND=vote` takes the rows of one kind alone.
//!
//! Input: `row:u8 ‖ finality`.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use superroot_fuzz::finality::{FinalityRow, rows};
use superroot_fuzz::seeds;
use superroot_proof::finality::{FinalityProof, FinalityQuestion, FinalitySet, Verdict, check};
use superroot_types::BlockNumber;

static ROWS: LazyLock<Vec<FinalityRow>> = LazyLock::new(|| {
    let kind = std::env::var("SUPERROOT_FUZZ_KIND").ok();
    let rows = rows(kind.as_deref());
    assert!(!rows.is_empty() && rows.len() <= 256, "{} rows of that kind", rows.len());
    rows
});

fn seeds_of_rows() -> Vec<Vec<u8>> {
    let with_row = |(at, row): (usize, &FinalityRow)| [&[at as u8][..], &row.finality].concat();
    ROWS.iter().enumerate().map(with_row).collect()
}

fuzz_target!(init: seeds::plant("finality_check", &seeds_of_rows()), |bytes: &[u8]| {
    let Some((at, finality)) = bytes.split_first() else { return };
    let row = &ROWS[usize::from(*at) % ROWS.len()];
    if let Ok(set) = FinalitySet::decode(&row.params, finality) {
        assert_eq!(set.encode(), finality);
    }
    let Ok(proof) = FinalityProof::decode(finality) else { return };
    assert_eq!(proof.encode(), finality);
    let is_shown = |block| {
        matches!(check(&row.params, &row.set, &proof, block, row.now), Verdict::Shown(_))
    };
    let _ = is_shown(row.block);
    let mut other = row.block.hash;
    other.0[31] ^= 1;
    assert!(!is_shown(FinalityQuestion { hash: other, ..row.block }), "another block is final");
    let number = BlockNumber(row.block.number.0.wrapping_add(1));
    let _ = is_shown(FinalityQuestion { number, ..row.block });
});

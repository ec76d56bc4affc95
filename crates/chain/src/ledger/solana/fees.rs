//! Bids of transactions for compute units, in addition to 5,000 lamports per signature.

use superroot_proof::ledger::Body;
use superroot_proof::ledger::solana::Transaction;
use superroot_types::Hash;

use crate::fee::{FeeBlock, FeeRates, NOT_STORED};

pub(super) fn read(block: &FeeBlock<'_>) -> Result<FeeRates, &'static str> {
    let leaves = block.body.and_then(Body::transaction_leaves).ok_or(NOT_STORED)?;
    let paid = leaves.iter().filter_map(|leaf| compute_unit_price(leaf)).collect();
    Ok(FeeRates { paid, at_most: None })
}

/// `ComputeBudget111111111111111111111111111111`.
const COMPUTE_BUDGET: Hash = Hash([
    3, 6, 70, 111, 229, 33, 23, 50, 255, 236, 173, 186, 114, 195, 155, 231, 188, 140, 229, 187,
    197, 247, 18, 107, 44, 67, 155, 58, 64, 0, 0, 0,
]);
/// `Vote111111111111111111111111111111111111111`: votes do not bid for a place.
const VOTE: Hash = Hash([
    7, 97, 72, 29, 53, 116, 116, 187, 124, 77, 118, 36, 235, 211, 189, 179, 216, 53, 94, 115, 209,
    16, 67, 252, 13, 163, 83, 128, 0, 0, 0, 0,
]);
/// `SetComputeUnitPrice`, followed by a little-endian `u64`.
const SET_PRICE: u8 = 3;

/// Bid of a transaction per compute unit, 0 without a bid; `None` for a vote.
fn compute_unit_price(leaf: &[u8]) -> Option<f64> {
    let transaction = Transaction::decode(leaf).ok()?;
    let program = |index: u8| transaction.account_keys.get(usize::from(index));
    let mut price = 0;
    for instruction in &transaction.instructions {
        match program(instruction.program_index) {
            Some(&VOTE) => return None,
            Some(&COMPUTE_BUDGET) => {}
            _ => continue,
        }
        if let [SET_PRICE, bid @ ..] = instruction.data.as_slice()
            && let Ok(bid) = bid.try_into()
        {
            price = u64::from_le_bytes(bid);
        }
    }
    Some(price as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A transaction of one signer that calls programs with that data.
    fn transaction(calls: &[(Hash, &[u8])]) -> Vec<u8> {
        let mut raw = vec![1];
        raw.extend([7; 64]);
        raw.extend([1, 0, 1]);
        raw.push(u8::try_from(calls.len()).unwrap() + 1);
        raw.extend([9; 32]);
        for (program, _) in calls {
            raw.extend(program.0);
        }
        raw.extend([5; 32]);
        raw.push(u8::try_from(calls.len()).unwrap());
        for (index, (_, data)) in (1_u8..).zip(calls) {
            raw.extend([index, 0, u8::try_from(data.len()).unwrap()]);
            raw.extend(*data);
        }
        raw
    }

    #[test]
    fn a_bid_for_compute_units_is_read_and_votes_bid_nothing() {
        let bid = [&[SET_PRICE][..], &12_345_u64.to_le_bytes()].concat();
        let limit = [2, 64, 13, 3, 0];
        let other = Hash([3; 32]);
        let price = |calls: &[(Hash, &[u8])]| compute_unit_price(&transaction(calls));
        assert_eq!(price(&[(COMPUTE_BUDGET, &limit), (COMPUTE_BUDGET, &bid)]), Some(12_345.0));
        assert_eq!(price(&[(other, &bid)]), Some(0.0), "told to another program");
        assert_eq!(price(&[(COMPUTE_BUDGET, &bid[..8])]), Some(0.0), "cut short");
        assert_eq!(price(&[(COMPUTE_BUDGET, &bid), (VOTE, &[])]), None);
        assert_eq!(compute_unit_price(&[1, 2, 3]), None);
        let names = [COMPUTE_BUDGET, VOTE].map(|program| bs58::encode(program.0).into_string());
        assert_eq!(names[0], "ComputeBudget111111111111111111111111111111");
        assert_eq!(names[1], "Vote111111111111111111111111111111111111111");
    }
}

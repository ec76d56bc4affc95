//! Fees of ledgers outside the EVM family, each in the ledger's own unit, as far as blocks show fees.

use superroot_chain::ChainSpec;
use superroot_chain::ledger::facts;
use superroot_proof::ledger::icp::Operation;
use superroot_proof::ledger::solana::Transaction as SolanaTransaction;
use superroot_proof::ledger::{Body, Header};
use superroot_types::{BlockNumber, Family, Hash};

use crate::bitcoin::block_rate;
use crate::{Figure, NoFigure};

/// Unit of a fee rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Satoshi per virtual byte.
    SatPerVirtualByte,
    /// Hundred-millionths of an ICP per transfer.
    E8sPerTransfer,
    /// Millionths of a lamport per compute unit, in addition to 5,000 lamports per signature.
    MicroLamportsPerComputeUnit,
}

impl Unit {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SatPerVirtualByte => unit_of(Family::Bitcoin),
            Self::E8sPerTransfer => unit_of(Family::Icp),
            Self::MicroLamportsPerComputeUnit => unit_of(Family::Solana),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    pub unit: Unit,
    /// Paid rates: one per transaction; on Bitcoin one, the lower bound of the block mean.
    pub paid: Vec<f64>,
    /// Bitcoin only: upper bound of the block mean.
    pub at_most: Option<f64>,
}

/// Fee unit of a family, even if blocks show no fees.
#[must_use]
pub const fn unit_of(family: Family) -> &'static str {
    facts(family).fee_unit
}

pub(crate) fn rates(
    row: &ChainSpec,
    number: BlockNumber,
    header: &[u8],
    body: Option<&Body>,
) -> Figure<Rates> {
    let not_held = NoFigure::of("not every transaction of its newest blocks is held");
    match row.family() {
        Family::Bitcoin => match body {
            Some(Body::Bitcoin(tree)) => {
                let rate = block_rate(number.0, tree)?;
                let unit = Unit::SatPerVirtualByte;
                Ok(Rates { unit, paid: vec![rate.at_least], at_most: Some(rate.at_most) })
            }
            _ => Err(not_held),
        },
        Family::Icp => icp(row, number, header),
        Family::Solana => match body.and_then(Body::transaction_leaves) {
            Some(leaves) => {
                let paid = leaves.iter().filter_map(|leaf| compute_unit_price(leaf)).collect();
                Ok(Rates { unit: Unit::MicroLamportsPerComputeUnit, paid, at_most: None })
            }
            None => Err(not_held),
        },
        other => {
            let why = facts(other).no_fee_rate;
            Err(NoFigure::of(why.unwrap_or("what its blocks show of fees is not read here")))
        }
    }
}

/// Fee of the transfer or approval in an ICP ledger block.
fn icp(row: &ChainSpec, number: BlockNumber, header: &[u8]) -> Figure<Rates> {
    let unreadable = NoFigure::of("its block cannot be read");
    let rule = row.rule_at(number).ok_or(unreadable.clone())?;
    let Ok(Header::Icp(header)) = Header::decode(rule, header) else { return Err(unreadable) };
    let paid = match header.transaction.operation {
        Operation::Transfer { fee_e8s, .. } | Operation::Approve { fee_e8s, .. } => {
            vec![fee_e8s as f64]
        }
        Operation::Burn { .. } | Operation::Mint { .. } => Vec::new(),
    };
    Ok(Rates { unit: Unit::E8sPerTransfer, paid, at_most: None })
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
    let transaction = SolanaTransaction::decode(leaf).ok()?;
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

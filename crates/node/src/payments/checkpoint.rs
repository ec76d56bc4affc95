//! Usage checkpoint at a registry contract, read from a proven log.

use superroot_account::Day;
use superroot_account::usage::CheckpointEvent;
use superroot_billing::BillingLedger;
use superroot_proof::hash::keccak256;
use superroot_types::{Hash, UnixSeconds};

use super::event::number;
use crate::config::RegistryPlace;

const SIGNATURE: &str = "UsageCheckpoint(uint64,uint64,uint64,bytes32)";

/// A usage checkpoint's first topic.
pub(super) fn topic() -> Hash {
    keccak256(SIGNATURE.as_bytes())
}

/// Checkpoint at the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WrittenCheckpoint {
    sequence: u64,
    start: UnixSeconds,
    end: UnixSeconds,
    root: Hash,
}

impl WrittenCheckpoint {
    /// Checkpoint in a log of the contract; `None` for any other event.
    pub(super) fn parse(topics: &[Hash], data: &[u8]) -> Option<Self> {
        let [first, sequence] = topics else { return None };
        let ([start, end, root], []) = data.as_chunks::<32>() else { return None };
        if *first != topic() {
            return None;
        }
        let narrow = |word: &[u8; 32]| u64::try_from(number(word)?).ok();
        Some(Self {
            sequence: narrow(&sequence.0)?,
            start: UnixSeconds(narrow(start)?),
            end: UnixSeconds(narrow(end)?),
            root: Hash(*root),
        })
    }
}

/// Notes the event of a checkpoint; logs an error for a checkpoint from elsewhere.
pub(super) fn prove(
    billing: &BillingLedger,
    place: RegistryPlace,
    written: &WrittenCheckpoint,
    (tx, log_index): (Hash, u32),
) -> anyhow::Result<()> {
    let WrittenCheckpoint { sequence, start, end, root } = *written;
    let day = Day::of(start);
    let checkpoints = billing.accounts().checkpoints();
    let fixed = checkpoints.of_day(day)?.filter(|fixed| {
        (fixed.contract, fixed.sequence) == (place.contract, sequence)
            && (day.start(), day.end()) == (start, end)
            && fixed.usage.root() == root
    });
    let Some(fixed) = fixed else {
        tracing::error!(
            "usage checkpoint {sequence} at the registry of chain {} is none that was fixed here: somebody else has its \
             role",
            place.chain.id
        );
        return Ok(());
    };
    let event = CheckpointEvent { tx, log_index };
    if fixed.event != Some(event) {
        checkpoints.prove(&fixed, event)?;
        tracing::info!("usage checkpoint {sequence} of {day} is proven: transaction {tx}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_read_and_nothing_else_is() {
        let word = |number: u64| {
            let mut word = [0; 32];
            word[24..].copy_from_slice(&number.to_be_bytes());
            word
        };
        let topics = [topic(), Hash(word(7))];
        let data = [word(86_400), word(172_800), [9; 32]].concat();
        let written = WrittenCheckpoint::parse(&topics, &data).unwrap();
        assert_eq!(
            (written.sequence, written.start, written.root),
            (7, UnixSeconds(86_400), Hash([9; 32]))
        );
        for length in 0..data.len() {
            assert_eq!(WrittenCheckpoint::parse(&topics, &data[..length]), None, "{length} bytes");
        }
        assert_eq!(WrittenCheckpoint::parse(&topics[..1], &data), None);
        assert_eq!(WrittenCheckpoint::parse(&[Hash([1; 32]), topics[1]], &data), None);
        assert_eq!(WrittenCheckpoint::parse(&[topics[0], Hash([1; 32])], &data), None);
        let mut wide = data.clone();
        wide[0] = 1;
        assert_eq!(WrittenCheckpoint::parse(&topics, &wide), None);
    }
}

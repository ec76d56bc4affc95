//! Ledger infos of nodes as evidence. Sources: aptos-core `storage/backup/backup-service/src/handlers` (answers),
//! `storage/aptosdb/src/backup/backup_handler.rs` (`TransactionInfoWithProof`, ledger infos).

use superroot_proof::finality::ledger_info::{EarlierRoot, SignedLedgerInfo};
use superroot_proof::finality::{ConsensusEvidence, FinalityKind};
use superroot_proof::ledger::aptos::{DEPTH_MAX, Info, info_hash};
use superroot_types::{BlockNumber, Hash};

use super::raw::RawAptosBlock;
use crate::block::SignedBlock;

/// Block with its last version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionOfBlock {
    /// Height.
    pub number: BlockNumber,
    /// Accumulator root after the version.
    pub hash: Hash,
    /// Last version.
    pub version: u64,
}

/// Evidence from the block's own ledger info; `None` for one about another root.
pub(super) fn signed(block: &RawAptosBlock) -> Option<SignedBlock> {
    let signed = SignedLedgerInfo::decode_bcs(block.ledger_info.as_ref()?)?;
    let ends_set = signed.info.next.is_some().then_some(signed.info.epoch);
    let evidence = evidence(block.number, block.hash, &signed)?;
    Some(SignedBlock { evidence, ends_set, step: None })
}

/// Evidence from a backup service's answer about a block's last version: siblings, `TransactionInfo` and
/// `LedgerInfoWithSignatures` in BCS. `None` for an answer that does not lead to the block's hash.
#[must_use]
pub fn evidence_of_version(block: VersionOfBlock, answer: &[u8]) -> Option<ConsensusEvidence> {
    let VersionOfBlock { number, hash, version } = block;
    let (count, rest) = answer.split_first()?;
    let count = usize::from(*count);
    let (siblings, rest) = rest.split_at_checked(count.checked_mul(32)?)?;
    let siblings = siblings.chunks_exact(32).filter_map(|one| one.try_into().ok().map(Hash));
    let siblings: Vec<Hash> = siblings.collect();
    let (_, after) = Info::decode_first(rest).ok().filter(|_| count <= DEPTH_MAX)?;
    let info = rest.get(..rest.len().checked_sub(after.len())?)?;
    let mut signed = SignedLedgerInfo::decode_bcs(after)?;
    if signed.info.version != version {
        signed.earlier = Some(EarlierRoot::of_leaf(version, &info_hash(info), &siblings)?);
    }
    evidence(number, hash, &signed)
}

fn evidence(
    number: BlockNumber,
    hash: Hash,
    signed: &SignedLedgerInfo,
) -> Option<ConsensusEvidence> {
    let is_of_block = signed.block_root() == Ok(hash);
    let body = is_of_block.then(|| signed.encode())?;
    Some(ConsensusEvidence { kind: FinalityKind::LedgerInfo, number, hash, body })
}

/// Steps by the number of the epoch that ends, from a backup service's answer about the ends of epochs from `first` on:
/// `LedgerInfoWithSignatures` in BCS, each behind a length of four bytes. `None` for anything else.
#[must_use]
pub fn steps_of_epochs(first: u64, mut answer: &[u8]) -> Option<Vec<(u64, Vec<u8>)>> {
    let mut steps = Vec::new();
    for epoch in first.. {
        let Some((length, rest)) = answer.split_first_chunk::<4>() else { break };
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        let (record, rest) = rest.split_at_checked(length)?;
        let signed = SignedLedgerInfo::decode_bcs(record)?;
        if signed.info.epoch != epoch || signed.info.next.is_none() {
            return None;
        }
        steps.push((epoch, signed.encode()));
        answer = rest;
    }
    answer.is_empty().then_some(steps)
}

//! A proof in the form for contracts.

use alloc::vec::Vec;

use super::error::CalldataError;
use super::{
    CalldataForm, OPEN, SUBJECT_BLOCK, SUBJECT_LOG, SUBJECT_TRANSACTION, bitcoin, paths, trie,
};
use crate::bundle::{Bundle, EntryProof, ProofSubject, SuperRootProof, TwigPosition};
use crate::mpt;
use crate::registry::Profile;
use crate::superroot::{SuperRoot, reference_slot};

impl Bundle {
    /// The form for contracts of a proof that verifies to level 5: a block, transaction, log or output of an EVM chain or
    /// Bitcoin. Of a log
    /// the receipt alone is kept, of a transaction the transaction, and no note: [`Bundle::from_calldata`] gives the
    /// rest back.
    ///
    /// # Errors
    /// [`CalldataError::Subject`] for other subjects, ledgers and levels; [`CalldataError::Trie`] for a trie with nodes
    /// inside their parents.
    pub fn to_calldata(&self) -> Result<Vec<u8>, CalldataError> {
        let no = |what| CalldataError::Subject { what };
        let form = CalldataForm::of(self.statement.chain)
            .ok_or(no("a chain that is no EVM chain and not Bitcoin"))?;
        let block = self.block.as_ref().ok_or(no("a proof below level 5"))?;
        let (twig, place) = self.twig().zip(self.place()).ok_or(no("a proof below level 5"))?;
        let super_root = self.super_root().ok_or(no("a proof below level 5"))?;
        let is_open = matches!(place, TwigPosition::Open(_));
        let subject = match self.statement.subject {
            ProofSubject::Block => SUBJECT_BLOCK,
            ProofSubject::Transaction { .. } => SUBJECT_TRANSACTION,
            ProofSubject::Log { .. } => SUBJECT_LOG,
            ProofSubject::Absence { .. } => return Err(no("a proof of absence")),
        };
        let mut out = Vec::new();
        out.extend_from_slice(&[form.byte(), if is_open { subject | OPEN } else { subject }]);
        put_profile(&mut out, super_root, form)?;
        match form {
            CalldataForm::Evm => self.put_entry(&mut out)?,
            CalldataForm::Bitcoin => self.put_numbered_entry(&mut out)?,
        }
        if form == CalldataForm::Evm {
            let length = u16::try_from(block.header.len());
            let length = length.map_err(|_| no("a header above 64 KiB"))?;
            out.extend_from_slice(&length.to_be_bytes());
        }
        out.extend_from_slice(&block.header);
        let siblings = (0..).zip(twig.siblings.iter().copied());
        paths::put_masked(&mut out, &siblings.collect::<Vec<_>>());
        match place {
            TwigPosition::Sealed(sealed) => {
                out.extend_from_slice(&sealed.leaf_index.0.to_be_bytes());
                out.extend_from_slice(&sealed.leaf_count.0.to_be_bytes());
                sealed.siblings.iter().for_each(|sibling| out.extend_from_slice(&sibling.0));
            }
            TwigPosition::Open(open) => {
                out.extend_from_slice(&open.start.0.to_be_bytes());
                out.extend_from_slice(&open.number.0.to_be_bytes());
                out.extend_from_slice(&open.block_hash.0);
            }
        }
        let slot = match is_open {
            true => reference_slot(super_root.registry.row),
            false => u64::from(form.family().byte()),
        };
        put_super_root(&mut out, super_root, slot)?;
        Ok(out)
    }

    /// `position ‖ leaf ‖ trie`; nothing for a block.
    fn put_entry(&self, out: &mut Vec<u8>) -> Result<(), CalldataError> {
        let Some(tx_index) = self.put_position(out) else { return Ok(()) };
        let missing = CalldataError::Subject { what: "a proof without its trie" };
        let Some(EntryProof::Evm(tries)) = &self.entry else { return Err(missing) };
        let nodes = match self.statement.subject {
            ProofSubject::Log { .. } => tries.receipt.as_ref(),
            _ => tries.transaction.as_ref(),
        };
        trie::put(out, &mpt::index_key(u64::from(tx_index)), nodes.ok_or(missing)?)
    }

    /// `number ‖ position ‖ tree`, as Bitcoin's header has no number; of a block the number alone.
    fn put_numbered_entry(&self, out: &mut Vec<u8>) -> Result<(), CalldataError> {
        out.extend_from_slice(&self.statement.number.0.to_be_bytes());
        if self.put_position(out).is_none() {
            return Ok(());
        }
        match &self.entry {
            Some(EntryProof::Bitcoin(branches)) => bitcoin::put(out, branches),
            _ => Err(CalldataError::Subject { what: "a proof without its branches" }),
        }
    }

    /// `tx_index [‖ log_index]`: the former; nothing for a block.
    fn put_position(&self, out: &mut Vec<u8>) -> Option<u32> {
        let subject = self.statement.subject;
        let tx_index = subject.tx_index()?;
        out.extend_from_slice(&tx_index.to_be_bytes());
        if let ProofSubject::Log { log_index, .. } = subject {
            out.extend_from_slice(&log_index.to_be_bytes());
        }
        Some(tx_index)
    }
}

/// `chain_id ‖ count ‖ rules`: the rest of the profile follows.
fn put_profile(
    out: &mut Vec<u8>,
    proof: &SuperRootProof,
    form: CalldataForm,
) -> Result<(), CalldataError> {
    let profile = profile_of(proof)?;
    let chain = profile.chain;
    if chain.family != form.family() || form.caip2(chain.id).as_ref() != Some(&profile.caip2) {
        return Err(CalldataError::Subject { what: "a chain with another CAIP-2 name" });
    }
    out.extend_from_slice(&profile.chain.id.0.to_be_bytes());
    out.push(u8::try_from(profile.rules.len()).unwrap_or(u8::MAX));
    for rule in &profile.rules {
        out.extend_from_slice(&rule.from_number.to_be_bytes());
        out.extend_from_slice(&rule.code.to_be_bytes());
    }
    Ok(())
}

fn profile_of(proof: &SuperRootProof) -> Result<Profile, CalldataError> {
    Profile::decode(&proof.registry.profile)
        .map_err(|_| CalldataError::Subject { what: "a malformed profile" })
}

fn put_super_root(
    out: &mut Vec<u8>,
    proof: &SuperRootProof,
    slot: u64,
) -> Result<(), CalldataError> {
    put_registry(out, proof)?;
    paths::put_pair(out, (slot, &proof.siblings), &proof.registry.siblings);
    Ok(())
}

/// Sequence, time, row, count, and the row's path among those that are there.
fn put_registry(out: &mut Vec<u8>, proof: &SuperRootProof) -> Result<(), CalldataError> {
    let malformed = CalldataError::Subject { what: "a malformed SuperRoot" };
    let super_root = SuperRoot::decode(&proof.preimage).map_err(|_| malformed)?;
    let opening = &proof.registry;
    out.extend_from_slice(&super_root.sequence.0.to_be_bytes());
    out.extend_from_slice(&super_root.timestamp.0.to_be_bytes());
    out.extend_from_slice(&[opening.row.0, opening.count]);
    for (height, sibling) in (0..).zip(&opening.row_siblings) {
        if has_rows(opening.row.0, opening.count, height) {
            out.extend_from_slice(&sibling.0);
        }
    }
    Ok(())
}

/// A chain's profile opened under a SuperRoot, for an anchor that records what the log withdrew: `chain_id ‖ count ‖
/// rules ‖ sequence ‖ timestamp ‖ row ‖ count ‖ registry ‖ path of slot 55`.
///
/// # Errors
/// [`CalldataError::Subject`] for a malformed part, or a chain that contracts do not know.
pub fn withdrawal_of(proof: &SuperRootProof) -> Result<Vec<u8>, CalldataError> {
    let mut out = Vec::new();
    let form = CalldataForm::of(profile_of(proof)?.chain);
    let unknown = CalldataError::Subject { what: "a chain that is no EVM chain and not Bitcoin" };
    put_profile(&mut out, proof, form.ok_or(unknown)?)?;
    put_registry(&mut out, proof)?;
    let path = (0..).zip(proof.registry.siblings.iter().copied());
    paths::put_masked(&mut out, &path.collect::<Vec<_>>());
    Ok(out)
}

/// Whether a row's sibling at a height has a row below the count.
pub(super) fn has_rows(row: u8, count: u8, height: u32) -> bool {
    let at = u32::from(row).checked_shr(height).unwrap_or(0) ^ 1;
    at.checked_shl(height).is_some_and(|first| first < u32::from(count))
}

//! Verified proof parts for batch checks: identical parts are not hashed again.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, TWIG_HEIGHT};

use super::{Bundle, EntryProof, Facts, Statement, SuperRootProof, TwigProof};
use crate::ledger::{Header, ShownFacts};
use crate::registry::HashRule;

/// Previously verified parts.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeldProof<'a> {
    /// Levels 1 and 2.
    pub base: Option<&'a HeldBase>,
    /// Level 3.
    pub twig: Option<&'a HeldTwig>,
    /// Level 5.
    pub top: Option<&'a HeldTop>,
    /// Whether to return newly verified levels 1 and 2, at the cost of a copy.
    pub is_base_wanted: bool,
}

/// Newly verified parts that differ from the previous.
#[derive(Clone, Debug, Default)]
pub struct NewlyHeld {
    /// Levels 1 and 2, if requested and if the proof has level 2.
    pub base: Option<HeldBase>,
    /// Level 3.
    pub twig: Option<HeldTwig>,
    /// Level 5.
    pub top: Option<HeldTop>,
}

/// Verified levels 1 and 2: a block and an entry, identical under every SuperRoot.
#[derive(Clone, Debug)]
pub struct HeldBase {
    rule: HashRule,
    statement: Statement,
    header: Vec<u8>,
    block_hash: Hash,
    entry: Option<EntryProof>,
    shown: Header,
    shown_entry: Option<ShownFacts>,
    byte_count: usize,
}

impl HeldBase {
    pub(super) fn of(bundle: &Bundle, rule: HashRule, facts: &Facts) -> Option<Self> {
        let block = bundle.block.as_ref()?;
        let shown = facts.header.clone()?;
        let mut entry = Vec::new();
        bundle.entry.iter().for_each(|it| it.encode(&mut entry));
        // each once as bytes, once as leaves and once as read
        let byte_count = block.header.len().saturating_add(entry.len()).saturating_mul(3);
        Some(Self {
            byte_count,
            rule,
            statement: bundle.statement,
            header: block.header.clone(),
            block_hash: block.block_hash,
            entry: bundle.entry.clone(),
            shown,
            shown_entry: bundle.entry.is_some().then(|| ShownFacts {
                transactions_root: facts.transactions_root,
                receipts_root: facts.receipts_root,
                transaction: facts.transaction.clone(),
                receipt: facts.receipt.clone(),
                event: facts.event.clone(),
                tx_count: facts.tx_count,
            }),
        })
    }

    /// Whether levels 1 and 2 in a bundle are identical, under an identical rule.
    pub(super) fn is_of(&self, bundle: &Bundle, rule: HashRule) -> bool {
        let Some(block) = &bundle.block else { return false };
        (self.rule, &self.statement) == (rule, &bundle.statement)
            && (&self.header, &self.block_hash) == (&block.header, &block.block_hash)
            && self.entry == bundle.entry
    }

    pub(super) fn shown(&self) -> (Header, Option<ShownFacts>) {
        (self.shown.clone(), self.shown_entry.clone())
    }

    /// Proven transaction hash.
    #[must_use]
    pub fn transaction_hash(&self) -> Option<Hash> {
        self.shown_entry.as_ref()?.transaction.as_ref().map(|proven| proven.hash)
    }

    /// Approximate size in bytes.
    #[must_use]
    pub const fn byte_count(&self) -> usize {
        self.byte_count
    }
}

/// Verified level 3: path from a block to its twig root, final once the twig is sealed.
#[derive(Clone, Debug)]
pub struct HeldTwig {
    chain: ChainKey,
    number: BlockNumber,
    block_hash: Hash,
    siblings: [Hash; TWIG_HEIGHT],
    root: Hash,
}

impl HeldTwig {
    pub(super) const fn of(statement: &Statement, block_hash: Hash, twig: &TwigProof) -> Self {
        let Statement { chain, number, .. } = *statement;
        Self { chain, number, block_hash, siblings: twig.siblings, root: twig.root }
    }

    /// Whether block, path and root are identical.
    pub(super) fn is(&self, statement: &Statement, block_hash: Hash, twig: &TwigProof) -> bool {
        (self.chain, self.number, self.block_hash)
            == (statement.chain, statement.number, block_hash)
            && (&self.siblings, &self.root) == (&twig.siblings, &twig.root)
    }
}

/// Verified level 5: path from a slot to a SuperRoot, shared by proofs for many blocks.
#[derive(Clone, Debug)]
pub struct HeldTop {
    log: Hash,
    slot: u64,
    slot_value: Hash,
    proof: SuperRootProof,
    super_root_hash: Hash,
}

impl HeldTop {
    pub(super) fn of(
        proof: &SuperRootProof,
        (slot, slot_value): (u64, &Hash),
        log: &Hash,
        super_root_hash: Hash,
    ) -> Self {
        let proof = SuperRootProof { note: None, ..proof.clone() };
        Self { log: *log, slot, slot_value: *slot_value, proof, super_root_hash }
    }

    pub(super) const fn super_root_hash(&self) -> Hash {
        self.super_root_hash
    }

    /// Whether slot and path are identical. Notes are ignored; they are checked each time.
    pub(super) fn is(
        &self,
        proof: &SuperRootProof,
        (slot, slot_value): (u64, &Hash),
        log: &Hash,
    ) -> bool {
        let SuperRootProof { preimage, siblings, registry, note: _ } = &self.proof;
        (self.log, self.slot, self.slot_value) == (*log, slot, *slot_value)
            && (preimage, siblings, registry) == (&proof.preimage, &proof.siblings, &proof.registry)
    }
}

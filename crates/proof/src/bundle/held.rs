//! Parts of proofs that held, for one who checks many of them: what is the very same is not hashed again.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, TWIG_HEIGHT};

use super::{Bundle, EntryProof, Facts, Statement, SuperRootProof, TwigProof};
use crate::ledger::{Header, Shown};
use crate::registry::Rule;

/// What held before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held<'a> {
    /// Levels 1 and 2.
    pub base: Option<&'a HeldBase>,
    /// Level 3.
    pub twig: Option<&'a HeldTwig>,
    /// Level 5.
    pub top: Option<&'a HeldTop>,
    /// Whether levels 1 and 2 are to be given back where they hold now: that copies them.
    pub is_base_wanted: bool,
}

/// What held now, where it is not what held before.
#[derive(Clone, Debug, Default)]
pub struct Holds {
    /// Levels 1 and 2, in a proof that has level 2, where they are wanted.
    pub base: Option<HeldBase>,
    /// Level 3.
    pub twig: Option<HeldTwig>,
    /// Level 5.
    pub top: Option<HeldTop>,
}

/// Levels 1 and 2 of a proof that held: a block and an entry of it, which are the same under every SuperRoot.
#[derive(Clone, Debug)]
pub struct HeldBase {
    rule: Rule,
    statement: Statement,
    header: Vec<u8>,
    block_hash: Hash,
    entry: Option<EntryProof>,
    shown: Header,
    shown_entry: Option<Shown>,
    byte_count: usize,
}

impl HeldBase {
    /// Of a bundle whose header and entry showed this.
    pub(super) fn of(bundle: &Bundle, rule: Rule, facts: &Facts) -> Option<Self> {
        let (block, shown) = (bundle.block.as_ref()?, facts.header.clone()?);
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
            shown_entry: bundle.entry.is_some().then(|| Shown {
                transactions_root: facts.transactions_root,
                receipts_root: facts.receipts_root,
                transaction: facts.transaction.clone(),
                receipt: facts.receipt.clone(),
                event: facts.event.clone(),
                tx_count: facts.tx_count,
            }),
        })
    }

    /// Whether levels 1 and 2 of a bundle are the very same, by the same rule.
    pub(super) fn is_of(&self, bundle: &Bundle, rule: Rule) -> bool {
        let Some(block) = &bundle.block else { return false };
        (self.rule, &self.statement) == (rule, &bundle.statement)
            && (&self.header, &self.block_hash) == (&block.header, &block.block_hash)
            && self.entry == bundle.entry
    }

    /// What the header showed, and the entry.
    pub(super) fn shown(&self) -> (Header, Option<Shown>) {
        (self.shown.clone(), self.shown_entry.clone())
    }

    /// Hash of the transaction that it shows.
    #[must_use]
    pub fn transaction_hash(&self) -> Option<Hash> {
        self.shown_entry.as_ref()?.transaction.as_ref().map(|proven| proven.hash)
    }

    /// Bytes of what it holds, about.
    #[must_use]
    pub const fn byte_count(&self) -> usize {
        self.byte_count
    }
}

/// Level 3 of a proof that held: the way from a block to its twig's root, which stays as it is once the twig is sealed.
#[derive(Clone, Debug)]
pub struct HeldTwig {
    chain: ChainKey,
    number: BlockNumber,
    block_hash: Hash,
    siblings: [Hash; TWIG_HEIGHT],
    root: Hash,
}

impl HeldTwig {
    /// Of a block in a twig that it led to.
    pub(super) const fn of(statement: &Statement, block_hash: Hash, twig: &TwigProof) -> Self {
        let Statement { chain, number, .. } = *statement;
        Self { chain, number, block_hash, siblings: twig.siblings, root: twig.root }
    }

    /// Whether that is the very same.
    pub(super) fn is(&self, statement: &Statement, block_hash: Hash, twig: &TwigProof) -> bool {
        (self.chain, self.number, self.block_hash)
            == (statement.chain, statement.number, block_hash)
            && (&self.siblings, &self.root) == (&twig.siblings, &twig.root)
    }
}

/// Level 5 of a proof that held: the way from a slot to a SuperRoot, which proofs of other blocks share.
#[derive(Clone, Debug)]
pub struct HeldTop {
    log: Hash,
    slot: u64,
    slot_value: Hash,
    proof: SuperRootProof,
    super_root_hash: Hash,
}

impl HeldTop {
    /// Of a slot of the log whose proof held.
    pub(super) fn of(
        proof: &SuperRootProof,
        (slot, slot_value): (u64, &Hash),
        log: &Hash,
        super_root_hash: Hash,
    ) -> Self {
        let proof = SuperRootProof { note: None, ..proof.clone() };
        Self { log: *log, slot, slot_value: *slot_value, proof, super_root_hash }
    }

    /// Hash of the SuperRoot that it leads to.
    pub(super) const fn super_root_hash(&self) -> Hash {
        self.super_root_hash
    }

    /// Whether that is the very same; notes aside, which are checked each time.
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

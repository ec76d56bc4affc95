//! Verified levels of a proof: each value says what one step showed. Such values may be kept, and joined with those of
//! another proof of the same thing.
//!
//! ```text
//! verify_statement ──► verify_block ──► verify_twig ──► verify_place ──► verify_super_root
//!   chain's rule       levels 1, 2      level 3         level 4, or       level 5
//!                                                       the reference
//!                        ProofLevels::join: facts of the whole proof
//! ```

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network, ProofLevel};

use super::error::{ProofError, ProofFault, ProofStep};
use super::facts::{Facts, ShownNote, ShownPlace, ShownTwig};
use super::{NotePath, Statement, Verified};
use crate::ledger::{Header, ShownFacts};
use crate::registry::HashRule;
use crate::superroot::SuperRoot;

/// Well-formed statement, and the rule by which its chain is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementFacts {
    pub(super) statement: Statement,
    pub(super) origin: String,
    pub(super) log_id: Hash,
    pub(super) rule: HashRule,
    /// CAIP-2 name of the chain.
    pub(super) caip2: String,
    /// Whether the verifier itself knows the chain.
    pub(super) is_known: bool,
    /// Opened profile, still to be tied to the log.
    pub(super) profile: Option<Vec<u8>>,
}

/// ProofLevels 1 and 2: entry and header, the same under every SuperRoot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFacts {
    pub(super) statement: Statement,
    pub(super) rule: HashRule,
    pub(super) caip2: String,
    /// Whether the entry is shown in exactly this block.
    pub(super) shows_block: bool,
    pub(super) entry: Option<ShownFacts>,
    pub(super) header: Option<Header>,
    pub(super) block_hash: Option<Hash>,
}

/// Level 3: a block under its twig root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwigFacts {
    pub(super) chain: ChainKey,
    pub(super) number: BlockNumber,
    pub(super) block_hash: Hash,
    pub(super) root: Hash,
}

/// Level 4, or the block reference of an open twig: the slot of a SuperRoot that commits to a twig.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceFacts {
    pub(super) twig: TwigFacts,
    pub(super) shown: ShownPlace,
    pub(super) slot: u64,
    pub(super) slot_value: Hash,
    /// Profile that allows the reference's start, still to be tied to the log.
    pub(super) profile: Option<Vec<u8>>,
}

/// Level 5: a slot and a chain's profile in a SuperRoot, the same for all blocks below the slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuperRootFacts {
    pub(super) log_id: Hash,
    pub(super) slot: u64,
    pub(super) slot_value: Hash,
    pub(super) profile: Vec<u8>,
    pub(super) super_root: SuperRoot,
    pub(super) super_root_hash: Hash,
}

/// Verified levels of one proof.
#[derive(Clone, Copy, Debug)]
pub struct ProofLevels<'a> {
    /// Statement.
    pub statement: &'a Verified<StatementFacts>,
    /// ProofLevels 1 and 2.
    pub block: &'a Verified<BlockFacts>,
    /// Level 3.
    pub twig: Option<&'a Verified<TwigFacts>>,
    /// Level 4, or the block reference.
    pub place: Option<&'a Verified<PlaceFacts>>,
    /// Level 5.
    pub super_root: Option<&'a Verified<SuperRootFacts>>,
    /// Note with the SuperRoot's path.
    pub note: Option<&'a NotePath>,
}

impl StatementFacts {
    /// Rule by which the chain is read at the number.
    #[must_use]
    pub const fn rule(&self) -> HashRule {
        self.rule
    }
}

impl BlockFacts {
    /// Proven transaction hash.
    #[must_use]
    pub fn transaction_hash(&self) -> Option<Hash> {
        self.entry.as_ref()?.transaction.as_ref().map(|proven| proven.hash)
    }
}

impl ProofLevels<'_> {
    /// Facts of the whole proof, as far as the levels go.
    ///
    /// # Errors
    /// [`ProofFault::Parts`] for levels of different proofs; [`ProofError`] at [`ProofLevel::SuperRoot`] for the note.
    pub fn join(self) -> Result<Verified<Facts>, ProofError> {
        if !self.belong_together() {
            let what = "verified levels of different proofs";
            return Err(ProofError::new(ProofStep::Statement, ProofFault::Parts { what }));
        }
        let StatementFacts { statement, origin, rule, is_known, .. } = &**self.statement;
        let mut facts = Facts {
            statement: *statement,
            origin: origin.clone(),
            network: Network::of_origin(origin),
            level: ProofLevel::Entry,
            rule: *rule,
            transactions_root: None,
            receipts_root: None,
            transaction: None,
            receipt: None,
            event: None,
            tx_count: None,
            header: None,
            block_hash: None,
            number_bound: rule.binds_number(),
            index_bound: statement.binds_transaction(),
            block_bound: self.block.shows_block,
            chain_known: *is_known,
            twig: None,
            place: None,
            super_root: None,
            super_root_hash: None,
            note: None,
        };
        if let (Some(header), Some(hash)) = (&self.block.header, self.block.block_hash) {
            facts.put_header(header.clone(), hash);
        }
        self.block.entry.iter().for_each(|entry| facts.put_entry(entry.clone()));
        if let Some(TwigFacts { number, root, .. }) = self.twig.map(|twig| &**twig) {
            let (index, slot) = (number.twig_index(), number.twig_slot());
            facts.twig = Some(ShownTwig { index, slot, root: *root });
            facts.level = ProofLevel::Twig;
        }
        if let Some(place) = self.place {
            facts.place = Some(place.shown);
            facts.level = ProofLevel::MiniMmr;
        }
        if let Some(top) = self.super_root {
            let note = self.note.map(|note| ShownNote::check(note, &top.super_root, origin));
            facts.note = note.transpose().map_err(ProofError::at(ProofLevel::SuperRoot))?;
            facts.super_root = Some(top.super_root);
            facts.super_root_hash = Some(top.super_root_hash);
            facts.level = ProofLevel::SuperRoot;
        }
        Ok(Verified(facts))
    }

    /// Whether each level stands on the one below, under one rule and one profile.
    fn belong_together(&self) -> bool {
        let StatementFacts { statement, rule, caip2, .. } = &**self.statement;
        let BlockFacts { statement: of, rule: by, caip2: named, block_hash, .. } = &**self.block;
        let twig = self.twig.map(|twig| &**twig);
        let is_twigs = |twig: &TwigFacts| {
            (twig.chain, twig.number, Some(twig.block_hash))
                == (statement.chain, statement.number, *block_hash)
        };
        let is_places = |place: &Verified<PlaceFacts>| Some(&place.twig) == twig;
        let is_tops = |top: &Verified<SuperRootFacts>| {
            let profiles =
                [&self.statement.profile, &self.place.and_then(|place| place.profile.clone())];
            top.log_id == self.statement.log_id
                && self.place.is_some_and(|place| {
                    (place.slot, place.slot_value) == (top.slot, top.slot_value)
                })
                && profiles.into_iter().flatten().all(|profile| *profile == top.profile)
        };
        (statement, rule, caip2) == (of, by, named)
            && twig.is_none_or(is_twigs)
            && self.place.is_none_or(is_places)
            && self.super_root.is_none_or(is_tops)
    }
}

//! Catch-up: an older copy of a data folder repeats the SuperRoots published since, byte for byte.

use superroot_proof::superroot::ChainReference;
use superroot_store::layout::{BlockTip, ChainState};
use superroot_store::read;
use superroot_types::{RowIndex, Sequence};

use crate::record::{Published, log_size};
use crate::recover::check_registry;
use crate::step::{SuperRootDraft, SuperRootTerms};
use crate::target::{self, PublishedTarget};
use crate::{AccumulateError, AccumulateProgress, Accumulator};

impl Accumulator {
    /// Sequence of the last SuperRoot to repeat before publishing; `None` without a repeat goal,
    /// [`AccumulateError::Corrupt`] for a malformed row.
    pub fn goal(&self) -> Result<Option<Sequence>, AccumulateError> {
        target::load_goal(&*self.store)
    }

    /// Repeats the next SuperRoot, once all its blocks are final in the store.
    pub(crate) fn repeat(&mut self, goal: Sequence) -> Result<AccumulateProgress, AccumulateError> {
        let before = self.last.clone();
        let sequence = log_size(before.as_ref().map(|before| &before.super_root))?.next();
        let Some(target) = target::load_target(&*self.store, sequence)? else {
            let why = "it was not fetched: run `superroot restore` again".to_owned();
            return Ok(AccumulateProgress::Waiting { sequence, goal, why });
        };
        if let Some(why) = self.lacks(before.as_deref(), &target)? {
            return Ok(AccumulateProgress::Waiting { sequence, goal, why });
        }
        let mut draft = self.draft_of(before.as_deref(), &target)?;
        let registry = &target.registry;
        let note = Some(target.note.as_str());
        let terms =
            SuperRootTerms { registry, timestamp: target.published.super_root.timestamp, note };
        let made = self.publish_into(&mut draft, before.as_deref(), &terms)?;
        if made != target.published {
            return Err(differs(&target, format!("SuperRoot {} came out", made.hash)));
        }
        target::forget_target(&mut draft.batch, sequence, goal);
        self.commit(draft, made)
    }

    /// Missing data for the SuperRoot.
    fn lacks(
        &self,
        before: Option<&Published>,
        target: &PublishedTarget,
    ) -> Result<Option<String>, AccumulateError> {
        for (row, reference) in &target.published.references {
            let ChainReference { chain, start, number, .. } = *reference;
            if before.is_some_and(|before| before.references.contains(&(*row, *reference))) {
                continue;
            }
            let Some(state) = read::load_chain_state(&*self.store, chain)? else {
                return Ok(Some(format!(
                    "chain {chain} is not collected, block {number} is needed"
                )));
            };
            let newest = self.standing(chain, &state)?.map(|tip| tip.number);
            if newest.is_none_or(|newest| newest < number) {
                let newest = newest.map_or_else(|| "none".to_owned(), |newest| newest.to_string());
                return Ok(Some(format!(
                    "block {number} of chain {chain} is needed, the newest held is {newest}"
                )));
            }
            if start < state.start {
                return Ok(Some(format!(
                    "blocks of chain {chain} from {start} on are needed, held from {} on: run \
                     `superroot backfill`",
                    state.start
                )));
            }
        }
        Ok(None)
    }

    /// Draft with the SuperRoot's blocks, from this store.
    fn draft_of(
        &mut self,
        before: Option<&Published>,
        target: &PublishedTarget,
    ) -> Result<SuperRootDraft, AccumulateError> {
        let mut draft = SuperRootDraft::after(before);
        for (row, reference) in &target.published.references {
            let ChainReference { chain, start, number, .. } = *reference;
            let last = before.and_then(|before| before.reference(chain)).map(|(_, last)| *last);
            if last == Some(*reference) {
                draft.references.push((*row, *reference));
                continue;
            }
            let held = read::load_block(&*self.store, chain, number)?;
            let held = held.ok_or_else(|| {
                differs(target, format!("chain {chain} has no block {number} here"))
            })?;
            let state = ChainState::empty(start);
            let tip = BlockTip { number, hash: held.hash };
            let made = self.advance(chain, &state, tip, last, &mut draft)?;
            if made != *reference {
                return Err(differs(
                    target,
                    format!("block {number} of chain {chain} is {} here", held.hash),
                ));
            }
            draft.references.push((*row, made));
        }
        if let Some(before) = before {
            let standing = crate::recorded::load_registry(&*self.store, before)?;
            check_registry(&standing, before, &target.registry)?;
            let kept = |(row, last): &(RowIndex, ChainReference)| {
                let mut references = draft.references.iter();
                references.any(|(other, now)| other == row && now.chain == last.chain)
            };
            if !before.references.iter().all(kept) {
                return Err(differs(target, "a chain that stood before is gone".to_owned()));
            }
        }
        Ok(draft)
    }
}

fn differs(target: &PublishedTarget, what: String) -> AccumulateError {
    let sequence = target.sequence();
    let hash = target.published.hash;
    AccumulateError::Differs { sequence, hash, what }
}

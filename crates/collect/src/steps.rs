//! Steps between sets of signers, as sent with blocks. A false step would cut the chain of sets: no later set follows from
//! a pin.

use superroot_chain::VerifiedBlock;
use superroot_chain::finality::finality_params;
use superroot_proof::finality::{FinalitySet, Shortfall, Verdict};
use superroot_store::read;
use superroot_types::UnixSeconds;

use crate::blocking::blocking;
use crate::collector::Collector;
use crate::error::CollectError;
use crate::line::RunPiece;
use crate::progress::FalseStep;

/// Tries for a block with a true step; then a block that waits for no evidence is taken as sent.
const TRIES_MAX: u32 = 4;
const CHECK: &str = "signers";

impl Collector {
    /// Blames the sender of a step that the stored set before refuses; the line is asked for again.
    pub(crate) async fn check_steps(
        &mut self,
        pieces: &[RunPiece],
        now: UnixSeconds,
    ) -> Result<(), CollectError> {
        for piece in pieces {
            let RunPiece::New(received) = piece else { continue };
            let Some((set, step)) = step_of(&received.block) else { continue };
            let Some(why) = self.step_fault(set, step, now).await? else { continue };
            let number = received.block.number();
            let before = self.false_step.filter(|known| known.number == number);
            let tries = before.map_or(1, |known| known.tries.saturating_add(1));
            self.false_step = Some(FalseStep { number, tries });
            self.fetcher(true).blame(&received.sender, number, CHECK, &why);
            if tries < TRIES_MAX || self.gate.is_some() {
                return Err(CollectError::FalseStep { chain: self.chain(), number, set, why });
            }
        }
        Ok(())
    }

    /// Why a step is false by the stored set before; `None` for a true one, or without that set.
    async fn step_fault(
        &self,
        set: u64,
        step: Vec<u8>,
        now: UnixSeconds,
    ) -> Result<Option<String>, CollectError> {
        let Some(params) = finality_params(&self.row, self.source.network()) else {
            return Ok(None);
        };
        let Some(before) = set.checked_sub(1) else { return Ok(None) };
        let (store, chain) = (self.store.clone(), self.chain());
        let found = blocking(move || {
            let named = read::load_set_step(&*store, chain, before)?;
            let signers = named.and_then(|named| FinalitySet::named_by(&params, &named));
            Ok(signers.and_then(|signers| {
                let until = signers.trusted_until(&params).map_or(now, |until| now.min(until));
                match signers.advance(&params, &step, until) {
                    // another block than the set's end, or too few signers: a fault of who gave it
                    Verdict::NotEnough(why @ Shortfall::Signers { .. }) => {
                        Some(format!("its step from set {set}: {why}"))
                    }
                    Verdict::Shown(_) | Verdict::NotEnough(_) => None,
                    Verdict::Refusal(why) => Some(format!("its step from set {set}: {why}")),
                }
            }))
        });
        found.await
    }
}

/// Number of the set that a block ends, and the step.
fn step_of(block: &VerifiedBlock) -> Option<(u64, Vec<u8>)> {
    let signed = block.signed()?;
    let step = signed.step.as_ref().unwrap_or(&signed.evidence.body);
    Some((signed.ends_set?, step.clone()))
}

//! Scan check: all events in a block range, or their absence.

use super::{VerifyArgs, anchor, no_proof, no_row};
use crate::cli::report::scan::ExaminedScan;
use crate::cli::report::{CommandOutcome, Unexamined};

pub(super) fn check(args: &VerifyArgs, body: &[u8]) -> CommandOutcome {
    let examined = match ExaminedScan::of(body) {
        Err(Unexamined::NoProof(why)) => return no_proof(args, &why),
        Err(Unexamined::NoRow(chain)) => return no_row(args, chain),
        Ok(examined) => examined,
    };
    let anchor = match examined.facts.as_deref() {
        None => None,
        Some(facts) => match anchor::of_proof(&facts.last, args) {
            Ok(anchor) => Some(anchor),
            Err(error) => return CommandOutcome::unusable("trust_store", format!("{error:#}")),
        },
    };
    examined.outcome(anchor)
}

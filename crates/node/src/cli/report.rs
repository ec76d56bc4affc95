//! Verification result: one value, printed as text or JSON.
//!
//! A proof is *true* when valid and anchored, *false* when a step fails, else *unusable*.

mod examined;
mod finality;
mod levels;
pub(crate) mod scan;
mod statement;
mod text;
mod verdict;

pub(crate) use examined::{Examined, Unexamined, read_unverified};
pub(crate) use finality::CheckedFinality;
pub(crate) use levels::{ShownMember, object};
pub(crate) use statement::{chain_name, statement_json, statement_words, withdrawals};
pub(crate) use text::{
    anchor_line, check_line, origin_lines, print_list, print_members, verdict_line,
};
pub(crate) use verdict::{
    AnchorTrust, CommandOutcome, CommandVerdict, FailedStep, Judged, TrustSource,
};

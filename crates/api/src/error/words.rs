//! Parts of sentences that errors share.

use superroot_account::without_keys;
use superroot_types::BlockNumber;

use crate::Unavailable;

/// Longest text of a caller that a message repeats, in characters.
const CHARS_MAX: usize = 160;

/// A text for a message, short however long it is, and without the secret part of keys.
pub(crate) fn shorten(text: &str) -> String {
    superroot_types::shorten(&without_keys(text), CHARS_MAX)
}

pub(super) fn in_receipt(meant: Option<u32>) -> String {
    meant.map_or_else(String::new, |meant| {
        format!("; as an index over the whole block it means log_index {meant}")
    })
}

pub(super) fn checked(checked_to: Option<BlockNumber>) -> String {
    checked_to.map_or_else(
        || "and nothing was checked yet".to_owned(),
        |number| format!("checked up to block {number}"),
    )
}

pub(super) fn ends_at(anchored: Option<BlockNumber>) -> String {
    anchored.map_or_else(
        || ", which has no block of it".to_owned(),
        |number| format!(", which ends at block {number}"),
    )
}

pub(super) const fn temporarily(unavailable: &Unavailable) -> &'static str {
    if unavailable.retry_after.is_some() { "temporarily " } else { "" }
}

/// What is to be had in place of a block that is not anchored.
pub(super) fn newest(held: bool, head: Option<BlockNumber>) -> String {
    match head {
        Some(head) if !held => format!(", the newest block held is {head}"),
        _ => levels(held).to_owned(),
    }
}

pub(super) const fn levels(held: bool) -> &'static str {
    if held { ", ?level=2 gives the levels below the SuperRoot" } else { "" }
}

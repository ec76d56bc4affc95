//! Whether an answer leads to a SuperRoot that the reader trusts.

use superroot_proof::bundle::Facts;
use superroot_proof::superroot::{SuperRoot, log_id};

use super::VerifyArgs;
use crate::cli::report::{Anchor, By, Verdict};
use crate::cli::trust;

/// Judges a proof.
///
/// # Errors
/// When the trust store is there and cannot be read.
pub(super) fn of_proof(facts: &Facts, args: &VerifyArgs) -> anyhow::Result<Anchor> {
    match &facts.super_root {
        Some(super_root) => judge(super_root, args),
        None => Ok(nothing("the proof ends below level 5 and leads to no SuperRoot")),
    }
}

fn nothing(why: impl core::fmt::Display) -> Anchor {
    let why = format!("not anchored to anything you trust: {why}");
    Anchor::Refused { verdict: Verdict::Unusable, why }
}

/// Judges by the hash given on the command line, and without one by the pins of the SuperRoot's log in
/// the trust store: the file given, or the default one where it exists.
///
/// # Errors
/// When the trust store is there and cannot be read.
pub(super) fn judge(super_root: &SuperRoot, args: &VerifyArgs) -> anyhow::Result<Anchor> {
    let (got, sequence) = (super_root.hash(), super_root.sequence);
    let (expected, source, by) = if let Some(hash) = args.superroot {
        let by = Some("superroot");
        (hash, "--superroot".to_owned(), By { by, super_root_hash: Some(hash), file: None })
    } else {
        let Some((file, store)) = trust::open_existing(args.trust_store.as_deref())? else {
            let how = "or pin the log with `superroot trust pin`";
            let why = format!("give --superroot HASH, that of SuperRoot {sequence}, {how}");
            return Ok(nothing(why));
        };
        let file = file.display().to_string();
        let is_of_log = |origin: &&str| log_id(origin).ok() == Some(super_root.log_id);
        let mut pins = store.origins().filter(is_of_log).flat_map(|origin| store.pins(origin));
        let Some(pin) = pins.find(|pin| pin.sequence == sequence) else {
            let how = "`superroot trust update` moves on";
            return Ok(nothing(format!("{file} pins no SuperRoot {sequence} of that log; {how}")));
        };
        let by = Some("trust_store");
        (pin.super_root_hash, file.clone(), By { by, super_root_hash: None, file: Some(file) })
    };
    if got == expected {
        return Ok(Anchor::Trusted(by));
    }
    let why = format!("the SuperRoot is {got}, {source} says {expected}");
    Ok(Anchor::Refused { verdict: Verdict::False, why })
}

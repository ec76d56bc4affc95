//! Whether an answer leads to a SuperRoot that the reader trusts.

use superroot_client::{Distrust, TrustedBy};
use superroot_proof::bundle::{Facts, Fault};
use superroot_proof::note::{CheckpointError, NoteError, TrustPolicy};
use superroot_proof::superroot::{SuperRoot, log_id};

use super::VerifyArgs;
use crate::cli::report::{Anchor, By, Verdict};
use crate::cli::trust;

/// Judges a proof: by the hash or the key given on the command line, and without one by the trust store:
/// the file given, or the default one where it exists.
///
/// # Errors
/// When the trust store or the policy is there and cannot be read.
pub(super) fn of_proof(facts: &Facts, args: &VerifyArgs) -> anyhow::Result<Anchor> {
    let Some(super_root) = &facts.super_root else {
        return Ok(nothing("the proof ends below level 5 and leads to no SuperRoot"));
    };
    if args.superroot.is_some() {
        return judge(super_root, args);
    }
    if let Some(key) = &args.key {
        let policy = args.policy.as_deref().map(trust::read_policy).transpose()?;
        let policy = policy.unwrap_or_else(TrustPolicy::none);
        let witnessed = policy.asks_for_witnesses();
        return Ok(match facts.check_signed(key, &policy) {
            Ok(signed) => Anchor::Trusted(By {
                by: Some("key"),
                key: Some(key.to_string()),
                size: Some(signed.size),
                witnessed,
                ..By::default()
            }),
            Err(Fault::Note(error)) => not_signed(&error),
            Err(Fault::NoNote) => nothing("the proof carries no signed note; ask for one: ?note=1"),
            Err(fault) => nothing(fault),
        });
    }
    let Some((file, store)) = trust::open_existing(args.trust_store.as_deref())? else {
        let sequence = super_root.sequence;
        let how = "or pin the log's key with `superroot trust pin`";
        let why =
            format!("give --key VKEY, or --superroot HASH, that of SuperRoot {sequence}, {how}");
        return Ok(nothing(why));
    };
    let file = Some(file.display().to_string());
    let key = store.log(&facts.origin).and_then(|log| log.key());
    Ok(match store.judge(facts) {
        Ok(trusted) => {
            let (size, joined) = match trusted.by {
                TrustedBy::Pin => (None, None),
                TrustedBy::Joined { size } => (Some(size), Some(true)),
                TrustedBy::NotJoined { size } => (Some(size), Some(false)),
            };
            Anchor::Trusted(By {
                by: Some("trust_store"),
                file,
                key: size.and(key).map(|key| key.key.to_string()),
                size,
                joined,
                first_use: trusted.first_use,
                witnessed: trusted.witnessed,
                super_root_hash: None,
            })
        }
        Err(Distrust::Note(error)) => not_signed(&error),
        Err(why) if why.is_contradiction() => {
            Anchor::Refused { verdict: Verdict::False, why: why.to_string() }
        }
        Err(why) => nothing(why),
    })
}

fn nothing(why: impl core::fmt::Display) -> Anchor {
    let why = format!("not anchored to anything you trust: {why}");
    Anchor::Refused { verdict: Verdict::Unusable, why }
}

/// A signature that is said to be the key's and is not makes a proof false; one that is missing, or is
/// of somebody else, shows nothing.
fn not_signed(error: &CheckpointError) -> Anchor {
    match error {
        CheckpointError::Note(NoteError::Signature) => {
            Anchor::Refused { verdict: Verdict::False, why: error.to_string() }
        }
        CheckpointError::Note(NoteError::Malformed | NoteError::Unsigned)
        | CheckpointError::Text
        | CheckpointError::Origin { .. }
        | CheckpointError::Quorum => nothing(error),
    }
}

/// Judges an answer about a SuperRoot by the hash given on the command line, and without one by the pins
/// of its log in the trust store: the file given, or the default one where it exists.
///
/// # Errors
/// When the trust store is there and cannot be read.
pub(super) fn judge(super_root: &SuperRoot, args: &VerifyArgs) -> anyhow::Result<Anchor> {
    let (got, sequence) = (super_root.hash(), super_root.sequence);
    let (expected, source, by) = if let Some(hash) = args.superroot {
        let by = Some("superroot");
        (hash, "--superroot".to_owned(), By { by, super_root_hash: Some(hash), ..By::default() })
    } else if args.key.is_some() {
        return Ok(nothing(format!(
            "this answer carries no note: give --superroot, {sequence}'s hash"
        )));
    } else {
        let Some((file, store)) = trust::open_existing(args.trust_store.as_deref())? else {
            let how = "or pin the log with `superroot trust pin`";
            let why = format!("give --superroot HASH, that of SuperRoot {sequence}, {how}");
            return Ok(nothing(why));
        };
        let file = file.display().to_string();
        let mut logs = store.logs().iter();
        let log = logs.find(|log| log_id(log.origin()).ok() == Some(super_root.log_id));
        let mut pins = log.into_iter().flat_map(|log| log.pins());
        let Some(pin) = pins.find(|pin| pin.sequence == sequence) else {
            let how = "`superroot trust update` moves on";
            return Ok(nothing(format!("{file} pins no SuperRoot {sequence} of that log; {how}")));
        };
        let by = By { by: Some("trust_store"), file: Some(file.clone()), ..By::default() };
        (pin.super_root_hash, file, by)
    };
    if got == expected {
        return Ok(Anchor::Trusted(by));
    }
    let why = format!("the SuperRoot is {got}, {source} says {expected}");
    Ok(Anchor::Refused { verdict: Verdict::False, why })
}

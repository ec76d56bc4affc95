//! Trust decision: does an answer lead to a trusted SuperRoot?

use serde::Deserialize;
use serde_json::Value;
use superroot_client::{
    Distrust, FetchedPage, KeySource, LogKey, Pin, TrustError, TrustStore, TrustedBy, TrustedLog,
};
use superroot_proof::bundle::{Facts, ProofFault};
use superroot_proof::note::{CheckpointError, NoteError, TrustPolicy, VerifierKey};
use superroot_proof::superroot::{SuperRoot, log_id};
use superroot_types::Hash;

use super::VerifyArgs;
use crate::cli::report::{AnchorTrust, CommandVerdict, TrustSource};
use crate::cli::trust;

/// Log note that ends in a SuperRoot, with the path, as carried by an answer.
#[derive(Deserialize)]
pub(super) struct NotedRoot {
    note: Option<String>,
    siblings: Vec<Hash>,
}

impl NotedRoot {
    pub(super) fn of(body: &Value) -> Option<Self> {
        Self::deserialize(body.get("publication")?).ok()
    }
}

/// Judges a proof by the hash or key from the command line, else by the trust store (given file, or default if
/// present). Pins are checked in any case.
pub(super) fn of_proof(facts: &Facts, args: &VerifyArgs) -> anyhow::Result<AnchorTrust> {
    let Some(super_root) = &facts.super_root else {
        return Ok(nothing("the proof ends below level 5 and leads to no SuperRoot"));
    };
    if args.superroot.is_none() && args.key.is_none() {
        return by_store(facts, super_root, args);
    }
    let mut pinned_key = None;
    if let Some((file, store)) = trust::open_existing(args.trust_store.as_deref())? {
        if let Err(why) = store.judge(facts)
            && why.is_contradiction()
        {
            let why = format!("{why} (trust store {})", file.display());
            return Ok(AnchorTrust::Refused { verdict: CommandVerdict::False, why });
        }
        pinned_key = store.log(&facts.origin).and_then(|log| Some(log.key()?.key.clone()));
    }
    let Some(key) = args.key.as_ref().filter(|_| args.superroot.is_none()) else {
        let anchor = judge(super_root, None, args)?;
        return Ok(with_note_fault(anchor, facts, args.key.as_ref().or(pinned_key.as_ref())));
    };
    let policy = policy_of(args)?;
    Ok(match facts.check_signed(key, &policy) {
        Ok(signed) => by_key(key, &policy, signed.size.0),
        Err(ProofFault::Note(error)) => not_signed(&error),
        Err(ProofFault::NoNote) => nothing(
            "the proof carries no signed note: ask the service for it with ?note=1 (by gRPC with note: true), or give \
             --superroot HASH; a file for contracts (--calldata) never carries one",
        ),
        Err(fault) => nothing(fault),
    })
}

/// Adds the note's fault to a proof with a SuperRoot trusted without the note.
fn with_note_fault(anchor: AnchorTrust, facts: &Facts, key: Option<&VerifierKey>) -> AnchorTrust {
    let AnchorTrust::Trusted(by) = anchor else { return anchor };
    let note_fault = facts.note.as_ref().and_then(|_| match key {
        None => Some("no key of the log is known here: give --key VKEY".to_owned()),
        Some(key) => facts.check_signed(key, &TrustPolicy::none()).err().map(|why| why.to_string()),
    });
    AnchorTrust::Trusted(TrustSource { note_fault, ..by })
}

/// Witness policy from the command line; empty by default.
fn policy_of(args: &VerifyArgs) -> anyhow::Result<TrustPolicy> {
    let policy = args.policy.as_deref().map(trust::read_policy).transpose()?;
    Ok(policy.unwrap_or_else(TrustPolicy::none))
}

fn by_key(key: &VerifierKey, policy: &TrustPolicy, size: u64) -> AnchorTrust {
    AnchorTrust::Trusted(TrustSource {
        by: Some("key"),
        key: Some(key.to_string()),
        size: Some(size),
        witnessed: policy.asks_for_witnesses(),
        ..TrustSource::default()
    })
}

fn by_store(
    facts: &Facts,
    super_root: &SuperRoot,
    args: &VerifyArgs,
) -> anyhow::Result<AnchorTrust> {
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
            let by = TrustSource {
                by: Some("trust_store"),
                file,
                key: size.and(key).map(|key| key.key.to_string()),
                size,
                joined,
                first_use: trusted.first_use,
                witnessed: trusted.witnessed,
                ..TrustSource::default()
            };
            with_note_fault(AnchorTrust::Trusted(by), facts, key.map(|key| &key.key))
        }
        Err(Distrust::Note(error)) => not_signed(&error),
        Err(why) if why.is_contradiction() => {
            AnchorTrust::Refused { verdict: CommandVerdict::False, why: why.to_string() }
        }
        Err(why) => nothing(why),
    })
}

fn nothing(why: impl core::fmt::Display) -> AnchorTrust {
    let why = format!("not anchored to anything you trust: {why}");
    AnchorTrust::Refused { verdict: CommandVerdict::Unusable, why }
}

/// A bad signature under the key's name makes a proof false. A missing or foreign signature shows nothing.
fn not_signed(error: &CheckpointError) -> AnchorTrust {
    match error {
        CheckpointError::Note(NoteError::Signature) => {
            AnchorTrust::Refused { verdict: CommandVerdict::False, why: error.to_string() }
        }
        CheckpointError::Note(NoteError::Malformed | NoteError::Unsigned)
        | CheckpointError::Text
        | CheckpointError::Origin { .. }
        | CheckpointError::Quorum => nothing(error),
    }
}

/// Judges an answer about a SuperRoot by the hash from the command line, or by the key if the answer carries a note,
/// else by the log's pins in the trust store (given file, or default if present). Pins are checked in any case.
pub(super) fn judge(
    super_root: &SuperRoot,
    publication: Option<&NotedRoot>,
    args: &VerifyArgs,
) -> anyhow::Result<AnchorTrust> {
    let got = super_root.hash();
    let sequence = super_root.sequence;
    let differs = |source: &str, expected: Hash| {
        let why = format!("the SuperRoot is {got}, {source} says {expected}");
        Ok(AnchorTrust::Refused { verdict: CommandVerdict::False, why })
    };
    let store = trust::open_existing(args.trust_store.as_deref())?;
    let store = store.map(|(file, store)| {
        (file.display().to_string(), pinned(&store, super_root).map(|pin| pin.super_root_hash))
    });
    if let Some((file, Some(pinned))) = &store
        && *pinned != got
    {
        return differs(file, *pinned);
    }
    if let Some(hash) = args.superroot {
        let by = Some("superroot");
        let by = TrustSource { by, super_root_hash: Some(hash), ..TrustSource::default() };
        return if hash == got {
            Ok(AnchorTrust::Trusted(by))
        } else {
            differs("--superroot", hash)
        };
    }
    if let Some(key) = &args.key {
        return Ok(signed_by(key, policy_of(args)?, super_root, publication));
    }
    let by = Some("trust_store");
    Ok(match store {
        Some((file, Some(_))) => {
            AnchorTrust::Trusted(TrustSource { by, file: Some(file), ..TrustSource::default() })
        }
        Some((file, None)) => {
            let how = "`superroot trust update` moves on";
            nothing(format!("{file} pins no SuperRoot {sequence} of that log; {how}"))
        }
        None => {
            let how = "or pin the log with `superroot trust pin`";
            nothing(format!("give --superroot HASH, that of SuperRoot {sequence}, {how}"))
        }
    })
}

fn pinned<'a>(store: &'a TrustStore, super_root: &SuperRoot) -> Option<&'a Pin> {
    let is_its = |log: &&TrustedLog| log_id(log.origin()).ok() == Some(super_root.log_id);
    let log = store.logs().iter().find(is_its)?;
    log.pins().iter().find(|pin| pin.sequence == super_root.sequence.0)
}

/// Whether the key and the policy's witnesses signed the log that ends in the SuperRoot.
fn signed_by(
    key: &VerifierKey,
    policy: TrustPolicy,
    super_root: &SuperRoot,
    publication: Option<&NotedRoot>,
) -> AnchorTrust {
    let Some(NotedRoot { note: Some(note), siblings }) = publication else {
        let sequence = super_root.sequence;
        return nothing(format!(
            "this answer carries no note: give --superroot, {sequence}'s hash"
        ));
    };
    let origin = key.name().to_owned();
    if log_id(&origin).ok() != Some(super_root.log_id) {
        return nothing(format!("the SuperRoot is of another log than {origin}"));
    }
    let super_root = *super_root;
    let siblings = siblings.clone();
    let page = FetchedPage { origin, super_root, siblings, keys: Vec::new() };
    let log_key = LogKey { key: key.clone(), source: KeySource::Given, policy };
    match page.check_signed(note, &log_key) {
        Ok(signed) => by_key(key, &log_key.policy, signed.size.0),
        Err(TrustError::Note(error)) => not_signed(&error),
        Err(why) => AnchorTrust::Refused { verdict: CommandVerdict::False, why: why.to_string() },
    }
}

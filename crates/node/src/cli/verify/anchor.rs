//! Whether a proof leads to a SuperRoot that the reader trusts.

use std::path::Path;

use superroot_client::TrustStore;
use superroot_proof::bundle::Facts;
use superroot_proof::superroot::{SuperRoot, log_id};
use superroot_types::Hash;

use crate::cli::report::Anchoring;
use crate::cli::trust::{self, StoreError};

/// Judges by the hash given on the command line, and without one by the trust store: the file
/// given, or the default one where it exists.
///
/// # Errors
/// [`StoreError`] when the trust store is there and cannot be read.
pub(crate) fn judge(
    facts: &Facts,
    given: Option<&Hash>,
    store: Option<&Path>,
) -> Result<Anchoring, StoreError> {
    let Some(got) = facts.super_root_hash() else {
        let why = "the proof ends below level 5 and leads to no SuperRoot".to_owned();
        return Ok(Anchoring::Nothing { why });
    };
    if let Some(expected) = given.copied() {
        let by = "--superroot".to_owned();
        return Ok(if got == expected {
            Anchoring::Given { hash: expected }
        } else {
            Anchoring::Contradicted { by, got, expected }
        });
    }
    let Some((file, store)) = trust::open_existing(store)? else {
        let why = "give --superroot HASH, or pin the log with `superroot trust pin`".to_owned();
        return Ok(Anchoring::Nothing { why });
    };
    Ok(by_store(facts, &got, &store, &file.display().to_string()))
}

/// Judges a SuperRoot that an answer names by its log's id alone: by the hash given, and without one
/// by the pins of every log with that id.
///
/// # Errors
/// [`StoreError`] when the trust store is there and cannot be read.
pub(crate) fn judge_super_root(
    super_root: &SuperRoot,
    given: Option<&Hash>,
    store: Option<&Path>,
) -> Result<Anchoring, StoreError> {
    let (got, sequence) = (super_root.hash(), super_root.sequence);
    let judge = |by: String, expected: Hash, trusted: Anchoring| {
        if got == expected { trusted } else { Anchoring::Contradicted { by, got, expected } }
    };
    if let Some(hash) = given.copied() {
        return Ok(judge("--superroot".to_owned(), hash, Anchoring::Given { hash }));
    }
    let nothing = |why: String| Ok(Anchoring::Nothing { why });
    let Some((file, store)) = trust::open_existing(store)? else {
        return nothing(format!("give --superroot HASH, that of SuperRoot {sequence}"));
    };
    let file = file.display().to_string();
    let is_of_log = |origin: &&str| log_id(origin).ok() == Some(super_root.log_id);
    let pins = store.origins().filter(is_of_log).flat_map(|origin| store.pins(origin));
    let Some(pin) = pins.into_iter().find(|pin| pin.sequence == sequence) else {
        return nothing(format!("{file} pins no SuperRoot {sequence} of that log"));
    };
    let pinned = Anchoring::Pinned { file: file.clone() };
    Ok(judge(file, pin.super_root_hash, pinned))
}

fn by_store(facts: &Facts, got: &Hash, store: &TrustStore, file: &str) -> Anchoring {
    if store.trusts(facts) {
        return Anchoring::Pinned { file: file.to_owned() };
    }
    let sequence = facts.super_root.as_ref().map(|super_root| super_root.sequence);
    let pinned = store.pins(&facts.origin).iter().find(|pin| Some(pin.sequence) == sequence);
    match pinned.map(|pin| pin.super_root_hash) {
        Some(expected) => Anchoring::Contradicted { by: file.to_owned(), got: *got, expected },
        None => {
            let origin = &facts.origin;
            let why = match (store.pins(origin).last(), sequence) {
                (Some(newest), Some(sequence)) => {
                    let newest = newest.sequence;
                    let pins =
                        format!("{file} pins SuperRoot {newest} of {origin}, not {sequence}");
                    pins + "; `superroot trust update` moves on"
                }
                _ => format!("{file} does not pin the log {origin}"),
            };
            Anchoring::Nothing { why }
        }
    }
}

//! Whether a proof leads to a SuperRoot that the reader trusts.

use std::path::Path;

use superroot_client::TrustStore;
use superroot_proof::bundle::Facts;
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

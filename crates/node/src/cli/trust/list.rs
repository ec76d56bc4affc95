//! Pins as printed by `list`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use superroot_client::{KeySource, Pin, TrustStore, TrustedLog};
use superroot_types::{Network, shown_origin};

use crate::cli::style::{FAINT, GOOD, HEADING, WARNING, plain, styled};

const LISTED_MAX: usize = 8;

pub(super) fn text(store: &TrustStore) -> String {
    let mut text = String::new();
    store.logs().iter().for_each(|log| one(&mut text, log));
    if text.is_empty() {
        text += "nothing is trusted yet: `superroot trust pin` begins\n";
    }
    text
}

/// JSON with all pins. Names are a contract: new ones may be added, existing ones never change.
pub(super) fn json(store: &TrustStore) -> String {
    let logs = store.logs().iter().map(|log| {
        let key = log.key().map(|key| {
            let witnesses = key.policy.asks_for_witnesses().then(|| key.policy.witnesses().count());
            json!({
                "key": key.key.to_string(),
                "first_use": key.source == KeySource::FirstUse,
                "witnesses": witnesses,
            })
        });
        let pins = log.pins().iter().map(|Pin { sequence, super_root_hash, .. }| {
            json!({ "sequence": sequence, "super_root_hash": super_root_hash })
        });
        json!({
            "origin": log.origin(),
            "network": Network::of_origin(log.origin()),
            "key": key,
            "pins": pins.collect::<Value>(),
        })
    });
    format!("{:#}", json!({ "logs": logs.collect::<Value>() }))
}

fn one(text: &mut String, log: &TrustedLog) {
    let origin = log.origin();
    let network = match Network::of_origin(origin) {
        Network::Live => styled(GOOD, Network::Live),
        other => styled(WARNING, other),
    };
    let _ = writeln!(text, "{}  {network}", styled(HEADING, shown_origin(origin)));
    match log.key() {
        None => {
            let _ = writeln!(text, "  {}", styled(FAINT, "no key: these pins never move"));
        }
        Some(key) => {
            let _ = writeln!(text, "  key {}", plain(&key.key.to_string()));
            if key.source == KeySource::FirstUse {
                let words = "first_use: taken from the service; `trust pin --key` confirms it";
                let _ = writeln!(text, "  {}", styled(WARNING, words));
            }
            let witnesses = key.policy.witnesses().count();
            if key.policy.asks_for_witnesses() {
                let _ = writeln!(text, "  policy: a quorum of {witnesses} witnesses");
            }
        }
    }
    let pins = log.pins();
    for Pin { sequence, super_root_hash, .. } in pins.iter().rev().take(LISTED_MAX) {
        let _ = writeln!(text, "  SuperRoot {sequence:<10} {super_root_hash}");
    }
    if let Some(more @ 1..) = pins.len().checked_sub(LISTED_MAX) {
        let _ = writeln!(text, "  {}", styled(FAINT, format!("and {more} older")));
    }
}

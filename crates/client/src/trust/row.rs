//! Trust store file format.
//!
//! ```toml
//! [[log]]
//! origin = "log.example.org"
//! key = "log.example.org+5d2b...+AZ..."
//! first_use = true
//! policy = "witness ..."
//! registry = ["0x08..", ..]       # profiles of the newest pin
//!
//! [[log.pin]]
//! sequence = 7
//! super_root_hash = "0x..."
//! note = "..."
//! ```

use serde::{Deserialize, Serialize};
use superroot_proof::note::{TrustPolicy, VerifierKey};
use superroot_proof::registry::Profile;
use superroot_types::Hash;

use super::{KeySource, Pin, TrustError, TrustStore, TrustedLog};

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoreRow {
    #[serde(default)]
    log: Vec<LogRow>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LogRow {
    origin: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    first_use: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    registry: Vec<String>,
    #[serde(default)]
    pin: Vec<PinRow>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PinRow {
    sequence: u64,
    super_root_hash: Hash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
const fn is_false(value: &bool) -> bool {
    !*value
}

impl From<TrustStore> for StoreRow {
    fn from(store: TrustStore) -> Self {
        Self { log: store.logs.into_iter().map(LogRow::from).collect() }
    }
}

impl From<TrustedLog> for LogRow {
    fn from(log: TrustedLog) -> Self {
        let TrustedLog { origin, key, registry, pins } = log;
        let policy = key.as_ref().map(|key| &key.policy).filter(|one| one.asks_for_witnesses());
        let encoded = registry.iter().filter_map(|profile| profile.encode().ok());
        let pin =
            |Pin { sequence, super_root_hash, note }| PinRow { sequence, super_root_hash, note };
        Self {
            origin,
            first_use: key.as_ref().is_some_and(|key| key.source == KeySource::FirstUse),
            policy: policy.map(|policy| policy.text().to_owned()),
            key: key.map(|key| key.key.to_string()),
            registry: encoded.map(|profile| const_hex::encode_prefixed(&profile)).collect(),
            pin: pins.into_iter().map(pin).collect(),
        }
    }
}

impl TryFrom<StoreRow> for TrustStore {
    type Error = TrustError;

    /// Rebuilds the store by pinning its logs again, so that only a valid store results.
    fn try_from(rows: StoreRow) -> Result<Self, TrustError> {
        let mut store = Self::default();
        for row in rows.log {
            let malformed =
                |why: String| TrustError::Malformed { why: format!("{}: {why}", row.origin) };
            if store.log(&row.origin).is_some() {
                return Err(malformed("a log occurs twice".to_owned()));
            }
            if let Some(key) = &row.key {
                let key: VerifierKey =
                    key.parse().map_err(|error| malformed(format!("{error}")))?;
                if key.name() != row.origin {
                    return Err(malformed("the key is of another origin".to_owned()));
                }
                let policy = row.policy.as_deref().map(TrustPolicy::parse).transpose();
                let policy = policy.map_err(|error| malformed(error.to_string()))?;
                let source = if row.first_use { KeySource::FirstUse } else { KeySource::Given };
                store.pin_key(key, policy, source, false)?;
            }
            let log = store.log_or_new(&row.origin)?;
            let profiles = row.registry.iter().map(|text| profile(text));
            let profiles: Option<Vec<_>> = profiles.collect();
            log.registry = profiles.ok_or_else(|| malformed("a profile is none".to_owned()))?;
            for PinRow { sequence, super_root_hash, note } in row.pin {
                if log.pins.last().is_some_and(|last| last.sequence >= sequence) {
                    return Err(malformed("pins do not rise".to_owned()));
                }
                log.pin(Pin { sequence, super_root_hash, note })?;
            }
        }
        Ok(store)
    }
}

fn profile(text: &str) -> Option<Profile> {
    Profile::decode(&const_hex::decode(text).ok()?).ok()
}

//! Watch rows in the accounts database: key `environment:u8 ‖ account:16 ‖ id:16`, value a version byte and JSON.

use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Environment, Label};
use superroot_proof::hash::keccak256;
use superroot_store::layout::WatchFilter;
use superroot_types::{Address, BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};
use uuid::Uuid;

/// Watch id: a UUID derived from the target, so the same target is never watched twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WatchId(pub Uuid);

impl WatchId {
    /// Derives the id: first 16 bytes of `keccak256(family:u8 ‖ chain_id:u64 ‖ target)`, as a UUID version 8 (RFC
    /// 9562).
    #[must_use]
    pub fn of(chain: ChainKey, target: WatchTarget) -> Self {
        let target: &[u8] = match &target {
            WatchTarget::Address(address) => &address.0,
            WatchTarget::Topic(topic) => &topic.0,
        };
        let bytes = [&[chain.family as u8][..], &chain.id.0.to_be_bytes(), target].concat();
        let mut id = [0; 16];
        id.copy_from_slice(&keccak256(&bytes).0[..16]);
        Self(uuid::Builder::from_custom_bytes(id).into_uuid())
    }
}

impl fmt::Display for WatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for WatchId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        text.parse().map(Self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchTarget {
    /// A contract's events.
    Address(Address),
    /// Events with this topic in any position.
    Topic(Hash),
}

impl WatchTarget {
    /// Filter with this target only.
    #[must_use]
    pub fn list(self) -> WatchFilter {
        let mut list = WatchFilter::nothing();
        if let WatchFilter::Some { addresses, topics } = &mut list {
            match self {
                Self::Address(address) => _ = addresses.insert(address),
                Self::Topic(topic) => _ = topics.insert(topic),
            }
        }
        list
    }
}

/// An account's watch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyWatch {
    pub id: WatchId,
    pub account: AccountId,
    pub family: Family,
    pub chain_id: ChainId,
    pub target: WatchTarget,
    /// First block of interest; `None`: new blocks only.
    pub from_block: Option<BlockNumber>,
    pub label: Option<Label>,
    pub created_at: UnixSeconds,
}

impl KeyWatch {
    #[must_use]
    pub const fn chain(&self) -> ChainKey {
        ChainKey { family: self.family, id: self.chain_id }
    }
}

/// A watch's row key.
pub(crate) fn key(environment: Environment, account: AccountId, id: WatchId) -> Vec<u8> {
    [&of_account(environment, account)[..], id.0.as_bytes()].concat()
}

/// Key prefix for an account.
pub(crate) fn of_account(environment: Environment, account: AccountId) -> Vec<u8> {
    [&of_environment(environment)[..], account.0.as_bytes()].concat()
}

/// Key prefix for all watches.
pub(crate) const fn of_environment(environment: Environment) -> [u8; 1] {
    [match environment {
        Environment::Live => 0,
        Environment::Test => 1,
    }]
}

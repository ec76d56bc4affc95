//! Rows of watches, beside the accounts: `environment:u8 ‖ account:16 ‖ id:16` to a version byte and JSON.

use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Environment, Label};
use superroot_proof::hash::keccak256;
use superroot_store::layout::Watch;
use superroot_types::{Address, BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};
use uuid::Uuid;

/// A watch of an account: a UUID made of what is watched, so that the same is never watched twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WatchId(pub Uuid);

impl WatchId {
    /// The watch of that target on that chain: the first 16 bytes of
    /// `keccak256(family:u8 ‖ chain_id:u64 ‖ target)`, as a UUID of version 8 (RFC 9562).
    #[must_use]
    pub fn of(chain: ChainKey, target: Target) -> Self {
        let target: &[u8] = match &target {
            Target::Address(address) => &address.0,
            Target::Topic(topic) => &topic.0,
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

/// What is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Events of a contract.
    Address(Address),
    /// Events that have it among their topics, at any place.
    Topic(Hash),
}

impl Target {
    /// A watch list of it alone.
    #[must_use]
    pub fn list(self) -> Watch {
        let mut list = Watch::nothing();
        if let Watch::Some { addresses, topics } = &mut list {
            match self {
                Self::Address(address) => _ = addresses.insert(address),
                Self::Topic(topic) => _ = topics.insert(topic),
            }
        }
        list
    }
}

/// A watch of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyWatch {
    /// Its id.
    pub id: WatchId,
    /// Whose it is.
    pub account: AccountId,
    /// Family of the chain.
    pub family: Family,
    /// Id of the chain.
    pub chain_id: ChainId,
    /// What is watched.
    pub target: Target,
    /// First block whose events are wanted; none: those of blocks to come.
    pub from_block: Option<BlockNumber>,
    /// What its owner calls it.
    pub label: Option<Label>,
    /// When it was made.
    pub created_at: UnixSeconds,
}

impl KeyWatch {
    /// The chain.
    #[must_use]
    pub const fn chain(&self) -> ChainKey {
        ChainKey { family: self.family, id: self.chain_id }
    }
}

/// Key of a watch.
pub(crate) fn key(environment: Environment, account: AccountId, id: WatchId) -> Vec<u8> {
    [&of_account(environment, account)[..], id.0.as_bytes()].concat()
}

/// What the keys of an account's watches begin with.
pub(crate) fn of_account(environment: Environment, account: AccountId) -> Vec<u8> {
    [&of_environment(environment)[..], account.0.as_bytes()].concat()
}

/// What the keys of all watches begin with.
pub(crate) const fn of_environment(environment: Environment) -> [u8; 1] {
    [match environment {
        Environment::Live => 0,
        Environment::Test => 1,
    }]
}

//! Pool events, by their forms.

mod content;
mod forms;
mod parts;

use std::collections::HashMap;
use std::sync::LazyLock;

use alloy_primitives::Address;
use superroot_proof::hash::keccak256;
use superroot_types::Hash;

pub use self::content::{Created, DecodedPoolEvent, Liquidity, PoolEvent, PoolId, Spot};

use self::forms::{EventForm, FORMS};

static BY_TOPIC: LazyLock<HashMap<Hash, &'static EventForm>> = LazyLock::new(|| {
    FORMS.iter().map(|form| (keccak256(form.signature.as_bytes()), form)).collect()
});

/// First topics of the decoded events, with their signatures.
pub fn topics() -> impl Iterator<Item = (Hash, &'static str)> {
    BY_TOPIC.iter().map(|(topic, form)| (*topic, form.signature))
}

/// First topics of the events that change a pool's state: with complete coverage, the price is known.
pub fn state_topics() -> impl Iterator<Item = Hash> {
    topics().filter(|(_, signature)| !NOT_OF_STATE.contains(signature)).map(|(topic, _)| topic)
}

/// Creations, and events without information beyond another event.
const NOT_OF_STATE: [&str; 15] = [
    "PairCreated(address,address,address,uint256)",
    "Swap(address,uint256,uint256,uint256,uint256,address)",
    "Mint(address,uint256,uint256)",
    "Burn(address,uint256,uint256,address)",
    "PairCreated(address,address,bool,address,uint256)",
    "PoolCreated(address,address,bool,address,uint256)",
    "Swap(address,address,uint256,uint256,uint256,uint256)",
    "Burn(address,address,uint256,uint256)",
    "PoolCreated(address,address,uint24,int24,address)",
    "PoolCreated(address,address,int24,address)",
    "Pool(address,address,address)",
    "Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)",
    "Initialize(bytes32,address,address,address,uint24,bytes32,uint160,int24)",
    "Initialize(bytes32,address,address,address,uint24,bytes32,uint24)",
    "LBPairCreated(address,address,uint256,address,uint256)",
];

/// Decodes a pool event; `None` unless all parts match a known form.
#[must_use]
pub fn decode(contract: Address, topics: &[Hash], data: &[u8]) -> Option<DecodedPoolEvent> {
    let (first, others) = topics.split_first()?;
    let form = BY_TOPIC.get(first)?;
    let has_form = others.len() == form.topics && data.len() == form.words * 32;
    has_form.then(|| (form.read)(contract, others, data))?
}

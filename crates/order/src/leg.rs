//! Order legs and their rows. Integers are big-endian; `place` is `chain ‖ number:u64 ‖ tx_index:u32 ‖ log_index:u32 ‖
//! part:u16`, and a 16-byte key is a Keccak-256 prefix.
//!
//! | table | key | value |
//! |---|---|---|
//! | `Order` | `00 ‖ order:16 ‖ kind:u8 ‖ terms:8 ‖ place` | none: a leg of that order |
//! | `Order` | `01 ‖ name:16 ‖ order:16 ‖ place` | none: a name that leads to that order |
//! | `Order` | `02 ‖ place` | [`Leg`] |
//!
//! Every row follows from one event and its neighbours in the transaction. Rows are therefore never changed, and legs
//! may come and go in any order.

mod row;

use alloy_primitives::{Address, U256};
use superroot_proof::hash::keccak256;
use superroot_store::codec::Decoder;
use superroot_store::layout::chain_key;
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};

/// Effect of a leg on its order. The number is part of stored keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum LegKind {
    Opened = 0,
    /// Step without a state change.
    Noted = 1,
    /// Full or partial fill.
    Filled = 2,
    /// Both sides are done.
    Settled = 3,
    Cancelled = 4,
    /// The deposit was paid back.
    Refunded = 5,
    /// Failed attempt at the destination.
    Failed = 6,
    /// Wrapper event next to the opening.
    Wrapped = 7,
}

impl LegKind {
    pub const ALL: [Self; 8] = [
        Self::Opened,
        Self::Noted,
        Self::Filled,
        Self::Settled,
        Self::Cancelled,
        Self::Refunded,
        Self::Failed,
        Self::Wrapped,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Noted => "noted",
            Self::Filled => "filled",
            Self::Settled => "settled",
            Self::Cancelled => "cancelled",
            Self::Refunded => "refunded",
            Self::Failed => "failed",
            Self::Wrapped => "wrapped",
        }
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    fn of_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }
}

/// An event's position, and the part within the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LegPosition {
    pub chain: ChainKey,
    pub number: BlockNumber,
    /// Transaction position in the block.
    pub tx_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
    /// Part index within one event.
    pub part: u16,
}

/// Bytes of a position in a key.
const PLACE_BYTES: usize = 27;

impl LegPosition {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&chain_key(self.chain));
        out.extend_from_slice(&self.number.0.to_be_bytes());
        out.extend_from_slice(&self.tx_index.to_be_bytes());
        out.extend_from_slice(&self.log_index.to_be_bytes());
        out.extend_from_slice(&self.part.to_be_bytes());
    }

    /// Position at the end of a key.
    pub(crate) fn at_end(key: &[u8]) -> Option<Self> {
        let bytes = key.get(key.len().checked_sub(PLACE_BYTES)?..)?;
        let mut row = Decoder::new(bytes);
        let family = Family::try_from(row.u8()?).ok()?;
        let chain = ChainKey { family, id: ChainId(row.u64()?) };
        let number = BlockNumber(row.u64()?);
        let tx_index = row.u32()?;
        let log_index = row.u32()?;
        let part = u16::from_be_bytes(row.array()?);
        row.finish(Self { chain, number, tx_index, log_index, part })
    }
}

/// Keccak-256 prefix for an order or an order name.
pub type Key16 = [u8; 16];

#[must_use]
pub fn order_key(protocol: &str, lane: &str, id: &str) -> Key16 {
    short(&["order", protocol, lane, id])
}

#[must_use]
pub fn name_key(kind: &str, name: &str) -> Key16 {
    short(&["name", kind, name])
}

fn short(parts: &[&str]) -> Key16 {
    let hash = keccak256(parts.join("\0").as_bytes());
    let mut key = [0; 16];
    key.copy_from_slice(&hash.0[..16]);
    key
}

/// Token as named by a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderToken {
    /// The chain's native coin.
    Native,
    Contract(Address),
    /// Token on a chain with 32-byte addresses.
    Wide(Hash),
}

/// Amount in the token's smallest unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenAmount {
    /// Index in the protocol row's amount names for the event.
    pub name: u8,
    pub value: U256,
    /// Token, if named in the event.
    pub token: Option<OrderToken>,
    pub chain: Option<u64>,
}

/// Content of one event for an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    pub place: LegPosition,
    /// Effect on the order.
    pub kind: LegKind,
    pub protocol: u8,
    /// Event index in the protocol.
    pub event: u8,
    /// Group of contracts that belong together.
    pub lane: String,
    pub id: String,
    pub at: UnixSeconds,
    /// Transaction hash, if known.
    pub tx_hash: Option<Hash>,
    pub origin: Option<u64>,
    pub destination: Option<u64>,
    /// Whether the event names an unknown destination chain.
    pub is_elsewhere: bool,
    /// Terms shared by both sides.
    pub terms: Option<Key16>,
    /// Token paid at the destination.
    pub token_out: Option<Hash>,
    /// Latest time for a fill.
    pub deadline: Option<u64>,
    /// Latest time for a swap on arrival.
    pub swap_deadline: Option<u64>,
    /// Whether the order is only partially filled so far.
    pub is_partial: bool,
    pub amounts: Vec<TokenAmount>,
    /// Second name, for joining legs without an id.
    pub join: Option<String>,
    /// Deposit number from the protocol.
    pub deposit: Option<String>,
    /// Protocol and id of the wrapper, in a [`LegKind::Wrapped`] leg.
    pub wrapper: Option<(u8, String)>,
}

const OF_ORDER: u8 = 0;
const BY_NAME: u8 = 1;
const OF_LEG: u8 = 2;

pub(crate) fn chain_prefix(chain: ChainKey) -> Vec<u8> {
    legs_prefix(&chain_key(chain))
}

/// Key prefix for all legs on a chain, or in one block.
pub(crate) fn legs_prefix(of: &[u8]) -> Vec<u8> {
    [&[OF_LEG][..], of].concat()
}

/// Key prefix for an order's legs, optionally with kind and terms.
pub(crate) fn order_prefix(order: &Key16, kind: Option<LegKind>, terms: Option<&Key16>) -> Vec<u8> {
    let mut key = [&[OF_ORDER][..], order].concat();
    if let Some(kind) = kind {
        key.push(kind as u8);
        terms.into_iter().for_each(|terms| key.extend_from_slice(&terms[..8]));
    }
    key
}

/// Key prefix for a name, optionally with an order.
pub(crate) fn name_prefix(name: &Key16, order: Option<&Key16>) -> Vec<u8> {
    let mut key = [&[BY_NAME][..], name].concat();
    order.into_iter().for_each(|order| key.extend_from_slice(order));
    key
}

pub(crate) fn order_of_name(key: &[u8]) -> Option<Key16> {
    key.get(17..33)?.try_into().ok()
}

pub(crate) fn kind_of_key(key: &[u8]) -> Option<LegKind> {
    LegKind::of_byte(*key.get(17)?)
}

pub(crate) fn leg_key(place: &LegPosition) -> Vec<u8> {
    let mut key = vec![OF_LEG];
    place.write(&mut key);
    key
}

impl Leg {
    #[must_use]
    pub fn order(&self, protocol: &str) -> Key16 {
        order_key(protocol, &self.lane, &self.id)
    }
}

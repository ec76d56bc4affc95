//! Legs of orders, and their rows. Integers are big-endian; `place` is `chain ‖ number:u64 ‖ tx_index:u32 ‖
//! log_index:u32 ‖ part:u16`, and a key of 16 bytes is the beginning of a Keccak-256.
//!
//! | table | key | value |
//! |---|---|---|
//! | `Order` | `00 ‖ order:16 ‖ kind:u8 ‖ terms:8 ‖ place` | none: a leg of that order |
//! | `Order` | `01 ‖ name:16 ‖ order:16 ‖ place` | none: a name that leads to that order |
//! | `Order` | `02 ‖ place` | [`Leg`] |
//!
//! Every row follows from one event and what stands beside it in its transaction. So nothing is ever changed, and
//! legs may come and go in any order.

use alloy_primitives::{Address, U256};
use superroot_index::Row;
use superroot_proof::hash::keccak256;
use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::chain_key;
use superroot_store::{StoreError, Table};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};

/// What a leg makes of its order. The number stands in stored keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// It was opened.
    Opened = 0,
    /// A step that changes no state.
    Noted = 1,
    /// It was filled, or a part of it.
    Filled = 2,
    /// Both sides are done.
    Settled = 3,
    /// It was called off.
    Cancelled = 4,
    /// What was paid in was paid back.
    Refunded = 5,
    /// The destination tried and failed.
    Failed = 6,
    /// A wrapper's event beside the opening.
    Wrapped = 7,
}

impl Kind {
    /// Every kind.
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

    /// Its name.
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

/// Where an event stands, and which part of it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Its chain.
    pub chain: ChainKey,
    /// Its block.
    pub number: BlockNumber,
    /// Position of its transaction in the block.
    pub tx_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
    /// Which of the parts of one event.
    pub part: u16,
}

/// Bytes of a place in a key.
const PLACE_BYTES: usize = 27;

impl Place {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&chain_key(self.chain));
        out.extend_from_slice(&self.number.0.to_be_bytes());
        out.extend_from_slice(&self.tx_index.to_be_bytes());
        out.extend_from_slice(&self.log_index.to_be_bytes());
        out.extend_from_slice(&self.part.to_be_bytes());
    }

    /// The place that a key ends with.
    pub(crate) fn at_end(key: &[u8]) -> Option<Self> {
        let bytes = key.get(key.len().checked_sub(PLACE_BYTES)?..)?;
        let mut row = Decoder::new(bytes);
        let family = Family::try_from(row.u8()?).ok()?;
        let chain = ChainKey { family, id: ChainId(row.u64()?) };
        let (number, tx_index) = (BlockNumber(row.u64()?), row.u32()?);
        let (log_index, part) = (row.u32()?, u16::from_be_bytes(row.array()?));
        row.finish(Self { chain, number, tx_index, log_index, part })
    }
}

/// Beginning of a Keccak-256: of an order, or of a name that leads to orders.
pub type Key16 = [u8; 16];

/// The key of an order: protocol, lane and id.
#[must_use]
pub fn order_key(protocol: &str, lane: &str, id: &str) -> Key16 {
    short(&["order", protocol, lane, id])
}

/// The key of a name: an id, a deposit's number, a transaction's hash.
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

/// A token, as a protocol names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// The chain's own.
    Native,
    /// A contract.
    Contract(Address),
    /// Of a chain whose addresses have 32 bytes.
    Wide(Hash),
}

/// An amount, in the token's smallest unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Amount {
    /// Its place among those that the protocol's row names for the event.
    pub name: u8,
    /// How much.
    pub value: U256,
    /// Of which token, where the event says so.
    pub token: Option<Token>,
    /// The token's chain.
    pub chain: Option<u64>,
}

/// What one event says of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The event.
    pub place: Place,
    /// What it makes of the order.
    pub kind: Kind,
    /// Number of the protocol.
    pub protocol: u8,
    /// Place of the event among those of its protocol.
    pub event: u8,
    /// The contracts that belong together.
    pub lane: String,
    /// The order's id.
    pub id: String,
    /// Time of its block.
    pub at: UnixSeconds,
    /// Its transaction, where that is known.
    pub tx_hash: Option<Hash>,
    /// Where the order begins.
    pub origin: Option<u64>,
    /// Where it ends.
    pub destination: Option<u64>,
    /// Whether it names a chain as its end that is none of those known here.
    pub is_elsewhere: bool,
    /// What both sides have to agree on.
    pub terms: Option<Key16>,
    /// What the destination pays out in.
    pub token_out: Option<Hash>,
    /// Last moment of a fill.
    pub deadline: Option<u64>,
    /// Last moment of a swap on arrival.
    pub swap_deadline: Option<u64>,
    /// Whether what was filled so far is a part.
    pub is_partial: bool,
    /// Amounts.
    pub amounts: Vec<Amount>,
    /// Another name under which it meets legs that have no id.
    pub join: Option<String>,
    /// The number that the protocol gave the deposit.
    pub deposit: Option<String>,
    /// The wrapper's protocol and id, of a [`Kind::Wrapped`] leg.
    pub wrapper: Option<(u8, String)>,
}

const OF_ORDER: u8 = 0;
const BY_NAME: u8 = 1;
const OF_LEG: u8 = 2;

/// What the keys of all legs of a chain begin with.
pub(crate) fn chain_prefix(chain: ChainKey) -> Vec<u8> {
    legs_prefix(&chain_key(chain))
}

/// What the keys of all legs of a chain, or of a block of one, begin with.
pub(crate) fn legs_prefix(of: &[u8]) -> Vec<u8> {
    [&[OF_LEG][..], of].concat()
}

/// What the keys of an order's legs begin with, of a kind and of terms where those are given.
pub(crate) fn order_prefix(order: &Key16, kind: Option<Kind>, terms: Option<&Key16>) -> Vec<u8> {
    let mut key = [&[OF_ORDER][..], order].concat();
    if let Some(kind) = kind {
        key.push(kind as u8);
        terms.into_iter().for_each(|terms| key.extend_from_slice(&terms[..8]));
    }
    key
}

/// What the keys of a name begin with; of a name and an order where that is given.
pub(crate) fn name_prefix(name: &Key16, order: Option<&Key16>) -> Vec<u8> {
    let mut key = [&[BY_NAME][..], name].concat();
    order.into_iter().for_each(|order| key.extend_from_slice(order));
    key
}

/// The order that a name's key leads to.
pub(crate) fn order_of_name(key: &[u8]) -> Option<Key16> {
    key.get(17..33)?.try_into().ok()
}

/// The kind in the key of an order's leg.
pub(crate) fn kind_of_key(key: &[u8]) -> Option<Kind> {
    Kind::of_byte(*key.get(17)?)
}

pub(crate) fn leg_key(place: &Place) -> Vec<u8> {
    let mut key = vec![OF_LEG];
    place.write(&mut key);
    key
}

impl Leg {
    /// The key of its order.
    #[must_use]
    pub fn order(&self, protocol: &str) -> Key16 {
        order_key(protocol, &self.lane, &self.id)
    }

    /// Names that lead to its order, besides its id where that begins with the protocol.
    fn names(&self, protocol: &str) -> Vec<Key16> {
        let mut names = Vec::new();
        if self.id.starts_with("0x") {
            names.push(name_key("id", &self.id));
        }
        if let Some((_, id)) = &self.wrapper {
            names.push(name_key("id", id));
        }
        if let Some(deposit) = &self.deposit {
            names.push(name_key("deposit", deposit));
            names.push(name_key("deposit", &format!("{protocol}:{deposit}")));
        }
        if let Some(hash) = &self.tx_hash {
            names.push(name_key("tx", &hash.to_string()));
        }
        names
    }

    /// Keys of its rows, but for the one that holds it.
    pub(crate) fn keys(&self, protocol: &str) -> Vec<Vec<u8>> {
        let order = self.order(protocol);
        let terms = self.terms.unwrap_or_default();
        let of_order = |order: &Key16| {
            let mut key = order_prefix(order, Some(self.kind), Some(&terms));
            self.place.write(&mut key);
            key
        };
        let by_name = |name: Key16| {
            let mut key = name_prefix(&name, Some(&order));
            self.place.write(&mut key);
            key
        };
        let joined = self.join.as_ref().map(|join| of_order(&order_key(protocol, "", join)));
        let names = self.names(protocol).into_iter().map(by_name);
        std::iter::once(of_order(&order)).chain(joined).chain(names).collect()
    }

    /// Its rows.
    pub(crate) fn put(&self, protocol: &str, rows: &mut Vec<Row>) {
        rows.push((Table::Order, leg_key(&self.place), self.encode()));
        let keys = self.keys(protocol).into_iter();
        rows.extend(keys.map(|key| (Table::Order, key, Vec::new())));
    }

    /// `kind:u8 ‖ protocol:u8 ‖ event:u8 ‖ lane ‖ id ‖ at:u64 ‖ tx ‖ origin ‖ destination ‖ terms ‖ token_out ‖
    /// deadline ‖ swap_deadline ‖ is_partial ‖ amounts ‖ join ‖ deposit ‖ wrapper ‖ is_elsewhere`. Rows of earlier builds end before the last one.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u8(self.kind as u8).u8(self.protocol).u8(self.event);
        out.bytes(self.lane.as_bytes()).bytes(self.id.as_bytes()).u64(self.at.0);
        out.option(self.tx_hash.as_ref(), |out, hash| _ = out.hash(hash));
        out.option(self.origin, |out, chain| _ = out.u64(chain));
        out.option(self.destination, |out, chain| _ = out.u64(chain));
        out.option(self.terms, |out, terms| _ = out.raw(&terms));
        out.option(self.token_out.as_ref(), |out, token| _ = out.hash(token));
        out.option(self.deadline, |out, at| _ = out.u64(at));
        out.option(self.swap_deadline, |out, at| _ = out.u64(at));
        out.flag(self.is_partial);
        out.u8(u8::try_from(self.amounts.len()).unwrap_or(u8::MAX));
        self.amounts.iter().take(u8::MAX.into()).for_each(|amount| write_amount(&mut out, amount));
        out.option(self.join.as_ref(), |out, join| _ = out.bytes(join.as_bytes()));
        out.option(self.deposit.as_ref(), |out, id| _ = out.bytes(id.as_bytes()));
        out.option(self.wrapper.as_ref(), |out, (protocol, id)| {
            out.u8(*protocol).bytes(id.as_bytes());
        });
        out.flag(self.is_elsewhere).finish()
    }

    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        Self::read(key, bytes)
            .ok_or_else(|| StoreError::corrupt(Table::Order, key, "not a leg of an order"))
    }

    fn read(key: &[u8], bytes: &[u8]) -> Option<Self> {
        let place = Place::at_end(key)?;
        let mut row = Decoder::new(bytes);
        let (kind, protocol, event) = (Kind::of_byte(row.u8()?)?, row.u8()?, row.u8()?);
        let (lane, id, at) = (row.text()?, row.text()?, UnixSeconds(row.u64()?));
        let tx_hash = row.option(Decoder::hash)?;
        let (origin, destination) = (row.option(Decoder::u64)?, row.option(Decoder::u64)?);
        let (terms, token_out) = (row.option(Decoder::array)?, row.option(Decoder::hash)?);
        let (deadline, swap_deadline) = (row.option(Decoder::u64)?, row.option(Decoder::u64)?);
        let is_partial = row.flag()?;
        let amounts = (0..row.u8()?).map(|_| read_amount(&mut row)).collect::<Option<_>>()?;
        let (join, deposit) = (row.option(Decoder::text)?, row.option(Decoder::text)?);
        let wrapper = row.option(|row| Some((row.u8()?, row.text()?)))?;
        let is_elsewhere = if row.is_empty() { false } else { row.flag()? };
        row.finish(Self {
            place,
            kind,
            protocol,
            event,
            lane,
            id,
            at,
            tx_hash,
            origin,
            destination,
            is_elsewhere,
            terms,
            token_out,
            deadline,
            swap_deadline,
            is_partial,
            amounts,
            join,
            deposit,
            wrapper,
        })
    }
}

/// `name:u8 ‖ length:u8 ‖ value ‖ token ‖ chain`: the value without zeros before it.
fn write_amount(out: &mut Encoder, amount: &Amount) {
    let value = amount.value.to_be_bytes_trimmed_vec();
    out.u8(amount.name).u8(u8::try_from(value.len()).unwrap_or(32)).raw(&value);
    match amount.token {
        None => _ = out.u8(0),
        Some(Token::Native) => _ = out.u8(1),
        Some(Token::Contract(address)) => _ = out.u8(2).raw(address.as_slice()),
        Some(Token::Wide(token)) => _ = out.u8(3).hash(&token),
    }
    out.option(amount.chain, |out, chain| _ = out.u64(chain));
}

fn read_amount(row: &mut Decoder<'_>) -> Option<Amount> {
    let (name, length) = (row.u8()?, row.u8()?);
    if length > 32 {
        return None;
    }
    let mut value = [0; 32];
    for byte in value.iter_mut().skip(32 - usize::from(length)) {
        *byte = row.u8()?;
    }
    let token = match row.u8()? {
        0 => None,
        1 => Some(Token::Native),
        2 => Some(Token::Contract(Address::from(row.array::<20>()?))),
        3 => Some(Token::Wide(row.hash()?)),
        _ => return None,
    };
    let chain = row.option(Decoder::u64)?;
    Some(Amount { name, value: U256::from_be_bytes(value), token, chain })
}

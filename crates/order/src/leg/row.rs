//! Stored form of a leg.

use alloy_primitives::{Address, U256};
use superroot_index::Row;
use superroot_store::codec::{Decoder, Encoder};
use superroot_store::{StoreError, Table};
use superroot_types::UnixSeconds;

use super::{
    Key16, Leg, LegKind, LegPosition, OrderToken, TokenAmount, leg_key, name_key, name_prefix,
    order_key, order_prefix,
};
use crate::table::OrderProtocol;

impl Leg {
    /// The order's names, besides an id with the protocol prefix.
    fn names(&self, protocol: &OrderProtocol) -> Vec<Key16> {
        let mut names = Vec::new();
        let joined = self.join.as_ref().filter(|_| protocol.joins_in_lane);
        let ids = std::iter::once(&self.id).chain(joined);
        names.extend(ids.filter(|id| id.starts_with("0x")).map(|id| name_key("id", id)));
        if let Some((_, id)) = &self.wrapper {
            names.push(name_key("id", id));
        }
        if let Some(deposit) = &self.deposit {
            names.push(name_key("deposit", deposit));
            names.push(name_key("deposit", &format!("{}:{deposit}", protocol.name)));
        }
        if let Some(hash) = &self.tx_hash {
            names.push(name_key("tx", &hash.to_string()));
        }
        names
    }

    /// Key of the order whose legs belong to this one under its joined name.
    pub(crate) fn joined(&self, protocol: &OrderProtocol) -> Option<Key16> {
        let lane = if protocol.joins_in_lane { self.lane.as_str() } else { "" };
        self.join.as_ref().map(|join| order_key(&protocol.name, lane, join))
    }

    /// Keys of the leg's rows, except for the row with the leg itself.
    pub(crate) fn keys(&self, protocol: &OrderProtocol) -> Vec<Vec<u8>> {
        let order = self.order(&protocol.name);
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
        let joined = self.joined(protocol).map(|order| of_order(&order));
        let names = self.names(protocol).into_iter().map(by_name);
        std::iter::once(of_order(&order)).chain(joined).chain(names).collect()
    }

    pub(crate) fn put(&self, protocol: &OrderProtocol, rows: &mut Vec<Row>) {
        rows.push((Table::Order, leg_key(&self.place), self.encode()));
        let keys = self.keys(protocol).into_iter();
        rows.extend(keys.map(|key| (Table::Order, key, Vec::new())));
    }

    /// `kind:u8 ‖ protocol:u8 ‖ event:u8 ‖ lane ‖ id ‖ at:u64 ‖ tx ‖ origin ‖ destination ‖ terms ‖ token_out ‖
    /// deadline ‖ swap_deadline ‖ is_partial ‖ amounts ‖ join ‖ deposit ‖ wrapper ‖ is_elsewhere`. Rows from earlier
    /// builds lack the last field.
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
        let place = LegPosition::at_end(key)?;
        let mut row = Decoder::new(bytes);
        let kind = LegKind::of_byte(row.u8()?)?;
        let protocol = row.u8()?;
        let event = row.u8()?;
        let lane = row.text()?;
        let id = row.text()?;
        let at = UnixSeconds(row.u64()?);
        let tx_hash = row.option(Decoder::hash)?;
        let origin = row.option(Decoder::u64)?;
        let destination = row.option(Decoder::u64)?;
        let terms = row.option(Decoder::array)?;
        let token_out = row.option(Decoder::hash)?;
        let deadline = row.option(Decoder::u64)?;
        let swap_deadline = row.option(Decoder::u64)?;
        let is_partial = row.flag()?;
        let amounts = (0..row.u8()?).map(|_| read_amount(&mut row)).collect::<Option<_>>()?;
        let join = row.option(Decoder::text)?;
        let deposit = row.option(Decoder::text)?;
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

/// `name:u8 ‖ length:u8 ‖ value ‖ token ‖ chain`: the value without leading zeros.
fn write_amount(out: &mut Encoder, amount: &TokenAmount) {
    let value = amount.value.to_be_bytes_trimmed_vec();
    out.u8(amount.name).u8(u8::try_from(value.len()).unwrap_or(32)).raw(&value);
    match amount.token {
        None => _ = out.u8(0),
        Some(OrderToken::Native) => _ = out.u8(1),
        Some(OrderToken::Contract(address)) => _ = out.u8(2).raw(address.as_slice()),
        Some(OrderToken::Wide(token)) => _ = out.u8(3).hash(&token),
    }
    out.option(amount.chain, |out, chain| _ = out.u64(chain));
}

fn read_amount(row: &mut Decoder<'_>) -> Option<TokenAmount> {
    let name = row.u8()?;
    let length = row.u8()?;
    if length > 32 {
        return None;
    }
    let mut value = [0; 32];
    for byte in value.iter_mut().skip(32 - usize::from(length)) {
        *byte = row.u8()?;
    }
    let token = match row.u8()? {
        0 => None,
        1 => Some(OrderToken::Native),
        2 => Some(OrderToken::Contract(Address::from(row.array::<20>()?))),
        3 => Some(OrderToken::Wide(row.hash()?)),
        _ => return None,
    };
    let chain = row.option(Decoder::u64)?;
    Some(TokenAmount { name, value: U256::from_be_bytes(value), token, chain })
}

//! Keys and rows. Integers are big-endian; `chain` has the same encoding as in every table.
//!
//! | key | value |
//! |---|---|
//! | `00 ‖ chain ‖ address:20` | [`TokenAnswerRow`] |
//! | `03 ‖ chain ‖ token:20 ‖ base:20 ‖ pool:20` | [`InspectionRow`] |

use alloy_primitives::Address;
use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::chain_key;
use superroot_store::{StoreError, Table};
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use crate::Metadata;
use crate::inspect::{Inspection, TradePool};

/// Stored metadata answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenAnswerRow {
    pub(crate) metadata: Metadata,
    pub(crate) block: BlockNumber,
    pub(crate) at: UnixSeconds,
    pub(crate) nodes: Vec<String>,
}

pub(crate) fn key(chain: ChainKey, token: Address) -> Vec<u8> {
    [&[0], &chain_key(chain)[..], token.as_slice()].concat()
}

/// A simulated trade's stored result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectionRow {
    pub found: Inspection,
    pub block: BlockNumber,
    pub(crate) at: UnixSeconds,
}

pub(crate) fn trade_key(chain: ChainKey, trade: &TradePool) -> Vec<u8> {
    let addresses = [trade.token, trade.base, trade.pair].map(Address::into_array).concat();
    [&[3], &chain_key(chain)[..], &addresses].concat()
}

impl InspectionRow {
    /// `owner ‖ is_mintable ‖ buy ‖ sell ‖ burned ‖ locked ‖ block:u64 ‖ at:u64`: options of 20 bytes, a flag, and four
    /// `u32`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let Inspection { owner, is_mintable, buy_tax, sell_tax, burned, locked } = &self.found;
        let mut out = Encoder::new();
        out.option(*owner, |out, owner| _ = out.raw(owner.as_slice()));
        out.option(*is_mintable, |out, is_mintable| _ = out.flag(is_mintable));
        for part in [buy_tax, sell_tax, burned, locked] {
            out.option(*part, |out, part| _ = out.u32(part.into()));
        }
        out.u64(self.block.0).u64(self.at.0).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let owner = row.option(|row| row.array::<20>().map(Address::from))?;
        let is_mintable = row.option(Decoder::flag)?;
        let part = |row: &mut Decoder<'_>| u16::try_from(row.u32()?).ok();
        let buy_tax = row.option(part)?;
        let sell_tax = row.option(part)?;
        let burned = row.option(part)?;
        let locked = row.option(part)?;
        let block = BlockNumber(row.u64()?);
        let at = UnixSeconds(row.u64()?);
        let found = Inspection { owner, is_mintable, buy_tax, sell_tax, burned, locked };
        row.finish(Self { found, block, at })
    }

    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        Self::read(bytes).ok_or_else(|| StoreError::corrupt(Table::Token, key, "no inspection"))
    }
}

impl TokenAnswerRow {
    /// `decimals ‖ symbol ‖ name ‖ block:u64 ‖ at:u64 ‖ count:u8 ‖ nodes`; the first three are options.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let Metadata { symbol, name, decimals } = &self.metadata;
        let mut out = Encoder::new();
        out.option(*decimals, |out, decimals| _ = out.u8(decimals));
        for text in [symbol, name] {
            out.option(text.as_ref(), |out, text| _ = out.bytes(text.as_bytes()));
        }
        let nodes = self.nodes.iter().take(usize::from(u8::MAX));
        out.u64(self.block.0).u64(self.at.0).u8(nodes.len() as u8);
        for node in nodes {
            out.bytes(node.as_bytes());
        }
        out.finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let decimals = row.option(Decoder::u8)?;
        let symbol = row.option(Decoder::text)?;
        let name = row.option(Decoder::text)?;
        let block = BlockNumber(row.u64()?);
        let at = UnixSeconds(row.u64()?);
        let nodes = (0..row.u8()?).map(|_| row.text()).collect::<Option<_>>()?;
        row.finish(Self { metadata: Metadata { symbol, name, decimals }, block, at, nodes })
    }

    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        Self::read(bytes).ok_or_else(|| StoreError::corrupt(Table::Token, key, "no token"))
    }
}

#[cfg(test)]
mod tests {
    use superroot_types::{ChainId, Family};

    use super::*;

    /// A change of any of these bytes is a new layout.
    #[test]
    fn a_row_of_each_kind_has_the_pinned_bytes() {
        let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
        let token = Address::repeat_byte(0x11);
        let hex = |bytes: &[u8]| alloy_primitives::hex::encode(bytes);
        let of_chain = hex(&chain_key(chain));
        assert_eq!(hex(&key(chain, token)), format!("00{of_chain}{}", "11".repeat(20)));
        let metadata = Metadata { symbol: Some("USDC".to_owned()), name: None, decimals: Some(6) };
        let nodes = vec!["a".to_owned()];
        let kept = TokenAnswerRow { metadata, block: BlockNumber(7), at: UnixSeconds(9), nodes };
        let bytes = "0106 01000000045553 4443 00 0000000000000007 0000000000000009 01 0000000161";
        assert_eq!(hex(&kept.encode()), bytes.replace(' ', ""));
        assert_eq!(TokenAnswerRow::decode(&[], &kept.encode()).unwrap(), kept);
        for length in 0..kept.encode().len() {
            assert!(TokenAnswerRow::decode(&[], &kept.encode()[..length]).is_err(), "{length}");
        }
        let [base, pair] = [0x22, 0x33].map(Address::repeat_byte);
        let traded = trade_key(chain, &TradePool { token, base, pair, lockers: &[] });
        let addresses = ["11", "22", "33"].map(|byte| byte.repeat(20)).concat();
        assert_eq!(hex(&traded), format!("03{of_chain}{addresses}"));
        let (owner, buy_tax) = (Some(Address::ZERO), Some(150));
        let (sell_tax, burned, locked) = (None, Some(10), None);
        let is_mintable = Some(true);
        let found = Inspection { owner, is_mintable, buy_tax, sell_tax, burned, locked };
        let inspected = InspectionRow { found, block: BlockNumber(7), at: UnixSeconds(9) };
        let bytes = format!(
            "01{} 0101 0100000096 00 010000000a 00 0000000000000007 0000000000000009",
            "00".repeat(20)
        );
        assert_eq!(hex(&inspected.encode()), bytes.replace(' ', ""));
        assert_eq!(InspectionRow::decode(&[], &inspected.encode()).unwrap(), inspected);
        assert!(InspectionRow::decode(&[], &inspected.encode()[1..]).is_err());
    }
}

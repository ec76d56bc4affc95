//! Keys and rows. Integers are big-endian; `chain` is that of every table.
//!
//! | key | value |
//! |---|---|
//! | `00 ‖ chain ‖ address:20` | [`Kept`] |
//! | `01 ‖ chain ‖ symbol in lower case ‖ 00 ‖ address:20` | nothing: the token has that symbol |

use alloy_primitives::Address;
use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::chain_key;
use superroot_store::{StoreError, Table};
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use crate::Metadata;

/// What a token said, and to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) metadata: Metadata,
    /// The block after which it was asked.
    pub(crate) block: BlockNumber,
    /// When.
    pub(crate) at: UnixSeconds,
    /// Names of the nodes that agree.
    pub(crate) nodes: Vec<String>,
}

pub(crate) fn key(chain: ChainKey, token: Address) -> Vec<u8> {
    [&[0], &chain_key(chain)[..], token.as_slice()].concat()
}

/// What the keys of all tokens of a symbol begin with.
pub(crate) fn of_symbol(chain: ChainKey, symbol: &str) -> Vec<u8> {
    let symbol = symbol.to_ascii_lowercase();
    [&[1], &chain_key(chain)[..], symbol.as_bytes(), &[0]].concat()
}

pub(crate) fn symbol_key(chain: ChainKey, symbol: &str, token: Address) -> Vec<u8> {
    [&of_symbol(chain, symbol), token.as_slice()].concat()
}

impl Kept {
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
        let (symbol, name) = (row.option(Decoder::text)?, row.option(Decoder::text)?);
        let (block, at) = (BlockNumber(row.u64()?), UnixSeconds(row.u64()?));
        let nodes = (0..row.u8()?).map(|_| row.text()).collect::<Option<_>>()?;
        row.finish(Self { metadata: Metadata { symbol, name, decimals }, block, at, nodes })
    }

    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        Self::read(bytes).ok_or_else(|| StoreError::corrupt(Table::Token, key, "no token"))
    }
}

//! Converts `/wallet/getblockbynum` JSON to consensus bytes, and back for servers in the role of a node.
//!
//! ```text
//! blockID, block_header.raw_data.{timestamp, txTrieRoot, parentHash, number, witness_address, version}
//! block_header.witness_signature
//! transactions[].raw_data_hex        field 1, as it was signed
//! transactions[].signature[]         field 2
//! transactions[].ret[]               field 5, see `results`
//! ```
//!
//! Hex has no `0x`; `visible` text is not read. Source: java-tron `Util.printBlock`.

use const_hex::decode as unhex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use superroot_proof::ledger::tron::{Header, Transaction, TronFieldValue};
use superroot_types::{BlockNumber, Hash};

use super::raw::RawTronBlock;
use super::results;
use super::unknown::{self, is_unknown, wrong};
use super::write::MessageWriter;
use crate::error::ChainError;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpBlock {
    /// Block id, 64 hex digits.
    #[serde(rename = "blockID")]
    pub block_id: String,
    pub block_header: BlockHeader,
    /// Transactions; missing if the block has none, or if not requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transactions: Vec<HttpTransaction>,
}

/// Header and the producer's signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockHeader {
    /// Hashed fields.
    pub raw_data: HeaderData,
    /// Producer's signature, hex.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub witness_signature: String,
}

/// Hashed header fields. Fields with 0 or nothing are missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HeaderData {
    /// Milliseconds since 1970.
    #[serde(skip_serializing_if = "is_zero")]
    pub timestamp: i64,
    /// Transaction root, hex.
    #[serde(rename = "txTrieRoot", skip_serializing_if = "String::is_empty")]
    pub tx_trie_root: String,
    /// Parent block id, hex.
    #[serde(rename = "parentHash", skip_serializing_if = "String::is_empty")]
    pub parent_hash: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub number: i64,
    /// No longer in use.
    #[serde(skip_serializing_if = "is_zero")]
    pub witness_id: i64,
    /// Producer, hex.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub witness_address: String,
    /// Producer software version.
    #[serde(skip_serializing_if = "is_zero")]
    pub version: i64,
    /// Account root, hex, on networks with the field.
    #[serde(rename = "accountStateRoot", skip_serializing_if = "String::is_empty")]
    pub account_state_root: String,
    /// Fields unknown to nodes.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpTransaction {
    /// Hash of the signed bytes, 64 hex digits.
    #[serde(rename = "txID")]
    pub tx_id: String,
    /// Signed bytes, hex.
    pub raw_data_hex: String,
    /// Signatures, hex.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signature: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ret: Vec<Map<String, Value>>,
    /// `raw_data` and similar copies of the signed bytes, and fields unknown to nodes.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
const fn is_zero(value: &i64) -> bool {
    *value == 0
}

impl HttpBlock {
    /// Block in consensus bytes; `whole`: with transactions.
    ///
    /// # Errors
    /// [`ChainError`] naming a field that is missing, malformed, or in a form that does not determine the bytes.
    pub fn into_raw(self, whole: bool) -> Result<RawTronBlock, ChainError> {
        let data = &self.block_header.raw_data;
        let number =
            u64::try_from(data.number).map_err(|_| wrong("number", "it were not negative"))?;
        let bytes = hex("blockID", &self.block_id)?;
        let hash = bytes.try_into().map_err(|_| wrong("blockID", "it had 32 bytes"))?;
        let header = data.write().map_err(|error| error.within("block_header.raw_data"))?;
        let write = |(tx_index, one): (usize, &HttpTransaction)| {
            one.write().map_err(|error| error.within(format_args!("transactions[{tx_index}]")))
        };
        let transactions = whole.then(|| self.transactions.iter().enumerate().map(write).collect());
        let transactions = transactions.transpose()?;
        // evidence alone needs the signature: whatever stands there never fails a block
        let signature = hex("witness_signature", &self.block_header.witness_signature).ok();
        Ok(RawTronBlock {
            number: BlockNumber(number),
            hash: Hash(hash),
            header,
            signature: signature.filter(|signature| !signature.is_empty()),
            transactions,
            run: Vec::new(),
        })
    }

    /// Node JSON of a block, without other blocks' headers; `None` if JSON cannot show the bytes.
    #[must_use]
    pub fn show(raw: &RawTronBlock) -> Option<Self> {
        let transactions = raw.transactions.iter().flatten();
        let transactions = transactions.map(|one| HttpTransaction::show(one));
        let shown = Self {
            block_id: const_hex::encode(raw.hash.0),
            block_header: BlockHeader {
                raw_data: HeaderData::show(&raw.header)?,
                witness_signature: raw
                    .signature
                    .as_ref()
                    .map(const_hex::encode)
                    .unwrap_or_default(),
            },
            transactions: transactions.collect::<Option<_>>()?,
        };
        // bytes that no node writes would come back as others
        let again = shown.clone().into_raw(raw.transactions.is_some()).ok()?;
        let is_same = (&again.header, &again.transactions) == (&raw.header, &raw.transactions);
        (is_same && (again.number, again.hash) == (raw.number, raw.hash)).then_some(shown)
    }
}

impl HeaderData {
    fn write(&self) -> Result<Vec<u8>, ChainError> {
        if let Some(name) = self.unknown.keys().find(|name| !is_unknown(name)) {
            return Err(wrong(name, "it were a field of a header known here"));
        }
        let out = MessageWriter::default()
            .number(1, self.timestamp)
            .text(2, &hex("txTrieRoot", &self.tx_trie_root)?)
            .text(3, &hex("parentHash", &self.parent_hash)?)
            .number(7, self.number)
            .number(8, self.witness_id)
            .text(9, &hex("witness_address", &self.witness_address)?)
            .number(10, self.version)
            .text(11, &hex("accountStateRoot", &self.account_state_root)?);
        Ok(unknown::write(out, &self.unknown)?.finish())
    }

    fn show(header: &[u8]) -> Option<Self> {
        Header::decode(header).ok()?;
        let mut shown = Self::default();
        for (number, field) in unknown::fields(header)? {
            match (number, field) {
                (1, TronFieldValue::Varint(value)) => shown.timestamp = signed(value),
                (2, TronFieldValue::Bytes(bytes)) => shown.tx_trie_root = const_hex::encode(bytes),
                (3, TronFieldValue::Bytes(bytes)) => shown.parent_hash = const_hex::encode(bytes),
                (7, TronFieldValue::Varint(value)) => shown.number = signed(value),
                (8, TronFieldValue::Varint(value)) => shown.witness_id = signed(value),
                (9, TronFieldValue::Bytes(bytes)) => {
                    shown.witness_address = const_hex::encode(bytes)
                }
                (10, TronFieldValue::Varint(value)) => shown.version = signed(value),
                (11, TronFieldValue::Bytes(bytes)) => {
                    shown.account_state_root = const_hex::encode(bytes)
                }
                _ => unknown::show(&mut shown.unknown, number, field)?,
            }
        }
        Some(shown)
    }
}

impl HttpTransaction {
    fn write(&self) -> Result<Vec<u8>, ChainError> {
        let mut out = MessageWriter::default().bytes(1, &hex("raw_data_hex", &self.raw_data_hex)?);
        for signature in &self.signature {
            out = out.bytes(2, &hex("signature", signature)?);
        }
        for (place, ret) in self.ret.iter().enumerate() {
            let ret =
                results::write(ret).map_err(|error| error.within(format_args!("ret[{place}]")))?;
            out = out.bytes(5, &ret);
        }
        let bytes = unknown::write(out, &self.more)?.finish();
        let read =
            Transaction::decode(&bytes).map_err(|source| ChainError::ledger("txID", source))?;
        let got = const_hex::encode(read.hash().0);
        if got != self.tx_id {
            return Err(ChainError::mismatch("txID", &self.tx_id, got));
        }
        Ok(bytes)
    }

    fn show(leaf: &[u8]) -> Option<Self> {
        let read = Transaction::decode(leaf).ok()?;
        let mut shown = Self {
            tx_id: const_hex::encode(read.hash().0),
            raw_data_hex: const_hex::encode(read.raw_data),
            signature: Vec::new(),
            ret: Vec::new(),
            more: Map::new(),
        };
        for (number, field) in unknown::fields(leaf)? {
            match (number, field) {
                (1, _) => {}
                (2, TronFieldValue::Bytes(bytes)) => shown.signature.push(const_hex::encode(bytes)),
                (5, TronFieldValue::Bytes(bytes)) => shown.ret.push(results::show(bytes)?),
                _ => unknown::show(&mut shown.more, number, field)?,
            }
        }
        Some(shown)
    }
}

const fn signed(value: u64) -> i64 {
    i64::from_le_bytes(value.to_le_bytes())
}

fn hex(field: &str, text: &str) -> Result<Vec<u8>, ChainError> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    unhex(text).ok().filter(|_| is_plain).ok_or_else(|| wrong(field, "it were hex without 0x"))
}

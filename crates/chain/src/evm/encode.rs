//! From what nodes send to the bytes consensus hashes: header, transaction, receipt and withdrawal
//! in the encoding of Ethereum. Nothing here is believed yet: `verify` compares the hashes.
//!
//! ```text
//! header       rlp([15 fields, base fee, withdrawals root, 3 of Cancun, requests hash, 2 of Amsterdam])
//! transaction  rlp([.., v, r, s])                 or   type ‖ rlp([.., y parity, r, s])
//! receipt      rlp([status | root, gas, bloom, logs])  or   type ‖ the same
//! ```
//!
//! Sources: Yellow Paper 4.3 and 4.4, EIP-155, 1559, 2718, 2930, 4788, 4844, 4895, 7685, 7702.

use alloy_primitives::U256;
use alloy_rlp::{Encodable, Header};
use superroot_proof::hash::keccak256;
use superroot_proof::mpt::EMPTY_ROOT;
use superroot_proof::registry::Rule;
use superroot_types::{Address, Hash};

use super::raw::{
    RawAccess, RawAuthorization, RawBlock, RawLog, RawReceipt, RawTransaction, RawWithdrawal,
};
use crate::error::ChainError;

/// Largest transaction type that is read.
pub const TX_TYPE_MAX: u8 = 4;

/// Topics a log may have.
const TOPICS_MAX: usize = 4;

/// SHA-256 of nothing: the hash of no execution requests (EIP-7685).
const NO_REQUESTS: Hash = Hash([
    0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24,
    0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
]);

/// The items of an RLP list, encoded one after the other.
#[derive(Default)]
struct Items(Vec<u8>);

impl Items {
    fn bytes(mut self, bytes: &[u8]) -> Self {
        bytes.encode(&mut self.0);
        self
    }

    fn number(mut self, number: u64) -> Self {
        number.encode(&mut self.0);
        self
    }

    /// A quantity without leading zeros; zero is the empty string.
    fn word(self, word: U256) -> Self {
        let bytes: [u8; 32] = word.to_be_bytes();
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        self.bytes(bytes.get(zeros..).unwrap_or_default())
    }

    /// A receiver; none is the empty string.
    fn receiver(self, to: Option<&Address>) -> Self {
        self.bytes(to.map_or(&[][..], |to| &to.0))
    }

    fn list<T>(mut self, entries: &[T], items: impl Fn(&T) -> Self) -> Self {
        let inner = entries.iter().fold(Self::default(), |mut inner, entry| {
            items(entry).append_as_list_to(&mut inner.0);
            inner
        });
        inner.append_as_list_to(&mut self.0);
        self
    }

    fn hashes(self, hashes: &[Hash]) -> Self {
        let Self(inner) = hashes.iter().fold(Self::default(), |inner, hash| inner.bytes(&hash.0));
        self.nested(Self(inner))
    }

    fn nested(mut self, inner: Self) -> Self {
        inner.append_as_list_to(&mut self.0);
        self
    }

    fn append_as_list_to(&self, out: &mut Vec<u8>) {
        Header { list: true, payload_length: self.0.len() }.encode(out);
        out.extend_from_slice(&self.0);
    }

    /// The list, after the type byte of a typed envelope.
    fn finish(&self, tx_type: u8) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.0.len().saturating_add(10));
        if tx_type != 0 {
            out.push(tx_type);
        }
        self.append_as_list_to(&mut out);
        out
    }
}

/// A header field that later forks appended.
#[derive(Clone, Copy)]
enum Appended {
    Number(u64),
    Hash(Hash),
}

struct AppendedField {
    name: &'static str,
    value: Option<Appended>,
    /// What the field holds in a block that has nothing to put there.
    empty: Appended,
}

/// The appended fields in the order of their forks.
fn appended_fields(block: &RawBlock) -> [AppendedField; 8] {
    let number = |name, value: Option<u64>| {
        let value = value.map(Appended::Number);
        AppendedField { name, value, empty: Appended::Number(0) }
    };
    let hash = |name, value: Option<Hash>, empty| {
        let value = value.map(Appended::Hash);
        AppendedField { name, value, empty: Appended::Hash(empty) }
    };
    [
        number("baseFeePerGas", block.base_fee_per_gas),
        hash("withdrawalsRoot", block.withdrawals_root, EMPTY_ROOT),
        number("blobGasUsed", block.blob_gas_used),
        number("excessBlobGas", block.excess_blob_gas),
        hash("parentBeaconBlockRoot", block.parent_beacon_block_root, Hash::ZERO),
        hash("requestsHash", block.requests_hash, NO_REQUESTS),
        hash("blockAccessListHash", block.block_access_list_hash, Hash::ZERO),
        number("slotNumber", block.slot_number),
    ]
}

/// The 15 fields every header has.
fn first_fields(block: &RawBlock) -> Result<Items, ChainError> {
    let mix_hash = block.mix_hash.ok_or_else(|| ChainError::missing("mixHash"))?;
    let nonce = block.nonce.ok_or_else(|| ChainError::missing("nonce"))?;
    Ok(Items::default()
        .bytes(&block.parent_hash.0)
        .bytes(&block.sha3_uncles.0)
        .bytes(&block.miner.0)
        .bytes(&block.state_root.0)
        .bytes(&block.transactions_root.0)
        .bytes(&block.receipts_root.0)
        .bytes(block.logs_bloom.as_slice())
        .word(block.difficulty)
        .number(block.number)
        .number(block.gas_limit)
        .number(block.gas_used)
        .number(block.timestamp)
        .bytes(&block.extra_data)
        .bytes(&mix_hash.0)
        .bytes(nonce.as_slice()))
}

/// The header with its first `count` appended fields, the missing ones of them taken as empty.
fn header_with(
    block: &RawBlock,
    appended: &[AppendedField],
    count: usize,
) -> Result<Vec<u8>, ChainError> {
    let items = first_fields(block)?;
    let items = appended.iter().take(count).fold(items, |items, field| {
        match field.value.unwrap_or(field.empty) {
            Appended::Number(number) => items.number(number),
            Appended::Hash(hash) => items.bytes(&hash.0),
        }
    });
    Ok(items.finish(0))
}

/// How many appended fields there are, counted to the last one present.
fn appended_count(appended: &[AppendedField]) -> usize {
    let present = |field: &AppendedField| field.value.is_some();
    appended.iter().rposition(present).map_or(0, |last| last.saturating_add(1))
}

/// Whether this module knows the rule's header.
fn known_rule(rule: Rule) -> Result<(), ChainError> {
    if rule == Rule::EvmEthereum {
        return Ok(());
    }
    let source = superroot_proof::ledger::LedgerError::Rule { code: rule.code() };
    Err(ChainError::ledger("header", source))
}

/// The RLP header of the fields as they are given; its Keccak-256 is the block hash.
///
/// # Errors
/// [`ChainError::Missing`] without a mix hash or nonce, [`ChainError::Unexpected`] when an appended
/// field is there but one before it is not, [`ChainError::Ledger`] for a rule other than Ethereum's.
pub fn header(block: &RawBlock, rule: Rule) -> Result<Vec<u8>, ChainError> {
    known_rule(rule)?;
    let appended = appended_fields(block);
    let mut hole = false;
    for field in &appended {
        if hole && field.value.is_some() {
            let expected = "a field that comes before it is missing";
            return Err(ChainError::Unexpected { field: field.name.into(), expected });
        }
        hole |= field.value.is_none();
    }
    header_with(block, &appended, appended_count(&appended))
}

/// The RLP header that hashes to `claimed`: of the fields as given or, since some nodes drop
/// fields that hold nothing, with further appended fields taken as empty. The hash decides.
///
/// # Errors
/// As [`header`], and [`ChainError::Mismatch`] when no such header has that hash.
pub fn header_of_hash(block: &RawBlock, rule: Rule, claimed: &Hash) -> Result<Vec<u8>, ChainError> {
    known_rule(rule)?;
    let appended = appended_fields(block);
    for count in appended_count(&appended)..=appended.len() {
        let bytes = header_with(block, &appended, count)?;
        if keccak256(&bytes) == *claimed {
            return Ok(bytes);
        }
    }
    let as_given = keccak256(&header(block, rule)?);
    Err(ChainError::mismatch("hash", claimed, as_given))
}

/// The transaction's type: the stated one, or the one its fields show.
///
/// # Errors
/// [`ChainError::OutOfRange`] past [`TX_TYPE_MAX`].
pub fn transaction_type(raw: &RawTransaction) -> Result<u8, ChainError> {
    match raw.tx_type {
        Some(stated) => small("type", stated, TX_TYPE_MAX),
        None if raw.authorization_list.is_some() => Ok(4),
        None if raw.blob_versioned_hashes.is_some() => Ok(3),
        None if raw.max_fee_per_gas.is_some() => Ok(2),
        None if raw.access_list.is_some() => Ok(1),
        None => Ok(0),
    }
}

/// The leaf of the transaction trie; its Keccak-256 is the transaction hash.
///
/// # Errors
/// [`ChainError::Missing`] for a field its type needs, [`ChainError::OutOfRange`] for a type past
/// [`TX_TYPE_MAX`] or a parity past 1, [`ChainError::Mismatch`] when `v` and `yParity` differ.
pub fn transaction(raw: &RawTransaction) -> Result<Vec<u8>, ChainError> {
    let tx_type = transaction_type(raw)?;
    let items = match tx_type {
        0 => legacy(raw)?,
        1 => prelude(raw)?.word(needed("gasPrice", raw.gas_price)?),
        _ => prelude(raw)?
            .word(needed("maxPriorityFeePerGas", raw.max_priority_fee_per_gas)?)
            .word(needed("maxFeePerGas", raw.max_fee_per_gas)?),
    };
    let items = match tx_type {
        3 | 4 if raw.to.is_none() => return Err(ChainError::missing("to")),
        _ => items.number(raw.gas).receiver(raw.to.as_ref()).word(raw.value).bytes(&raw.input),
    };
    let items = match tx_type {
        0 => items.word(needed("v", raw.v)?),
        1 | 2 => accesses(items, raw).number(parity(raw)?),
        3 => accesses(items, raw)
            .word(needed("maxFeePerBlobGas", raw.max_fee_per_blob_gas)?)
            .hashes(needed("blobVersionedHashes", raw.blob_versioned_hashes.as_deref())?)
            .number(parity(raw)?),
        _ => {
            let list = needed("authorizationList", raw.authorization_list.as_deref())?;
            for (index, entry) in list.iter().enumerate() {
                small("yParity", entry.y_parity, u8::MAX)
                    .map_err(|error| error.within(format_args!("authorizationList[{index}]")))?;
            }
            accesses(items, raw).list(list, authorization).number(parity(raw)?)
        }
    };
    Ok(items.word(raw.r).word(raw.s).finish(tx_type))
}

/// The first fields of type 0.
fn legacy(raw: &RawTransaction) -> Result<Items, ChainError> {
    Ok(Items::default().number(raw.nonce).word(needed("gasPrice", raw.gas_price)?))
}

/// The first fields of types 1 to 4.
fn prelude(raw: &RawTransaction) -> Result<Items, ChainError> {
    Ok(Items::default().number(needed("chainId", raw.chain_id)?).number(raw.nonce))
}

fn accesses(items: Items, raw: &RawTransaction) -> Items {
    items.list(raw.access_list.as_deref().unwrap_or_default(), |access: &RawAccess| {
        Items::default().bytes(&access.address.0).hashes(&access.storage_keys)
    })
}

fn authorization(entry: &RawAuthorization) -> Items {
    Items::default()
        .word(entry.chain_id)
        .bytes(&entry.address.0)
        .number(entry.nonce)
        .number(entry.y_parity)
        .word(entry.r)
        .word(entry.s)
}

/// The signature's parity, from `yParity`, `v` or both.
fn parity(raw: &RawTransaction) -> Result<u64, ChainError> {
    let stated = match (raw.y_parity.map(U256::from), raw.v) {
        (None, None) => return Err(ChainError::missing("yParity")),
        (Some(parity), Some(v)) if parity != v => {
            return Err(ChainError::mismatch("v", v, parity));
        }
        (Some(stated), _) | (None, Some(stated)) => stated,
    };
    u64::try_from(stated).ok().filter(|parity| *parity <= 1).ok_or_else(|| {
        let field = if raw.y_parity.is_some() { "yParity" } else { "v" };
        ChainError::OutOfRange { field: field.into(), got: stated.to_string(), expected: 1 }
    })
}

/// The leaf of the receipt trie. A receipt that does not say its type is of type 0.
///
/// # Errors
/// [`ChainError::Missing`] without root and status, [`ChainError::OutOfRange`] for a status past 1,
/// a type past [`TX_TYPE_MAX`] or more than four topics.
pub fn receipt(raw: &RawReceipt) -> Result<Vec<u8>, ChainError> {
    receipt_of_type(raw, small("type", raw.tx_type.unwrap_or(0), TX_TYPE_MAX)?)
}

/// The leaf of the receipt of a transaction of that type.
///
/// # Errors
/// As [`receipt`].
pub fn receipt_of_type(raw: &RawReceipt, tx_type: u8) -> Result<Vec<u8>, ChainError> {
    let items = match (raw.root, raw.status) {
        (Some(root), _) => Items::default().bytes(&root.0),
        (None, Some(status)) => Items::default().number(small("status", status, 1)?.into()),
        (None, None) => return Err(ChainError::missing("status")),
    };
    for (index, log) in raw.logs.iter().enumerate() {
        small("topics", log.topics.len() as u64, TOPICS_MAX as u8)
            .map_err(|error| error.within(format_args!("logs[{index}]")))?;
    }
    let items = items.number(raw.cumulative_gas_used).bytes(raw.logs_bloom.as_slice());
    let items = items.list(&raw.logs, |log: &RawLog| {
        Items::default().bytes(&log.address.0).hashes(&log.topics).bytes(&log.data)
    });
    Ok(items.finish(tx_type))
}

/// The leaf of the withdrawals trie.
#[must_use]
pub fn withdrawal(raw: &RawWithdrawal) -> Vec<u8> {
    Items::default()
        .number(raw.index)
        .number(raw.validator_index)
        .bytes(&raw.address.0)
        .number(raw.amount)
        .finish(0)
}

fn needed<T>(field: &str, value: Option<T>) -> Result<T, ChainError> {
    value.ok_or_else(|| ChainError::missing(field))
}

fn small(field: &str, value: u64, max: u8) -> Result<u8, ChainError> {
    u8::try_from(value).ok().filter(|value| *value <= max).ok_or_else(|| ChainError::OutOfRange {
        field: field.into(),
        got: value.to_string(),
        expected: max.into(),
    })
}

//! Recomputes EVM blocks: header hash, transaction tree, receipt tree, blooms, gas. Claims not bound by a hash, such as
//! a repeated index or block, never cause a refusal.
//!
//! *As sent*: entry order from the node. *Dropped*: an entry added by the node outside the tries; `tx_index` counts the
//! remaining entries. *Withheld*: a part marked as unprovable by the row.

mod dropped;
mod receipts;
mod transactions;

use core::fmt::Display;

use alloy_rlp::Encodable;
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::Body;
use superroot_proof::ledger::evm::{Bloom, Header, Tries};
use superroot_proof::mpt::{EMPTY_ROOT, OrderedTrie};
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::encode;
use super::raw::{RawBlock, RawEvmBlock, RawTransactions, RawWithdrawal};
use crate::block::{BodyLeaves, VerifiedBlock, Withheld};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::ledger::evm::{Encoding, EvmParams};
use crate::registry::ChainSpec;
use crate::unprovable::UnprovablePart;
use dropped::TrieEntries;
use receipts::{HeaderSums, receipts};
pub(crate) use transactions::refuse_another_chain;
use transactions::transactions;

/// Recomputes an EVM block. Missing and unprovable parts are excluded from the extent.
///
/// # Errors
/// [`ChainError`] naming the first field at fault. A block without a hash is refused: there is nothing to compare.
pub fn verify(row: &ChainSpec, untrusted: &RawEvmBlock) -> Result<VerifiedBlock, ChainError> {
    let raw = &untrusted.block;
    let params = params(row)?;
    let encoding = encoding(row, params, raw.number)?;
    let number = BlockNumber(safe("number", raw.number)?);
    let timestamp = UnixSeconds(safe("timestamp", raw.timestamp)?);
    let Some(HashRule::Evm(layout)) = row.rule_at(number) else {
        return Err(ChainError::NoRule { chain: row.key(), number });
    };
    let hash = raw.hash.ok_or_else(|| ChainError::missing("hash"))?;
    let bytes = encode::header_of_hash(raw, layout, &hash)?;
    let ledger = |source| ChainError::ledger("header", source);
    let header = Header::decode(layout, &bytes).map_err(ledger)?;
    if encoding.has_withdrawals() {
        check_withdrawals(raw.withdrawals.as_deref(), header.withdrawals_root)?;
    }
    check_extra_data(raw, &header)?;
    let unprovable = unprovable_parts(row, params, encoding, &header, untrusted)?;
    let given = unprovable.left_of(untrusted, &header);
    let kept = TrieEntries::of(encoding, raw, given.receipts);
    let transactions = match given.transactions {
        true => transactions(row, encoding, raw, &kept)?,
        false => None,
    };
    let receipts = match kept.receipts {
        Some(_) => {
            Some(receipts(encoding, &HeaderSums::of(&header), transactions.as_ref(), &kept)?)
        }
        None => None,
    };
    let (body, leaves) = parts(transactions, receipts);
    Ok(VerifiedBlock {
        chain: row.key(),
        number,
        hash,
        parent_hash: header.parent_hash,
        timestamp,
        header: bytes,
        body,
        leaves,
        withheld: unprovable.withheld(),
        signed: None,
    })
}

/// Transaction leaves in block order, with the trie.
struct Transactions {
    leaves: Vec<Vec<u8>>,
    hashes: Vec<Hash>,
    trie: OrderedTrie,
}

struct Receipts {
    leaves: Vec<Vec<u8>>,
    trie: OrderedTrie,
}

fn parts(
    transactions: Option<Transactions>,
    receipts: Option<Receipts>,
) -> (Option<Body>, BodyLeaves) {
    let mut tries = Tries::default();
    let mut leaves = BodyLeaves::default();
    if let Some(Transactions { leaves: list, hashes, trie }) = transactions {
        tries.transactions = Some(trie);
        (leaves.transactions, leaves.transaction_hashes) = (Some(list), Some(hashes));
    }
    if let Some(Receipts { leaves: list, trie }) = receipts {
        (tries.receipts, leaves.receipts) = (Some(trie), Some(list));
    }
    let has_any = tries.transactions.is_some() || tries.receipts.is_some();
    (has_any.then_some(Body::Evm(tries)), leaves)
}

fn params(row: &ChainSpec) -> Result<&EvmParams, ChainError> {
    let Ledger::Evm(params) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    Ok(params)
}

fn encoding(row: &ChainSpec, params: &EvmParams, number: u64) -> Result<Encoding, ChainError> {
    let chain = row.key();
    let number = BlockNumber(number);
    params.encoding_at(number).ok_or(ChainError::NoRule { chain, number })
}

fn safe(field: &str, value: u64) -> Result<u64, ChainError> {
    if value <= SAFE_INTEGER_MAX {
        return Ok(value);
    }
    let field = field.into();
    let got = value.to_string();
    Err(ChainError::OutOfRange { field, got, expected: SAFE_INTEGER_MAX })
}

/// Refuses a present value other than the expected one.
fn agree<T: PartialEq + Display>(
    field: &str,
    claimed: Option<T>,
    expected: T,
) -> Result<(), ChainError> {
    match claimed {
        Some(got) if got != expected => Err(ChainError::mismatch(field, got, expected)),
        _ => Ok(()),
    }
}

fn check_withdrawals(
    withdrawals: Option<&[RawWithdrawal]>,
    root: Option<Hash>,
) -> Result<(), ChainError> {
    let Some(withdrawals) = withdrawals else { return Ok(()) };
    let Some(root) = root else {
        let expected = "the header has no withdrawalsRoot";
        return Err(ChainError::Unexpected { field: "withdrawals".into(), expected });
    };
    let leaves: Vec<Vec<u8>> = withdrawals.iter().map(encode::withdrawal).collect();
    agree("withdrawalsRoot", Some(root), OrderedTrie::build(&leaves).root())
}

/// Avalanche atomic transactions hash to the header value; no value before Apricot Phase 1.
fn check_extra_data(raw: &RawBlock, header: &Header) -> Result<(), ChainError> {
    let named = header.avalanche.as_ref().and_then(|more| more.ext_data_hash);
    let (Some(named), Some(bytes)) =
        (named.filter(|named| !named.is_zero()), &raw.block_extra_data)
    else {
        return Ok(());
    };
    let mut encoded = Vec::with_capacity(bytes.len().saturating_add(9));
    bytes.as_ref().encode(&mut encoded);
    agree("extDataHash", Some(named), keccak256(&encoded))
}

/// Block parts marked as unprovable by the row.
#[derive(Default)]
struct UnprovableParts {
    transactions: bool,
    receipts: bool,
    why: Option<String>,
    /// Entry type, claimed by the sender, as the reason for a withheld part.
    on_claim: Option<u8>,
}

struct ReceivedParts<'a> {
    transactions: bool,
    receipts: Option<&'a [super::raw::RawReceipt]>,
}

impl UnprovableParts {
    /// `has_type`: whether the block is believed to have an entry of the type.
    fn of(
        params: &EvmParams,
        number: BlockNumber,
        header: &Header,
        has_type: impl Fn(u8) -> bool,
    ) -> Self {
        let mut parts = Self::default();
        for unprovable in params.unprovable.iter().filter(|range| range.holds_at(number)) {
            let (transactions, receipts) = match unprovable.what {
                UnprovablePart::Body => (true, true),
                UnprovablePart::Receipts => (false, true),
                UnprovablePart::BodyWith(tx_type) => {
                    let has = has_type(tx_type);
                    parts.on_claim = parts.on_claim.or(has.then_some(tx_type));
                    (has, has)
                }
                // of ledgers whose transactions are the leaves of a binary tree
                UnprovablePart::BodyWithNodeSized => (false, false),
                UnprovablePart::ReceiptsIfSettled => (false, header.settles_other_blocks()),
            };
            parts.transactions |= transactions;
            parts.receipts |= receipts;
            if receipts && parts.why.is_none() {
                parts.why = Some(unprovable.why.clone());
            }
        }
        parts
    }

    fn left_of<'a>(&self, untrusted: &'a RawEvmBlock, header: &Header) -> ReceivedParts<'a> {
        // a node without the receipts of one block may send an empty list of them
        let is_sent = |list: &&[_]| !list.is_empty() || header.receipts_root == EMPTY_ROOT;
        let receipts = untrusted.receipts.as_deref().filter(|_| !self.receipts).filter(is_sent);
        ReceivedParts { transactions: !self.transactions, receipts }
    }

    fn withheld(self) -> Option<Withheld> {
        let because = if self.on_claim.is_some() { Withheld::OnClaim } else { Withheld::ByRule };
        self.why.map(because)
    }
}

/// The block's withheld parts. A claimed type withholds nothing if the trees match as sent.
///
/// # Errors
/// [`ChainError::Mismatch`] for an entry added to have the body withheld: without the entry the trees match the header
/// roots.
fn unprovable_parts(
    row: &ChainSpec,
    params: &EvmParams,
    encoding: Encoding,
    header: &Header,
    untrusted: &RawEvmBlock,
) -> Result<UnprovableParts, ChainError> {
    let number = BlockNumber(header.number);
    let claimed =
        UnprovableParts::of(params, number, header, |tx_type| has_type(untrusted, tx_type));
    let Some(tx_type) = claimed.on_claim else { return Ok(claimed) };
    if holds(row, encoding, header, untrusted) {
        return Ok(UnprovableParts::of(params, number, header, |_| false));
    }
    let is_other = |stated: Option<u64>| stated != Some(tx_type.into());
    let mut without = untrusted.clone();
    if let RawTransactions::Full(list) = &mut without.block.transactions {
        list.retain(|entry| is_other(entry.tx_type));
    }
    if let Some(list) = &mut without.receipts {
        list.retain(|receipt| is_other(receipt.tx_type));
    }
    if holds(row, encoding, header, &without) {
        let got = format_args!("{tx_type:#04x}").to_string();
        let expected = "none of it: without it the trees are those of the header";
        return Err(ChainError::mismatch("type", got, expected));
    }
    Ok(claimed)
}

/// Whether the transactions or the receipts of a body match the header.
fn holds(row: &ChainSpec, encoding: Encoding, header: &Header, given: &RawEvmBlock) -> bool {
    let kept = TrieEntries::of(encoding, &given.block, given.receipts.as_deref());
    let has_receipts = kept.receipts.as_ref().is_some_and(|list| !list.is_empty());
    matches!(transactions(row, encoding, &given.block, &kept), Ok(Some(_)))
        || (has_receipts && receipts(encoding, &HeaderSums::of(header), None, &kept).is_ok())
}

fn has_type(untrusted: &RawEvmBlock, tx_type: u8) -> bool {
    let is_it = |stated: Option<u64>| stated == Some(tx_type.into());
    let in_transactions = match &untrusted.block.transactions {
        RawTransactions::Full(list) => list.iter().any(|entry| is_it(entry.tx_type)),
        _ => false,
    };
    let receipts = untrusted.receipts.as_deref().unwrap_or_default();
    in_transactions || receipts.iter().any(|receipt| is_it(receipt.tx_type))
}

fn bits(bloom: &Bloom) -> String {
    format!("{bloom:?} with hash {}", keccak256(&bloom.0))
}

//! Recomputes what a node claims of a block: header hash, transaction tree, receipt tree, blooms, gas.
//! A claim that no hash binds, such as a place or a block that an entry repeats, refuses nothing.
//!
//! *As sent* is where a node put an entry; what it adds to a block that is in no trie is *dropped*,
//! and `tx_index` counts what is left. A part that the row calls unprovable is *withheld*.

mod dropped;
mod receipts;
mod transactions;

use core::fmt::Display;

use alloy_rlp::Encodable;
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::Body;
use superroot_proof::ledger::evm::{Bloom, Header, Tries};
use superroot_proof::mpt::{EMPTY_ROOT, OrderedTrie};
use superroot_proof::registry::Rule;
use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::encode;
use super::raw::{RawBlock, RawEvmBlock, RawTransactions, RawWithdrawal};
use crate::block::{Leaves, VerifiedBlock, Withheld};
use crate::error::ChainError;
use crate::evm::{Encoding, Params};
use crate::ledger::Ledger;
use crate::registry::ChainRow;
use crate::unprovable::UnprovablePart;
use dropped::Kept;
use receipts::{Sealed, receipts};
pub(crate) use transactions::refuse_another_chain;
use transactions::transactions;

/// Recomputes a block of the EVM family. Parts that were not sent, and parts that the row calls
/// unprovable, are left out of its extent.
///
/// # Errors
/// [`ChainError`] naming the first field at fault. A block without a hash is refused: what it
/// would be compared with is missing.
pub fn verify(row: &ChainRow, untrusted: &RawEvmBlock) -> Result<VerifiedBlock, ChainError> {
    let raw = &untrusted.block;
    let params = params(row)?;
    let encoding = encoding(row, params, raw.number)?;
    let number = BlockNumber(safe("number", raw.number)?);
    let timestamp = UnixSeconds(safe("timestamp", raw.timestamp)?);
    let Some(Rule::Evm(layout)) = row.rule_at(number) else {
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
    let kept = Kept::of(encoding, raw, given.receipts);
    let transactions = match given.transactions {
        true => transactions(row, encoding, raw, &kept)?,
        false => None,
    };
    let receipts = match kept.receipts {
        Some(_) => Some(receipts(encoding, &Sealed::of(&header), transactions.as_ref(), &kept)?),
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
    })
}

/// Leaves of a tree in the order of the block, and their trie.
struct Transactions {
    leaves: Vec<Vec<u8>>,
    hashes: Vec<Hash>,
    trie: OrderedTrie,
}

/// The same of receipts.
struct Receipts {
    leaves: Vec<Vec<u8>>,
    trie: OrderedTrie,
}

/// The body of these trees, and their leaves.
fn parts(transactions: Option<Transactions>, receipts: Option<Receipts>) -> (Option<Body>, Leaves) {
    let (mut tries, mut leaves) = (Tries::default(), Leaves::default());
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

fn params(row: &ChainRow) -> Result<&Params, ChainError> {
    let Ledger::Evm(params) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    Ok(params)
}

fn encoding(row: &ChainRow, params: &Params, number: u64) -> Result<Encoding, ChainError> {
    let (chain, number) = (row.key(), BlockNumber(number));
    params.encoding_at(number).ok_or(ChainError::NoRule { chain, number })
}

fn safe(field: &str, value: u64) -> Result<u64, ChainError> {
    if value <= SAFE_INTEGER_MAX {
        return Ok(value);
    }
    let (field, got) = (field.into(), value.to_string());
    Err(ChainError::OutOfRange { field, got, expected: SAFE_INTEGER_MAX })
}

/// Refuses a value that is there and is not the expected one.
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

/// The atomic transactions of an Avalanche block hash to what its header names; before Apricot
/// Phase 1 it named nothing.
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

/// What of a block its row says cannot be recomputed.
#[derive(Default)]
struct UnprovableParts {
    transactions: bool,
    receipts: bool,
    why: Option<String>,
    /// The type of entry because of which a part is withheld, as the sender claims.
    on_claim: Option<u8>,
}

/// The parts of a block that were sent and are to be recomputed.
struct Given<'a> {
    transactions: bool,
    receipts: Option<&'a [super::raw::RawReceipt]>,
}

impl UnprovableParts {
    /// `has_type` says whether the block is believed to have an entry of that type.
    fn of(
        params: &Params,
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

    fn left_of<'a>(&self, untrusted: &'a RawEvmBlock, header: &Header) -> Given<'a> {
        // a node without the receipts of one block may send an empty list of them
        let is_sent = |list: &&[_]| !list.is_empty() || header.receipts_root == EMPTY_ROOT;
        let receipts = untrusted.receipts.as_deref().filter(|_| !self.receipts).filter(is_sent);
        Given { transactions: !self.transactions, receipts }
    }

    /// Why the parts are not in the extent of the block.
    fn withheld(self) -> Option<Withheld> {
        let because = if self.on_claim.is_some() { Withheld::OnClaim } else { Withheld::ByRule };
        self.why.map(because)
    }
}

/// Which parts of the block are withheld. A claimed type withholds nothing where the trees hold as they were sent.
///
/// # Errors
/// [`ChainError::Mismatch`] for an entry that was put into a block to have its body withheld: without it the trees
/// have the roots that the header names.
fn unprovable_parts(
    row: &ChainRow,
    params: &Params,
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

/// Whether the transactions or the receipts of a body are those of the header.
fn holds(row: &ChainRow, encoding: Encoding, header: &Header, given: &RawEvmBlock) -> bool {
    let kept = Kept::of(encoding, &given.block, given.receipts.as_deref());
    let has_receipts = kept.receipts.as_ref().is_some_and(|list| !list.is_empty());
    matches!(transactions(row, encoding, &given.block, &kept), Ok(Some(_)))
        || (has_receipts && receipts(encoding, &Sealed::of(header), None, &kept).is_ok())
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

/// A bloom for a message.
fn bits(bloom: &Bloom) -> String {
    format!("{bloom:?} with hash {}", keccak256(&bloom.0))
}

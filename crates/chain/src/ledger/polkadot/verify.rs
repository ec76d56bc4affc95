//! Recomputes Polkadot blocks: header hash, extrinsics trie, and path to the events.

use alloy_primitives::Bytes;
use superroot_proof::ledger::polkadot::{
    BlockTries, EVENTS_KEY, Header, StateVersion, Trie, extrinsic, is_digest_item, record_count,
    transaction_hash,
};
use superroot_proof::ledger::{Body, LedgerError};
use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::params::PolkadotParams;
use super::raw::{PART_BYTES_MAX, PART_ITEMS_MAX, RawPolkadotBlock, RawPolkadotHeader};
use super::timestamp::time_of;
use crate::block::{BodyLeaves, VerifiedBlock, Withheld};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::registry::ChainSpec;

/// Message for a block, such as the first, with a state without an event list.
const NO_EVENTS: &str = "the state after it has no list of events";

/// Recomputes a Polkadot block. A header alone has the extent `header`; without a read proof there are no events. The
/// error names the first field at fault.
pub fn verify(row: &ChainSpec, untrusted: &RawPolkadotBlock) -> Result<VerifiedBlock, ChainError> {
    let Ledger::Polkadot(params) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    let number = BlockNumber(untrusted.header.number);
    if number.0 > SAFE_INTEGER_MAX {
        let field = "number".into();
        let got = number.to_string();
        return Err(ChainError::OutOfRange { field, got, expected: SAFE_INTEGER_MAX });
    }
    if row.rule_at(number).is_none() {
        return Err(ChainError::NoRule { chain: row.key(), number });
    }
    let header = read_header(&untrusted.header)?;
    let bytes = header.encode();
    let hash = header.hash();
    if hash != untrusted.hash {
        return Err(ChainError::mismatch("hash", untrusted.hash, hash));
    }
    check_first(row, &header, &hash)?;
    let mut block = VerifiedBlock {
        chain: row.key(),
        number,
        hash,
        parent_hash: header.parent_hash,
        timestamp: UnixSeconds(0),
        header: bytes,
        body: None,
        leaves: BodyLeaves::default(),
        withheld: None,
        signed: untrusted.votes.as_ref().and_then(|votes| super::votes::signed(&header, votes)),
    };
    if let Some(extrinsics) = &untrusted.extrinsics {
        add_body(&mut block, &header, extrinsics, untrusted.read_proof.as_deref(), params)?;
    }
    Ok(block)
}

/// A raw header's hash.
///
/// # Errors
/// [`ChainError::Ledger`] naming a field unreadable for verifiers.
pub fn hash_of(raw: &RawPolkadotHeader) -> Result<Hash, ChainError> {
    Ok(read_header(raw)?.hash())
}

/// A raw header as verifiers read it.
///
/// # Errors
/// [`ChainError::Ledger`] naming a field unreadable for verifiers.
pub fn read_header(raw: &RawPolkadotHeader) -> Result<Header, ChainError> {
    for (position, item) in raw.digest.logs.iter().enumerate() {
        if !is_digest_item(item) {
            let field = format!("digest.logs[{position}]");
            return Err(ChainError::ledger(&field, LedgerError::Field { field: "digest" }));
        }
    }
    let header = Header {
        parent_hash: raw.parent_hash,
        number: raw.number,
        state_root: raw.state_root,
        extrinsics_root: raw.extrinsics_root,
        digest: raw.digest.logs.iter().map(|item| item.to_vec()).collect(),
    };
    // what no verifier would read is not held
    Header::decode(&header.encode()).map_err(|source| ChainError::ledger("header", source))
}

/// Only block 0 has no parent, and the hash of block 0 matches the CAIP-2 name.
fn check_first(row: &ChainSpec, header: &Header, hash: &Hash) -> Result<(), ChainError> {
    if header.parent_hash.is_zero() != (header.number == 0) {
        let expected =
            if header.number == 0 { "zeros at number 0" } else { "a hash past number 0" };
        return Err(ChainError::mismatch("parentHash", header.parent_hash, expected));
    }
    let name = row.caip2.strip_prefix("polkadot:").filter(|_| header.number == 0);
    match name {
        Some(name) if !const_hex::encode(hash.0).starts_with(name) => {
            Err(ChainError::mismatch("hash of the first block", hash, format!("0x{name}..")))
        }
        _ => Ok(()),
    }
}

/// Adds the extrinsics under the extrinsics root, the events under the state root, and the time from an extrinsic.
fn add_body(
    block: &mut VerifiedBlock,
    header: &Header,
    extrinsics: &[Bytes],
    read_proof: Option<&[Bytes]>,
    params: &PolkadotParams,
) -> Result<(), ChainError> {
    check_size("extrinsics", extrinsics)?;
    let leaves: Vec<Vec<u8>> = extrinsics.iter().map(|one| one.to_vec()).collect();
    for (position, leaf) in leaves.iter().enumerate() {
        if extrinsic(leaf).is_none() {
            let field = format!("extrinsics[{position}]");
            let source = LedgerError::Field { field: "extrinsic length" };
            return Err(ChainError::ledger(&field, source));
        }
    }
    // runtimes moved from version 0 to 1 at numbers of their own: the root tells which it is
    let tries = [StateVersion::V0, StateVersion::V1]
        .into_iter()
        .map(|version| Trie::of_extrinsics(version, &leaves))
        .find(|trie| trie.root() == header.extrinsics_root);
    let Some(extrinsics) = tries else {
        let got = Trie::of_extrinsics(StateVersion::V0, &leaves).root();
        return Err(ChainError::mismatch("extrinsicsRoot", header.extrinsics_root, got));
    };
    let shown = read_proof.map(|nodes| events(header, nodes)).transpose()?;
    if shown == Some(None) {
        block.withheld = Some(Withheld::ByRule(NO_EVENTS.to_owned()));
    }
    let events = shown.flatten();
    block.timestamp = time_of(&leaves, params).unwrap_or(UnixSeconds(0));
    let hashes = leaves.iter().map(|leaf| transaction_hash(leaf)).collect();
    block.leaves.transactions = Some(leaves);
    block.leaves.transaction_hashes = Some(hashes);
    block.body = Some(Body::Polkadot(BlockTries { extrinsics, events }));
    Ok(())
}

/// Trie nodes from the state root to the event list; `None` if the state has no list.
fn events(header: &Header, nodes: &[Bytes]) -> Result<Option<Vec<Vec<u8>>>, ChainError> {
    check_size("readProof", nodes)?;
    let field = "readProof";
    let wrong = |cause| ChainError::ledger(field, LedgerError::Trie { trie: "state trie", cause });
    let trie = Trie::from_nodes(header.state_root, nodes);
    let Some(value) = trie.get(&EVENTS_KEY).map_err(wrong)? else { return Ok(None) };
    if record_count(value).is_none() {
        return Err(ChainError::ledger(field, LedgerError::Field { field: "System.Events" }));
    }
    trie.prove(&EVENTS_KEY).map(Some).map_err(wrong)
}

fn check_size(field: &str, items: &[Bytes]) -> Result<(), ChainError> {
    let bytes = items.iter().map(|item| item.len()).fold(0, usize::saturating_add);
    for (what, got, most) in
        [("count of", items.len(), PART_ITEMS_MAX), ("bytes of", bytes, PART_BYTES_MAX)]
    {
        if got > most {
            let field = format!("{what} {field}");
            let got = got.to_string();
            let expected = u64::try_from(most).unwrap_or(u64::MAX);
            return Err(ChainError::OutOfRange { field, got, expected });
        }
    }
    Ok(())
}

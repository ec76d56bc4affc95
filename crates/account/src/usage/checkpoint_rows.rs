//! Rows of usage checkpoints: kinds 6 to 8 of the usage table ([`super::rows`]).

use superroot_proof::usage::{UsageDay, UsageLeaf};
use superroot_store::codec::{Decoder, Encoder};
use superroot_types::{Address, Hash};

use super::rows::{self, CHECKPOINT, LEAF, LEAVES, UsageSubject};
use crate::calendar::Day;
use crate::{AccountId, Environment};

const VERSION: u8 = 1;
/// Leaf hashes per row.
pub(super) const LEAVES_PER_ROW: usize = 4_096;

/// A day's root, and the registry contract's event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageCheckpoint {
    pub day: Day,
    pub contract: Address,
    /// Sequence at the contract.
    pub sequence: u64,
    /// Number of accounts, and the range root.
    pub usage: UsageDay,
    /// The contract's proven event; `None`: not proven yet.
    pub event: Option<CheckpointEvent>,
}

/// A registry contract's event, on the chain of payments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointEvent {
    pub tx: Hash,
    /// Position in the receipt.
    pub log_index: u32,
}

pub(super) fn leaf_key(environment: Environment, account: AccountId, day: Day) -> Vec<u8> {
    let mut key = rows::subject_prefix(LEAF, environment, UsageSubject::Account(account));
    key.extend(day.number().to_be_bytes());
    key
}

pub(super) fn leaves_key(environment: Environment, day: Day, chunk: u32) -> Vec<u8> {
    let mut key = vec![LEAVES, environment.byte()];
    key.extend(day.number().to_be_bytes());
    key.extend(chunk.to_be_bytes());
    key
}

/// Day in a key from [`rows::checkpoint_key`].
pub(super) fn day_of_checkpoint(key: &[u8]) -> Option<Day> {
    let [CHECKPOINT, _, day @ ..] = key else { return None };
    Day::from_number(u32::from_be_bytes(day.try_into().ok()?))
}

/// `version ‖ contract:20 ‖ sequence:u64 ‖ accounts:u64 ‖ range_root:32 ‖ event`, an option of `tx:32 ‖ log_index:u32`.
pub(super) fn encode_checkpoint(checkpoint: &UsageCheckpoint) -> Vec<u8> {
    let UsageCheckpoint { contract, sequence, usage, event, .. } = checkpoint;
    let mut out = Encoder::new();
    out.u8(VERSION).raw(&contract.0).u64(*sequence).u64(usage.accounts).hash(&usage.range_root);
    out.option(event.as_ref(), |out, event| _ = out.hash(&event.tx).u32(event.log_index));
    out.finish()
}

pub(super) fn decode_checkpoint(environment: u8, day: Day, row: &[u8]) -> Option<UsageCheckpoint> {
    let mut row = Decoder::new(row);
    if row.u8()? != VERSION {
        return None;
    }
    let contract = Address(row.array()?);
    let sequence = row.u64()?;
    let accounts = row.u64()?;
    let range_root = row.hash()?;
    let event =
        row.option(|row| Some(CheckpointEvent { tx: row.hash()?, log_index: row.u32()? }))?;
    let usage = UsageDay { environment, day: day.number(), accounts, range_root };
    row.finish(UsageCheckpoint { day, contract, sequence, usage, event })
}

/// `version ‖ blind:32 ‖ rows:u32 ‖ requests:u64 ‖ tokens:u64 ‖ range_root:32`.
pub(super) fn encode_leaf(leaf: &UsageLeaf) -> Vec<u8> {
    let mut out = Encoder::new();
    out.u8(VERSION).hash(&leaf.blind).u32(leaf.rows).u64(leaf.requests).u64(leaf.tokens);
    out.hash(&leaf.range_root).finish()
}

pub(super) fn decode_leaf(account: AccountId, day: Day, row: &[u8]) -> Option<UsageLeaf> {
    let mut row = Decoder::new(row);
    if row.u8()? != VERSION {
        return None;
    }
    let blind = row.hash()?;
    let rows = row.u32()?;
    let requests = row.u64()?;
    let tokens = row.u64()?;
    let range_root = row.hash()?;
    let (account, day) = (account.0.into_bytes(), day.number());
    row.finish(UsageLeaf { account, day, blind, rows, requests, tokens, range_root })
}

/// `version ‖ hash:32 *`.
pub(super) fn encode_leaves(hashes: &[Hash]) -> Vec<u8> {
    let mut out = vec![VERSION];
    hashes.iter().for_each(|hash| out.extend(hash.0));
    out
}

pub(super) fn decode_leaves(row: &[u8]) -> Option<Vec<Hash>> {
    let (hashes, []) = row.strip_prefix(&[VERSION])?.as_chunks::<32>() else { return None };
    Some(hashes.iter().copied().map(Hash).collect())
}

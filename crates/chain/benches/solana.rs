//! What recomputing a block of Solana costs, against its bare hashes and checks of signatures. A slot of
//! today has 64 ticks of 62,500 hashes; with a fifth of them the transactions weigh more.

#[path = "../../proof/benches/ratio/mod.rs"]
mod ratio;

use std::thread::available_parallelism;

use divan::{Bencher, black_box};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use ratio::Ratios;
use sha2::block_api::compress256;
use sha2::{Digest, Sha256};
use superroot_chain::ledger::solana::{RawEntry, RawSolanaBlock, TICKS_PER_SLOT};
use superroot_chain::{ChainRegistry, ChainSpec, UntrustedBlock, verify};
use superroot_proof::ledger::solana::{mixin, plain, record, signature_leaf, signatures};
use superroot_types::{BlockNumber, Hash};

/// Transactions of a usual block.
const USUAL: usize = 1_000;
/// Transactions of an entry: one entry with some in every tick.
const TRANSACTIONS_PER_ENTRY: usize = 16;
/// Hashes of a tick on the mainnet.
const TICK_HASHES: u32 = 62_500;
/// A fifth of them.
const TICK_HASHES_FEW: u32 = 12_500;

fn main() {
    divan::main();
    let ratios = Ratios::of("chain");
    for tick_hashes in [TICK_HASHES, TICK_HASHES_FEW] {
        let raw = made(tick_hashes);
        bare(&raw);
        let untrusted = UntrustedBlock::Solana(Box::new(raw.clone()));
        let ours = |()| verify(row(), &untrusted).unwrap();
        let name = format!("solana_verify/tick={tick_hashes}/n={USUAL}");
        let peer = "sha2's and ed25519-dalek's work alone, in as many threads";
        ratios.print(&name, peer, || (), ours, || bare(&raw));
    }
}

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("solana").expect("Solana is in the registry")
}

/// A block whose ticks each begin with an entry of transactions, while there are any.
fn made(tick_hashes: u32) -> RawSolanaBlock {
    let parent_hash = Hash([7; 32]);
    let all: Vec<_> = (0..USUAL).map(|at| payment(&parent_hash, at)).collect();
    let mut groups = all.chunks(TRANSACTIONS_PER_ENTRY);
    let (mut entries, mut last) = (Vec::new(), parent_hash);
    for _ in 0..TICKS_PER_SLOT {
        let mut left = tick_hashes;
        if let Some(transactions) = groups.next() {
            let num_hashes = tick_hashes / 3;
            let leaves = transactions.iter().flat_map(|raw| signatures(raw).unwrap());
            let leaves: Vec<Hash> = leaves.map(signature_leaf).collect();
            last = record(&plain(&last, num_hashes - 1), &mixin(&leaves).unwrap());
            let transactions = transactions.to_vec();
            entries.push(RawEntry { num_hashes: num_hashes.into(), hash: last, transactions });
            left -= num_hashes;
        }
        last = plain(&last, left);
        entries.push(RawEntry { num_hashes: left.into(), hash: last, transactions: Vec::new() });
    }
    assert!(groups.next().is_none());
    RawSolanaBlock {
        number: BlockNumber(300_000_000),
        slot: 320_000_001,
        parent_slot: 320_000_000,
        hash: last,
        parent_hash,
        time: 1_780_000_000,
        entries: Some(entries),
    }
}

/// Lamports moved from one account to another.
fn payment(recent_blockhash: &Hash, at: usize) -> Vec<u8> {
    let seed: [u8; 32] = Sha256::digest(at.to_le_bytes()).into();
    let key = SigningKey::from_bytes(&seed);
    let mut message = vec![1, 0, 1, 3];
    for account in [&key.verifying_key().to_bytes(), &seed, &[0; 32], &recent_blockhash.0] {
        message.extend_from_slice(account);
    }
    message.extend_from_slice(&[1, 2, 2, 0, 1, 12, 2, 0, 0, 0]);
    message.extend_from_slice(&1_000_u64.to_le_bytes());
    [&[1], &key.sign(&message).to_bytes()[..], &message].concat()
}

/// The least that has to be computed of a block.
fn bare(raw: &RawSolanaBlock) {
    let entries = raw.entries.as_deref().unwrap_or_default();
    let count = entries.len().div_ceil(available_parallelism().map_or(1, usize::from));
    std::thread::scope(|scope| {
        let mut first = raw.parent_hash.0;
        for part in entries.chunks(count) {
            let start = first;
            first = part[part.len() - 1].hash.0;
            let end = first;
            scope.spawn(move || assert_eq!(bare_part(start, part), end));
        }
    });
}

fn bare_part(start: [u8; 32], entries: &[RawEntry]) -> [u8; 32] {
    let mut last = start;
    for entry in entries {
        let is_record = u64::from(!entry.transactions.is_empty());
        last = bare_plain(&last, entry.num_hashes - is_record);
        let mut row = Vec::new();
        for raw in &entry.transactions {
            let (signature, message) = raw[1..].split_first_chunk::<64>().unwrap();
            let key = VerifyingKey::from_bytes(message[4..36].try_into().unwrap()).unwrap();
            key.verify_strict(message, &Signature::from_bytes(signature)).unwrap();
            row.push(hash(&[&[0], signature]));
        }
        while row.len() > 1 {
            let pairs = row.chunks(2);
            row = pairs.map(|pair| hash(&[&[1], &pair[0], pair.last().unwrap()])).collect();
        }
        last = row.pop().map_or(last, |mixin| hash(&[&last, &mixin]));
    }
    last
}

fn hash(parts: &[&[u8]]) -> [u8; 32] {
    parts.iter().fold(Sha256::new(), |hasher, part| hasher.chain_update(part)).finalize().into()
}

/// The hash after so many: each is one block of SHA-256.
fn bare_plain(start: &[u8; 32], count: u64) -> [u8; 32] {
    const INITIAL: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    let mut block = [0; 64];
    block[..32].copy_from_slice(start);
    (block[32], block[62]) = (0x80, 1);
    for _ in 0..count {
        let mut state = INITIAL;
        compress256(&mut state, std::slice::from_ref(&block));
        for (place, word) in block.chunks_exact_mut(4).zip(state) {
            place.copy_from_slice(&word.to_be_bytes());
        }
    }
    block[..32].try_into().unwrap()
}

#[divan::bench(name = "solana_verify/tick=12500/n=1000", sample_count = 20)]
fn verify_block(bencher: Bencher<'_, '_>) {
    let untrusted = UntrustedBlock::Solana(Box::new(made(TICK_HASHES_FEW)));
    bencher.bench_local(|| verify(row(), black_box(&untrusted)).unwrap());
}

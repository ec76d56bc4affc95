//! Blocks of ledgers out of bytes, with the hashes set right that no fuzzer would find, and the seeds of
//! their targets.

use superroot_chain::ledger::aptos::{RawAptosBlock, RawVersions};
use superroot_chain::ledger::icp::{encode_block, sign_certificate};
use superroot_chain::ledger::solana::{RawEntry, RawSolanaBlock, TICKS_PER_SLOT};
use superroot_chain::ledger::sui::{
    CheckpointPlan, RawContents, RawSuiBlock, RawSuiTransaction, TransactionPlan, build_checkpoint,
};
use superroot_proof::bundle::{Bundle, EntryProof, ProofSubject};
use superroot_proof::ledger::Body;
use superroot_proof::ledger::aptos::{
    AptosVersions, ExecutionStatus, Frozen, Info, event_root, info_hash,
};
use superroot_proof::ledger::icp::{IcpAccount, Operation, Transaction};
use superroot_proof::ledger::solana::{
    Entry, SolanaEntries, mixin, plain, record, signature_leaf, signatures,
};
use superroot_proof::ledger::sui::{
    Effects, SuiCheckpoint, TransactionEffects, checkpoint_digest, contents_digest, effects_digest,
    events_digest, transaction_digest,
};
use superroot_types::{BlockNumber, Hash};

use crate::parts::Cursor;
use crate::seeds::{hex_of, hostile_bundles, json_of, tests_of};

/// Most hashes of an entry in a slot that is set right.
const ENTRY_HASHES_MAX: u32 = 200;
/// Place of the digest of the contents in a summary: behind three numbers and its length.
const CONTENT_DIGEST_AT: usize = 3 * 8 + 1;

/// The slot of these entries: each hash recomputed, and ticks added until they fill whole slots.
#[must_use]
pub fn slot(start: Hash, entries: &[Entry], leaves: Vec<Vec<u8>>) -> RawSolanaBlock {
    let mut leaves = leaves.into_iter();
    let (mut raw, mut last, mut ticks) = (Vec::new(), start, 0_u64);
    for entry in entries {
        let count = usize::try_from(entry.tx_count).unwrap_or(usize::MAX);
        let transactions: Vec<Vec<u8>> = leaves.by_ref().take(count).collect();
        ticks += u64::from(transactions.is_empty());
        let num_hashes = entry.num_hashes.min(ENTRY_HASHES_MAX);
        last = entry_hash(&last, num_hashes, &transactions);
        raw.push(RawEntry { num_hashes: num_hashes.into(), hash: last, transactions });
    }
    let ends_with_tick = raw.last().is_some_and(|entry| entry.transactions.is_empty());
    while ticks == 0
        || !ticks.is_multiple_of(TICKS_PER_SLOT)
        || (!ends_with_tick && raw.len() == entries.len())
    {
        last = entry_hash(&last, 1, &[]);
        raw.push(RawEntry { num_hashes: 1, hash: last, transactions: Vec::new() });
        ticks += 1;
    }
    let (number, parent_slot) = (BlockNumber(1_000), 5_000);
    RawSolanaBlock {
        number,
        slot: parent_slot + ticks / TICKS_PER_SLOT,
        parent_slot,
        hash: last,
        parent_hash: start,
        time: 1_700_000_000,
        entries: Some(raw),
    }
}

fn entry_hash(before: &Hash, num_hashes: u32, transactions: &[Vec<u8>]) -> Hash {
    let leaves = transactions.iter().filter_map(|raw| signatures(raw).ok()).flatten();
    let leaves: Vec<Hash> = leaves.map(signature_leaf).collect();
    match mixin(&leaves) {
        None => plain(before, num_hashes),
        Some(mixin) => record(&plain(before, num_hashes.saturating_sub(1)), &mixin),
    }
}

/// Transactions, records and bodies of Solana, out of slots that a script made.
#[must_use]
pub fn slots() -> Vec<Vec<u8>> {
    let slots = json_of(&tests_of("proof").join("slots/slots.json"));
    let slots = slots.as_array().expect("a list of slots").iter();
    let due = slots.flat_map(|slot| slot["proofs"].as_array().expect("a list of proofs"));
    let transactions: Vec<Vec<u8>> = due.map(|one| hex_of(&one["raw"])).collect();
    let mut seeds = transactions.clone();
    for count in [0, 1, 3, transactions.len()] {
        let leaves = &transactions[..count];
        let tick = Entry { num_hashes: 2, hash: Hash::ZERO, tx_count: 0 };
        let mut entries = vec![tick; 64];
        let groups: Vec<&[Vec<u8>]> = leaves.chunks(3).collect();
        for (at, group) in groups.iter().enumerate() {
            let tx_count = u32::try_from(group.len()).expect("a few");
            entries.insert(2 * at + 1, Entry { tx_count, ..tick });
        }
        let raw = slot(Hash([7; 32]), &entries, leaves.to_vec());
        for (entry, raw) in entries.iter_mut().zip(raw.entries.iter().flatten()) {
            entry.hash = raw.hash;
        }
        let built = SolanaEntries::build(raw.parent_hash, entries, leaves.to_vec());
        let body = Body::Solana(built.expect("entries of a slot"));
        push_body(&mut seeds, &body, u32::try_from(count).expect("a few"));
    }
    seeds
}

/// A body, and the entries of proofs out of it.
fn push_body(seeds: &mut Vec<Vec<u8>>, body: &Body, tx_count: u32) {
    seeds.push(body.encode()[1..].to_vec());
    let subjects = (0..tx_count).flat_map(|tx_index| {
        let transaction = ProofSubject::Transaction { tx_index };
        [transaction, ProofSubject::Log { tx_index, log_index: 0 }]
    });
    for subject in subjects {
        if let Ok(Some(entry)) = body.prove(subject, true) {
            seeds.push(crate::parts::entry_bytes(&entry));
        }
    }
}

/// The bytes as versions of Aptos, in the form of a body.
#[must_use]
pub fn read_versions(bytes: &[u8]) -> RawVersions {
    let mut rest = Cursor(bytes);
    let first_version = rest.number(8);
    let frozen = (0..first_version.count_ones()).map(|_| rest.hash()).collect();
    let pairs = rest.list(|rest| {
        let info = rest.long();
        let has_events = rest.number(1) & 1 == 1;
        (info, has_events.then(|| rest.list(Cursor::long)))
    });
    let (infos, events) = pairs.into_iter().unzip();
    RawVersions { first_version, frozen, infos, events }
}

/// The block of these versions, each event root and both roots of the block recomputed; `None` where an
/// info cannot be read, or the frozen roots are not as many as they should be.
#[must_use]
pub fn block_of_versions(mut versions: RawVersions) -> Option<RawAptosBlock> {
    let before = Frozen::new(versions.first_version, versions.frozen.clone())?;
    for (info, events) in versions.infos.iter_mut().zip(&versions.events) {
        let read = Info::decode(info).ok()?;
        let Some(events) = events else { continue };
        *info = Info { event_root: event_root(events), ..read }.encode();
    }
    let leaves: Vec<Hash> = versions.infos.iter().map(|info| info_hash(info)).collect();
    Some(RawAptosBlock {
        number: BlockNumber(1_000),
        hash: before.with(&leaves)?.root(),
        parent_hash: before.root(),
        ledger_info: None,
        timestamp_us: 1_700_000_000_000_000,
        versions: Some(versions),
    })
}

/// Infos, ways and bodies of Aptos: made up, and out of lies about a block that is true.
#[must_use]
pub fn versions() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for bundle in hostile_bundles("aptos") {
        let Some(EntryProof::Aptos(proof)) = &bundle.entry else { continue };
        seeds.push(proof.info.clone());
        push_entry(&mut seeds, &bundle);
    }
    let statuses = [
        ExecutionStatus::Success,
        ExecutionStatus::OutOfGas,
        ExecutionStatus::MoveAbort { code: 7, reason: None },
        ExecutionStatus::ExecutionFailure,
        ExecutionStatus::Miscellaneous { code: Some(9) },
    ];
    let info = |status: &ExecutionStatus, events: &[Vec<u8>]| Info {
        gas_used: 9,
        status: status.clone(),
        transaction_hash: Hash([1; 32]),
        event_root: event_root(events),
        state_change_hash: Hash([3; 32]),
        state_checkpoint_hash: None,
        auxiliary_hash: Some(Hash([5; 32])),
    };
    for first_version in [0_u64, 1, 6, 0x00f0_0001] {
        let roots = vec![Hash([4; 32]); usize::try_from(first_version.count_ones()).expect("few")];
        let before = Frozen::new(first_version, roots).expect("as many as bits");
        let events = vec![vec![1, 2, 8, 0, 0], vec![9; 40], Vec::new()];
        let infos: Vec<_> = statuses.iter().map(|status| info(status, &events).encode()).collect();
        seeds.extend(infos.iter().cloned());
        let count = u32::try_from(infos.len()).expect("few");
        let built = AptosVersions::build(before, infos, vec![Some(events); statuses.len()]);
        push_body(&mut seeds, &Body::Aptos(built.expect("versions")), count);
    }
    seeds
}

/// The bytes as a checkpoint: the summary behind its length, then the form of a body.
#[must_use]
pub fn read_checkpoint(bytes: &[u8]) -> RawSuiBlock {
    let mut rest = Cursor(bytes);
    let (summary, contents) = (rest.long(), rest.long());
    let transactions = rest.list(|rest| {
        let (transaction, effects) = (rest.long(), rest.long());
        let has_events = rest.number(1) & 1 == 1;
        RawSuiTransaction { transaction, effects, events: has_events.then(|| rest.long()) }
    });
    let digest = checkpoint_digest(&summary);
    let contents = Some(RawContents { contents, transactions });
    RawSuiBlock { digest, summary, certificate: None, contents }
}

/// The same checkpoint, every digest recomputed: in its effects those of the events, in new contents those
/// of all transactions, and in the summary that of the contents. `None` where the summary is too short.
#[must_use]
pub fn mend_checkpoint(mut raw: RawSuiBlock) -> Option<RawSuiBlock> {
    let RawContents { contents, transactions } = raw.contents.as_mut()?;
    *contents = vec![1];
    put_length(contents, transactions.len());
    for one in transactions {
        let named = Effects::decode(&one.effects).ok().and_then(|effects| effects.events_digest);
        match (&one.events, named) {
            (Some(events), Some(named)) => {
                let at = one.effects.windows(32).position(|window| window == named.0)?;
                one.effects[at..at + 32].copy_from_slice(&events_digest(events).0);
            }
            (Some(_), None) => one.events = None,
            (None, _) => {}
        }
        for digest in [transaction_digest(&one.transaction), effects_digest(&one.effects)] {
            contents.push(32);
            contents.extend(digest.0);
        }
        contents.push(0);
    }
    let digest = contents_digest(contents);
    raw.summary.get_mut(CONTENT_DIGEST_AT..)?.get_mut(..32)?.copy_from_slice(&digest.0);
    raw.digest = checkpoint_digest(&raw.summary);
    Some(raw)
}

/// Seven bits a byte, the lowest first.
fn put_length(out: &mut Vec<u8>, length: usize) {
    let mut rest = length;
    while rest > 0x7f {
        out.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    out.push(rest.to_le_bytes()[0]);
}

fn put_long(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(u32::try_from(bytes.len()).expect("a short part").to_be_bytes());
    out.extend(bytes);
}

/// In the form that [`read_checkpoint`] reads.
fn write_checkpoint(raw: &RawSuiBlock) -> Vec<u8> {
    let mut out = Vec::new();
    put_long(&mut out, &raw.summary);
    let Some(RawContents { contents, transactions }) = &raw.contents else { return out };
    put_long(&mut out, contents);
    out.extend(u32::try_from(transactions.len()).expect("few").to_be_bytes());
    for RawSuiTransaction { transaction, effects, events } in transactions {
        put_long(&mut out, transaction);
        put_long(&mut out, effects);
        out.push(u8::from(events.is_some()));
        events.iter().for_each(|events| put_long(&mut out, events));
    }
    out
}

/// Parts of checkpoints and checkpoints whole: made up here and by a script of its own, and out of lies about
/// one that is true.
#[must_use]
pub fn checkpoints() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let mut whole = Vec::new();
    let made = json_of(&tests_of("proof").join("../../../vectors/sui/synthetic.json"));
    for one in made.as_array().expect("a list of checkpoints") {
        let transactions = one["transactions"].as_array().expect("a list").iter();
        let transactions = transactions.map(|one| RawSuiTransaction {
            transaction: hex_of(&one["transaction"]),
            effects: hex_of(&one["effects"]),
            events: one["events"].is_string().then(|| hex_of(&one["events"])),
        });
        let (summary, contents) = (hex_of(&one["summary"]), hex_of(&one["contents"]));
        let contents = Some(RawContents { contents, transactions: transactions.collect() });
        let digest = checkpoint_digest(&summary);
        whole.push(RawSuiBlock { digest, summary, certificate: None, contents });
    }
    let transaction = |count: u8| TransactionPlan {
        sender: Hash([count; 32]),
        input: vec![count; 20],
        is_success: count != 1,
        events: vec![vec![count; 12]; usize::from(count)],
    };
    for count in [0, 1, 4] {
        whole.push(build_checkpoint(&CheckpointPlan {
            epoch: 3,
            sequence_number: 1_000,
            previous_digest: Hash([7; 32]),
            transactions_before: 50,
            timestamp_ms: 1_700_000_000_000,
            transactions: (0..count).map(transaction).collect(),
            next_committee: None,
        }));
    }
    for raw in &whole {
        seeds.push(write_checkpoint(raw));
        seeds.push(raw.summary.clone());
        if let Some(RawContents { contents, transactions }) = &raw.contents {
            seeds.push(contents.clone());
            let (listed, outcomes) = transactions.iter().map(parts_of).unzip();
            let body = Body::Sui(SuiCheckpoint::build(contents.clone(), listed, outcomes));
            push_body(&mut seeds, &body, u32::try_from(transactions.len()).expect("few"));
            let effects = transactions.iter().map(|one| one.effects.clone());
            seeds.extend(effects.chain(transactions.iter().filter_map(|one| one.events.clone())));
        }
    }
    hostile_bundles("sui").iter().for_each(|bundle| push_entry(&mut seeds, bundle));
    seeds
}

fn parts_of(one: &RawSuiTransaction) -> (Vec<u8>, TransactionEffects) {
    let RawSuiTransaction { transaction, effects, events } = one;
    (transaction.clone(), TransactionEffects { effects: effects.clone(), events: events.clone() })
}

/// Encoded blocks and transactions of the ICP ledger, of the mainnet and made up, and a certificate.
#[must_use]
pub fn ledger_blocks() -> Vec<Vec<u8>> {
    let file = json_of(&tests_of("proof").join("icp_blocks/blocks.json"));
    let list = |name: &str| file[name].as_array().expect("a list").clone();
    let blocks = [vec![file["real"].clone()], list("synthetic"), list("realTransactions")].concat();
    let mut seeds: Vec<Vec<u8>> = blocks.iter().map(|one| hex_of(&one["encoded"])).collect();
    let account = |byte| IcpAccount([byte; 28]);
    let (from, to, fee_e8s) = (account(1), account(2), 10_000);
    let operations = [
        Operation::Burn { from, amount_e8s: 5, spender: Some(to) },
        Operation::Mint { to, amount_e8s: 0 },
        Operation::Transfer { from, to, amount_e8s: 1 << 40, fee_e8s, spender: Some(from) },
        Operation::Approve {
            from,
            spender: to,
            allowance_e8s: 9,
            expected_allowance_e8s: Some(0),
            expires_at_nanos: Some(1 << 60),
            fee_e8s,
        },
    ];
    for operation in operations {
        let (created_at_nanos, icrc1_memo) = (Some(1_700_000_000_000_000_000), Some(vec![3; 32]));
        let transaction = Transaction { operation, memo: 300, created_at_nanos, icrc1_memo };
        seeds.push(encode_block(Some(&Hash([7; 32])), 1_700_000_000_000_000_000, &transaction));
        seeds.push(encode_block(None, 1, &transaction));
    }
    // as entries and bodies of proofs
    for at in 0..seeds.len() {
        let mut long = Vec::new();
        put_long(&mut long, &seeds[at]);
        seeds.push(long);
    }
    let canister = "ryjl3-tyaaa-aaaaa-aaaba-cai";
    seeds.push(canister.as_bytes().to_vec());
    let canister = canister.parse().expect("the canister of the ledger");
    seeds.push(sign_certificate(&canister, &[5; 32], 1_700_000_000_000_000_000));
    seeds
}

fn push_entry(seeds: &mut Vec<Vec<u8>>, bundle: &Bundle) {
    seeds.extend(bundle.entry.as_ref().map(crate::parts::entry_bytes));
}

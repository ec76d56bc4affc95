//! Proofs of Bitcoin: what the lens shows of real ones, hostile ones (`vectors/hostile/calldata-bitcoin.json`), and
//! changed ones, on which both verifiers agree.

use std::fs;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_proof::hash::sha256d;
use superroot_proof::ledger::bitcoin::{Branch, BranchProofs, Header, merkle_root, prove};
use superroot_proof::registry::{HashRuleFrom, Profile};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family};

use crate::hostile::{HostileCalldata, case, same_as_file};
use crate::made::{ORIGIN, anchored};
use crate::*;

/// Row of `vectors/real/calldata-bitcoin.json`.
#[derive(Clone, Debug, Deserialize)]
struct RealBitcoinCalldata {
    name: String,
    origin: String,
    log_id: B256,
    block_number: u64,
    block_hash: B256,
    shows: String,
    open: bool,
    tx_index: Option<u32>,
    output_index: Option<u32>,
    transaction_hash: Option<B256>,
    value_sats: Option<u64>,
    script: Option<String>,
    sequence: u64,
    trusted: B256,
    calldata: String,
}

/// Real proof of an output in a sealed twig.
pub(crate) fn sealed_output() -> Bundle {
    let vectors = real();
    let found = vectors.iter().find(|one| one.shows == "event" && !one.open).unwrap();
    let bytes = const_hex::decode(&found.calldata).unwrap();
    Bundle::from_calldata(&bytes, &found.origin).unwrap()
}

fn real() -> Vec<RealBitcoinCalldata> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/real/calldata-bitcoin.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// What a proof shows: number, indexes, transaction hash, amount and script.
type Shown = Option<(u64, Option<u32>, Option<u32>, Option<B256>, Option<(u64, Vec<u8>)>)>;

fn of_rust(bytes: &[u8], origin: &str, trusted: B256, shows: &str) -> Shown {
    let bundle = Bundle::from_calldata(bytes, origin).ok()?;
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    let facts = verify_anchored(&bundle, &policy, &hash(trusted)).ok()?;
    let statement = facts.statement;
    if statement.subject.name() != shows || statement.chain.family != Family::Bitcoin {
        return None;
    }
    let output = facts.output().map(|proven| &proven.output);
    Some((
        statement.number.0,
        statement.tx_index(),
        statement.log_index(),
        facts.transaction.as_ref().map(|transaction| B256::from(transaction.hash.0)),
        output.map(|output| (output.value_sats, output.script_pubkey.clone())),
    ))
}

fn of_contract(lens: &mut Lens, bytes: &[u8], shows: &str) -> Shown {
    let proof = Bytes::copy_from_slice(bytes);
    match shows {
        "event" => {
            let outcome = lens.view(&verifyOutputCall { proof });
            let shown = outcome
                .is_success
                .then(|| verifyOutputCall::abi_decode_returns(&outcome.output).unwrap())?;
            Some((
                shown.blockNumber.to(),
                Some(shown.txIndex.to()),
                Some(shown.outputIndex.to()),
                Some(shown.transactionHash),
                Some((shown.valueSats.to(), shown.script.to_vec())),
            ))
        }
        "transaction" => {
            let outcome = lens.view(&verifyBitcoinTransactionCall { proof });
            let shown = outcome
                .is_success
                .then(|| verifyBitcoinTransactionCall::abi_decode_returns(&outcome.output))?
                .unwrap();
            let hash = Some(shown.transactionHash);
            Some((shown.blockNumber.to(), Some(shown.txIndex.to()), None, hash, None))
        }
        _ => {
            let outcome = lens.view(&verifyBitcoinBlockCall { proof });
            let shown = outcome
                .is_success
                .then(|| verifyBitcoinBlockCall::abi_decode_returns(&outcome.output).unwrap())?;
            Some((shown.blockNumber.to(), None, None, None, None))
        }
    }
}

#[test]
fn real_proofs_of_bitcoin_show_what_they_prove() {
    let vectors = real();
    let mut lens = Lens::new(vectors[0].log_id);
    for vector in &vectors {
        let bytes = const_hex::decode(&vector.calldata).unwrap();
        let refused = lens.view(&verifyOutputCall { proof: bytes.clone().into() });
        assert!(!refused.is_success, "no SuperRoot is anchored, or another one");
        lens.anchor(vector.sequence, vector.trusted);
        let script = vector.script.as_ref().map(|script| const_hex::decode(script).unwrap());
        let expected = (
            vector.block_number,
            vector.tx_index,
            vector.output_index,
            vector.transaction_hash,
            vector.value_sats.zip(script),
        );
        let shown = of_contract(&mut lens, &bytes, &vector.shows);
        assert_eq!(shown, Some(expected), "{}", vector.name);
        if vector.shows == "block" {
            let outcome = lens.view(&verifyBitcoinBlockCall { proof: bytes.clone().into() });
            let block = verifyBitcoinBlockCall::abi_decode_returns(&outcome.output).unwrap();
            assert_eq!(block.blockHash, vector.block_hash);
        }
        // what reads EVM chains takes none of it
        let proof = Bytes::from(bytes);
        assert!(!lens.view(&verifyEventCall { proof: proof.clone() }).is_success);
        assert!(!lens.view(&verifyTransactionCall { proof: proof.clone() }).is_success);
        assert!(!lens.view(&verifyBlockCall { proof }).is_success);
        lens.anchor(vector.sequence, B256::repeat_byte(9));
    }
}

#[test]
fn withdrawn_blocks_of_bitcoin_are_refused() {
    let vectors = real();
    let vector = vectors.iter().find(|one| one.shows == "event").unwrap();
    let mut lens = Lens::new(vector.log_id);
    lens.anchor(vector.sequence, vector.trusted);
    let bytes = const_hex::decode(&vector.calldata).unwrap();
    let bundle = Bundle::from_calldata(&bytes, &vector.origin).unwrap();
    let row = bundle.super_root().unwrap().registry.row.0;
    for (from, holds) in [(vector.block_number + 1, true), (vector.block_number, false)] {
        lens.withdraw(row, from);
        assert_eq!(of_contract(&mut lens, &bytes, "event").is_some(), holds, "{from}");
    }
}

#[test]
fn both_verifiers_agree_on_changed_proofs_of_bitcoin() {
    let count: usize = std::env::var("SUPERROOT_DIFFERENTIAL")
        .map_or(2_000, |count| count.parse().expect("a number of proofs"));
    let vectors = real();
    let mut lens = Lens::new(vectors[0].log_id);
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let (mut refused, mut shown) = (0, 0);
    for nth in 0..count {
        let vector = &vectors[nth % vectors.len()];
        let mut bytes = const_hex::decode(&vector.calldata).unwrap();
        let most = if nth % 2 == 0 { bytes.len() } else { bytes.len().min(300) };
        let tail = bytes.split_off(most);
        for _ in 0..random.next_u32() % 3 {
            differential::change(&mut bytes, &mut random);
        }
        bytes.extend_from_slice(&tail);
        lens.anchor(vector.sequence, vector.trusted);
        let ours = of_rust(&bytes, &vector.origin, vector.trusted, &vector.shows);
        let theirs = of_contract(&mut lens, &bytes, &vector.shows);
        assert_eq!(ours, theirs, "{}: 0x{}", vector.name, const_hex::encode(&bytes));
        if ours.is_some() { shown += 1 } else { refused += 1 }
    }
    println!("{refused} refused, {shown} shown, no disagreement");
    assert!(refused > count / 2 && shown > count / 8);
}

/// Each byte of a proof, changed: both refuse it, or show an output of the same transaction. A header does not bind its
/// count of transactions: another one may show the same.
#[test]
fn every_flipped_byte_of_bitcoin_is_judged_alike() {
    let vectors = real();
    let mut lens = Lens::new(vectors[0].log_id);
    for open in [false, true] {
        let is_it = |one: &&RealBitcoinCalldata| one.shows == "event" && one.open == open;
        let shortest = vectors.iter().filter(is_it).min_by_key(|one| one.calldata.len());
        let vector = shortest.unwrap();
        lens.anchor(vector.sequence, vector.trusted);
        let honest = const_hex::decode(&vector.calldata).unwrap();
        let shown = of_contract(&mut lens, &honest, "event").unwrap();
        for place in 0..honest.len() {
            let mut bytes = honest.clone();
            bytes[place] ^= 1 << (place % 8);
            let theirs = of_contract(&mut lens, &bytes, "event");
            let ours = of_rust(&bytes, &vector.origin, vector.trusted, "event");
            assert_eq!(ours, theirs, "byte {place}, open: {open}");
            let Some(other) = theirs else { continue };
            assert_eq!((other.0, other.1, other.3), (shown.0, shown.1, shown.3), "byte {place}");
        }
    }
}

const BITCOIN: ChainKey = ChainKey { family: Family::Bitcoin, id: ChainId(21_000_000) };
const NUMBER: BlockNumber = BlockNumber(900_001);

fn compact(value: usize) -> Vec<u8> {
    match value {
        0..0xfd => vec![value as u8],
        0xfd..0x1_0000 => [&[0xfd][..], &(value as u16).to_le_bytes()].concat(),
        _ => [&[0xfe][..], &(value as u32).to_le_bytes()].concat(),
    }
}

fn input(previous: [u8; 32], index: u32, script: &[u8]) -> Vec<u8> {
    let index = index.to_le_bytes();
    [&previous[..], &index, &compact(script.len()), script, &[0xff; 4]].concat()
}

fn output(sats: u64, script: &[u8]) -> Vec<u8> {
    [&sats.to_le_bytes()[..], &compact(script.len()), script].concat()
}

fn transaction(inputs: &[Vec<u8>], outputs: &[Vec<u8>]) -> Vec<u8> {
    let counts = [compact(inputs.len()), compact(outputs.len())];
    let (inputs, outputs) = (inputs.concat(), outputs.concat());
    [&[2, 0, 0, 0][..], &counts[0], &inputs, &counts[1], &outputs, &[0; 4]].concat()
}

fn coinbase() -> Vec<u8> {
    transaction(&[input([0; 32], u32::MAX, b"made")], &[output(625_000_000, &[0x51])])
}

fn plain(sats: u64) -> Vec<u8> {
    transaction(&[input([7; 32], 1, &[1; 20])], &[output(sats, &[0x51; 22]), output(1, b"two")])
}

/// Proof of an output under leaves as they stand, consistent up to its SuperRoot.
fn proof_of(leaves: &[Vec<u8>], tx_index: u32, log_index: u32, open: bool) -> Bundle {
    let hashes: Vec<Hash> = leaves.iter().map(|leaf| sha256d(&[leaf])).collect();
    let branch = |index: u32| Branch {
        leaf: leaves[index as usize].clone(),
        siblings: prove(&hashes, index).unwrap(),
    };
    let branches = BranchProofs {
        tx_count: leaves.len() as u32,
        transaction: branch(tx_index),
        coinbase: (tx_index > 0).then(|| branch(0)),
    };
    of_branches(branches, merkle_root(&hashes).unwrap(), (tx_index, log_index), open)
}

fn of_branches(
    branches: BranchProofs,
    merkle_root: Hash,
    (tx_index, log_index): (u32, u32),
    open: bool,
) -> Bundle {
    let (version, time) = (2, 1_760_000_000);
    let header = Header {
        version,
        parent_hash: Hash([3; 32]),
        merkle_root,
        time,
        bits: 0x1d00_ffff,
        nonce: 5,
    };
    let subject = ProofSubject::Log { tx_index, log_index };
    Bundle {
        origin: ORIGIN.to_owned(),
        statement: Statement { chain: BITCOIN, number: NUMBER, subject },
        entry: Some(EntryProof::Bitcoin(branches)),
        block: Some(anchored(BITCOIN, NUMBER, &header.encode(), open)),
    }
}

/// Seven transactions: an odd row on two heights.
fn block_of(third: Vec<u8>) -> Vec<Vec<u8>> {
    let mut leaves = vec![coinbase()];
    leaves.extend((1..7_u64).map(plain));
    leaves[3] = third;
    leaves
}

fn whole(name: &str, bundle: &Bundle) -> HostileCalldata {
    case(name, &bundle.to_calldata().unwrap(), bundle)
}

/// Transactions that are none, under a SuperRoot that is trusted all the same.
fn hostile_transactions() -> Vec<HostileCalldata> {
    let spent = || input([7; 32], 1, &[1; 20]);
    let paid = || output(9, &[0x51; 22]);
    let good = plain(9);
    let replaced = |from: usize, bytes: &[u8]| {
        let mut changed = good.clone();
        changed[from..from + bytes.len()].copy_from_slice(bytes);
        changed
    };
    let node_sized = transaction(&[input([7; 32], 1, &[])], &[output(9, &[0x51; 4])]);
    assert_eq!(node_sized.len(), 64);
    let cases = [
        ("a transaction of 64 bytes", node_sized),
        ("no input", transaction(&[], &[paid()])),
        ("no output", transaction(&[spent()], &[])),
        ("a byte behind the transaction", [&good[..], &[0]].concat()),
        ("a transaction cut short", good[..good.len() - 1].to_vec()),
        ("a count in three bytes where one is enough", {
            let parts = [&good[..4], &[0xfd, 1, 0], &good[5..]];
            parts.concat()
        }),
        ("a script longer than the transaction", replaced(41, &[0xfc])),
        ("more inputs than there are", replaced(4, &[200])),
        (
            "an amount above all that can be",
            transaction(&[spent()], &[output(2_100_000_000_000_001, &[0x51; 22])]),
        ),
        ("witnesses in the transaction", [&good[..4], &[0, 1], &good[4..]].concat()),
    ];
    cases
        .into_iter()
        .map(|(name, leaf)| {
            whole(&format!("bitcoin: {name}"), &proof_of(&block_of(leaf), 3, 0, false))
        })
        .collect()
}

fn hostile_trees() -> Vec<HostileCalldata> {
    let mut cases = Vec::new();
    let honest = block_of(plain(9));
    let bundle = proof_of(&honest, 3, 0, false);
    // the first transaction spends something, or has a script of one byte
    for (name, first) in [
        ("a first transaction that spends", plain(99)),
        (
            "a coinbase with a script of one byte",
            transaction(&[input([0; 32], u32::MAX, b"m")], &[output(1, b"x")]),
        ),
        (
            "a coinbase of two inputs",
            transaction(
                &[input([0; 32], u32::MAX, b"made"), input([7; 32], 0, b"")],
                &[output(1, b"x")],
            ),
        ),
    ] {
        let mut leaves = honest.clone();
        leaves[0] = first;
        cases.push(whole(&format!("bitcoin: {name}"), &proof_of(&leaves, 3, 0, false)));
    }
    let Some(EntryProof::Bitcoin(branches)) = &bundle.entry else { panic!() };
    let hashes: Vec<Hash> = honest.iter().map(|leaf| sha256d(&[leaf])).collect();
    let root = merkle_root(&hashes).unwrap();
    // eight where the last of seven is there twice: the same root
    let doubled = BranchProofs {
        tx_count: 8,
        transaction: Branch {
            leaf: honest[6].clone(),
            siblings: [&[hashes[6]][..], &prove(&hashes, 6).unwrap()].concat(),
        },
        coinbase: branches.coinbase.clone(),
    };
    cases.push(whole("bitcoin: a doubled tail", &of_branches(doubled, root, (7, 0), false)));
    // an inner node of the row above the leaves, read as a transaction, at the depth of another count
    let inner = [hashes[2].0, hashes[3].0].concat();
    let shallow = BranchProofs {
        tx_count: 4,
        transaction: Branch { leaf: inner, siblings: branches.transaction.siblings[1..].to_vec() },
        coinbase: Some(Branch {
            leaf: honest[0].clone(),
            siblings: branches.coinbase.as_ref().unwrap().siblings[1..].to_vec(),
        }),
    };
    cases.push(whole("bitcoin: an inner node", &of_branches(shallow, root, (1, 0), false)));
    let mut other = branches.clone();
    other.coinbase.as_mut().unwrap().siblings[0] = Hash([9; 32]);
    cases.push(whole(
        "bitcoin: a coinbase of another block",
        &of_branches(other, root, (3, 0), false),
    ));
    cases.push(whole(
        "bitcoin: another root",
        &of_branches(branches.clone(), Hash([1; 32]), (3, 0), false),
    ));
    for (name, from) in [("at the number", NUMBER.0), ("long before", 7)] {
        let mut bundle = bundle.clone();
        let place = bundle.block.as_mut().unwrap().twig.as_mut().unwrap().place.as_mut();
        let Some(TwigPosition::Sealed(sealed)) = place else { panic!() };
        let opening = &mut sealed.super_root.as_mut().unwrap().registry;
        let mut profile = Profile::decode(&opening.profile).unwrap();
        profile.rules.push(HashRuleFrom { from_number: from, code: 0 });
        opening.profile = profile.encode().unwrap();
        cases.push(whole(&format!("bitcoin: withdrawn {name}"), &bundle));
    }
    cases
}

fn hostile_bytes() -> Vec<HostileCalldata> {
    let mut cases = Vec::new();
    for open in [false, true] {
        let of = if open { "bitcoin, open" } else { "bitcoin, sealed" };
        let bundle = proof_of(&block_of(plain(9)), 3, 0, open);
        let honest = bundle.to_calldata().unwrap();
        let number = 2 + 8 + 1 + 10;
        let position = number + 8;
        let count = position + 8;
        let header = honest.windows(4).position(|four| four == 0x1d00_ffff_u32.to_le_bytes());
        let header = header.unwrap() - 72;
        let edits: [(&str, usize, &[u8]); 20] = [
            ("the form of EVM chains", 0, &[1]),
            ("another form", 0, &[3]),
            ("subject 3", 1, &[3 | u8::from(open) << 2]),
            ("the other kind of twig", 1, &[2 | u8::from(!open) << 2]),
            ("another chain", 2, &1_u64.to_be_bytes()),
            ("no rule", 10, &[0]),
            ("a rule of Ethereum", 19, &[0, 1]),
            ("another number", number, &(NUMBER.0 + 1).to_be_bytes()),
            ("a number of 2^53", number, &(1_u64 << 53).to_be_bytes()),
            ("another index", position, &2_u32.to_be_bytes()),
            ("index = count", position, &7_u32.to_be_bytes()),
            ("index 0 with a coinbase beside it", position, &0_u32.to_be_bytes()),
            ("output index = count", position + 4, &2_u32.to_be_bytes()),
            ("output index 2^32 - 1", position + 4, &u32::MAX.to_be_bytes()),
            ("no transaction", count, &0_u32.to_be_bytes()),
            ("16,667 transactions", count, &16_667_u32.to_be_bytes()),
            ("transactions for a deeper tree", count, &9_u32.to_be_bytes()),
            ("a transaction past the end", count + 4, &[0xff; 3]),
            ("another header", header, &[9]),
            ("another root in the header", header + 36, &[9]),
        ];
        for (name, place, bytes) in edits {
            let mut changed = honest.clone();
            changed[place..place + bytes.len()].copy_from_slice(bytes);
            assert!(changed != honest, "{name}");
            cases.push(case(&format!("{of}: {name}"), &changed, &bundle));
        }
        for length in [1, 20, number + 3, count + 2, header, header + 79, honest.len() - 1] {
            cases.push(case(&format!("{of}: cut at {length}"), &honest[..length], &bundle));
        }
        cases.push(case(&format!("{of}: a byte more"), &[&honest[..], &[0]].concat(), &bundle));
    }
    cases
}

#[test]
fn hostile_bytes_of_bitcoin_are_refused_by_every_reader() {
    let made = [hostile_bytes(), hostile_transactions(), hostile_trees()].concat();
    let read = same_as_file("hostile/calldata-bitcoin.json", &made);
    assert!(read.len() >= 60, "{}", read.len());
    let mut lens = Lens::new(read[0].log_id);
    for one in &read {
        lens.anchor(one.sequence, one.trusted);
        let bytes = const_hex::decode(&one.calldata).unwrap();
        for shows in ["event", "transaction", "block"] {
            assert_eq!(of_contract(&mut lens, &bytes, shows), None, "{} as {shows}", one.name);
        }
        assert!(!lens.view(&verifyEventCall { proof: bytes.into() }).is_success, "{}", one.name);
    }
    // the honest ones that they were made of hold, at each index of a tree with odd rows
    for (open, tx_index) in [(false, 0), (false, 3), (true, 6), (true, 1), (false, 5)] {
        let bundle = proof_of(&block_of(plain(9)), tx_index, 0, open);
        let (sequence, trusted) = hostile::root(&bundle);
        lens.anchor(sequence, trusted);
        let bytes = bundle.to_calldata().unwrap();
        let shown = of_contract(&mut lens, &bytes, "event");
        assert!(shown.is_some(), "{tx_index}");
        assert_eq!(shown, of_rust(&bytes, ORIGIN, trusted, "event"));
    }
}

#[test]
fn gas_of_an_output_stays_below_its_limit() {
    let vectors = real();
    let mut lens = Lens::new(vectors[0].log_id);
    let double = artifact("VerifierDouble").unwrap();
    let double = lens.host.create(&double.bytecode, &[]).unwrap();
    for open in [false, true] {
        let (mut bytes, mut library, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        for vector in vectors.iter().filter(|one| one.shows == "event" && one.open == open) {
            lens.anchor(vector.sequence, vector.trusted);
            let proof: Bytes = const_hex::decode(&vector.calldata).unwrap().into();
            let alone = checkOutputCall { proof: proof.clone(), logId: vector.log_id }.abi_encode();
            let alone = lens.host.view(double, alone).unwrap();
            assert_eq!(&alone.output[..32], vector.trusted.as_slice());
            bytes.push(proof.len() as u64);
            library.push(alone.execution_gas);
            whole.push(lens.view(&verifyOutputCall { proof }).gas);
        }
        let both = |all: &Vec<u64>| (gas::at(all.clone(), 50), gas::at(all.clone(), 90));
        println!(
            "output, {}: {} proofs, bytes {:?}, library {:?}, transaction {:?}",
            if open { "open" } else { "sealed" },
            bytes.len(),
            both(&bytes),
            both(&library),
            both(&whole)
        );
        if std::env::var_os("SUPERROOT_GAS_LIMITS").is_some() {
            assert!(both(&library).0 <= 60_000 && both(&whole).0 <= 160_000);
        }
    }
}

//! Gas and bytes at the median and at nine of ten proofs: the limits that contracts may count on.

use superroot_proof::bundle::{Bundle, EntryProof};
use superroot_proof::calldata::entry_of;
use superroot_proof::ledger::evm::{Header, Layout};
use superroot_proof::mpt::index_key;

use crate::*;

pub(crate) fn at(mut all: Vec<u64>, percent: usize) -> u64 {
    all.sort_unstable();
    all[(all.len() - 1) * percent / 100]
}

#[test]
fn gas_and_bytes_stay_below_their_limits() {
    let vectors = vectors();
    let mut lens = Lens::new(vectors[0].log_id);
    let double = artifact("VerifierDouble").unwrap();
    let double = lens.host.create(&double.bytecode, &[]).unwrap();
    println!(
        "| shows | twig | proofs | bytes p50, p90 | library p50, p90 | lens p50, p90 | transaction p50, p90 |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (shows, open, bytes_most, library_most, transaction_most) in [
        ("event", false, 4_000, (38_000, 66_000), 153_000),
        ("event", true, 3_320, (33_000, 66_000), 128_000),
        ("block", false, 2_020, (22_000, 22_500), 96_000),
        ("block", true, 1_410, (17_000, 18_500), 72_000),
    ] {
        let (mut bytes, mut library) = (Vec::new(), Vec::new());
        let (mut execution, mut whole) = (Vec::new(), Vec::new());
        for vector in vectors.iter().filter(|one| one.shows == shows && one.open == open) {
            lens.anchor(vector.sequence, vector.trusted);
            let proof = proof(vector);
            bytes.push(proof.len() as u64);
            let log_id = vector.log_id;
            let (outcome, alone) = match shows {
                "event" => {
                    let alone = checkEventCall { proof: proof.clone(), logId: log_id }.abi_encode();
                    (lens.view(&verifyEventCall { proof }), alone)
                }
                _ => {
                    let alone = checkBlockCall { proof: proof.clone(), logId: log_id }.abi_encode();
                    (lens.view(&verifyBlockCall { proof }), alone)
                }
            };
            assert!(outcome.is_success, "{}: {}", vector.name, refusal(&outcome));
            let alone = lens.host.view(double, alone).unwrap();
            assert_eq!(&alone.output[..32], vector.trusted.as_slice());
            library.push(alone.execution_gas);
            execution.push(outcome.execution_gas);
            whole.push(outcome.gas);
        }
        let count = bytes.len();
        let both = |all: &Vec<u64>| (at(all.clone(), 50), at(all.clone(), 90));
        let (bytes, library) = (both(&bytes), both(&library));
        let (execution, whole) = (both(&execution), both(&whole));
        let twig = if open { "open" } else { "sealed" };
        println!(
            "| {shows} | {twig} | {count} | {bytes:?} | {library:?} | {execution:?} | {whole:?} |"
        );
        if std::env::var_os("SUPERROOT_GAS_LIMITS").is_some() {
            assert!(bytes.0 <= bytes_most && whole.0 <= transaction_most);
            assert!(library.0 <= library_most.0 && library.1 <= library_most.1);
        }
    }
}

/// Trie, leaf, log and header alone, beside OpenZeppelin's trie and header on the same proofs.
#[test]
fn the_levels_of_a_block_cost_a_third_of_the_usual_library() {
    let mut host = EvmHost::new(1);
    let [ours, theirs] =
        ["VerifierDouble", "PeerDouble"].map(|name| artifact(name).unwrap().bytecode);
    let [ours, theirs] = [ours, theirs].map(|code| host.create(&code, &[]).unwrap());
    let (mut own, mut peer) = (Vec::new(), Vec::new());
    for vector in vectors().iter().filter(|one| one.shows == "event") {
        let calldata = vector.bytes();
        let bundle = Bundle::from_calldata(&calldata, &vector.origin).unwrap();
        let Some(EntryProof::Evm(tries)) = &bundle.entry else { panic!("no trie") };
        let header = &bundle.block.as_ref().unwrap().header;
        // another layout than Ethereum's is nothing to the peer
        if Header::decode(Layout::Ethereum, header).is_err() {
            continue;
        }
        let entry = entry_of(&calldata).unwrap().into();
        let rules = 9 + 10 * usize::from(calldata[10]);
        let length = u16::try_from(header.len()).unwrap().to_be_bytes();
        let part = [&calldata[2..2 + rules], &length, header].concat().into();
        let nodes = tries.receipt.as_ref().unwrap();
        let key = index_key(vector.tx_index.unwrap().into()).into();
        let root = keccak(&nodes[0]);
        let nodes = nodes.iter().map(|node| Bytes::copy_from_slice(node)).collect();
        let header = Bytes::copy_from_slice(header);
        let mut gas = |to, data: Vec<u8>| {
            let outcome = host.view(to, data).unwrap();
            assert!(outcome.is_success, "{}", vector.name);
            outcome.execution_gas
        };
        own.push(
            gas(ours, checkEntryCall { entry }.abi_encode())
                + gas(ours, checkHeaderCall { part }.abi_encode()),
        );
        peer.push(
            gas(theirs, checkTrieCall { root, key, nodes }.abi_encode())
                + gas(theirs, checkHeaderCall { part: header }.abi_encode()),
        );
    }
    let (own, peer) = ((at(own.clone(), 50), at(own, 90)), (at(peer.clone(), 50), at(peer, 90)));
    println!("levels 1 and 2: {own:?}; OpenZeppelin's trie and header: {peer:?}");
    assert!(own.0 * 3 <= peer.0, "{own:?} and {peer:?}");
}

//! A consumer pays out once an event, whatever bytes prove it.

use alloy_sol_types::{SolCall, SolError};
use superroot_proof::bundle::{Bundle, EntryProof, ProofSubject, Statement, TrieProofs, verify};
use superroot_proof::mpt::OrderedTrie;
use superroot_types::{ChainId, ChainKey, Family};

use crate::made::{ORIGIN, anchored};
use crate::made_block::{NUMBER, header, receipt};
use crate::*;

/// Proof of the first log of a block of Base with that receipt, under two kinds of SuperRoots.
fn transfer(emitter: Address, topics: &[B256], data: &[u8], open: bool) -> Bundle {
    let leaf = receipt(emitter, topics, data);
    let others: Vec<Vec<u8>> =
        (0..9_u8).map(|byte| receipt(emitter, &[B256::repeat_byte(byte)], &[])).collect();
    let leaves: Vec<Vec<u8>> = std::iter::once(leaf).chain(others).collect();
    let trie = OrderedTrie::build(&leaves);
    let chain = ChainKey { family: Family::Evm, id: ChainId(8453) };
    let header = header(NUMBER.0, &trie.root().0);
    let tries = TrieProofs { transaction: None, receipt: Some(trie.prove(0).unwrap()) };
    Bundle {
        origin: ORIGIN.to_owned(),
        statement: Statement {
            chain,
            number: NUMBER,
            subject: ProofSubject::Log { tx_index: 0, log_index: 0 },
        },
        entry: Some(EntryProof::Evm(tries)),
        block: Some(anchored(chain, NUMBER, &header, open)),
    }
}

#[test]
fn a_deposit_is_released_once_whatever_proves_it() {
    let emitter = Address::repeat_byte(0xde);
    let [from, to] = [0x70, 0x0d].map(Address::repeat_byte);
    let data = U256::from(5_000).abi_encode();
    let topic = keccak(b"Transfer(address,address,uint256)");
    let topics = [topic, from.into_word(), to.into_word()];
    let [sealed, open] = [false, true].map(|open| transfer(emitter, &topics, &data, open));
    let mut lens = Lens::new(B256::from(superroot_proof::superroot::log_id(ORIGIN).unwrap().0));
    let code = artifact("Release").unwrap().bytecode;
    let arguments = (lens.lens, U256::from(8453), emitter, to).abi_encode_params();
    let release = lens.host.create(&code, &arguments).unwrap();
    lens.host.set_balance(Address::ZERO, U256::from(1_000_000));
    let paid = lens.host.call(Address::ZERO, release, Vec::new(), U256::from(50_000)).unwrap();
    assert!(paid.is_success, "{paid:?}");
    let policy = superroot_chain::ChainRegistry::builtin().proof_registry();
    let policy = superroot_proof::bundle::Policy::strict(policy);
    let mut bytes = Vec::new();
    for bundle in [&sealed, &open] {
        let facts = verify(bundle, &policy).unwrap();
        let root = facts.super_root.unwrap();
        // both have one sequence here: the newest anchored counts
        bytes.push((
            root.sequence.0,
            facts.super_root_hash().unwrap(),
            bundle.to_calldata().unwrap(),
        ));
    }
    let ask = |lens: &mut Lens,
               (sequence, hash, calldata): &(u64, superroot_types::Hash, Vec<u8>)| {
        lens.anchor(*sequence, B256::from(hash.0));
        let data = releaseCall { proof: calldata.clone().into() }.abi_encode();
        lens.host.call(Address::ZERO, release, data, U256::ZERO).unwrap()
    };
    let first = ask(&mut lens, &bytes[0]);
    assert!(first.is_success && first.logs.len() == 1, "{}", refusal(&first));
    println!("release: {} gas, {} bytes", first.gas, bytes[0].2.len());
    for again in [&bytes[0], &bytes[1]] {
        let again = ask(&mut lens, again);
        assert!(ReleasedBefore::abi_decode(&again.output).is_ok());
    }
    // the same words of another contract, others of this one, and a transfer to somebody else
    let [mut other_event, mut other_payee] = [topics, topics];
    other_event[0] = B256::repeat_byte(9);
    other_payee[2] = from.into_word();
    for (emitter, topics) in [
        (Address::repeat_byte(1), &topics[..]),
        (emitter, &other_event),
        (emitter, &other_payee),
        (emitter, &topics[..2]),
    ] {
        let other = transfer(emitter, topics, &data, false);
        let facts = verify(&other, &policy).unwrap();
        let calldata = other.to_calldata().unwrap();
        let sequence = facts.super_root.unwrap().sequence.0;
        let outcome = ask(&mut lens, &(sequence, facts.super_root_hash().unwrap(), calldata));
        assert!(OtherEvent::abi_decode(&outcome.output).is_ok(), "{}", refusal(&outcome));
    }
}

//! What the lens shows of real proofs, and what it refuses.

use alloy_sol_types::{SolCall, SolError};

use crate::*;

#[test]
fn real_proofs_show_what_they_prove() {
    let vectors = vectors();
    let mut lens = Lens::new(vectors[0].log_id);
    for vector in &vectors {
        lens.anchor(vector.sequence, vector.trusted);
        let proof = proof(vector);
        match vector.shows.as_str() {
            "event" => {
                let outcome = lens.view(&verifyEventCall { proof: proof.clone() });
                assert!(outcome.is_success, "{}: {}", vector.name, refusal(&outcome));
                let shown = verifyEventCall::abi_decode_returns(&outcome.output).unwrap();
                let places = (vector.chain_id, vector.block_number);
                assert_eq!((shown.chainId.to(), shown.blockNumber.to()), places, "{}", vector.name);
                let indexes = (vector.tx_index.unwrap(), vector.log_index.unwrap());
                assert_eq!((shown.txIndex.to(), shown.logIndex.to()), indexes);
                assert_eq!(Some(shown.emitter), vector.emitter);
                assert_eq!(Some(&shown.topics), vector.topics.as_ref());
                assert_eq!(Some(keccak(&shown.data)), vector.data_hash);
                let outcome = lens.view(&validateEventCall { proof: proof.clone() });
                let polymer = validateEventCall::abi_decode_returns(&outcome.output).unwrap();
                assert_eq!(u64::from(polymer.chainId), vector.chain_id);
                assert_eq!(
                    (polymer.emittingContract, &polymer.unindexedData),
                    (shown.emitter, &shown.data)
                );
                assert_eq!(polymer.topics.len(), 32 * shown.topics.len());
                let outcome = lens.view(&verifyBlockCall { proof });
                assert!(!outcome.is_success, "an event is no block");
            }
            "transaction" => {
                let outcome = lens.view(&verifyTransactionCall { proof });
                assert!(outcome.is_success, "{}: {}", vector.name, refusal(&outcome));
                let shown = verifyTransactionCall::abi_decode_returns(&outcome.output).unwrap();
                assert_eq!(shown.txIndex.to::<u32>(), vector.tx_index.unwrap());
                let bundle =
                    superroot_proof::bundle::Bundle::from_calldata(&vector.bytes(), &vector.origin);
                let registry = superroot_chain::ChainRegistry::builtin().proof_registry();
                let policy = superroot_proof::bundle::Policy::strict(registry);
                let facts = superroot_proof::bundle::verify(&bundle.unwrap(), &policy).unwrap();
                let hash = facts.transaction.as_ref().unwrap().hash;
                assert_eq!(crate::hash(shown.transactionHash), hash);
            }
            _ => {
                let outcome = lens.view(&verifyBlockCall { proof });
                assert!(outcome.is_success, "{}: {}", vector.name, refusal(&outcome));
                let shown = verifyBlockCall::abi_decode_returns(&outcome.output).unwrap();
                assert_eq!(shown.blockHash, vector.block_hash);
                assert_eq!(shown.blockNumber.to::<u64>(), vector.block_number);
            }
        }
    }
}

#[test]
fn only_anchored_super_roots_count_and_withdrawn_blocks_are_refused() {
    let vectors = vectors();
    let vector = vectors.iter().find(|one| one.shows == "event").unwrap();
    let mut lens = Lens::new(vector.log_id);
    let call = verifyEventCall { proof: proof(vector) };
    let refused = lens.view(&call);
    assert!(NotAnchored::abi_decode(&refused.output).is_ok());
    lens.anchor(vector.sequence, B256::repeat_byte(7));
    assert!(NotAnchored::abi_decode(&lens.view(&call).output).is_ok());
    lens.anchor(vector.sequence, vector.trusted);
    assert!(lens.view(&call).is_success);
    let bundle =
        superroot_proof::bundle::Bundle::from_calldata(&vector.bytes(), &vector.origin).unwrap();
    let row = bundle.super_root().unwrap().registry.row.0;
    lens.withdraw(row, vector.block_number + 1);
    assert!(lens.view(&call).is_success, "below the withdrawn number");
    for from in [vector.block_number, vector.block_number - 1, 0] {
        lens.withdraw(row, from);
        assert!(Withdrawn::abi_decode(&lens.view(&call).output).is_ok(), "{from}");
    }
    // the lens of another log
    let mut other = Lens::new(B256::repeat_byte(1));
    other.anchor(vector.sequence, vector.trusted);
    assert!(NotAnchored::abi_decode(&other.view(&call).output).is_ok());
}

/// An event of a block that was kept needs level 1 alone.
#[test]
fn events_of_a_kept_block_need_their_trie_alone() {
    let vectors = vectors();
    let mut lens = Lens::new(vectors[0].log_id);
    let blocks: Vec<_> = vectors.iter().filter(|one| one.shows == "block").collect();
    let mut shown = 0;
    for block in blocks {
        lens.anchor(block.sequence, block.trusted);
        let data = keepBlockCall { proof: proof(block) }.abi_encode();
        let kept = lens.host.call(Address::ZERO, lens.lens, data, U256::ZERO).unwrap();
        assert!(kept.is_success && kept.logs.len() == 1, "{}", block.name);
        let of_block = |one: &&RealCalldata| {
            one.shows == "event"
                && (one.chain_id, one.block_number) == (block.chain_id, block.block_number)
        };
        for event in vectors.iter().filter(of_block) {
            let entry = superroot_proof::calldata::entry_of(&event.bytes()).unwrap();
            let call = verifyKeptEventCall {
                chainId: U256::from(event.chain_id),
                blockNumber: U256::from(event.block_number),
                entry: entry.into(),
            };
            let outcome = lens.view(&call);
            assert!(outcome.is_success, "{}: {}", event.name, refusal(&outcome));
            let found = verifyKeptEventCall::abi_decode_returns(&outcome.output).unwrap();
            assert_eq!(Some(keccak(&found.data)), event.data_hash);
            let elsewhere =
                verifyKeptEventCall { blockNumber: call.blockNumber + U256::ONE, ..call };
            assert!(!lens.view(&elsewhere).is_success);
            shown += 1;
        }
    }
    assert!(shown >= 10, "{shown}");
}

#[test]
fn every_cut_and_every_longer_proof_is_refused() {
    let vectors = vectors();
    for shows in ["event", "block", "transaction"] {
        for open in [false, true] {
            let found = vectors.iter().find(|one| one.shows == shows && one.open == open);
            let vector = found.unwrap();
            let mut lens = Lens::new(vector.log_id);
            lens.anchor(vector.sequence, vector.trusted);
            let mut ask = |bytes: &[u8]| {
                let proof = Bytes::copy_from_slice(bytes);
                match shows {
                    "event" => lens.view(&verifyEventCall { proof }),
                    "block" => lens.view(&verifyBlockCall { proof }),
                    _ => lens.view(&verifyTransactionCall { proof }),
                }
            };
            let bytes = vector.bytes();
            assert!(ask(&bytes).is_success);
            for length in (0..bytes.len()).step_by(7).chain(bytes.len() - 40..bytes.len()) {
                assert!(!ask(&bytes[..length]).is_success, "{length} of {}", bytes.len());
            }
            for more in [1, 31, 32, 33, 2_000] {
                assert!(!ask(&[bytes.as_slice(), &vec![0; more]].concat()).is_success, "{more}");
            }
        }
    }
}

/// What a consumer has in memory, what stands behind the arguments and who is asked through whom change nothing.
#[test]
fn memory_calldata_and_delegation_change_nothing() {
    let vectors = vectors();
    let vector = vectors.iter().find(|one| one.shows == "event").unwrap();
    let mut lens = Lens::new(vector.log_id);
    lens.anchor(vector.sequence, vector.trusted);
    let double = artifact("VerifierDouble").unwrap().bytecode;
    let double = lens.host.create(&double, &[]).unwrap();
    for one in vectors.iter().filter(|one| one.shows == "event").take(40) {
        let (proof, log_id) = (proof(one), one.log_id);
        let clean = checkEventCall { proof: proof.clone(), logId: log_id }.abi_encode();
        let dirty = checkEventInDirtyMemoryCall { proof, logId: log_id }.abi_encode();
        let clean = lens.host.view(double, clean).unwrap();
        let dirty = lens.host.view(double, dirty).unwrap();
        assert!(clean.is_success && clean.output == dirty.output, "{}", one.name);
    }
    let call = verifyEventCall { proof: proof(vector) }.abi_encode();
    let plain = lens.host.view(lens.lens, call.clone()).unwrap();
    assert!(plain.is_success);
    for more in [1, 32, 5_000] {
        let longer = [call.clone(), vec![0xff; more]].concat();
        assert_eq!(lens.host.view(lens.lens, longer).unwrap().output, plain.output, "{more}");
    }
    // EIP-1167: all that it is asked it delegates
    let runtime = [
        &[0x36, 0x3d, 0x3d, 0x37, 0x3d, 0x3d, 0x3d, 0x36, 0x3d, 0x73][..],
        lens.lens.as_slice(),
        &[0x5a, 0xf4, 0x3d, 0x82, 0x80, 0x3e, 0x90, 0x3d, 0x91, 0x60, 0x2b, 0x57, 0xfd, 0x5b, 0xf3],
    ];
    let creation = [0x3d, 0x60, 0x2d, 0x80, 0x60, 0x0a, 0x3d, 0x39, 0x81, 0xf3];
    let proxy = lens.host.create(&[&creation[..], &runtime.concat()].concat(), &[]).unwrap();
    assert_eq!(lens.host.view(proxy, call).unwrap().output, plain.output);
}

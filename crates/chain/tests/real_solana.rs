//! Real blocks of Solana, found through `SUPERROOT_DATA` alone: recomputed and proven to level 2.

use crate::archive;
use crate::slots;

use slots::*;
use superroot_chain::VerifiedBlock;
use superroot_chain::ledger::solana::RawSolanaBlock;
use superroot_proof::bundle::*;
use superroot_proof::ledger::solana::transaction_hash;
use superroot_types::*;

fn bundle(block: &VerifiedBlock, subject: ProofSubject) -> Bundle {
    let statement = Statement { chain: block.chain(), number: block.number(), subject };
    let entry = block.body().unwrap().prove(subject, true).unwrap();
    let (header, block_hash) = (block.header().to_vec(), block.hash());
    let block = Some(BlockLevel { header, block_hash, twig: None });
    Bundle { origin: "recorded/test".to_owned(), statement, entry, block }
}

#[test]
fn every_real_block_and_transaction_is_recomputed_and_proven() {
    let Some(blocks) = real() else { return };
    let registry = superroot_chain::ChainRegistry::builtin().proof_registry();
    let (mut proven, mut last) = (0, Hash::ZERO);
    for raw in &blocks {
        let block = check(main_row(), raw).unwrap_or_else(|error| panic!("{}: {error}", raw.slot));
        assert_eq!((block.parent_hash(), block.hash()), (last, raw.hash));
        assert_eq!(block.extent().to_string(), "header+transactions");
        assert!(block.body_withheld().is_none());
        let leaves = block.transactions().unwrap();
        for (tx_index, leaf) in (0..).zip(leaves) {
            let bundle = bundle(&block, ProofSubject::Transaction { tx_index });
            let facts = verify(&bundle, &Policy::strict(registry)).unwrap();
            let shown = facts.transaction.as_ref().unwrap();
            assert_eq!((&shown.raw, Ok(shown.hash)), (leaf, transaction_hash(leaf)));
            assert_eq!(facts.block_hash, Some(raw.hash));
            proven += 1;
            if tx_index > 0 {
                continue;
            }
            let mut bent = bundle.clone();
            let Some(EntryProof::Solana(proof)) = &mut bent.entry else { panic!() };
            proof.before.0[31] ^= 1;
            assert!(verify(&bent, &Policy::strict(registry)).is_err(), "one changed bit");
        }
        last = raw.hash;
    }
    assert_eq!((blocks.len(), proven), (20, 75));
}

/// The archives hold the same blocks as the JSON made of them.
#[test]
fn archives_hold_the_same_blocks() {
    let (Some(one), Some(two)) = (file("epoch-0-1.car"), file("epoch-0-2.car")) else { return };
    let expected = real().unwrap();
    let one = archive::read(&one, Hash::ZERO);
    let two = archive::read(&two, one.last().unwrap().hash);
    let read: Vec<RawSolanaBlock> = one.into_iter().chain(two).collect();
    assert_eq!(read, expected);
}

/// A bit changed anywhere in a real block is refused, and the field named.
#[test]
fn a_changed_bit_is_refused() {
    let Some(blocks) = real() else { return };
    let good = &blocks[1];
    let bend = |bend: &dyn Fn(&mut RawSolanaBlock)| {
        let mut bent = good.clone();
        bend(&mut bent);
        check(main_row(), &bent).unwrap_err().to_string()
    };
    let entries = |block: &mut RawSolanaBlock| block.entries.take().unwrap();
    let error = bend(&|block| {
        let mut all = entries(block);
        all[1].transactions[0][70] ^= 1;
        block.entries = Some(all);
    });
    assert!(error.starts_with("entries[1]"), "{error}");
    let error = bend(&|block| {
        let mut all = entries(block);
        all[30].num_hashes += 1;
        block.entries = Some(all);
    });
    assert!(error.starts_with("entries[30].hash is "), "{error}");
    let error = bend(&|block| block.parent_hash.0[0] ^= 1);
    assert!(error.starts_with("entries[0].hash is "), "{error}");
    let error = bend(&|block| block.hash.0[0] ^= 1);
    assert!(error.starts_with("blockhash is "), "{error}");
}

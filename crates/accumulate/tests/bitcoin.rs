//! Proofs of Bitcoin out of a log that holds it beside Ethereum.

use crate::mined;
use crate::support;

use superroot_accumulate::prove::{Occurrence, ProveError, UNANCHORED};
use superroot_accumulate::recompute;
use superroot_chain::{UntrustedBlock, VerifiedBlock, verify as verify_block};
use superroot_proof::bundle::{
    Bundle, Facts, Policy, ProofSubject, ShownPlace, Verified, verify_anchored,
};
use superroot_proof::ledger::bitcoin::Transaction;
use superroot_store::layout::{BlockTip, ChainState, KeptEntries};
use superroot_store::{WriteBatch, write};
use superroot_types::*;
use support::*;

const BITCOIN: ChainKey = ChainKey { family: Family::Bitcoin, id: ChainId(21_000_000) };

fn block(number: u64, others: u8) -> VerifiedBlock {
    let raw = mined::mine(mined::block(number, others, true), number);
    verify_block(&mined::row(), &UntrustedBlock::Bitcoin(Box::new(raw))).unwrap()
}

/// A log with Ethereum's blocks, and of Bitcoin one in a sealed twig and one in the open one.
fn log() -> (Log, Vec<VerifiedBlock>) {
    let mut log = Log::new();
    log.extend(&chain("ethereum", 0), 1..5);
    let blocks = vec![block(2_000, 6), block(2_050, 2), block(2_060, 0)];
    let mut batch = WriteBatch::new();
    let mut state = ChainState::empty(BlockNumber(0));
    for block in &blocks {
        write::put_final(&mut batch, &*log.store, &as_final(block), &KeptEntries::All).unwrap();
        let tip = BlockTip { number: block.number(), hash: block.hash() };
        (state.indexed, state.head) = (Some(tip), Some(tip));
        state.checked_to = Some(tip.number);
        state.block_count += 1;
    }
    write::put_chain_state(&mut batch, BITCOIN, &state);
    log.store.commit(batch).unwrap();
    log.step(GENESIS + 200_000);
    (log, blocks)
}

fn check(log: &Log, bundle: &Bundle) -> Verified<Facts> {
    assert_eq!(Bundle::decode(&bundle.encode()).as_ref(), Ok(bundle));
    let registry = superroot_chain::ChainRegistry::builtin().proof_registry();
    let trusted = log.prover().latest().unwrap().hash;
    verify_anchored(bundle, &Policy::strict(registry), &trusted).unwrap()
}

#[test]
fn blocks_transactions_outputs_and_absences_are_proven_to_the_super_root() {
    let (log, blocks) = log();
    let prover = log.prover();
    for (position, block) in blocks.iter().enumerate() {
        let number = block.number();
        let facts =
            check(&log, &prover.prove_block(BITCOIN, number, Some(SuperRootRef::Latest)).unwrap());
        assert_eq!((facts.level, facts.block_hash), (ProofLevel::SuperRoot, Some(block.hash())));
        assert!(!facts.number_bound);
        let sealed = matches!(facts.place, Some(ShownPlace::Sealed { .. }));
        assert_eq!(sealed, position == 0);
        let leaves = block.transactions().unwrap();
        for (tx_index, (leaf, hash)) in
            (0_u32..).zip(leaves.iter().zip(block.transaction_hashes().unwrap()))
        {
            let outputs = Transaction::decode(leaf).unwrap().outputs;
            for (log_index, output) in (0..).zip(&outputs) {
                let proof = prover.prove_event(
                    BITCOIN,
                    number,
                    tx_index,
                    log_index,
                    Some(SuperRootRef::Latest),
                );
                let facts = check(&log, &proof.unwrap());
                assert_eq!(&facts.output().unwrap().output, output);
            }
            let past = outputs.len() as u32;
            let error = prover
                .prove_event(BITCOIN, number, tx_index, past, Some(SuperRootRef::Latest))
                .unwrap_err();
            assert!(
                matches!(error, ProveError::EventIndex { count, .. } if count == outputs.len())
            );
            // the others spend the same in each block, and so have one hash
            if tx_index == 0 || position == 0 {
                let mut shown = *hash;
                shown.0.reverse();
                for asked in [hash, &shown] {
                    let proof = prover
                        .prove_transaction(BITCOIN, asked, Some(SuperRootRef::Latest))
                        .unwrap();
                    let facts = check(&log, &proof);
                    assert_eq!(facts.transaction.as_ref().unwrap().hash, *hash);
                }
                let proof = prover
                    .prove_event_by_hash(BITCOIN, hash, 0, Some(SuperRootRef::Latest))
                    .unwrap();
                assert_eq!(check(&log, &proof).transaction.as_ref().unwrap().hash, *hash);
            }
        }
        let count = leaves.len() as u32;
        let proof =
            prover.prove_absence(BITCOIN, number, count, Some(SuperRootRef::Latest)).unwrap();
        assert_eq!(check(&log, &proof).tx_count, Some(count));
        let error = prover
            .prove_absence(BITCOIN, number, count - 1, Some(SuperRootRef::Latest))
            .unwrap_err();
        assert!(matches!(error, ProveError::Present { .. }));
        let error =
            prover.prove_event(BITCOIN, number, count, 0, Some(SuperRootRef::Latest)).unwrap_err();
        assert!(matches!(error, ProveError::NotFound { .. }));
        assert_eq!(prover.event_in_block(BITCOIN, (number, None), 0, 0).unwrap().log_index, None);
    }
    let nowhere =
        prover.prove_transaction(BITCOIN, &Hash([9; 32]), Some(SuperRootRef::Latest)).unwrap_err();
    assert!(matches!(nowhere, ProveError::NotIndexed { .. }));
}

/// The same bytes stand in several blocks: all are found, and each is proven where it is named.
#[test]
fn a_transaction_that_stands_in_several_blocks_is_found_in_all_and_proven_at_each() {
    let (log, blocks) = log();
    let prover = log.prover();
    let hash = blocks[0].transaction_hashes().unwrap()[2];
    let places: Vec<_> = blocks
        .iter()
        .filter_map(|block| {
            let at = block.transaction_hashes().unwrap().iter().position(|own| *own == hash)?;
            Some((block.number(), u32::try_from(at).unwrap()))
        })
        .collect();
    assert_eq!(places.len(), 2, "{places:?}");
    let mut reversed = hash;
    reversed.0.reverse();
    let state = prover.chain_state(BITCOIN).unwrap().unwrap();
    let find = |hash: &Hash, from| prover.find_transactions((BITCOIN, &state), hash, from).unwrap();
    for asked in [hash, reversed] {
        let found = find(&asked, BlockNumber(0));
        let found: Vec<_> = found.iter().map(|place| (place.number, place.tx_index)).collect();
        assert_eq!(found, places);
        let above = BlockNumber(places[0].0.0 + 1);
        assert_eq!(find(&asked, above).len(), 1);
    }
    let at = |block, tx_index| Occurrence { block, tx_index };
    let prove = |occurrence| {
        let proven =
            prover.prove_transaction_at(BITCOIN, &hash, occurrence, Some(SuperRootRef::Latest))?;
        let event =
            prover.prove_event_at(BITCOIN, (&hash, occurrence), 0, Some(SuperRootRef::Latest))?;
        let facts = [check(&log, &proven), check(&log, &event)];
        let numbers = facts.each_ref().map(|facts| facts.statement.number);
        assert_eq!(numbers[0], numbers[1]);
        assert!(facts.iter().all(|facts| facts.transaction.as_ref().unwrap().hash == hash));
        Ok::<_, ProveError>((numbers[0], facts[0].statement.subject.tx_index().unwrap()))
    };
    for (number, tx_index) in &places {
        for tx_index in [None, Some(*tx_index)] {
            assert_eq!(prove(at(Some(*number), tx_index)).unwrap().0, *number);
        }
    }
    assert_eq!(prove(Occurrence::default()).unwrap(), places[0], "the lowest");
    let nowhere =
        [at(Some(BlockNumber(2_060)), None), at(None, Some(9)), at(Some(places[0].0), Some(0))];
    for occurrence in nowhere {
        let error = prove(occurrence).unwrap_err();
        assert!(matches!(error, ProveError::NotIndexed { .. }), "{error}");
    }
}

#[test]
fn a_log_with_bitcoin_recomputes_and_a_bent_body_is_noticed() {
    let (log, blocks) = log();
    let done = recompute(&*log.store, &mut |_, _| {}).unwrap();
    let entries: usize = blocks.iter().map(|block| block.transactions().unwrap().len()).sum();
    assert!(done.entries >= entries as u64);
    let other = block(2_050, 3);
    let mut batch = WriteBatch::new();
    let key = superroot_store::layout::block_key(BITCOIN, BlockNumber(2_050));
    let elsewhere = superroot_store::MemoryStore::new();
    let mut bent = WriteBatch::new();
    write::put_block(&mut bent, &elsewhere, &other).unwrap();
    superroot_store::Store::commit(&elsewhere, bent).unwrap();
    let body = superroot_store::Store::get(&elsewhere, superroot_store::Table::Body, &key);
    batch.put(superroot_store::Table::Body, key, body.unwrap().unwrap());
    log.store.commit(batch).unwrap();
    let error = recompute(&*log.store, &mut |_, _| {}).unwrap_err();
    assert!(error.to_string().contains("its body is not that of its header"), "{error}");
}

#[test]
fn a_subject_of_a_block_needs_no_branch() {
    let (log, _) = log();
    let bundle = log.prover().prove_block(BITCOIN, BlockNumber(2_050), UNANCHORED).unwrap();
    assert_eq!((bundle.statement.subject, bundle.entry), (ProofSubject::Block, None));
}

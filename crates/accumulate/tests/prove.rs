//! Laws of the prover: what is held is proven under every SuperRoot that has it, and what is not
//! says why.

use crate::support;

use superroot_accumulate::prove::{EventInBlock, ProveError, UNANCHORED};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::{Bundle, Policy, ProofSubject, verify, verify_anchored};
use superroot_types::*;
use support::*;

fn policy() -> Policy<'static> {
    Policy::strict(ChainRegistry::builtin().proof_registry())
}

/// Ethereum 2040 to 2063 in two SuperRoots, across a twig's end; the last block not anchored.
fn log() -> (Log, Chain) {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 2036));
    log.extend(&ethereum, 2040..2060);
    log.step(100);
    log.extend(&ethereum, 2060..2064);
    log.step(112);
    log.extend(&ethereum, 2064..2065);
    (log, ethereum)
}

#[test]
fn every_entry_of_every_block_is_proven_under_every_super_root() {
    let (log, ethereum) = log();
    let (prover, key) = (log.prover(), ethereum.key());
    let mut proven = 0;
    for sequence in 0..2 {
        let root = prover.published(SuperRootRef::Sequence(Sequence(sequence))).unwrap().hash;
        let check = |bundle: Result<Bundle, ProveError>| {
            let bundle = bundle.unwrap();
            let facts = verify_anchored(&bundle, &policy(), &root).unwrap();
            assert_eq!(facts.level, ProofLevel::SuperRoot);
            assert_eq!(Bundle::decode(&bundle.encode()).unwrap(), bundle);
            facts
        };
        for number in (2040..2064).step_by(3).filter(|number| sequence == 1 || *number < 2060) {
            let (at, number) = (Some(SuperRootRef::Hash(root)), BlockNumber(number));
            let block = ethereum.block(number.0);
            check(prover.prove_block(key, number, at));
            let hashes = block.transaction_hashes().unwrap();
            for (tx_index, hash) in (0_u32..).zip(hashes) {
                let facts = check(prover.prove_transaction(key, hash, at));
                assert_eq!(facts.transaction.as_ref().unwrap().hash, *hash);
                assert_eq!(facts.statement.subject, ProofSubject::Transaction { tx_index });
                let logs = facts.receipt.as_ref().unwrap().receipt.logs.clone();
                for (log_index, log) in (0_u32..).zip(&logs) {
                    let facts = check(prover.prove_event(key, number, tx_index, log_index, at));
                    assert_eq!(&facts.log().unwrap().log, log);
                    assert!(facts.transaction.is_none());
                    let facts = check(prover.prove_event_by_hash(key, hash, log_index, at));
                    assert_eq!(facts.transaction.as_ref().unwrap().hash, *hash);
                    proven += 1;
                }
            }
            let next = u32::try_from(hashes.len()).unwrap();
            check(prover.prove_absence(key, number, next, at));
            let present = prover.prove_absence(key, number, next - 1, at);
            assert!(matches!(present, Err(ProveError::Present { .. })));
        }
    }
    assert!(proven > 50, "only {proven} events were there to prove");
}

#[test]
fn a_block_above_the_super_root_is_proven_to_level_two_only() {
    let (log, ethereum) = log();
    let (prover, key, number) = (log.prover(), ethereum.key(), BlockNumber(2064));
    let refused = prover.prove_block(key, number, Some(SuperRootRef::Latest));
    let held =
        |error: &_| matches!(error, ProveError::NotAnchored { held: true, is_final: true, .. });
    assert!(held(&refused.unwrap_err()));
    let hash = ethereum.block(2064).transaction_hashes().unwrap()[0];
    assert!(held(&prover.prove_transaction(key, &hash, Some(SuperRootRef::Latest)).unwrap_err()));
    let older =
        prover.prove_block(key, BlockNumber(2061), Some(SuperRootRef::Sequence(Sequence(0))));
    assert!(held(&older.unwrap_err()));
    let bundle = prover.prove_transaction(key, &hash, UNANCHORED).unwrap();
    assert_eq!(verify(&bundle, &policy()).unwrap().level, ProofLevel::Block);
    let far = prover.prove_block(key, BlockNumber(9999), Some(SuperRootRef::Latest)).unwrap_err();
    let ahead = |error| matches!(error, ProveError::NotAnchored { held: false, head: Some(_), .. });
    assert!(ahead(far));
}

#[test]
fn no_proof_to_give_is_never_vague() {
    let (log, ethereum) = log();
    let (prover, key) = (log.prover(), ethereum.key());
    let number = BlockNumber(2050);
    let early = prover.prove_block(key, BlockNumber(2039), Some(SuperRootRef::Latest)).unwrap_err();
    let missing = |error| matches!(error, ProveError::NotFound { checked_to: Some(_), .. });
    assert!(missing(early), "skipped, and said so");
    let other = ChainKey { family: Family::Evm, id: ChainId(10) };
    let unknown = prover.prove_block(other, number, Some(SuperRootRef::Latest)).unwrap_err();
    assert!(matches!(unknown, ProveError::NotAnchored { held: false, anchored: None, .. }));
    let hash = Hash([7; 32]);
    let unknown = prover.prove_transaction(key, &hash, Some(SuperRootRef::Latest)).unwrap_err();
    let scanned = Some((BlockNumber(0), BlockNumber(2064)));
    assert!(matches!(unknown, ProveError::NotIndexed { scanned: s, .. } if s == scanned));
    let past = prover.prove_event(key, number, 500, 0, Some(SuperRootRef::Latest)).unwrap_err();
    assert!(matches!(past, ProveError::NotFound { .. }));
    let unknown = prover.published(SuperRootRef::Sequence(Sequence(9))).unwrap_err();
    assert!(matches!(unknown, ProveError::UnknownSuperRoot { .. }));
    assert!(prover.published(SuperRootRef::Hash(hash)).is_err());
    let nothing = Log::new().prover().published(SuperRootRef::Latest).unwrap_err();
    assert!(matches!(nothing, ProveError::NothingPublished));
}

/// Nodes count logs through the whole block: past the receipt's logs, the answer names the position
/// that was meant.
#[test]
fn a_block_wide_log_index_is_told_what_it_means() {
    let (log, ethereum) = log();
    let (prover, key) = (log.prover(), ethereum.key());
    let mut told = 0;
    for number in (2040..2060).map(BlockNumber) {
        let count = ethereum.block(number.0).receipts().unwrap().len();
        for tx_index in 0..u32::try_from(count).unwrap() {
            let found = prover.event_in_block(key, (number, None), tx_index, 0).unwrap();
            let Some(wide) = found.log_index else { continue };
            let of_another = (number, Some(Hash([9; 32])));
            let other = prover.event_in_block(key, of_another, tx_index, 0).unwrap();
            assert_eq!(other, EventInBlock::default());
            let wide = u32::try_from(wide).unwrap();
            match prover.prove_event(key, number, tx_index, wide, Some(SuperRootRef::Latest)) {
                Err(ProveError::EventIndex { count, meant, .. }) if count > 0 => {
                    assert_eq!(meant, Some(0));
                    told += 1;
                }
                Err(ProveError::EventIndex { meant, .. }) => assert_eq!(meant, None),
                _ => {}
            }
        }
    }
    assert!(told > 0, "no block had logs before another receipt's");
}

/// Of a block held against a watch list the kept entries are proven, and that there are no more; all
/// others are said to be not indexed, never to be missing.
#[test]
fn entries_that_are_not_kept_are_not_indexed_and_never_not_found() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 2036));
    let (key, number) = (ethereum.key(), BlockNumber(2048));
    let block = ethereum.block(2048);
    let receipts = block.receipts().unwrap();
    let logs = |index: usize| {
        superroot_proof::ledger::evm::Receipt::decode(&receipts[index]).unwrap().logs.len()
    };
    let kept = (1..receipts.len()).find(|index| logs(*index) > 0).unwrap() as u32;
    let count = receipts.len() as u32;
    log.extend_kept(&ethereum, 2048, &[kept]);
    log.extend_kept(&ethereum, 2049, &[]);
    log.step(100);
    let prover = log.prover();
    let root = prover.latest().unwrap().hash;
    let at = Some(SuperRootRef::Latest);
    let not_indexed = |bundle: Result<Bundle, ProveError>| match bundle {
        Err(ProveError::NotIndexed { why, .. }) => assert!(why.contains("held"), "{why}"),
        other => panic!("{other:?}"),
    };
    for (tx_index, hash) in (0..).zip(block.transaction_hashes().unwrap()) {
        let transaction = prover.prove_transaction(key, hash, at);
        let event = prover.prove_event(key, number, tx_index, 0, at);
        let absence = prover.prove_absence(key, number, tx_index, at);
        assert!(matches!(absence, Err(ProveError::Present { .. })));
        if tx_index == kept {
            verify_anchored(&transaction.unwrap(), &policy(), &root).unwrap();
            verify_anchored(&event.unwrap(), &policy(), &root).unwrap();
        } else {
            not_indexed(transaction);
            not_indexed(event);
        }
    }
    let absence = prover.prove_absence(key, number, count, at).unwrap();
    verify_anchored(&absence, &policy(), &root).unwrap();
    not_indexed(prover.prove_absence(key, number, count + 1, at));
    let past = prover.prove_event(key, number, count, 0, at);
    assert!(matches!(past, Err(ProveError::NotFound { .. })), "the count is known");
    not_indexed(prover.prove_event(key, BlockNumber(2049), 0, 0, at));
    assert_eq!(
        prover.event_in_block(key, (number, None), kept, 0).unwrap().log_index,
        None,
        "no proof shows it"
    );
    let done = superroot_accumulate::recompute(&*log.store, &mut |_, _| ()).unwrap();
    assert_eq!((done.blocks, done.entries), (2, 2));
}

/// What a repair adds is proven at once, though the block's body was read before.
#[test]
fn a_body_that_grows_is_read_anew() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 2036));
    let block = ethereum.block(2048);
    log.extend_kept(&ethereum, 2048, &[0]);
    log.step(100);
    let prover = log.prover();
    let hash = block.transaction_hashes().unwrap()[1];
    assert!(prover.prove_transaction(ethereum.key(), &hash, Some(SuperRootRef::Latest)).is_err());
    let mut batch = superroot_store::WriteBatch::new();
    superroot_store::write::put_block(&mut batch, &*log.store, &block).unwrap();
    log.store.commit(batch).unwrap();
    prover.prove_transaction(ethereum.key(), &hash, Some(SuperRootRef::Latest)).unwrap();
}

/// Blocks of a twig that is still being filled do not count yet.
#[test]
fn a_block_below_the_run_is_before_its_start() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 2036));
    log.extend(&ethereum, 2048..2050);
    log.step(100);
    let mut batch = superroot_store::WriteBatch::new();
    let block = ethereum.block(2047);
    let kept = superroot_store::layout::KeptEntries::All;
    let older = as_final(&block);
    superroot_store::write::put_final(&mut batch, &*log.store, &older, &kept).unwrap();
    log.store.commit(batch).unwrap();
    let (prover, key) = (log.prover(), ethereum.key());
    for at in [Some(SuperRootRef::Latest), UNANCHORED] {
        let refused = prover.prove_block(key, BlockNumber(2047), at);
        assert!(matches!(refused, Err(ProveError::BeforeStart { .. })), "{refused:?}");
        let hash = block.transaction_hashes().unwrap()[0];
        let refused = prover.prove_transaction(key, &hash, at);
        assert!(matches!(refused, Err(ProveError::NotIndexed { .. })), "{refused:?}");
    }
}

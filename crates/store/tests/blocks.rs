//! Verified blocks go in, proofs come out, and what is not final can be taken back.

use crate::support;

use superroot_chain::finality::{BlockLink, Candidate, FinalityAnchor, OneSource, check};
use superroot_chain::{EvidenceVerdict, Extent, FinalBlock, FinalityEvidence, VerifiedBlock};
use superroot_proof::ledger::Body;
use superroot_proof::ledger::evm::Tries;
use superroot_proof::mpt::{OrderedTrie, index_key, verify};
use superroot_proof::perfect::PerfectTree;
use superroot_store::layout::{
    BackfillRow, BlockTip, ChainState, HaltRow, KeptEntries, MiniMmrLeafRow, RefusedRow,
    RetractionRow, TwigNodes, WatchFilter, block_key,
};
use superroot_store::read::{self, TransactionPlace};
use superroot_store::{MemoryStore, Row, ScanOrder, Store, StoreError, Table, WriteBatch};
use superroot_store::{layout, write};
use superroot_types::{
    BlockNumber, ChainId, ChainKey, ErrorKind, Family, Hash, LeafIndex, Sequence, TWIG_HEIGHT,
    TwigIndex, UnixSeconds,
};
use support::{BOTH, EXTENTS, Recipe, as_final, evidence, final_by};

const ETHEREUM: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

/// The tries that are held of a block; none where its header is held alone.
fn tries(body: Option<Body>) -> Tries {
    match body {
        Some(Body::Evm(tries)) => tries,
        Some(other) => panic!("a body of another ledger: {other:?}"),
        None => Tries::default(),
    }
}

fn put(store: &dyn Store, block: &VerifiedBlock) -> Result<(), StoreError> {
    let mut batch = WriteBatch::new();
    write::put_block(&mut batch, store, block)?;
    store.commit(batch)
}

fn put_final(store: &dyn Store, block: &FinalBlock) -> Result<(), StoreError> {
    let mut batch = WriteBatch::new();
    write::put_final(&mut batch, store, block, &KeptEntries::All)?;
    store.commit(batch)
}

fn rows(store: &dyn Store) -> Vec<(Table, Vec<Row>)> {
    let all = |table| store.scan(table, b"", None, usize::MAX, ScanOrder::Rising).unwrap();
    Table::ALL.into_iter().map(|table| (table, all(table))).collect()
}

fn place(number: u64, tx_index: u32) -> TransactionPlace {
    TransactionPlace { number: BlockNumber(number), tx_index }
}

/// Every leaf that went in is proven by the stored nodes, and so is that there is no more.
fn assert_proves(trie: &OrderedTrie, leaves: &[Vec<u8>]) {
    for index in 0..=leaves.len() {
        let nodes = trie.prove(index as u64).unwrap();
        let proven = verify(&trie.root(), &index_key(index as u64), &nodes).unwrap();
        assert_eq!(proven, leaves.get(index).map(Vec::as_slice), "index {index}");
    }
}

#[test]
fn a_block_is_read_as_it_was_verified() {
    for extent in EXTENTS {
        for tx_count in [0, 1, 3, 200] {
            let store = MemoryStore::new();
            let block = Recipe { extent, ..Recipe::new(5, tx_count) }.verified();
            put_final(&store, &as_final(&block)).unwrap();
            let row = read::load_block(&store, ETHEREUM, BlockNumber(5)).unwrap().unwrap();
            assert_eq!((row.hash, row.parent_hash), (block.hash(), block.parent_hash()));
            assert_eq!((row.timestamp, row.extent), (block.timestamp(), extent));
            assert_eq!(row.header, block.header());
            assert_eq!(row.agreed, Some(BlockNumber(5)));
            let held = read::load_evidence(&store, ETHEREUM, BlockNumber(5)).unwrap();
            assert_eq!(held, Some(evidence()));
            let told = extent.transactions || extent.receipts;
            assert_eq!(row.tx_count, told.then_some(tx_count as u32), "{extent}");
            let body = read::load_body(&store, ETHEREUM, BlockNumber(5)).unwrap();
            assert_eq!(body.is_some(), told, "a body of nothing is not stored");
            let body = tries(body);
            assert_eq!(body.transactions.is_some(), extent.transactions);
            assert_eq!(body.receipts.is_some(), extent.receipts);
            for (trie, leaves) in
                [(body.transactions, block.transactions()), (body.receipts, block.receipts())]
            {
                if let Some(trie) = trie {
                    assert_proves(&trie, leaves.unwrap());
                }
            }
        }
    }
}

#[test]
fn a_transaction_is_found_by_its_hash_alone() {
    let store = MemoryStore::new();
    let block = Recipe::new(5, 10).verified();
    put(&store, &block).unwrap();
    for (tx_index, hash) in (0..).zip(block.transaction_hashes().unwrap()) {
        let found = read::find_transaction(&store, ETHEREUM, hash).unwrap();
        assert_eq!(found, [place(5, tx_index)]);
        let other = ChainKey { id: ChainId(2), ..ETHEREUM };
        assert_eq!(read::find_transaction(&store, other, hash).unwrap(), []);
    }
    assert_eq!(read::find_transaction(&store, ETHEREUM, &Hash::ZERO).unwrap(), []);
}

/// Twelve bytes are kept of a hash: both of two that agree in them come back, one more byte apart
/// comes not.
#[test]
fn hashes_with_one_prefix_are_all_candidates() {
    let store = MemoryStore::new();
    let hash = |differs_at: usize| {
        let mut hash = Hash([0xff; 32]);
        hash.0[differs_at] = 0;
        hash
    };
    let mut batch = WriteBatch::new();
    for (number, differs_at) in [(7, 12), (6, 31), (8, 11), (9, 0)] {
        let key = layout::transaction_key(ETHEREUM, &hash(differs_at), BlockNumber(number), 1);
        batch.put(Table::Transaction, key, []);
    }
    store.commit(batch).unwrap();
    let found = read::find_transaction(&store, ETHEREUM, &Hash([0xff; 32])).unwrap();
    assert_eq!(found, [place(6, 1), place(7, 1)]);
}

#[test]
fn candidates_are_bounded() {
    let store = MemoryStore::new();
    let mut batch = WriteBatch::new();
    for number in 0..100 {
        let key = layout::transaction_key(ETHEREUM, &Hash::ZERO, BlockNumber(number), 0);
        batch.put(Table::Transaction, key, []);
    }
    store.commit(batch).unwrap();
    let found = read::find_transaction(&store, ETHEREUM, &Hash::ZERO).unwrap();
    assert_eq!(found.len(), read::CANDIDATES_MAX);
}

#[test]
fn a_range_of_blocks_keeps_to_its_chain_and_its_bounds() {
    let store = MemoryStore::new();
    for number in [3, 4, 7, 255, 256, 257] {
        put(&store, &Recipe::new(number, 1).verified()).unwrap();
    }
    let load = |from, to, limit| {
        let numbers = BlockNumber(from)..BlockNumber(to);
        let blocks = read::load_blocks(&store, ETHEREUM, numbers, limit).unwrap();
        blocks.into_iter().map(|(number, _)| number.0).collect::<Vec<_>>()
    };
    assert_eq!(load(0, u64::MAX, 100), [3, 4, 7, 255, 256, 257]);
    assert_eq!(load(4, 256, 100), [4, 7, 255]);
    assert_eq!(load(4, 256, 2), [4, 7]);
    assert_eq!(load(8, 255, 100), [0_u64; 0]);
    assert_eq!(load(7, 3, 100), [0_u64; 0]);
    let other = ChainKey { id: ChainId(0), ..ETHEREUM };
    let numbers = BlockNumber(0)..BlockNumber(u64::MAX);
    assert_eq!(read::load_blocks(&store, other, numbers, 100).unwrap(), []);
}

#[test]
fn another_block_at_a_number_is_refused() {
    let store = MemoryStore::new();
    put(&store, &Recipe::new(5, 2).verified()).unwrap();
    let before = rows(&store);
    let other = Recipe { salt: 1, ..Recipe::new(5, 2) }.verified();
    let error = put(&store, &other).unwrap_err();
    assert!(error.to_string().contains("another block is held"), "{error}");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(rows(&store), before);
}

#[test]
fn a_block_grows_but_never_shrinks() {
    for held in EXTENTS {
        for given in EXTENTS {
            let store = MemoryStore::new();
            let recipe = Recipe::new(5, 3);
            put(&store, &Recipe { extent: held, ..recipe }.verified()).unwrap();
            let outcome = put(&store, &Recipe { extent: given, ..recipe }.verified());
            let covers =
                (given.transactions || !held.transactions) && (given.receipts || !held.receipts);
            assert_eq!(outcome.is_ok(), covers, "{held}, then {given}");
            let row = read::load_block(&store, ETHEREUM, BlockNumber(5)).unwrap().unwrap();
            assert_eq!(row.extent, if covers { given } else { held });
        }
    }
}

#[test]
fn evidence_once_given_stays() {
    let store = MemoryStore::new();
    let block = Recipe::new(5, 1).verified();
    let held = || read::load_block(&store, ETHEREUM, BlockNumber(5)).unwrap().unwrap().agreed;
    put(&store, &block).unwrap();
    assert_eq!(held(), None);
    put_final(&store, &as_final(&block)).unwrap();
    put(&store, &block).unwrap();
    assert_eq!(held(), Some(BlockNumber(5)));
    let other = OneSource { name: "another".into(), rule: "as recorded".into() };
    let again = final_by(FinalityEvidence::OneSource(other), block.into());
    put_final(&store, &again).unwrap();
    let held = read::load_evidence(&store, ETHEREUM, BlockNumber(5)).unwrap();
    assert_eq!(held, Some(evidence()));
}

/// A light client's evidence is large: blocks that descend from one block share it.
#[test]
fn blocks_that_are_final_together_share_one_evidence() {
    let store = MemoryStore::new();
    let line = (5..9).map(|number| Recipe::new(number, 1).verified().into()).collect();
    let EvidenceVerdict::Final(blocks) =
        check(evidence(), line, &FinalityAnchor::OneSource, UnixSeconds(0))
    else {
        panic!("a source is believed of its own blocks");
    };
    let mut batch = WriteBatch::new();
    for block in &blocks {
        write::put_final(&mut batch, &store, block, &KeptEntries::All).unwrap();
    }
    store.commit(batch).unwrap();
    for number in 5..9 {
        let row = read::load_block(&store, ETHEREUM, BlockNumber(number)).unwrap().unwrap();
        assert_eq!(row.agreed, Some(BlockNumber(8)));
    }
    let rows = store.scan(Table::Evidence, b"", None, 9, ScanOrder::Rising).unwrap();
    assert_eq!(rows, [(block_key(ETHEREUM, BlockNumber(8)).to_vec(), evidence().encode())]);
}

#[test]
fn a_removed_block_leaves_nothing_behind() {
    for extent in EXTENTS {
        let store = MemoryStore::new();
        put(&store, &Recipe::new(4, 3).verified()).unwrap();
        let before = rows(&store);
        let block = Recipe { extent, ..Recipe::new(5, 130) }.verified();
        put(&store, &block).unwrap();
        let mut batch = WriteBatch::new();
        let removed = write::remove_block(&mut batch, &store, ETHEREUM, BlockNumber(5)).unwrap();
        assert_eq!(removed.unwrap().hash, block.hash());
        store.commit(batch).unwrap();
        assert_eq!(rows(&store), before, "{extent}");
    }
}

#[test]
fn a_block_that_is_not_there_is_removed_without_a_trace() {
    let store = MemoryStore::new();
    let mut batch = WriteBatch::new();
    let removed = write::remove_block(&mut batch, &store, ETHEREUM, BlockNumber(5)).unwrap();
    assert_eq!(removed, None);
    assert!(batch.is_empty());
}

#[test]
fn a_final_block_is_never_removed() {
    let store = MemoryStore::new();
    put_final(&store, &as_final(&Recipe::new(5, 1).verified())).unwrap();
    let mut batch = WriteBatch::new();
    let error = write::remove_block(&mut batch, &store, ETHEREUM, BlockNumber(5)).unwrap_err();
    assert!(error.to_string().contains("a final block is never removed"), "{error}");
    assert!(batch.is_empty());
}

/// A reorg in one batch: the store looks as if the old block had never been, although most of its
/// transactions are in the new one, some at another place.
#[test]
fn a_block_is_replaced_in_one_batch() {
    for extent in EXTENTS {
        let old = Recipe::new(5, 6);
        let new = Recipe { salt: 1, first_nonce: old.first_nonce + 2, extent, ..old }.verified();
        let store = MemoryStore::new();
        put(&store, &old.verified()).unwrap();
        let mut batch = WriteBatch::new();
        write::remove_block(&mut batch, &store, ETHEREUM, BlockNumber(5)).unwrap();
        write::put_block(&mut batch, &store, &new).unwrap();
        store.commit(batch).unwrap();
        let fresh = MemoryStore::new();
        put(&fresh, &new).unwrap();
        assert_eq!(rows(&store), rows(&fresh), "{extent}");
    }
}

#[test]
fn two_writers_of_one_number_do_not_both_succeed() {
    let store = MemoryStore::new();
    let prepare = |salt| {
        let mut batch = WriteBatch::new();
        let block = Recipe { salt, ..Recipe::new(5, 1) }.verified();
        write::put_block(&mut batch, &store, &block).unwrap();
        batch
    };
    let (one, other) = (prepare(0), prepare(1));
    store.commit(one).unwrap();
    let error = store.commit(other).unwrap_err();
    assert!(matches!(error, StoreError::Conflict { table: Table::Block }), "{error}");
}

#[test]
fn a_block_that_became_final_meanwhile_is_not_removed() {
    let store = MemoryStore::new();
    let block = Recipe::new(5, 1).verified();
    put(&store, &block).unwrap();
    let mut removal = WriteBatch::new();
    write::remove_block(&mut removal, &store, ETHEREUM, BlockNumber(5)).unwrap();
    put_final(&store, &as_final(&block)).unwrap();
    assert!(matches!(store.commit(removal), Err(StoreError::Conflict { .. })));
}

#[test]
fn a_body_that_lacks_a_transaction_is_corrupt() {
    for damage in ["missing", "unreadable"] {
        let store = MemoryStore::new();
        put(&store, &Recipe::new(5, 3).verified()).unwrap();
        let key = block_key(ETHEREUM, BlockNumber(5));
        let mut batch = WriteBatch::new();
        match damage {
            "missing" => batch.delete(Table::Body, key),
            _ => batch.put(Table::Body, key, b"no body"),
        };
        store.commit(batch).unwrap();
        let mut batch = WriteBatch::new();
        let error = write::remove_block(&mut batch, &store, ETHEREUM, BlockNumber(5)).unwrap_err();
        assert!(
            matches!(error, StoreError::Corrupt { table: Table::Body, .. }),
            "{damage}: {error}"
        );
    }
}

#[test]
fn rows_that_are_no_rows_are_corrupt_and_named() {
    let store = MemoryStore::new();
    let number = BlockNumber(5);
    let chain = layout::chain_key(ETHEREUM);
    let block = block_key(ETHEREUM, number);
    let stray = layout::transaction_prefix(ETHEREUM, &Hash::ZERO);
    let mut batch = WriteBatch::new();
    batch.put(Table::ChainState, chain, b"x").put(Table::Block, block, b"x");
    batch.put(Table::Body, block, b"x").put(Table::Refused, block, b"x");
    batch.put(Table::Transaction, stray, b"");
    batch.put(Table::MiniMmrLeaf, layout::mini_mmr_leaf_key(Family::Evm, LeafIndex(0)), b"x");
    batch.put(Table::MiniMmrLeaf, layout::twig_key(ETHEREUM, TwigIndex(0)), b"x");
    batch.put(Table::MiniMmrNode, layout::mini_mmr_node_key(Family::Evm, 0, 0), b"x");
    batch.put(Table::HistoryNode, layout::history_node_key(0, 0), b"x");
    batch.put(Table::SuperRoot, b"x", b"").put(Table::SuperRootByHash, Hash::ZERO.0, b"x");
    store.commit(batch).unwrap();
    let table = |error: StoreError| match error {
        StoreError::Corrupt { table, .. } => table,
        other => panic!("{other}"),
    };
    let numbers = number..BlockNumber(6);
    let got = [
        read::load_chain_state(&store, ETHEREUM).map(drop).map_err(table),
        read::load_block(&store, ETHEREUM, number).map(drop).map_err(table),
        read::load_blocks(&store, ETHEREUM, numbers, 9).map(drop).map_err(table),
        read::load_body(&store, ETHEREUM, number).map(drop).map_err(table),
        read::load_refused(&store, ETHEREUM, number).map(drop).map_err(table),
        read::find_transaction(&store, ETHEREUM, &Hash::ZERO).map(drop).map_err(table),
        read::load_mini_mmr_leaf(&store, Family::Evm, LeafIndex(0)).map(drop).map_err(table),
        read::load_leaf_index(&store, ETHEREUM, TwigIndex(0)).map(drop).map_err(table),
        read::load_mini_mmr_node(&store, Family::Evm, 0, 0).map(drop).map_err(table),
        read::load_history_node(&store, 0, 0).map(drop).map_err(table),
        read::load_newest_super_root(&store).map(drop).map_err(table),
        read::load_sequence(&store, &Hash::ZERO).map(drop).map_err(table),
    ];
    let expected = [
        Table::ChainState,
        Table::Block,
        Table::Block,
        Table::Body,
        Table::Refused,
        Table::Transaction,
        Table::MiniMmrLeaf,
        Table::MiniMmrLeaf,
        Table::MiniMmrNode,
        Table::HistoryNode,
        Table::SuperRoot,
        Table::SuperRootByHash,
    ];
    assert_eq!(got, expected.map(Err));
}

#[test]
fn a_chain_state_is_swapped_only_for_the_one_expected() {
    let store = MemoryStore::new();
    let first = ChainState::empty(BlockNumber(2_048));
    let tip = |number, byte| Some(BlockTip { number: BlockNumber(number), hash: Hash([byte; 32]) });
    let second = ChainState {
        indexed: tip(2_050, 1),
        head: tip(2_060, 2),
        block_count: 3,
        checked_to: Some(BlockNumber(2_055)),
        ..first.clone()
    };
    let swap = |from: Option<&ChainState>, to: &ChainState| {
        let mut batch = WriteBatch::new();
        write::expect_chain_state(&mut batch, ETHEREUM, from);
        write::put_chain_state(&mut batch, ETHEREUM, to);
        store.commit(batch)
    };
    swap(None, &first).unwrap();
    swap(Some(&first), &second).unwrap();
    for stale in [None, Some(&first)] {
        let error = swap(stale, &first).unwrap_err();
        assert!(matches!(error, StoreError::Conflict { table: Table::ChainState }), "{error}");
    }
    assert_eq!(read::load_chain_state(&store, ETHEREUM).unwrap(), Some(second));
    let other = ChainKey { family: Family::Tron, ..ETHEREUM };
    assert_eq!(read::load_chain_state(&store, other).unwrap(), None);
}

#[test]
fn trees_and_super_roots_are_read_where_they_were_put() {
    let store = MemoryStore::new();
    let leaf =
        MiniMmrLeafRow { chain_id: ChainId(1), twig_index: TwigIndex(9), twig_root: Hash([7; 32]) };
    let refused = RefusedRow { reason: "receipts root differs".into(), source: "one".into() };
    let mut batch = WriteBatch::new();
    write::put_mini_mmr_leaf(&mut batch, Family::Evm, LeafIndex(4), &leaf);
    let mut twig = PerfectTree::new(TWIG_HEIGHT, Vec::new());
    assert_eq!(TwigNodes::of(&twig), None, "an empty twig has none");
    for slot in [0, 31, 700, 2_047] {
        twig.set(slot, Hash([slot as u8 | 1; 32]));
    }
    let nodes = TwigNodes::of(&twig).unwrap();
    assert_eq!(nodes.clone().tree().root(), twig.root());
    write::put_twig_nodes(&mut batch, ETHEREUM, TwigIndex(9), &nodes);
    write::put_mini_mmr_node(&mut batch, Family::Evm, 2, 3, &Hash([2; 32]));
    write::put_history_node(&mut batch, 2, 3, &Hash([3; 32]));
    write::put_super_root(&mut batch, Sequence(0), &Hash([4; 32]), b"zero");
    write::put_super_root(&mut batch, Sequence(256), &Hash([5; 32]), b"newest");
    write::put_super_root(&mut batch, Sequence(255), &Hash([6; 32]), b"before");
    write::put_registry(&mut batch, &Hash([8; 32]), b"registry");
    write::put_refused(&mut batch, ETHEREUM, BlockNumber(5), &refused);
    store.commit(batch).unwrap();

    assert_eq!(read::load_mini_mmr_leaf(&store, Family::Evm, LeafIndex(4)).unwrap(), Some(leaf));
    assert_eq!(read::load_mini_mmr_leaf(&store, Family::Sui, LeafIndex(4)).unwrap(), None);
    assert_eq!(read::load_leaf_index(&store, ETHEREUM, TwigIndex(9)).unwrap(), Some(LeafIndex(4)));
    assert_eq!(read::load_leaf_index(&store, ETHEREUM, TwigIndex(8)).unwrap(), None);
    assert_eq!(read::load_twig_nodes(&store, ETHEREUM, TwigIndex(9)).unwrap(), Some(nodes));
    assert_eq!(read::load_twig_nodes(&store, ETHEREUM, TwigIndex(8)).unwrap(), None);
    let node = |height, index| read::load_mini_mmr_node(&store, Family::Evm, height, index);
    assert_eq!((node(2, 3).unwrap(), node(3, 2).unwrap()), (Some(Hash([2; 32])), None));
    assert_eq!(read::load_history_node(&store, 2, 3).unwrap(), Some(Hash([3; 32])));
    assert_eq!(
        read::load_super_root(&store, Sequence(255)).unwrap().as_deref(),
        Some(&b"before"[..])
    );
    assert_eq!(read::load_sequence(&store, &Hash([5; 32])).unwrap(), Some(Sequence(256)));
    let newest = read::load_newest_super_root(&store).unwrap();
    assert_eq!(newest, Some((Sequence(256), b"newest".to_vec())));
    assert_eq!(read::load_registry(&store, &Hash([8; 32])).unwrap().unwrap(), b"registry");
    assert_eq!(read::load_refused(&store, ETHEREUM, BlockNumber(5)).unwrap(), Some(refused));
    let mut batch = WriteBatch::new();
    write::remove_refused(&mut batch, ETHEREUM, BlockNumber(5));
    store.commit(batch).unwrap();
    assert_eq!(read::load_refused(&store, ETHEREUM, BlockNumber(5)).unwrap(), None);
}

#[test]
fn a_block_without_transactions_has_an_empty_trie() {
    let store = MemoryStore::new();
    let block = Recipe::new(0, 0).verified();
    assert_eq!((block.extent(), block.timestamp()), (BOTH, UnixSeconds(1_700_000_000)));
    put(&store, &block).unwrap();
    let body = tries(read::load_body(&store, ETHEREUM, BlockNumber(0)).unwrap());
    assert_proves(&body.transactions.unwrap(), &[]);
    let row = read::load_block(&store, ETHEREUM, BlockNumber(0)).unwrap().unwrap();
    assert_eq!(
        (row.tx_count, row.extent),
        (Some(0), Extent { transactions: true, receipts: true })
    );
}

fn put_kept(store: &dyn Store, block: &VerifiedBlock, kept: &[u32]) -> Result<(), StoreError> {
    let mut batch = WriteBatch::new();
    write::put_kept_block(&mut batch, store, block, &KeptEntries::Some(kept.to_vec()))?;
    store.commit(batch)
}

/// Of a block of which some entries are kept those are proven, and that there is none after the
/// last; no other node is stored.
#[test]
fn kept_entries_are_proven_and_so_is_their_count() {
    let block = Recipe::new(5, 200).verified();
    let whole = MemoryStore::new();
    put(&whole, &block).unwrap();
    for kept in [vec![0], vec![199], vec![3, 127, 128, 150], (0..200).collect()] {
        let store = MemoryStore::new();
        put_kept(&store, &block, &kept).unwrap();
        let row = read::load_block(&store, ETHEREUM, BlockNumber(5)).unwrap().unwrap();
        assert_eq!((row.extent, row.tx_count), (BOTH, Some(200)));
        assert_eq!(row.kept, KeptEntries::Some(kept.clone()));
        let body = tries(read::load_body(&store, ETHEREUM, BlockNumber(5)).unwrap());
        let (transactions, receipts) = (body.transactions.unwrap(), body.receipts.unwrap());
        let mut proven = 0;
        for (trie, leaves) in [(&transactions, block.transactions()), (&receipts, block.receipts())]
        {
            for index in kept.iter().copied().chain([200]) {
                let nodes = trie.prove(u64::from(index)).unwrap();
                let leaf = verify(&trie.root(), &index_key(u64::from(index)), &nodes).unwrap();
                assert_eq!(leaf, leaves.unwrap().get(index as usize).map(Vec::as_slice));
                proven += 1;
            }
        }
        assert_eq!(proven, 2 * (kept.len() + 1));
        if kept.len() < 10 {
            let absent = (0..200).filter(|index| transactions.leaf(*index).is_err()).count();
            assert!(absent > 100, "nodes of entries that are not kept are stored");
        }
        let keys = rows(&store).into_iter().find(|(table, _)| *table == Table::Transaction);
        assert_eq!(keys.unwrap().1.len(), kept.len());
    }
}

#[test]
fn a_block_of_which_nothing_is_kept_is_a_header_with_a_count() {
    let store = MemoryStore::new();
    put_kept(&store, &Recipe::new(5, 3).verified(), &[]).unwrap();
    let row = read::load_block(&store, ETHEREUM, BlockNumber(5)).unwrap().unwrap();
    assert_eq!((row.extent, row.tx_count), (Extent::default(), Some(3)));
    assert_eq!(read::load_body(&store, ETHEREUM, BlockNumber(5)).unwrap(), None);
}

#[test]
fn an_entry_that_a_block_does_not_have_cannot_be_kept() {
    let error = put_kept(&MemoryStore::new(), &Recipe::new(5, 3).verified(), &[3]);
    assert!(error.unwrap_err().to_string().contains("does not have"));
}

/// What is kept grows and never shrinks, and a header of which nothing was kept may become anything.
#[test]
fn what_is_kept_never_shrinks() {
    let block = Recipe::new(5, 9).verified();
    let kepts = [
        KeptEntries::Some(vec![]),
        KeptEntries::Some(vec![2]),
        KeptEntries::Some(vec![2, 7]),
        KeptEntries::Some(vec![7]),
        KeptEntries::All,
    ];
    let within = [[0, 1, 2, 3, 4].as_slice(), &[1, 2, 4], &[2, 4], &[2, 3, 4], &[4]];
    for (first, held) in kepts.iter().enumerate() {
        for (second, given) in kepts.iter().enumerate() {
            let store = MemoryStore::new();
            let mut batch = WriteBatch::new();
            write::put_kept_block(&mut batch, &store, &block, held).unwrap();
            store.commit(batch).unwrap();
            let outcome = write::put_kept_block(&mut WriteBatch::new(), &store, &block, given);
            assert_eq!(outcome.is_ok(), within[first].contains(&second), "{held:?}, {given:?}");
        }
    }
}

#[test]
fn a_removed_block_takes_its_kept_entries_along() {
    for kept in [&[][..], &[4], &[0, 128]] {
        let store = MemoryStore::new();
        put(&store, &Recipe::new(4, 3).verified()).unwrap();
        let before = rows(&store);
        put_kept(&store, &Recipe::new(5, 130).verified(), kept).unwrap();
        let mut batch = WriteBatch::new();
        write::remove_block(&mut batch, &store, ETHEREUM, BlockNumber(5)).unwrap();
        store.commit(batch).unwrap();
        assert_eq!(rows(&store), before, "{kept:?}");
    }
}

/// Only the very block that is held becomes final, and nothing but its evidence changes.
#[test]
fn a_held_block_becomes_final_without_being_given_again() {
    let store = MemoryStore::new();
    let block = Recipe::new(5, 3).verified();
    put(&store, &block).unwrap();
    let link = Candidate::from(block.clone()).link();
    let held = |link| final_by(evidence(), Candidate::Held(link));
    for bent in [
        BlockLink { hash: Hash::ZERO, ..link },
        BlockLink { parent_hash: Hash::ZERO, ..link },
        BlockLink { number: BlockNumber(6), ..link },
    ] {
        assert!(put_final(&store, &held(bent)).is_err(), "{bent:?}");
    }
    put_final(&store, &held(link)).unwrap();
    let whole = MemoryStore::new();
    put_final(&whole, &as_final(&block)).unwrap();
    assert_eq!(rows(&store), rows(&whole));
    let mut batch = WriteBatch::new();
    let undone = MemoryStore::new();
    put(&undone, &block).unwrap();
    write::remove_block(&mut batch, &undone, ETHEREUM, BlockNumber(5)).unwrap();
    let taken_out = write::put_final(&mut batch, &undone, &held(link), &KeptEntries::All);
    assert!(taken_out.is_err(), "it was taken out in the same batch");
}

/// The first note of a retraction stays; another hash at the same number is another note.
#[test]
fn retractions_are_kept_for_good() {
    let store = MemoryStore::new();
    let note = |number, other: u8, noticed_at| {
        let row = RetractionRow {
            held_hash: Hash([1; 32]),
            other_hash: Hash([other; 32]),
            evidence: evidence(),
            noticed_at: UnixSeconds(noticed_at),
            other_header: Some(vec![1, 2]),
        };
        let mut batch = WriteBatch::new();
        write::put_retraction(&mut batch, &store, ETHEREUM, BlockNumber(number), &row).unwrap();
        store.commit(batch).unwrap();
    };
    for (number, other, noticed_at) in [(9, 2, 100), (9, 2, 200), (9, 3, 300), (4, 2, 400)] {
        note(number, other, noticed_at);
    }
    let read = read::load_retractions(&store, ETHEREUM).unwrap();
    let told = |(number, row): &(BlockNumber, RetractionRow)| {
        (number.0, row.other_hash.0[0], row.noticed_at.0)
    };
    assert_eq!(read.iter().map(told).collect::<Vec<_>>(), [(4, 2, 400), (9, 2, 100), (9, 3, 300)]);
    let other = ChainKey { id: ChainId(2), ..ETHEREUM };
    assert_eq!(read::load_retractions(&store, other).unwrap(), []);
}

#[test]
fn halts_backfills_and_watch_lists_are_read_as_they_were_written() {
    let store = MemoryStore::new();
    let halt = HaltRow { number: BlockNumber(7), since: UnixSeconds(8), reason: "why".into() };
    let lowest = BlockTip { number: BlockNumber(3), hash: Hash([3; 32]) };
    let backfill = BackfillRow { lowest, block_count: 5 };
    let watch = WatchFilter::nothing();
    let mut batch = WriteBatch::new();
    write::put_halt(&mut batch, ETHEREUM, &halt);
    write::put_backfill(&mut batch, ETHEREUM, Some(&backfill));
    write::put_watch(&mut batch, ETHEREUM, &watch);
    store.commit(batch).unwrap();
    assert_eq!(read::load_halts(&store).unwrap(), [(ETHEREUM, halt.clone())]);
    assert_eq!(read::load_halt(&store, ETHEREUM).unwrap(), Some(halt));
    assert_eq!(read::load_backfill(&store, ETHEREUM).unwrap(), Some(backfill));
    assert_eq!(read::load_chain_watch(&store, ETHEREUM).unwrap(), Some(watch.hash()));
    assert_eq!(read::load_watch(&store, &watch.hash()).unwrap(), Some(watch));
    let other = ChainKey { id: ChainId(2), ..ETHEREUM };
    assert_eq!(read::load_halt(&store, other).unwrap(), None);
    let mut batch = WriteBatch::new();
    write::clear_halt(&mut batch, ETHEREUM);
    write::put_backfill(&mut batch, ETHEREUM, None);
    store.commit(batch).unwrap();
    assert_eq!(read::load_halt(&store, ETHEREUM).unwrap(), None);
    assert_eq!(read::load_halts(&store).unwrap(), []);
    assert_eq!(read::load_backfill(&store, ETHEREUM).unwrap(), None);
}

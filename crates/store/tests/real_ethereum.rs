//! Real blocks of Ethereum, kept on disk and proven from there.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use superroot_chain::ledger::evm::raw::RawEvmBlock;
use superroot_chain::{ChainRegistry, UntrustedBlock, VerifiedBlock, verify};
use superroot_proof::ledger::Body;
use superroot_proof::ledger::evm::{Header, Layout, Tries};
use superroot_proof::mpt::{OrderedTrie, index_key};
use superroot_store::read::{find_transaction, load_block, load_body};
use superroot_store::write::{put_block, remove_block};
use superroot_store::{EmbeddedConfig, EmbeddedStore, ScanOrder, Store, Table, WriteBatch};
use superroot_types::Hash;

/// The tries that are held of a block; none where its header is held alone.
fn tries(body: Option<Body>) -> Tries {
    match body {
        Some(Body::Evm(tries)) => tries,
        Some(other) => panic!("a body of another ledger: {other:?}"),
        None => Tries::default(),
    }
}

fn recordings() -> Option<Vec<PathBuf>> {
    let folder = Path::new(&std::env::var_os("SUPERROOT_DATA")?).join("evm/ethereum-1");
    let mut paths: Vec<_> =
        folder.read_dir().ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Some(paths)
}

/// The block, if what was recorded of it can be verified.
fn verified(path: &Path) -> Option<VerifiedBlock> {
    let mut json = String::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_string(&mut json).unwrap();
    let raw: RawEvmBlock = serde_json::from_str(&json).unwrap();
    let ethereum = ChainRegistry::builtin().find("ethereum").unwrap();
    verify(ethereum, &UntrustedBlock::Evm(Box::new(raw))).ok()
}

fn open(folder: &Path) -> EmbeddedStore {
    EmbeddedStore::open(folder, &EmbeddedConfig::default()).unwrap()
}

/// Checks every leaf against the root in the header, out of the stored nodes.
fn prove_all(trie: &OrderedTrie, root: &Hash, leaves: &[Vec<u8>]) {
    for (index, leaf) in (0..).zip(leaves) {
        let nodes = trie.prove(index).unwrap();
        let proven = superroot_proof::mpt::verify(root, &index_key(index), &nodes);
        assert_eq!(proven, Ok(Some(leaf.as_slice())));
    }
}

#[test]
fn real_blocks_are_kept_proven_and_removed() {
    let Some(paths) = recordings() else {
        eprintln!("SKIPPED: SUPERROOT_DATA names no folder with evm/ethereum-1");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let blocks: Vec<VerifiedBlock> = paths.iter().filter_map(|path| verified(path)).collect();
    assert!(blocks.len() > 100, "only {} of {} recordings verify", blocks.len(), paths.len());
    for block in &blocks {
        let mut batch = WriteBatch::new();
        put_block(&mut batch, &store, block).unwrap();
        store.commit(batch).unwrap();
    }
    drop(store);

    let store = open(folder.path());
    let (mut entries, mut leaf_bytes) = (0, 0);
    for block in &blocks {
        let (chain, number) = (block.chain(), block.number());
        let row = load_block(&store, chain, number).unwrap().unwrap();
        assert_eq!((row.hash, row.header.as_slice()), (block.hash(), block.header()));
        let header = Header::decode(Layout::Ethereum, &row.header).unwrap();
        let body = tries(load_body(&store, chain, number).unwrap());
        for (trie, root, leaves) in [
            (body.transactions, header.transactions_root, block.transactions()),
            (body.receipts, header.receipts_root, block.receipts()),
        ] {
            assert_eq!(trie.is_some(), leaves.is_some());
            let leaves = leaves.unwrap_or_default();
            entries += leaves.len();
            leaf_bytes += leaves.iter().map(Vec::len).sum::<usize>();
            if let Some(trie) = trie {
                prove_all(&trie, &root, leaves);
            }
        }
        for (tx_index, hash) in (0..).zip(block.transaction_hashes().unwrap_or_default()) {
            let found = find_transaction(&store, chain, hash).unwrap();
            assert!(found.iter().any(|place| place.number == number && place.tx_index == tx_index));
        }
    }
    assert_eq!(store.check(&mut |_, _| ()).unwrap().fault_count, 0);
    let all = |table| store.scan(table, b"", None, usize::MAX, ScanOrder::Rising).unwrap();
    let body_bytes: usize = all(Table::Body).iter().map(|(_, value)| value.len()).sum();
    eprintln!(
        "{} blocks, {entries} entries, {leaf_bytes} bytes of leaves in {body_bytes} bytes of bodies",
        blocks.len()
    );
    for block in &blocks {
        let mut batch = WriteBatch::new();
        remove_block(&mut batch, &store, block.chain(), block.number()).unwrap().unwrap();
        store.commit(batch).unwrap();
    }
    for table in Table::ALL {
        assert_eq!(all(table), [], "{table}");
    }
}

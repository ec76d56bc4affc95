//! Reads of published data: twigs, Mini-MMRs, the history log, and `SuperRoots` with their notes.

use superroot_types::{ChainKey, Family, Hash, LeafIndex, LogSize, Sequence, TwigIndex};

use super::row::{array, load, load_node, load_number};
use crate::layout::{
    MiniMmrLeafRow, TwigNodes, history_node_key, mini_mmr_leaf_key, mini_mmr_node_key, twig_key,
    twig_nodes_key,
};
use crate::{ScanOrder, Store, StoreError, Table};

/// Returns a leaf from a family's Mini-MMR.
///
/// # Errors
/// As [`Store::get`].
pub fn load_mini_mmr_leaf(
    store: &dyn Store,
    family: Family,
    leaf_index: LeafIndex,
) -> Result<Option<MiniMmrLeafRow>, StoreError> {
    load(store, Table::MiniMmrLeaf, &mini_mmr_leaf_key(family, leaf_index))
}

/// Returns a sealed twig's leaf index in its family's Mini-MMR.
///
/// # Errors
/// As [`Store::get`].
pub fn load_leaf_index(
    store: &dyn Store,
    chain: ChainKey,
    twig_index: TwigIndex,
) -> Result<Option<LeafIndex>, StoreError> {
    let leaf_index = load_number(store, Table::MiniMmrLeaf, &twig_key(chain, twig_index))?;
    Ok(leaf_index.map(LeafIndex))
}

/// Returns a sealed twig's inner nodes; `None` for an empty twig or a twig sealed by an earlier build.
///
/// # Errors
/// As [`Store::get`].
pub fn load_twig_nodes(
    store: &dyn Store,
    chain: ChainKey,
    twig_index: TwigIndex,
) -> Result<Option<TwigNodes>, StoreError> {
    load(store, Table::MiniMmrLeaf, &twig_nodes_key(chain, twig_index))
}

/// Returns a node from a family's Mini-MMR.
///
/// # Errors
/// As [`Store::get`].
pub fn load_mini_mmr_node(
    store: &dyn Store,
    family: Family,
    height: u8,
    index: u64,
) -> Result<Option<Hash>, StoreError> {
    load_node(store, Table::MiniMmrNode, &mini_mmr_node_key(family, height, index))
}

/// Returns a history log node.
///
/// # Errors
/// As [`Store::get`].
pub fn load_history_node(
    store: &dyn Store,
    height: u8,
    index: u64,
) -> Result<Option<Hash>, StoreError> {
    load_node(store, Table::HistoryNode, &history_node_key(height, index))
}

/// Returns the `SuperRoot` bytes.
///
/// # Errors
/// As [`Store::get`].
pub fn load_super_root(
    store: &dyn Store,
    sequence: Sequence,
) -> Result<Option<Vec<u8>>, StoreError> {
    store.get(Table::SuperRoot, &sequence.0.to_be_bytes())
}

/// Returns the signed note for this log size.
///
/// # Errors
/// As [`Store::get`].
pub fn load_note(store: &dyn Store, size: LogSize) -> Result<Option<Vec<u8>>, StoreError> {
    store.get(Table::Note, &size.0.to_be_bytes())
}

/// Returns the sequence for a `SuperRoot` hash.
///
/// # Errors
/// As [`Store::get`].
pub fn load_sequence(store: &dyn Store, hash: &Hash) -> Result<Option<Sequence>, StoreError> {
    Ok(load_number(store, Table::SuperRootByHash, &hash.0)?.map(Sequence))
}

/// Returns sequence and bytes for the newest `SuperRoot`.
///
/// # Errors
/// As [`Store::scan`].
pub fn load_newest_super_root(
    store: &dyn Store,
) -> Result<Option<(Sequence, Vec<u8>)>, StoreError> {
    let rows = store.scan(Table::SuperRoot, b"", None, 1, ScanOrder::Falling)?;
    let newest = rows.into_iter().next().map(|(key, bytes)| {
        array(Table::SuperRoot, &key, &key).map(|key| (Sequence(u64::from_be_bytes(key)), bytes))
    });
    newest.transpose()
}

/// Returns the registry bytes for this root.
///
/// # Errors
/// As [`Store::get`].
pub fn load_registry(store: &dyn Store, root: &Hash) -> Result<Option<Vec<u8>>, StoreError> {
    store.get(Table::Registry, &root.0)
}

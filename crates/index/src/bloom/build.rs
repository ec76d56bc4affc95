//! Slices and filter of one twig.

use std::collections::{BTreeMap, BTreeSet};

use superroot_chain::ChainSpec;
use superroot_proof::ledger::Header;
use superroot_proof::ledger::evm::Bloom;
use superroot_store::{ScanOrder, Store, Table, WriteBatch, read};
use superroot_types::{BlockNumber, ChainKey, TWIG_BLOCKS};

use super::filter;
use super::rows::{
    BLOOM_BITS, BloomTwigRow, Slots, bits_of, part_key, part_of, slice_key, twig_key,
};
use crate::IndexError;
use crate::query::{EventFilter, EventQuery, find, gaps};

/// A build step's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Built {
    Twig(u64),
    /// Every whole twig is built.
    All,
    /// The next twig waits for the event index.
    Waits,
}

/// Build progress of a chain in this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuildCursor {
    /// First stored twig and next twig to check; `None` before the first check.
    twigs: Option<(u64, u64)>,
}

/// Builds the lowest unbuilt twig with only final blocks, in one commit. Ledgers without blooms have no twigs to build;
/// twigs without stored blocks need none.
///
/// # Errors
/// Store errors; [`IndexError::Block`] for an unreadable stored header.
pub fn build_next(
    store: &dyn Store,
    row: &ChainSpec,
    place: &mut BuildCursor,
) -> Result<Built, IndexError> {
    let chain = row.key();
    let state = read::load_chain_state(store, chain)?;
    let Some((state, checked)) = state.and_then(|state| Some((state.clone(), state.checked_to?)))
    else {
        return Ok(Built::All);
    };
    if row.ledger.check_bloom().is_err() {
        return Ok(Built::All);
    }
    let whole = (checked.0.saturating_add(1)) / TWIG_BLOCKS;
    let end = BlockNumber(whole.saturating_mul(TWIG_BLOCKS));
    let first = state.start.twig_index().0;
    // where older blocks are held now, their twigs are looked at as well
    let mut next = place.twigs.filter(|(from, _)| *from <= first).map_or(first, |(_, next)| next);
    loop {
        let from = BlockNumber(next.saturating_mul(TWIG_BLOCKS));
        let held = read::load_blocks(store, chain, from..end.max(from), 1)?;
        next = held.first().map_or(next, |(number, _)| number.twig_index().0);
        place.twigs = Some((first, next));
        if held.is_empty() {
            return Ok(Built::All);
        }
        if store.get(Table::Bloom, &twig_key(chain, next))?.is_none() {
            return build(store, row, next);
        }
        next = next.saturating_add(1);
    }
}

fn build(store: &dyn Store, row: &ChainSpec, twig_index: u64) -> Result<Built, IndexError> {
    let chain = row.key();
    let first = BlockNumber(twig_index.saturating_mul(TWIG_BLOCKS));
    let end = BlockNumber(first.0.saturating_add(TWIG_BLOCKS));
    let mut blooms = Vec::new();
    for (number, block) in read::load_blocks(store, chain, first..end, usize::MAX)? {
        let slot = usize::from(number.twig_slot());
        blooms.push((slot, bloom_of(row, number, &block.header)?));
    }
    let names = match names_of(store, row, first, BlockNumber(end.0 - 1))? {
        Names::Pending => return Ok(Built::Waits),
        Names::Unknown => None,
        Names::All(names) => Some(names),
    };
    let mut batch = WriteBatch::new();
    put_twig(&mut batch, chain, twig_index, &blooms, names.as_ref())?;
    batch.expect(Table::Bloom, twig_key(chain, twig_index), None);
    store.commit(batch)?;
    Ok(Built::Twig(twig_index))
}

/// Puts a twig's slices into the batch, from blooms and their slots, and the filter over the names' hashes;
/// [`IndexError::Block`] if no filter can be made.
#[doc(hidden)] // for benches
pub fn put_twig(
    batch: &mut WriteBatch,
    chain: ChainKey,
    twig_index: u64,
    blooms: &[(usize, Bloom)],
    names: Option<&BTreeSet<u64>>,
) -> Result<(), IndexError> {
    let mut slices = vec![Slots::NONE; usize::from(BLOOM_BITS)];
    let count = names.map(|names| names.len() as u64);
    let mut twig = BloomTwigRow { held: Slots::NONE, bits: 0, names: count };
    for (slot, bloom) in blooms {
        twig.held.insert(*slot);
        for bit in bits_of(bloom) {
            if let Some(slice) = slices.get_mut(usize::from(bit)) {
                slice.insert(*slot);
                twig.bits = twig.bits.saturating_add(1);
            }
        }
    }
    let mut parts: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for name in names.into_iter().flatten() {
        parts.entry(part_of(count.unwrap_or(0), *name)).or_default().push(*name);
    }
    for (part, names) in parts {
        let bytes = filter::encode(&names).map_err(|why| IndexError::Block {
            chain,
            number: BlockNumber(twig_index.saturating_mul(TWIG_BLOCKS)),
            why: format!("no filter of its names can be made: {why}"),
        })?;
        batch.put(Table::Bloom, part_key(chain, twig_index, part), bytes);
    }
    for (bit, slice) in (0..).zip(&slices).filter(|(_, slice)| **slice != Slots::NONE) {
        batch.put(Table::Bloom, slice_key(chain, bit, twig_index), slice.0);
    }
    batch.put(Table::Bloom, twig_key(chain, twig_index), twig.encode());
    Ok(())
}

/// Bloom in a stored header.
pub(super) fn bloom_of(
    row: &ChainSpec,
    number: BlockNumber,
    header: &[u8],
) -> Result<Bloom, IndexError> {
    let decoded = row.rule_at(number).and_then(|rule| Header::decode(rule, header).ok());
    let bloom = decoded.as_ref().and_then(Header::logs_bloom).cloned();
    bloom.ok_or_else(|| IndexError::Block {
        chain: row.key(),
        number,
        why: "its header has no bloom that can be read".to_owned(),
    })
}

/// Filter hash of an address or topic.
pub(super) fn name_hash(item: &[u8]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = superroot_proof::hash::keccak256(item).0;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

enum Names {
    All(BTreeSet<u64>),
    /// Some of the twig's events are missing.
    Unknown,
    Pending,
}

/// Every address and topic in the twig's events.
fn names_of(
    store: &dyn Store,
    row: &ChainSpec,
    from: BlockNumber,
    to: BlockNumber,
) -> Result<Names, IndexError> {
    let chain = row.key();
    if !gaps(store, chain, &EventFilter::default(), from, to)?.is_empty() {
        return Ok(Names::Unknown);
    }
    let mut names = BTreeSet::new();
    let mut query = EventQuery {
        chain,
        filter: EventFilter::default(),
        from,
        to,
        direction: ScanOrder::Rising,
        at: None,
        limit: 10_000,
        examined_max: usize::MAX,
        data_bytes_max: usize::MAX,
    };
    loop {
        let found = find(store, &query)?;
        if !found.pending.is_empty() {
            return Ok(Names::Pending);
        }
        for event in found.events.iter().map(|hit| &hit.event) {
            let addresses = event.addresses.iter().map(Vec::as_slice);
            let topics = event.topics.iter().map(|topic| topic.0.as_slice());
            names.extend(addresses.chain(topics).map(name_hash));
        }
        query.at = found.next;
        if query.at.is_none() {
            return Ok(Names::All(names));
        }
    }
}

//! Search for candidate blocks: an event with all given items is possible.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use superroot_chain::ChainSpec;
use superroot_proof::ledger::evm::Bloom;
use superroot_store::{ScanOrder, Store, StoreError, Table, read};
use superroot_types::{BlockNumber, ChainKey, Hash, TWIG_BLOCKS};

use super::build::{bloom_of, name_hash};
use super::filter;
use super::rows::{
    BLOOM_BITS, BloomTwigRow, Slots, part_key, part_of, slice_key, twig_index_of, twig_key,
};
use crate::IndexError;

/// Inverse false positive rate of a filter.
const FILTER_ERRS: f64 = 256.0;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BloomQuestion {
    /// Addresses and topics, as bytes; at least one.
    pub items: Vec<Vec<u8>>,
    pub from: BlockNumber,
    /// Last block; final.
    pub to: BlockNumber,
    /// Most listed candidates.
    pub listed_max: usize,
}

/// Evidence behind the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BloomEvidence {
    /// Header blooms alone: anyone with the headers gets the same result.
    HeaderBlooms,
    /// Also this service's filters: its word.
    OwnFilter,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Candidates {
    /// First candidates, ascending.
    pub listed: Vec<BlockNumber>,
    pub count: u64,
    /// Number of candidates by header blooms alone.
    pub by_headers: u64,
    pub scanned: u64,
    /// Unstored blocks in the range.
    pub missing: u64,
    pub evidence: BloomEvidence,
    /// False positive rate, from the number of set bits.
    pub false_positive_rate: f64,
}

/// Blooms of blocks above the last built twig.
#[derive(Clone, Default)]
struct OpenBlooms {
    twig_index: u64,
    blooms: Vec<Option<(Hash, Arc<Bloom>)>>,
}

/// Candidate search with a cache for the headers of incomplete twigs.
#[derive(Default)]
pub struct Blooms {
    open: Mutex<HashMap<(ChainKey, u64), OpenBlooms>>,
}

/// Twigs with cached headers.
const OPEN_MAX: usize = 64;

impl std::fmt::Debug for Blooms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blooms").finish_non_exhaustive()
    }
}

struct TwigAnswer {
    candidates: Slots,
    held: Slots,
    /// Total bits set in all blooms.
    bits: u64,
    names: Option<u64>,
}

/// A question's items, in the forms of blooms and filters.
struct SearchedItems {
    /// Bits of all items in a header bloom.
    bits: Vec<u16>,
    /// Names of the items in a filter.
    names: Vec<u64>,
    /// Number of bits, as exponent of a bloom's density.
    exponent: i32,
}

/// Part of a twig within the range of a question.
struct TwigPart {
    index: u64,
    /// The twig's first block.
    first: BlockNumber,
    /// First slot in the range.
    from: usize,
    /// Last slot in the range.
    to: usize,
}

impl TwigPart {
    fn of(index: u64, first: BlockNumber, last: BlockNumber) -> Self {
        let twig_first = BlockNumber(index.saturating_mul(TWIG_BLOCKS));
        let slot = |number: BlockNumber| usize::try_from(number.0 - twig_first.0).unwrap_or(0);
        let from = slot(first.max(twig_first));
        let to = slot(last.min(BlockNumber(twig_first.0.saturating_add(TWIG_BLOCKS - 1))));
        Self { index, first: twig_first, from, to }
    }
}

/// Running count of candidates.
struct CandidateTally {
    items: SearchedItems,
    listed_max: usize,
    found: Candidates,
    /// Expected number of false candidates.
    expected: f64,
}

impl CandidateTally {
    fn new(question: &BloomQuestion) -> Self {
        let items = &question.items;
        let bits: Vec<u16> = items.iter().flat_map(|item| Bloom::bits(item)).collect();
        let names: Vec<u64> = items.iter().map(|item| name_hash(item)).collect();
        let exponent = i32::try_from(items.len().saturating_mul(3)).unwrap_or(i32::MAX);
        let found = Candidates {
            listed: Vec::new(),
            count: 0,
            by_headers: 0,
            scanned: 0,
            missing: 0,
            evidence: BloomEvidence::HeaderBlooms,
            false_positive_rate: 0.0,
        };
        let items = SearchedItems { bits, names, exponent };
        Self { items, listed_max: question.listed_max, found, expected: 0.0 }
    }

    /// Adds a twig's candidates, after filtering.
    fn add(
        &mut self,
        store: &dyn Store,
        chain: ChainKey,
        part: &TwigPart,
        mut said: TwigAnswer,
    ) -> Result<(), StoreError> {
        let found = &mut self.found;
        let held = said.held.count();
        said.held.keep_range(part.from, part.to);
        said.candidates.keep(&said.held);
        let scanned = said.held.count();
        found.scanned = found.scanned.saturating_add(scanned);
        found.missing = found.missing.saturating_add((part.to - part.from + 1) as u64 - scanned);
        let by_headers = said.candidates.count();
        found.by_headers = found.by_headers.saturating_add(by_headers);
        let density = said.bits as f64 / (held.max(1) as f64 * f64::from(BLOOM_BITS));
        let mut errs = density.powi(self.items.exponent);
        if by_headers > 0
            && let Some(count) = said.names
        {
            found.evidence = BloomEvidence::OwnFilter;
            errs /= FILTER_ERRS;
            if !has_names(store, chain, part.index, count, &self.items.names)? {
                said.candidates = Slots::NONE;
            }
        }
        self.expected += errs * scanned as f64;
        found.count = found.count.saturating_add(said.candidates.count());
        let room = self.listed_max.saturating_sub(found.listed.len());
        let listed = said.candidates.iter().take(room);
        found.listed.extend(listed.map(|slot| BlockNumber(part.first.0 + slot as u64)));
        Ok(())
    }

    fn finish(mut self) -> Candidates {
        self.found.false_positive_rate = self.expected / self.found.scanned.max(1) as f64;
        self.found
    }
}

impl Blooms {
    /// Candidates in a range.
    ///
    /// # Errors
    /// Store errors; [`IndexError::Block`] for an unreadable stored header.
    pub fn search(
        &self,
        store: &dyn Store,
        row: &ChainSpec,
        question: &BloomQuestion,
    ) -> Result<Candidates, IndexError> {
        let chain = row.key();
        let first = question.from;
        let last = question.to;
        let mut tally = CandidateTally::new(question);
        if first > last {
            return Ok(tally.found);
        }
        let twigs = (first.twig_index().0, last.twig_index().0);
        let mut built = sliced(store, chain, twigs, &tally.items.bits)?;
        for twig_index in twigs.0..=twigs.1 {
            let part = TwigPart::of(twig_index, first, last);
            let said = match built.remove(&twig_index) {
                Some(said) => said,
                None => {
                    let slots = (part.from, part.to);
                    self.unsliced(store, row, twig_index, slots, &tally.items.bits)?
                }
            };
            tally.add(store, chain, &part, said)?;
        }
        Ok(tally.finish())
    }

    /// Searches the headers of an unbuilt twig.
    fn unsliced(
        &self,
        store: &dyn Store,
        row: &ChainSpec,
        twig_index: u64,
        (from, to): (usize, usize),
        bits: &[u16],
    ) -> Result<TwigAnswer, IndexError> {
        let open = self.fill(store, row, twig_index, (from, to))?;
        let mut said =
            TwigAnswer { candidates: Slots::NONE, held: Slots::NONE, bits: 0, names: None };
        for (slot, block) in open.blooms.iter().enumerate() {
            let Some((_, bloom)) = block else { continue };
            said.held.insert(slot);
            let set: u32 = bloom.0.iter().map(|byte| byte.count_ones()).sum();
            said.bits = said.bits.saturating_add(u64::from(set));
            if bits.iter().all(|bit| has(bloom, *bit)) {
                said.candidates.insert(slot);
            }
        }
        Ok(said)
    }

    /// A twig's cached headers, completed for the range.
    fn fill(
        &self,
        store: &dyn Store,
        row: &ChainSpec,
        twig_index: u64,
        (from, to): (usize, usize),
    ) -> Result<OpenBlooms, IndexError> {
        let chain = row.key();
        let key = (chain, twig_index);
        let remembered = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = remembered().get(&key).cloned().unwrap_or_default();
        open.twig_index = twig_index;
        open.blooms.resize(usize::try_from(TWIG_BLOCKS).unwrap_or(usize::MAX), None);
        let lacks = |slot: &usize| open.blooms.get(*slot).is_some_and(Option::is_none);
        let lacking: Vec<usize> = (from..=to).filter(lacks).collect();
        if let (Some(first), Some(last)) = (lacking.first(), lacking.last()) {
            let at = |slot: usize| {
                BlockNumber(twig_index.saturating_mul(TWIG_BLOCKS).saturating_add(slot as u64))
            };
            let numbers = at(*first)..at(last.saturating_add(1));
            for (number, block) in read::load_blocks(store, chain, numbers, usize::MAX)? {
                // what is not final may be another block later
                if !block.is_final() {
                    continue;
                }
                let bloom = Arc::new(bloom_of(row, number, &block.header)?);
                let slot = usize::from(number.twig_slot());
                if let Some(place) = open.blooms.get_mut(slot) {
                    *place = Some((block.hash, bloom));
                }
            }
            let mut remembered = remembered();
            if remembered.len() >= OPEN_MAX && !remembered.contains_key(&key) {
                remembered.clear();
            }
            remembered.insert(key, open.clone());
        }
        Ok(open)
    }
}

fn has(bloom: &Bloom, bit: u16) -> bool {
    let byte = usize::from((BLOOM_BITS - 1 - bit) / 8);
    bloom.0.get(byte).is_some_and(|byte| byte & (1 << (bit % 8)) != 0)
}

/// Searches the slices of built twigs in a twig range.
fn sliced(
    store: &dyn Store,
    chain: ChainKey,
    (first, last): (u64, u64),
    bits: &[u16],
) -> Result<BTreeMap<u64, TwigAnswer>, StoreError> {
    let rows = |start: Vec<u8>, mut end: Vec<u8>| {
        end.push(0); // the last one too
        store.scan(Table::Bloom, &start, Some(&end), usize::MAX, ScanOrder::Rising)
    };
    let mut built = BTreeMap::new();
    for (key, bytes) in rows(twig_key(chain, first), twig_key(chain, last))? {
        let BloomTwigRow { held, bits, names } = BloomTwigRow::decode(&key, &bytes)?;
        let said = TwigAnswer { candidates: held, held, bits, names };
        built.insert(twig_index_of(&key)?, said);
    }
    for bit in bits {
        let mut slices = rows(slice_key(chain, *bit, first), slice_key(chain, *bit, last))?
            .into_iter()
            .map(|(key, bytes)| {
                let corrupt = || StoreError::corrupt(Table::Bloom, &key, "not a slice");
                let slice = bytes.as_slice().try_into().map_err(|_| corrupt())?;
                Ok((twig_index_of(&key)?, Slots(slice)))
            })
            .collect::<Result<BTreeMap<_, _>, StoreError>>()?;
        for (twig_index, said) in &mut built {
            said.candidates.keep(&slices.remove(twig_index).unwrap_or(Slots::NONE));
        }
    }
    Ok(built)
}

/// Whether a twig's filter with `names` names contains all of these.
fn has_names(
    store: &dyn Store,
    chain: ChainKey,
    twig_index: u64,
    count: u64,
    names: &[u64],
) -> Result<bool, StoreError> {
    for name in names {
        let key = part_key(chain, twig_index, part_of(count, *name));
        let Some(bytes) = store.get(Table::Bloom, &key)? else { return Ok(false) };
        let corrupt = || StoreError::corrupt(Table::Bloom, &key, "not a part of a filter");
        if !filter::contains(&bytes, *name).ok_or_else(corrupt)? {
            return Ok(false);
        }
    }
    Ok(true)
}

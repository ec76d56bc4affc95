//! Scans of the made-up log, by the plain definition: all receipts of every block whose bloom may
//! have what is asked for, whatever the crate thinks of that.

use superroot_proof::bundle::{Bundle, ProofSubject};
use superroot_proof::ledger::evm::{Bloom, Log, Receipt};
use superroot_proof::scan::{BlockReceipts, Scan, ScanFilter, ScanStatement};
use superroot_types::*;

use super::World;

/// Whether a bloom may have an event that passes, item by item.
pub fn may_have(bloom: &[u8], filter: &ScanFilter) -> bool {
    let bloom = Bloom(bloom.try_into().unwrap());
    let any = |items: Vec<&[u8]>| items.is_empty() || items.iter().any(|one| bloom.contains(one));
    any(filter.addresses().iter().map(|one| one.0.as_slice()).collect())
        && filter.topics().iter().all(|list| any(list.iter().map(|one| one.0.as_slice()).collect()))
        && filter.anywhere().iter().all(|one| bloom.contains(&one.0))
}

/// Where the bloom begins in a header with the fields of Ethereum.
pub const BLOOM_AT: usize = 3 + 33 + 33 + 21 + 3 * 33 + 3;

/// The bloom of a header with the fields of Ethereum.
pub fn bloom_of(header: &[u8]) -> &[u8] {
    &header[BLOOM_AT..BLOOM_AT + 256]
}

/// An event by its place: block, transaction, log.
pub type Event = (u64, u32, u32, Log);

impl World {
    /// The scan of a range, in SuperRoot `sequence`; every block has its receipts where `all` is set.
    pub fn scan(
        &self,
        chain: ChainKey,
        (from, to): (u64, u64),
        filter: &ScanFilter,
        all: bool,
        sequence: usize,
    ) -> Scan {
        let blocks = || self.blocks.range((chain, from)..=(chain, to));
        let needed = blocks().filter(|(_, one)| all || may_have(bloom_of(&one.header), filter));
        let receipts = needed.map(|((_, number), block)| BlockReceipts {
            number: BlockNumber(*number),
            leaves: block.receipts.clone(),
        });
        let last: Bundle = self.prove(chain, to, ProofSubject::Block, false, sequence);
        let before = blocks().filter(|((_, number), _)| *number < to);
        let (from, to) = (BlockNumber(from), BlockNumber(to));
        Scan {
            statement: ScanStatement { chain, from, to, filter: filter.clone() },
            headers: before.map(|(_, block)| block.header.clone()).collect(),
            receipts: receipts.collect(),
            last,
        }
    }

    /// All events of a range that pass, read one by one.
    pub fn events(
        &self,
        chain: ChainKey,
        (from, to): (u64, u64),
        passes: impl Fn(&Log) -> bool,
    ) -> Vec<Event> {
        let mut events = Vec::new();
        for ((_, number), block) in self.blocks.range((chain, from)..=(chain, to)) {
            for (tx_index, leaf) in (0..).zip(&block.receipts) {
                let logs = Receipt::decode(leaf).unwrap().logs;
                let passing = (0..).zip(logs).filter(|(_, log)| passes(log));
                events.extend(passing.map(|(index, log)| (*number, tx_index, index, log)));
            }
        }
        events
    }
}

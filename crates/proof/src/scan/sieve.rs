//! Receipt need by block, shared by scan creation and check.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey};

use super::blooms::check_bloom;
use super::error::ScanFault;
use super::filter::ScanFilter;
use crate::ledger::evm::{Bloom, Header};
use crate::registry::HashRule;

/// Evidence needed for a block's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventNeed {
    /// Header: the bloom binds and excludes the filter.
    Header,
    /// All receipts: the bloom allows the filter.
    Receipts,
    /// All receipts: the bloom does not bind, with the reason in words.
    ReceiptsOnly(&'static str),
}

type Bits = [u16; 3];

/// Filter with hashed items, to test blooms by bits alone.
#[derive(Clone, Debug)]
pub struct Sieve {
    chain: ChainKey,
    /// Lists; a bloom has to allow at least one item of each.
    one_of: Vec<Vec<Bits>>,
}

impl Sieve {
    /// Sieve for a filter.
    #[must_use]
    pub fn new(chain: ChainKey, filter: &ScanFilter) -> Self {
        let addresses = filter.addresses().iter().map(|address| Bloom::bits(&address.0)).collect();
        let mut one_of: Vec<Vec<Bits>> = alloc::vec![addresses];
        let topics = filter.topics().iter();
        one_of.extend(topics.map(|list| list.iter().map(|one| Bloom::bits(&one.0)).collect()));
        let anywhere = filter.anywhere().iter();
        one_of.extend(anywhere.map(|topic| alloc::vec![Bloom::bits(&topic.0)]));
        one_of.retain(|list| !list.is_empty());
        Self { chain, one_of }
    }

    /// Whether a block with this bloom may have a passing event.
    #[must_use]
    pub fn allows(&self, bloom: &Bloom) -> bool {
        let has = |bits: &Bits| bits.iter().all(|bit| bloom.has_bit(*bit));
        self.one_of.iter().all(|list| list.iter().any(has))
    }

    /// Evidence needed for the events under a header.
    ///
    /// # Errors
    /// [`ScanFault::Settles`] if the header's bloom and receipts belong to other blocks.
    pub fn need(&self, rule: HashRule, header: &Header) -> Result<EventNeed, ScanFault> {
        if header.settles_other_blocks() {
            return Err(ScanFault::Settles);
        }
        match check_bloom(self.chain, BlockNumber(header.number), rule) {
            Err(why) => Ok(EventNeed::ReceiptsOnly(why)),
            Ok(()) if self.allows(&header.logs_bloom) => Ok(EventNeed::Receipts),
            Ok(()) => Ok(EventNeed::Header),
        }
    }
}

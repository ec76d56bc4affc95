//! Which blocks of a range need their receipts: the same question for who makes a scan and who
//! checks it.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey};

use super::blooms::check_bloom;
use super::error::ScanFault;
use super::filter::ScanFilter;
use crate::ledger::evm::{Bloom, Header};
use crate::registry::Rule;

/// What shows the events of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Its header: the bloom binds and rules the filter out.
    Header,
    /// All its receipts, since the bloom allows the filter.
    Receipts,
    /// All its receipts, since the bloom does not bind: why, in words.
    ReceiptsOnly(&'static str),
}

/// Three bits of an address or topic.
type Bits = [u16; 3];

/// A filter whose items are hashed, so that a bloom is tested by its bits alone.
#[derive(Clone, Debug)]
pub struct Sieve {
    chain: ChainKey,
    /// Lists of which a bloom has to allow one item each.
    one_of: Vec<Vec<Bits>>,
}

impl Sieve {
    /// The sieve of a filter.
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

    /// Whether a block with that bloom may have an event that passes.
    #[must_use]
    pub fn allows(&self, bloom: &Bloom) -> bool {
        let has = |bits: &Bits| bits.iter().all(|bit| bloom.has_bit(*bit));
        self.one_of.iter().all(|list| list.iter().any(has))
    }

    /// What shows the events of the block of that header.
    ///
    /// # Errors
    /// [`ScanFault::Settles`] where bloom and receipts of the header are those of other blocks.
    pub fn need(&self, rule: Rule, header: &Header) -> Result<Need, ScanFault> {
        if header.settles_other_blocks() {
            return Err(ScanFault::Settles);
        }
        match check_bloom(self.chain, BlockNumber(header.number), rule) {
            Err(why) => Ok(Need::ReceiptsOnly(why)),
            Ok(()) if self.allows(&header.logs_bloom) => Ok(Need::Receipts),
            Ok(()) => Ok(Need::Header),
        }
    }
}

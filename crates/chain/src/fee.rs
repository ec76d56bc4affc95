//! Fee rates that a block shows, in the ledger's own unit.

use superroot_proof::ledger::Body;
use superroot_proof::registry::HashRule;
use superroot_types::BlockNumber;

#[derive(Clone, Debug, PartialEq)]
pub struct FeeRates {
    /// Paid rates: one per transaction; on Bitcoin one, the lower bound of the block mean.
    pub paid: Vec<f64>,
    /// Bitcoin only: upper bound of the block mean.
    pub at_most: Option<f64>,
}

/// Stored block whose fees are read.
#[derive(Clone, Copy, Debug)]
pub struct FeeBlock<'a> {
    /// Rule in force at the number.
    pub rule: Option<HashRule>,
    pub number: BlockNumber,
    pub header: &'a [u8],
    /// Body, if every transaction is stored.
    pub body: Option<&'a Body>,
}

/// Reads the fee rates of a block; the error is the reason for missing rates, in words.
pub type FeeReader = fn(&FeeBlock<'_>) -> Result<FeeRates, &'static str>;

pub(crate) const NOT_STORED: &str = "not every transaction of its newest blocks is held";

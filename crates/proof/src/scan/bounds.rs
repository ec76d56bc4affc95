//! How large a scan may be.

/// Blocks of one scan, at most: as many as a twig has.
pub const SCAN_BLOCKS_MAX: u64 = 2_048;
/// Largest binary form. Headers of a page take about a megabyte; the rest is for receipts.
pub const SCAN_BYTES_MAX: usize = 16 << 20;
/// Addresses of a filter, at most.
pub const ADDRESSES_MAX: usize = 100;
/// Topics of a filter at one position, at most.
pub const TOPICS_MAX: usize = 100;
/// Topics of a filter that an event has at any position, at most: no log has more.
pub const ANYWHERE_MAX: usize = crate::ledger::evm::TOPICS_MAX;
/// Fewest bytes of a receipt: its bloom alone has as many. So what is decoded takes little more room
/// than the bytes.
pub const RECEIPT_BYTES_MIN: usize = 256;

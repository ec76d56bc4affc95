/// Most blocks in a scan: a twig.
pub const SCAN_BLOCKS_MAX: u64 = 2_048;
/// Largest binary form in bytes. Headers in a page take about a megabyte; the rest is for receipts.
pub const SCAN_BYTES_MAX: usize = 16 << 20;
/// Most addresses in a filter.
pub const ADDRESSES_MAX: usize = 100;
/// Most topics in a filter at a position.
pub const TOPICS_MAX: usize = 100;
/// Most topics in a filter at any position: no log has more.
pub const ANYWHERE_MAX: usize = crate::ledger::evm::TOPICS_MAX;
/// Fewest bytes in a receipt: its bloom alone has as many. So decoding takes little more memory than the bytes.
pub const RECEIPT_BYTES_MIN: usize = 256;

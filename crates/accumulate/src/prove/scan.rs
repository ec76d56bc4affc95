//! Proofs of all events in a block range that pass a filter, or of their absence.

use superroot_proof::ledger::{Body, Header, NotProvable};
use superroot_proof::registry::{HashRule, Profile};
use superroot_proof::scan::{
    BlockReceipts, EventNeed, SCAN_BLOCKS_MAX, SCAN_BYTES_MAX, Scan, ScanStatement, Sieve,
};
use superroot_store::layout::BlockRow;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Family, SuperRootRef};

use super::error::ProveError;
use super::prover::Prover;

/// Bytes reserved for the statement and the last block's proof, note included.
const REST_BYTES: usize = 256 << 10;

const NO_RECEIPTS: NotProvable = NotProvable {
    why: "headers of this ledger commit to no receipts with logs, so no proof shows that these are all",
    nearest: "the proof of each event",
};
const SETTLES: NotProvable = NotProvable {
    why: "since Helicon a header names the receipts of the blocks it settles, not its own",
    nearest: "the proof of a block",
};

impl Prover {
    /// First page of a scan: as many blocks of the range as fit into `bytes_max`, at least one and at most 2,048. The
    /// returned statement has the actual range.
    ///
    /// # Errors
    /// [`ProveError`] with the reason, for example missing receipts of a block that needs them.
    pub fn prove_scan(
        &self,
        statement: ScanStatement,
        at: SuperRootRef,
        bytes_max: usize,
    ) -> Result<Scan, ProveError> {
        let ScanStatement { chain, from, .. } = statement;
        let last = self.check_scan(&statement, at)?;
        let bytes_max = bytes_max.min(SCAN_BYTES_MAX).saturating_sub(REST_BYTES);
        let mut page = ScanPage::new(self.profile(chain, at)?, &statement);
        let end = BlockNumber(last.0.saturating_add(1));
        let limit = usize::try_from(SCAN_BLOCKS_MAX).unwrap_or(usize::MAX);
        let blocks = read::load_blocks(self.store(), chain, from..end, limit)?;
        let mut blocks = blocks.into_iter();
        for number in (from.0..=last.0).map(BlockNumber) {
            let row = match blocks.next() {
                Some((found, row)) if found == number => row,
                // a recorded log may lack it: whoever asks hears what `block` says of it
                _ => self.block(chain, number)?,
            };
            let receipts = self.receipts_due(&page, number, &row)?;
            if !page.takes(number, row, receipts, bytes_max) {
                break;
            }
        }
        let ScanPage { headers, receipts, last, .. } = page;
        let to = last.ok_or(ProveError::ScanTooLarge { chain, number: from })?;
        let statement = ScanStatement { to, ..statement };
        Ok(Scan { last: self.prove_block(chain, to, Some(at))?, statement, headers, receipts })
    }

    /// Last possible block of a page: both ends are in the SuperRoot, and so is everything between.
    ///
    /// # Errors
    /// [`ProveError`] with the reason why there is no page, as far as known without reading the blocks between.
    pub fn check_scan(
        &self,
        statement: &ScanStatement,
        at: SuperRootRef,
    ) -> Result<BlockNumber, ProveError> {
        let ScanStatement { chain, from, to, .. } = *statement;
        if chain.family != Family::Evm {
            return Err(ProveError::NotProvable { chain, cause: NO_RECEIPTS });
        }
        let last = BlockNumber(from.0.saturating_add(SCAN_BLOCKS_MAX - 1)).min(to);
        self.placed(chain, from, Some(at))?;
        self.placed(chain, last, Some(at))?;
        Ok(last)
    }

    fn profile(&self, chain: ChainKey, at: SuperRootRef) -> Result<Profile, ProveError> {
        let top = self.top(&*self.published(at)?)?;
        let what = || ProveError::Corrupt { what: format!("chain {chain} has no registry row") };
        top.registry.find(chain).map(|(_, profile)| profile.clone()).ok_or_else(what)
    }

    /// A block's receipts, if its header alone is not enough.
    fn receipts_due(
        &self,
        page: &ScanPage,
        number: BlockNumber,
        row: &BlockRow,
    ) -> Result<Option<BlockReceipts>, ProveError> {
        let chain = page.chain;
        let corrupt = || ProveError::Corrupt {
            what: format!("the header of block {number} of chain {chain} cannot be read"),
        };
        let rule =
            page.profile.code_at(number.0).and_then(HashRule::from_code).ok_or_else(corrupt)?;
        let Ok(Header::Evm(header)) = Header::decode(rule, &row.header) else {
            return Err(corrupt());
        };
        let why = match page.sieve.need(rule, &header) {
            Err(_) => return Err(ProveError::NotProvable { chain, cause: SETTLES }),
            Ok(EventNeed::Header) => return Ok(None),
            Ok(EventNeed::Receipts) => "its bloom does not rule the events out",
            Ok(EventNeed::ReceiptsOnly(why)) => why,
        };
        let body = self.body(chain, number, row)?;
        let leaves = match body.as_deref().map(|held| &held.body) {
            Some(Body::Evm(tries)) => tries.receipt_leaves(),
            _ => None,
        };
        let not_held = || ProveError::NotIndexed {
            chain,
            scanned: Some((number, number)),
            extent: Some(row.extent),
            why: format!(
                "all receipts of block {number} are needed, since {why}, and not all are held"
            ),
        };
        let leaves = leaves.ok_or_else(not_held)?.into_iter().map(<[u8]>::to_vec).collect();
        Ok(Some(BlockReceipts { number, leaves }))
    }
}

/// Page so far.
struct ScanPage {
    chain: ChainKey,
    profile: Profile,
    sieve: Sieve,
    /// Headers of all blocks except the last.
    headers: Vec<Vec<u8>>,
    receipts: Vec<BlockReceipts>,
    last: Option<BlockNumber>,
    last_header: Vec<u8>,
    bytes: usize,
}

impl ScanPage {
    fn new(profile: Profile, statement: &ScanStatement) -> Self {
        Self {
            chain: statement.chain,
            profile,
            sieve: Sieve::new(statement.chain, &statement.filter),
            headers: Vec::new(),
            receipts: Vec::new(),
            last: None,
            last_header: Vec::new(),
            bytes: 0,
        }
    }

    /// Adds a block, unless the page is full. The first block may exceed the page size, but not the scan limit.
    fn takes(
        &mut self,
        number: BlockNumber,
        row: BlockRow,
        receipts: Option<BlockReceipts>,
        bytes_max: usize,
    ) -> bool {
        let leaves = receipts.iter().flat_map(|block| &block.leaves);
        let bytes: usize = leaves.map(|leaf| leaf.len() + 4).sum();
        let bytes = self.bytes.saturating_add(bytes).saturating_add(row.header.len() + 16);
        let max = if self.last.is_none() { SCAN_BYTES_MAX - REST_BYTES } else { bytes_max };
        if bytes > max {
            return false;
        }
        if self.last.replace(number).is_some() {
            self.headers.push(std::mem::take(&mut self.last_header));
        }
        self.last_header = row.header;
        self.receipts.extend(receipts);
        self.bytes = bytes;
        true
    }
}

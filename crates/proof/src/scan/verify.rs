use alloc::boxed::Box;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Family, Hash};

use super::blooms::outside_receipts;
use super::error::{ScanError, ScanFault};
use super::sieve::{EventNeed, Sieve};
use super::{BlockReceipts, Scan, ScanFilter, ScanStatement};
use crate::bundle::{
    self, Facts, Policy, ProofError, ProofFault, ProofStep, ProofSubject, Statement, Verified,
};
use crate::hash::keccak256;
use crate::ledger::Header;
use crate::ledger::evm::{self, Log, Receipt};
use crate::mpt::OrderedTrie;
use crate::registry::{HashRule, Profile};

/// Event passing the filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanEvent {
    /// Block number.
    pub number: BlockNumber,
    /// Block hash.
    pub block_hash: Hash,
    /// Block producer's Unix seconds.
    pub timestamp: u64,
    /// Transaction position in the block.
    pub tx_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
    /// Event log.
    pub log: Log,
}

/// Everything a scan has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanFacts {
    /// Proven claim: the events below are all passing events in the range.
    pub statement: ScanStatement,
    /// Facts from the last block's proof; all blocks lead to its SuperRoot.
    pub last: Facts,
    /// Number of blocks excluded by their bloom.
    pub by_bloom: u64,
    /// Number of blocks with all receipts read.
    pub by_receipts: u64,
    /// All passing events in order; empty: none in the range.
    pub events: Vec<ScanEvent>,
    /// Why blooms in the range do not bind, if so: all receipts were read.
    pub blooms_not_binding: Option<&'static str>,
    /// Node-listed logs in no receipt on the chain: nothing is shown about them.
    pub outside_receipts: Option<&'static str>,
}

/// Checks a scan: linked blocks up to a SuperRoot, and their passing events. [`verify_anchored`], or
/// [`Facts::check_signed`] on [`ScanFacts::last`], checks trust in the SuperRoot.
///
/// # Errors
/// [`ScanError`] with the first unproven block and its reason.
pub fn verify(scan: &Scan, policy: &Policy<'_>) -> Result<Verified<ScanFacts>, ScanError> {
    check_statement(scan).map_err(ScanError::Statement)?;
    let last = bundle::verify(&scan.last, policy).map_err(ScanError::Last)?.into_inner();
    if last.super_root.is_none() {
        return Err(ScanError::Last(ProofError::new(ProofStep::Anchor, ProofFault::NoSuperRoot)));
    }
    check_blocks(scan, policy, last)
}

/// Checks a scan and its SuperRoot hash against a trusted hash.
///
/// # Errors
/// As [`verify`]; [`ProofStep::Anchor`] for another SuperRoot.
pub fn verify_anchored(
    scan: &Scan,
    policy: &Policy<'_>,
    trusted: &Hash,
) -> Result<Verified<ScanFacts>, ScanError> {
    check_statement(scan).map_err(ScanError::Statement)?;
    let last = bundle::verify_anchored(&scan.last, policy, trusted).map_err(ScanError::Last)?;
    check_blocks(scan, policy, last.into_inner())
}

fn check_blocks(
    scan: &Scan,
    policy: &Policy<'_>,
    last: Facts,
) -> Result<Verified<ScanFacts>, ScanError> {
    let statement = &scan.statement;
    let opened = scan.last.super_root().map(|proof| Profile::decode(&proof.registry.profile));
    let opened = opened.and_then(Result::ok);
    let rules = bundle::Chain { chain: statement.chain, policy, opened: opened.as_ref() };
    let mut walk = ScanWalk {
        filter: &statement.filter,
        sieve: Sieve::new(statement.chain, &statement.filter),
        receipts: &scan.receipts,
        by_bloom: 0,
        by_receipts: 0,
        blooms_not_binding: None,
        found: Vec::new(),
    };
    let at = |number| move |fault| ScanError::Block { number, fault };
    let to = statement.to;
    let mut next = match (&last.header, last.block_hash) {
        (Some(Header::Evm(header)), Some(hash)) => {
            let rule = rules.rule_at(to).map_err(ScanFault::Rule).map_err(at(to))?;
            ProvenBlock { rule, hash, header: header.clone() }
        }
        _ => return Err(at(to)(ScanFault::OtherLast)),
    };
    walk.take(&next).map_err(at(to))?;
    let numbers = (statement.from.0..to.0).rev().map(BlockNumber);
    for (bytes, number) in scan.headers.iter().rev().zip(numbers) {
        next = read_parent(&rules, number, bytes, &next.header).map_err(at(number))?;
        walk.take(&next).map_err(at(number))?;
    }
    // blocks were taken from the last to the first
    walk.found.reverse();
    Ok(Verified(ScanFacts {
        statement: statement.clone(),
        last,
        by_bloom: walk.by_bloom,
        by_receipts: walk.by_receipts,
        events: walk.found.into_iter().flatten().collect(),
        blooms_not_binding: walk.blooms_not_binding,
        outside_receipts: outside_receipts(statement.chain),
    }))
}

fn check_statement(scan: &Scan) -> Result<(), ScanFault> {
    let ScanStatement { chain, from, to, .. } = scan.statement;
    if chain.family != Family::Evm {
        return Err(ScanFault::NotEvm { chain });
    }
    let count = scan.statement.block_count().ok_or(ScanFault::Range { from, to })?;
    let got = scan.headers.len();
    let expected = count.saturating_sub(1);
    if u64::try_from(got).ok() != Some(expected) {
        return Err(ScanFault::HeaderCount { got, expected });
    }
    if scan.last.statement != (Statement { chain, number: to, subject: ProofSubject::Block }) {
        return Err(ScanFault::OtherLast);
    }
    let numbers = || scan.receipts.iter().map(|block| block.number);
    let is_rising = numbers().zip(numbers().skip(1)).all(|(one, next)| one < next);
    if !is_rising || numbers().any(|number| number < from || number > to) {
        return Err(ScanFault::ReceiptsOrder);
    }
    Ok(())
}

/// Block in the range with proven place.
struct ProvenBlock {
    rule: HashRule,
    hash: Hash,
    header: Box<evm::Header>,
}

/// Reads the block before `next`: the hash named by `next`, and the preceding number.
fn read_parent(
    rules: &bundle::Chain<'_>,
    number: BlockNumber,
    bytes: &[u8],
    next: &evm::Header,
) -> Result<ProvenBlock, ScanFault> {
    let hash = keccak256(bytes);
    let expected = next.parent_hash;
    if hash != expected {
        return Err(ScanFault::Parent { got: hash, expected });
    }
    let rule = rules.rule_at(number).map_err(ScanFault::Rule)?;
    let Header::Evm(header) = Header::decode(rule, bytes).map_err(ScanFault::Header)? else {
        return Err(ScanFault::NotEvm { chain: rules.chain });
    };
    if header.number != number.0 {
        return Err(ScanFault::Number { got: header.number });
    }
    Ok(ProvenBlock { rule, hash, header })
}

struct ScanWalk<'a> {
    filter: &'a ScanFilter,
    sieve: Sieve,
    /// Unused receipts, rising.
    receipts: &'a [BlockReceipts],
    by_bloom: u64,
    by_receipts: u64,
    blooms_not_binding: Option<&'static str>,
    /// Events for each block with any.
    found: Vec<Vec<ScanEvent>>,
}

impl ScanWalk<'_> {
    fn take(&mut self, block: &ProvenBlock) -> Result<(), ScanFault> {
        let header = &block.header;
        let block_hash = block.hash;
        let number = BlockNumber(header.number);
        let given = match self.receipts.split_last() {
            Some((block, before)) if block.number == number => {
                self.receipts = before;
                Some(block)
            }
            _ => None,
        };
        let why = match (self.sieve.need(block.rule, header)?, given) {
            (EventNeed::Header, None) => {
                self.by_bloom = self.by_bloom.saturating_add(1);
                return Ok(());
            }
            (EventNeed::Header, Some(_)) => return Err(ScanFault::ReceiptsUnneeded),
            (EventNeed::Receipts, _) => "its bloom does not rule the filter out",
            (EventNeed::ReceiptsOnly(why), _) => {
                self.blooms_not_binding = Some(why);
                why
            }
        };
        let given = given.ok_or(ScanFault::ReceiptsMissing { why })?;
        self.by_receipts = self.by_receipts.saturating_add(1);
        let got = OrderedTrie::build(&given.leaves).root();
        let expected = header.receipts_root;
        if got != expected {
            return Err(ScanFault::ReceiptsRoot { got, expected });
        }
        let mut events = Vec::new();
        for (tx_index, leaf) in (0_u32..).zip(&given.leaves) {
            let wrong = |cause| ScanFault::Receipt { tx_index, cause };
            let logs = Receipt::read_logs(leaf).map_err(wrong)?;
            let passing = (0_u32..).zip(logs).filter(|(_, log)| self.filter.passes(log));
            events.extend(passing.map(|(log_index, log)| ScanEvent {
                number,
                block_hash,
                timestamp: header.timestamp,
                tx_index,
                log_index,
                log,
            }));
        }
        if !events.is_empty() {
            self.found.push(events);
        }
        Ok(())
    }
}

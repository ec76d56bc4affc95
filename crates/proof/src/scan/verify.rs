//! The check of a scan.

use alloc::boxed::Box;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Family, Hash};

use super::blooms::outside_receipts;
use super::error::{ScanError, ScanFault};
use super::sieve::{Need, Sieve};
use super::{BlockReceipts, Scan, ScanFilter, ScanStatement};
use crate::bundle::{self, Facts, Fault, Policy, ProofError, Statement, Step, Subject, Verified};
use crate::hash::keccak256;
use crate::ledger::Header;
use crate::ledger::evm::{self, Log, Receipt};
use crate::mpt::OrderedTrie;
use crate::registry::{Profile, Rule};

/// An event that passes the filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanEvent {
    /// Its block.
    pub number: BlockNumber,
    /// Hash of its block.
    pub block_hash: Hash,
    /// Unix seconds, as the producer of its block says.
    pub timestamp: u64,
    /// Position of its transaction in the block.
    pub tx_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
    /// The event.
    pub log: Log,
}

/// Everything that a scan has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanFacts {
    /// The claim, now shown: the events below are all of the range that pass.
    pub statement: ScanStatement,
    /// What the proof of the last block has shown; it leads to a SuperRoot, and all blocks with it.
    pub last: Facts,
    /// Blocks that their header's bloom rules out.
    pub by_bloom: u64,
    /// Blocks of which all receipts were read.
    pub by_receipts: u64,
    /// All events that pass, in order; none: there is none in the range.
    pub events: Vec<ScanEvent>,
    /// Why blooms of blocks of the range do not bind, where that is so: all their receipts were read.
    pub blooms_not_binding: Option<&'static str>,
    /// Which logs that nodes list stand in no receipt of the chain: of those nothing is shown.
    pub outside_receipts: Option<&'static str>,
}

/// Checks a scan: that its blocks hang together and lead to a SuperRoot, and which events of theirs
/// pass its filter. Whether the SuperRoot is one to trust, [`verify_anchored`] compares, or
/// [`Facts::check_signed`] of [`ScanFacts::last`].
///
/// # Errors
/// [`ScanError`] with the first block that is not shown, and why.
pub fn verify(scan: &Scan, policy: &Policy<'_>) -> Result<Verified<ScanFacts>, ScanError> {
    check_statement(scan).map_err(ScanError::Statement)?;
    let last = bundle::verify(&scan.last, policy).map_err(ScanError::Last)?.into_inner();
    if last.super_root.is_none() {
        return Err(ScanError::Last(ProofError::new(Step::Anchor, Fault::NoSuperRoot)));
    }
    check_blocks(scan, policy, last)
}

/// Checks a scan, and that it leads to the SuperRoot hash that the client trusts.
///
/// # Errors
/// As [`verify`]; [`Step::Anchor`] where it leads to another SuperRoot.
pub fn verify_anchored(
    scan: &Scan,
    policy: &Policy<'_>,
    trusted: &Hash,
) -> Result<Verified<ScanFacts>, ScanError> {
    check_statement(scan).map_err(ScanError::Statement)?;
    let last = bundle::verify_anchored(&scan.last, policy, trusted).map_err(ScanError::Last)?;
    check_blocks(scan, policy, last.into_inner())
}

/// Every block of the range, from the last, which was shown, to the first.
fn check_blocks(
    scan: &Scan,
    policy: &Policy<'_>,
    last: Facts,
) -> Result<Verified<ScanFacts>, ScanError> {
    let statement = &scan.statement;
    let opened = scan.last.super_root().map(|proof| Profile::decode(&proof.registry.profile));
    let opened = opened.and_then(Result::ok);
    let rules = bundle::Chain { chain: statement.chain, policy, opened: opened.as_ref() };
    let mut walk = Walk {
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
            Block { rule, hash, header: header.clone() }
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

/// What can be seen without hashing.
fn check_statement(scan: &Scan) -> Result<(), ScanFault> {
    let ScanStatement { chain, from, to, .. } = scan.statement;
    if chain.family != Family::Evm {
        return Err(ScanFault::NotEvm { chain });
    }
    let count = scan.statement.block_count().ok_or(ScanFault::Range { from, to })?;
    let (got, expected) = (scan.headers.len(), count.saturating_sub(1));
    if u64::try_from(got).ok() != Some(expected) {
        return Err(ScanFault::HeaderCount { got, expected });
    }
    if scan.last.statement != (Statement { chain, number: to, subject: Subject::Block }) {
        return Err(ScanFault::OtherLast);
    }
    let numbers = || scan.receipts.iter().map(|block| block.number);
    let is_rising = numbers().zip(numbers().skip(1)).all(|(one, next)| one < next);
    if !is_rising || numbers().any(|number| number < from || number > to) {
        return Err(ScanFault::ReceiptsOrder);
    }
    Ok(())
}

/// A block of the range whose place is shown.
struct Block {
    rule: Rule,
    hash: Hash,
    header: Box<evm::Header>,
}

/// The block before `next`: it has the hash that `next` names, and the number before.
fn read_parent(
    rules: &bundle::Chain<'_>,
    number: BlockNumber,
    bytes: &[u8],
    next: &evm::Header,
) -> Result<Block, ScanFault> {
    let (hash, expected) = (keccak256(bytes), next.parent_hash);
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
    Ok(Block { rule, hash, header })
}

/// What was found so far, from the last block downwards.
struct Walk<'a> {
    filter: &'a ScanFilter,
    sieve: Sieve,
    /// Receipts that were not used yet, rising.
    receipts: &'a [BlockReceipts],
    by_bloom: u64,
    by_receipts: u64,
    blooms_not_binding: Option<&'static str>,
    /// Events of each block that has some.
    found: Vec<Vec<ScanEvent>>,
}

impl Walk<'_> {
    fn take(&mut self, block: &Block) -> Result<(), ScanFault> {
        let (header, block_hash) = (&block.header, block.hash);
        let number = BlockNumber(header.number);
        let given = match self.receipts.split_last() {
            Some((block, before)) if block.number == number => {
                self.receipts = before;
                Some(block)
            }
            _ => None,
        };
        let why = match (self.sieve.need(block.rule, header)?, given) {
            (Need::Header, None) => {
                self.by_bloom = self.by_bloom.saturating_add(1);
                return Ok(());
            }
            (Need::Header, Some(_)) => return Err(ScanFault::ReceiptsUnneeded),
            (Need::Receipts, _) => "its bloom does not rule the filter out",
            (Need::ReceiptsOnly(why), _) => {
                self.blooms_not_binding = Some(why);
                why
            }
        };
        let given = given.ok_or(ScanFault::ReceiptsMissing { why })?;
        self.by_receipts = self.by_receipts.saturating_add(1);
        let (got, expected) = (OrderedTrie::build(&given.leaves).root(), header.receipts_root);
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

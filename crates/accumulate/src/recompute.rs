use std::collections::BTreeMap;

use superroot_chain::FinalityEvidence;
use superroot_proof::ledger::{self, Extent, Header};
use superroot_proof::registry::{HashRule, LogRegistry, Profile};
use superroot_proof::superroot::{ChainReference, SuperRoot, SuperRootHistory, log_id};
use superroot_proof::twig::twig_leaf;
use superroot_store::layout::{BlockRow, BlockTip};
use superroot_store::{Store, read};
use superroot_types::{BlockNumber, ChainKey, Family, Hash, LeafCount, Sequence};

use crate::AccumulateError;
use crate::nodes::{GrowingRange, NodeRange};
use crate::open_twig::{OpenTwig, SealedTwigs, older_twigs};
use crate::recorded::{load_head, load_published, load_registry};
use crate::recover::check_origin;

/// Counts of recomputed and matching data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecomputedLog {
    pub super_roots: u64,
    /// Blocks checked: header hash, number, parent.
    pub blocks: u64,
    /// Transactions and receipts checked: position in the header's tries.
    pub entries: u64,
    pub sealed_twigs: u64,
}

/// Recomputes every SuperRoot in a store. Calls `progress` after each SuperRoot with its sequence and the last
/// sequence.
///
/// # Errors
/// [`AccumulateError::Corrupt`] naming the first difference from the published log.
pub fn recompute(
    store: &dyn Store,
    progress: &mut dyn FnMut(Sequence, Sequence),
) -> Result<RecomputedLog, AccumulateError> {
    let mut done = RecomputedLog::default();
    let origin = check_origin(store)?;
    let Some(last) = load_head(store)? else { return Ok(done) };
    let mut again = RecomputedRun {
        store,
        twigs: BTreeMap::new(),
        mini_mmrs: Family::ALL.map(|family| {
            (LeafCount::EMPTY, GrowingRange::from_nothing(NodeRange::MiniMmr(family)))
        }),
        history: GrowingRange::from_nothing(NodeRange::History),
        log_id: origin.and_then(|origin| log_id(&origin).ok()),
        before: None,
    };
    for sequence in (0..=last.0).map(Sequence) {
        again.super_root(sequence, &mut done)?;
        done.super_roots += 1;
        progress(sequence, last);
    }
    Ok(done)
}

struct RecomputedRun<'a> {
    store: &'a dyn Store,
    twigs: BTreeMap<ChainKey, (ChainReference, OpenTwig)>,
    mini_mmrs: [(LeafCount, GrowingRange<'a>); Family::COUNT],
    history: GrowingRange<'a>,
    log_id: Option<Hash>,
    before: Option<SuperRoot>,
}

impl RecomputedRun<'_> {
    fn super_root(
        &mut self,
        sequence: Sequence,
        done: &mut RecomputedLog,
    ) -> Result<(), AccumulateError> {
        let differs = |what: &str| differing(sequence, what);
        let published = load_published(self.store, sequence)?;
        let published = published.ok_or_else(|| differs("its record is gone, so it"))?;
        let registry = load_registry(self.store, &published)?;
        let mut sealed = Vec::new();
        for (row, reference) in &published.references {
            let chain = registry.row(*row).map(|row| row.chain);
            if chain != Some(reference.chain) {
                return Err(differs("the chain of a row"));
            }
            sealed.extend(self.chain(reference, &registry, done)?);
        }
        sealed.sort_unstable_by_key(|run| (run.chain, run.indexes.start));
        self.append_sealed(sequence, &sealed, done)?;
        for ((count, range), expected) in self.mini_mmrs.iter().zip(&published.mini_mmrs) {
            if *count != expected.leaf_count || range.root(*count)? != expected.range_root {
                return Err(differs("a Mini-MMR"));
            }
        }
        if let Some(before) = &self.before {
            self.history.append(before.sequence.history(), SuperRootHistory::leaf(before))?;
            if published.super_root.timestamp < before.timestamp {
                return Err(differs("its timestamp"));
            }
        }
        if Some(published.super_root.log_id) != self.log_id {
            return Err(differs("its log id"));
        }
        let leaf_count = sequence.history();
        let history = SuperRootHistory { leaf_count, log_root: self.history.root(leaf_count)? };
        if history != published.history {
            return Err(differs("its history"));
        }
        if published.tree().root() != published.super_root.tree_root {
            return Err(differs("its tree root"));
        }
        if read::load_sequence(self.store, &published.hash)? != Some(sequence) {
            return Err(differs("the way back from its hash"));
        }
        self.before = Some(published.super_root);
        Ok(())
    }

    /// Appends sealed twigs to the Mini-MMRs of their families.
    fn append_sealed(
        &mut self,
        sequence: Sequence,
        sealed: &[SealedTwigs],
        done: &mut RecomputedLog,
    ) -> Result<(), AccumulateError> {
        for (run, index) in sealed.iter().flat_map(|run| run.indexes().map(move |at| (run, at))) {
            let &SealedTwigs { chain, root, ref nodes, .. } = run;
            done.sealed_twigs += 1;
            if nodes.is_some() {
                let held = read::load_twig_nodes(self.store, chain, index)?;
                if held.is_some() && held != *nodes {
                    return Err(differing(sequence, "what is held of a twig's nodes"));
                }
            }
            let (count, range) = &mut self.mini_mmrs[usize::from(chain.family.byte())];
            *count = range.append(*count, twig_leaf(chain, index, &root))?;
        }
        Ok(())
    }

    /// Takes a chain's blocks up to its reference; returns the sealed twigs.
    fn chain(
        &mut self,
        reference: &ChainReference,
        registry: &LogRegistry,
        done: &mut RecomputedLog,
    ) -> Result<Vec<SealedTwigs>, AccumulateError> {
        let ChainReference { chain, start, number, block_hash, open_twig_root } = *reference;
        let rules = registry.find(chain).map(|(_, profile)| profile);
        let mut sealed = Vec::new();
        let mut twig = match self.twigs.remove(&chain) {
            Some((last, twig)) if last.number <= number && last.start >= start => {
                sealed = older_twigs(self.store, chain, start, last.start)?;
                self.blocks(chain, start.0, last.start.0, rules, done)?;
                if last.number == number {
                    let what = format!("chain {chain} did not advance, but its reference changed");
                    let same = ChainReference { start, ..last } == *reference;
                    self.twigs.insert(chain, (*reference, twig));
                    return if same { Ok(sealed) } else { Err(AccumulateError::corrupt(what)) };
                }
                twig
            }
            Some(_) => {
                let what = format!("the run of chain {chain} shrank at block {number}");
                return Err(AccumulateError::corrupt(what));
            }
            None => OpenTwig::load(self.store, chain, start, None)?,
        };
        self.blocks(chain, twig.next(), number.0 + 1, rules, done)?;
        sealed.extend(twig.take(self.store, BlockTip { number, hash: block_hash })?);
        if twig.root() != open_twig_root {
            let what = format!("the open twig of chain {chain} at block {number} differs");
            return Err(AccumulateError::corrupt(what));
        }
        self.twigs.insert(chain, (*reference, twig));
        Ok(sealed)
    }

    /// Checks the blocks from `from` to before `end`.
    fn blocks(
        &self,
        chain: ChainKey,
        mut from: u64,
        end: u64,
        rules: Option<&Profile>,
        done: &mut RecomputedLog,
    ) -> Result<(), AccumulateError> {
        while from < end {
            let numbers = BlockNumber(from)..BlockNumber(end);
            let blocks = read::load_blocks(self.store, chain, numbers, 512)?;
            let Some((last, _)) = blocks.last() else { break };
            from = last.0 + 1;
            for (number, block) in &blocks {
                let code = rules.and_then(|profile| profile.code_at(number.0));
                let rule = code.and_then(HashRule::from_code);
                done.entries += check_block(self.store, chain, *number, block, rule)?;
                done.blocks += 1;
            }
        }
        Ok(())
    }
}

fn differing(sequence: Sequence, what: &str) -> AccumulateError {
    AccumulateError::corrupt(format!("SuperRoot {sequence}: {what} comes out differently"))
}

/// Fault in a block's finality evidence. The blocks up to the agreed block share one evidence.
fn lacks_evidence(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    block: &BlockRow,
) -> Result<Option<&'static str>, AccumulateError> {
    let Some(agreed) = block.agreed.filter(|agreed| number <= *agreed) else {
        return Ok(Some("it is committed, but carries no evidence of finality"));
    };
    // the block agreed on is looked at when its turn comes; between them each is linked to the next
    let is_shared = agreed != number;
    Ok(match read::load_evidence(store, chain, agreed)? {
        None => Some("the evidence of its finality is gone"),
        Some(FinalityEvidence::NodeQuorum(quorum))
            if !is_shared && (quorum.number, quorum.hash) != (number, block.hash) =>
        {
            Some("the evidence of its finality is about another block")
        }
        Some(FinalityEvidence::NodeQuorum(_) | FinalityEvidence::OneSource(_)) => None,
    })
}

/// Checks a stored block against its own header; returns the number of checked entries.
fn check_block(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    block: &BlockRow,
    rule: Option<HashRule>,
) -> Result<u64, AccumulateError> {
    let wrong =
        |what: &str| AccumulateError::corrupt(format!("block {number} of chain {chain}: {what}"));
    let header = rule.and_then(|rule| Some((rule, Header::decode(rule, &block.header).ok()?)));
    let (rule, header) = header.ok_or_else(|| wrong("its header is malformed"))?;
    if ledger::block_hash(rule, &block.header) != Ok(block.hash) {
        return Err(wrong("its header has another hash"));
    }
    if header.number().is_some_and(|named| named != number.0)
        || header.parent_hash().is_some_and(|parent| parent != block.parent_hash)
    {
        return Err(wrong("its header has another number or parent"));
    }
    if let Some(why) = lacks_evidence(store, chain, number, block)? {
        return Err(wrong(why));
    }
    let below = number.0.checked_sub(1).map(BlockNumber);
    let below = below.map(|below| read::load_block(store, chain, below)).transpose()?.flatten();
    if below.is_some_and(|below| below.hash != block.parent_hash) {
        return Err(wrong("its parent is not the block before it"));
    }
    let held = block.extent;
    let count = block.tx_count.unwrap_or(0);
    match read::load_body(store, chain, number)? {
        None if held == Extent::default() => Ok(0),
        None => Err(wrong("its body is not that of its header")),
        Some(body) => {
            let checked = body.check(&header, held, count, |index| block.kept.holds(index));
            checked.map_err(|fault| wrong(&fault.to_string()))
        }
    }
}

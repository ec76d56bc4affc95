//! Solana JSON-RPC: Agave and gateways. All queries use finalized blocks.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use superroot_chain::ledger::solana::{RawEntry, RawSolanaBlock, SolanaParams};
use superroot_chain::{ChainSpec, FinalityRule, UntrustedBlock};
use superroot_types::{BlockNumber, Hash};

use super::slots::{HeightSearch, Hints, SlotPosition};
use super::{
    ABSENT, BLOCK, BLOCKS, BLOCKS_WITH_LIMIT, ENTRIES, GENESIS_HASH, SLOT, ShownEntry,
    SolanaBlockAnswer, SolanaVersion, VERSION, read_entries,
};
use crate::error::{CallFault, SourceError};
use crate::ledger::form::DialectSetup;
use crate::ledger::{NodeTip, words_of};
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::{Call, Outcome};
use crate::{BlockAt, BlockParts, ClaimedBlock};

/// Slots searched below the newest slot for the newest block, because a node may report a slot before the block is
/// available.
const SLOTS_BACK: u64 = 16;
/// Most slots listed per call from a known block, the limit on some gateways.
const LISTED_MAX: u64 = 500;
/// Most slots tried for a height.
const LOOKS_MAX: usize = 80;

#[derive(Clone, Debug)]
pub(crate) struct Solana {
    /// Genesis hash in base58.
    genesis: String,
    /// Whether entries are requested; only replay servers support the call.
    asks_entries: bool,
    hints: Arc<Hints>,
}

struct SolanaNodeBlock {
    place: SlotPosition,
    hash: Hash,
    shown: SolanaBlockAnswer,
}

impl Solana {
    /// Dialect for a chain with finality reported by nodes.
    pub(crate) fn new(
        row: &ChainSpec,
        params: &SolanaParams,
        setup: DialectSetup,
    ) -> Result<Self, SourceError> {
        if setup.finality != FinalityRule::Tag {
            let why = format!(
                "is {:?}, expected finalized: nodes of the {} family name their finalized block",
                words_of(setup.finality),
                row.family()
            );
            return Err(SourceError::setup("finality", why));
        }
        Ok(Self {
            genesis: params.genesis(),
            asks_entries: setup.replay_servers,
            hints: Arc::default(),
        })
    }

    /// Compares the genesis hash, because networks differ in the genesis. Returns the client name, if stated.
    pub(crate) async fn greet(&self, node: &Arc<LiveNode>) -> Result<String, SourceError> {
        let genesis: String = node.call(GENESIS_HASH, json!([])).await?;
        if genesis != self.genesis {
            let expected = format!("genesis {}", self.genesis);
            return Err(node.mismatch(GENESIS_HASH, "chain id", &genesis, expected));
        }
        match node.ask(Call::new(VERSION, json!([]))).await {
            // some gateways tell nobody what they run
            Err(CallFault::Refused { .. } | CallFault::Limited(_)) => Ok(String::new()),
            outcome => Ok(node.read::<SolanaVersion>(VERSION, outcome).await?.core),
        }
    }

    pub(crate) async fn tip(&self, node: &Arc<LiveNode>) -> Result<NodeTip, SourceError> {
        let SolanaNodeBlock { place, hash, .. } = self.newest(node).await?;
        let number = BlockNumber(place.height);
        Ok(NodeTip {
            head: ClaimedBlock { number, hash },
            safe: None,
            finalized: Some(number),
            finalized_hash: Some(hash),
            refused: None,
        })
    }

    pub(crate) async fn hash_at(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        Ok(self.locate(node, number.0).await?.map(|found| found.hash))
    }

    pub(crate) async fn block(
        &self,
        node: &Arc<LiveNode>,
        at: BlockAt,
        parts: BlockParts,
    ) -> Result<Option<UntrustedBlock>, SourceError> {
        let Some(found) = self.locate(node, at.number().0).await? else { return Ok(None) };
        if matches!(at, BlockAt::Id(id) if id.hash != found.hash) {
            return Ok(None);
        }
        let entries = match parts {
            BlockParts::Header => None,
            BlockParts::Whole => self.entries(node, found.place.slot).await?,
        };
        let SolanaNodeBlock { place, hash, shown } = found;
        Ok(Some(UntrustedBlock::Solana(Box::new(RawSolanaBlock {
            number: at.number(),
            slot: place.slot,
            parent_slot: shown.parent_slot,
            hash,
            parent_hash: shown.previous_blockhash,
            time: shown.block_time.unwrap_or(0),
            entries,
        }))))
    }

    /// Slot entries; `None` if the node has none, as on live nodes.
    async fn entries(
        &self,
        node: &Arc<LiveNode>,
        slot: u64,
    ) -> Result<Option<Vec<RawEntry>>, SourceError> {
        if !self.asks_entries || node.lacks(ENTRIES) {
            return Ok(None);
        }
        let outcome = node.ask(Call::large(ENTRIES, json!([slot]))).await;
        if matches!(outcome, Err(CallFault::Refused { code: -32601, .. })) {
            node.note_lack(ENTRIES);
            return Ok(None);
        }
        let found = outcome.map_err(|fault| fault.into_error(node.name(), ENTRIES))?;
        let read = |bytes: &[u8]| {
            let shown: Option<Vec<ShownEntry>> =
                serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
            shown.map(|shown| read_entries(&shown)).transpose()
        };
        node.read_with(ENTRIES, found, read).await
    }

    /// Newest block called final by the node.
    async fn newest(&self, node: &Arc<LiveNode>) -> Result<SolanaNodeBlock, SourceError> {
        let slot: u64 = node.call(SLOT, json!([finalized()])).await?;
        if let Some(found) = self.block_of(node, slot).await? {
            return Ok(found);
        }
        let first = slot.saturating_sub(SLOTS_BACK);
        let slots: Vec<u64> = node.call(BLOCKS, json!([first, slot, finalized()])).await?;
        for slot in slots.into_iter().rev().filter(|before| *before < slot).take(2) {
            if let Some(found) = self.block_of(node, slot).await? {
                return Ok(found);
            }
        }
        node.failed("it has no block at or shortly before its newest slot");
        Err(node.mismatch(BLOCK, "latest", "null", format!("a block of slots {first} to {slot}")))
    }

    /// Block at a height; `None` if the node has none.
    async fn locate(
        &self,
        node: &Arc<LiveNode>,
        height: u64,
    ) -> Result<Option<SolanaNodeBlock>, SourceError> {
        if let Some(found) = self.locate_near(node, height).await? {
            return Ok(Some(found));
        }
        let high = self.newest(node).await?;
        if high.place.height <= height {
            return Ok((high.place.height == height).then_some(high));
        }
        let mut search = HeightSearch::below(high.place, height);
        // a list that leaves blocks out, as of a recording with gaps, leads nowhere: then each slot is asked for
        let mut blocks_max = LISTED_MAX;
        for _ in 0..LOOKS_MAX {
            if let Some(low) = search.near(blocks_max) {
                let found = self.listed_from_below(node, low, height).await?;
                if found.is_some() || low.height == height {
                    return Ok(found);
                }
                blocks_max = 0;
            }
            let Some(guess) = search.guess() else { return Ok(None) };
            let next: Vec<u64> =
                node.call(BLOCKS_WITH_LIMIT, json!([guess, 1, finalized()])).await?;
            let found = match next.first() {
                Some(slot) if *slot < guess => {
                    let got = slot.to_string();
                    return Err(node.refute(BLOCKS_WITH_LIMIT, "slot", &got, format!("{guess}")));
                }
                Some(slot) => self.block_of(node, *slot).await?.map(|found| found.place),
                None => None,
            };
            if !search.learn(guess, found) {
                let got = format!("{found:?}");
                let expected = "heights that rise with their slots";
                return Err(node.refute(BLOCK, "blockHeight", &got, expected));
            }
        }
        Ok(None)
    }

    /// Block at a height, from a known slot nearby; `None` if no such block is reached: the hint may come from another
    /// node.
    async fn locate_near(
        &self,
        node: &Arc<LiveNode>,
        height: u64,
    ) -> Result<Option<SolanaNodeBlock>, SourceError> {
        let known = self.hints.at_or_below(height);
        let known = known.filter(|known| height.saturating_sub(known.height) <= LISTED_MAX);
        let Some(known) = known else { return Ok(None) };
        self.listed_from_below(node, known, height).await
    }

    /// Block at a height, by listing slots from a block at or below.
    async fn listed_from_below(
        &self,
        node: &Arc<LiveNode>,
        low: SlotPosition,
        height: u64,
    ) -> Result<Option<SolanaNodeBlock>, SourceError> {
        let slot = match low.height == height {
            true => Some(low.slot),
            false => self.listed(node, low, height).await?,
        };
        let Some(slot) = slot else { return Ok(None) };
        let found = self.block_of(node, slot).await?;
        Ok(found.filter(|found| found.place.height == height))
    }

    /// Slot at a number of blocks above a known block, from the node's list.
    async fn listed(
        &self,
        node: &Arc<LiveNode>,
        known: SlotPosition,
        height: u64,
    ) -> Result<Option<u64>, SourceError> {
        let count = height.saturating_sub(known.height);
        let first = known.slot.saturating_add(1);
        let params = json!([first, count, finalized()]);
        let slots: Vec<u64> = node.call(BLOCKS_WITH_LIMIT, params).await?;
        let rise = slots.iter().zip(slots.iter().skip(1)).all(|(one, next)| one < next);
        if !rise || slots.first().is_some_and(|slot| *slot < first) {
            let expected = format!("slots that rise from {first}");
            return Err(node.refute(BLOCKS_WITH_LIMIT, "slots", "others", expected));
        }
        let wanted = usize::try_from(count).ok().and_then(|count| count.checked_sub(1));
        Ok(wanted.and_then(|at| slots.get(at)).copied())
    }

    /// Block in a slot; `None` if the node has none.
    async fn block_of(
        &self,
        node: &Arc<LiveNode>,
        slot: u64,
    ) -> Result<Option<SolanaNodeBlock>, SourceError> {
        let config = json!({
            "commitment": "finalized",
            "encoding": "base64",
            "transactionDetails": "none", // no hash binds them, but in entries
            "rewards": false,
            "maxSupportedTransactionVersion": 1, // on the main network since slot 447,120,000
        });
        let outcome = node.ask(Call::new(BLOCK, json!([slot, config]))).await;
        let Some(shown) = read_there::<SolanaBlockAnswer>(node, BLOCK, outcome).await? else {
            return Ok(None);
        };
        let Some(height) = shown.block_height else {
            let expected = format!("the height of slot {slot}");
            node.failed("it does not know the height of a block that it has");
            return Err(node.mismatch(BLOCK, "blockHeight", "null", expected));
        };
        if height > slot {
            let got = height.to_string();
            let expected = format!("at most the slot, {slot}");
            return Err(node.refute(BLOCK, "blockHeight", &got, expected));
        }
        let place = SlotPosition { height, slot };
        self.hints.add(place);
        Ok(Some(SolanaNodeBlock { place, hash: shown.blockhash, shown }))
    }
}

fn finalized() -> Value {
    json!({ "commitment": "finalized" })
}

/// Reads a result; `None` if the node has no such block.
async fn read_there<T: DeserializeOwned + Send + 'static>(
    node: &Arc<LiveNode>,
    method: &'static str,
    outcome: Outcome,
) -> Result<Option<T>, SourceError> {
    if matches!(&outcome, Err(CallFault::Refused { code, .. }) if ABSENT.contains(code)) {
        return Ok(None);
    }
    node.read::<Option<T>>(method, outcome).await
}

//! Rollups over a simulated Ethereum: registries there, and the history contract here.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use superroot_chain::UntrustedBlock;
use superroot_chain::finality::{history_numbers, simulated_registry};
use superroot_proof::finality::anchor::{RegistryProof, anchor_game_slot, output_root};
use superroot_proof::hash::{keccak256, keccak256_joined};
use superroot_proof::ledger::evm::{
    self, HISTORY_BLOCKS, HISTORY_CONTRACT, HistoryProof, Layout, history_slot, word_of,
};
use superroot_types::{Address, BlockNumber, ChainId, Hash, UnixSeconds};

use super::super::history::BlockMaker;
use super::super::schedule::Schedule;
use super::contract::low_20;
use super::contracts::{ContractState, SimulatedContract};

/// Blocks between games.
const GAME_BLOCKS: u64 = 64;
/// Blocks behind the rollup's final block until a game is won: a week on real chains.
const DISPUTE_BLOCKS: u64 = 40;
/// Chains with ids below claim output roots, others super roots.
const SUPER_ROOT_FROM: u64 = 1_000;

/// Earlier blocks' hashes, by step.
pub(super) type KeptHashes = Arc<BTreeMap<u64, Hash>>;

/// A rollup's state after a block: earlier hashes.
pub(super) fn history_state(number: u64, kept: &BTreeMap<u64, Hash>) -> ContractState {
    let numbers = history_numbers(BlockNumber(number));
    let word = |at: &BlockNumber| Some((history_slot(HISTORY_BLOCKS, *at)?, *kept.get(&at.0)?));
    let storage = numbers.iter().filter_map(word).collect();
    let contract = SimulatedContract { code: b"EIP-2935".to_vec(), storage };
    ContractState(BTreeMap::from([(HISTORY_CONTRACT, contract)]))
}

/// A rollup, seen from Ethereum.
#[derive(Clone)]
pub(in super::super) struct RollupView {
    pub(in super::super) id: ChainId,
    pub(in super::super) schedule: Schedule,
    pub(in super::super) history: Arc<Mutex<dyn BlockMaker>>,
}

impl std::fmt::Debug for RollupView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RollupView").field("id", &self.id).finish_non_exhaustive()
    }
}

impl RollupView {
    /// Newest block with a won game at a time.
    fn anchored(&self, at: UnixSeconds) -> Option<u64> {
        let last = self.schedule.finalized(self.schedule.head(at)).checked_sub(DISPUTE_BLOCKS)?;
        Some(last - last % GAME_BLOCKS)
    }

    /// Adds registry and game to Ethereum's state at a time.
    fn add(&self, at: UnixSeconds, state: &mut BTreeMap<Address, SimulatedContract>) {
        let Some(number) = self.anchored(at) else { return };
        let block = {
            // a block is kept only when it is whole, so a panic of another thread leaves no harm
            let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
            history.block(number, u64::MAX)
        };
        let UntrustedBlock::Evm(block) = &*block else { return };
        let header = superroot_chain::ledger::evm::encode::header(&block.block, Layout::Ethereum);
        let Ok(header) = header else { return };
        let Ok(read) = evm::Header::decode(Layout::Ethereum, &header) else { return };
        let Some(root) = output_root(&read, &keccak256(&header)) else { return };
        let code = game(self.id, number, read.timestamp, &root);
        let address = low_20(&keccak256(&code));
        let mut word = [0; 32];
        if let Some(low) = word.last_chunk_mut() {
            *low = address.0;
        }
        let storage = BTreeMap::from([(anchor_game_slot(), Hash(word))]);
        state.insert(address, SimulatedContract { code, storage: BTreeMap::new() });
        let code = b"registry".to_vec();
        state.insert(simulated_registry(self.id), SimulatedContract { code, storage });
    }
}

/// Ethereum's state at a time.
pub(super) fn ethereum_state(rollups: &[RollupView], at: UnixSeconds) -> ContractState {
    let mut state = BTreeMap::new();
    rollups.iter().for_each(|rollup| rollup.add(at, &mut state));
    ContractState(state)
}

/// A rollup's registry and game, proven in Ethereum's state at a time; `None` without a game.
pub(in super::super) fn contract_proof(
    rollups: &[RollupView],
    id: ChainId,
    at: UnixSeconds,
) -> Option<RegistryProof> {
    let state = ethereum_state(rollups, at);
    let registry = simulated_registry(id);
    let slot = anchor_game_slot();
    let game = state.0.get(&registry)?.storage.get(&slot)?.0.last_chunk().copied().map(Address)?;
    Some(RegistryProof {
        registry: state.account(&registry),
        word: state.word(&registry, &slot),
        game: state.account(&game),
        code: state.0.get(&game)?.code.clone(),
    })
}

/// Earlier blocks' hashes, proven in the state after a block.
pub(in super::super) fn history_proof(at: BlockNumber, kept: &BTreeMap<u64, Hash>) -> HistoryProof {
    let state = history_state(at.0, kept);
    let word = |number: BlockNumber| {
        let slot = history_slot(HISTORY_BLOCKS, number)?;
        Some((number, state.word(&HISTORY_CONTRACT, &slot)))
    };
    let words = history_numbers(at).into_iter().filter_map(word).collect();
    HistoryProof { account: state.account(&HISTORY_CONTRACT), words }
}

/// A game's code: a proxy, then creator, claim, Ethereum's head, and the claimed content.
fn game(id: ChainId, number: u64, time: u64, output_root: &Hash) -> Vec<u8> {
    let mut code = vec![0x36; 98];
    code.extend_from_slice(&[0x51; 20]);
    let preimage = [&[1][..], &time.to_be_bytes(), &word_of(id.0).0, &output_root.0].concat();
    let is_super = id.0 < SUPER_ROOT_FROM;
    let claim = if is_super { keccak256_joined(&[&preimage]) } else { *output_root };
    code.extend_from_slice(&claim.0);
    code.extend_from_slice(&[0; 32]);
    if is_super {
        code.extend_from_slice(&9_u32.to_be_bytes());
        code.extend_from_slice(&preimage);
        code.extend_from_slice(&[0; 124]);
    } else {
        code.extend_from_slice(&word_of(number).0);
    }
    code
}

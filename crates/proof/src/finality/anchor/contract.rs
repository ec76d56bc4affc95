//! Contracts' proofs.

use alloc::vec::Vec;

use superroot_types::{Address, BlockNumber, ChainId, Hash, UnixSeconds};

use super::params::AnchorForm;
use crate::codec::{ByteReader, put_long};
use crate::finality::Refusal;
use crate::hash::{keccak256, keccak256_joined};
use crate::ledger::evm::{self, StateNodes, word_of};

/// Slot for `anchorGame` in registries since version 3.
const ANCHOR_GAME_SLOT: u64 = 2;
/// The outbox's mapping `roots`.
const ROOTS_SLOT: u64 = 3;
/// Root claim in a game's code.
const CLAIM_AT: usize = 0x76;
/// Place of the block number in games without a type in their code.
const NUMBER_AT: usize = 0xb6;
/// Place of a super root's preimage, or of the block number, behind creator, claim, head of Ethereum and type.
const SUPER_ROOT_AT: usize = 0xba;
/// Version and time of a super root.
const SUPER_ROOT_HEAD: usize = 9;
const SUPER_ROOT_VERSION: u8 = 1;
/// Chain id and output root.
const SUPER_ROOT_CHAIN: usize = 64;
/// Longest game code: words behind a proxy.
const GAME_BYTES_MAX: usize = 4 << 10;

/// A registry's game slot.
#[must_use]
pub fn anchor_game_slot() -> Hash {
    word_of(ANCHOR_GAME_SLOT)
}

/// A send root's slot in an outbox.
#[must_use]
pub fn send_root_slot(send_root: &Hash) -> Hash {
    keccak256_joined(&[&send_root.0, &word_of(ROOTS_SLOT).0])
}

/// Proof of a contract's block under a state root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContractProof {
    /// The registry's game.
    Registry(RegistryProof),
    /// The outbox's hash.
    Outbox(OutboxProof),
}

impl ContractProof {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Registry(RegistryProof { registry, word, game, code }) => {
                [registry, word, game].into_iter().for_each(|nodes| nodes.write(out));
                put_long(out, code);
            }
            Self::Outbox(OutboxProof { outbox, word }) => {
                [outbox, word].into_iter().for_each(|nodes| nodes.write(out));
            }
        }
    }

    pub(super) fn read(kind: AnchorForm, reader: &mut ByteReader<'_>) -> Option<Self> {
        Some(match kind {
            AnchorForm::Registry => Self::Registry(RegistryProof {
                registry: StateNodes::read(reader)?,
                word: StateNodes::read(reader)?,
                game: StateNodes::read(reader)?,
                code: reader.long().filter(|code| code.len() <= GAME_BYTES_MAX)?.to_vec(),
            }),
            AnchorForm::Outbox => Self::Outbox(OutboxProof {
                outbox: StateNodes::read(reader)?,
                word: StateNodes::read(reader)?,
            }),
        })
    }

    /// Compares a chain's block with the contract at an address.
    pub(super) fn check(
        &self,
        state_root: &Hash,
        contract: &Address,
        chain: ChainId,
        (header, hash): (&evm::Header, Hash),
    ) -> Result<(), Refusal> {
        match self {
            Self::Registry(proof) => {
                proof.check_game(state_root, contract)?;
                let own = output_root(header, &hash).ok_or(not_proven(OUTPUT_ROOT))?;
                let is_claimed = holds_root(&proof.code, chain, &own);
                is_claimed.then_some(()).ok_or(not_proven(OUTPUT_ROOT))
            }
            Self::Outbox(proof) => {
                let got = proof.block(state_root, contract, header)?;
                (got == hash).then_some(()).ok_or(Refusal::Block { got, expected: hash })
            }
        }
    }
}

/// Part without proof where a registry's game claims another block.
pub const OUTPUT_ROOT: &str = "output root";

const fn not_proven(part: &'static str) -> Refusal {
    Refusal::Branch { part }
}

/// A registry's game: `registry ‖ word ‖ game ‖ length:u32 ‖ code`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryProof {
    /// Nodes down to the registry.
    pub registry: StateNodes,
    /// Nodes down to the game slot.
    pub word: StateNodes,
    /// Nodes down to the game.
    pub game: StateNodes,
    /// The game's code, with the claim.
    pub code: Vec<u8>,
}

impl RegistryProof {
    /// Checks the code of the registry's game.
    fn check_game(&self, state_root: &Hash, registry: &Address) -> Result<(), Refusal> {
        let account = self.registry.account(state_root, registry);
        let account = account.ok_or(not_proven("registry"))?;
        let word = self.word.word(&account.storage_root, &anchor_game_slot());
        let word = word.ok_or(not_proven("game in the registry"))?;
        let (high, game) = word.0.split_first_chunk::<12>().ok_or(not_proven("game"))?;
        let game = <[u8; 20]>::try_from(game).map_err(|_| not_proven("game"))?;
        if *high != [0; 12] {
            return Err(Refusal::Order { what: "the registry's slot holds more than an address" });
        }
        let account = self.game.account(state_root, &Address(game)).ok_or(not_proven("game"))?;
        let is_its = account.code_hash == keccak256(&self.code);
        is_its.then_some(()).ok_or(not_proven("code of the game"))
    }
}

fn hash_at(bytes: &[u8], at: usize) -> Option<Hash> {
    bytes.get(at..)?.first_chunk().copied().map(Hash)
}

/// Whether a game claims a chain's output root: as the claim itself, or in the preimage of a claimed super root.
#[must_use]
pub fn holds_root(code: &[u8], chain: ChainId, output_root: &Hash) -> bool {
    hash_at(code, CLAIM_AT).is_some_and(|claim| {
        claim == *output_root
            || super_root_chains(code, &claim).any(|at| at == (word_of(chain.0), *output_root))
    })
}

/// A claimed super root's chains and output roots: `01 ‖ time:u64 ‖ (chain:32 ‖ output root:32)*`, of unstated length.
fn super_root_chains<'a>(code: &'a [u8], claim: &Hash) -> impl Iterator<Item = (Hash, Hash)> + 'a {
    let preimage =
        code.get(SUPER_ROOT_AT..).filter(|rest| rest.first() == Some(&SUPER_ROOT_VERSION));
    let preimage = preimage.unwrap_or_default();
    let longest = preimage.len().saturating_sub(SUPER_ROOT_HEAD) / SUPER_ROOT_CHAIN;
    let is_claimed = |count: &usize| {
        let length = count.saturating_mul(SUPER_ROOT_CHAIN).saturating_add(SUPER_ROOT_HEAD);
        preimage.get(..length).is_some_and(|preimage| keccak256(preimage) == *claim)
    };
    let count = (1..=longest).find(is_claimed).unwrap_or(0);
    let chains = preimage.get(SUPER_ROOT_HEAD..).unwrap_or_default().chunks_exact(SUPER_ROOT_CHAIN);
    chains.take(count).filter_map(|chain| Some((hash_at(chain, 0)?, hash_at(chain, 32)?)))
}

/// A game's block, unchecked: by number, or the last up to a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameBlock {
    /// Number of the block.
    Number(BlockNumber),
    /// Time of a super root.
    Time(UnixSeconds),
}

/// A game's possible blocks, by the layouts in use.
#[must_use]
pub fn game_blocks(code: &[u8]) -> Vec<GameBlock> {
    let number_at = |at: usize| {
        let word = hash_at(code, at)?;
        let number = word.0.last_chunk().copied().map(u64::from_be_bytes)?;
        (word == word_of(number)).then_some(GameBlock::Number(BlockNumber(number)))
    };
    let time =
        code.get(SUPER_ROOT_AT..).and_then(<[u8]>::split_first).and_then(|(version, rest)| {
            let time = rest.first_chunk().copied().map(u64::from_be_bytes)?;
            (*version == SUPER_ROOT_VERSION).then_some(GameBlock::Time(UnixSeconds(time)))
        });
    [number_at(NUMBER_AT), number_at(SUPER_ROOT_AT), time].into_iter().flatten().collect()
}

/// Output root, version 0, of a header since Isthmus: the withdrawals root is the message passer's.
#[must_use]
pub fn output_root(header: &evm::Header, hash: &Hash) -> Option<Hash> {
    let withdrawals = header.withdrawals_root?;
    Some(keccak256_joined(&[&[0; 32], &header.state_root.0, &withdrawals.0, &hash.0]))
}

/// An outbox's block: `outbox ‖ word`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxProof {
    /// Nodes down to the outbox.
    pub outbox: StateNodes,
    /// Nodes down to the send root's slot.
    pub word: StateNodes,
}

impl OutboxProof {
    /// Hash under the header's send root.
    fn block(
        &self,
        state_root: &Hash,
        outbox: &Address,
        header: &evm::Header,
    ) -> Result<Hash, Refusal> {
        let send_root = <[u8; 32]>::try_from(header.extra_data.as_slice());
        let send_root = send_root.map_err(|_| Refusal::Encoding { part: "send root" })?;
        let account = self.outbox.account(state_root, outbox).ok_or(not_proven("outbox"))?;
        let word = self.word.word(&account.storage_root, &send_root_slot(&Hash(send_root)));
        word.ok_or(not_proven("send root"))
    }
}

//! Finality params and built-in sets by row.

use std::borrow::Cow;

use superroot_proof::finality::anchor::{AnchorContract, AnchorForm, AnchorParams};
use superroot_proof::finality::beacon::BeaconParams;
use superroot_proof::finality::certificate::{CertificateParams, CertificateSet};
use superroot_proof::finality::checkpoint::CheckpointParams;
use superroot_proof::finality::commit::CommitParams;
use superroot_proof::finality::vote::VoteParams;
use superroot_proof::finality::work::WorkParams;
use superroot_proof::finality::{FinalityParams, FinalitySet};
use superroot_proof::ledger::evm::{HISTORY_BLOCKS, Layout};
use superroot_proof::registry::HashRule;
use superroot_types::{Address, BlockNumber, ChainId, ChainKey, Family, Network};

use crate::ledger::Ledger;
use crate::ledger::bitcoin::Retarget;
use crate::registry::{ChainRegistry, ChainSpec};

const ETHEREUM: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

/// Slots of the history contract since ArbOS 40 (OffchainLabs/sys-asm, `execution_hash`), by the rollup's numbers.
const ARBITRUM_HISTORY_BLOCKS: u64 = 393_168;

/// Trusting period for Sui committees from the epoch begin, in seconds: a policy, because stake may leave after an epoch.
const SUI_TRUSTED_SECONDS: u64 = 14 * 86_400;

/// Main network. Others have producers of their own, and days that begin elsewhere.
const TRON: &str = "tron:0x2b6653dc";

const COSMOS_NAMESPACE: &str = "cosmos:";
/// Chain id of Cosmos Hub. Other chains have unbonding times of their own.
const HUB_CHAIN_ID: &str = "cosmoshub-4";
/// Trusting period for validators of Cosmos Hub, in seconds: two thirds of the 21 days for unbonding.
const HUB_TRUSTED_SECONDS: u64 = 14 * 86_400;

/// Easiest target that counts, a difficulty of 1.76e13: never easier since the autumn of 2021, and a tenth of that of 2026.
const FLOOR_BITS: u32 = 0x170f_ffff;

/// Constants for evidence on this chain; `None` without a known evidence kind.
#[must_use]
pub fn finality_params(row: &ChainSpec, network: Network) -> Option<FinalityParams> {
    anchor_params(row, network).or_else(|| params_of(&row_on(row, network), network))
}

/// Signing chain's row: Ethereum for rollups with contracts there, else the row itself.
#[must_use]
pub fn signing_row(row: &ChainSpec) -> &ChainSpec {
    let is_anchored = anchor_params(row, Network::Live).is_some();
    let ethereum = ChainRegistry::builtin().by_key(ETHEREUM);
    ethereum.filter(|_| is_anchored).map_or(row, |(_, ethereum)| ethereum)
}

/// Simulated registry of the chain with this id.
#[must_use]
pub fn simulated_registry(id: ChainId) -> Address {
    let mut address = [0x51; 20];
    if let Some(last) = address.last_chunk_mut() {
        *last = id.0.to_be_bytes();
    }
    Address(address)
}

/// Constants of a rollup with contracts on Ethereum.
fn anchor_params(row: &ChainSpec, network: Network) -> Option<FinalityParams> {
    let Ledger::Evm(params) = &row.ledger else { return None };
    let contract = params.anchors.first()?.kind;
    let is_simulated = network == Network::Simulated;
    let contracts = match (is_simulated, contract) {
        (false, _) => params.anchors.iter().map(|anchor| anchor.contract).collect(),
        (true, AnchorForm::Registry) => {
            let address = simulated_registry(row.id);
            vec![AnchorContract { from: BlockNumber(0), address }]
        }
        (true, AnchorForm::Outbox) => return None,
    };
    let beacon = if is_simulated { BeaconParams::SIMULATED } else { BeaconParams::ETHEREUM };
    let history_blocks = match contract {
        AnchorForm::Registry => HISTORY_BLOCKS,
        AnchorForm::Outbox => ARBITRUM_HISTORY_BLOCKS,
    };
    Some(FinalityParams::Anchor(AnchorParams {
        chain: row.id,
        ethereum: ETHEREUM,
        beacon,
        ethereum_rule: HashRule::Evm(Layout::Ethereum),
        rule: row_on(row, network).rules.last().and_then(|last| HashRule::from_code(last.code))?,
        contract,
        contracts,
        history_blocks,
    }))
}

/// Row for a network: simulated chains use public work, keys and committees.
fn row_on(row: &ChainSpec, network: Network) -> Cow<'_, ChainSpec> {
    match network {
        Network::Simulated => Cow::Owned(row.clone().as_simulated()),
        Network::Live | Network::Recorded => Cow::Borrowed(row),
    }
}

fn params_of(row: &ChainSpec, network: Network) -> Option<FinalityParams> {
    match &row.ledger {
        Ledger::Evm(_) => {
            let is_simulated = network == Network::Simulated;
            Some(match row.caip2.as_str() {
                "eip155:1" if is_simulated => FinalityParams::Beacon(BeaconParams::SIMULATED),
                "eip155:1" => FinalityParams::Beacon(BeaconParams::ETHEREUM),
                "eip155:100" if !is_simulated => FinalityParams::Beacon(BeaconParams::GNOSIS),
                "eip155:56" if is_simulated => FinalityParams::Vote(VoteParams::SIMULATED),
                "eip155:56" => FinalityParams::Vote(VoteParams::BNB),
                _ => return None,
            })
        }
        Ledger::Bitcoin(params) => {
            let retargets = match params.retarget {
                Retarget::Main => true,
                Retarget::Never => false,
                Retarget::Test3 | Retarget::Test4 => return None,
            };
            Some(FinalityParams::Work(WorkParams {
                target_limit_bits: params.target_limit_bits,
                floor_bits: if retargets { FLOOR_BITS } else { params.target_limit_bits },
                retargets,
                confirmations: params.confirmations,
            }))
        }
        Ledger::Sui(_) => Some(FinalityParams::Checkpoint(CheckpointParams {
            trusted_seconds: SUI_TRUSTED_SECONDS,
        })),
        Ledger::Icp(params) => Some(FinalityParams::Certificate(CertificateParams {
            canister: params.canister.clone(),
        })),
        Ledger::Cosmos(params) => {
            let chain_id = row.caip2.strip_prefix(COSMOS_NAMESPACE)?;
            (chain_id == HUB_CHAIN_ID).then(|| {
                FinalityParams::Commit(CommitParams {
                    chain_id: chain_id.to_owned(),
                    set_blocks: params.set_blocks,
                    trusted_seconds: HUB_TRUSTED_SECONDS,
                })
            })
        }
        Ledger::Tron(params) => {
            (row.caip2 == TRON).then_some(FinalityParams::Producers(params.producers))
        }
        _ => None,
    }
}

/// Why a chain without [`finality_params`] gives no evidence, for people.
pub const NOT_CHECKABLE: &str =
    "its consensus leaves nothing that a client can check (docs/finality.md)";

/// Built-in set: a root key. Old checkpoints of Bitcoin have too little work to begin with, and committees of Sui are
/// trusted only for days: clients pin both.
#[must_use]
pub fn builtin_set(row: &ChainSpec, network: Network) -> Option<FinalitySet> {
    match &row_on(row, network).ledger {
        Ledger::Icp(params) => Some(FinalitySet::Certificate(CertificateSet::new(params.root_key))),
        _ => None,
    }
}

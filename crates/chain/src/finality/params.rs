//! Finality params and built-in sets by row.

use std::borrow::Cow;

use superroot_proof::finality::anchor::{AnchorContract, AnchorForm, AnchorParams};
use superroot_proof::finality::beacon::BeaconParams;
use superroot_proof::finality::certificate::{CertificateParams, CertificateSet};
use superroot_proof::finality::checkpoint::CheckpointParams;
use superroot_proof::finality::commit::CommitParams;
use superroot_proof::finality::grandpa::GrandpaParams;
use superroot_proof::finality::ledger_info::LedgerInfoParams;
use superroot_proof::finality::milestone::MilestoneParams;
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

/// Main network in Aptos' nodes.
const APTOS_MAIN: u8 = 1;
/// Trusting period for Aptos validators from the end of the epoch before, in seconds: a policy, because stake may leave
/// at the end of a lockup and is not slashed.
const APTOS_TRUSTED_SECONDS: u64 = 14 * 86_400;

/// Polkadot's relay chain. Unbonding times differ elsewhere.
const POLKADOT_CAIP2: &str = "polkadot:91b171bb158e2d3848fa23a9f1c25182";

/// Main network. Producers and days differ elsewhere.
const TRON: &str = "tron:0x2b6653dc";

const COSMOS_NAMESPACE: &str = "cosmos:";
/// Cosmos Hub's chain id. Unbonding times differ elsewhere.
const HUB_CHAIN_ID: &str = "cosmoshub-4";
/// Trusting period for Cosmos Hub's validators, in seconds: two thirds of the 21 days for unbonding.
const HUB_TRUSTED_SECONDS: u64 = 14 * 86_400;

/// Heimdall's heights from one set to the next, one to two seconds each.
const HEIMDALL_SET_BLOCKS: u64 = 5_000;
/// Trusting period for Heimdall's validators, in seconds: stake leaves within days, by Ethereum's contracts.
const HEIMDALL_TRUSTED_SECONDS: u64 = 86_400;

/// Easiest target that counts, difficulty 1.76e13: never easier since autumn 2021, and a tenth of 2026's.
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
                "eip155:100" if is_simulated => {
                    FinalityParams::Beacon(BeaconParams::SIMULATED_GNOSIS)
                }
                "eip155:100" => FinalityParams::Beacon(BeaconParams::GNOSIS),
                "eip155:56" if is_simulated => FinalityParams::Vote(VoteParams::SIMULATED),
                "eip155:56" => FinalityParams::Vote(VoteParams::BNB),
                "eip155:137" => FinalityParams::Milestone(milestone_params(row.id, is_simulated)),
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
        Ledger::Aptos(params) => (params.network == APTOS_MAIN).then_some({
            FinalityParams::LedgerInfo(LedgerInfoParams { trusted_seconds: APTOS_TRUSTED_SECONDS })
        }),
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
        Ledger::Polkadot(_) => {
            let is_known = row.caip2 == POLKADOT_CAIP2;
            is_known.then_some(FinalityParams::Grandpa(GrandpaParams::POLKADOT))
        }
        Ledger::Tron(params) => {
            (row.caip2 == TRON).then_some(FinalityParams::Producers(params.producers))
        }
        _ => None,
    }
}

/// Whether final blocks may wait for evidence. Anchors come days later; a certificate is about the tip alone; work is
/// checked with every header; Polkadot's nodes keep few votes for old blocks; Aptos' evidence is fetched for final blocks
/// one by one.
#[must_use]
pub const fn gates(params: &FinalityParams) -> bool {
    !matches!(
        params,
        FinalityParams::Anchor(_)
            | FinalityParams::Certificate(_)
            | FinalityParams::Grandpa(_)
            | FinalityParams::LedgerInfo(_)
            | FinalityParams::Work(_)
    )
}

/// Role for endpoints with evidence beside blocks; `None` for evidence out of blocks. A simulated Aptos signs blocks.
#[must_use]
pub const fn evidence_role(params: &FinalityParams) -> Option<&'static str> {
    match params {
        FinalityParams::Beacon(_) | FinalityParams::Anchor(_) => Some("beacon"),
        FinalityParams::Milestone(_) => Some("heimdall"),
        FinalityParams::LedgerInfo(_) => Some("backup"),
        _ => None,
    }
}

/// Seconds from a final block to evidence about the block or a descendant, as a rule.
#[must_use]
pub fn evidence_lag_seconds(row: &ChainSpec, params: &FinalityParams) -> u64 {
    let blocks = match params {
        FinalityParams::Beacon(params) => {
            return params.epoch_slots.saturating_mul(params.slot_seconds);
        }
        // votes of every 20th block are asked for
        FinalityParams::Commit(_) | FinalityParams::Producers(_) => 20,
        // a milestone is asked for each half minute
        FinalityParams::Milestone(_) => 30,
        FinalityParams::Grandpa(_) => 64,
        _ => 1,
    };
    row.block_time_ms.saturating_mul(blocks).div_ceil(1_000).max(1)
}

/// Constants of Polygon with its Heimdall. Simulated sets are ten minutes apart.
fn milestone_params(bor_chain: ChainId, is_simulated: bool) -> MilestoneParams {
    let (network, set_blocks) = if is_simulated {
        ("simulated".to_owned(), 300)
    } else {
        (bor_chain.to_string(), HEIMDALL_SET_BLOCKS)
    };
    let heimdall = CommitParams {
        chain_id: format!("heimdallv2-{network}"),
        set_blocks,
        trusted_seconds: HEIMDALL_TRUSTED_SECONDS,
    };
    MilestoneParams { heimdall, bor_chain }
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

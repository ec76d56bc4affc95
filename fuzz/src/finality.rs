//! Rows of `vectors/finality/finality.json`: a client's params and set, and the finality that a file brings.

use std::str::FromStr;

use serde_json::Value;
use superroot_chain::ChainRegistry;
use superroot_chain::finality::finality_params;
use superroot_chain::ledger::icp::Principal;
use superroot_proof::finality::beacon::BeaconParams;
use superroot_proof::finality::certificate::CertificateParams;
use superroot_proof::finality::checkpoint::CheckpointParams;
use superroot_proof::finality::commit::CommitParams;
use superroot_proof::finality::grandpa::GrandpaParams;
use superroot_proof::finality::ledger_info::LedgerInfoParams;
use superroot_proof::finality::milestone::MilestoneParams;
use superroot_proof::finality::producers::ProducerParams;
use superroot_proof::finality::vote::VoteParams;
use superroot_proof::finality::work::WorkParams;
use superroot_proof::finality::{FinalityParams, FinalityQuestion, FinalitySet};
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, ChainId, Hash, Network, UnixSeconds};

use crate::seeds::{folder, hex_of, json_of};

/// A block, and what its client brings.
pub struct FinalityRow {
    /// Constants of the chain.
    pub params: FinalityParams,
    /// Pinned set.
    pub set: FinalitySet,
    /// The block.
    pub block: FinalityQuestion,
    /// Time of the client.
    pub now: UnixSeconds,
    /// Evidence, link and steps.
    pub finality: Vec<u8>,
}

/// Rows of one kind, or of every kind, whose sets can be read.
///
/// # Panics
/// When the vectors cannot be read.
#[must_use]
pub fn rows(kind: Option<&str>) -> Vec<FinalityRow> {
    let rows = json_of(&folder().join("finality/finality.json"));
    let rows = rows.as_array().expect("a list of rows");
    let of_kind = rows.iter().filter(|row| kind.is_none_or(|kind| row["kind"] == kind));
    of_kind.filter_map(row_of).collect()
}

fn row_of(row: &Value) -> Option<FinalityRow> {
    let params = params_of(row["kind"].as_str()?, &row["params"])?;
    let set = FinalitySet::decode(&params, &hex_of(&row["set"])).ok()?;
    let block = FinalityQuestion {
        rule: HashRule::from_code(u16::try_from(row["rule"].as_u64()?).ok()?)?,
        number: BlockNumber(row["number"].as_u64()?),
        hash: Hash::from_str(row["hash"].as_str()?).ok()?,
    };
    let now = UnixSeconds(row["now"].as_u64()?);
    Some(FinalityRow { params, set, block, now, finality: hex_of(&row["finality"]) })
}

fn params_of(kind: &str, of: &Value) -> Option<FinalityParams> {
    let number = |name: &str| of[name].as_u64();
    let trusted_seconds = number("trusted_seconds");
    Some(match kind {
        "work" => FinalityParams::Work(WorkParams {
            target_limit_bits: u32::try_from(number("target_limit_bits")?).ok()?,
            floor_bits: u32::try_from(number("floor_bits")?).ok()?,
            retargets: of["retargets"].as_bool()?,
            confirmations: number("confirmations")?,
        }),
        "checkpoint" => {
            FinalityParams::Checkpoint(CheckpointParams { trusted_seconds: trusted_seconds? })
        }
        "certificate" => FinalityParams::Certificate(CertificateParams {
            canister: Principal::from_str(of["canister"].as_str()?).ok()?,
        }),
        "beacon" => FinalityParams::Beacon(match number("members")? {
            32 => BeaconParams::SIMULATED,
            _ => BeaconParams::ETHEREUM,
        }),
        "anchor" => {
            let chain = ChainId(number("chain")?);
            let rows = ChainRegistry::builtin().rows();
            let row = rows.iter().find(|row| row.id == chain)?;
            finality_params(row, Network::Simulated)?
        }
        "vote" => FinalityParams::Vote(VoteParams {
            rule: HashRule::from_code(u16::try_from(number("rule")?).ok()?)?,
            epoch_blocks: number("epoch_blocks")?,
            trusted_seconds: trusted_seconds?,
        }),
        "producers" => FinalityParams::Producers(ProducerParams {
            set_seconds: number("set_seconds")?,
            window_blocks: u16::try_from(number("window_blocks")?).ok()?,
            trusted_seconds: trusted_seconds?,
        }),
        "grandpa" => FinalityParams::Grandpa(GrandpaParams {
            slot_seconds: number("slot_seconds")?,
            trusted_seconds: trusted_seconds?,
        }),
        "commit" => FinalityParams::Commit(commit_params(of)?),
        "milestone" => FinalityParams::Milestone(MilestoneParams {
            heimdall: commit_params(&of["heimdall"])?,
            bor_chain: ChainId(number("bor_chain")?),
        }),
        "ledger_info" => {
            FinalityParams::LedgerInfo(LedgerInfoParams { trusted_seconds: trusted_seconds? })
        }
        _ => return None,
    })
}

fn commit_params(of: &Value) -> Option<CommitParams> {
    Some(CommitParams {
        chain_id: of["chain_id"].as_str()?.to_owned(),
        set_blocks: of["set_blocks"].as_u64()?,
        trusted_seconds: of["trusted_seconds"].as_u64()?,
    })
}

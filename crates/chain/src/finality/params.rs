//! Finality params and built-in sets by row.

use std::borrow::Cow;

use superroot_proof::finality::beacon::BeaconParams;
use superroot_proof::finality::certificate::{CertificateParams, CertificateSet};
use superroot_proof::finality::checkpoint::CheckpointParams;
use superroot_proof::finality::work::{WorkParams, WorkSet};
use superroot_proof::finality::{FinalityParams, FinalitySet};
use superroot_types::{BlockNumber, Network};

use crate::ledger::Ledger;
use crate::ledger::bitcoin::Retarget;
use crate::registry::ChainSpec;

/// Trusting period for Sui committees from the epoch begin, in seconds: a policy, because stake may leave after an epoch.
const SUI_TRUSTED_SECONDS: u64 = 14 * 86_400;

/// Constants for evidence on this chain; `None` without a known evidence kind.
#[must_use]
pub fn finality_params(row: &ChainSpec, network: Network) -> Option<FinalityParams> {
    params_of(&row_on(row, network), network)
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
            let beacon = match (row.caip2.as_str(), network) {
                ("eip155:1", Network::Simulated) => BeaconParams::SIMULATED,
                ("eip155:1", _) => BeaconParams::ETHEREUM,
                ("eip155:100", Network::Live | Network::Recorded) => BeaconParams::GNOSIS,
                _ => return None,
            };
            Some(FinalityParams::Beacon(beacon))
        }
        Ledger::Bitcoin(params) => {
            let retargets = match params.retarget {
                Retarget::Main => true,
                Retarget::Never => false,
                Retarget::Test3 | Retarget::Test4 => return None,
            };
            Some(FinalityParams::Work(WorkParams {
                target_limit_bits: params.target_limit_bits,
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
        _ => None,
    }
}

/// Built-in sets, rising: a root key, Bitcoin checkpoints. Sui committees are trusted only for days, so clients pin them.
#[must_use]
pub fn builtin_sets(row: &ChainSpec, network: Network) -> Vec<FinalitySet> {
    let row = row_on(row, network);
    match (&row.ledger, params_of(&row, network)) {
        (Ledger::Bitcoin(params), Some(FinalityParams::Work(work))) => {
            let of_checkpoint = |number: BlockNumber, header| {
                WorkSet::new(&work, number, header).ok().map(FinalitySet::Work)
            };
            let checkpoints = params.checkpoints.iter();
            checkpoints.filter_map(|known| of_checkpoint(known.number, known.header)).collect()
        }
        (Ledger::Icp(params), _) => {
            vec![FinalitySet::Certificate(CertificateSet::new(params.root_key))]
        }
        _ => Vec::new(),
    }
}

//! A launch in the words of the wire.

use alloy_primitives::Address;
use superroot_dex::PoolId;
use superroot_types::ChainKey;
use superroot_wire::signal::{LaunchChecks, MissingCheck, TokenLaunch};

use super::{Kind, Launch};
/// A launch as it is told.
#[must_use]
pub fn told(chain: ChainKey, launch: &Launch) -> TokenLaunch {
    let hex = |address: Address| format!("{address:#x}");
    let (pool, pool_id) = match launch.pool {
        PoolId::Contract(address) => (address, None),
        PoolId::Within(address, id) => (address, Some(id)),
    };
    let proof_hash = launch.proof_hash(chain);
    let place = launch.liquidity.place;
    TokenLaunch {
        symbol: launch.facts.symbol.clone().unwrap_or_else(|| hex(launch.token)),
        chain_id: chain.id,
        liquidity_usd: launch.liquidity_usd.to_f64(),
        proof_hash,
        state: match launch.kind {
            Kind::Launched => "launched",
            Kind::Pulled => "pulled",
        },
        token: hex(launch.token),
        decimals: launch.facts.decimals,
        metadata_evidence: launch.facts.evidence,
        pool: hex(pool),
        pool_id,
        protocol: launch.dex.clone(),
        fee_millionths: launch.fee,
        paired_with: hex(launch.paired_with),
        block: place.number,
        block_hash: launch.liquidity.block_hash,
        block_timestamp: launch.liquidity.at.0,
        tx_hash: launch.transaction_hash,
        tx_index: place.tx_index,
        log_index: place.log_index,
        creation_block: launch.creation.place.number,
        proof_url: format!("/v5/proof/hash/{proof_hash}"),
        checks: checks(launch),
    }
}

/// What the events say of it; nodes are not asked about a contract's code.
fn checks(launch: &Launch) -> LaunchChecks {
    const OF_STATE: &str =
        "it is part of the chain's state, which no event shows, and no node is asked for it";
    let mut missing: Vec<MissingCheck> =
        ["owner", "isMintable", "buyTaxPercent", "sellTaxPercent", "topHoldersPercent"]
            .map(|check| MissingCheck { check, why: OF_STATE.to_owned() })
            .to_vec();
    if launch.burned_percent.is_none() {
        let why = "the pool gave out no tokens of its own in that block".to_owned();
        missing.push(MissingCheck { check: "liquidityBurnedPercent", why });
    }
    LaunchChecks {
        liquidity_burned_percent: launch.burned_percent,
        owner: None,
        is_mintable: None,
        buy_tax_percent: None,
        sell_tax_percent: None,
        top_holders_percent: None,
        missing,
    }
}

use alloy_primitives::Address;
use superroot_dex::PoolId;
use superroot_types::ChainKey;
use superroot_wire::paths;
use superroot_wire::signal::{LaunchChecks, MissingCheck, TokenLaunch};

use super::{Launch, LaunchKind};
use crate::{LockedShare, TokenBook};

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
            LaunchKind::Launched => "launched",
            LaunchKind::Pulled => "pulled",
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
        reached_block_hash: launch.reached.map(|reached| reached.block_hash),
        proof_url: paths::hash_proof(&proof_hash),
        checks: checks(launch),
    }
}

/// Hint for checks that need nodes: where the result appears, and why not at once.
const LATER: &str =
    "it is asked of nodes once the block is two blocks old: the list shows it (format=json)";
const NOT_BOUGHT: &str = "it could not be bought: only pools like those of Uniswap v2 with the chain's wrapped coin are tried";

const BURNED: &str = "liquidityBurnedPercent";
const LOCKED: &str = "liquidityLockedPercent";
const NOT_GIVEN_OUT: &str = "the pool gave out no tokens of its own in that block";
const NO_LOCKER: &str = "no locker is known on its chain";

/// Missing checks on given-up tokens, with reasons.
fn not_given_up(given_up: Option<LockedShare>) -> Vec<MissingCheck> {
    match given_up {
        None => [BURNED, LOCKED].map(|check| lacks(check, NOT_GIVEN_OUT)).into(),
        Some(LockedShare { locked: None, .. }) => vec![lacks(LOCKED, NO_LOCKER)],
        Some(LockedShare { locked: Some(_), .. }) => Vec::new(),
    }
}

/// Launch checks from events.
fn checks(launch: &Launch) -> LaunchChecks {
    let asked = ["owner", "isMintable", "buyTaxPercent", "sellTaxPercent"];
    let mut missing: Vec<MissingCheck> = asked.iter().map(|check| lacks(check, LATER)).collect();
    if let Err(why) = launch.top_holders {
        missing.push(lacks("topHoldersPercent", why.why()));
    }
    missing.extend(not_given_up(launch.given_up));
    if let Some(hooks) = launch.hooks {
        let why =
            format!("{hooks:#x} is called at each trade of this pool: what it does is not read");
        missing.push(lacks("hooks", &why));
    }
    LaunchChecks {
        liquidity_burned_percent: launch.given_up.map(|given_up| given_up.burned),
        liquidity_locked_percent: launch.given_up.and_then(|given_up| given_up.locked),
        evidence: None,
        asked_at_block: None,
        owner: None,
        is_mintable: None,
        buy_tax_percent: None,
        sell_tax_percent: None,
        top_holders_percent: launch.top_holders.ok().map(|part| f64::from(part) / 100.0),
        missing,
    }
}

fn lacks(check: &'static str, why: &str) -> MissingCheck {
    MissingCheck { check, why: why.to_owned() }
}

/// Adds the nodes' inspection result to a launch.
pub fn add_inspection(
    chain: ChainKey,
    launch: &Launch,
    tokens: &dyn TokenBook,
    told: &mut TokenLaunch,
) {
    let checks = &mut told.checks;
    checks.missing.retain(|missing| missing.why != LATER);
    let (PoolId::Contract(pool) | PoolId::Within(pool, _)) = launch.pool;
    let inspected = tokens.inspect(chain, (launch.token, pool), launch.liquidity.at);
    let percent = |tax: u16| f64::from(tax) / 100.0;
    let mut lack = |check, is_there: bool, why: &str| {
        if !is_there {
            checks.missing.push(lacks(check, why));
        }
    };
    match inspected {
        Ok(found) => {
            let [buy, sell] = found.taxes;
            lack("owner", found.owner.is_some(), "its contract has no owner()");
            lack(
                "isMintable",
                found.is_mintable.is_some(),
                "its code is elsewhere, and may change: it is a proxy",
            );
            lack("buyTaxPercent", buy.is_some(), NOT_BOUGHT);
            lack("sellTaxPercent", sell.is_some(), NOT_BOUGHT);
            checks.evidence = Some("simulated");
            checks.asked_at_block = Some(found.block);
            checks.owner = found.owner.map(|owner| format!("{owner:#x}"));
            checks.is_mintable = found.is_mintable;
            checks.buy_tax_percent = buy.map(percent);
            checks.sell_tax_percent = sell.map(percent);
            if let Some(given_up) = found.given_up {
                checks.missing.retain(|missing| ![BURNED, LOCKED].contains(&missing.check));
                checks.missing.extend(not_given_up(Some(given_up)));
                checks.liquidity_burned_percent = Some(given_up.burned);
                checks.liquidity_locked_percent = given_up.locked;
            }
        }
        Err(why) => {
            for check in ["owner", "isMintable", "buyTaxPercent", "sellTaxPercent"] {
                lack(check, false, &why);
            }
        }
    }
}

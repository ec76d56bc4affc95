//! Messages for signals and proofs behind signals.

use super::parts::{all, blob, hash, number};
use super::{
    ArbCosts, ArbSide, LaunchChecks, ListLaunchesResponse, ListOpportunitiesResponse, MissingCheck,
    Opportunity, ProvenBehind, SignalProofs, TokenLaunch,
};
use crate::signal;

impl From<signal::LaunchChecks> for LaunchChecks {
    fn from(body: signal::LaunchChecks) -> Self {
        Self {
            liquidity_burned_percent: body.liquidity_burned_percent.map(u32::from),
            liquidity_locked_percent: body.liquidity_locked_percent.map(u32::from),
            evidence: body.evidence.map(str::to_owned),
            asked_at_block: number(body.asked_at_block),
            owner: body.owner,
            is_mintable: body.is_mintable,
            buy_tax_percent: body.buy_tax_percent,
            sell_tax_percent: body.sell_tax_percent,
            top_holders_percent: body.top_holders_percent,
            missing: all(body.missing),
        }
    }
}

impl From<signal::MissingCheck> for MissingCheck {
    fn from(body: signal::MissingCheck) -> Self {
        Self { check: body.check.to_owned(), why: body.why }
    }
}

impl From<signal::TokenLaunch> for TokenLaunch {
    fn from(body: signal::TokenLaunch) -> Self {
        Self {
            symbol: body.symbol,
            chain_id: body.chain_id.0,
            liquidity_usd: signal::in_cents(body.liquidity_usd),
            proof_hash: hash(body.proof_hash),
            state: body.state.to_owned(),
            token: body.token,
            decimals: body.decimals.map(u32::from),
            metadata_evidence: body.metadata_evidence.to_owned(),
            pool: body.pool,
            pool_id: body.pool_id.map(hash),
            protocol: body.protocol,
            fee_millionths: body.fee_millionths,
            paired_with: body.paired_with,
            block: body.block.0,
            block_hash: hash(body.block_hash),
            block_timestamp: body.block_timestamp,
            tx_hash: body.tx_hash.map(hash),
            tx_index: body.tx_index,
            log_index: body.log_index,
            creation_block: body.creation_block.0,
            proof_url: body.proof_url,
            checks: Some(body.checks.into()),
        }
    }
}

impl From<signal::Launches> for ListLaunchesResponse {
    fn from(body: signal::Launches) -> Self {
        Self {
            launches: all(body.launches),
            chain_ids: body.chain_ids.iter().map(|id| id.0).collect(),
            v5_anchor: None,
        }
    }
}

impl From<signal::ProofsBehind> for SignalProofs {
    fn from(body: signal::ProofsBehind) -> Self {
        Self {
            proof_hash: hash(body.proof_hash),
            chain_id: body.chain_id.0,
            events: all(body.events),
            v5_anchor: None,
        }
    }
}

impl From<signal::ProvenBehind> for ProvenBehind {
    fn from(body: signal::ProvenBehind) -> Self {
        Self {
            role: body.role.to_owned(),
            block_number: body.block_number.0,
            block_hash: hash(body.block_hash),
            tx_index: body.tx_index,
            log_index: body.log_index,
            proof_blob: blob(&body.proof_blob),
            proof_url: body.proof_url,
        }
    }
}

impl From<signal::ArbSide> for ArbSide {
    fn from(body: signal::ArbSide) -> Self {
        Self {
            chain_id: body.chain_id.0,
            token: body.token,
            pool: body.pool,
            pool_id: body.pool_id.map(hash),
            protocol: body.protocol,
            base: body.base,
            price_usd: body.price_usd,
            block_number: body.block_number.0,
            finality: body.finality.to_owned(),
            proof_url: body.proof_url,
            block_timestamp: body.block_timestamp,
        }
    }
}

impl From<signal::ArbCosts> for ArbCosts {
    fn from(body: signal::ArbCosts) -> Self {
        Self {
            gas: body.gas,
            fees: body.fees,
            bridge: body.bridge,
            evidence: body.evidence.to_owned(),
        }
    }
}

impl From<signal::Opportunity> for Opportunity {
    fn from(body: signal::Opportunity) -> Self {
        Self {
            token: body.token,
            buy: Some(body.buy.into()),
            sell: Some(body.sell.into()),
            spread_pct: body.spread_pct,
            size_usd: body.size_usd,
            gross_profit_usd: body.gross_profit_usd,
            costs: Some(body.costs.into()),
            net_profit_usd: body.net_profit_usd,
            confidence: body.confidence,
            expires_at: body.expires_at,
            duration_seconds: body.duration_seconds,
            proofs: body.proofs.to_vec(),
        }
    }
}

impl From<signal::Opportunities> for ListOpportunitiesResponse {
    fn from(body: signal::Opportunities) -> Self {
        Self {
            opportunities: all(body.opportunities),
            chain_ids: body.chain_ids.iter().map(|id| id.0).collect(),
            computed_at: body.computed_at,
            v5_anchor: None,
            stale_chain_ids: body.stale_chain_ids.iter().map(|id| id.0).collect(),
        }
    }
}

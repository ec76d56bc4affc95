//! Messages for prices.

use super::parts::{all, blob, hash, number};
use super::{
    Confidence, ConfidenceParts, EventPlace, PriceBase, PriceBlock, PricePool, PriceProof,
    PriceRules, PricedToken, TokenPrice, Twap,
};
use crate::price;

impl From<price::PricedToken> for PricedToken {
    fn from(body: price::PricedToken) -> Self {
        Self {
            address: body.address,
            symbol: body.symbol,
            decimals: body.decimals.into(),
            metadata_evidence: body.metadata_evidence,
            metadata_nodes: body.metadata_nodes.unwrap_or_default(),
            metadata_block: number(body.metadata_block),
        }
    }
}

impl From<price::PriceBlock> for PriceBlock {
    fn from(body: price::PriceBlock) -> Self {
        Self {
            number: body.number.0,
            hash: hash(body.hash),
            timestamp: body.timestamp,
            finality: body.finality,
            events_from: body.events_from.0,
            proof_url: body.proof_url,
            age_seconds: body.age_seconds,
        }
    }
}

impl From<price::Twap> for Twap {
    fn from(body: price::Twap) -> Self {
        Self {
            window_seconds: body.window_seconds,
            covered_seconds: body.covered_seconds,
            price_usd: body.price_usd,
        }
    }
}

impl From<price::EventPlace> for EventPlace {
    fn from(body: price::EventPlace) -> Self {
        Self {
            block_number: body.block_number.0,
            tx_index: body.tx_index,
            log_index: body.log_index,
            proof_url: body.proof_url,
        }
    }
}

impl From<price::PricePool> for PricePool {
    fn from(body: price::PricePool) -> Self {
        Self {
            address: body.address,
            pool_id: body.pool_id.map(hash),
            protocol: body.protocol,
            pair: body.pair.to_vec(),
            fee_millionths: body.fee_millionths,
            fee_may_change: body.fee_may_change,
            tick_spacing: body.tick_spacing,
            base: body.base,
            reserves: body.reserves.map(Vec::from).unwrap_or_default(),
            sqrt_price_x96: body.sqrt_price_x96,
            tick: body.tick,
            liquidity: body.liquidity,
            price_base: body.price_base,
            price_usd: body.price_usd,
            liquidity_usd: body.liquidity_usd,
            depth_usd: body.depth_usd,
            weight: body.weight,
            left_out: body.left_out,
            creation_event: body.creation_event.map(Into::into),
            last_event: Some(body.last_event.into()),
            last_event_timestamp: body.last_event_timestamp,
            later_events: all(body.later_events),
            mean_tick: body.mean_tick,
            covered_seconds: body.covered_seconds,
            cost_to_move_2_percent_usd: body.cost_to_move_2_percent_usd,
            cost_reason: body.cost_reason,
            near_liquidity: body.near_liquidity,
        }
    }
}

impl From<price::PriceBase> for PriceBase {
    fn from(body: price::PriceBase) -> Self {
        Self {
            token: Some(body.token.into()),
            price_usd: body.price_usd,
            twap_usd: body.twap_usd,
            evidence: body.evidence,
            pools: all(body.pools),
            stables: all(body.stables),
            disputed_by: body.disputed_by,
        }
    }
}

impl From<price::ConfidenceParts> for ConfidenceParts {
    fn from(body: price::ConfidenceParts) -> Self {
        Self {
            depth: body.depth,
            freshness: body.freshness,
            agreement: body.agreement,
            calm: body.calm,
            coverage: body.coverage,
        }
    }
}

impl From<price::Confidence> for Confidence {
    fn from(body: price::Confidence) -> Self {
        Self { value: body.value, parts: Some(body.parts.into()) }
    }
}

impl From<price::PriceRules> for PriceRules {
    fn from(body: price::PriceRules) -> Self {
        Self {
            depth_usd_min: body.depth_usd_min,
            stale_after_seconds: body.stale_after_seconds,
            outlier_percent_max: body.outlier_percent_max,
            drift_percent_max: body.drift_percent_max,
            covered_seconds_min: body.covered_seconds_min,
        }
    }
}

impl From<price::PriceProof> for PriceProof {
    fn from(body: price::PriceProof) -> Self {
        Self { event: Some(body.event.into()), proof_blob: blob(&body.proof_blob) }
    }
}

impl From<price::TokenPrice> for TokenPrice {
    fn from(body: price::TokenPrice) -> Self {
        Self {
            chain_id: body.chain_id.0,
            token: Some(body.token.into()),
            block: Some(body.block.into()),
            price_usd: body.price_usd,
            price_native: body.price_native,
            twap: body.twap.map(Into::into),
            cost_to_move_2_percent_usd: body.cost_to_move_2_percent_usd,
            confidence: Some(body.confidence.into()),
            rules: Some(body.rules.into()),
            pools: all(body.pools),
            bases: all(body.bases),
            proof: all(body.proof.unwrap_or_default()),
            v5_anchor: None,
        }
    }
}

//! When blocks were seen to be held, final and anchored, next to when they appeared.

use std::time::Instant;

use serde_json::Value;

use crate::nodes::{Blocks, FINALITY_BLOCKS};

/// Three stages of one chain: the newest number seen to have come through.
#[derive(Clone, Copy, Default)]
struct Seen {
    held: u64,
    indexed: u64,
    anchored: u64,
}

/// Lags in milliseconds, over all chains.
#[derive(Default)]
pub(crate) struct Lags {
    seen: std::collections::HashMap<u64, Seen>,
    held: Vec<u64>,
    indexed: Vec<u64>,
    anchored: Vec<u64>,
}

impl Lags {
    /// Takes in what `/api/v1/status` says at `now`.
    pub(crate) fn note(&mut self, blocks: &Blocks, status: &Value, now: Instant) {
        for chain in status["chains"].as_array().into_iter().flatten() {
            let Some(id) = chain["chain_id"].as_u64() else { continue };
            let seen = self.seen.entry(id).or_default();
            let since = |number: u64| {
                Some(now.saturating_duration_since(blocks.appears_at(number)?).as_millis() as u64)
            };
            let advance = |lags: &mut Vec<u64>, before: &mut u64, number: &Value, depth| {
                let Some(number) = number.as_u64() else { return };
                lags.extend((*before + 1..=number).filter_map(|number| since(number + depth)));
                *before = number.max(*before);
            };
            advance(&mut self.held, &mut seen.held, &chain["head"]["number"], 0);
            advance(&mut self.indexed, &mut seen.indexed, &chain["indexed"], FINALITY_BLOCKS);
            let anchored = &chain["anchored"]["number"];
            advance(&mut self.anchored, &mut seen.anchored, anchored, FINALITY_BLOCKS);
        }
    }

    /// Chains whose block of that number is anchored.
    pub(crate) fn anchored_at(&self, number: u64) -> usize {
        self.seen.values().filter(|seen| seen.anchored >= number).count()
    }

    /// Chains whose block of that number is indexed.
    pub(crate) fn indexed_at(&self, number: u64) -> usize {
        self.seen.values().filter(|seen| seen.indexed >= number).count()
    }
}

impl std::fmt::Display for Lags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of = |lags: &[u64]| {
            let mut lags = lags.to_vec();
            lags.sort_unstable();
            let at = |share: usize| lags.get(lags.len() * share / 100).copied().unwrap_or(0);
            format!("p50 {} ms, p99 {} ms", at(50), at(99))
        };
        write!(
            f,
            "appeared to held {}; final to indexed {}; final to anchored {}",
            of(&self.held),
            of(&self.indexed),
            of(&self.anchored)
        )
    }
}

//! Price check: recomputes a price from proven events alone.

use std::collections::BTreeMap;

use alloy_primitives::Address;
use serde::Deserialize;
use superroot_proof::bundle::{Facts, ProofSubject};
use superroot_types::Hash;
use superroot_wire::price::TokenPrice;

use self::check::{Event, PriceCheck};
use crate::said::check_anchor;
use crate::{EnclosedProofError, Verifier};

mod check;
mod error;
mod names;
mod pool;
mod shown;

pub use error::PriceCheckError;
pub(crate) use names::slug;

/// Most proofs per price: 16 liquidity changes and one event for each pool among some hundred.
const PROOFS_MAX: usize = 4_096;

/// Price that follows from proven events.
#[derive(Debug)]
pub struct CheckedPrice {
    /// Question and answer.
    pub price: TokenPrice,
    /// Proven events by position, all under one SuperRoot.
    pub events: BTreeMap<(u64, u32, u32), Facts>,
    /// Counted pools, base pools included.
    pub pools: usize,
    /// Service claims without a proof.
    pub said: Vec<String>,
    /// Tokens counted as a dollar only because the caller admitted them, unknown to this client.
    pub admitted: Vec<Address>,
}

/// Whether a body has the members for a price.
#[must_use]
pub fn is_price(body: &[u8]) -> bool {
    let body = superroot_wire::parse_json(body).ok();
    let has = |name| body.as_ref().is_some_and(|body| body.get(name).is_some());
    has("price_usd") && has("pools") && has("bases")
}

impl Verifier {
    /// Checks a price with its proofs: every event is valid and from a pool whose address follows from a known factory,
    /// and the price follows from the events. The SuperRoot is not yet trusted. A token counted as a dollar must be a
    /// stablecoin known to this client on the same chain, or one in `stables`.
    ///
    /// # Errors
    /// [`PriceCheckError`]: not a price, a false proof, an unknown dollar token, or another price.
    pub fn check_price(
        &self,
        body: &[u8],
        stables: &[Address],
    ) -> Result<CheckedPrice, PriceCheckError> {
        let no_price = |why: String| PriceCheckError::NoPrice(why);
        let body = superroot_wire::parse_json(body).map_err(|error| no_price(error.to_string()))?;
        let price = TokenPrice::deserialize(&body).map_err(|error| no_price(error.to_string()))?;
        let events = self.events(&price)?;
        if let Some(facts) = events.values().next() {
            check_anchor(&body, facts)?;
        }
        let said = Vec::new();
        let admitted = Vec::new();
        let mut check =
            PriceCheck { price: &price, events: &events, pools: 0, said, stables, admitted };
        let base = check.bases()?;
        let usd = check.token(&price.token, &price.pools, &base)?;
        check.compare(&price.token.address, usd, &price.price_usd)?;
        let pools = check.pools;
        let admitted = std::mem::take(&mut check.admitted);
        let said = check.said();
        Ok(CheckedPrice { price, events, pools, said, admitted })
    }

    /// Proven events, all under one SuperRoot.
    fn events(&self, price: &TokenPrice) -> Result<BTreeMap<Event, Facts>, PriceCheckError> {
        let proofs = price.proof.as_ref().filter(|proofs| !proofs.is_empty());
        let proofs = proofs.ok_or(PriceCheckError::NoProof)?;
        if proofs.len() > PROOFS_MAX {
            return Err(PriceCheckError::NoPrice(format!("more than {PROOFS_MAX} proofs")));
        }
        let mut events = BTreeMap::new();
        let mut root = None;
        for proof in proofs {
            let url = || proof.event.proof_url.clone();
            let refused =
                |why: String| PriceCheckError::Proof(url(), EnclosedProofError::Refused(why));
            let facts = self.check_enclosed(&proof.proof_blob);
            let facts = facts.map_err(|why| PriceCheckError::Proof(url(), why))?;
            let statement = &facts.statement;
            let ProofSubject::Log { tx_index, log_index, .. } = statement.subject else {
                return Err(refused("it is not of an event".to_owned()));
            };
            if statement.chain.id != price.chain_id || !facts.number_bound {
                return Err(refused("it is of another chain".to_owned()));
            }
            let hash = facts.super_root_hash();
            if hash.is_none() || root.is_some_and(|root| Some(root) != hash) {
                return Err(PriceCheckError::SuperRoots);
            }
            root = hash;
            events.insert((statement.number.0, tx_index, log_index), facts);
        }
        Ok(events)
    }
}

impl CheckedPrice {
    /// SuperRoot that all proofs lead to.
    #[must_use]
    pub fn super_root_hash(&self) -> Option<Hash> {
        self.events.values().next().and_then(Facts::super_root_hash)
    }
}

//! Running check: tokens, bases, and prices that follow from pools.

use std::collections::{BTreeMap, BTreeSet};

use alloy_primitives::Address;
use superroot_dex::quote::{self, NoPrice, PricingRules};
use superroot_dex::{Decimal, TokenList};
use superroot_proof::bundle::Facts;
use superroot_wire::price::{PriceBase, PricePool, PricedToken, TokenPrice};

use super::error::PriceCheckError;
use super::names::{address, slug};
use super::shown::{self, DIGITS};

/// An event's position: block, transaction, log.
pub(super) type Event = (u64, u32, u32);

/// Running price check.
pub(super) struct PriceCheck<'a> {
    pub(super) price: &'a TokenPrice,
    pub(super) events: &'a BTreeMap<Event, Facts>,
    pub(super) pools: usize,
    pub(super) said: Vec<String>,
    /// Tokens counted as dollars by the caller.
    pub(super) stables: &'a [Address],
    /// Caller-admitted tokens used in this price.
    pub(super) admitted: Vec<Address>,
}

/// Bases with prices.
pub(super) type Bases = BTreeMap<Address, (u8, Decimal)>;

impl PriceCheck<'_> {
    /// Token address. A known token must have the known symbol and digits.
    fn known(&mut self, token: &PricedToken) -> Result<Address, PriceCheckError> {
        let at = address(&token.address)?;
        let slug = self.slug()?;
        match TokenList::builtin().at(&slug, at) {
            Some(known) => {
                let is_other = token.symbol.as_ref().is_some_and(|symbol| *symbol != known.symbol);
                if known.decimals != token.decimals || is_other {
                    return Err(PriceCheckError::NoPrice(format!(
                        "{} is {} and has {} digits behind the point",
                        token.address, known.symbol, known.decimals
                    )));
                }
            }
            None if self.is_impostor(token, &slug) => {
                return Err(PriceCheckError::NoPrice(format!(
                    "{} has the symbol of another token that is well known on its chain",
                    token.address
                )));
            }
            None => self.said.push(format!(
                "that {} is {} and has {} digits behind the point ({})",
                token.address,
                token.symbol.as_deref().unwrap_or("without a symbol"),
                token.decimals,
                token.metadata_evidence
            )),
        }
        Ok(at)
    }

    /// Whether an unknown token uses a known token's symbol.
    fn is_impostor(&self, token: &PricedToken, slug: &str) -> bool {
        let known = |symbol: &String| !TokenList::builtin().find_symbol(slug, symbol).is_empty();
        token.symbol.as_ref().is_some_and(known)
    }

    /// Token counted as a dollar: known to this client, or admitted by the caller.
    fn dollar(&mut self, token: &PricedToken) -> Result<Address, PriceCheckError> {
        let at = self.known(token)?;
        let slug = self.slug()?;
        if !TokenList::builtin().stables(&slug).any(|stable| stable.address == at) {
            if !self.stables.contains(&at) {
                return Err(PriceCheckError::NoPrice(format!(
                    "{} is taken for a dollar, and is no stablecoin that is known here on its chain",
                    token.address
                )));
            }
            if !self.admitted.contains(&at) {
                self.admitted.push(at);
            }
        }
        let symbol = token.symbol.as_deref().unwrap_or("a token");
        self.said.push(format!("that one {symbol} ({}) is worth one US dollar", token.address));
        Ok(at)
    }

    /// All base prices, recomputed if they follow from pools.
    pub(super) fn bases(&mut self) -> Result<Bases, PriceCheckError> {
        let mut bases = Bases::new();
        let (configured, by_pools): (Vec<&PriceBase>, Vec<&PriceBase>) =
            self.price.bases.iter().partition(|base| base.evidence == "configured");
        for base in &configured {
            let address = self.dollar(&base.token)?;
            self.compare(&base.token.address, Decimal::ONE, &base.price_usd)?;
            bases.insert(address, (base.token.decimals, Decimal::ONE));
        }
        // pools that price a base have other bases than this token's pools: stablecoins, and what stands before it
        for base in by_pools {
            let known = self.with_stables_of(base, &bases)?;
            let usd = self.token(&base.token, &base.pools, &known)?;
            self.compare(&base.token.address, usd, &base.price_usd)?;
            bases.insert(address(&base.token.address)?, (base.token.decimals, usd));
        }
        Ok(bases)
    }

    /// Stablecoins in a base's pools, possibly different from the token's.
    fn with_stables_of(
        &mut self,
        base: &PriceBase,
        bases: &Bases,
    ) -> Result<Bases, PriceCheckError> {
        let mut known = bases.clone();
        for stable in &base.stables {
            let at = self.dollar(stable)?;
            known.insert(at, (stable.decimals, Decimal::ONE));
        }
        Ok(known)
    }

    /// Token price from its counted pools.
    pub(super) fn token(
        &mut self,
        token: &PricedToken,
        pools: &[PricePool],
        bases: &Bases,
    ) -> Result<Decimal, PriceCheckError> {
        let of = self.known(token)?;
        let mut seen = Vec::new();
        let mut met = BTreeSet::new();
        for pool in pools.iter().filter(|pool| pool.is_judged()) {
            // one that counts twice weighs twice
            if !met.insert((address(&pool.address)?, pool.pool_id)) {
                let why = "it is listed twice".to_owned();
                return Err(PriceCheckError::Pool { pool: pool.address.clone(), why });
            }
            seen.push(self.seen(pool, (of, token.decimals), bases)?);
            self.pools += 1;
        }
        let rules = PricingRules {
            depth_usd_min: self.price.rules.depth_usd_min,
            stale_after_seconds: self.price.rules.stale_after_seconds,
            outlier_percent_max: self.price.rules.outlier_percent_max,
            drift_percent_max: self.price.rules.drift_percent_max,
            covered_seconds_min: 0, // no proof shows since when a pool had no event
        };
        let (said, priced) = quote::price(&seen, &rules);
        let judged: Vec<&PricePool> = pools.iter().filter(|pool| pool.is_judged()).collect();
        shown::check_figures(&judged, &said)?;
        priced.map(|priced| priced.usd).map_err(|why| PriceCheckError::Price {
            token: token.address.clone(),
            computed: none(&why),
            said: self.price.price_usd.clone(),
        })
    }

    /// Listing name for the chain's factories and tokens.
    pub(super) fn slug(&self) -> Result<String, PriceCheckError> {
        let facts = self.events.values().next();
        let slug = facts.and_then(|facts| slug(facts.statement.chain, facts.network));
        slug.ok_or_else(|| PriceCheckError::NoPrice("its chain is not known here".to_owned()))
    }

    pub(super) fn compare(
        &self,
        token: &str,
        computed: Decimal,
        said: &str,
    ) -> Result<(), PriceCheckError> {
        let computed = computed.text(DIGITS);
        if computed == said {
            return Ok(());
        }
        let token = token.to_owned();
        let said = said.to_owned();
        Err(PriceCheckError::Price { token, computed, said })
    }

    /// Service claims, including the ones found during the check.
    pub(super) fn said(self) -> Vec<String> {
        let mut said = self.said;
        let price = self.price;
        said.push(format!(
            "that no later event of these pools came up to block {}, and that no pool was left out which should count",
            price.block.number
        ));
        said.push(format!(
            "that block {} is the one of this hash, its time and finality, and how thin, old or far apart pools may be (rules)",
            price.block.number
        ));
        said.push(
            "all other members of the answer: only price_usd, its bases and what the pools behind it are, hold, say and weigh are \
             computed again"
                .to_owned(),
        );
        if price.twap.is_some() {
            said.push(
                "the mean over the window, the price in the chain's own coin, and the confidence"
                    .to_owned(),
            );
        }
        said.sort();
        said.dedup();
        said
    }
}

fn none(why: &NoPrice) -> String {
    match why {
        NoPrice::NoPool => "nothing: no pool counts".to_owned(),
        NoPrice::Left(left) => format!("nothing: every pool is left out as {}", left.name()),
        NoPrice::Thin(depth) => {
            format!("nothing: only {} US dollars stand behind it", depth.text(3))
        }
        NoPrice::Young { .. } => "nothing: too few seconds are covered".to_owned(),
        NoPrice::Drifted { .. } => "nothing: it is too far from its mean".to_owned(),
    }
}

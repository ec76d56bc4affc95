//! Price check: recomputes a price from proven events alone.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use superroot_dex::quote::{self, BasePrice, NoPrice, ObservedPool, PricingRules};
use superroot_dex::{
    Decimal, Decimals, DecodedPoolEvent, Factories, FactoryPool, Pair, PoolEvent, PoolId,
    PoolState, Spot, TokenSide, decode, tick,
};
use superroot_proof::bundle::{Facts, ProofSubject};
use superroot_token::TokenList;
use superroot_types::{ChainKey, Hash, Network};
use superroot_wire::price::{EventPlace, PriceBase, PricePool, PricedToken, TokenPrice};

use alloy_primitives::Address;

use crate::said::check_anchor;
use crate::{Differs, Verifier};

mod shown;

/// Most proofs per price: 16 liquidity changes and one event for each pool among some hundred.
const PROOFS_MAX: usize = 4_096;
/// Significant digits compared: the displayed ones.
const DIGITS: u32 = 18;

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

/// Reason for an invalid price.
#[derive(Debug, thiserror::Error)]
pub enum PriceCheckError {
    /// Not a price.
    #[error("not a price: {0}")]
    NoPrice(String),
    /// No proofs.
    #[error("the price carries no proofs: ask for it with proof=1")]
    NoProof,
    /// Invalid event proof.
    #[error("the proof of event {0}: {1}")]
    Proof(String, String),
    /// The proofs lead to different SuperRoots, or to none.
    #[error("the proofs lead to more than one SuperRoot, or to none")]
    SuperRoots,
    /// Pool data does not follow from its events.
    #[error("pool {pool}: {why}")]
    Pool {
        /// Pool address.
        pool: String,
        /// Reason.
        why: String,
    },
    /// Pool figures differ from its events.
    #[error("pool {pool}: its {member} follows as {computed}, and {said} is said")]
    Shown {
        /// Pool address.
        pool: String,
        /// Member name.
        member: &'static str,
        /// Computed value.
        computed: String,
        /// Stated value.
        said: String,
    },
    /// The answer contradicts its SuperRoot.
    #[error(transparent)]
    Said(#[from] Differs),
    /// The computed price differs.
    #[error("the price of {token} follows as {computed}, and {said} is said")]
    Price {
        /// Token.
        token: String,
        /// Computed price.
        computed: String,
        /// Stated price.
        said: String,
    },
}

type Event = (u64, u32, u32);

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
            let refused = |why: String| PriceCheckError::Proof(proof.event.proof_url.clone(), why);
            let bytes =
                const_hex::decode(&proof.proof_blob).map_err(|why| refused(why.to_string()))?;
            let checked = self.check(&bytes, None).map_err(|why| refused(why.to_string()))?;
            let facts = checked.facts.into_inner();
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

/// Running price check.
struct PriceCheck<'a> {
    price: &'a TokenPrice,
    events: &'a BTreeMap<Event, Facts>,
    pools: usize,
    said: Vec<String>,
    /// Tokens counted as dollars by the caller.
    stables: &'a [Address],
    /// Caller-admitted tokens used in this price.
    admitted: Vec<Address>,
}

/// Bases with prices.
type Bases = BTreeMap<Address, (u8, Decimal)>;

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
    fn bases(&mut self) -> Result<Bases, PriceCheckError> {
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
    fn token(
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

    /// Builds a pool from its proven events.
    fn seen(
        &mut self,
        pool: &PricePool,
        (token, decimals): (Address, u8),
        bases: &Bases,
    ) -> Result<ObservedPool, PriceCheckError> {
        let refused =
            |why: &str| PriceCheckError::Pool { pool: pool.address.clone(), why: why.to_owned() };
        let pair = Pair { token0: address(&pool.pair[0])?, token1: address(&pool.pair[1])? };
        let at = address(&pool.address)?;
        let id = match pool.pool_id {
            None => PoolId::Contract(at),
            Some(id) => PoolId::Within(at, id),
        };
        let base_at = address(&pool.base)?;
        let (base_decimals, usd) =
            *bases.get(&base_at).ok_or_else(|| refused("its base is not among the bases"))?;
        let slug = self.slug()?;
        // a pool within a contract may have the chain's coin itself in the place of the wrapped one, and of no other token
        let native = TokenList::builtin().wrapped_native(&slug).map(|native| native.address);
        let is = |one: Address, meant: Address| {
            let is_coin = pool.pool_id.is_some() && one == Address::ZERO;
            one == meant || (is_coin && native == Some(meant))
        };
        let side = if is(pair.token0, token) && is(pair.token1, base_at) && pair.token0 != base_at {
            TokenSide::Token0
        } else if is(pair.token1, token) && is(pair.token0, base_at) {
            TokenSide::Token1
        } else {
            return Err(refused("it is of other tokens"));
        };
        let fee = pool.fee_millionths;
        let spacing = pool.tick_spacing;
        // what a creation says is proven: of an unusual fee nothing else shows the steps between ticks
        let bound = match &pool.creation_event {
            Some(creation) => self.created(pool, creation, (id, &pair), &slug)?,
            None => Factories::builtin()
                .bind(&slug, id, &pair, (fee, spacing))
                .ok_or_else(|| refused("it follows from no factory known here"))?,
        };
        let decimals = match side {
            TokenSide::Token0 => Decimals { token0: decimals, token1: base_decimals },
            TokenSide::Token1 => Decimals { token0: base_decimals, token1: decimals },
        };
        shown::check_bound(pool, &bound)?;
        let (state, at) = self.state(pool, id)?;
        shown::check_state(pool, &state, bound.is_stable)?;
        let age_seconds = self.price.block.timestamp.saturating_sub(at);
        let base = BasePrice { usd, mean_usd: None };
        let near = self.near(pool, &state)?;
        Ok(ObservedPool {
            bound,
            side,
            decimals,
            state: Some(state),
            age_seconds,
            mean: None,
            base,
            near,
        })
    }

    /// Liquidity at other prices, claimed by the service: at most the proven liquidity in force.
    fn near(
        &mut self,
        pool: &PricePool,
        state: &PoolState,
    ) -> Result<Option<u128>, PriceCheckError> {
        let Some(near) = &pool.near_liquidity else { return Ok(None) };
        let in_force = match state {
            PoolState::Spot(spot) => spot.liquidity,
            PoolState::Reserves(..) => None,
        };
        let number = near.parse::<u128>().ok().filter(|near| Some(*near) <= in_force);
        let number = number.ok_or_else(|| PriceCheckError::Pool {
            pool: pool.address.clone(),
            why: "its near_liquidity is no number up to the liquidity in force".to_owned(),
        })?;
        self.said.push(format!(
            "that pool {} has a mean liquidity of {number} within a hundredth of its price, which is its weight",
            pool.address
        ));
        Ok(Some(number))
    }

    /// Pool that a known factory created for these tokens, by a proven event.
    fn created(
        &self,
        pool: &PricePool,
        place: &EventPlace,
        (id, pair): (PoolId, &Pair),
        slug: &str,
    ) -> Result<FactoryPool, PriceCheckError> {
        let refused =
            |why: &str| PriceCheckError::Pool { pool: pool.address.clone(), why: why.to_owned() };
        let (by, event, _) = self.event(pool, place, id)?;
        let PoolEvent::Created(made) = event else {
            return Err(refused("what is said to have made it is no creation"));
        };
        if (made.token0, made.token1) != (pair.token0, pair.token1) {
            return Err(refused("it was made of other tokens"));
        }
        let bound = Factories::builtin().made_by(slug, by, &made);
        bound.ok_or_else(|| refused("it was made by no factory known here"))
    }

    /// Listing name for the chain's factories and tokens.
    fn slug(&self) -> Result<String, PriceCheckError> {
        let facts = self.events.values().next();
        let slug = facts.and_then(|facts| slug(facts.statement.chain, facts.network));
        slug.ok_or_else(|| PriceCheckError::NoPrice("its chain is not known here".to_owned()))
    }

    /// Pool state and its time: the last event plus later liquidity changes.
    fn state(&self, pool: &PricePool, id: PoolId) -> Result<(PoolState, u64), PriceCheckError> {
        let refused = |why: String| PriceCheckError::Pool { pool: pool.address.clone(), why };
        let (_, event, facts) = self.event(pool, &pool.last_event, id)?;
        let state = match event {
            PoolEvent::Reserves(reserves) => {
                PoolState::Reserves(reserves, tick::tick_of_reserves(reserves))
            }
            PoolEvent::Initialized(spot) | PoolEvent::Swapped(_, Some(spot)) => {
                PoolState::Spot(spot)
            }
            // a pool within a contract: who says it is that contract itself
            PoolEvent::Created(made) => PoolState::Spot(
                made.spot.ok_or_else(|| refused("its last event says no price".to_owned()))?,
            ),
            _ => return Err(refused("its last event says no price".to_owned())),
        };
        let header = facts.header.as_ref().and_then(|header| header.timestamp());
        let at = header.unwrap_or(pool.last_event_timestamp);
        let PoolState::Spot(spot) = state else { return Ok((state, at)) };
        let mut liquidity = spot.liquidity.unwrap_or(0);
        let place = |event: &EventPlace| (event.block_number.0, event.tx_index, event.log_index);
        let mut before = place(&pool.last_event);
        for later in &pool.later_events {
            if place(later) <= before {
                return Err(refused("its later events do not follow each other".to_owned()));
            }
            before = place(later);
            let (_, event, _) = self.event(pool, later, id)?;
            let change = match event {
                PoolEvent::Liquidity(change) => change,
                _ => return Err(refused("a later event is no change of its liquidity".to_owned())),
            };
            let is_met = change.ticks.is_some_and(|(low, high)| (low..high).contains(&spot.tick));
            let delta = change.delta.and_then(|delta| i128::try_from(delta).ok());
            let sum = delta.and_then(|delta| liquidity.checked_add_signed(delta));
            liquidity = sum
                .filter(|_| is_met)
                .ok_or_else(|| refused("its changes of liquidity do not add up".to_owned()))?;
        }
        Ok((PoolState::Spot(Spot { liquidity: Some(liquidity), ..spot }), at))
    }

    /// Proven pool event and its emitting contract.
    fn event(
        &self,
        pool: &PricePool,
        place: &EventPlace,
        id: PoolId,
    ) -> Result<(Address, PoolEvent, &Facts), PriceCheckError> {
        let refused =
            |why: &str| PriceCheckError::Pool { pool: pool.address.clone(), why: why.to_owned() };
        let key = (place.block_number.0, place.tx_index, place.log_index);
        let facts = self.events.get(&key).ok_or_else(|| refused("an event of it has no proof"))?;
        if place.block_number > self.price.block.number {
            return Err(refused("an event of it is after the block"));
        }
        let log = facts.log().ok_or_else(|| refused("an event of it is no log"))?;
        let by = Address::from(log.log.address.0);
        match decode(by, &log.log.topics, &log.log.data) {
            Some(DecodedPoolEvent { pool: of, event }) if of == id => Ok((by, event, facts)),
            _ => Err(refused("an event is not of this pool")),
        }
    }

    fn compare(&self, token: &str, computed: Decimal, said: &str) -> Result<(), PriceCheckError> {
        let computed = computed.text(DIGITS);
        if computed == said {
            return Ok(());
        }
        let token = token.to_owned();
        let said = said.to_owned();
        Err(PriceCheckError::Price { token, computed, said })
    }

    /// Service claims, including the ones found during the check.
    fn said(self) -> Vec<String> {
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

/// Listing name for a chain's factories; simulated chains use Ethereum's.
pub(crate) fn slug(chain: ChainKey, network: Network) -> Option<String> {
    if network == Network::Simulated {
        return Some("ethereum".to_owned());
    }
    let (_, row) = superroot_chain::ChainRegistry::builtin().by_key(chain)?;
    Some(row.slug.clone())
}

fn address(text: &str) -> Result<Address, PriceCheckError> {
    let wrong = || {
        PriceCheckError::NoPrice(format!(
            "{} is no address",
            superroot_types::first_chars(text, 60)
        ))
    };
    text.parse().map_err(|_| wrong())
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

impl CheckedPrice {
    /// SuperRoot that all proofs lead to.
    #[must_use]
    pub fn super_root_hash(&self) -> Option<Hash> {
        self.events.values().next().and_then(Facts::super_root_hash)
    }
}

//! Token prices.

use superroot_wire::paths;
use superroot_wire::price::TokenPrice;
use superroot_wire::signal::{Launches, Opportunities, ProofsBehind};

use crate::error::codes::{
    CHAIN_UNAVAILABLE, NO_PRICE, NOT_FINAL, NOT_FOUND, NOT_INDEXED, NOT_YET_ANCHORED, STARTING,
    TIMEOUT, TOO_MANY_STREAMS, UNKNOWN_CHAIN, UNKNOWN_SUPERROOT, WITHDRAWN,
};
use crate::route::{ApiRoute, EVENT_STREAM, RouteGroup, RouteOperation, RouteParameter};

mod answer;
pub(crate) mod arb;
mod arb_stream;
mod at;
pub(crate) mod launches;
pub(crate) mod price;
mod proof;

const QUESTION: &[RouteParameter] = &[
    RouteParameter::text(
        "block",
        "The block to price at: a number, or latest, the newest anchored one; the newest held if left out, with proof=1 latest",
        "^([0-9]{1,16}|latest)$",
    ),
    RouteParameter::integer("window", "Seconds of the mean, 60 to 3600; 1800 if left out"),
    RouteParameter::text(
        "proof",
        "1: with the proof of every event that the price rests on",
        "^[01]$",
    ),
    RouteParameter::text("note", "1: these proofs carry the newest signed note", "^[01]$"),
];
const ABOUT: &str = "The median of the token's pools with stablecoins and the chain's own coin, weighted by depth. Every pool names the event that its price follows from; proof=1 adds its proof, and superroot verify \
    computes the price again. 404 no_price says why there is none. See docs/prices.md.";

const OF_HASHES: &str = "proofHash of a launch is the Keccak-256 of the statements of two events, the pool's creation and its \
    liquidity: each family (1 byte), chain id (8), block hash (32), tx_index (4), log_index (4), big-endian. 409 until both \
    are anchored; 410 once one is undone.";

const OF_LAUNCHES: &[RouteParameter] = &[
    RouteParameter::text(
        "format",
        "json: the newest launches as a list, in place of a stream",
        "^json$",
    ),
    RouteParameter::text(
        "chain_id",
        "Chain id, name or CAIP-2 name; every chain if left out",
        "^[A-Za-z0-9 ._:-]+$",
    ),
    RouteParameter::integer("min_liquidity_usd", "Least liquidity in whole US dollars"),
    RouteParameter::integer("limit", "Of a list: how many, 1 to 500; 50 if left out"),
    RouteParameter::text(
        "finality",
        "Of a stream: when a launch is told, as its block is taken (head, if left out), finalized or anchored",
        "^(head|finalized|anchored)$",
    ),
    RouteParameter::text(
        "partial",
        "1: launches on chains whose pools are not all watched may be missing",
        "^[01]$",
    ),
    RouteParameter::text(
        "since",
        "Of a stream: goes on after that cursor; the header Last-Event-ID does the same and comes first",
        "^[0-9a-f]{16}-[0-9]+(-[0-9]+-[0-9]+)?$",
    ),
    crate::streams::TOKEN,
];
const ABOUT_LAUNCHES: &str = "A launch is a pool that a known factory made for an unknown token, once it has enough liquidity. Events: token_launch; \
    updated when most of its liquidity is gone; retracted, with block hashes, when blocks are undone.";
const OF_ARB_STREAM: &str = "Event arb, with what /signals/arb answers, each time that a price behind it changes. \
    There is no cursor.";
const MIN_NET: RouteParameter = RouteParameter::integer(
    "min_net_usd",
    "Least profit after costs, in whole US dollars; 1 if left out",
);
const OF_ARB: &[RouteParameter] = &[MIN_NET];
const ABOUT_ARB: &str = "One asset in two pools of one chain or of two. sizeUsd is the most profitable size. Gas is the next base fee and the usual tip; a swap's gas, the bridge's fee and its time are configured.";

pub(crate) fn routes() -> Vec<ApiRoute> {
    let mut routes = signal_routes();
    routes.extend([proof_route(), price_route()]);
    routes
}

fn signal_routes() -> Vec<ApiRoute> {
    vec![
        ApiRoute::paid(28, paths::LAUNCHES, RouteGroup::G5).serves(
            RouteOperation::get(
                "launches",
                "New tokens as they come, as server-sent events",
                launches::launches,
            )
            .query(OF_LAUNCHES)
            .errors(&[UNKNOWN_CHAIN, NOT_INDEXED, TOO_MANY_STREAMS, STARTING])
            .says(ABOUT_LAUNCHES)
            .returns::<Launches>()
            .or_events(),
        ),
        ApiRoute::paid(29, "/signals/arb", RouteGroup::G5).weighs(1).serves(
            RouteOperation::get("arbitrage", "Differences of prices, by what they bring", arb::arb)
                .query(OF_ARB)
                .errors(&[TIMEOUT])
                .says(ABOUT_ARB)
                .returns::<Opportunities>(),
        ),
        ApiRoute::paid(30, paths::ARB_STREAM, RouteGroup::G5).serves(
            RouteOperation::get(
                "arbitrageStream",
                "The same as they change, as server-sent events",
                arb_stream::stream,
            )
            .query(&[MIN_NET, crate::streams::TOKEN])
            .errors(&[TOO_MANY_STREAMS])
            .says(OF_ARB_STREAM)
            .returns_text(EVENT_STREAM),
        ),
    ]
}

fn proof_route() -> ApiRoute {
    ApiRoute::open(22, paths::HASH_PROOF, RouteGroup::G3).serves(
        RouteOperation::get(
            "proofByHash",
            "Proofs of the events behind a signal, by its hash",
            launches::behind,
        )
        .query(crate::proof::FIXED)
        .errors(&[
            NOT_FOUND,
            UNKNOWN_SUPERROOT,
            WITHDRAWN,
            NOT_FINAL,
            NOT_YET_ANCHORED,
            CHAIN_UNAVAILABLE,
        ])
        .says(OF_HASHES)
        .returns::<ProofsBehind>(),
    )
}

fn price_route() -> ApiRoute {
    ApiRoute::paid(26, "/price/{chain}/{token}", RouteGroup::G4).weighs(1).serves(
        RouteOperation::get(
            "price",
            "Price of a token, with the events that it follows from",
            price::price,
        )
        .query(QUESTION)
        .errors(&[
            UNKNOWN_CHAIN,
            NO_PRICE,
            NOT_FOUND,
            NOT_INDEXED,
            NOT_FINAL,
            NOT_YET_ANCHORED,
            WITHDRAWN,
            CHAIN_UNAVAILABLE,
            TIMEOUT,
        ])
        .says(ABOUT)
        .returns::<TokenPrice>(),
    )
}

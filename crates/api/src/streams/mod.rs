//! Events as they come: over HTTP, over a WebSocket, and the token with which a browser opens one.

use superroot_wire::account::StreamToken;

use crate::error::codes::{
    NOT_FOUND, NOT_INDEXED, NOT_PROVABLE, STARTING, TOO_MANY_STREAMS, UNKNOWN_CHAIN,
};
use crate::events::OF_EVENTS;
use crate::route::{EVENT_STREAM, Group, Operation, Parameter, Route};

mod ask;
mod listener;
mod open_key;
mod paced;
mod sse;
mod token;
mod upgrade;
mod ws;

pub(crate) use ask::{StreamAsk, has_every_launch, no_launches};
pub(crate) use listener::{HEARTBEAT, Listener, Word};
pub(crate) use open_key::OpenKey;
pub(crate) use paced::paced;
pub(crate) use sse::{event_stream, frame, open};

pub(crate) const TOKEN: Parameter = Parameter::text(
    "token",
    "A token of /api/v1/stream-token, where no header with a key can be set",
    "^srt_[0-9a-f]{48}$",
);
const ASKED: &[Parameter] = &[
    Parameter::text(
        "topics",
        "What is delivered, with commas between: superroot, anchored, finality, retraction, logs, orders, launches",
        "^[a-z]+(,[a-z]+)*$",
    )
    .required(),
    Parameter::text(
        "chain",
        "Chains, with commas between; all if left out",
        "^[A-Za-z0-9 ._:,-]+$",
    ),
    OF_EVENTS[0],
    OF_EVENTS[1],
    OF_EVENTS[2],
    OF_EVENTS[3],
    OF_EVENTS[4],
    Parameter::text(
        "finality",
        "When an event of logs, orders and launches is delivered: with its block (head; it may be undone), finalized (if \
         left out) or anchored; with topic finality and none of these: blocks of that finality alone",
        "^(head|finalized|anchored)$",
    ),
    Parameter::text(
        "order",
        "Of topic orders: this order alone, by its id",
        "^[0-9A-Za-z:_]+$",
    ),
    Parameter::text(
        "partial",
        "1: events of chains on which they are not watched may be missing; 0 (if left out): such a chain \
         that is named is refused",
        "^[01]$",
    ),
    Parameter::text(
        "tx",
        "Of topic anchored, with one chain: this transaction alone, at once where it is anchored",
        "^(0x)?[0-9a-fA-F]{64}$",
    ),
    Parameter::text(
        "since",
        "Goes on after that cursor; the header Last-Event-ID does the same and comes first",
        "^[0-9a-f]{16}-[0-9]+(-[0-9]+-[0-9]+)?$",
    ),
    TOKEN,
];
const ABOUT: &str = "Server-sent events: id is a cursor that outlives restarts, data a JSON object that names \
    its proof. Besides the topics: ready, undone, gap, stale, lagged and ended. See docs/streams.md.";
const OF_SOCKETS: &str = "Text messages of JSON. {\"op\": \"subscribe\", \"id\": \"a\", \"topics\": [\"logs\"], \
    \"chain\": [1]} with the members of /v5/stream, {\"op\": \"unsubscribe\", \"id\": \"a\"}, {\"op\": \"ping\"}. \
    Events come as {\"id\": \"a\", \"cursor\", \"event\", \"data\"}.";

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::paid(31, "/v5/stream", Group::G5).serves(
            Operation::get("stream", "Events as they come, as server-sent events", sse::stream)
                .query(ASKED)
                .errors(&[
                    UNKNOWN_CHAIN,
                    NOT_FOUND,
                    NOT_INDEXED,
                    NOT_PROVABLE,
                    TOO_MANY_STREAMS,
                    STARTING,
                ])
                .says(ABOUT)
                .returns_text(EVENT_STREAM),
        ),
        Route::paid(32, "/v5/ws", Group::G5).serves(
            Operation::get("webSocket", "Events as they come, over a WebSocket", ws::socket)
                .query(&[TOKEN])
                .errors(&[TOO_MANY_STREAMS])
                .says(OF_SOCKETS)
                .upgrades(),
        ),
        Route::paid(33, "/api/v1/stream-token", Group::Account).serves(
            Operation::post("streamToken", "A token that opens one stream", token::give)
                .says("For browsers, which set no header on a stream: goes into ?token=, once.")
                .creates()
                .returns::<StreamToken>(),
        ),
    ]
}

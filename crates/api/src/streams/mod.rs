//! Live events over HTTP and WebSocket, and browser stream tokens.

use superroot_wire::account::StreamToken;
use superroot_wire::paths;

use crate::error::codes::{
    NOT_FOUND, NOT_INDEXED, NOT_PROVABLE, STARTING, TOO_MANY_STREAMS, UNKNOWN_CHAIN,
};
use crate::events::OF_EVENTS;
use crate::route::{ApiRoute, EVENT_STREAM, RouteGroup, RouteOperation, RouteParameter};

mod ask;
mod listener;
mod named_texts;
mod open_key;
mod paced;
mod sse;
mod token;
mod upgrade;
mod ws;

pub(crate) use ask::{StreamAsk, has_every_launch, refuse_launches};
pub(crate) use listener::{HEARTBEAT, Listener, ListenerMessage};
pub(crate) use open_key::OpenKey;
pub(crate) use paced::paced;
pub(crate) use sse::{event_stream, frame, open};

pub(crate) const TOKEN: RouteParameter = RouteParameter::text(
    "token",
    "A token of /api/v1/stream-token, where no header with a key can be set",
    "^srt_[0-9a-f]{48}$",
);
const ASKED: &[RouteParameter] = &[
    RouteParameter::text(
        "topics",
        "What is delivered, with commas between: superroot, anchored, finality, retraction, logs, orders, launches",
        "^[a-z]+(,[a-z]+)*$",
    )
    .required(),
    RouteParameter::text(
        "chain",
        "Chains, with commas between; all if left out",
        "^[A-Za-z0-9 ._:,-]+$",
    ),
    OF_EVENTS[0],
    OF_EVENTS[1],
    OF_EVENTS[2],
    OF_EVENTS[3],
    OF_EVENTS[4],
    RouteParameter::text(
        "finality",
        "When an event of logs, orders and launches is delivered: with its block (head; it may be undone), finalized (if \
         left out) or anchored; with topic finality and none of these: blocks of that finality alone",
        "^(head|finalized|anchored)$",
    ),
    RouteParameter::text(
        "order",
        "Of topic orders: this order alone, by its id",
        "^[0-9A-Za-z:_]+$",
    ),
    RouteParameter::text(
        "partial",
        "1: events of chains on which they are not watched may be missing; 0 (if left out): such a chain \
         that is named is refused",
        "^[01]$",
    ),
    RouteParameter::text(
        "tx",
        "Of topic anchored, with one chain: this transaction alone, at once where it is anchored",
        "^(0x)?[0-9a-fA-F]{64}$",
    ),
    RouteParameter::text(
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

pub(crate) fn routes() -> Vec<ApiRoute> {
    vec![
        ApiRoute::paid(31, paths::STREAM, RouteGroup::G5).serves(
            RouteOperation::get(
                "stream",
                "Events as they come, as server-sent events",
                sse::stream,
            )
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
        ApiRoute::paid(32, paths::WEB_SOCKET, RouteGroup::G5).serves(
            RouteOperation::get("webSocket", "Events as they come, over a WebSocket", ws::socket)
                .query(&[TOKEN])
                .errors(&[TOO_MANY_STREAMS])
                .says(OF_SOCKETS)
                .upgrades(),
        ),
        ApiRoute::paid(33, "/api/v1/stream-token", RouteGroup::Account).serves(
            RouteOperation::post("streamToken", "A token that opens one stream", token::give)
                .says("For browsers, which set no header on a stream: goes into ?token=, once.")
                .creates()
                .returns::<StreamToken>(),
        ),
    ]
}

//! AsyncAPI 3.0 document: event streams, WebSocket, webhooks.

use serde_json::{Map, Value, json};
use superroot_account::SIGNAL_EVENT_WEIGHT;
use superroot_wire::Case;
use superroot_wire::anchor::WithAnchor;
use superroot_wire::paths;
use superroot_wire::signal::{Opportunities, TokenLaunch};
use superroot_wire::stream::{
    BlocksAnchored, BlocksReached, BlocksRetracted, BlocksUndone, LogDelivered, OrderStep,
    StreamEnded, StreamGap, StreamReady, StreamStale, SuperRootPublished,
};

use super::billing;
use super::schemas::{self, Schemas};
use crate::route::BodySchema;

type Event = (&'static str, &'static str, BodySchema);

fn events() -> Vec<Event> {
    vec![
        ("superroot", "A SuperRoot was published", BodySchema::new::<SuperRootPublished>()),
        ("anchored", "Blocks stand in a SuperRoot", BodySchema::new::<BlocksAnchored>()),
        ("finality", "Blocks were taken, or are final", BodySchema::new::<BlocksReached>()),
        ("undone", "Blocks that were taken are gone", BodySchema::new::<BlocksUndone>()),
        ("retraction", "Final blocks count no more", BodySchema::new::<BlocksRetracted>()),
        ("logs", "An event of a block", BodySchema::new::<LogDelivered>()),
        ("orders", "A step of an order across chains", BodySchema::new::<OrderStep>()),
        ("token_launch", "A new token's pool has liquidity", BodySchema::new::<TokenLaunch>()),
        ("updated", "That is all but gone", BodySchema::new::<TokenLaunch>()),
        ("gap", "What could not be told", BodySchema::new::<StreamGap>()),
        ("ready", "The first of a stream", BodySchema::new::<StreamReady>()),
        ("stale", "What lies between is not kept", BodySchema::new::<StreamStale>()),
        ("lagged", "It was read too slowly", BodySchema::new::<StreamEnded>()),
        ("ended", "The service or the key ends it", BodySchema::new::<StreamEnded>()),
        ("retracted", "Launches of these blocks count no more", BodySchema::new::<BlocksUndone>()),
        ("arb", "The differences of prices that pay", BodySchema::new::<Opportunities>()),
    ]
}

/// Events in `/signals/launches`.
const OF_LAUNCHES: [&str; 8] =
    ["token_launch", "updated", "retracted", "gap", "ready", "stale", "lagged", "ended"];
/// Events in `/signals/arb/stream`.
const OF_ARB: [&str; 2] = ["arb", "ended"];
/// Events billed at each delivery.
const SIGNALS: [&str; 3] = ["token_launch", "updated", "arb"];
/// Events that topic streams do not have.
const OF_SIGNALS_ALONE: [&str; 2] = ["retracted", "arb"];

pub(super) fn describe() -> Value {
    let schemas = collect_schemas();
    let messages = describe_messages(&schemas);
    let mut document = json!({
        "asyncapi": "3.0.0",
        "info": {
            "title": "SuperRoot streams",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "What the service pushes. Server-sent events carry the name in event, the \
                cursor in id and the payload in data; a WebSocket and webhooks put the same payload into \
                data of an object. docs/streams.md and docs/webhooks.md say how.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "defaultContentType": "application/json",
        "channels": describe_channels(&messages),
        "operations": describe_operations(),
        "components": {
            "messages": messages,
            "securitySchemes": {
                "ApiKey": { "type": "httpApiKey", "in": "header", "name": "X-API-Key" },
                "Bearer": { "type": "http", "scheme": "bearer" },
            },
        },
    });
    document["components"]["schemas"] = Value::Object(schemas.into_components());
    schemas::keep_used(&mut document);
    document
}

fn collect_schemas() -> Schemas {
    let mut schemas = Schemas::default();
    schemas.add(BodySchema::new::<WithAnchor>(), Case::Camel, true);
    for (_, _, schema) in events() {
        schemas.add(schema, Case::Camel, true);
    }
    schemas
}

/// Messages by event name.
fn describe_messages(schemas: &Schemas) -> Map<String, Value> {
    let anchor = schemas.reference(BodySchema::new::<WithAnchor>(), Case::Camel);
    let mut messages = Map::new();
    for (name, about, schema) in events() {
        let data = schemas.reference(schema, Case::Camel);
        let data = json!({ "allOf": [data, anchor] });
        let mut message = json!({
            "name": name, "title": about, "contentType": "application/json", "payload": data,
        });
        if SIGNALS.contains(&name) {
            message["x-billing-weight"] = SIGNAL_EVENT_WEIGHT.into();
            message["x-billing-rule"] = billing::OF_EVENTS.into();
        }
        messages.insert(name.to_owned(), message);
    }
    messages
}

fn describe_channels(messages: &Map<String, Value>) -> Value {
    let on_socket =
        describe_envelope(messages, json!({ "id": text(), "cursor": text(), "event": text() }));
    let sent = describe_envelope(
        messages,
        json!({ "type": text(), "timestamp": text(), "cursor": text() }),
    );
    let headers = json!({ "type": "object", "properties": {
        "webhook-id": text(), "webhook-timestamp": text(), "webhook-signature": text(),
    } });
    json!({
        "stream": {
            "address": paths::STREAM,
            "description": "Server-sent events over HTTP.",
            "messages": list_messages(messages, &is_of_topics),
        },
        "launches": {
            "address": paths::LAUNCHES,
            "description": "Server-sent events over HTTP: launches of tokens.",
            "messages": list_messages(messages, &|name| OF_LAUNCHES.contains(&name)),
        },
        "arb": {
            "address": paths::ARB_STREAM,
            "description": "Server-sent events over HTTP: differences of prices, each time that one changes.",
            "messages": list_messages(messages, &|name| OF_ARB.contains(&name)),
        },
        "socket": {
            "address": paths::WEB_SOCKET,
            "description": "A WebSocket with up to 16 subscriptions.",
            "messages": {
                "order": { "name": "order", "payload": describe_order() },
                "event": { "name": "event", "payload": on_socket },
            },
        },
        "webhook": {
            "address": null,
            "description": "POSTed to the address of a webhook, signed as Standard Webhooks says.",
            "messages": { "event": { "name": "event", "headers": headers, "payload": sent } },
        },
    })
}

fn is_of_topics(name: &str) -> bool {
    !OF_SIGNALS_ALONE.contains(&name)
}

/// References to the messages of a channel.
fn list_messages(
    messages: &Map<String, Value>,
    is_listed: &dyn Fn(&str) -> bool,
) -> Map<String, Value> {
    let listed = messages.keys().filter(|name| is_listed(name));
    let reference =
        |name: &String| (name.clone(), json!({ "$ref": format!("#/components/messages/{name}") }));
    listed.map(reference).collect()
}

/// Object with these members around the data of any event of a topic.
fn describe_envelope(messages: &Map<String, Value>, members: Value) -> Value {
    let pushed = messages.iter().filter(|(name, _)| is_of_topics(name));
    let any_of: Vec<Value> = pushed.map(|(_, message)| message["payload"].clone()).collect();
    let mut properties = members;
    properties["data"] = json!({ "anyOf": any_of });
    json!({ "type": "object", "properties": properties, "required": ["data"] })
}

/// Message from a client over the WebSocket.
fn describe_order() -> Value {
    json!({
        "type": "object",
        "required": ["op"],
        "properties": {
            "op": { "enum": ["subscribe", "unsubscribe", "ping"] },
            "id": text(),
            "topics": { "type": "array", "items": text() },
            "chain": { "type": "array" },
            "address": { "type": "array", "items": text() },
            "topic0": { "type": "array", "items": text() },
            "topic1": { "type": "array", "items": text() },
            "topic2": { "type": "array", "items": text() },
            "topic3": { "type": "array", "items": text() },
            "finality": { "enum": ["head", "finalized", "anchored"] },
            "partial": { "type": "boolean" },
            "tx": text(),
            "order": text(),
            "since": text(),
        },
        "examples": [{ "op": "subscribe", "id": "a", "topics": ["logs"], "chain": [1] }],
    })
}

fn describe_operations() -> Value {
    let keys = json!([
        { "$ref": "#/components/securitySchemes/ApiKey" },
        { "$ref": "#/components/securitySchemes/Bearer" },
    ]);
    let channel = |path: &str| json!({ "$ref": format!("#/channels/{path}") });
    json!({
        "listen": { "action": "send", "channel": channel("stream"), "security": keys },
        "launches": { "action": "send", "channel": channel("launches"), "security": keys },
        "arb": { "action": "send", "channel": channel("arb"), "security": keys },
        "order": {
            "action": "receive", "channel": channel("socket"), "security": keys,
            "messages": [{ "$ref": "#/channels/socket/messages/order" }],
        },
        "tell": {
            "action": "send", "channel": channel("socket"),
            "messages": [{ "$ref": "#/channels/socket/messages/event" }],
        },
        "deliver": { "action": "send", "channel": channel("webhook") },
    })
}

fn text() -> Value {
    json!({ "type": "string" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|one| references(one, found));
            }
            Value::Array(items) => items.iter().for_each(|one| references(one, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere_and_the_document_is_as_reviewed() {
        let document = describe();
        let mut all = Vec::new();
        references(&document, &mut all);
        assert!(all.len() > 20);
        for reference in all {
            let target = document.pointer(reference.strip_prefix('#').unwrap());
            assert!(target.is_some_and(|target| !target.is_null()), "{reference}");
        }
        super::super::written("asyncapi.json", &document);
    }

    /// A stream names its events as the document does.
    #[test]
    fn every_topic_is_described() {
        let document = describe();
        for topic in superroot_stream::Topic::ALL {
            // launches have the names that other mouths know them by
            let name = if topic.name() == "launches" { "token_launch" } else { topic.name() };
            assert!(document["components"]["messages"][name].is_object(), "{topic}");
        }
    }
}

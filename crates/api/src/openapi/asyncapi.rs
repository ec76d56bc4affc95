//! The AsyncAPI 3.0 document of what is pushed: event streams, WebSocket, webhooks.

use serde_json::{Map, Value, json};
use superroot_wire::Case;
use superroot_wire::anchor::WithAnchor;
use superroot_wire::signal::TokenLaunch;
use superroot_wire::stream::{
    BlocksAnchored, BlocksReached, BlocksRetracted, BlocksUndone, LogDelivered, OrderStep,
    StreamEnded, StreamGap, StreamReady, StreamStale, SuperRootPublished,
};

use super::schemas::{self, Schemas};
use crate::route::SchemaOf;

/// Name, what it says, schema, and whether it carries the anchor.
type Event = (&'static str, &'static str, SchemaOf, bool);

fn events() -> Vec<Event> {
    vec![
        ("superroot", "A SuperRoot was published", SchemaOf::new::<SuperRootPublished>(), true),
        ("anchored", "Blocks stand in a SuperRoot", SchemaOf::new::<BlocksAnchored>(), true),
        ("finality", "Blocks were taken, or are final", SchemaOf::new::<BlocksReached>(), true),
        ("undone", "Blocks that were taken are gone", SchemaOf::new::<BlocksUndone>(), true),
        ("retraction", "Final blocks count no more", SchemaOf::new::<BlocksRetracted>(), true),
        ("logs", "An event of a block", SchemaOf::new::<LogDelivered>(), true),
        ("orders", "A step of an order across chains", SchemaOf::new::<OrderStep>(), true),
        ("token_launch", "A new token's pool has liquidity", SchemaOf::new::<TokenLaunch>(), true),
        ("updated", "That is all but gone", SchemaOf::new::<TokenLaunch>(), true),
        ("gap", "What could not be told", SchemaOf::new::<StreamGap>(), true),
        ("ready", "The first of a stream", SchemaOf::new::<StreamReady>(), false),
        ("stale", "What lies between is not kept", SchemaOf::new::<StreamStale>(), false),
        ("lagged", "It was read too slowly", SchemaOf::new::<StreamEnded>(), false),
        ("ended", "The service or the key ends it", SchemaOf::new::<StreamEnded>(), false),
    ]
}

/// The document.
pub(crate) fn describe() -> Value {
    let mut schemas = Schemas::default();
    schemas.add(SchemaOf::new::<WithAnchor>(), Case::Camel, true);
    for (_, _, schema, _) in events() {
        schemas.add(schema, Case::Camel, true);
    }
    let anchor = schemas.reference(SchemaOf::new::<WithAnchor>(), Case::Camel);
    let mut messages = Map::new();
    for (name, about, schema, has_anchor) in events() {
        let data = schemas.reference(schema, Case::Camel);
        let data = if has_anchor { json!({ "allOf": [data, anchor] }) } else { data };
        let message = json!({
            "name": name, "title": about, "contentType": "application/json", "payload": data,
        });
        messages.insert(name.to_owned(), message);
    }
    let listed = |prefix: &str| -> Map<String, Value> {
        let reference =
            |name: &String| (name.clone(), json!({ "$ref": format!("{prefix}/{name}") }));
        messages.keys().map(reference).collect()
    };
    let of_components = listed("#/components/messages");
    let enveloped = |members: Value| {
        let any_of: Vec<Value> =
            messages.values().map(|message| message["payload"].clone()).collect();
        let mut properties = members;
        properties["data"] = json!({ "anyOf": any_of });
        json!({ "type": "object", "properties": properties, "required": ["data"] })
    };
    let text = || json!({ "type": "string" });
    let on_socket = enveloped(json!({ "id": text(), "cursor": text(), "event": text() }));
    let sent = enveloped(json!({ "type": text(), "timestamp": text(), "cursor": text() }));
    let order = json!({
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
            "since": text(),
        },
        "examples": [{ "op": "subscribe", "id": "a", "topics": ["logs"], "chain": [1] }],
    });
    let headers = json!({ "type": "object", "properties": {
        "webhook-id": text(), "webhook-timestamp": text(), "webhook-signature": text(),
    } });
    let keys = json!([
        { "$ref": "#/components/securitySchemes/ApiKey" },
        { "$ref": "#/components/securitySchemes/Bearer" },
    ]);
    let channel = |path: &str| json!({ "$ref": format!("#/channels/{path}") });
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
        "channels": {
            "stream": {
                "address": "/v5/stream",
                "description": "Server-sent events over HTTP.",
                "messages": of_components,
            },
            "socket": {
                "address": "/v5/ws",
                "description": "A WebSocket with up to 16 subscriptions.",
                "messages": {
                    "order": { "name": "order", "payload": order },
                    "event": { "name": "event", "payload": on_socket },
                },
            },
            "webhook": {
                "address": null,
                "description": "POSTed to the address of a webhook, signed as Standard Webhooks says.",
                "messages": { "event": { "name": "event", "headers": headers, "payload": sent } },
            },
        },
        "operations": {
            "listen": { "action": "send", "channel": channel("stream"), "security": keys },
            "order": {
                "action": "receive", "channel": channel("socket"), "security": keys,
                "messages": [{ "$ref": "#/channels/socket/messages/order" }],
            },
            "tell": {
                "action": "send", "channel": channel("socket"),
                "messages": [{ "$ref": "#/channels/socket/messages/event" }],
            },
            "deliver": { "action": "send", "channel": channel("webhook") },
        },
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
        insta::assert_json_snapshot!(document);
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

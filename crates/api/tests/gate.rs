//! Every route by every kind of caller: the table is made of the document, so that a route that comes
//! later joins it.

use crate::support;

use std::collections::BTreeSet;

use axum::body::Body;
use serde_json::{Value, json};
use superroot_account::{
    Actor, Environment, Grant, KeyChange, KeySecret, NewKey, Operator, Scope, Tier,
};
use superroot_types::{Address, ChainId, UnixSeconds};
use support::*;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Nobody,
    Tier(Tier),
    /// A builder's key confined to one route, and one that is confined to another chain.
    OtherRoute,
    OtherChain,
    Revoked,
    Expired,
    OtherWorld,
    Unknown,
    BadChecksum,
    TwoKeys,
}

const WHO: [Who; 13] = [
    Who::Nobody,
    Who::Tier(Tier::Explorer),
    Who::Tier(Tier::Builder),
    Who::Tier(Tier::Protocol),
    Who::Tier(Tier::Enterprise),
    Who::OtherRoute,
    Who::OtherChain,
    Who::Revoked,
    Who::Expired,
    Who::OtherWorld,
    Who::Unknown,
    Who::BadChecksum,
    Who::TwoKeys,
];

fn operator() -> Operator {
    Operator { who: "test".into(), why: "the gate's table".into() }
}

/// A key of a new account of that tier, made by `bend`.
fn key_of(
    world: &World,
    tier: Tier,
    new: &NewKey,
) -> (superroot_account::Account, String, superroot_account::KeyId) {
    let accounts = world.accounts.accounts();
    let (account, _) = accounts.register(Address([7; 20])).unwrap();
    let account = accounts.grant(&operator(), account.id, Some(&Grant::of(tier))).unwrap();
    let by = operator();
    let issued = accounts.create_key(Actor::Operator(&by), account.id, new).unwrap();
    (account, issued.secret.expose().to_owned(), issued.key.id)
}

fn keys(world: &World) -> Vec<(Who, Vec<(&'static str, String)>)> {
    let accounts = world.accounts.accounts();
    let plain = NewKey::default();
    let confined = |chains: Option<u64>, routes: Option<&str>| NewKey {
        scope: Scope {
            chains: chains.map(|chain| BTreeSet::from([ChainId(chain)])),
            routes: routes.map(|route| BTreeSet::from([route.parse().unwrap()])),
        },
        ..NewKey::default()
    };
    let one = |text: String| vec![("x-api-key", text)];
    let made = WHO.map(|who| {
        let headers = match who {
            Who::Nobody => vec![],
            Who::Tier(tier) => one(key_of(world, tier, &plain).1),
            Who::OtherRoute => {
                one(key_of(world, Tier::Builder, &confined(None, Some("/health/live"))).1)
            }
            Who::OtherChain => one(key_of(world, Tier::Builder, &confined(Some(10), None)).1),
            Who::Revoked => {
                let (account, text, key) = key_of(world, Tier::Builder, &plain);
                accounts.revoke_key(Actor::Operator(&operator()), account.id, key).unwrap();
                one(text)
            }
            Who::Expired => {
                let (account, text, key) = key_of(world, Tier::Builder, &plain);
                let expires_at = Some(Some(UnixSeconds(world.accounts.accounts().now().0 + 5)));
                let change = KeyChange { expires_at, ..KeyChange::default() };
                let by = operator();
                accounts.change_key(Actor::Operator(&by), account.id, key, &change).unwrap();
                world.clock.advance(10);
                one(text)
            }
            Who::OtherWorld => one(KeySecret::generate(Environment::Live).unwrap().expose().into()),
            Who::Unknown => one(KeySecret::generate(Environment::Test).unwrap().expose().into()),
            Who::BadChecksum => {
                let mut text = key_of(world, Tier::Builder, &plain).1;
                let last = text.pop().unwrap();
                text.push(if last == '0' { '1' } else { '0' });
                one(text)
            }
            Who::TwoKeys => {
                let (_, a, _) = key_of(world, Tier::Builder, &plain);
                let (_, b, _) = key_of(world, Tier::Builder, &plain);
                vec![("x-api-key", a), ("authorization", format!("Bearer {b}"))]
            }
        };
        (who, headers)
    });
    made.into_iter().collect()
}

/// Status and code that the gate answers; none where the request passes it. Written out by what the
/// documents say, not by the gate's own code.
fn expected(access: &str, has_chain: bool, who: Who) -> Option<(u16, &'static str)> {
    match (who, access) {
        (Who::TwoKeys, _) => Some((400, "two_keys")),
        (Who::Revoked | Who::Expired | Who::OtherWorld | Who::Unknown | Who::BadChecksum, _) => {
            Some((401, "invalid_api_key"))
        }
        (Who::Nobody, "anyone") => None,
        (Who::Nobody, _) => Some((401, "api_key_required")),
        (Who::Tier(Tier::Explorer), "builder") => Some((403, "tier_required")),
        (Who::Tier(_), _) => None,
        (Who::OtherRoute, _) => Some((403, "out_of_scope")),
        (Who::OtherChain, _) => has_chain.then_some((403, "out_of_scope")),
    }
}

/// A path with something well-formed in each place.
fn filled(path: &str) -> String {
    let fill = |segment: &str| match segment {
        "{chain}" | "{chain_id}" => "1".to_owned(),
        "{block}" | "{block_number}" => "20".to_owned(),
        "{tx_hash}" | "{hash}" | "{tx}" | "{superroot_hash}" | "{proof_hash}" => {
            format!("0x{}", "ab".repeat(32))
        }
        "{id}" | "{account_id}" => "7f0c1d2e-0000-4000-8000-000000000000".to_owned(),
        "{invoice}" => "2023-11".to_owned(),
        "{token}" => "weth".to_owned(),
        other if other.starts_with('{') => "0".to_owned(),
        other => other.to_owned(),
    };
    path.split('/').map(fill).collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn every_route_answers_every_caller_as_the_documents_say() {
    let mut settings = unlimited();
    settings.accounts.limit.failed_keys_per_minute = 0;
    let world = World::small(settings);
    let keys = keys(&world);
    let document = world.get("/openapi.json").await.json();
    let paths = document["paths"].as_object().unwrap();
    let named: BTreeSet<_> = paths.keys().cloned().collect();
    // methods of gRPC are in a contract of their own
    let is_rest = |path: &&str| !path.starts_with("/superroot.") && !path.starts_with("/grpc.");
    let metered = superroot_api::metered_routes().iter().map(|route| route.path).filter(is_rest);
    let metered = metered.map(|path| path.replace("{*", "{"));
    assert_eq!(named, metered.collect::<BTreeSet<_>>());
    let mut asked = 0;
    for (path, methods) in paths.iter().filter(|(path, _)| !path.starts_with("/health")) {
        for (method, operation) in methods.as_object().unwrap() {
            let access = operation["x-access"].as_str().unwrap();
            let has_chain = path.contains("{chain}") || path.contains("{chain_id}");
            for (who, headers) in &keys {
                let mut headers: Vec<_> =
                    headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                headers.push(("content-type", "application/json"));
                let body = if method == "get" || method == "delete" { "" } else { "{}" };
                let method = method.to_uppercase();
                let request = request(&method, &filled(path), &headers, Body::from(body));
                let reply = world.send(request).await;
                let at = format!("{method} {path} by {who:?}");
                check(&reply, &document, operation, expected(access, has_chain, *who), &at);
                asked += 1;
            }
        }
    }
    assert!(asked > 60 * WHO.len(), "{asked}");
}

fn check(
    reply: &Reply,
    document: &Value,
    operation: &Value,
    expected: Option<(u16, &'static str)>,
    at: &str,
) {
    let status = reply.status.as_u16();
    let documented = documented(document, operation, status);
    let documented = documented.unwrap_or_else(|| panic!("{status} is not documented: {at}"));
    for name in documented["headers"].as_object().into_iter().flat_map(|headers| headers.keys()) {
        let may_lack = matches!(name.as_str(), "Retry-After" | "WWW-Authenticate")
            || name.to_lowercase().contains("ratelimit");
        assert!(may_lack || reply.has(name), "{name} is missing at {at}");
    }
    assert!(reply.has("x-billing-weight"), "{at}");
    match expected {
        Some((status, code)) => {
            reply.problem(status, code);
            assert_eq!(reply.has("www-authenticate"), status == 401, "{at}");
        }
        None => {
            let is_json = reply.header("content-type").contains("json") && status != 304;
            let code = if is_json { reply.json()["code"].clone() } else { Value::Null };
            let of_the_gate = [
                "two_keys",
                "invalid_api_key",
                "api_key_required",
                "tier_required",
                "out_of_scope",
            ];
            assert!(!of_the_gate.iter().any(|one| code == *one), "{at}: {code}");
            assert!(status != 500, "{at}");
            assert_ne!(code, json!("method_not_allowed"), "{at}");
        }
    }
}

/// Whoever is refused for what was agreed must not look for it in a key that is confined to
/// nothing.
#[tokio::test]
async fn a_grid_outside_the_agreement_names_the_agreement_and_not_the_key() {
    let world = World::small(unlimited());
    let (account, key, _) = key_of(&world, Tier::Enterprise, &NewKey::default());
    let grids = Some(BTreeSet::from([superroot_account::Grid::G1]));
    let grant = Grant { grids, ..Grant::of(Tier::Enterprise) };
    world.accounts.accounts().grant(&operator(), account.id, Some(&grant)).unwrap();
    let refused = world.ask(&key, "GET", "/signals/arb", None).await;
    let problem = refused.problem(403, "grid_not_agreed");
    assert_eq!(problem["grid"], "G5");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("agreed for the account") && !detail.contains("confined"), "{detail}");
    world.ask(&key, "GET", "/v5/superroot", None).await.good();
}

#[tokio::test]
async fn chains_in_bodies_are_held_to_the_scope_too() {
    let world = World::small(unlimited());
    let scope = Scope { chains: Some(BTreeSet::from([ChainId(10)])), routes: None };
    let (_, key, _) = key_of(&world, Tier::Builder, &NewKey { scope, ..NewKey::default() });
    let headers = [("x-api-key", key.as_str()), ("content-type", "application/json")];
    let batch = json!({ "items": [{ "chain": 1, "block": 20 }] }).to_string();
    let send = |path: &'static str, body: String| {
        world.send(request("POST", path, &headers, Body::from(body)))
    };
    let refused = send("/v5/proof/batch", batch.clone()).await;
    let problem = refused.problem(403, "out_of_scope");
    assert_eq!(problem["outside"], "chain 1");
    let proof = world.get("/v5/proof/1/20").await.good();
    send("/kv/verify", json!({ "proof": proof }).to_string()).await.problem(403, "out_of_scope");
    let open = world.post("/v5/proof/batch", &serde_json::from_str(&batch).unwrap()).await;
    open.good();
}

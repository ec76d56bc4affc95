//! Attacks on accounts over HTTP: bodies of every wrong shape, keys smuggled in headers, forged
//! addresses, clocks that step back, texts that would be run where they are shown.

use crate::support;

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use axum::body::Body;
use serde_json::{Value, json};
use superroot_account::{Grant, Operator, Tier};
use support::*;

const WALLET: &str = "0x1111111111111111111111111111111111111111";

/// An integrator with a second key and a sub-account: what paths can name.
struct Victim {
    key: String,
    other_key: String,
    sub_account: String,
    sub_key: String,
}

impl Victim {
    async fn of(world: &World) -> Self {
        let body =
            world.post("/api/v1/register", &json!({ "wallet_address": WALLET })).await.json();
        let account = body["user_id"].as_str().unwrap().parse().unwrap();
        world.make_integrator(account);
        let by = Operator { who: "test".into(), why: "room for many requests".into() };
        let tier = Grant::of(Tier::Enterprise);
        world.accounts.accounts().grant(&by, account, Some(&tier)).unwrap();
        let key = text(&body, "/api_key");
        let made = world.ask(&key, "POST", "/api/v1/keys", Some(&json!({}))).await.json();
        let below = world.ask(&key, "POST", "/api/v1/sub-accounts", None).await.json();
        let sub_account = text(&below, "/user_id");
        let keys = format!("/api/v1/sub-accounts/{sub_account}/keys");
        let below = world.ask(&key, "GET", &keys, None).await.good();
        let sub_key = text(&below, "/keys/0/id");
        Self { key, other_key: text(&made, "/key/id"), sub_account, sub_key }
    }

    fn filled(&self, path: &str) -> String {
        let id = if path.contains("{account_id}") { &self.sub_key } else { &self.other_key };
        path.replace("{account_id}", &self.sub_account).replace("{id}", id)
    }

    /// Keys, sub-accounts and their keys, as they stand.
    async fn standing(&self, world: &World) -> Vec<Value> {
        let below = format!("/api/v1/sub-accounts/{}/keys", self.sub_account);
        let mut standing = Vec::new();
        for path in ["/api/v1/keys", "/api/v1/sub-accounts", &below] {
            let mut held = world.ask(&self.key, "GET", path, None).await.good();
            held.as_object_mut().unwrap().remove("v5_anchor");
            standing.push(held);
        }
        standing
    }
}

fn text(value: &Value, pointer: &str) -> String {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("{pointer}: {value}")).to_owned()
}

/// A megabyte of zeros in a thousand bytes.
fn gzip_bomb() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..64 {
        encoder.write_all(&[b' '; 1 << 20]).unwrap();
    }
    encoder.finish().unwrap()
}

/// Bodies that no route takes, with the media type where it is not JSON's.
fn wrong_bodies() -> Vec<(&'static str, Vec<u8>)> {
    let repeated = |text: &str, times: usize| text.repeat(times).into_bytes();
    let members: String = (0..50_000).map(|n| format!("\"m{n}\":{n},")).collect();
    let mut bodies: Vec<(&'static str, Vec<u8>)> = [
        "",
        " ",
        "null",
        "true",
        "7",
        "-0",
        "\"text\"",
        "[]",
        "[{}]",
        "[null]",
        "{",
        "}",
        "{}{}",
        "{} x",
        "{\"label\":}",
        "{label:1}",
        "{'label':'a'}",
        "{\"label\":\"a\",}",
        "// {}",
        "NaN",
        "{\"x\":1e999}",
        "{\"label\":\"a\",\"label\":\"b\"}",
        "{\"\":1}",
        "{\"__proto__\":{\"tier\":\"enterprise\"}}",
        "{\"constructor\":{}}",
        "{\"tier\":\"enterprise\",\"tier\":\"explorer\"}",
        "{\"\\u0000\":1}",
        "{\"label\":\"\\ud800\"}",
        "{\"label\":\"\\u202e\"}",
        "{\"label\":[[[]]]}",
        "{\"label\":{\"a\":{}}}",
        "{\"expires_at\":18446744073709551616}",
        "{\"expires_at\":-1}",
        "{\"expires_at\":1.5}",
        "{\"grace_seconds\":18446744073709551615}",
        "{\"grace_seconds\":1e3}",
        "{\"user_id\":\"x\"}",
        "{\"chains\":[]}",
        "{\"chains\":[null]}",
        "{\"routes\":[\"../../etc\"]}",
    ]
    .into_iter()
    .map(|body| (body, body.as_bytes().to_vec()))
    .collect();
    bodies.extend([
        ("deep list", repeated("[", 200_000)),
        ("deep object", repeated("{\"a\":", 100_000)),
        ("deep and closed", [repeated("[", 60_000), repeated("]", 60_000)].concat()),
        ("a long name", [b"{\"".to_vec(), repeated("a", 900_000), b"\":1}".to_vec()].concat()),
        ("many members", format!("{{{members}\"end\":0}}").into_bytes()),
        ("no UTF-8", b"{\"label\":\"\xff\xfe\"}".to_vec()),
        ("UTF-16", "{}".encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("zero bytes", vec![0; 64]),
        ("too large", vec![b' '; (1 << 20) + 1]),
    ]);
    bodies
}

/// Names and values.
type Headers<'a> = Vec<(&'a str, &'a str)>;

/// What a body is sent as, where not plainly as JSON.
fn wrong_headers() -> Vec<(Headers<'static>, Vec<u8>)> {
    let json_type = ("content-type", "application/json");
    vec![
        (vec![], b"{}".to_vec()),
        (vec![("content-type", "text/plain")], b"{}".to_vec()),
        (vec![("content-type", "multipart/form-data; boundary=x")], b"--x--".to_vec()),
        (vec![("content-type", "application/x-www-form-urlencoded")], b"label=a".to_vec()),
        (vec![("content-type", "application/jsonx")], b"{}".to_vec()),
        (vec![("content-type", "text/html, application/json")], b"{}".to_vec()),
        (vec![json_type, ("content-encoding", "gzip")], gzip_bomb()),
        (vec![json_type, ("content-encoding", "br")], b"{}".to_vec()),
        (
            vec![json_type, ("content-encoding", "identity"), ("content-encoding", "gzip")],
            gzip_bomb(),
        ),
    ]
}

/// No body makes a route fail, answer what its documents do not say, or change anything.
#[tokio::test]
async fn no_wrong_body_fails_a_route_or_changes_anything() {
    let mut settings = unlimited();
    settings.accounts.limit.registrations_per_hour = 0;
    let world = World::small(settings);
    let victim = Victim::of(&world).await;
    let document = world.get("/openapi.json").await.json();
    let mut cases: Vec<(String, Headers, Vec<u8>)> = Vec::new();
    for (name, body) in wrong_bodies() {
        cases.push((name.to_owned(), vec![("content-type", "application/json")], body));
    }
    for (headers, body) in wrong_headers() {
        cases.push((format!("{headers:?}"), headers, body));
    }
    let standing = victim.standing(&world).await;
    let mut asked = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            // a route that reads no body does its work whatever stands in it
            let is_read = operation.get("requestBody").is_some();
            let is_inert = operation["responses"].get("200").or(operation["responses"].get("201"));
            if method == "get" || (!is_read && is_inert.is_some()) {
                continue;
            }
            let may_lack_body = operation["requestBody"]["required"] == false;
            for (name, headers, body) in &cases {
                if may_lack_body && body.is_empty() {
                    continue;
                }
                let mut headers = headers.clone();
                headers.push(("x-api-key", &victim.key));
                let (method, path) = (method.to_uppercase(), victim.filled(path));
                let sent = request(&method, &path, &headers, Body::from(body.clone()));
                let reply = world.send(sent).await;
                let (status, at) = (reply.status.as_u16(), format!("{method} {path} with {name}"));
                let documented = documented(&document, operation, status);
                assert!(documented.is_some(), "{status} is not documented: {at}");
                let allowed: &[u16] =
                    if is_read { &[400, 413, 415] } else { &[400, 404, 413, 415, 503] };
                let said = String::from_utf8_lossy(&reply.bytes).into_owned();
                assert!(allowed.contains(&status), "{status}: {at}: {said}");
                assert!(said.len() < 2_000, "{at}: what was sent does not come back whole");
                asked += 1;
            }
        }
    }
    assert!(asked > 10 * cases.len(), "{asked}");
    assert_eq!(victim.standing(&world).await, standing);
}

/// A sender of chunks that never ends them is told no after the bound, and one that falls silent after
/// the time of a request.
#[tokio::test(flavor = "multi_thread")]
async fn chunks_without_end_are_given_up() {
    let mut settings = unlimited();
    settings.api.request_timeout_ms = 300;
    let world = World::small(settings);
    let address = world.listen().await;
    let head = |path: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Transfer-Encoding: chunked\r\n\r\n"
        )
    };
    for path in ["/kv/verify", "/api/v1/register", "/v5/proof/batch"] {
        let silent = exchange(address, format!("{}5\r\n{{\"a\":", head(path)).into_bytes()).await;
        assert!(silent.starts_with("HTTP/1.1 503 ") && silent.contains("timeout"), "{silent}");
    }
    let endless = move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(head("/kv/verify").as_bytes()).unwrap();
        let chunk = [b"10000\r\n".to_vec(), vec![b' '; 0x10000], b"\r\n".to_vec()].concat();
        // writing ends when the other side has had enough
        let sent = (0..100_000).take_while(|_| stream.write_all(&chunk).is_ok()).count();
        assert!(sent < 2_000, "{sent} chunks of 64 KiB were taken");
    };
    tokio::task::spawn_blocking(endless).await.unwrap();
}

/// A request is for one host: without one, or for two, it is refused (RFC 9112, section 3.2).
#[tokio::test(flavor = "multi_thread")]
async fn a_request_without_a_host_or_for_two_is_refused() {
    let world = World::small(unlimited());
    let address = world.listen().await;
    for (version, hosts, status) in [
        ("1.1", "", 400),
        ("1.1", "X-Api-Key: of nobody\r\n", 400),
        ("1.1", "Host: a\r\nHost: b\r\n", 400),
        ("1.1", "Host: a\r\nHost: a\r\n", 400),
        ("1.1", "Host: a, b\r\n", 400),
        ("1.1", "Host: a,b\r\n", 400),
        ("1.1", "Host: a b\r\n", 400),
        ("1.1", "Host: me@a\r\n", 400),
        ("1.1", "Host: a/b\r\n", 400),
        ("1.1", "Host: a\r\n", 200),
        ("1.1", "Host: [::1]:8080\r\n", 200),
        ("1.1", "Host:\r\n", 200),
        ("1.0", "", 200),
        ("1.0", "Host: a\r\nHost: b\r\n", 400),
    ] {
        for path in ["/v5/superroot", "/health/live"] {
            let head = format!("GET {path} HTTP/{version}\r\n{hosts}Connection: close\r\n\r\n");
            let answer = exchange(address, head.into_bytes()).await;
            let line = answer.lines().next().unwrap();
            assert!(line.contains(&format!(" {status} ")), "{version} {hosts:?}: {line}");
            assert!(status == 200 || answer.contains("\"parameter\":\"Host\""), "{answer}");
        }
        let head =
            format!("OPTIONS /v5/superroot HTTP/{version}\r\n{hosts}Connection: close\r\n\r\n");
        let line = exchange(address, head.into_bytes()).await;
        assert!(line.lines().next().unwrap().contains(&format!(" {status} ")), "{hosts:?}: {line}");
    }
}

/// One key however it is spelt; two never; and what is no key is not half of one.
#[tokio::test(flavor = "multi_thread")]
async fn no_key_is_smuggled_between_headers() {
    let mut settings = unlimited();
    settings.accounts.limit.keyless_per_minute = 10_000;
    settings.accounts.limit.failed_keys_per_minute = 10_000;
    let world = World::small(settings);
    let (a, b) = (world.key_of_tier(Tier::Builder), world.key_of_tier(Tier::Protocol));
    let address = world.listen().await;
    let (cut, rest) = a.split_at(20);
    for (lines, expected) in [
        (format!("X-API-Key: {a}"), "200 builder"),
        (format!("x-aPi-kEy:\t {a} \t"), "200 builder"),
        (format!("X-Service-Key: {a}"), "200 builder"),
        (format!("Authorization: bEARER   {a}"), "200 builder"),
        (format!("X-API-Key: {a}\r\nX-API-Key: {a}"), "200 builder"),
        (format!("X-API-Key: {a}\r\nAuthorization: Bearer {a}"), "200 builder"),
        (format!("X-API-Key: {a}\r\nX-API-Key: {b}"), "400 keyless"),
        (format!("X-API-Key: {a}\nX-Service-Key: {b}"), "400 keyless"),
        (format!("X-Service-Key: {b}\r\nX-API-Key: {a}"), "400 keyless"),
        (format!("X-Service-Key: {b}\r\nAuthorization: Bearer {a}"), "400 keyless"),
        (format!("Authorization: Bearer {a}\r\nAuthorization: Bearer {b}"), "400 keyless"),
        (format!("X-API-Key: {a}\r\nAuthorization: {b}"), "400 keyless"),
        (format!("X-API-Key: {a}\r\nAuthorization: Basic {b}"), "400 keyless"),
        // an empty line, and what a proxy asks for itself, present nothing
        (format!("X-API-Key: {a}\r\nX-API-Key:"), "200 builder"),
        (format!("X-API-Key: {a}\r\nAuthorization: Basic YTpi"), "200 builder"),
        ("Authorization: Basic YTpi".to_owned(), "401 keyless"),
        (format!("X-API-Key: {a}, {b}"), "401 keyless"),
        (format!("X-API-Key: {a},{a}"), "401 keyless"),
        (format!("X-API-Key: {a};{b}"), "401 keyless"),
        (format!("X-API-Key: \"{a}\""), "401 keyless"),
        (format!("X-API-Key: {a}\u{e9}"), "401 keyless"),
        (format!("X-API-Key: {a}\u{200b}"), "401 keyless"),
        (format!("X-API-Key: Bearer {a}"), "401 keyless"),
        (format!("X-API-Key: {}", a.to_uppercase()), "401 keyless"),
        (format!("Authorization: Bearer {a} {b}"), "401 keyless"),
        (format!("Authorization: Bearer{a}"), "401 keyless"),
        (format!("Authorization: {a}"), "401 keyless"),
        ("X-API-Key:".to_owned(), "401 keyless"),
        // halves in two lines are two keys, and not one
        (format!("X-API-Key: {cut}\r\nX-API-Key: {rest}"), "400 keyless"),
        // other names are no key at all
        (format!("X_API_Key: {a}"), "200 keyless"),
        (format!("Proxy-Authorization: Bearer {a}"), "200 keyless"),
        (format!("Cookie: x-api-key={a}"), "200 keyless"),
        // what HTTP does not allow never comes to a route
        (format!("X-API-Key: {cut}\r\n {rest}"), "400 none"),
        (format!("X-API-Key : {a}"), "400 none"),
        (format!(" X-API-Key: {a}"), "400 none"),
        (format!("X-API-Key: {a}\0"), "400 none"),
        (format!("X-API-Key: {cut}\r{rest}"), "400 none"),
        (format!("X-API-Key: {a}\r\nContent-Length: 1\r\nContent-Length: 2"), "400 none"),
    ] {
        let head = format!(
            "GET /v5/superroot HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{lines}\r\n\r\n"
        );
        let answer = exchange(address, head.into_bytes()).await;
        let policy = answer.lines().find_map(|line| line.strip_prefix("ratelimit-policy: \""));
        let policy = policy.and_then(|rest| rest.split('"').next()).unwrap_or("none");
        let shown = lines.replace(&a, "A").replace(&b, "B");
        let got = format!("{} {policy}", answer.get(9..12).unwrap_or_default());
        assert_eq!(got, expected, "{shown:?}");
        assert!(
            !answer.contains(rest) && !answer.contains(&b[20..]),
            "{shown:?}: no key comes back"
        );
    }
}

/// The headers in which proxies of all kinds say whom they speak for.
const FORGED: [&str; 9] = [
    "x-forwarded-for",
    "forwarded",
    "x-real-ip",
    "x-client-ip",
    "true-client-ip",
    "cf-connecting-ip",
    "x-cluster-client-ip",
    "fastly-client-ip",
    "x-original-forwarded-for",
];

/// Without a trusted proxy nobody is anybody else; behind one, only what the proxy itself wrote counts.
#[tokio::test]
async fn a_forged_address_buys_nothing_and_costs_nobody_else() {
    let mut settings = Settings::default();
    settings.accounts.limit.keyless_per_minute = 40;
    settings.api.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
    let world = World::empty(settings, 0);
    let left = async |peer: &str, headers: &[(&str, &str)]| -> u64 {
        let sent = from_peer(peer, "GET", "/api/v1/plans", headers, Body::empty());
        world.send(sent).await.header("x-ratelimit-remaining").parse().unwrap()
    };
    let victim = "198.51.100.7";
    let forwarded = format!("for={victim};proto=https, for=\"[2001:db8::1]:80\"");
    let many = vec![victim; 300].join(", ");
    let mut expected = 40;
    for name in FORGED {
        for value in [victim, &forwarded, "127.0.0.1", "::1", "10.0.0.9", &many] {
            expected = u64::max(expected, 1) - 1;
            assert_eq!(left("203.0.113.1", &[(name, value)]).await, expected, "{name}: {value}");
        }
    }
    assert_eq!(left(victim, &[]).await, 39, "nothing was counted for who was named");
    // behind the proxy: what a client wrote stands left of what the proxy wrote
    for (count, name) in (1..).zip(FORGED) {
        let (mine, theirs) = ("192.0.2.9", format!("{victim}, 192.0.2.9"));
        let headers: Vec<(&str, &str)> = match name {
            "x-forwarded-for" => vec![(name, &theirs)],
            _ => vec![(name, victim), ("x-forwarded-for", mine)],
        };
        assert_eq!(left("10.1.1.1", &headers).await, 40 - count, "{name}");
    }
    assert_eq!(left(victim, &[]).await, 38);
    let two_lines = [("x-forwarded-for", victim), ("x-forwarded-for", "192.0.2.9")];
    assert_eq!(left("10.1.1.1", &two_lines).await, 30);
}

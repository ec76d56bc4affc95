//! Laws of pages of twigs: a long step comes in pieces, each bounded, and nothing is made that the
//! caller does not need.

use crate::support;

use std::time::Duration;

use axum::body::Body;
use serde_json::{Value, json};
use superroot_proof::consistency::{Appending, Replay};
use superroot_store::layout::{BlockTip, block_key};
use superroot_store::{ScanOrder, Table, WriteBatch, read, write};
use superroot_types::*;
use superroot_wire::superroot::{TWIGS_MAX, parse_blob, parse_consistency, parse_twig_page};
use support::*;
use tower::ServiceExt;

/// Large answers that are in hand at one time.
const LARGE_MAX: usize = 64;

/// A recorded log that skips from block 5 far up: SuperRoot 1 seals `twigs` at once.
fn skipping(twigs: u64, settings: Settings) -> World {
    let mut world = World::of("ethereum", "recorded/api-tests", settings, 0);
    world.extend(5..6, true);
    world.step(100);
    let (store, key, mut batch) = (&*world.store, world.key(), WriteBatch::new());
    let number = BlockNumber(twigs * TWIG_BLOCKS + 3);
    let row = store.get(Table::Block, &block_key(key, BlockNumber(5))).unwrap().unwrap();
    batch.put(Table::Block, block_key(key, number), row);
    let mut state = read::load_chain_state(store, key).unwrap().unwrap();
    let tip = BlockTip { number, hash: state.head.unwrap().hash };
    (state.head, state.indexed, state.checked_to) = (Some(tip), Some(tip), Some(number));
    write::put_chain_state(&mut batch, key, &state);
    store.commit(batch).unwrap();
    world.step(200);
    world
}

async fn hash(world: &World, sequence: u64) -> Hash {
    let page = world.get(&format!("/v5/superroot/{sequence}")).await.good();
    page["superRootHash"].as_str().unwrap().parse().unwrap()
}

/// Asks for pages until all twigs came.
async fn fetch_due(world: &World, appending: &mut Appending) -> usize {
    let mut pages = 0;
    while let Some((family, due)) = appending.due() {
        let path = format!("/v5/mini-mmr/{family}/twigs?from={}&sequence=1", due.start);
        let reply = world.get(&path).await;
        assert!(reply.header("cache-control").contains("immutable"));
        assert!(reply.bytes.len() < 2 << 20, "{}", reply.bytes.len());
        let page = parse_twig_page(&reply.good()).unwrap();
        assert_eq!((page.family, page.from), (family, due.start.0));
        appending.take_all(&page.twigs).unwrap();
        pages += 1;
    }
    pages
}

#[tokio::test]
async fn a_long_step_comes_in_pages() {
    let count = 2 * TWIGS_MAX as u64 + 10;
    let world = skipping(count, unlimited());
    let (from, to) = (hash(&world, 0).await, hash(&world, 1).await);
    let whole = world.get("/v5/superroot/consistency?from=0&to=1&strength=full").await.good();
    assert_eq!(
        (&whole["appendedTwigs"], &whole["appendedTwigCount"]),
        (&Value::Null, &json!(count))
    );
    let (answer, unproven) = parse_consistency(&whole).unwrap();
    assert_eq!(unproven, ["v5Anchor"]);
    assert!(answer.verify(&from, &to).is_err(), "nothing is shown before the twigs came");
    let mut appending = answer.begin(&from, &to).unwrap();
    assert_eq!(fetch_due(&world, &mut appending).await, 3);
    appending.finish().unwrap();
    let mut replay = Replay::new();
    for (hash, twigs) in [(from, 0), (to, count)] {
        let (answer, _) = parse_blob(&world.get(&format!("/kv/blob/{hash}")).await.good()).unwrap();
        assert_eq!((answer.appended_count, answer.appended.is_none()), (twigs, twigs > 0));
        let mut step = replay.begin(answer.blob).unwrap();
        fetch_due(&world, &mut step.appending).await;
        replay.finish(step).unwrap();
    }
}

#[tokio::test]
async fn a_page_is_asked_for_in_bounds() {
    let world = World::sealed(unlimited());
    let newest = world.get("/v5/mini-mmr/evm/twigs?from=0").await;
    assert_eq!(newest.header("cache-control"), "no-cache");
    let page = parse_twig_page(&newest.good()).unwrap();
    assert_eq!((page.twigs.len(), page.twigs[0].twig_index.0), (1, 0));
    for path in ["evm/twigs?from=1", "evm/twigs?from=9007199254740991", "solana/twigs?from=0"] {
        let page = world.get(&format!("/v5/mini-mmr/{path}")).await.good();
        assert!(parse_twig_page(&page).unwrap().twigs.is_empty(), "{path}");
    }
    for (path, parameter) in [
        ("evm/twigs", "from"),
        ("evm/twigs?from=-1", "from"),
        ("evm/twigs?from=9007199254740992", "from"),
        ("evm/twigs?from=0&count=0", "count"),
        ("evm/twigs?from=0&count=4097", "count"),
        ("EVM/twigs?from=0", "family"),
        ("evm/twigs?from=0&sequence=x", "sequence"),
    ] {
        let problem = world.get(&format!("/v5/mini-mmr/{path}")).await;
        assert_eq!(problem.problem(400, "invalid_parameter")["parameter"], parameter, "{path}");
    }
    let unknown = world.get("/v5/mini-mmr/evm/twigs?from=0&sequence=9").await;
    unknown.problem(404, "unknown_superroot");
}

/// A service that renders every answer again.
fn uncached() -> Settings {
    let mut settings = unlimited();
    settings.api.remembered_bytes_max = 0;
    settings
}

/// The leaves are taken out of the store: whatever reads them fails from then on.
#[tokio::test]
async fn nothing_is_made_for_a_head_or_for_who_has_it() {
    let world = World::sealed(uncached());
    let blob = format!("/kv/blob/{}", hash(&world, 0).await);
    let twigs = "/v5/mini-mmr/evm/twigs?from=0&sequence=0";
    let mut tags = Vec::new();
    for path in [blob.as_str(), twigs] {
        let reply = world.get(path).await;
        reply.good();
        tags.push(reply.header("etag").to_owned());
        assert_eq!(world.get(path).await.header("etag"), tags[tags.len() - 1]);
    }
    assert_ne!(tags[0], tags[1]);
    let mut lost = WriteBatch::new();
    for (key, _) in world.store.scan(Table::MiniMmrLeaf, b"", None, 9, ScanOrder::Rising).unwrap() {
        lost.delete(Table::MiniMmrLeaf, key);
    }
    world.store.commit(lost).unwrap();
    for (path, tag) in [blob.as_str(), twigs].into_iter().zip(&tags) {
        let head = world.send(request("HEAD", path, &[], Body::empty())).await;
        assert_eq!((head.status.as_u16(), head.bytes.len()), (200, 0), "{path}");
        assert_eq!(head.header("etag"), tag);
        assert!(!head.has("content-length"), "the length was never known");
        let known = world.get_with(path, &[("if-none-match", tag)]).await;
        assert_eq!((known.status.as_u16(), known.bytes.len()), (304, 0), "{path}");
        world.get_with(path, &[("if-none-match", "\"other\"")]).await.problem(500, "internal");
    }
    let newest = request("HEAD", "/v5/mini-mmr/evm/twigs?from=0", &[], Body::empty());
    assert_eq!(world.send(newest).await.status.as_u16(), 200);
    let unknown = request("HEAD", "/kv/blob/0x12", &[], Body::empty());
    assert_eq!(world.send(unknown).await.status.as_u16(), 400);
}

#[tokio::test]
async fn what_is_large_weighs_in_the_limit() {
    let mut settings = Settings::default();
    settings.accounts.limit.keyless_per_minute = 10;
    let world = World::sealed(settings);
    let left = |reply: &Reply| reply.header("x-ratelimit-remaining").parse::<u32>().unwrap();
    // what is kept for all says nothing of one caller's limit
    let page = world.get("/v5/superroot/0").await;
    assert!(!page.has("x-ratelimit-remaining"));
    let root = page.good()["superRootHash"].as_str().unwrap().to_owned();
    let blob = world.get(&format!("/kv/blob/{root}")).await;
    assert_eq!((blob.status.as_u16(), blob.has("x-ratelimit-remaining")), (200, false));
    let head = request("HEAD", "/v5/mini-mmr/evm/twigs?from=0", &[], Body::empty());
    assert_eq!(left(&world.send(head).await), 8);
    for after in [4, 0] {
        let page = world.get("/v5/mini-mmr/evm/twigs?from=0").await;
        assert_eq!(left(&page), after);
    }
    world.get("/v5/mini-mmr/evm/twigs?from=0").await.problem(429, "rate_limited");
}

/// Large answers are in hand up to a bound, until their bodies are sent: one more waits for the first of them
/// that is, and what is small waits for none.
#[tokio::test]
async fn a_large_answer_waits_for_room() {
    let world = World::sealed(uncached());
    let path = format!("/kv/blob/{}", hash(&world, 0).await);
    let ask = || world.router.clone().oneshot(request("GET", &path, &[], Body::empty()));
    let mut unread = Vec::new();
    for _ in 0..LARGE_MAX {
        let answer = ask().await.unwrap();
        assert_eq!(answer.status(), 200);
        unread.push(answer);
    }
    let mut next = std::pin::pin!(ask());
    let waiting = tokio::time::timeout(Duration::from_millis(300), &mut next).await;
    assert!(waiting.is_err(), "there is room for more than {LARGE_MAX}");
    world.get("/v5/superroot").await.good();
    drop(unread.pop());
    let answer = tokio::time::timeout(Duration::from_secs(20), next).await;
    let answer = answer.expect("room that is given back is taken").unwrap();
    assert_eq!(answer.status(), 200);
}

//! What users see of the chains: status, the registry, coverage.

use crate::support;

use serde_json::{Value, json};
use superroot_api::{Backfill, ChainStage, Claimed, StatusError, WatchView};
use superroot_chain::ChainRegistry;
use superroot_source::{EndpointState, NodeReport};
use superroot_store::coverage::{self, CoverageRun};
use superroot_store::layout::{HeaderWhy, HeldRun, KeptEntries, RefusedRow, WatchFilter};
use superroot_store::{WriteBatch, write};
use superroot_types::{Address, BlockNumber, Hash, UnixSeconds};
use support::*;

fn endpoint(name: &str, state: EndpointState) -> NodeReport {
    NodeReport {
        name: name.into(),
        operator: format!("{name} & sons"),
        state,
        score: 0.5,
        head: Some(BlockNumber(33)),
        latency_ms: Some(40),
        call_count: 10,
        failure_count: 5,
        last_error: (state != EndpointState::Healthy).then(|| "<b>refused</b>".into()),
    }
}

/// A chain with everything that a status can tell.
fn told() -> World {
    let world = World::small(unlimited());
    world.clock.set(UnixSeconds(NOW + 60));
    world.status.set_store_bytes(4_096);
    world.status.set_free_bytes(Some(1 << 33));
    world.status.update(world.key(), |view| {
        view.state = ChainStage::Backfilling;
        view.sources = vec!["alpha".into(), "beta".into()];
        view.source_count = 3;
        view.endpoints =
            vec![endpoint("alpha", EndpointState::Healthy), endpoint("beta", EndpointState::Down)];
        view.last_error = Some(StatusError::new(&"beta: refused", UnixSeconds(NOW + 7)));
        view.watch = Some(WatchView::Some { address_count: 2, topic_count: 0 });
        view.backfill = Some(Backfill {
            to: BlockNumber(0),
            done_blocks: 10,
            total_blocks: 2_048,
            began_at: UnixSeconds(NOW),
        });
    });
    world
}

fn chain(body: &Value, id: u64) -> &Value {
    let chains = body["chains"].as_array().unwrap();
    chains.iter().find(|chain| chain["chain_id"] == id).unwrap()
}

#[tokio::test]
async fn status_shows_the_whole_service_at_one_glance() {
    let world = told();
    let body = world.get("/api/v1/status").await.good();
    assert_documented(&world.get("/openapi.json").await.json(), "Status", &body);
    assert_eq!((&body["status"], &body["origin"]), (&json!("ready"), &json!(ORIGIN)));
    assert_eq!(body["log_id"], world.get("/v5/superroot").await.good()["logId"]);
    assert_eq!((&body["uptime_seconds"], &body["time"]), (&json!(60), &json!(NOW + 60)));
    assert_eq!(body["store"]["bytes"], 4_096);
    assert_eq!(body["store"]["free_bytes"], 1_u64 << 33);
    assert!(body["store"]["commit_count"].as_u64().unwrap() > 3);
    assert_eq!(body["states"]["backfilling"], 1);
    let counts = body["states"].as_object().unwrap().values();
    assert_eq!(counts.map(|count| count.as_u64().unwrap()).sum::<u64>(), 27);
    let chain = chain(&body, 1);
    assert_eq!((&chain["state"], &chain["why"]), (&json!("backfilling"), &json!("beta: refused")));
    let numbers = [&chain["head"]["number"], &chain["finalized"]["number"], &chain["indexed"]];
    assert_eq!(numbers, [33, 32, 32]);
    assert_eq!((&chain["anchored"]["number"], &chain["lag_blocks"]), (&json!(31), &json!(2)));
    assert_eq!(chain["lag_seconds"], NOW + 60 - (GENESIS + 31));
    assert_eq!(chain["last_error"], json!({ "message": "beta: refused", "at": NOW + 7 }));
    assert_eq!(chain["endpoints"][0]["state"], "healthy");
    assert_eq!(
        chain["endpoints"][1],
        json!({
            "name": "beta",
            "operator": "beta & sons",
            "state": "down",
            "score": 0.5,
            "head": 33,
            "latency_ms": 40,
            "call_count": 10,
            "failure_count": 5,
            "last_error": "<b>refused</b>",
        })
    );
}

#[tokio::test]
async fn a_chain_that_does_not_move_says_why() {
    let world = told();
    let why = async || {
        let status = world.get("/api/v1/status").await.good();
        let row = chain(&status, 1).clone();
        let chains = world.get("/api/v1/chains").await.good();
        assert_eq!(chain(&chains, 1)["why"], row["why"]);
        assert_eq!(chain(&chains, 1)["state"], row["state"]);
        (row["state"].as_str().unwrap().to_owned(), row["why"].as_str().unwrap().to_owned())
    };
    world.clock.set(UnixSeconds(NOW + 300));
    let stalled = "no new block for 300 s, the limit is 240 s; 1 of 2 endpoints healthy";
    let expected = format!("beta: refused; {stalled}");
    assert_eq!(why().await, ("stalled".into(), expected));
    world.status.update(world.key(), |view| view.last_error = None);
    assert_eq!(why().await, ("stalled".into(), stalled.into()));
    world.status.update(world.key(), |view| view.state = ChainStage::NotFollowed);
    assert_eq!(why().await.0, "not_followed");
    world.halt(30);
    let (state, why) = why().await;
    assert_eq!(state, "halted");
    assert!(why.starts_with("it is halted at block 30: two hashes"), "{why}");
}

#[tokio::test]
async fn the_page_shows_each_chain_and_renews_itself_without_a_script() {
    let world = told();
    world.halt(30);
    let reply = world.get("/status").await;
    assert_eq!((reply.status.as_u16(), reply.header("cache-control")), (200, "no-cache"));
    assert_eq!(reply.header("content-type"), "text/html; charset=utf-8");
    assert!(reply.header("content-security-policy").contains("default-src 'none'"));
    let page = String::from_utf8(reply.bytes).unwrap();
    for part in [
        "http-equiv=\"refresh\"",
        "href=\"/api/v1/coverage/ethereum\">Ethereum</a></td><td class=\"off\">halted<br>10 of 2048",
        "<td>33</td><td>29</td><td>32</td><td>31</td>",
        "<td>1 of 2</td>",
        "beta: &lt;b&gt;refused&lt;/b&gt;",
        "it is halted at block 30: two hashes",
        "Retractions",
        "Not followed here, since no source of them is configured: ",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
    let starting = World::empty(unlimited(), 0).get("/status").await;
    assert_eq!(starting.status, 200);
}

#[tokio::test]
async fn retractions_are_published() {
    let world = told();
    for path in ["/api/v1/status", "/api/v1/coverage/1"] {
        assert_eq!(world.get(path).await.good()["retractions"], json!([]));
    }
    world.halt(30);
    let document = world.get("/openapi.json").await.json();
    for (path, schema) in [("/api/v1/status", "Status"), ("/api/v1/coverage/1", "Coverage")] {
        let body = world.get(path).await.good();
        let retraction = &body["retractions"][0];
        assert_eq!((&retraction["chain_id"], &retraction["number"]), (&json!(1), &json!(30)));
        assert_eq!(retraction["sources"], json!(["alpha", "gamma"]));
        assert_documented(&document, schema, &body);
    }
    assert_eq!(world.get("/api/v1/coverage/base").await.good()["retractions"], json!([]));
}

#[tokio::test]
async fn a_chain_that_no_source_is_configured_of_is_not_said_to_start() {
    let world = World::of("base", ORIGIN, unlimited(), 0);
    let body = world.get("/api/v1/status").await.good();
    assert_eq!(chain(&body, 8453)["state"], "starting");
    assert_eq!(chain(&body, 1)["state"], "not_followed");
    assert_eq!(chain(&body, 1)["why"], "no source of it is configured here");
    // whatever is asked of it, nothing is promised
    let hash = Hash([7; 32]);
    let world = World::small(unlimited());
    for path in ["/v5/proof/8453/5".to_owned(), format!("/v5/proof/tx/8453/{hash}")] {
        let refused = world.get(&path).await.problem(503, "chain_unavailable");
        assert_eq!(refused["retryable"], false, "{path}: {refused}");
    }
}

/// Blocks 0 to 32 held, of which some in other ways.
fn covered() -> World {
    let world = World::small(unlimited());
    let watch = WatchFilter::Some { addresses: [Address([7; 20])].into(), topics: [].into() };
    let run = |from, to, held| CoverageRun { from: BlockNumber(from), to: BlockNumber(to), held };
    let runs = [
        run(4, 7, HeldRun::Watched { watch_hash: watch.hash() }),
        run(8, 9, HeldRun::HeaderOnly { why: HeaderWhy::NothingWatched }),
        run(10, 11, HeldRun::Skipped),
        run(12, 12, HeldRun::Refused),
    ];
    let refused = RefusedRow { reason: "receipts root differs".into(), source: "beta".into() };
    let mut batch = WriteBatch::new();
    coverage::put_coverage(&mut batch, &*world.store, world.key(), &runs).unwrap();
    write::put_watch(&mut batch, world.key(), &watch);
    for number in [12, 33] {
        write::put_refused(&mut batch, world.key(), BlockNumber(number), &refused);
    }
    world.store.commit(batch).unwrap();
    world
}

#[tokio::test]
async fn coverage_tells_of_each_number_whether_and_how_it_is_held() {
    let world = covered();
    let body = world.get("/api/v1/coverage/1").await.good();
    assert_documented(&world.get("/openapi.json").await.json(), "Coverage", &body);
    let ranges: Vec<_> = body["ranges"].as_array().unwrap().iter().collect();
    let told = ranges.iter().map(|one| (one["from"].as_u64(), one["to"].as_u64(), &one["held"]));
    let told: Vec<_> = told.map(|(from, to, held)| (from.unwrap(), to.unwrap(), held)).collect();
    let expected = [
        (0, 3, &json!("whole")),
        (4, 7, &json!("watched")),
        (8, 9, &json!("header_only")),
        (10, 11, &json!("skipped")),
        (13, 32, &json!("whole")),
    ];
    assert_eq!(told, expected);
    assert_eq!(ranges[1]["watch_hash"], body["watch_list"]["hash"]);
    assert_eq!(ranges[2]["why"], "the watch list was empty");
    let refused = |number: u64| {
        json!({
            "from": number,
            "to": number,
            "reason": "refused",
            "detail": "receipts root differs",
        })
    };
    assert_eq!(body["gaps"], json!([refused(12), refused(33)]));
    assert_eq!(body["next_cursor"], Value::Null);
    assert_eq!(body["watch_list"]["addresses"], json!([Address([7; 20])]));
}

#[tokio::test]
async fn coverage_of_any_chain_says_how_to_have_more() {
    let world = covered();
    for row in ChainRegistry::builtin().rows().iter().filter(|row| row.key() != world.key()) {
        let body = world.get(&format!("/api/v1/coverage/{}", row.slug)).await.good();
        let gaps = body["gaps"].as_array().unwrap();
        let expected = [&json!(row.rules[0].from_number), &Value::Null, &json!("not_followed")];
        assert_eq!([&gaps[0]["from"], &gaps[0]["to"], &gaps[0]["reason"]], expected, "{body}");
        assert!(body["how_to_widen"][0].as_str().is_some(), "{body}");
        assert_eq!(body["ranges"], json!([]));
    }
}

#[tokio::test]
async fn parameters_of_coverage_are_bounded() {
    let world = World::small(unlimited());
    for (query, parameter) in [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=-1", "limit"),
        ("limit=", "limit"),
        ("limit=1&limit=2", "limit"),
        ("limit=18446744073709551616", "limit"),
        ("cursor=x", "cursor"),
        ("cursor=-1", "cursor"),
        ("cursor=0x10", "cursor"),
        ("cursor=9007199254740992", "cursor"),
        ("cursor=1&cursor=1", "cursor"),
    ] {
        let reply = world.get(&format!("/api/v1/coverage/1?{query}")).await;
        assert_eq!(reply.problem(400, "invalid_parameter")["parameter"], parameter, "{query}");
    }
    world.get("/api/v1/coverage/999999").await.problem(404, "unknown_chain");
    world.get("/api/v1/coverage/-1").await.problem(400, "invalid_parameter");
    let far = world.get("/api/v1/coverage/1?cursor=9007199254740991&limit=1000").await.good();
    assert_eq!((&far["ranges"], &far["gaps"]), (&json!([]), &json!([])));
}

#[tokio::test]
async fn what_users_see_of_chains_is_as_reviewed() {
    let world = told();
    for (name, path) in [("status_chain", "/api/v1/status"), ("chains_row", "/api/v1/chains")] {
        insta::assert_json_snapshot!(name, chain(&world.get(path).await.good(), 1));
    }
    insta::assert_json_snapshot!("coverage", covered().get("/api/v1/coverage/1").await.good());
}

/// What a live log says of blocks that it does not hold.
#[tokio::test]
async fn on_a_live_log_what_is_not_indexed_names_the_command_that_fetches_it() {
    let mut world = World::of("ethereum", "live/api-tests", unlimited(), 2_060);
    world.extend(2_048..2_052, true);
    world.step(100);
    let advanced_at = Some(UnixSeconds(NOW));
    world.status.update(world.key(), |view| {
        view.state = ChainStage::Following;
        (view.advanced_at, view.finalized_at) = (advanced_at, advanced_at);
        view.watch = Some(WatchView::Some { address_count: 0, topic_count: 0 });
    });
    let detail = async |path: &str| {
        let problem = world.get(path).await.problem(404, "not_indexed");
        assert_eq!(problem["scanned"], json!({ "from": 2_048, "to": 2_051 }), "{path}");
        problem["detail"].as_str().unwrap().to_owned()
    };
    let before = detail("/v5/proof/1/7").await;
    assert!(before.contains("`superroot backfill --chain ethereum --to 7` fetches it"), "{before}");
    let unknown = detail(&format!("/v5/tx/1/0x{}", "ab".repeat(32))).await;
    assert!(unknown.contains("watch list of [chain.ethereum]"), "{unknown}");
    let (to, began_at) = (BlockNumber(0), UnixSeconds(NOW));
    let backfill = Some(Backfill { to, done_blocks: 9, total_blocks: 2_048, began_at });
    world.status.update(world.key(), |view| view.backfill = backfill);
    let before = detail("/v5/proof/1/7").await;
    assert!(before.contains("are being fetched, 9 of 2048 are done"), "{before}");
    let body = world.get("/api/v1/coverage/1").await.good();
    let gap = json!({
        "from": 0,
        "to": 2_047,
        "reason": "backfilling",
        "detail": "older blocks are being fetched",
    });
    assert_eq!(body["gaps"], json!([gap]));
    assert_eq!(body["backfill"]["total_blocks"], 2_048);
}

/// Where every entry of every block is held, what is not among them is not there: no watch list
/// brings it. Where anything may be missing, nobody says so.
#[tokio::test]
async fn an_unknown_hash_of_a_chain_that_is_held_whole_does_not_exist() {
    let live = |chain: &str, from: u64| {
        let mut world = World::of(chain, "live/api-tests", unlimited(), 2_060);
        world.extend(from..from + 4, true);
        world.step(100);
        world.status.update(world.key(), |view| view.watch = Some(WatchView::All));
        world
    };
    let path = |chain: &str| format!("/v5/tx/{chain}/0x{}", "ab".repeat(32));
    let whole = live("ethereum", 0);
    for path in [path("1"), format!("/v5/event/1/0x{}/0", "ab".repeat(32))] {
        let problem = whole.get(&path).await.problem(404, "not_found");
        assert_eq!(problem["checked_to"], 3, "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(!detail.contains("watch") && !detail.contains("repair"), "{detail}");
    }
    let later = live("ethereum", 2_048);
    let problem = later.get(&path("1")).await.problem(404, "not_indexed");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("superroot backfill") && !detail.contains("watch list"), "{detail}");
    // an entry that no block shows may bear the hash
    let mut base = live("base", 0);
    receipts_differ(&mut base);
    let problem = base.get(&path("base")).await.problem(404, "not_indexed");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("whatever is watched or repaired"), "{detail}");
    assert!(!detail.contains("`superroot"), "nothing that can be done brings it: {detail}");
}

/// Headers 0 to 3 of a chain.
fn headers_of(chain: &str) -> World {
    let mut world = World::of(chain, ORIGIN, unlimited(), 0);
    world.kept = KeptEntries::Some(vec![]);
    world.extend(0..4, true);
    world.step(100);
    world
}

/// Has Base's row say that its receipts cannot be recomputed.
fn receipts_differ(world: &mut World) {
    let slug = "slug = \"base\"\n";
    let note = "unprovable = [{ from = 0, what = \"receipts\", why = \"receipts differ\" }]\n";
    let text = superroot_chain::registry::ROWS.replace(slug, &format!("{slug}{note}"));
    let mut api = world.api();
    api.registry = std::sync::Arc::new(ChainRegistry::parse(&text).unwrap());
    world.router = superroot_api::router(api);
}

#[tokio::test]
async fn what_can_never_be_proven_is_told_apart_from_what_is_not_indexed() {
    let world = headers_of("arbitrum");
    assert_eq!(world.get("/v5/proof/arbitrum/2").await.status, 200);
    let event = world.get("/v5/proof/event/arbitrum/2/0/0").await;
    let problem = event.problem(404, "not_provable");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("the body of block 2 cannot be recomputed: nodes do not"), "{detail}");
    let mut world = headers_of("base");
    let path = "/v5/proof/event/base/2/0/0";
    let problem = world.get(path).await.problem(404, "not_indexed");
    assert!(!problem["detail"].as_str().unwrap().contains("nothing more"), "{problem}");
    // where a part alone is missing, the rest may be indexed
    receipts_differ(&mut world);
    let problem = world.get(path).await.problem(404, "not_indexed");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("whatever is watched or repaired: receipts differ"), "{detail}");
}

/// Its nodes have 500 final blocks more than are held: no answer says that it is in step with them.
#[tokio::test]
async fn a_chain_behind_its_nodes_says_so_everywhere() {
    let world = World::small(unlimited());
    let claim = |finalized: u64, at: u64| {
        let (head, finalized, at) =
            (BlockNumber(finalized + 64), BlockNumber(finalized), UnixSeconds(at));
        world.status.update(world.key(), |view| view.claim(Claimed { head, finalized, at }));
    };
    claim(532, NOW);
    world.clock.set(UnixSeconds(NOW + 10));
    let document = world.get("/openapi.json").await.json();
    let status = world.get("/api/v1/status").await.good();
    assert_documented(&document, "Status", &status);
    assert_eq!(status["states"]["catching_up"], 1);
    let expected = json!({ "head": 596, "finalized": 532, "at": NOW });
    let finality = world.get("/finality/1").await.good();
    assert_documented(&document, "ChainFinality", &finality);
    let coverage = world.get("/api/v1/coverage/1").await.good();
    assert_documented(&document, "Coverage", &coverage);
    for body in [chain(&status, 1), &finality, &coverage] {
        assert_eq!((&body["state"], &body["claimed"]), (&json!("catching_up"), &expected));
        assert_eq!(body["catch_up"]["behind_blocks"], 500);
        let why = body["why"].as_str().unwrap();
        assert!(why.starts_with("500 final blocks behind its nodes, which are at 532"), "{why}");
    }
    let finalized = (&finality["finalized"]["number"], &finality["indexed"]);
    assert_eq!(finalized, (&json!(32), &json!(32)));
    assert_eq!((&finality["behind_blocks"], &finality["lag_blocks"]), (&json!(500), &json!(564)));
    assert_eq!(chain(&status, 1)["lag_blocks"], 596 - 31);
    let gap = &coverage["gaps"][0];
    assert_eq!((&gap["from"], &gap["to"]), (&json!(33), &json!(532)));
    assert_eq!(gap["reason"], "not_collected_yet");
    let page = String::from_utf8(world.get("/status").await.bytes).unwrap();
    assert!(page.contains("<td>596</td><td>532</td><td>32</td><td>31</td>"), "{page}");
    assert!(page.contains("500 final blocks behind its nodes"), "{page}");
    claim(32, NOW + 10);
    let status = world.get("/api/v1/status").await.good();
    assert_eq!(
        (&chain(&status, 1)["state"], &chain(&status, 1)["why"]),
        (&json!("following"), &Value::Null)
    );
}

/// Recordings of which no block counts: nobody is put off until a SuperRoot comes.
#[tokio::test]
async fn a_recorded_log_without_a_block_says_that_none_will_come() {
    let world = World::of("ethereum", "recorded/api-tests", unlimited(), 0);
    world.status.update(world.key(), |view| view.state = ChainStage::Recorded);
    for path in ["/finality/1", "/v5/superroot", "/v5/checkpoint", "/v5/proof/1/7", "/health/ready"]
    {
        let problem = world.get(path).await.problem(503, "nothing_recorded");
        assert_eq!(problem["retryable"], false, "{path}");
    }
    let status = world.get("/api/v1/status").await.good();
    assert_eq!(status["status"], "empty");
    let why = chain(&status, 1)["why"].as_str().unwrap();
    assert!(why.starts_with("none of its recorded blocks could be recomputed"), "{why}");
    world.ready.store(false, std::sync::atomic::Ordering::SeqCst);
    world.get("/finality/1").await.problem(503, "starting");
}

/// A service that has SuperRoots and not yet all of what was final says which of both it lacks.
#[tokio::test]
async fn a_service_that_catches_up_is_not_ready_for_another_reason() {
    let world = World::small(unlimited());
    world.ready.store(false, std::sync::atomic::Ordering::SeqCst);
    let problem = world.get("/health/ready").await.problem(503, "starting");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("not all that was final") && !detail.contains("first SuperRoot"));
}

/// A load balancer sends nobody any more, and whoever comes all the same is answered.
#[tokio::test]
async fn a_service_that_was_asked_to_stop_is_not_ready_and_serves_on() {
    let world = World::small(unlimited());
    assert_eq!(world.get("/health/ready").await.status, 200);
    world.status.stop();
    for path in ["/health/ready", "/health"] {
        let problem = world.get(path).await.problem(503, "stopping");
        assert_eq!(problem["retryable"], true, "{problem}");
    }
    for path in ["/health/live", "/v5/proof/1/20", "/v5/superroot"] {
        assert_eq!(world.get(path).await.status, 200, "{path}");
    }
}

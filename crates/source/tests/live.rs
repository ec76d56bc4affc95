//! Several nodes of one chain: what they agree on, who is asked, who is left alone. Time is paused.

mod support;

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use superroot_chain::UntrustedBlock;
use superroot_source::{
    BlockAt, BlockId, ErrorKind, FinalityAsk, LiveConfig, LiveSource, Needed, Parts, Source,
    SourceError, Transport,
};
use superroot_types::{BlockNumber, Network};
use tokio::time::Instant;

use support::ethereum;
use support::nodes::{Mode, Node, View, config, hash, live, state_of, transaction_hash};

const N: fn(u64) -> BlockNumber = BlockNumber;

fn three() -> Vec<Arc<Node>> {
    ["a", "b", "c"].map(Node::good).to_vec()
}

async fn after(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

async fn whole(source: &LiveSource, number: u64) -> Result<Option<String>, SourceError> {
    let fetched = source.fetch_block(BlockAt::Number(N(number)), Parts::Whole).await?;
    Ok(fetched.map(|fetched| fetched.sender.to_string()))
}

#[tokio::test(start_paused = true)]
async fn good_nodes_agree_on_tip_block_and_finality() {
    let nodes = three();
    let source = live(&nodes, config());
    assert_eq!((source.name(), source.network()), ("nodes of ethereum", Network::Live));
    assert!(source.report().iter().all(|report| report.state.name() == "untried"));
    let tip = source.fetch_tip().await.unwrap();
    let id = |number| BlockId { number: N(number), hash: hash(&View::at(100).hash(number)) };
    assert_eq!((tip.head, tip.safe, tip.finalized), (id(100), Some(id(95)), id(90)));
    for at in [BlockAt::Number(N(90)), BlockAt::Id(id(90))] {
        let fetched = source.fetch_block(at, Parts::Whole).await.unwrap().unwrap();
        assert!(["a", "b", "c"].contains(&&*fetched.sender));
    }
    let agreement = source.fetch_agreement(N(88)).await.unwrap();
    assert_eq!((agreement.hash, agreement.of), (Some(id(88).hash), 3));
    assert_eq!((agreement.sources.len(), agreement.rule.as_str()), (3, "finalized tag"));
    assert!(source.report().iter().all(|report| report.state.name() == "healthy"));
    assert_eq!(source.fetch_numbers(N(0), 10).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn making_a_source_sends_nothing_and_waits_for_nobody() {
    let nodes = [Node::new("a", View::at(1), Mode::Silent)];
    let source = live(&nodes, config());
    assert_eq!((nodes[0].request_count(), state_of(&source, "a")), (0, "untried"));
    let start = Instant::now();
    let error = source.fetch_tip().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(start.elapsed() <= Duration::from_millis(config().tip_timeout_ms));
}

#[tokio::test(start_paused = true)]
async fn a_lying_minority_is_left_alone_and_does_not_stop_the_others() {
    let nodes = ["a", "b", "c", "d"].map(Node::good).to_vec();
    nodes[2].state().view =
        View { branch: 9, fork: 50, head: 105, finalized: 104, ..View::at(100) };
    let source = live(&nodes, config());
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!(tip.finalized.number, N(90));
    assert_eq!(tip.finalized.hash, hash(&View::at(100).hash(90)));
    assert_eq!(state_of(&source, "c"), "wrong");
    let agreement = source.fetch_agreement(N(90)).await.unwrap();
    assert_eq!(agreement.sources, ["a", "b", "d"]);
    let asked = nodes[2].request_count();
    for number in 0..20 {
        assert_ne!(whole(&source, number).await.unwrap().unwrap(), "c");
    }
    assert_eq!(nodes[2].request_count(), asked, "nothing is sent to it meanwhile");
}

/// Three of five must agree, and the fifth lies faster than they answer.
#[tokio::test(start_paused = true)]
async fn a_fast_liar_does_not_keep_those_who_agree_from_being_heard() {
    let good = |(name, ms): (&str, u64)| Node::new(name, View::at(100), Mode::Slow(ms));
    let mut nodes: Vec<_> =
        [("a", 40), ("b", 300), ("c", 900), ("d", 950)].into_iter().map(good).collect();
    let liar = View { branch: 9, fork: 50, ..View::at(100) };
    nodes.push(Node::new("liar", liar, Mode::Good));
    let config = LiveConfig { quorum: 3, tip_patience_ms: 0, ..config() };
    let expected = hash(&View::at(100).hash(90));
    let source = live(&nodes, config);
    assert_eq!(source.fetch_tip().await.unwrap().finalized.hash, expected);
    let agreement = live(&nodes, config).fetch_agreement(N(90)).await.unwrap();
    assert_eq!((agreement.hash, agreement.sources.len()), (Some(expected), 4));
    assert_eq!(state_of(&source, "liar"), "wrong");
}

/// Two must agree, two lie together and at once, and the honest one is slow: it is waited for, and
/// contradicts.
#[tokio::test(start_paused = true)]
async fn as_many_liars_as_must_agree_move_nothing_while_one_honest_node_is_heard() {
    let lie = View { branch: 9, fork: 50, ..View::at(100) };
    for slow_ms in [0, 600, 2_000] {
        let nodes = [
            Node::new("liar", lie, Mode::Good),
            Node::new("other liar", lie, Mode::Good),
            Node::new("honest", View::at(100), Mode::Slow(slow_ms)),
        ];
        let source = live(&nodes, config());
        for _ in 0..3 {
            let error = source.fetch_agreement(N(90)).await.unwrap_err();
            let SourceError::Disagreement(said) = &error else { panic!("{error}") };
            assert_eq!((&said.sources.len(), &said.other_sources), (&2, &vec!["honest".into()]));
            let _ = source.fetch_tip().await;
        }
        assert_eq!(state_of(&source, "honest"), "healthy", "nobody knows who lies");
        nodes[1].state().view = View::at(100);
        let error = source.fetch_agreement(N(90)).await.unwrap_err();
        assert!(matches!(error, SourceError::Disagreement(_)), "still contradicted: {error}");
        nodes[0].state().view = View::at(100);
        assert_eq!(source.fetch_agreement(N(90)).await.unwrap().sources.len(), 3);
    }
}

/// One that never answers is waited for no longer than the time there is, and no more once it is down.
#[tokio::test(start_paused = true)]
async fn a_silent_node_delays_finality_by_a_bounded_time() {
    let nodes = three();
    nodes[2].set(Mode::Silent);
    let config = LiveConfig { timeout_ms: 2_000, ..config() };
    let source = live(&nodes, config);
    let start = Instant::now();
    let agreement = source.fetch_agreement(N(90)).await.unwrap();
    assert_eq!(agreement.sources, ["a", "b"]);
    assert!(start.elapsed() <= Duration::from_millis(config.tip_timeout_ms + 1));
    while state_of(&source, "c") != "down" {
        source.fetch_agreement(N(90)).await.unwrap();
        after(100).await;
    }
    let start = Instant::now();
    source.fetch_agreement(N(90)).await.unwrap();
    assert!(start.elapsed() <= Duration::from_millis(config.tip_patience_ms + 1));
}

/// Machines behind one address; which of them answers is up to the request and its place in line.
struct Gateway {
    machines: [Arc<Node>; 2],
    count: std::sync::atomic::AtomicUsize,
    choose: fn(&str, usize) -> usize,
}

impl Gateway {
    fn source(
        views: [View; 2],
        config: LiveConfig,
        choose: fn(&str, usize) -> usize,
    ) -> LiveSource {
        let machines = views.map(|view| Node::new("machine", view, Mode::Good));
        let gateway = Self { machines, count: 0.into(), choose };
        LiveSource::with_transports(ethereum(), vec![Arc::new(gateway)], config).unwrap()
    }
}

impl Transport for Gateway {
    fn name(&self) -> &str {
        "gateway"
    }

    fn exchange(
        &self,
        body: Vec<u8>,
    ) -> superroot_source::BoxFuture<
        '_,
        Result<superroot_source::Answer, superroot_source::TransportError>,
    > {
        let count = self.count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let text = String::from_utf8_lossy(&body).into_owned();
        self.machines[(self.choose)(&text, count)].exchange(body)
    }
}

/// A header proves what its hash is: who names another is wrong, and stops nobody.
#[tokio::test(start_paused = true)]
async fn a_node_that_its_own_header_refutes_is_wrong_and_says_nothing() {
    let view = View::at(100);
    for bent in ["hash", "gasUsed", "parentHash"] {
        let mut header = view.header(100);
        header[bent] =
            serde_json::json!(if bent == "gasUsed" { "0x7".to_owned() } else { view.hash(50) });
        let liar = Node::new("c", view, Mode::Result("eth_getBlockByNumber", header));
        let nodes = [Node::good("a"), Node::good("b"), liar];
        let source = live(&nodes, config());
        let tip = source.fetch_tip().await.unwrap();
        assert_eq!(tip.finalized.hash, hash(&view.hash(90)), "{bent}");
        assert_eq!(state_of(&source, "c"), "wrong", "{bent}");
        let report = source.report();
        let error = report[2].last_error.as_ref().unwrap();
        assert!(error.contains("the header of its block 100 refutes it"), "{}", error);
    }
}

/// The one machine says how far the chain is final, the other is on a branch that is not.
#[tokio::test(start_paused = true)]
async fn a_lone_gateway_of_two_minds_makes_nothing_final() {
    let by_tag: fn(&str, usize) -> usize =
        |text, _| usize::from(!text.contains("finalized") && !text.contains("latest"));
    let astray = View { branch: 2, fork: 15, ..View::at(100) };
    let asks = [FinalityAsk::Finalized, FinalityAsk::Latest, FinalityAsk::Confirmations(6)];
    for finality in asks {
        let config = LiveConfig { finality, ..config() };
        for number in [88, 89, 90] {
            let source = Gateway::source([View::at(100), astray], config, by_tag);
            let error = source.fetch_agreement(N(number)).await.unwrap_err();
            let of_two_minds =
                matches!(error, SourceError::Inconsistent { .. } | SourceError::Mismatch { .. });
            assert!(of_two_minds, "{finality:?} {number}: {error}");
            let source = Gateway::source([View::at(100); 2], config, by_tag);
            let agreement = source.fetch_agreement(N(number)).await.unwrap();
            assert_eq!(agreement.hash, Some(hash(&View::at(100).hash(number))));
            assert_eq!((agreement.sources.len(), agreement.of), (1, 1));
        }
    }
    // far below its final block the second answer is that of the other machine
    let in_turn: fn(&str, usize) -> usize = |_, count| count % 2;
    let source = Gateway::source([View::at(100), astray], config(), in_turn);
    let error = source.fetch_agreement(N(20)).await.unwrap_err();
    assert!(matches!(error, SourceError::Inconsistent { number: BlockNumber(20), .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let agreement = source.fetch_agreement(N(10)).await.unwrap();
    assert_eq!(agreement.hash, Some(hash(&View::at(100).hash(10))), "below the fork they agree");
}

/// What a lone node calls final is never past its own final block, whatever it was before.
#[tokio::test(start_paused = true)]
async fn a_lone_node_that_falls_back_makes_nothing_final() {
    let nodes = [Node::good("a")];
    let source = live(&nodes, config());
    source.fetch_tip().await.unwrap();
    nodes[0].state().view.finalized = 80;
    let error = source.fetch_agreement(N(90)).await.unwrap_err();
    assert!(matches!(error, SourceError::TooFewAgree { got: 0, .. }), "{error}");
    assert_eq!(source.needed(), Some(Needed { agree: 1, of: 1 }));
    let three = live(&three(), config());
    assert_eq!(three.needed(), Some(Needed { agree: 2, of: 3 }));
}

/// Who names heads that it does not have is left alone, and who has its head is not.
#[tokio::test(start_paused = true)]
async fn a_head_that_is_not_served_is_doubted_and_its_node_left_alone() {
    let nodes = three();
    let source = live(&nodes, config());
    nodes[1].state().view = View { branch: 9, fork: 99, ..View::at(103) };
    nodes[1].set(Mode::Null("eth_getBlockByHash"));
    for round in 1..=3 {
        let head = source.fetch_tip().await.unwrap().head;
        assert_eq!(head.number, N(103));
        assert_eq!(state_of(&source, "b"), "healthy", "{round}");
        source.doubt_head(head).await;
    }
    assert_eq!(state_of(&source, "b"), "wrong");
    for _ in 0..6 {
        let head = source.fetch_tip().await.unwrap().head;
        assert_eq!(head.number, N(100));
        source.doubt_head(head).await;
    }
    assert_eq!((state_of(&source, "a"), state_of(&source, "c")), ("healthy", "healthy"));
}

#[tokio::test(start_paused = true)]
async fn nodes_that_are_of_two_minds_stop_finality_and_are_named() {
    let nodes = three();
    nodes[1].state().view.branch = 9;
    let source = live(&nodes[..2], config());
    let error = source.fetch_tip().await.unwrap_err();
    let SourceError::Disagreement(disagreement) = &error else { panic!("{error}") };
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!((disagreement.number, &disagreement.chain), (N(90), &ethereum().key()));
    let mut sides = [&disagreement.sources[..], &disagreement.other_sources[..]];
    sides.sort_unstable();
    assert_eq!(sides, [&["a".to_owned()][..], &["b".to_owned()][..]]);
    assert_ne!(disagreement.hash, disagreement.other_hash);
    assert!(source.fetch_agreement(N(90)).await.is_err());
    // two against two: either side would be enough, so none is
    let more = [&nodes[0], &nodes[1], &nodes[2], &Node::good("d")].map(Arc::clone);
    more[2].state().view.branch = 9;
    let error = live(&more, config()).fetch_tip().await.unwrap_err();
    assert!(matches!(error, SourceError::Disagreement(_)), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Fewer liars than the quorum, whatever each of them claims, never move what is final off the
    /// line of the honest nodes, nor beyond what one of those calls final.
    #[test]
    fn a_lying_minority_never_moves_finality(
        quorum in 1_u32..4,
        honest in proptest::collection::vec((95_u64..100, 80_u64..95), 3..6),
        lies in proptest::collection::vec((2_u8..4, 0_u64..200, 0_u64..=1 << 40, 0_u64..=1 << 40, 0_usize..6), 0..3),
        seed: u64,
    ) {
        let liars = lies.len().min(quorum as usize - 1);
        let mut nodes: Vec<Arc<Node>> = Vec::new();
        let mut finals = Vec::new();
        for (index, (head, finalized)) in honest.iter().enumerate() {
            finals.push(*finalized);
            let view = View { finalized: *finalized, ..View::at(*head) };
            nodes.push(Node::new(&format!("honest {index}"), view, Mode::Good));
        }
        for (branch, fork, head, finalized, place) in lies.iter().take(liars) {
            let (fork, head, finalized) = (*fork, *head, *finalized);
            let view = View { branch: *branch, fork, head, finalized, ..View::at(0) };
            nodes.insert(place % nodes.len(), Node::new("liar", view, Mode::Good));
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let config = LiveConfig { quorum, seed: Some(seed), ..config() };
            let source = live(&nodes, config);
            for _ in 0..2 {
                let tip = match source.fetch_tip().await {
                    Ok(tip) => tip,
                    // a liar may withhold, never move
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
                        assert!(liars > 0, "{error}");
                        continue;
                    }
                };
                let number = tip.finalized.number.0;
                assert_eq!(tip.finalized.hash, hash(&View::at(100).hash(number)));
                assert!(number <= *finals.iter().max().unwrap());
                let agreement = source.fetch_agreement(tip.finalized.number).await.unwrap();
                assert_eq!(agreement.hash, Some(tip.finalized.hash));
                assert!(agreement.sources.len() >= quorum as usize);
            }
        });
    }
}

#[tokio::test(start_paused = true)]
async fn fewer_nodes_than_the_quorum_is_too_few_and_fewer_endpoints_is_said_honestly() {
    let nodes = three();
    nodes[1].set(Mode::Broken);
    nodes[2].set(Mode::Status(404, None));
    let source = live(&nodes, config());
    let error = source.fetch_tip().await.unwrap_err();
    assert!(
        matches!(error, SourceError::TooFewAgree { got: 1, expected: 2, of: 3, .. }),
        "{error}"
    );
    let error = source.fetch_agreement(N(90)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");

    let alone = live(&nodes[..1], config());
    assert_eq!(alone.fetch_tip().await.unwrap().finalized.number, N(90));
    let agreement = alone.fetch_agreement(N(90)).await.unwrap();
    assert_eq!((agreement.sources.len(), agreement.of), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn final_is_what_enough_nodes_call_final() {
    let nodes = three();
    for (node, finalized) in nodes.iter().zip([70, 95, 80]) {
        node.state().view.finalized = finalized;
    }
    let source = live(&nodes, config());
    assert_eq!(source.fetch_tip().await.unwrap().finalized.number, N(80));
    let agreement = source.fetch_agreement(N(80)).await.unwrap();
    assert_eq!(agreement.sources, ["b", "c"], "a does not call it final yet");
    let error = source.fetch_agreement(N(90)).await.unwrap_err();
    assert!(matches!(error, SourceError::TooFewAgree { got: 1, .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn finality_is_asked_as_the_chain_or_the_configuration_says() {
    let of = async |finality| {
        let nodes = three();
        let source = live(&nodes, LiveConfig { finality, ..config() });
        let tip = source.fetch_tip().await.unwrap();
        let rule = source.fetch_agreement(tip.finalized.number).await.unwrap().rule;
        let asked = nodes[0].state().calls.iter().any(|call| call["params"][0] == "finalized");
        (tip.finalized.number.0, rule, asked)
    };
    assert_eq!(of(FinalityAsk::Auto).await, (90, "finalized tag".into(), true));
    assert_eq!(of(FinalityAsk::Latest).await, (100, "latest block".into(), false));
    assert_eq!(of(FinalityAsk::Confirmations(7)).await, (93, "7 confirmations".into(), false));
    assert_eq!(of(FinalityAsk::Confirmations(700)).await.0, 0);
}

#[tokio::test(start_paused = true)]
async fn a_head_far_above_all_others_is_no_head() {
    let nodes = three();
    nodes[1].state().view.head = 1 << 50;
    let source = live(&nodes, config());
    assert_eq!(source.fetch_tip().await.unwrap().head.number, N(100));
    assert_eq!(state_of(&source, "a"), "healthy", "it does not lag behind a claim");
    nodes[1].state().view.head = 103;
    assert_eq!(source.fetch_tip().await.unwrap().head.number, N(103));
}

#[tokio::test(start_paused = true)]
async fn a_limited_endpoint_is_left_alone_until_its_time() {
    let nodes = three();
    let source = live(&nodes, config());
    source.fetch_tip().await.unwrap();
    nodes[0].set(Mode::Status(429, Some(30_000)));
    source.fetch_tip().await.unwrap();
    let asked = nodes[0].request_count();
    assert_eq!(state_of(&source, "a"), "limited");
    nodes[0].set(Mode::Good);
    for number in 0..28 {
        after(1_000).await;
        assert_ne!(whole(&source, number).await.unwrap().unwrap(), "a");
        source.fetch_tip().await.unwrap();
    }
    assert_eq!(nodes[0].request_count(), asked, "nothing is sent to it before its time");
    after(2_500).await;
    source.fetch_tip().await.unwrap();
    assert!(nodes[0].request_count() > asked);
    assert_eq!(state_of(&source, "a"), "healthy");
}

#[tokio::test(start_paused = true)]
async fn limits_are_obeyed_however_they_are_said() {
    for mode in [
        Mode::Status(429, None),
        Mode::Status(503, Some(2_000)),
        Mode::Error(-32005, "no"),
        Mode::Error(-32000, "Your app has exceeded its compute units per second capacity"),
        Mode::Error(-32029, "Too Many Requests"),
    ] {
        let nodes = three();
        nodes[0].set(mode.clone());
        let source = live(&nodes, config());
        source.fetch_tip().await.unwrap();
        assert_eq!(state_of(&source, "a"), "limited", "{mode:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_is_down_harms_nothing_and_comes_back() {
    for mode in [
        Mode::Broken,
        Mode::Silent,
        Mode::Status(502, None),
        Mode::Bytes(b"<!doctype html>".to_vec()),
        Mode::Bytes(b"".to_vec()),
        Mode::Bytes("[".repeat(50_000).into_bytes()),
        Mode::Bytes(br#"{"jsonrpc":"2.0","id":1e400,"result":1}"#.to_vec()),
        Mode::Bytes(vec![b' '; 2_000]),
        Mode::Error(-32000, "header not found"),
        Mode::WrongIds,
    ] {
        let nodes = three();
        nodes[1].set(mode.clone());
        let config = LiveConfig { timeout_ms: 2_000, body_bytes_max: 100_000, ..config() };
        let source = live(&nodes, config);
        for number in 0..10 {
            assert_ne!(whole(&source, number).await.unwrap().unwrap(), "b", "{mode:?}");
            source.fetch_tip().await.unwrap();
            after(500).await;
        }
        assert_eq!(state_of(&source, "b"), "down", "{mode:?}");
        let failed = source.report().remove(1);
        assert!(failed.failure_count > 0 && failed.score < 0.5, "{mode:?} {failed:?}");
        assert!(failed.last_error.is_some(), "{mode:?}");
        nodes[1].set(Mode::Good);
        after(40_000).await;
        source.fetch_tip().await.unwrap();
        assert_eq!(state_of(&source, "b"), "healthy", "{mode:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_past_its_bound_is_not_used() {
    let nodes = three();
    nodes[0].set(Mode::Bytes(vec![b'['; 100_001]));
    let source = live(&nodes, LiveConfig { body_bytes_max: 100_000, ..config() });
    source.fetch_tip().await.unwrap();
    let error = source.report().remove(0).last_error.unwrap();
    assert_eq!(error, "an answer of more than 100000 bytes");
}

#[tokio::test(start_paused = true)]
async fn a_node_of_another_chain_is_never_used() {
    let nodes = three();
    nodes[0].state().view.chain_id = 2;
    let source = live(&nodes, config());
    for number in 0..20 {
        assert_ne!(whole(&source, number).await.unwrap().unwrap(), "a");
    }
    source.fetch_tip().await.unwrap();
    assert_eq!(state_of(&source, "a"), "wrong");
    let why = source.report().remove(0).last_error.unwrap();
    assert!(why.ends_with("with chain id 0x2, expected 0x1"), "{why}");
    // it is mended: asked again when its time has come
    nodes[0].state().view.chain_id = 1;
    after(config().wrong_pause_max_ms).await;
    source.fetch_tip().await.unwrap();
    assert_eq!(state_of(&source, "a"), "healthy");
}

/// Waiting mends a node that is silent, and not one that is of another chain.
#[tokio::test(start_paused = true)]
async fn the_chain_is_expected_of_one_node_and_refused_where_every_node_has_another() {
    let nodes = three();
    let source = live(&nodes, config());
    nodes[0].state().view.chain_id = 2;
    nodes[1].state().view.chain_id = 5;
    source.expect_chain().await.unwrap();
    let nodes = three();
    let source = live(&nodes, config());
    for node in &nodes {
        node.state().view.chain_id = 5;
    }
    let error = source.expect_chain().await.unwrap_err();
    assert!(matches!(error, SourceError::Mismatch { field: "chain id", .. }), "{error}");
    for node in &nodes {
        assert_eq!(node.count("eth_chainId"), 1, "each is asked once");
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_that_lost_its_connection_is_asked_for_its_chain_again() {
    let nodes = three();
    let source = live(&nodes[..1], config());
    whole(&source, 1).await.unwrap();
    assert_eq!(nodes[0].count("eth_chainId"), 1);
    whole(&source, 2).await.unwrap();
    assert_eq!(nodes[0].count("eth_chainId"), 1, "once is enough");
    nodes[0].set(Mode::Broken);
    assert!(source.fetch_tip().await.is_err());
    nodes[0].set(Mode::Good);
    nodes[0].state().view.chain_id = 5;
    let error = whole(&source, 3).await.unwrap_err();
    assert!(matches!(error, SourceError::Mismatch { field: "chain id", .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn whoever_is_blamed_is_not_asked_until_its_pause_is_over() {
    let nodes = three();
    let source = live(&nodes, config());
    source.fetch_tip().await.unwrap();
    source.blame("b", "its receipts root differs");
    source.blame("nobody", "no such node");
    assert_eq!(state_of(&source, "b"), "wrong");
    assert_eq!(source.report()[1].last_error.as_deref(), Some("its receipts root differs"));
    for number in 0..20 {
        assert_ne!(whole(&source, number).await.unwrap().unwrap(), "b");
    }
    after(config().wrong_pause_ms).await;
    source.fetch_tip().await.unwrap();
    assert_eq!(state_of(&source, "b"), "healthy");
}

#[tokio::test(start_paused = true)]
async fn a_block_comes_from_another_node_when_the_first_does_not_give_it() {
    for mode in [
        Mode::Silent,
        Mode::Null("eth_getBlockByNumber"),
        Mode::Null("eth_getBlockReceipts"),
        Mode::MethodError("eth_getBlockReceipts", -32000, "internal"),
    ] {
        let nodes = three();
        let source = live(&nodes, LiveConfig { timeout_ms: 1_000, ..config() });
        source.fetch_tip().await.unwrap();
        for node in &nodes[..2] {
            node.set(mode.clone());
        }
        for number in 0..8 {
            let sender = whole(&source, number).await.unwrap();
            assert_eq!(sender.as_deref(), Some("c"), "{mode:?}");
        }
    }
}

/// For a second opinion: those who gave the first are not asked.
#[tokio::test(start_paused = true)]
async fn a_block_of_others_comes_of_others() {
    let nodes = three();
    let source = live(&nodes, config());
    source.fetch_tip().await.unwrap();
    for number in 0..10 {
        let at = BlockAt::Number(N(number));
        let of = async |names: &[&str]| {
            let names: Vec<Arc<str>> = names.iter().map(|name| (*name).into()).collect();
            let fetched = source.fetch_block_of_others(at, Parts::Whole, &names).await.unwrap();
            fetched.map(|fetched| fetched.sender.to_string())
        };
        assert_eq!(of(&["a", "c"]).await.as_deref(), Some("b"));
        assert_ne!(of(&["b"]).await.as_deref(), Some("b"));
        assert_eq!(of(&["a", "b", "c"]).await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn there_is_no_block_only_when_no_node_has_it() {
    let nodes = three();
    let source = live(&nodes, config());
    assert_eq!(whole(&source, 101).await.unwrap(), None);
    assert!(nodes.iter().all(|node| node.count("eth_getBlockByNumber") == 1));
    let unknown = BlockId { number: N(50), hash: hash(&support::hash_text(9)) };
    assert_eq!(source.fetch_block(BlockAt::Id(unknown), Parts::Header).await.unwrap(), None);
    nodes[2].set(Mode::Broken);
    let error = whole(&source, 101).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "c may have it: {error}");
}

#[tokio::test(start_paused = true)]
async fn tries_are_bounded_in_number_and_in_time() {
    let nodes = three();
    for node in &nodes {
        node.set(Mode::Status(500, None));
    }
    let source = live(&nodes, LiveConfig { attempts_max: 5, ..config() });
    let error = whole(&source, 1).await.unwrap_err();
    assert!(matches!(error, SourceError::Status { got: 500, .. }), "{error}");
    let requests: usize = nodes.iter().map(|node| node.request_count()).sum();
    // of each try the batch, and its two calls singly: it may have been too large
    assert!(requests <= 5 * 3, "{requests}");

    for node in &nodes {
        node.set(Mode::Silent);
    }
    let source = live(&nodes, LiveConfig { fetch_timeout_ms: 9_000, ..config() });
    let start = Instant::now();
    let error = whole(&source, 1).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(start.elapsed() <= Duration::from_millis(9_001));
}

#[tokio::test(start_paused = true)]
async fn another_block_than_the_one_asked_for_is_wrong() {
    struct Other(Arc<Node>);
    impl Transport for Other {
        fn name(&self) -> &str {
            "other"
        }
        fn exchange(
            &self,
            body: Vec<u8>,
        ) -> superroot_source::BoxFuture<
            '_,
            Result<superroot_source::Answer, superroot_source::TransportError>,
        > {
            let text = String::from_utf8(body).unwrap().replace("\"0x5\"", "\"0x6\"");
            self.0.exchange(text.into_bytes())
        }
    }
    let other = Arc::new(Other(Node::good("inner")));
    let source = LiveSource::with_transports(ethereum(), vec![other], config()).unwrap();
    let error = whole(&source, 5).await.unwrap_err();
    assert!(matches!(error, SourceError::Mismatch { field: "number", .. }), "{error}");
    assert_eq!(state_of(&source, "other"), "wrong");
}

#[tokio::test(start_paused = true)]
async fn calls_made_at_one_time_go_out_together() {
    let nodes = [Node::good("a")];
    let source = live(&nodes, config());
    whole(&source, 1).await.unwrap();
    nodes[0].state().requests.clear();
    let fetches = (1..=16).map(|number| source.fetch_whole(N(number)));
    let blocks = futures_util::future::join_all(fetches).await;
    assert!(blocks.iter().all(|block| matches!(block, Ok(Some(_)))));
    assert_eq!(nodes[0].state().requests, [32], "16 blocks and their receipts");
}

#[tokio::test(start_paused = true)]
async fn batches_that_are_refused_or_answered_badly_are_made_call_by_call() {
    for mode in [Mode::NoBatch, Mode::BatchStatus(413), Mode::Partial, Mode::Twice, Mode::Reversed]
    {
        let nodes = [Node::new("a", View::at(100), mode.clone())];
        let source = live(&nodes, config());
        let tip = source.fetch_tip().await.unwrap_or_else(|error| panic!("{mode:?}: {error}"));
        assert_eq!(tip.finalized.number, N(90), "{mode:?}");
        let fetches = (1..=8).map(|number| whole(&source, number));
        for fetched in futures_util::future::join_all(fetches).await {
            assert_eq!(fetched.unwrap().as_deref(), Some("a"), "{mode:?}");
        }
        assert_ne!(state_of(&source, "a"), "down", "{mode:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_node_does_not_hold_up_the_others() {
    let nodes = three();
    nodes[2].set(Mode::Slow(4_000));
    let source = live(&nodes, config());
    let start = Instant::now();
    source.fetch_tip().await.unwrap();
    assert!(start.elapsed() <= Duration::from_millis(config().tip_patience_ms + 1));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_stands_still_lags_and_is_asked_last() {
    let nodes = three();
    let source = live(&nodes, config());
    source.fetch_tip().await.unwrap();
    for number in 101..=160 {
        for node in &nodes[..2] {
            node.state().view = View::at(number);
        }
        after(12_000).await;
        source.fetch_tip().await.unwrap();
    }
    assert_eq!(state_of(&source, "c"), "lagging");
    let mut senders = Vec::new();
    for number in 0..100 {
        senders.push(whole(&source, number).await.unwrap().unwrap());
    }
    let of_c = senders.iter().filter(|sender| *sender == "c").count();
    assert!(of_c < 15, "{of_c} of 100");
    assert!(whole(&source, 150).await.unwrap().is_some(), "the others have it");
}

#[tokio::test(start_paused = true)]
async fn equal_names_are_told_apart_and_odd_numbers_of_nodes_are_refused() {
    let source = live(&[Node::good("a"), Node::good("a"), Node::good("a #2")], config());
    let names: Vec<_> = source.report().into_iter().map(|report| report.name).collect();
    assert_eq!(names, ["a", "a #2", "a #2 #2"]);
    for count in [0, 65] {
        let transports = (0..count).map(|_| Node::good("a") as Arc<dyn Transport>).collect();
        let error = LiveSource::with_transports(ethereum(), transports, config()).unwrap_err();
        assert!(matches!(error, SourceError::Config { field: "endpoints", .. }), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn receipts_come_one_by_one_from_a_node_that_has_no_method_for_all() {
    for (code, message) in
        [(-32601, "no"), (-32000, "the method eth_getBlockReceipts is not supported")]
    {
        let mode = Mode::MethodError("eth_getBlockReceipts", code, message);
        let nodes = [Node::new("a", View::at(100), mode)];
        nodes[0].state().view.transactions = 3;
        let source = live(&nodes, config());
        for number in 1..=5 {
            let fetched = source.fetch_whole(N(number)).await.unwrap().unwrap();
            let UntrustedBlock::Evm(raw) = fetched else { panic!("another family") };
            let receipts = raw.receipts.unwrap();
            let hashes: Vec<_> = receipts.iter().map(|one| one.transaction_hash.unwrap()).collect();
            let expected = (0..3).map(|index| hash(&transaction_hash(number, index)));
            assert_eq!(hashes, expected.collect::<Vec<_>>());
        }
        assert_eq!(nodes[0].count("eth_getBlockReceipts"), 1, "that it lacks is remembered");
        assert_eq!(nodes[0].count("eth_getTransactionReceipt"), 15);
        assert_eq!(state_of(&source, "a"), "healthy");
    }
}

#[tokio::test(start_paused = true)]
async fn a_header_is_asked_for_without_transactions_and_receipts() {
    let nodes = [Node::good("a")];
    let source = live(&nodes, config());
    let fetched = source.fetch_block(BlockAt::Number(N(7)), Parts::Header).await.unwrap();
    assert!(fetched.is_some());
    assert_eq!(nodes[0].count("eth_getBlockReceipts"), 0);
    let full = |call: &serde_json::Value| call["params"][1] == true;
    assert!(!nodes[0].state().calls.iter().any(full));
}

#[tokio::test(start_paused = true)]
async fn a_replay_server_is_no_live_node_unless_it_is_allowed() {
    let nodes = [Node::good("a")];
    nodes[0].state().view.is_replay = true;
    let error = live(&nodes, config()).fetch_tip().await.unwrap_err();
    assert!(matches!(error, SourceError::NotLive { .. }), "{error}");
    let allowed = LiveConfig { replay_servers: true, ..config() };
    assert!(live(&nodes, allowed).fetch_tip().await.is_ok());
}

/// The only one that answers may call itself what it likes: the chain waits for better ones.
#[tokio::test(start_paused = true)]
async fn one_node_that_names_itself_a_replay_server_stops_nothing() {
    let nodes = three();
    let source = live(&nodes, config());
    source.fetch_tip().await.unwrap();
    nodes.iter().for_each(|node| node.set(Mode::Broken));
    for _ in 0..3 {
        assert_eq!(source.fetch_tip().await.unwrap_err().kind(), ErrorKind::Unavailable);
        after(2_000).await;
    }
    nodes[1].state().view.is_replay = true;
    nodes[1].set(Mode::Good);
    after(60_000).await;
    for _ in 0..4 {
        for error in [
            source.fetch_tip().await.map(drop).unwrap_err(),
            source.fetch_agreement(N(90)).await.map(drop).unwrap_err(),
            whole(&source, 90).await.map(drop).unwrap_err(),
        ] {
            assert_ne!(error.kind(), ErrorKind::Bug, "{error}");
        }
        after(31_000).await;
    }
    nodes.iter().for_each(|node| node.set(Mode::Good));
    nodes[1].state().view.is_replay = false;
    after(60_000).await;
    assert_eq!(source.fetch_tip().await.unwrap().finalized.number, N(90));
}

/// One operator under many addresses is one voice: it neither makes a quorum nor outvotes anybody.
#[tokio::test(start_paused = true)]
async fn nodes_of_one_operator_count_once() {
    let lie = View { branch: 9, fork: 50, head: 105, finalized: 104, ..View::at(100) };
    let mut nodes: Vec<_> = ["x", "y", "z"].map(|name| Node::new(name, lie, Mode::Good)).to_vec();
    nodes.iter().for_each(|node| node.state().operator = Some("one"));
    nodes.extend([Node::good("a"), Node::new("b", View::at(100), Mode::Broken)]);
    let source = live(&nodes, config());
    assert_eq!(source.needed(), Some(Needed { agree: 2, of: 3 }));
    // who counts with whom is shown
    let shown: Vec<_> =
        source.report().into_iter().map(|node| (node.name, node.operator)).collect();
    let expected = [("x", "x"), ("y", "x"), ("z", "x"), ("a", "a"), ("b", "b")];
    assert_eq!(shown, expected.map(|(node, operator)| (node.to_owned(), operator.to_owned())));
    for number in [60, 90, 104] {
        let error = source.fetch_agreement(N(number)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{number}: {error}");
    }
    assert_eq!(source.fetch_tip().await.unwrap_err().kind(), ErrorKind::Unavailable);
    // two more who are honest outvote all three
    nodes[4].set(Mode::Good);
    nodes.push(Node::good("c"));
    let source = live(&nodes, config());
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.finalized.number, tip.head.number), (N(90), N(105)));
    let agreement = source.fetch_agreement(N(90)).await.unwrap();
    assert_eq!((agreement.sources, agreement.of), (vec!["a".into(), "b".into(), "c".into()], 4));
    for liar in ["x", "y", "z"] {
        assert_eq!(state_of(&source, liar), "wrong");
    }
    // where an operator alone is asked, it is believed alone, and that is said
    let alone = live(&nodes[..3], config());
    assert_eq!(alone.needed(), Some(Needed { agree: 1, of: 1 }));
}

/// Who is asked for a block because another's word is not enough is of another operator.
#[tokio::test(start_paused = true)]
async fn others_are_of_other_operators() {
    let nodes = three();
    nodes[..2].iter().for_each(|node| node.state().operator = Some("one"));
    let source = live(&nodes, config());
    for _ in 0..20 {
        let at = BlockAt::Number(N(90));
        let of = ["a".into()];
        let fetched = source.fetch_block_of_others(at, Parts::Header, &of).await.unwrap();
        assert_eq!(&*fetched.unwrap().sender, "c");
    }
    let all = ["b".into(), "c".into()];
    let at = BlockAt::Number(N(90));
    assert!(source.fetch_block_of_others(at, Parts::Header, &all).await.unwrap().is_none());
}

/// Addresses are recognised, however they are written.
#[tokio::test]
async fn several_addresses_of_one_node_make_no_quorum() {
    let urls = [
        "http://127.0.0.1:19001",
        "ws://127.0.0.1:19001",
        "http://localhost:19001",
        "http://127.0.0.1:19001/?a",
    ];
    let of = |urls: &[&str]| {
        let endpoints = urls.iter().map(|url| superroot_source::EndpointConfig::at(url)).collect();
        LiveSource::new(ethereum(), endpoints, config()).unwrap().needed().unwrap()
    };
    assert_eq!(of(&urls), Needed { agree: 1, of: 1 });
    assert_eq!(
        of(&["http://127.0.0.1:19001", "http://127.0.0.1:19002"]),
        Needed { agree: 2, of: 2 }
    );
}

async fn receipts_of(source: &LiveSource, number: u64) -> Result<Option<usize>, SourceError> {
    let UntrustedBlock::Evm(raw) = source.fetch_whole(N(number)).await?.unwrap() else {
        panic!("another family")
    };
    Ok(raw.receipts.map(|receipts| receipts.len()))
}

#[tokio::test(start_paused = true)]
async fn a_list_of_receipts_that_is_null_is_gathered_one_by_one() {
    let nodes = [Node::new("a", View::at(100), Mode::Null("eth_getBlockReceipts"))];
    nodes[0].state().view.transactions = 3;
    let source = live(&nodes, config());
    assert_eq!(receipts_of(&source, 5).await.unwrap(), Some(3));
    assert_eq!(nodes[0].count("eth_getTransactionReceipt"), 3);
    let report = &source.report()[0];
    assert_eq!((report.state.name(), &report.last_error), ("healthy", &None));
}

/// Where as many as must agree have a block and not its receipts, the block is given without; the
/// nodes say so, and go on to count for all else.
#[tokio::test(start_paused = true)]
async fn a_block_whose_receipts_nobody_has_is_given_without_them() {
    let nodes = three();
    for node in &nodes {
        node.set(Mode::NoReceipts);
        node.state().view.transactions = 3;
    }
    let source = live(&nodes, config());
    for number in 1..=20 {
        assert_eq!(receipts_of(&source, number).await.unwrap(), None);
    }
    assert_eq!(source.fetch_tip().await.unwrap().finalized.number, N(90));
    let lacking = |source: &LiveSource| {
        let lacks = |error: &Option<String>| error.as_ref().is_some_and(|e| e.contains("receipts"));
        source.report().iter().filter(|one| lacks(&one.last_error)).count()
    };
    assert_eq!(lacking(&source), 3);
    assert!(source.report().iter().all(|one| one.state.name() == "healthy"));
    // one that has them is found, and nobody is believed who does not
    nodes[2].set(Mode::Good);
    for number in 1..=20 {
        assert!(receipts_of(&source, number).await.unwrap().is_some());
    }
    nodes.iter().for_each(|node| node.set(Mode::Good));
    for number in 1..=60 {
        receipts_of(&source, number).await.unwrap();
    }
    assert_eq!(lacking(&source), 0, "it is not held against them for good");
}

/// Receipts that others have, who cannot be reached just now, are not given up on one node's word.
#[tokio::test(start_paused = true)]
async fn a_lone_node_without_receipts_withholds_nothing() {
    let nodes = three();
    for node in &nodes {
        node.state().view.transactions = 3;
        node.set(Mode::Broken);
    }
    nodes[0].set(Mode::NoReceipts);
    let source = live(&nodes, config());
    let error = receipts_of(&source, 5).await.unwrap_err();
    assert_ne!(error.kind(), ErrorKind::Bug, "{error}");
    // nor on the word of one operator with two nodes
    nodes[..2].iter().for_each(|node| node.state().operator = Some("one"));
    nodes[1].set(Mode::NoReceipts);
    let source = live(&nodes, config());
    assert!(receipts_of(&source, 5).await.is_err());
}

/// One that shows a large block and sends its receipts one by one, slowly, leaves others their time.
#[tokio::test(start_paused = true)]
async fn a_node_that_takes_all_the_time_for_one_block_is_passed_over() {
    let nodes =
        [Node::new("a", View::at(100), Mode::Null("eth_getBlockReceipts")), Node::good("b")];
    nodes[0].state().view.transactions = 19_000;
    let source = live(&nodes, config());
    let start = Instant::now();
    for number in 1..=4 {
        assert_eq!(whole(&source, number).await.unwrap().unwrap(), "b");
    }
    assert!(start.elapsed() < Duration::from_millis(3 * config().fetch_timeout_ms));
}

/// Gateways that take no batches say so in plain HTTP, or hang up: single calls do.
#[tokio::test(start_paused = true)]
async fn a_gateway_that_refuses_batches_in_any_way_is_asked_singly() {
    for mode in [
        Mode::BatchStatus(400),
        Mode::BatchStatus(403),
        Mode::BatchStatus(404),
        Mode::BatchStatus(500),
        Mode::BatchStatus(502),
        Mode::BatchBroken,
    ] {
        let nodes = three();
        nodes.iter().for_each(|node| node.set(mode.clone()));
        let source = live(&nodes, config());
        for _ in 0..40 {
            assert_eq!(source.fetch_tip().await.unwrap().finalized.number, N(90), "{mode:?}");
            assert_eq!(state_of(&source, "a"), "healthy", "{mode:?}");
            after(1_000).await;
        }
        whole(&source, 90).await.unwrap().unwrap();
        let batches = nodes[0].state().requests.iter().filter(|calls| **calls > 1).count();
        assert!(batches <= 4, "{mode:?}: it is found out once: {batches}");
    }
}

/// One that has answered batches and then fails is down, whatever the size.
#[tokio::test(start_paused = true)]
async fn a_node_that_fails_after_good_batches_is_down_and_comes_back() {
    let nodes = three();
    let source = live(&nodes, config());
    source.fetch_tip().await.unwrap();
    nodes[0].set(Mode::Broken);
    for _ in 0..30 {
        source.fetch_tip().await.unwrap();
        after(500).await;
    }
    assert_eq!(state_of(&source, "a"), "down");
    nodes[0].set(Mode::Good);
    after(31_000).await;
    source.fetch_tip().await.unwrap();
    assert_eq!(state_of(&source, "a"), "healthy");
}

/// Whatever took so many of them that too few were left, and however long: the chain goes on a few
/// seconds after its nodes do.
#[tokio::test(start_paused = true)]
async fn a_chain_goes_on_soon_after_enough_of_its_nodes_are_back() {
    for (mode, seconds) in [
        (Mode::Broken, 25),
        (Mode::Broken, 3_600),
        (Mode::Silent, 34),
        (Mode::Silent, 600),
        (Mode::Status(502, None), 120),
    ] {
        for count in [2, 3] {
            let nodes = three();
            let source = live(&nodes, config());
            source.fetch_tip().await.unwrap();
            nodes.iter().take(count).for_each(|node| node.set(mode.clone()));
            let back_at = Instant::now() + Duration::from_secs(seconds);
            while Instant::now() < back_at {
                // as the loop of a chain asks: for the tip, and for blocks
                let _ = tokio::join!(source.fetch_tip(), source.fetch_agreement(N(90)));
                after(4_000).await;
            }
            nodes.iter().for_each(|node| node.set(Mode::Good));
            let start = Instant::now();
            while source.fetch_tip().await.is_err() {
                after(1_000).await;
            }
            let waited = start.elapsed().as_millis();
            assert!(waited <= 5_000, "{mode:?} of {count} for {seconds} s: {waited} ms");
        }
    }
}

/// While enough others answer, a node that is down is left alone for longer and longer.
#[tokio::test(start_paused = true)]
async fn a_node_that_is_down_and_not_needed_is_seldom_asked() {
    let nodes = three();
    nodes[0].set(Mode::Broken);
    let source = live(&nodes, config());
    for _ in 0..300 {
        source.fetch_tip().await.unwrap();
        after(1_000).await;
    }
    let asked = nodes[0].request_count();
    assert!((8..40).contains(&asked), "{asked} requests in five minutes");
}

#[tokio::test(start_paused = true)]
async fn the_words_that_come_with_a_status_are_told() {
    let nodes = [Node::new("a", View::at(100), Mode::Status(403, None))];
    let source = live(&nodes, config());
    let error = source.fetch_tip().await.unwrap_err().to_string();
    assert!(error.ends_with(r#"with http status 403, expected 200: "<html>no""#), "{error}");
    let told = source.report()[0].last_error.clone();
    assert_eq!(told.as_deref(), Some(r#"http status 403: "<html>no""#));
}

/// A node without the tag `safe` answers all else, and fares well.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_refused_among_good_ones_does_not_take_a_node_down() {
    let nodes = three();
    nodes.iter().for_each(|node| node.set(Mode::TagError("safe")));
    let source = live(&nodes, config());
    for _ in 0..10 {
        assert_eq!(source.fetch_tip().await.unwrap().finalized.number, N(90));
        assert_eq!(state_of(&source, "b"), "healthy");
    }
}

/// Nodes that answer all else and refuse the tag fare well; that they refuse is said of each, and of the
/// chain, with what helps.
#[tokio::test(start_paused = true)]
async fn nodes_that_refuse_to_name_a_final_block_are_said_to() {
    let nodes = three();
    nodes.iter().take(2).for_each(|node| node.set(Mode::TagError("finalized")));
    let source = live(&nodes, config());
    let error = source.fetch_tip().await.unwrap_err();
    assert!(
        matches!(error, SourceError::NoFinalTag { refusing: 2, got: 1, expected: 2, of: 3, .. }),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains("refuse eth_getBlockByNumber(\"finalized\")"), "{text}");
    assert!(text.contains("set finality"), "{text}");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let errors = |source: &LiveSource| {
        source.report().into_iter().map(|report| report.last_error).collect::<Vec<_>>()
    };
    let refuses = Some("refuses eth_getBlockByNumber(\"finalized\")".to_owned());
    assert_eq!(errors(&source), [refuses.clone(), refuses, None]);
    nodes.iter().for_each(|node| node.set(Mode::Good));
    source.fetch_tip().await.unwrap();
    assert_eq!(errors(&source), [None, None, None]);
}

/// Whoever answers without fail and says nothing of use is worth less than the others, is told of, and
/// is as good as they are once it is of use.
#[tokio::test(start_paused = true)]
async fn a_node_that_answers_and_is_of_no_use_loses_its_score() {
    for (mode, head, state, error) in [
        (Mode::Null("eth_getBlockByNumber"), 100, "down", "it answers, and names no newest block"),
        (Mode::Good, 1_000_100, "healthy", "it names head 1000100, 1000000 blocks above those of"),
    ] {
        let nodes = three();
        let source = live(&nodes, config());
        source.fetch_tip().await.unwrap();
        nodes[1].set(mode);
        nodes[1].state().view.head = head;
        for _ in 0..30 {
            assert_eq!(source.fetch_tip().await.unwrap().head.number, N(100));
            after(1_000).await;
        }
        let [good, bad] = [0, 1].map(|at| source.report().swap_remove(at));
        assert!(bad.score < 0.4 && good.score > 0.9, "{error}: {} {}", bad.score, good.score);
        assert_eq!((bad.state.name(), good.state.name()), (state, "healthy"));
        assert!(bad.last_error.unwrap().starts_with(error));
        nodes[1].set(Mode::Good);
        nodes[1].state().view.head = 101;
        for _ in 0..30 {
            source.fetch_tip().await.unwrap();
            after(1_000).await;
        }
        let mended = source.report().swap_remove(1);
        assert_eq!((mended.state.name(), mended.last_error), ("healthy", None));
        assert!(mended.score > 0.9, "{}", mended.score);
    }
}

/// Who hangs is told of as hanging, and is not called healthy meanwhile.
#[tokio::test(start_paused = true)]
async fn nodes_that_hang_are_down_as_soon_as_they_were_waited_for() {
    let nodes = three();
    let source = live(&nodes, config());
    source.fetch_tip().await.unwrap();
    nodes.iter().for_each(|node| node.set(Mode::Silent));
    for ask in ["tip", "agreement"] {
        let error = match ask {
            "tip" => source.fetch_tip().await.map(drop).unwrap_err(),
            _ => source.fetch_agreement(N(90)).await.map(drop).unwrap_err(),
        };
        let expected = "none of 3 nodes of evm:1 that were asked answered within 5000 ms";
        assert_eq!((error.to_string().as_str(), error.kind()), (expected, ErrorKind::Unavailable));
        for report in source.report() {
            assert_eq!(report.state.name(), "down", "{ask}");
            assert_eq!(report.last_error.as_deref(), Some("no answer within 5000 ms"));
        }
    }
    // what comes late tells that it is there again
    nodes.iter().for_each(|node| node.set(Mode::Good));
    after(60_000).await;
    source.fetch_tip().await.unwrap();
    for report in source.report() {
        assert_eq!((report.state.name(), report.last_error), ("healthy", None));
    }
}

/// What went wrong is forgotten when it is mended, and a node that was sound for as long as it was
/// left alone is left alone for a shorter time the next time.
#[tokio::test(start_paused = true)]
async fn what_was_wrong_is_forgotten_in_time() {
    let nodes = three();
    let source = live(&nodes, config());
    source.fetch_tip().await.unwrap();
    let pause_of = async |why: &str| {
        source.blame("a", why);
        let start = Instant::now();
        while state_of(&source, "a") == "wrong" {
            after(500).await;
        }
        start.elapsed().as_secs()
    };
    let first = config().wrong_pause_ms / 1_000;
    assert_eq!(pause_of("it lies").await, first);
    assert_eq!(pause_of("it lies").await, 2 * first);
    assert_eq!(pause_of("it lies").await, 4 * first, "again at once");
    source.fetch_tip().await.unwrap();
    let error = |source: &LiveSource| source.report()[0].last_error.clone();
    assert_eq!(error(&source), None, "it is mended");
    nodes[0].set(Mode::Status(500, None));
    source.fetch_tip().await.unwrap();
    assert!(error(&source).is_some_and(|error| error.starts_with("http status 500")));
    nodes[0].set(Mode::Good);
    source.fetch_tip().await.unwrap();
    assert_eq!(error(&source), None, "nor does a later one stick");
    for _ in 0..600 {
        after(1_000).await;
        source.fetch_tip().await.unwrap();
    }
    assert_eq!(pause_of("it lies").await, first);
}

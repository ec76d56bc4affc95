//! What several nodes agree on, and who is heard.

use super::*;

#[tokio::test(start_paused = true)]
async fn good_nodes_agree_on_tip_block_and_finality() {
    let nodes = three();
    let source = live(&nodes, config());
    assert_eq!((source.name(), source.network()), ("nodes of ethereum", Network::Live));
    assert!(source.report().endpoints.iter().all(|report| report.state.name() == "untried"));
    let tip = source.fetch_tip().await.unwrap();
    let id = |number| ClaimedBlock { number: N(number), hash: hash(&View::at(100).hash(number)) };
    assert_eq!((tip.head, tip.safe, tip.finalized), (id(100), Some(id(95)), id(90)));
    for at in [BlockAt::Number(N(90)), BlockAt::Id(id(90))] {
        let fetched = source.fetch_block(at, BlockParts::Whole, &[]).await.unwrap().unwrap();
        assert!(["a", "b", "c"].contains(&&*fetched.sender));
    }
    let agreement = source.fetch_agreement(N(88)).await.unwrap();
    assert_eq!((agreement.hash, agreement.of), (Some(id(88).hash), 3));
    assert_eq!((agreement.sources.len(), agreement.rule.as_str()), (3, "finalized tag"));
    assert!(source.report().endpoints.iter().all(|report| report.state.name() == "healthy"));
    assert_eq!(source.fetch_numbers(N(0), 10).await.unwrap(), None);
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

/// One that never answers is waited for no longer than the time there is, and no more once it is
/// down.
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
        LiveSource::with_transports(&Budget::default(), ethereum(), vec![Arc::new(gateway)], config)
            .unwrap()
    }
}

impl Transport for Gateway {
    fn name(&self) -> &str {
        "gateway"
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        let count = self.count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let text = String::from_utf8_lossy(&request.body).into_owned();
        self.machines[(self.choose)(&text, count)].exchange(request)
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
        let report = source.report().endpoints;
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
            let of_two_minds = matches!(
                error,
                SourceError::Inconsistent { .. }
                    | SourceError::Call { fault: CallFault::Mismatch { .. }, .. }
            );
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
    assert_eq!(source.report().needed, QuorumSize { agree: 1, of: 1 });
    let three = live(&three(), config());
    assert_eq!(three.report().needed, QuorumSize { agree: 2, of: 3 });
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

/// One operator under many addresses is one voice: it neither makes a quorum nor outvotes anybody.
#[tokio::test(start_paused = true)]
async fn nodes_of_one_operator_count_once() {
    let lie = View { branch: 9, fork: 50, head: 105, finalized: 104, ..View::at(100) };
    let mut nodes: Vec<_> = ["x", "y", "z"].map(|name| Node::new(name, lie, Mode::Good)).to_vec();
    nodes.iter().for_each(|node| node.state().operator = Some("one"));
    nodes.extend([Node::good("a"), Node::new("b", View::at(100), Mode::Broken)]);
    let source = live(&nodes, config());
    assert_eq!(source.report().needed, QuorumSize { agree: 2, of: 3 });
    // who counts with whom is shown
    let shown: Vec<_> =
        source.report().endpoints.into_iter().map(|node| (node.name, node.operator)).collect();
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
    assert_eq!(alone.report().needed, QuorumSize { agree: 1, of: 1 });
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
        let fetched = source.fetch_block(at, BlockParts::Header, &of).await.unwrap();
        assert_eq!(&*fetched.unwrap().sender, "c");
    }
    let all = ["b".into(), "c".into()];
    let at = BlockAt::Number(N(90));
    assert!(source.fetch_block(at, BlockParts::Header, &all).await.unwrap().is_none());
}

/// Nodes that answer all else and refuse the tag fare well; that they refuse is said of each, and
/// of the chain, with what helps.
#[tokio::test(start_paused = true)]
async fn nodes_that_refuse_to_name_a_final_block_are_said_to() {
    let nodes = three();
    nodes.iter().take(2).for_each(|node| node.set(Mode::TagError("finalized")));
    let source = live(&nodes, config());
    let error = source.fetch_tip().await.unwrap_err();
    assert!(
        matches!(
            error,
            SourceError::TooFewAgree {
                on: AgreeOn::FinalRefused { refusing: 2, .. },
                got: 1,
                expected: 2,
                of: 3,
                ..
            }
        ),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains("refuse eth_getBlockByNumber(\"finalized\")"), "{text}");
    assert!(text.contains("set finality"), "{text}");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let errors = |source: &LiveSource| {
        source.report().endpoints.into_iter().map(|report| report.last_error).collect::<Vec<_>>()
    };
    let refuses = Some("refuses eth_getBlockByNumber(\"finalized\")".to_owned());
    assert_eq!(errors(&source), [refuses.clone(), refuses, None]);
    nodes.iter().for_each(|node| node.set(Mode::Good));
    source.fetch_tip().await.unwrap();
    assert_eq!(errors(&source), [None, None, None]);
}

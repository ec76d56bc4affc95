//! Who fares well, who is left alone, and for how long.

use super::*;

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
        let failed = source.report().endpoints.remove(1);
        assert!(failed.failure_count > 0 && failed.score < 0.5, "{mode:?} {failed:?}");
        assert!(failed.last_error.is_some(), "{mode:?}");
        nodes[1].set(Mode::Good);
        after(40_000).await;
        source.fetch_tip().await.unwrap();
        assert_eq!(state_of(&source, "b"), "healthy", "{mode:?}");
    }
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
    let why = source.report().endpoints.remove(0).last_error.unwrap();
    assert!(why.ends_with("chain id is 0x2, expected 0x1"), "{why}");
    // it is mended: asked again when its time has come
    nodes[0].state().view.chain_id = 1;
    after(600_000).await;
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
    assert!(
        matches!(
            error,
            SourceError::Call { fault: CallFault::Mismatch { field: "chain id", .. }, .. }
        ),
        "{error}"
    );
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
    assert!(
        matches!(
            error,
            SourceError::Call { fault: CallFault::Mismatch { field: "chain id", .. }, .. }
        ),
        "{error}"
    );
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
    let names: Vec<_> = source.report().endpoints.into_iter().map(|report| report.name).collect();
    assert_eq!(names, ["a", "a #2", "a #2 #2"]);
    for count in [0, 65] {
        let transports = (0..count).map(|_| Node::good("a") as Arc<dyn Transport>).collect();
        let error =
            LiveSource::with_transports(&Budget::default(), ethereum(), transports, config())
                .unwrap_err();
        assert!(matches!(error, SourceError::Config { field: "endpoints", .. }), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_replay_server_is_no_live_node_unless_it_is_allowed() {
    let nodes = [Node::good("a")];
    nodes[0].state().view.is_replay = true;
    let error = live(&nodes, config()).fetch_tip().await.unwrap_err();
    assert!(error.to_string().ends_with("expected a live node"), "{error}");
    let allowed = LiveConfig { replay_servers: true, ..config() };
    assert!(live(&nodes, allowed).fetch_tip().await.is_ok());
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

/// Whoever answers without fail and says nothing of use is worth less than the others, and is told of.
#[tokio::test(start_paused = true)]
async fn a_node_that_answers_and_is_of_no_use_loses_its_score() {
    for (mode, head, error) in [
        (Mode::Null("eth_getBlockByNumber"), 100, "it names no newest block"),
        (Mode::Good, 1_000_100, "it names head 1000100, 1000000 blocks above those of"),
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
        let [good, bad] = [0, 1].map(|at| source.report().endpoints.swap_remove(at));
        assert!(bad.score < 0.6 && good.score > 0.9, "{error}: {} {}", bad.score, good.score);
        assert!(bad.last_error.unwrap().starts_with(error));
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
        let expected = "no node of evm:1 answered within 5000 ms, of 3 that were asked";
        assert_eq!((error.to_string().as_str(), error.kind()), (expected, ErrorKind::Unavailable));
        for report in source.report().endpoints {
            assert_eq!(report.state.name(), "down", "{ask}");
            assert_eq!(report.last_error.as_deref(), Some("no answer within 5000 ms"));
        }
    }
    // what comes late tells that it is there again
    nodes.iter().for_each(|node| node.set(Mode::Good));
    after(60_000).await;
    source.fetch_tip().await.unwrap();
    for report in source.report().endpoints {
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
        source.blame("nobody", why);
        source.blame("a", why);
        assert_ne!(whole(&source, 1).await.unwrap().unwrap(), "a");
        let start = Instant::now();
        while state_of(&source, "a") == "wrong" {
            after(500).await;
        }
        start.elapsed().as_secs()
    };
    let first = 15;
    assert_eq!(pause_of("it lies").await, first);
    assert_eq!(pause_of("it lies").await, 2 * first);
    assert_eq!(pause_of("it lies").await, 4 * first, "again at once");
    source.fetch_tip().await.unwrap();
    let error = |source: &LiveSource| source.report().endpoints[0].last_error.clone();
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

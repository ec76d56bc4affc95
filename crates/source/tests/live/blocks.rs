//! Blocks and receipts: of whom they are had, and how they are asked for.

use super::*;

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

#[tokio::test(start_paused = true)]
async fn there_is_no_block_only_when_no_node_has_it() {
    let nodes = three();
    let source = live(&nodes, config());
    assert_eq!(whole(&source, 101).await.unwrap(), None);
    assert!(nodes.iter().all(|node| node.count("eth_getBlockByNumber") == 1));
    let unknown = ClaimedBlock { number: N(50), hash: hash(&support::hash_text(9)) };
    assert_eq!(
        source.fetch_block(BlockAt::Id(unknown), BlockParts::Header, &[]).await.unwrap(),
        None
    );
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
    assert!(
        matches!(error, SourceError::Call { fault: CallFault::Status { got: 500, .. }, .. }),
        "{error}"
    );
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
            mut request: NodeRequest,
        ) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
            let text = String::from_utf8(request.body).unwrap().replace("\"0x5\"", "\"0x6\"");
            request.body = text.into_bytes();
            self.0.exchange(request)
        }
    }
    let other = Arc::new(Other(Node::good("inner")));
    let source =
        LiveSource::with_transports(&Budget::default(), ethereum(), vec![other], config()).unwrap();
    let error = whole(&source, 5).await.unwrap_err();
    assert!(
        matches!(
            error,
            SourceError::Call { fault: CallFault::Mismatch { field: "number", .. }, .. }
        ),
        "{error}"
    );
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
    let fetched = source.fetch_block(BlockAt::Number(N(7)), BlockParts::Header, &[]).await.unwrap();
    assert!(fetched.is_some());
    assert_eq!(nodes[0].count("eth_getBlockReceipts"), 0);
    let full = |call: &serde_json::Value| call["params"][1] == true;
    assert!(!nodes[0].state().calls.iter().any(full));
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
    let report = &source.report().endpoints[0];
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
    let asked = nodes.iter().map(|node| node.count("eth_getBlockByNumber")).sum::<usize>();
    assert!((60..=63).contains(&asked), "{asked}: each node once for each block");
    assert_eq!(source.fetch_tip().await.unwrap().finalized.number, N(90));
    let lacking = |source: &LiveSource| {
        let lacks = |error: &Option<String>| error.as_ref().is_some_and(|e| e.contains("receipts"));
        source.report().endpoints.iter().filter(|one| lacks(&one.last_error)).count()
    };
    assert_eq!(lacking(&source), 3);
    assert!(source.report().endpoints.iter().all(|one| one.state.name() == "healthy"));
    // one that has them is found, and nobody is believed who does not
    nodes[2].set(Mode::Good);
    for number in 1..=20 {
        assert!(receipts_of(&source, number).await.unwrap().is_some());
    }
    nodes.iter().for_each(|node| node.set(Mode::Null("eth_getBlockReceipts")));
    for number in 1..=60 {
        assert_eq!(receipts_of(&source, number).await.unwrap(), Some(3));
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

/// One that shows a large block and sends its receipts one by one, slowly, leaves others their
/// time.
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
        Mode::NoBatch,
        Mode::BatchStatus(413),
        Mode::Partial,
        Mode::Twice,
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
        assert!(batches <= 8, "{mode:?}: it is found out soon: {batches}");
    }
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

/// A node that names heads and lets blocks wait costs one wait a minute, not one a block.
#[tokio::test(start_paused = true)]
async fn who_lets_blocks_wait_is_asked_last() {
    let nodes = three();
    nodes.iter().for_each(|node| node.state().view.transactions = 3);
    nodes[0].set(Mode::Hang("eth_getBlockReceipts"));
    let source = live(&nodes, config());
    let mut waits = 0;
    let start = tokio::time::Instant::now();
    for number in 1..=90 {
        source.fetch_tip().await.unwrap();
        let asked = tokio::time::Instant::now();
        assert!(receipts_of(&source, number).await.unwrap().is_some());
        let taken = asked.elapsed();
        assert!(taken < Duration::from_secs(3), "block {number} took {taken:?}");
        waits += u32::from(taken.as_secs() >= 1);
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    }
    let elapsed_s = start.elapsed().as_secs();
    assert!((1..=6).contains(&waits), "{waits} in {elapsed_s} s");
    let error = || source.report().endpoints[0].last_error.clone().unwrap_or_default();
    assert!(!error().is_empty(), "what is wrong with it can be read");
}

/// A node that hangs is told of while it is waited for, and the next one is asked while it may still
/// answer: after a start as at the head.
#[tokio::test(start_paused = true)]
async fn a_block_that_one_node_lets_wait_comes_of_another_within_seconds() {
    for is_known in [false, true] {
        let nodes = three();
        let source = live(&nodes, config());
        if is_known {
            for number in 1..=9 {
                whole(&source, number).await.unwrap();
            }
        }
        nodes[..2].iter().for_each(|node| node.set(Mode::Hang("eth_getBlockReceipts")));
        let start = Instant::now();
        let (sender, told) = tokio::join!(whole(&source, 50), async {
            after(2_400).await;
            source.report().waiting
        });
        assert_eq!(sender.unwrap().as_deref(), Some("c"));
        let taken = start.elapsed();
        assert!(taken <= Duration::from_millis(5_100), "{taken:?}");
        if taken > Duration::from_millis(2_400) {
            let told = told.unwrap();
            assert_eq!((told.number, told.is_whole, told.seconds), (N(50), true, 2));
        }
        assert_eq!(source.report().waiting, None);
        let start = Instant::now();
        for number in 51..=60 {
            assert_eq!(whole(&source, number).await.unwrap().as_deref(), Some("c"));
        }
        assert!(start.elapsed() < Duration::from_secs(3), "they are asked last");
    }
}

/// The first may be slow and right: what it sends counts, and it is not asked twice.
#[tokio::test(start_paused = true)]
async fn a_late_answer_counts_where_no_other_comes_before_it() {
    let nodes = three();
    let source = live(&nodes[..1], config());
    nodes[0].set(Mode::Slow(6_000));
    assert_eq!(whole(&source, 50).await.unwrap().as_deref(), Some("a"));
    assert_eq!(nodes[0].count("eth_getBlockReceipts"), 1);
    nodes.iter().for_each(|node| node.set(Mode::Slow(6_000)));
    let source = live(&nodes, config());
    let start = Instant::now();
    assert!(whole(&source, 50).await.unwrap().is_some());
    // what node it is and the block go out at one time
    assert!(start.elapsed() <= Duration::from_millis(12_100), "{:?}", start.elapsed());
    assert!(
        source.report().endpoints.iter().all(|one| one.last_error.is_none()),
        "none is to blame"
    );
}

/// Where all are slow, few blocks are asked of two of them.
#[tokio::test(start_paused = true)]
async fn nodes_that_are_all_slow_are_not_asked_for_everything_several_times() {
    let nodes = three();
    let source = live(&nodes, config());
    source.fetch_tip().await.unwrap();
    nodes.iter().for_each(|node| node.set(Mode::Slow(8_000)));
    let fetches = (1..=16).map(|number| whole(&source, number));
    let all = futures_util::future::join_all(fetches).await;
    assert!(all.into_iter().all(|one| one.unwrap().is_some()));
    let asked: usize = nodes.iter().map(|node| node.count("eth_getBlockReceipts")).sum();
    assert!((16..=16 + 2 * 2).contains(&asked), "{asked}");
}

/// One that is ahead alone may be right: what it tells is heard, and agreed on is nothing.
#[tokio::test(start_paused = true)]
async fn numbers_of_good_nodes_are_heard_without_an_agreement_and_odd_ones_are_not() {
    let nodes = [Node::good("a"), Node::good("b")];
    let source = live(&nodes, config());
    assert_eq!(source.report().heard, None);
    source.fetch_tip().await.unwrap();
    nodes[0].set(Mode::Status(500, None));
    nodes[1].state().view = View::at(180);
    source.fetch_tip().await.unwrap_err();
    let heard = source.report().heard.unwrap();
    assert_eq!((heard.head, heard.finalized), (N(180), N(170)));
    let nodes = three();
    nodes[2].state().view = View::at(1_000_000);
    let source = live(&nodes, config());
    source.fetch_tip().await.unwrap();
    assert_eq!(source.report().heard.map(|heard| heard.head), Some(N(100)), "no wild outlier");
}

/// Who may have no receipts at all is asked for the first one alone.
#[tokio::test(start_paused = true)]
async fn receipts_that_may_not_be_there_are_not_all_asked_for() {
    let nodes = [Node::new("a", View::at(100), Mode::NoReceipts)];
    nodes[0].state().view.transactions = 50;
    let source = live(&nodes, config());
    for number in 1..=4 {
        assert_eq!(receipts_of(&source, number).await.unwrap(), None);
    }
    assert_eq!(nodes[0].count("eth_getTransactionReceipt"), 4);
}

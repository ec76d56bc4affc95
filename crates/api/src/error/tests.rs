use super::*;
use std::collections::BTreeMap;

fn unavailable(chain: ChainKey, retry_after: Option<u64>) -> Unavailable {
    Unavailable {
        chain,
        stage: crate::ChainStage::Stalled,
        why: "no new block for 300 s".to_owned(),
        since: None,
        anchored: Some(BlockNumber(7)),
        head: None,
        retry_after,
        retraction: None,
    }
}

#[test]
fn an_unavailable_chain_says_why_and_what_can_still_be_had() {
    let chain = ChainKey { family: superroot_types::Family::Evm, id: superroot_types::ChainId(1) };
    let error = ApiError::ChainUnavailable(Box::new(unavailable(chain, Some(30))));
    let expected = "chain evm:1 is temporarily unavailable: no new block for 300 s; what is \
                    anchored, up to block 7, can still be proven";
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.retry_after(), Some(30));
    let error = ApiError::ChainUnavailable(Box::new(unavailable(chain, None)));
    assert!(error.to_string().starts_with("chain evm:1 is unavailable: "), "{error}");
}

/// A code has one status and one title, so that either can be looked up by it.
#[test]
fn a_code_means_one_status_and_one_title() {
    let mut seen = BTreeMap::new();
    for row in TABLE {
        let known = *seen.entry(row.code).or_insert((row.status, row.title));
        assert_eq!(known, (row.status, row.title), "{}", row.code);
        let allowed = [400, 401, 403, 404, 405, 409, 410, 413, 414, 415, 429, 431, 500, 503]
            .contains(&row.status);
        assert!(allowed, "{} has a status that is not specified", row.code);
    }
}

#[test]
fn what_is_not_retryable_names_no_time_and_what_is_does() {
    let chain = ChainKey {
        family: superroot_types::Family::Bitcoin,
        id: superroot_types::ChainId(21_000_000),
    };
    let errors = [
        ApiError::ChainPlanned { chain },
        ApiError::ChainUnavailable(Box::new(unavailable(chain, Some(30)))),
        ApiError::ChainUnavailable(Box::new(unavailable(chain, None))),
        ApiError::NotBuilt,
        ApiError::Starting,
        ApiError::CatchingUp,
        ApiError::NothingRecorded,
        ApiError::RateLimited { limit: 1, retry_after: 60 },
        ApiError::UnknownPath,
    ];
    for error in errors {
        assert_eq!(error.retry_after().is_some(), error.row().retryable, "{error}");
    }
}

#[test]
fn a_long_value_is_cut_in_messages() {
    let error = ApiError::parameter("block", &"é".repeat(10_000), "an integer");
    assert!(error.to_string().len() < 500, "{error}");
    assert!(error.to_string().starts_with("block is \"éé"));
    assert_eq!(error.parameter_name().as_deref(), Some("block"));
}

#[test]
fn messages_are_sentences_without_a_full_stop() {
    let chain = ChainKey { family: superroot_types::Family::Evm, id: superroot_types::ChainId(1) };
    let number = BlockNumber(7);
    let (what, anchored, head) = ("block 7".to_owned(), Some(number), None);
    let errors = [
        ApiError::LogIndex { chain: Some(chain), log_index: 9, count: 2, meant: Some(1) },
        ApiError::OutputIndex { chain: Some(chain), log_index: 9, count: 2 },
        ApiError::NotFound { chain, what: what.clone(), checked_to: None },
        ApiError::NotAnchored { chain, what, anchored, head, held: true, retry_after: 1 },
        ApiError::Withdrawn { chain, number },
        ApiError::Timeout { limit_ms: 1 },
    ];
    for error in errors {
        let text = error.to_string();
        assert!(!text.ends_with('.') && text.is_ascii(), "{text}");
    }
}

/// Whoever puts a key where none belongs does not read it again in what may be logged.
#[test]
fn a_key_in_a_message_shows_what_names_it() {
    let key = format!("svc_test_{}", "k".repeat(49));
    let shown = shorten(&format!("no route `/v5/{key}`, nor svc_live_Ab1, nor {key}"));
    assert_eq!(
        shown,
        "no route `/v5/svc_test_kkkkkkkk…`, nor svc_live_Ab1, nor svc_test_kkkkkkkk…"
    );
    assert_eq!(shorten("nothing of the kind"), "nothing of the kind");
}

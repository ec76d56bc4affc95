use std::collections::BTreeSet;

use superroot_types::{BlockNumber, ChainId, Family};

use super::chains::NotYetAnchored;
use super::*;

const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

/// A code has one row, so that status and title can be looked up by it.
#[test]
fn a_code_means_one_status_and_one_title() {
    let names: BTreeSet<_> = CODES.iter().map(|code| code.name).collect();
    assert_eq!(names.len(), CODES.len());
    for code in CODES {
        let allowed =
            [400, 401, 402, 403, 404, 405, 406, 409, 410, 413, 414, 415, 429, 431, 500, 501, 503]
                .contains(&code.status);
        assert!(allowed, "{} has a status that is not specified", code.name);
    }
}

#[test]
fn what_is_not_retryable_names_no_time_and_what_is_does() {
    for (error, retry_after) in [
        (ApiError::starting(), Some(RETRY_SECONDS)),
        (ApiError::nothing_recorded(), None),
        (ApiError::rate_limited(1, 60), Some(60)),
        (ApiError::new(UNKNOWN_PATH, "x"), None),
        (ApiError::not_under(CHAIN, "block 7", 1, None), None),
        (ApiError::not_anchored(&waits()), Some(1)),
    ] {
        assert_eq!(error.retry_after, retry_after, "{error}");
    }
}

fn waits() -> NotYetAnchored {
    let (anchored, head) = (Some(BlockNumber(7)), None);
    let what = "block 8".to_owned();
    NotYetAnchored { chain: CHAIN, what, anchored, head, held: true, retry_after: 1 }
}

#[test]
fn a_long_value_is_cut_in_messages() {
    let error = ApiError::parameter("block", &"é".repeat(10_000), "an integer");
    assert!(error.detail.len() < 500, "{error}");
    assert!(error.detail.starts_with("block is \"éé"));
    assert_eq!(error.parameter.as_deref(), Some("block"));
}

#[test]
fn an_item_of_a_batch_is_named_with_its_parameter() {
    let error = ApiError::missing("txIndex", "an index").at_item(3);
    assert_eq!(error.detail, "items[3]: txIndex is missing, expected an index");
    assert_eq!(error.parameter.as_deref(), Some("items[3].txIndex"));
    let error = ApiError::withdrawn(CHAIN, BlockNumber(7)).at_item(0);
    assert_eq!((error.parameter.as_deref(), error.chain), (Some("items[0]"), Some(CHAIN)));
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

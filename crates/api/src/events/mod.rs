//! Events, found by chain, address, topics and range.

use superroot_wire::bloom::{BloomAnswer, BloomRequest};
use superroot_wire::logs::Logs;
use superroot_wire::scan::ScanAnswer;

use crate::error::codes::{
    CHAIN_UNAVAILABLE, CURSOR_UNDONE, NOT_FINAL, NOT_FOUND, NOT_INDEXED, NOT_PROVABLE,
    NOT_YET_ANCHORED, NOTHING_RECORDED, STARTING, UNKNOWN_CHAIN, WITHDRAWN,
};
use crate::proof::PROOF_ERRORS;
use crate::route::parameters::{NOTE, ROOT, SEQUENCE};
use crate::route::{Group, Operation, Parameter, Route};

pub(crate) mod ask;
pub(crate) mod bloom;
pub(crate) mod cursor;
pub(crate) mod logs;
pub(crate) mod scan;

pub(crate) use ask::{parse_topic, read_filter};

const TOPIC: &str = "Topics, one of them at this position, with commas between: 0x and 64 hex digits, or a \
    signature such as Transfer(address,address,uint256); of Sui a type";
const FURTHER_TOPIC: &str = "As topic0, at this position";
const TOPIC_FORM: &str = "^.+$";
/// Which events: the parameters that [`read_filter`] reads.
pub(crate) const OF_EVENTS: [Parameter; 5] = [
    Parameter::text(
        "address",
        "Addresses of which the event has one, with commas between, at most 100: 0x and hex digits; of \
         Bitcoin the script of an output",
        "^(0x)?[0-9a-fA-F]+(,(0x)?[0-9a-fA-F]+)*$",
    ),
    Parameter::text("topic0", TOPIC, TOPIC_FORM),
    Parameter::text("topic1", FURTHER_TOPIC, TOPIC_FORM),
    Parameter::text("topic2", FURTHER_TOPIC, TOPIC_FORM),
    Parameter::text("topic3", FURTHER_TOPIC, TOPIC_FORM),
];
const FILTER: &[Parameter] = &[
    Parameter::text("chain", "Chain id, name or CAIP-2 name", "^[A-Za-z0-9 ._:-]+$").required(),
    OF_EVENTS[0],
    OF_EVENTS[1],
    OF_EVENTS[2],
    OF_EVENTS[3],
    OF_EVENTS[4],
    Parameter::integer(
        "fromBlock",
        "First block; the first of the newest blocks that are indexed without a gap if left out",
    ),
    Parameter::integer(
        "toBlock",
        "Last block; the newest one of that finality if left out, or if that is lower",
    ),
    Parameter::text(
        "finality",
        "Lowest finality of an event: head, finalized (if left out) or anchored",
        "^(head|finalized|anchored)$",
    ),
    Parameter::text("order", "asc (if left out): oldest first; desc: newest first", "^(asc|desc)$"),
    Parameter::integer("limit", "Events of a page, 1 to 1000; 100 if left out"),
    Parameter::text(
        "cursor",
        "nextCursor of the page before, with the rest as it was",
        "^[0-9]+-0x[0-9a-f]{64}-[0-9]+$",
    ),
    Parameter::text(
        "complete",
        "1: with what shows that the events are all of the range: of at most 64 anchored blocks whose \
         receipts are held",
        "^[01]$",
    ),
    Parameter::text(
        "partial",
        "1: blocks whose events may be missing are listed in gaps; 0 (if left out): the request is \
         refused instead",
        "^[01]$",
    ),
];
const SCAN: &[Parameter] = &[
    Parameter::text(
        "address",
        "Addresses of which the event has one, with commas between, at most 100",
        "^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40})*$",
    ),
    Parameter::text("topic0", TOPIC, TOPIC_FORM),
    Parameter::text("topic1", FURTHER_TOPIC, TOPIC_FORM),
    Parameter::text("topic2", FURTHER_TOPIC, TOPIC_FORM),
    Parameter::text("topic3", FURTHER_TOPIC, TOPIC_FORM),
    Parameter::text(
        "topic",
        "Topics of which the event has every one, at any position, with commas between, at most 4",
        TOPIC_FORM,
    ),
    Parameter::integer("fromBlock", "First block").required(),
    Parameter::integer(
        "toBlock",
        "Last block; the last anchored one of a page if left out. A page ends after 2,048 blocks or \
         4 MiB at the latest",
    ),
    ROOT,
    SEQUENCE,
    NOTE,
];
const OF_SCANS: &str = "Headers of all blocks of the page, which end in a SuperRoot, and all receipts of those whose bloom does not rule the \
    events out: they show every event, or that there is none. See docs/events.md.";
const ABOUT: &str = "Without a gap: every event of the blocks searched is in the answer, or the request is refused and names the blocks that \
    are not indexed. A page may have fewer events than its limit, or none, and still lead on by nextCursor. To follow a chain, \
    ask again from nextBlock.";

/// Requests that a page of a scan counts as: it reads thousands of blocks.
const SCAN_REQUESTS: u32 = 5;
const OF_BLOOMS: &str = "Final blocks whose events may name the address and every topic given. absent with header_blooms can be \
    checked with the headers, proven at proof; own_filter is this service's word. A bloom has false positives \
    and no false negatives.";

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::paid(25, "/v5/logs", Group::G3).serves(
            Operation::get("logs", "Events by chain, address, topics and range", logs::logs)
                .query(FILTER)
                .errors(&[
                    UNKNOWN_CHAIN,
                    NOT_INDEXED,
                    NOT_PROVABLE,
                    NOT_FOUND,
                    NOT_FINAL,
                    NOT_YET_ANCHORED,
                    WITHDRAWN,
                    CURSOR_UNDONE,
                    CHAIN_UNAVAILABLE,
                    STARTING,
                    NOTHING_RECORDED,
                ])
                .says(ABOUT)
                .returns::<Logs>(),
        ),
        Route::paid(24, "/bloom/query", Group::G3).serves(
            Operation::post("bloomQuery", "Where an address or topic may be", bloom::query)
                .errors(&[UNKNOWN_CHAIN, NOT_PROVABLE])
                .reads::<BloomRequest>()
                .says(OF_BLOOMS)
                .returns::<BloomAnswer>(),
        ),
        Route::paid(77, "/v5/scan/{chain}", Group::G3).counts_as(SCAN_REQUESTS).serves(
            Operation::get(
                "scan",
                "Proof of all events of a range, or that there is none",
                scan::page,
            )
            .query(SCAN)
            .errors(PROOF_ERRORS)
            .says(OF_SCANS)
            .returns::<ScanAnswer>()
            .or_file(),
        ),
    ]
}

//! Event search by chain, address, topics and range.

use superroot_wire::bloom::{BloomAnswer, BloomRequest};
use superroot_wire::logs::Logs;
use superroot_wire::paths;
use superroot_wire::scan::ScanAnswer;

use crate::error::codes::{
    CHAIN_UNAVAILABLE, CURSOR_UNDONE, NOT_FINAL, NOT_FOUND, NOT_INDEXED, NOT_PROVABLE,
    NOT_YET_ANCHORED, NOTHING_RECORDED, STARTING, UNKNOWN_CHAIN, WITHDRAWN,
};
use crate::proof::PROOF_ERRORS;
use crate::route::parameters::{NOTE, ROOT, SEQUENCE};
use crate::route::{ApiRoute, RouteGroup, RouteOperation, RouteParameter};

pub(crate) mod ask;
pub(crate) mod bloom;
pub(crate) mod cursor;
mod index_gaps;
pub(crate) mod logs;
pub(crate) mod scan;

pub(crate) use ask::{parse_topic, read_filter};

const TOPIC: &str = "Topics, one of them at this position, with commas between: 0x and 64 hex digits, or a \
    signature such as Transfer(address,address,uint256); of Sui a type";
const FURTHER_TOPIC: &str = "As topic0, at this position";
const TOPIC_FORM: &str = "^.+$";
/// Filter parameters for [`read_filter`].
pub(crate) const OF_EVENTS: [RouteParameter; 5] = [
    RouteParameter::text(
        "address",
        "Addresses of which the event has one, with commas between, at most 100: 0x and hex digits; of \
         Bitcoin the script of an output",
        "^(0x)?[0-9a-fA-F]+(,(0x)?[0-9a-fA-F]+)*$",
    ),
    RouteParameter::text("topic0", TOPIC, TOPIC_FORM),
    RouteParameter::text("topic1", FURTHER_TOPIC, TOPIC_FORM),
    RouteParameter::text("topic2", FURTHER_TOPIC, TOPIC_FORM),
    RouteParameter::text("topic3", FURTHER_TOPIC, TOPIC_FORM),
];
const FILTER: &[RouteParameter] = &[
    RouteParameter::text("chain", "Chain id, name or CAIP-2 name", "^[A-Za-z0-9 ._:-]+$")
        .required(),
    OF_EVENTS[0],
    OF_EVENTS[1],
    OF_EVENTS[2],
    OF_EVENTS[3],
    OF_EVENTS[4],
    RouteParameter::integer(
        "fromBlock",
        "First block; the first of the newest blocks that are indexed without a gap if left out",
    ),
    RouteParameter::integer(
        "toBlock",
        "Last block; the newest one of that finality if left out, or if that is lower",
    ),
    RouteParameter::text(
        "finality",
        "Lowest finality of an event: head, finalized (if left out) or anchored",
        "^(head|finalized|anchored)$",
    ),
    RouteParameter::text(
        "order",
        "asc (if left out): oldest first; desc: newest first",
        "^(asc|desc)$",
    ),
    RouteParameter::integer("limit", "Events of a page, 1 to 1000; 100 if left out"),
    RouteParameter::text(
        "cursor",
        "nextCursor of the page before, with the rest as it was",
        "^[0-9]+-0x[0-9a-f]{64}-[0-9]+$",
    ),
    RouteParameter::text(
        "complete",
        "1: with what shows that the events are all of the range: of at most 64 anchored blocks whose \
         receipts are held",
        "^[01]$",
    ),
    RouteParameter::text(
        "partial",
        "1: blocks whose events may be missing are listed in gaps; 0 (if left out): the request is \
         refused instead",
        "^[01]$",
    ),
];
const SCAN: &[RouteParameter] = &[
    RouteParameter::text(
        "address",
        "Addresses of which the event has one, with commas between, at most 100",
        "^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40})*$",
    ),
    RouteParameter::text("topic0", TOPIC, TOPIC_FORM),
    RouteParameter::text("topic1", FURTHER_TOPIC, TOPIC_FORM),
    RouteParameter::text("topic2", FURTHER_TOPIC, TOPIC_FORM),
    RouteParameter::text("topic3", FURTHER_TOPIC, TOPIC_FORM),
    RouteParameter::text(
        "topic",
        "Topics of which the event has every one, at any position, with commas between, at most 4",
        TOPIC_FORM,
    ),
    RouteParameter::integer("fromBlock", "First block").required(),
    RouteParameter::integer(
        "toBlock",
        "Last block; the last anchored one of a page if left out. A page ends after 2,048 blocks or \
         4 MiB at the latest",
    ),
    ROOT,
    SEQUENCE,
    NOTE,
];
const OF_SCANS: &str = "Headers of the page's blocks up to a SuperRoot, and receipts where a bloom allows a match: every event is shown, or that there is none. See docs/events.md.";
const ABOUT: &str = "Without a gap: every event of the blocks searched is in the answer, or the request is refused and names the blocks that \
    are not indexed. A page may have fewer events than its limit, or none, and still lead on by nextCursor. To follow a chain, \
    ask again from nextBlock.";

/// Request count for a scan page, which reads thousands of blocks.
const SCAN_REQUESTS: u32 = 5;
const OF_BLOOMS: &str = "Final blocks whose events may name the address and every topic given. absent with header_blooms can be \
    checked with the headers, proven at proof; own_filter is this service's word. A bloom has false positives \
    and no false negatives.";

pub(crate) fn routes() -> Vec<ApiRoute> {
    vec![
        ApiRoute::paid(25, paths::LOGS, RouteGroup::G3).serves(
            RouteOperation::get("logs", "Events by chain, address, topics and range", logs::logs)
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
        ApiRoute::paid(24, "/bloom/query", RouteGroup::G3).serves(
            RouteOperation::post("bloomQuery", "Where an address or topic may be", bloom::query)
                .errors(&[UNKNOWN_CHAIN, NOT_PROVABLE])
                .reads::<BloomRequest>()
                .says(OF_BLOOMS)
                .returns::<BloomAnswer>(),
        ),
        ApiRoute::paid(77, paths::SCAN, RouteGroup::G3).counts_as(SCAN_REQUESTS).serves(
            RouteOperation::get(
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

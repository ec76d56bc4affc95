//! Chains as the registry has them, how each fares, what is held of it.

use super::Kind::{
    Bool, Hex, Int, List, MaybeHex, MaybeInt, MaybeNumber, MaybeText, MaybeWhole, Number, Text,
    Texts, Whole,
};
use super::{ANCHOR, Kind, Member, Object};

const STATE: Member = (
    "state",
    Text,
    true,
    "planned, not_followed, starting, catching_up, backfilling, following, stalled, halted, recorded or withdrawn",
);
const WHY: Member = ("why", MaybeText, true, "Why it does not move, or how far it is behind");
const HEAD: Member = ("head", MaybeWhole("Point"), true, "Newest block held");
const FINALIZED: Member =
    ("finalized", MaybeWhole("Point"), true, "Newest final block held; see claimed");
/// What nodes say beside what is held.
pub(super) const CLAIMED: Member = (
    "claimed",
    MaybeWhole("Claimed"),
    true,
    "What its nodes said when enough of them agreed last, and when; not checked",
);
pub(super) const BEHIND: Member =
    ("behind_blocks", MaybeInt, true, "Final blocks that its nodes have and that are not held");
pub(super) const CATCH_UP: Member =
    ("catch_up", MaybeWhole("CatchUp"), true, "How it catches up; null where it is not behind");
const SOURCES: Member = ("sources", Texts, true, "Names of its sources");
const LAST_ERROR: Member =
    ("last_error", MaybeWhole("LastError"), true, "What went wrong last, and is not mended");
const LEFT_OUT: Member =
    ("left_out", List("LeftOut"), true, "Blocks not taken lately, newest last, 16 at most");
const ENDPOINTS: Member = ("endpoints", List("EndpointReport"), true, "Its nodes");
const MUST_AGREE: Member =
    ("must_agree", MaybeInt, true, "Nodes that must agree on a final block; null without nodes");
const CAUTION: Member =
    ("warning", MaybeText, true, "What to know of how its blocks count as final; mostly null");
const WATCH: Member =
    ("watch", MaybeWhole("WatchCounts"), true, "Which entries are indexed; null: nothing is");
const BACKFILL: Member =
    ("backfill", MaybeWhole("Backfill"), true, "Older blocks that are being fetched");
const REPAIR: Member =
    ("repair", MaybeWhole("Repair"), true, "Blocks held whose bodies are asked for again");
const NUMBER: Member = ("number", Int, true, "Block number");
const HASH: Member = ("hash", Hex, true, "Block hash");
const CHAIN_ID: Member = ("chain_id", Int, true, "Chain id");
const NAME: Member = ("name", Text, true, "Name");
const FROM: Member = ("from", Int, true, "First block number");
const RETRACTIONS: Member = (
    "retractions",
    List("Retraction"),
    true,
    "Blocks that were final here and that nodes contradict",
);

const CHAIN_ROW: &[Member] = &[
    ("row", Int, true, "Row of the registry, from 0"),
    ("slot", Int, true, "Its slot in the SuperRoot"),
    CHAIN_ID,
    NAME,
    ("slug", Text, true, "Short word for paths"),
    ("family", Text, true, "Ledger family"),
    ("caip2", Text, true, "CAIP-2 name"),
    ("alias_ids", Texts, true, "Other ids that lead to it, as decimal texts"),
    ("alias_words", Texts, true, "Other words that lead to it"),
    ("status", Text, true, "collected (this build reads it) or planned"),
    STATE,
    WHY,
    ("rules", List("RuleFrom"), true, "How its block hash is made, by number"),
    ("unproven_rules", MaybeText, true, "Which rules no real block was checked by yet"),
    ("unprovable", List("Unprovable"), true, "What of its blocks is never indexed"),
    ("block_time_ms", Int, true, "Nominal time between blocks, in milliseconds"),
    ("stalled_after_ms", Int, true, "Without a block for so long it counts as stalled"),
    (
        "strongest_evidence",
        Text,
        true,
        "Strongest evidence of finality within reach: consensus, l1_anchored or node_quorum",
    ),
    ("evidence_in_use", MaybeText, true, "That of its newest anchored block"),
    ("finality_rule", MaybeText, true, "When its nodes call a block final, in words"),
    WATCH,
    ("anchored", MaybeWhole("Anchored"), true, "Newest block in the newest SuperRoot"),
    SOURCES,
    LAST_ERROR,
    LEFT_OUT,
];

const CHAIN_STATUS: &[Member] = &[
    CHAIN_ID,
    NAME,
    ("slug", Text, true, "Short word for paths"),
    STATE,
    WHY,
    ("since", MaybeInt, true, "When it last moved, or was halted; Unix seconds"),
    HEAD,
    ("safe", MaybeWhole("Point"), true, "Newest block that its nodes call safe"),
    FINALIZED,
    CLAIMED,
    BEHIND,
    CATCH_UP,
    ("start", MaybeInt, true, "First number of what is held"),
    ("indexed", MaybeInt, true, "Newest final number held"),
    ("checked_to", MaybeInt, true, "Newest number known to be final and examined"),
    ("anchored", MaybeWhole("Anchored"), true, "Newest block in the newest SuperRoot"),
    (
        "lag_blocks",
        MaybeInt,
        true,
        "Blocks from the anchored one to the newest that its nodes name",
    ),
    ("lag_seconds", MaybeInt, true, "Age of the anchored block; null for recordings"),
    ("block_count", MaybeInt, true, "Final blocks held"),
    ("skipped_count", MaybeInt, true, "Numbers from start to indexed without a block"),
    BACKFILL,
    REPAIR,
    WATCH,
    SOURCES,
    ("source_count", Int, true, "How many sources were asked"),
    ENDPOINTS,
    MUST_AGREE,
    CAUTION,
    LAST_ERROR,
    LEFT_OUT,
];

/// Objects that are parts of others, all in one spelling.
pub(super) const OBJECTS: &[Object] = &[
    Object::snake(
        "Point",
        "A block, as its sources tell it.",
        &[&[NUMBER, HASH, ("timestamp", Int, true, "Its time in Unix seconds")]],
    ),
    Object::snake(
        "Claimed",
        "What a chain's nodes say of it, as far as enough of them agree. Nothing of it was checked.",
        &[&[
            ("head", Int, true, "Newest block number"),
            ("finalized", Int, true, "Newest number that they call final"),
            ("at", Int, true, "When they said so; Unix seconds"),
        ]],
    ),
    Object::snake(
        "CatchUp",
        "How a chain gets on that is behind its nodes.",
        &[&[
            BEHIND,
            ("blocks_per_second", MaybeNumber, true, "Pace since it fell behind"),
            ("seconds_left", MaybeInt, true, "At that pace; null where none is taken"),
        ]],
    ),
    Object::snake(
        "Anchored",
        "What a SuperRoot refers to.",
        &[&[("start", Int, true, "First number of the run"), NUMBER, HASH]],
    ),
    Object::snake(
        "LastError",
        "What went wrong, and when.",
        &[&[
            ("message", Text, true, "In words"),
            ("at", Int, true, "When it was seen; Unix seconds"),
        ]],
    ),
    Object::snake(
        "LeftOut",
        "A block that was not taken.",
        &[&[NUMBER, ("reason", Text, true, "Why, in words")]],
    ),
    Object::snake(
        "RuleFrom",
        "A rule and the first number that it holds for.",
        &[&[FROM, ("code", Text, true, "Two bytes in hex, as in the protocol's table of rules")]],
    ),
    Object::snake(
        "Unprovable",
        "Blocks of which a part cannot be recomputed, and is held as a header alone.",
        &[&[
            FROM,
            ("to", MaybeInt, true, "Last block number; null where there is no end"),
            (
                "what",
                Text,
                true,
                "body, receipts, receipts if settled, or body with an entry of a type",
            ),
            ("why", Text, true, "Why, in words"),
        ]],
    ),
    Object::snake(
        "WatchCounts",
        "Which entries are indexed.",
        &[&[
            ("all", Bool, true, "Whether every entry is"),
            ("address_count", MaybeInt, true, "Addresses watched; null where all is indexed"),
            ("topic_count", MaybeInt, true, "Topics watched; null where all is indexed"),
        ]],
    ),
    Object::snake(
        "WatchList",
        "The watch list that a chain is collected under.",
        &[&[
            ("hash", Hex, true, "Names the list in watch_hash of a range"),
            ("addresses", Kind::MaybeHashes, true, "The first 256; null where all is indexed"),
            ("topics", Kind::MaybeHashes, true, "The first 256; null where all is indexed"),
        ]],
    ),
    Object::snake(
        "Backfill",
        "Older blocks that are being fetched, downwards.",
        &[&[
            ("to", Int, true, "Lowest number that is wanted"),
            ("done_blocks", Int, true, "Numbers done since it began"),
            ("total_blocks", Int, true, "Numbers to do in all"),
            ("began_at", Int, true, "When it began; Unix seconds"),
        ]],
    ),
    Object::snake(
        "Repair",
        "Blocks held whose bodies are asked for again.",
        &[&[
            ("done_blocks", Int, true, "Numbers looked at since it began"),
            ("total_blocks", Int, true, "Numbers to look at in all"),
            ("repaired_blocks", Int, true, "Blocks mended so far"),
            ("began_at", Int, true, "When it began; Unix seconds"),
        ]],
    ),
    Object::snake(
        "EndpointReport",
        "How a node fares.",
        &[&[
            ("name", Text, true, "Its name; nothing secret of its address"),
            ("operator", Text, true, "Who runs it: nodes of one operator count once"),
            ("state", Text, true, "untried, healthy, limited, lagging, wrong or down"),
            ("score", Number, true, "Share of its recent answers that were good, 0 to 1"),
            ("head", MaybeInt, true, "Newest block that it named"),
            ("latency_ms", MaybeInt, true, "Median time of its recent answers"),
            ("call_count", Int, true, "Calls since the start"),
            ("failure_count", Int, true, "Those that failed or whose answer was wrong"),
            ("last_error", MaybeText, true, "What went wrong last, and is not mended"),
        ]],
    ),
    Object::snake(
        "Retraction",
        "A block that was final here, and the other that nodes agree on. Nothing is deleted.",
        &[&[
            CHAIN_ID,
            NUMBER,
            ("held_hash", Hex, true, "Hash of the block held"),
            ("other_hash", Hex, true, "Hash that the nodes agree on"),
            ("sources", Texts, true, "Names of the nodes that agree on the other"),
            ("source_count", MaybeInt, true, "How many were asked"),
            ("rule", MaybeText, true, "When they call a block final, in words"),
            ("noticed_at", Int, true, "Unix seconds"),
            ("other_header", MaybeHex, true, "Header of the other block, where it could be had"),
        ]],
    ),
    Object::snake("ChainRow", "A chain of the registry, and what is done with it.", &[CHAIN_ROW]),
    Object::snake(
        "ChainList",
        "The registry.",
        &[ANCHOR, &[("chains", List("ChainRow"), true, "In the order of its rows")]],
    ),
    Object::snake("ChainStatus", "How a chain fares.", &[CHAIN_STATUS]),
    Object::snake(
        "StateCounts",
        "How many chains are in each state.",
        &[&[
            ("planned", Int, true, "This build does not read them"),
            ("not_followed", Int, true, "No source of them is configured"),
            ("starting", Int, true, "No block was taken yet"),
            ("catching_up", Int, true, "Their nodes have final blocks that are not held"),
            ("backfilling", Int, true, "Followed, and older blocks are fetched"),
            ("following", Int, true, "Followed"),
            ("stalled", Int, true, "Nothing new for too long"),
            ("halted", Int, true, "Their nodes contradict what was final"),
            ("recorded", Int, true, "Nothing new will come"),
            ("withdrawn", Int, true, "The log takes nothing of them any more"),
        ]],
    ),
    Object::snake(
        "NewestSuperRoot",
        "The newest SuperRoot in short.",
        &[&[
            ("sequence", Int, true, "Counts from 0 without holes"),
            ("super_root_hash", Hex, true, "The SuperRoot hash"),
            ("timestamp", Int, true, "Unix seconds"),
            ("age_seconds", Int, true, "Its age"),
        ]],
    ),
    Object::snake(
        "StoreStatus",
        "The store.",
        &[&[
            ("bytes", MaybeInt, true, "Bytes on disk, where known"),
            ("commit_count", Int, true, "Commits since it was made"),
        ]],
    ),
    Object::snake(
        "Status",
        "The whole service at one glance.",
        &[
            ANCHOR,
            &[
                ("status", Text, true, "ready, starting, or empty: no recorded block counts"),
                ("version", Text, true, "Version of the program"),
                ("log_id", MaybeHex, true, "Log id, made of the origin"),
                ("origin", Text, true, "Origin of the log"),
                ("network", Text, true, "live, recorded or simulated"),
                ("network_note", MaybeText, true, "What the network means; null on a live one"),
                ("super_root", MaybeWhole("NewestSuperRoot"), true, "null before the first"),
                ("chain_count", Int, true, "Chains of the registry"),
                ("collected_count", Int, true, "Chains that this build reads"),
                ("states", Whole("StateCounts"), true, "Chains by state"),
                ("chains", List("ChainStatus"), true, "In the order of the registry"),
                RETRACTIONS,
                ("store", Whole("StoreStatus"), true, "The store"),
                ("uptime_seconds", Int, true, "Since the service began to answer"),
                ("time", Int, true, "Unix seconds"),
            ],
        ],
    ),
    Object::snake(
        "CoverageRange",
        "Numbers of which one thing can be said, both ends included.",
        &[&[
            FROM,
            ("to", Int, true, "Last block number"),
            ("held", Text, true, "whole, watched, header_only, partial or skipped"),
            ("why", MaybeText, true, "Why not everything is held"),
            ("watch_hash", MaybeHex, true, "The watch list by which entries were kept"),
        ]],
    ),
    Object::snake(
        "CoverageGap",
        "Numbers that are not held, both ends included.",
        &[&[
            FROM,
            ("to", MaybeInt, true, "Last block number; null where nobody knows an end"),
            (
                "reason",
                Text,
                true,
                "before_start, backfilling, missing, refused, not_collected_yet, recordings_end, \
                 planned, not_followed, stalled, halted or withdrawn",
            ),
            ("detail", Text, true, "The same in words"),
        ]],
    ),
    Object::snake(
        "Coverage",
        "What is held of a chain, what is not and why, and how to have more.",
        &[
            ANCHOR,
            &[
                CHAIN_ID,
                NAME,
                STATE,
                WHY,
                HEAD,
                FINALIZED,
                CLAIMED,
                CATCH_UP,
                ("ranges", List("CoverageRange"), true, "Rising, at most limit of them"),
                ("gaps", List("CoverageGap"), true, "Rising; none is left unsaid"),
                ("next_cursor", MaybeInt, true, "cursor of the next page; null on the last"),
                BACKFILL,
                REPAIR,
                WATCH,
                ("watch_list", MaybeWhole("WatchList"), true, "The list itself"),
                ("how_to_widen", Texts, true, "Ways to have more of the chain"),
                ENDPOINTS,
                LAST_ERROR,
                RETRACTIONS,
            ],
        ],
    ),
];

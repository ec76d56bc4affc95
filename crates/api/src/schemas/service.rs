//! SuperRoots, finality, chains, the service.

use super::Kind::{
    Any, Bool, Hashes, Hex, Int, List, MaybeInt, MaybeText, MaybeWhole, Text, Texts,
};
use super::status::{BEHIND, CATCH_UP, CLAIMED};
use super::{ANCHOR, Member, Object};

const SUPER_ROOT: &[Member] = &[
    ("version", Int, true, "5"),
    ("logId", Hex, true, "Log id, made of the origin"),
    ("origin", Text, true, "Origin of the log"),
    ("network", Text, true, "live, recorded or simulated"),
    ("sequence", Int, true, "Counts from 0 without holes"),
    ("superRootHash", Hex, true, "The SuperRoot hash"),
    ("timestamp", Int, true, "Unix seconds; the service's word"),
    ("treeRoot", Hex, true, "Root over the 64 slots"),
    ("miniMmrs", Any, true, "9 of family, name, root, rangeRoot, leafCount"),
    ("blockReferences", Any, true, "One for each chain; nulls where it has no block"),
    ("historyRoot", Hex, true, "Slot 54"),
    ("history", Any, true, "leafCount and logRoot of the SuperRoots before it"),
    ("registryRoot", Hex, true, "Slot 55"),
    ("publication", Any, true, "Where it was published; null where nowhere"),
];
const CHAIN_FINALITY: &[Member] = &[
    ("chain_id", Int, true, "Chain id"),
    ("name", Text, true, "Name"),
    ("family", Text, true, "Ledger family"),
    ("state", Text, true, "What the service does with it, as in the list of chains"),
    ("why", MaybeText, true, "Why it does not move, or how far it is behind"),
    ("network", Text, true, "live, recorded or simulated"),
    ("finalized", MaybeWhole("Point"), true, "Newest final block held; see claimed"),
    ("indexed", MaybeInt, true, "Its number: final blocks are indexed up to it"),
    CLAIMED,
    BEHIND,
    CATCH_UP,
    ("safe", MaybeWhole("Point"), true, "Newest block that its nodes call safe"),
    ("head", MaybeWhole("Point"), true, "Newest block held"),
    ("anchored", MaybeWhole("Anchored"), true, "Newest block in the newest SuperRoot"),
    ("rule", MaybeText, true, "When a block counts as final, in words"),
    (
        "evidence_kind",
        MaybeText,
        true,
        "consensus, l1_anchored or node_quorum; null where no block is final",
    ),
    ("sources", Texts, true, "Names of the sources that agree"),
    ("agreeing", MaybeInt, true, "How many agree"),
    ("source_count", MaybeInt, true, "How many were asked"),
    (
        "lag_blocks",
        MaybeInt,
        true,
        "Blocks from the final one held to the newest that its nodes name",
    ),
    ("lag_seconds", MaybeInt, true, "Age of the final block; null for recordings"),
];

const BLOB: &[Member] = &[
    ("superRootHash", Hex, true, "The SuperRoot hash"),
    ("superRoot", Any, true, "What its preimage says"),
    ("preimage", Hex, true, "82 bytes that hash to the SuperRoot hash"),
    ("slots", Hashes, true, "The 64 slots"),
    ("miniMmrs", Any, true, "9 of family, leafCount, rangeRoot, root"),
    ("blockReferences", Any, true, "Row and reference of each chain that has blocks"),
    ("history", Any, true, "leafCount and logRoot of the SuperRoots before it"),
    ("historyRoot", Hex, true, "Slot 54"),
    ("registry", Any, true, "The profiles, in the order of their rows"),
    ("registryRoot", Hex, true, "Slot 55"),
    ("appendedTwigs", Any, true, "Twigs sealed since the SuperRoot before"),
];

/// Whole bodies.
pub(super) const OBJECTS: &[Object] = &[
    Object::camel("SuperRoot", "A SuperRoot.", &[SUPER_ROOT, ANCHOR]),
    Object::snake("KvSuperRoot", "The same in snake_case.", &[SUPER_ROOT, ANCHOR]),
    Object::snake(
        "SuperRootBlob",
        "Everything behind a SuperRoot but the block leaves.",
        &[ANCHOR, BLOB],
    ),
    Object::camel(
        "Consistency",
        "That one SuperRoot extends another.",
        &[
            ANCHOR,
            &[
                (
                    "strength",
                    Text,
                    true,
                    "history: no SuperRoot was rewritten; full: no block either",
                ),
                ("from", Any, true, "The earlier SuperRoot"),
                ("to", Any, true, "The later SuperRoot"),
                (
                    "inclusionPath",
                    Hashes,
                    true,
                    "Path of the earlier one in the later one's history",
                ),
                ("toHistory", Any, true, "The later one's history, opened from slot 54"),
                ("fromHistory", Any, true, "The same of the earlier one"),
                ("consistencyPath", Hashes, true, "RFC 9162 path from history to history"),
                ("fromBlob", Any, false, "Blob of the earlier one, with strength full"),
                ("toBlob", Any, false, "Blob of the later one, with strength full"),
                ("miniMmrPaths", Any, false, "Path of each Mini-MMR, with strength full"),
                (
                    "appendedTwigs",
                    Any,
                    false,
                    "Every twig sealed between the two, in the order of appending within each \
                     family, with strength full",
                ),
                ("bridges", Any, false, "Open twigs were only filled up, with strength full"),
            ],
        ],
    ),
    Object::snake(
        "VerifyRequest",
        "A proof to check: proof, or proof_blob.",
        &[&[
            ("proof", Any, false, "Any proof object of this service"),
            ("proof_blob", Hex, false, "Bytes of a .srproof file"),
            (
                "expected",
                Any,
                false,
                "super_root_hash, chain, block, tx_index, log_index, address, \
                                  topics that the proof must be about",
            ),
        ]],
    ),
    Object::snake(
        "VerifyAnswer",
        "What the check came to.",
        &[
            ANCHOR,
            &[
                ("valid", Bool, true, "Whether every check holds"),
                ("level_reached", MaybeInt, true, "Highest level up to which all holds"),
                ("checks", Any, true, "level, name, ok, detail of each check"),
                (
                    "anchored",
                    Any,
                    true,
                    "Whether this log published the SuperRoot, and its sequence",
                ),
                (
                    "retraction",
                    MaybeWhole("Retraction"),
                    true,
                    "That nodes took the block back, or one that it stands on",
                ),
            ],
        ],
    ),
    Object::snake("ChainFinality", "How far a chain is final.", &[CHAIN_FINALITY, ANCHOR]),
    Object::snake(
        "FinalityList",
        "The same of every chain.",
        &[ANCHOR, &[("chains", List("FinalityRow"), true, "In the order of the registry")]],
    ),
    Object::snake("FinalityRow", "How far one of all chains is final.", &[CHAIN_FINALITY]),
    Object::snake(
        "Health",
        "Whether it is well.",
        &[ANCHOR, &[("status", Text, true, "live or ready")]],
    ),
];

//! Proofs in every shape, and their parts.

use super::Kind::{
    Any, Bool, Flag, Hashes, Hex, Int, List, MaybeHex, MaybeInt, Ref as To, Text, Texts, Whole,
};
use super::{ANCHOR, Member, Object};

const PLACE: &[Member] = &[
    ("proofKind", Text, true, "block, transaction, event or absence"),
    ("chainId", Int, true, "Chain id"),
    ("family", Text, true, "Ledger family: an id alone names no chain"),
    ("origin", Text, true, "Origin of the log; a SuperRoot's log id is made of it"),
    ("network", Text, true, "live, recorded or simulated"),
    ("proofLevel", Int, true, "Highest level shown, 1 to 5"),
    ("blockNumber", Int, true, "Number of the block"),
];
const BLOCK: &[Member] = &[
    ("numberBound", Bool, true, "Whether the block hash shows the number"),
    ("blockHash", Hex, true, "Hash of the block: that of its header"),
    ("blockHeader", Hex, true, "The header in the ledger's own bytes"),
    ("header", Any, false, "The header decoded, with JSON-RPC names"),
];
const PATH: &[Member] = &[
    ("twig", To("Twig"), false, "Level 3"),
    ("miniMmr", To("MiniMmrPlace"), false, "Level 4, where the twig is sealed"),
    ("blockReference", To("BlockReference"), false, "Where the twig is open instead"),
    ("superRoot", To("SuperRootPlace"), false, "Level 5"),
    ("superRootHash", Hex, false, "Hash of the SuperRoot that the proof ends in"),
    ("siblings", Hashes, false, "The 6 siblings from the slot to the SuperRoot's tree root"),
    ("registry", Any, false, "The log's own registry row, where a verifier may not know the chain"),
];
const UNPROVEN: &[Member] = &[
    ("anchorStatus", Text, true, "anchored, or pending above the SuperRoot; not proven"),
    ("finality", To("Finality"), false, "Why the block counts as final; not proven"),
    (
        "retraction",
        Any,
        false,
        "Nodes took the block back, or one that it stands on: as in /api/v1/status; not proven",
    ),
    ("notProven", Texts, true, "Members that no hash shows"),
];
const ENTRY: &[Member] = &[
    ("block", Whole("BlockPart"), false, "The block's own proof"),
    ("transactionIndex", Int, true, "Position in the block"),
    ("superRootHash", Hex, false, "Hash of the SuperRoot that the proof ends in"),
];
const TRANSACTION: &[Member] = &[
    ("transaction", Any, false, "JSON-RPC object made of the proven bytes"),
    ("rawTransaction", Hex, false, "The transaction as it was signed"),
    ("transactionHash", Hex, false, "Keccak-256 of the raw transaction"),
    ("transactionsRoot", Hex, false, "The header's transactions root"),
    ("siblings", Hashes, false, "RLP trie nodes from the transactions root down"),
];
const RECEIPT: &[Member] = &[
    ("receipt", Any, false, "JSON object made of the proven bytes"),
    ("rawReceipt", Hex, false, "The receipt in consensus bytes"),
    ("receiptRoot", Hex, false, "The header's receipts root"),
    ("receiptSiblings", Hashes, false, "RLP trie nodes from the receipts root down"),
];
const EVENT: &[Member] = &[
    (
        "event",
        Any,
        true,
        "address, topics, data, logIndex in the receipt; logIndexInBlock is not proven",
    ),
    (
        "bloom",
        Any,
        false,
        "Bit positions of address and topics, set in the receipt's and header's bloom",
    ),
];
/// Parts, spelled as the object around them.
pub(super) const PARTS: &[Object] = &[
    Object::nested(
        "V5Anchor",
        "The SuperRoot that an answer stands on.",
        &[&[
            ("version", Int, true, "5"),
            ("sequence", Int, true, "Sequence of the SuperRoot"),
            ("superRootHash", Hex, true, "Its hash"),
            ("timestamp", Int, true, "When it was made, Unix seconds"),
            ("chainId", Int, false, "In answers about one chain"),
            ("finalizedBlock", MaybeInt, false, "Newest final block of that chain"),
            ("indexedBlock", MaybeInt, false, "Newest block of it in that SuperRoot"),
        ]],
    ),
    Object::nested(
        "Twig",
        "2,048 consecutive numbers of one chain.",
        &[&[
            ("index", Int, true, "number / 2048"),
            ("slot", Int, true, "number % 2048"),
            ("siblings", Hashes, true, "11, from the block leaf upward"),
            ("root", Hex, true, "Root of the twig"),
        ]],
    ),
    Object::nested(
        "MiniMmrPlace",
        "A sealed twig in its family's Mini-MMR.",
        &[&[
            ("family", Text, true, "Ledger family"),
            ("leafIndex", Int, true, "Which leaf"),
            ("leafCount", Int, true, "Of how many"),
            ("siblings", Hashes, true, "Path in the range, lowest first"),
            ("root", Hex, true, "Mini-MMR root"),
        ]],
    ),
    Object::nested(
        "BlockReference",
        "An open twig's place: its chain's reference.",
        &[&[
            ("chainId", Int, true, "Chain id"),
            ("family", Text, true, "Ledger family"),
            ("start", Int, true, "First number of the committed run"),
            ("number", Int, true, "Last number of it"),
            ("hash", Hex, true, "Hash of the last block"),
            ("openTwigIndex", Int, true, "Which twig is open"),
            ("openTwigRoot", Hex, true, "Its root"),
        ]],
    ),
    Object::nested(
        "SuperRootPlace",
        "The SuperRoot a proof ends in.",
        &[&[
            ("sequence", Int, true, "Sequence"),
            ("timestamp", Int, true, "Unix seconds"),
            ("treeRoot", Hex, true, "Root over the 64 slots"),
            ("index", Int, true, "Slot of the Mini-MMR or the reference"),
            ("preimage", Hex, true, "82 bytes that hash to the SuperRoot hash"),
            ("version", Int, true, "5"),
            ("logId", Hex, true, "Log id, made of the origin"),
            ("siblings", Hashes, true, "6, from the slot upward"),
        ]],
    ),
    Object::nested(
        "Finality",
        "Why a block counts as final, and what a reader still trusts.",
        &[&[
            ("status", Text, true, "finalized, not_final, or retracted: nodes took it back"),
            ("rule", Any, true, "When a block counts as final, in words, or null"),
            ("evidenceKind", Any, true, "consensus, l1_anchored or node_quorum, or null"),
            ("evidence", Any, true, "What can be looked at: the named sources"),
            ("trust", Text, true, "What the reader still trusts"),
        ]],
    ),
];

/// Whole bodies.
pub(super) const OBJECTS: &[Object] = &[
    Object::camel(
        "BlockPart",
        "The block's own proof inside that of an entry.",
        &[PLACE, BLOCK, PATH],
    ),
    Object::camel(
        "BlockProof",
        "A block up to a SuperRoot.",
        &[PLACE, BLOCK, PATH, UNPROVEN, ANCHOR],
    ),
    Object::snake(
        "KvBlockProof",
        "The same in snake_case.",
        &[PLACE, BLOCK, PATH, UNPROVEN, ANCHOR],
    ),
    Object::camel(
        "TransactionProof",
        "A transaction and its receipt up to a SuperRoot.",
        &[PLACE, ENTRY, TRANSACTION, RECEIPT, UNPROVEN, ANCHOR],
    ),
    Object::camel(
        "EventProof",
        "A log up to a SuperRoot.",
        &[PLACE, ENTRY, EVENT, TRANSACTION, RECEIPT, UNPROVEN, ANCHOR],
    ),
    Object::camel(
        "AbsenceProof",
        "That a block has nothing at a position.",
        &[PLACE, ENTRY, TRANSACTION, RECEIPT, UNPROVEN, ANCHOR],
    ),
    Object::snake(
        "LambdaBundle",
        "Header, roots and path of a block.",
        &[
            PLACE,
            BLOCK,
            PATH,
            UNPROVEN,
            ANCHOR,
            &[
                ("transactionsRoot", Hex, true, "The header's transactions root"),
                ("receiptsRoot", Hex, true, "The header's receipts root"),
                (
                    "isFinalized",
                    Bool,
                    true,
                    "Whether there is evidence that it is final; not proven",
                ),
            ],
        ],
    ),
    Object::snake(
        "BlobProof",
        "The portable proof of a block.",
        &[
            UNPROVEN,
            ANCHOR,
            &[
                ("proof_blob", Hex, true, "Bytes of the .srproof file: the whole proof"),
                ("proof_format", Text, true, "srproof/1"),
                ("l1_superroot", Hex, true, "Layer: the SuperRoot's 82 bytes"),
                ("l2_chain_header", Hex, true, "Layer: the header"),
                ("l3_superroot_proof", Hashes, true, "Layer: path to the SuperRoot"),
                ("l4_block_proof", Hashes, true, "Layer: path of the block"),
                ("l5_chain_event", Any, true, "Layer: null for a block"),
                (
                    "l6_finality_commitment",
                    MaybeHex,
                    true,
                    "Layer: Keccak-256 of the evidence of finality; not proven",
                ),
                ("chain_id", Int, true, "Chain id"),
                ("block_number", Int, true, "Number of the block"),
                ("block_hash", Hex, true, "Hash of the block"),
                ("family", Text, true, "Ledger family"),
                ("origin", Text, true, "Origin of the log"),
                ("network", Text, true, "live, recorded or simulated"),
                ("proof_kind", Text, true, "block"),
                ("proof_level", Int, true, "Highest level shown"),
                ("super_root_hash", Hex, true, "Hash of the SuperRoot that the proof ends in"),
            ],
        ],
    ),
    Object::camel(
        "BatchRequest",
        "Proofs wanted.",
        &[&[
            ("items", List("BatchItem"), true, "1 to 64 items, or what the service is set to"),
            ("root", Hex, false, "SuperRoot hash under which all are to end"),
            ("sequence", Int, false, "Or its sequence"),
        ]],
    ),
    Object::camel(
        "BatchItem",
        "A block; with txIndex and logIndex an event; with txIndex and absent an \
                        absence; with txHash a transaction, or with logIndex its event.",
        &[&[
            ("chain", Any, true, "Chain id or name"),
            ("block", Any, false, "Number or latest"),
            ("txHash", Hex, false, "Transaction hash instead of a block"),
            ("txIndex", Int, false, "Position in the block"),
            ("logIndex", Int, false, "Position in the receipt"),
            ("absent", Flag, false, "Whether absence is to be proven"),
        ]],
    ),
    Object::camel(
        "Batch",
        "Many proofs under one SuperRoot.",
        &[
            ANCHOR,
            &[
                ("nodes", Hashes, true, "Every trie node and sibling once"),
                (
                    "items",
                    Any,
                    true,
                    "Proofs as of the other routes, their siblings as indexes of nodes",
                ),
            ],
        ],
    ),
];

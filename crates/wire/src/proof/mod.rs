//! Proofs as JSON: making them, reading them, and holding every member against what was proven.
//!
//! ```text
//! block answer (v5, kv, lambda)            entry answer (v5)
//!   proofKind "block"                        proofKind "transaction" | "event" | "absence"
//!   chainId family blockNumber origin        chainId family blockNumber origin
//!   blockHash blockHeader header             block { a block answer }
//!   twig { index slot siblings root }        transaction rawTransaction siblings ..
//!   miniMmr { .. } | blockReference { .. }   receipt rawReceipt receiptSiblings ..
//!   superRoot { .. } superRootHash           event { .. } bloom { .. }
//!   siblings (6)  registry { .. }            superRootHash
//!   note { text size siblings }
//! ```
//! `siblings` are trie nodes in an entry answer and the SuperRoot path in a block answer: readers go
//! by `proofKind`. In the shape `blob` the whole proof is the hex of its binary form.

mod base;
mod batch;
mod beside;
mod block;
pub mod body;
mod check;
mod entry;
mod hex;
mod ledger;
mod parse;

use serde::Serialize;
use serde_json::{Value, json};
use superroot_proof::bundle::{Bundle, Facts, Subject};
use superroot_types::ProofLevel;

use self::body::{BlobPart, BlockPart, EntryPart, LambdaPart, Place};
use crate::compare::{Limits, compare_values, has};
use crate::{Case, Disagreement, case};

pub use base::BaseText;
pub use batch::{BATCH_ITEMS_MAX, batch_item, expand_batch, join_batch, parse_batch};
pub use beside::BesideEvent;
pub use body::SPELLED_BYTES_MAX;
pub use check::{CheckError, Checked, check_body, check_json};
#[cfg(feature = "grpc")]
pub(crate) use ledger::{LogBloom, log_bloom};
pub use ledger::{
    Named, entry_parts, event_in_short, parse_spelled_hash, receipt_in_short, shows_outcome,
    spelled_hash, transaction_in_short, unshown,
};
pub use parse::parse;

/// Room for what levels 3 to 5 of most answers take, and what is said beside them.
const LEVELS_BYTES: usize = 8 << 10;

/// Name of the binary form, as `proof_format` says it.
pub const PROOF_FORMAT: &str = "srproof/1";

/// Names under which an answer says what a proof shows. Where the proof at hand does not show it,
/// no answer may say it.
const RESERVED: [&str; 31] = [
    "block",
    "blockHash",
    "blockHeader",
    "blockNumber",
    "blockReference",
    "chainId",
    "family",
    "l1Superroot",
    "l2ChainHeader",
    "l3SuperrootProof",
    "l4BlockProof",
    "l5ChainEvent",
    "logId",
    "miniMmr",
    "network",
    "note",
    "numberBound",
    "origin",
    "proofBlob",
    "proofFormat",
    "proofKind",
    "proofLevel",
    "registry",
    "sequence",
    "siblings",
    "superRoot",
    "superRootHash",
    "superroot",
    "superrootHash",
    "treeRoot",
    "twig",
];

/// Objects in which every member is proven. What a service adds of its own stands beside them.
const CLOSED: [&str; 6] = ["blockReference", "miniMmr", "note", "registry", "superRoot", "twig"];

/// What may stand in them all the same: nodes count logs block by block, and so do their readers.
const FREE: [&str; 1] = ["logIndexInBlock"];

/// The same in each log of a receipt: readers of logs want the transaction, which the proof of an event need not hold.
const TRANSACTION_OF_LOGS: &str = "receipt.logs.transactionHash";

/// The JSON forms of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `/v5/proof/..`: camelCase, of any subject.
    V5,
    /// `/kv/proof/..`: `snake_case`, the block alone.
    KvBlock,
    /// `/api/lambda/proof-bundle/..`: `snake_case`, the block alone, roots instead of the header's
    /// fields.
    LambdaBlock,
    /// `/api/v5/proof/blob/..`: the binary form and its layers, in hex.
    Blob,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 4] = [Self::V5, Self::KvBlock, Self::LambdaBlock, Self::Blob];

    /// How names are spelled in it.
    #[must_use]
    pub const fn case(self) -> Case {
        match self {
            Self::V5 => Case::Camel,
            Self::KvBlock | Self::LambdaBlock | Self::Blob => Case::Snake,
        }
    }

    /// The shape of a body, by the members that only one has.
    #[must_use]
    pub fn of(body: &Value) -> Option<Self> {
        let has = |name| body.get(name).is_some();
        if has("proof_blob") {
            Some(Self::Blob)
        } else if has("chainId") {
            Some(Self::V5)
        } else if has("chain_id") {
            Some(if has("transactions_root") { Self::LambdaBlock } else { Self::KvBlock })
        } else {
            None
        }
    }
}

/// The JSON form of a proof: every member of it is proven by `facts`, or is the proof itself.
///
/// `facts` are what [`superroot_proof::bundle::verify`] gave back for this very bundle. The shapes
/// of a block show the block of an entry's proof; a proof of level 1 alone has none to show.
#[must_use]
pub fn render(bundle: &Bundle, facts: &Facts, shape: Shape) -> Value {
    case::write(&Part::of(bundle, facts, shape, None), shape.case())
}

/// The answer of a service as JSON text: what [`render`] shows, what is said beside it, and under `notProven` the
/// paths of all members that no hash shows. `base` is the text of levels 1 and 2 of this very proof in that shape,
/// `beside` an object of members that no hash shows, and their names; none has a name that the proof uses.
#[must_use]
pub fn render_answer(
    bundle: &Bundle,
    facts: &Facts,
    shape: Shape,
    base: &BaseText,
    (beside, names): (&impl Serialize, &[&str]),
) -> Vec<u8> {
    let case = shape.case();
    let names = names.iter().map(|name| case.spell(name));
    let not_proven = names.chain(base.not_proven.iter().cloned()).collect();
    let (case, around) = (Some(case), Around { beside, not_proven });
    let mut text = Vec::with_capacity(LEVELS_BYTES + base.byte_count());
    case::append(&mut text, &Part::of(bundle, facts, shape, Some(base)), case);
    text.pop();
    if !base.entry.is_empty() {
        text.push(b',');
        text.extend_from_slice(&base.entry);
    }
    let begins = text.len();
    case::append(&mut text, &around, case);
    text[begins] = b',';
    text
}

/// What stands beside a proof.
#[derive(Serialize)]
struct Around<'a, T> {
    #[serde(flatten)]
    beside: &'a T,
    not_proven: Vec<String>,
}

/// What the answer of a shape shows.
#[derive(Serialize)]
#[serde(untagged)]
enum Part {
    /// Of a proof of level 1 alone, which has no block to show.
    Place(Place),
    Block(Box<BlockPart>),
    Lambda(Box<LambdaPart>),
    Entry(Box<EntryPart>),
    Blob(Box<BlobPart>),
}

impl Part {
    /// Made anew, or around levels 1 and 2 as they were written: then the members of the entry are left out.
    fn of(bundle: &Bundle, facts: &Facts, shape: Shape, base: Option<&BaseText>) -> Self {
        let boxed = |part| Self::Block(Box::new(part));
        let part = match (shape, facts.statement.subject) {
            (Shape::V5, Subject::Block) | (Shape::KvBlock, _) => {
                block::part(bundle, facts, base).map(boxed)
            }
            (Shape::V5, _) => Some(Self::Entry(Box::new(entry::part(bundle, facts, base)))),
            (Shape::LambdaBlock, _) => {
                block::part_with_roots(bundle, facts).map(|part| Self::Lambda(Box::new(part)))
            }
            (Shape::Blob, _) => Some(Self::Blob(Box::new(block::layers(bundle, facts)))),
        };
        part.unwrap_or_else(|| Self::Place(block::statement(facts, "block")))
    }
}

/// Holds every member of a body against the proof it carries, and gives back the paths of those
/// that are not proven. `facts` are what verifying `bundle` gave, `bundle` what [`parse`] read from
/// the body. A part of the statement that no hash of the proof reaches, as the chain below level 3
/// and the origin below level 5, must be the bundle's own, and is not proven.
///
/// # Errors
/// [`Disagreement`] naming the first member that says something else than what was proven, or
/// speaks of what this proof does not show.
pub fn compare(body: &Value, bundle: &Bundle, facts: &Facts) -> Result<Vec<String>, Disagreement> {
    let shape = Shape::of(body).unwrap_or(Shape::V5);
    let mut proven = render(bundle, facts, shape);
    if let (Some(super_root), Some(members)) = (&facts.super_root, proven.as_object_mut()) {
        let anchor = json!({
            "version": superroot_proof::superroot::VERSION,
            "sequence": super_root.sequence,
            "superRootHash": super_root.hash(),
            "timestamp": super_root.timestamp,
            "chainId": facts.statement.chain.id,
        });
        for case in [Case::Camel, Case::Snake] {
            members.insert(case.spell("v5Anchor"), case::convert(anchor.clone(), case));
        }
    }
    let reserved = [&RESERVED[..], &ledger::RESERVED].concat();
    let closed = [&CLOSED[..], &ledger::CLOSED].concat();
    let free_in_lists = &[TRANSACTION_OF_LOGS];
    let limits = Limits { reserved: &reserved, closed: &closed, free: &FREE, free_in_lists };
    let mut unproven = compare_values(body, &proven, limits)?;
    let unhashed = unhashed(facts);
    let count: &[&str] = if facts.tx_count.is_none() { &["transactionCount"] } else { &[] };
    let index: &[&str] = if facts.index_bound { &[] } else { &CLAIMED_WITH_INDEX };
    // of a transaction only the place follows from the statement, its chain id was signed
    let place: &[&str] = if unhashed.contains(&"blockNumber") { &["blockNumber"] } else { &[] };
    let parts =
        [("block.", body.get("block"), unhashed), ("transaction.", body.get("transaction"), place)];
    let own = [("", Some(body), unhashed), ("", Some(body), count), ("", Some(body), index)];
    for (path, part, unhashed) in own.into_iter().chain(parts) {
        let names = part.and_then(Value::as_object).into_iter().flat_map(|part| part.keys());
        let names = names.filter(|name| has(unhashed, name));
        unproven.extend(names.map(|name| format!("{path}{name}")));
    }
    if body.get("event").is_some() {
        unproven.extend(unshown(facts).iter().map(|name| (*name).to_owned()));
    }
    Ok(unproven)
}

/// Members that stand in the statement alone where the proof does not show the transaction's place.
pub const CLAIMED_WITH_INDEX: [&str; 2] = ["transactionIndex", "signatureCount"];

/// Members of the statement that the proof's hashes do not reach.
fn unhashed(facts: &Facts) -> &'static [&'static str] {
    const STATEMENT: [&str; 5] = ["network", "origin", "chainId", "family", "blockNumber"];
    match facts.level {
        ProofLevel::Entry => &STATEMENT,
        ProofLevel::Block if !facts.number_bound => &STATEMENT,
        ProofLevel::Block => &STATEMENT[..4],
        ProofLevel::Twig | ProofLevel::MiniMmr => &STATEMENT[..2],
        ProofLevel::SuperRoot => &[],
    }
}

//! Proofs as JSON: rendering, parsing, and comparison of every member with the proof.
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
//! `siblings` are trie nodes in an entry answer and the SuperRoot path in a block answer: readers distinguish by
//! `proofKind`. In the shape `blob` the whole proof is the hex of the binary form.

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
mod query;

use serde::Serialize;
use serde_json::{Value, json};
use superroot_proof::bundle::{Bundle, Facts, ProofSubject};
use superroot_types::ProofLevel;

use self::body::{BlobPart, BlockPart, EntryPart, LambdaPart, SubjectPlace};
use crate::compare::{BodyLimits, compare_values, has};
use crate::{Case, Disagreement, case};

pub use base::BaseText;
pub use batch::{BATCH_ITEMS_MAX, batch_item, expand_batch, join_batch, parse_batch};
pub use beside::BesideEvent;
pub use body::SPELLED_BYTES_MAX;
pub use check::{CheckError, CheckedBody, check_body, check_json};
#[cfg(feature = "grpc")]
pub(crate) use ledger::{LogBloom, log_bloom};
pub use ledger::{
    Named, entry_parts, event_in_short, parse_spelled_hash, receipt_in_short, shows_outcome,
    spelled_hash, transaction_in_short, unshown,
};
pub use parse::parse;
pub use query::{ProofQuery, ProofTarget};

/// Capacity for levels 3 to 5 and unproven members in most answers.
const LEVELS_BYTES: usize = 8 << 10;

/// The binary form's name, as in `proof_format`.
pub const PROOF_FORMAT: &str = "srproof/1";

/// Names reserved for proven members. An answer must not use a reserved name without proof.
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

/// Objects with only proven members. Service additions are placed outside.
const CLOSED: [&str; 6] = ["blockReference", "miniMmr", "note", "registry", "superRoot", "twig"];

/// Unproven members allowed in closed objects: nodes and log readers count logs per block.
const FREE: [&str; 1] = ["logIndexInBlock"];

/// Unproven member allowed in each log of a receipt: log readers need the transaction, which an event proof may lack.
const TRANSACTION_OF_LOGS: &str = "receipt.logs.transactionHash";

/// JSON form of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `/v5/proof/..`: camelCase, any subject.
    V5,
    /// `/kv/proof/..`: `snake_case`, block only.
    KvBlock,
    /// `/api/lambda/proof-bundle/..`: `snake_case`, block only, roots instead of header fields.
    LambdaBlock,
    /// `/api/v5/proof/blob/..`: binary form and layers, in hex.
    Blob,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 4] = [Self::V5, Self::KvBlock, Self::LambdaBlock, Self::Blob];

    /// Returns the spelling of names in the shape.
    #[must_use]
    pub const fn case(self) -> Case {
        match self {
            Self::V5 => Case::Camel,
            Self::KvBlock | Self::LambdaBlock | Self::Blob => Case::Snake,
        }
    }

    /// Detects the shape of a body by members unique to a shape.
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

/// Renders a proof as JSON: every member is proven by `facts`, or is the proof itself.
///
/// `facts` must come from [`superroot_proof::bundle::verify`] for the same bundle. Block shapes show the block of an
/// entry proof; a level 1 proof has no block to show.
#[must_use]
pub fn render(bundle: &Bundle, facts: &Facts, shape: Shape) -> Value {
    case::write(&AnswerPart::of(bundle, facts, shape, None), shape.case())
}

/// Renders a service answer as JSON text: the members from [`render`], the unproven members, and the paths of all
/// unproven members under `notProven`. `base` is the text of levels 1 and 2 for the same proof and shape, `beside` an
/// object of unproven members with names; no name may be in use by the proof.
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
    let case = Some(case);
    let around = ServiceMembers { beside, not_proven };
    let mut text = Vec::with_capacity(LEVELS_BYTES + base.byte_count());
    case::append(&mut text, &AnswerPart::of(bundle, facts, shape, Some(base)), case);
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

/// Unproven members next to a proof.
#[derive(Serialize)]
struct ServiceMembers<'a, T> {
    #[serde(flatten)]
    beside: &'a T,
    not_proven: Vec<String>,
}

/// Proven part of an answer in one shape.
#[derive(Serialize)]
#[serde(untagged)]
enum AnswerPart {
    /// Level 1 proof, without a block to show.
    Place(SubjectPlace),
    Block(Box<BlockPart>),
    Lambda(Box<LambdaPart>),
    Entry(Box<EntryPart>),
    Blob(Box<BlobPart>),
}

impl AnswerPart {
    /// Creates the part in full, or around rendered levels 1 and 2: entry members are then omitted.
    fn of(bundle: &Bundle, facts: &Facts, shape: Shape, base: Option<&BaseText>) -> Self {
        let boxed = |part| Self::Block(Box::new(part));
        let part = match (shape, facts.statement.subject) {
            (Shape::V5, ProofSubject::Block) | (Shape::KvBlock, _) => {
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

/// Compares every member of a body with the proof in the body, and returns the paths of unproven members. `facts` come
/// from verifying `bundle`, `bundle` comes from [`parse`]. Statement members outside the hashes, such as the chain
/// below level 3 and the origin below level 5, must equal the bundle's values, and are unproven.
///
/// # Errors
/// [`Disagreement`] with the first member that contradicts the proof, or has no counterpart in the proof.
pub fn compare(body: &Value, bundle: &Bundle, facts: &Facts) -> Result<Vec<String>, Disagreement> {
    let shape = Shape::of(body).unwrap_or(Shape::V5);
    let mut proven = render(bundle, facts, shape);
    if let (Some(super_root), Some(members)) = (&facts.super_root, proven.as_object_mut()) {
        let anchor = json!({
            "version": superroot_proof::superroot::VERSION,
            "sequence": super_root.sequence.0,
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
    let limits = BodyLimits { reserved: &reserved, closed: &closed, free: &FREE, free_in_lists };
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

/// Members only in the statement if the proof does not show the transaction position.
pub const CLAIMED_WITH_INDEX: [&str; 2] = ["transactionIndex", "signatureCount"];

/// Returns the statement members outside the proof's hashes.
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

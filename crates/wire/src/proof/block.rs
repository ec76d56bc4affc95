//! Levels 2 to 5 of a proof: the block answer, its variants, and the layers of the portable form.

use serde_json::{Map, Value, json};
use superroot_proof::bundle::{
    Bundle, Facts, OpenPlace, Place, RegistryOpening, SealedPlace, ShownPlace, SuperRootProof,
    TwigProof,
};
use superroot_proof::superroot::{SuperRoot, VERSION, reference_slot};

use super::hex::hex;
use super::{PROOF_FORMAT, ledger};

/// What a proof is about and how far it goes.
pub(super) fn statement(facts: &Facts, proof_kind: &str) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("proofKind".to_owned(), json!(proof_kind));
    members.insert("proofLevel".to_owned(), json!(facts.level.number()));
    members.insert("family".to_owned(), json!(facts.statement.chain.family));
    members.insert("chainId".to_owned(), json!(facts.statement.chain.id));
    members.insert("blockNumber".to_owned(), json!(facts.statement.number));
    members.insert("network".to_owned(), json!(facts.network));
    members.insert("origin".to_owned(), json!(facts.origin));
    members
}

/// The block answer in camelCase.
pub(super) fn render(bundle: &Bundle, facts: &Facts) -> Value {
    let mut members = levels(bundle, facts);
    if let (Some(header), Some(block_hash)) = (&facts.header, &facts.block_hash) {
        members.insert("header".to_owned(), ledger::header(header, block_hash));
    }
    Value::Object(members)
}

/// The block answer with the roots of the header instead of all its fields.
pub(super) fn render_with_roots(bundle: &Bundle, facts: &Facts) -> Value {
    let mut members = levels(bundle, facts);
    if let Some(header) = &facts.header {
        members.insert("transactionsRoot".to_owned(), json!(header.transactions_root()));
        if let Some(receipts_root) = header.receipts_root() {
            members.insert("receiptsRoot".to_owned(), json!(receipts_root));
        }
    }
    Value::Object(members)
}

fn levels(bundle: &Bundle, facts: &Facts) -> Map<String, Value> {
    let mut members = statement(facts, "block");
    let mut put = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    let (Some(block), Some(block_hash)) = (&bundle.block, facts.block_hash) else {
        return members;
    };
    put("numberBound", json!(facts.number_bound));
    put("blockHash", json!(block_hash));
    put("blockHeader", hex(&block.header));
    if let (Some(proof), Some(shown)) = (bundle.twig(), facts.twig) {
        let TwigProof { siblings, .. } = proof;
        let (index, slot, root) = (shown.index, shown.slot, shown.root);
        let twig = json!({ "index": index, "slot": slot, "siblings": siblings, "root": root });
        put("twig", twig);
    }
    match bundle.place() {
        None => {}
        Some(Place::Sealed(sealed)) => put("miniMmr", mini_mmr(sealed, facts)),
        Some(Place::Open(open)) => put("blockReference", block_reference(open, facts)),
    }
    if let (Some(proof), Some(super_root)) = (bundle.super_root(), &facts.super_root) {
        put("siblings", json!(proof.siblings));
        put("superRootHash", json!(super_root.hash()));
        put("superRoot", super_root_path(proof, super_root, facts));
        if let Some(RegistryOpening { preimage, profile, siblings }) = &proof.registry {
            let (preimage, profile) = (hex(preimage), hex(profile));
            let opened = json!({ "preimage": preimage, "profile": profile, "siblings": siblings });
            put("registry", opened);
        }
    }
    members
}

fn mini_mmr(sealed: &SealedPlace, facts: &Facts) -> Value {
    json!({
        "family": facts.statement.chain.family,
        "leafIndex": sealed.leaf_index,
        "leafCount": sealed.leaf_count,
        "siblings": sealed.siblings,
        "root": sealed.root,
    })
}

fn block_reference(open: &OpenPlace, facts: &Facts) -> Value {
    json!({
        "chainId": facts.statement.chain.id,
        "family": facts.statement.chain.family,
        "start": open.start,
        "number": open.number,
        "hash": open.block_hash,
        "openTwigIndex": facts.twig.map(|twig| twig.index),
        "openTwigRoot": facts.twig.map(|twig| twig.root),
    })
}

fn super_root_path(proof: &SuperRootProof, super_root: &SuperRoot, facts: &Facts) -> Value {
    let slot = match facts.place {
        Some(ShownPlace::Open { row, .. }) => reference_slot(row),
        _ => u64::from(facts.statement.chain.family.byte()),
    };
    json!({
        "version": VERSION,
        "logId": super_root.log_id,
        "sequence": super_root.sequence,
        "timestamp": super_root.timestamp,
        "treeRoot": super_root.tree_root,
        "index": slot,
        "siblings": proof.siblings,
        "preimage": hex(&proof.preimage),
    })
}

/// The portable form: the binary proof, and its layers for those who read no binary. The layers l1
/// to l5 are no proof levels.
pub(super) fn render_layers(bundle: &Bundle, facts: &Facts) -> Value {
    let mut members = statement(facts, facts.statement.subject.name());
    let mut put = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    let block = bundle.block.as_ref();
    let twig = bundle.twig().map(|twig| twig.siblings.as_slice()).unwrap_or_default();
    let range = match bundle.place() {
        Some(Place::Sealed(sealed)) => sealed.siblings.as_slice(),
        _ => &[],
    };
    let path = bundle.super_root().map(|proof| proof.siblings.as_slice()).unwrap_or_default();
    put("proofFormat", json!(PROOF_FORMAT));
    put("proofBlob", hex(bundle.encode()));
    put("blockHash", json!(facts.block_hash));
    put("superRootHash", json!(facts.super_root_hash()));
    put("l1Superroot", bundle.super_root().map_or(Value::Null, |proof| hex(&proof.preimage)));
    put("l2ChainHeader", block.map_or(Value::Null, |block| hex(&block.header)));
    put("l3SuperrootProof", json!(path));
    put("l4BlockProof", twig.iter().chain(range).map(|sibling| json!(sibling)).collect());
    put("l5ChainEvent", chain_event(facts));
    Value::Object(members)
}

/// The leaf that the proof is about: a transaction's or, for a log, its receipt's.
fn chain_event(facts: &Facts) -> Value {
    let receipt = facts.log().and(facts.receipt.as_ref()).map(|receipt| &receipt.raw);
    let leaf = receipt.or(facts.transaction.as_ref().map(|transaction| &transaction.raw));
    leaf.map_or(Value::Null, hex)
}

//! The five levels of a proof, with facts, failures or reasons for absence.

use serde_json::{Map, Value, json};
use superroot_proof::bundle::{Bundle, Facts, ProofSubject, ShownPlace, TwigPosition};
use superroot_types::{Family, ProofLevel};
use superroot_wire::proof::{event_in_short, receipt_in_short, spelled_hash, transaction_in_short};

use super::verdict::FailedStep;

pub(crate) type ShownMember = superroot_wire::proof::Named;

pub(crate) fn object(members: &[ShownMember]) -> Value {
    members
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect::<Map<_, _>>()
        .into()
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LevelRow {
    pub(crate) level: ProofLevel,
    /// Validity; `None` if not recomputed.
    pub(crate) ok: Option<bool>,
    pub(crate) detail: String,
    /// Proven values, in reading order.
    pub(crate) shown: Vec<ShownMember>,
}

impl LevelRow {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "level": self.level.number(),
            "name": self.level.name(),
            "ok": self.ok,
            "shown": object(&self.shown),
            "detail": self.detail,
        })
    }
}

/// Proof levels. `facts` are the proven facts, if any; `failure` is the last step reached.
pub(crate) fn rows(
    bundle: &Bundle,
    facts: Option<&Facts>,
    failure: Option<&FailedStep>,
) -> Vec<LevelRow> {
    let row = |level: ProofLevel| {
        if let Some(failure) = failure.filter(|failure| failure.step == level.name()) {
            let detail = failure.reason.clone();
            return LevelRow { level, ok: Some(false), detail, shown: Vec::new() };
        }
        if let Some((detail, shown)) = facts.and_then(|facts| shown(level, bundle, facts)) {
            return LevelRow { level, ok: Some(true), detail, shown };
        }
        let detail = not_shown(level, bundle).to_owned();
        LevelRow { level, ok: None, detail, shown: Vec::new() }
    };
    ProofLevel::ALL.map(row).to_vec()
}

/// Why a level is neither proven nor failed.
fn not_shown(level: ProofLevel, bundle: &Bundle) -> &'static str {
    let place = bundle.place();
    let is_there = match level {
        ProofLevel::Entry => bundle.entry.is_some(),
        ProofLevel::Block => bundle.block.is_some(),
        ProofLevel::Twig => bundle.twig().is_some(),
        ProofLevel::MiniMmr => matches!(place, Some(TwigPosition::Sealed(_))),
        ProofLevel::SuperRoot => bundle.super_root().is_some(),
    };
    match (level, place) {
        _ if is_there => "not checked",
        (ProofLevel::Entry, _) => "a block's proof has no level 1",
        (ProofLevel::MiniMmr, Some(TwigPosition::Open(_))) => {
            "not on this way: open twig, it stands in the block reference"
        }
        _ => "the proof ends below",
    }
}

fn shown(level: ProofLevel, bundle: &Bundle, facts: &Facts) -> Option<(String, Vec<ShownMember>)> {
    match level {
        ProofLevel::Entry => entry(bundle, facts),
        ProofLevel::Block => block(facts),
        ProofLevel::Twig => {
            let twig = facts.twig?;
            let detail = format!("the block is in slot {} of twig {}", twig.slot, twig.index);
            Some((
                detail,
                vec![
                    ("twig_index", json!(twig.index)),
                    ("slot", json!(twig.slot)),
                    ("twig_root", json!(twig.root)),
                ],
            ))
        }
        ProofLevel::MiniMmr => mini_mmr(facts),
        ProofLevel::SuperRoot => super_root(facts),
    }
}

fn entry(bundle: &Bundle, facts: &Facts) -> Option<(String, Vec<ShownMember>)> {
    let mut members = Vec::new();
    let proof = bundle.entry.as_ref()?;
    let detail = match facts.statement.subject {
        ProofSubject::Block => return None,
        ProofSubject::Transaction { .. } => {
            members.extend(transaction_in_short(proof, facts));
            members.extend(receipt_in_short(facts));
            let index = facts.statement.tx_index();
            let index = index.map_or_else(String::new, |index| format!(" at index {index}"));
            match facts.block_bound {
                true => format!("the block has this transaction{index}"),
                false => "the chain has this transaction by this block".to_owned(),
            }
        }
        ProofSubject::Log { log_index, .. } => {
            let (event, said) = event_in_short(facts.event.as_ref()?, log_index);
            members.extend(said);
            members.extend(transaction_in_short(proof, facts));
            match (facts.statement.tx_index(), facts.block_bound) {
                (Some(tx_index), _) => format!("{event} of transaction {tx_index}"),
                (None, true) => event,
                (None, false) => {
                    format!("{event} of this transaction, which the chain has by this block")
                }
            }
        }
        ProofSubject::Absence { tx_index } => {
            for (name, root) in [
                ("transactions_root", facts.transactions_root),
                ("receipts_root", facts.receipts_root),
            ] {
                members.extend(root.map(|root| (name, json!(root))));
            }
            members.extend(facts.tx_count.map(|count| ("transaction_count", json!(count))));
            let trees = absence_trees(facts.statement.chain.family);
            format!("no leaf at index {tx_index} {trees}")
        }
    };
    let own_root =
        if facts.header.is_none() { ", under a root that only the proof names" } else { "" };
    Some((detail + own_root, members))
}

fn block(facts: &Facts) -> Option<(String, Vec<ShownMember>)> {
    let header = facts.header.as_ref()?;
    let block_hash = facts.block_hash?;
    let mut members = vec![("block_hash", json!(block_hash))];
    let spelled = spelled_hash(facts.statement.chain.family, &block_hash);
    members.extend(spelled.map(|spelled| ("explorer_hash", json!(spelled))));
    members.extend(header.parent_hash().map(|parent| ("parent_hash", json!(parent))));
    members.extend(header.number().map(|number| ("number", json!(number))));
    members.extend(header.timestamp().map(|time| ("timestamp", json!(time))));
    let detail = match header.number() {
        Some(number) => format!("the header of block {number} has this hash"),
        None => "the header has this hash, and names no number".to_owned(),
    };
    Some((detail, members))
}

fn mini_mmr(facts: &Facts) -> Option<(String, Vec<ShownMember>)> {
    let ShownPlace::Sealed { leaf_index, leaf_count, root } = facts.place? else { return None };
    let family = facts.statement.chain.family;
    let detail = format!("the twig is leaf {leaf_index} of {leaf_count} of the {family} Mini-MMR");
    Some((
        detail,
        vec![
            ("leaf_index", json!(leaf_index)),
            ("leaf_count", json!(leaf_count)),
            ("mini_mmr_root", json!(root)),
        ],
    ))
}

fn super_root(facts: &Facts) -> Option<(String, Vec<ShownMember>)> {
    let super_root = facts.super_root.as_ref()?;
    let sequence = super_root.sequence;
    let mut members = vec![
        ("super_root_hash", json!(super_root.hash())),
        ("sequence", json!(sequence)),
        ("timestamp", json!(super_root.timestamp)),
    ];
    let what = match facts.place {
        Some(ShownPlace::Open { start, number, .. }) => {
            members.push(("committed_from", json!(start)));
            members.push(("committed_to", json!(number)));
            "the chain's block reference"
        }
        Some(ShownPlace::Sealed { .. }) | None => "the Mini-MMR",
    };
    Some((format!("SuperRoot {sequence} commits to {what}"), members))
}

/// Trees in which an absence proves a missing leaf.
pub(super) const fn absence_trees(family: Family) -> &'static str {
    match family {
        Family::Evm => "in the tries of the header",
        _ => "in the tree of transactions",
    }
}

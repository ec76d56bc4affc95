//! Levels 2 to 5 of a proof: block answer, variants, and layers of the portable form.

use superroot_proof::bundle::{
    Bundle, Facts, NotePath, RegistryOpening, ShownPlace, SuperRootProof, TwigPosition,
};
use superroot_proof::superroot::{SuperRoot, reference_slot};

use super::base::BaseText;
use super::body::{
    self, BlobPart, BlockPart, LambdaPart, LedgerObject, Levels, MiniMmrPlace, NotePlace,
    ObjectForm, RegistryPlace, SuperRootPlace, Twig,
};
use super::{PROOF_FORMAT, ledger};
use crate::Hex;
use crate::superroot::body::BlockReference;

/// Returns the subject and level of a proof.
pub(super) fn statement(facts: &Facts, proof_kind: &'static str) -> body::SubjectPlace {
    body::SubjectPlace {
        proof_kind,
        chain_id: facts.statement.chain.id,
        family: facts.statement.chain.family,
        origin: facts.origin.clone(),
        network: facts.network,
        proof_level: facts.level.number(),
        block_number: facts.statement.number,
    }
}

/// Returns the block answer, with a new or previously rendered header; `None` for a proof without a block.
pub(super) fn part(bundle: &Bundle, facts: &Facts, base: Option<&BaseText>) -> Option<BlockPart> {
    let levels = levels(bundle, facts)?;
    let header = match base {
        Some(base) => base.header.clone().map(LedgerObject::Written),
        None => {
            let made = |header| ledger::header(header, &levels.block_hash, ObjectForm::Values);
            facts.header.as_ref().map(made)
        }
    };
    Some(BlockPart { place: statement(facts, "block"), levels: Levels { header, ..levels } })
}

/// Returns the block answer with header roots instead of all header fields.
pub(super) fn part_with_roots(bundle: &Bundle, facts: &Facts) -> Option<LambdaPart> {
    let place = statement(facts, "block");
    let header = facts.header.as_ref()?;
    let transactions_root = header.transactions_root()?;
    let receipts_root = header.receipts_root();
    let levels = levels(bundle, facts)?;
    Some(LambdaPart { place, levels, transactions_root, receipts_root })
}

fn levels(bundle: &Bundle, facts: &Facts) -> Option<Levels> {
    let block = bundle.block.as_ref()?;
    let block_hash = facts.block_hash?;
    let chain_id = facts.statement.chain.id;
    let family = facts.statement.chain.family;
    let twig = bundle.twig().zip(facts.twig);
    let super_root = bundle.super_root().zip(facts.super_root.as_ref());
    let registry = super_root.map(|(proof, _)| &proof.registry);
    let (mini_mmr, block_reference) = match bundle.place().zip(twig) {
        None => (None, None),
        Some((TwigPosition::Sealed(sealed), _)) => {
            let leaf_index = sealed.leaf_index.0;
            let leaf_count = sealed.leaf_count.0;
            let siblings = sealed.siblings.clone();
            let root = sealed.root;
            (Some(MiniMmrPlace { family, leaf_index, leaf_count, siblings, root }), None)
        }
        Some((TwigPosition::Open(open), (_, shown))) => {
            let reference = BlockReference {
                chain_id,
                family,
                start: open.start,
                number: open.number,
                hash: open.block_hash,
                open_twig_index: shown.index.0,
                open_twig_root: shown.root,
            };
            (None, Some(reference))
        }
    };
    Some(Levels {
        number_bound: facts.number_bound,
        block_hash,
        block_header: Hex(block.header.clone()),
        header: None,
        twig: twig.map(|(proof, shown)| Twig {
            index: shown.index.0,
            slot: shown.slot.into(),
            siblings: proof.siblings.to_vec(),
            root: shown.root,
        }),
        mini_mmr,
        block_reference,
        super_root: super_root.map(|(proof, shown)| super_root_place(proof, shown, facts)),
        super_root_hash: super_root.and(facts.super_root_hash()),
        siblings: super_root.map(|(proof, _)| proof.siblings.to_vec()),
        registry: registry.map(RegistryPlace::from),
        note: super_root.and_then(|(proof, _)| note_place(proof.note.as_ref()?, facts)),
    })
}

fn super_root_place(proof: &SuperRootProof, shown: &SuperRoot, facts: &Facts) -> SuperRootPlace {
    let index = match facts.place {
        Some(ShownPlace::Open { row, .. }) => reference_slot(row),
        Some(ShownPlace::Sealed { .. }) | None => u64::from(facts.statement.chain.family.byte()),
    };
    let preimage = Hex(proof.preimage.clone());
    SuperRootPlace { part: shown.into(), index, preimage, siblings: proof.siblings.to_vec() }
}

fn note_place(proof: &NotePath, facts: &Facts) -> Option<NotePlace> {
    let size = facts.note.as_ref()?.checkpoint.size;
    Some(NotePlace { text: proof.note.clone(), size: size.0, siblings: proof.siblings.clone() })
}

impl From<&RegistryOpening> for RegistryPlace {
    fn from(opening: &RegistryOpening) -> Self {
        let RegistryOpening { profile, row, count, row_siblings, siblings } = opening.clone();
        let row_siblings = row_siblings.to_vec();
        let super_root_siblings = siblings.to_vec();
        let profile = Hex(profile);
        Self { profile, row: row.0, count, siblings: row_siblings, super_root_siblings }
    }
}

/// Returns the portable form: the binary proof, with layers for readers without a binary parser. Layers l1 to l5 are
/// not proof levels.
pub(super) fn layers(bundle: &Bundle, facts: &Facts) -> BlobPart {
    let twig = bundle.twig().map(|twig| twig.siblings.as_slice()).unwrap_or_default();
    let range = match bundle.place() {
        Some(TwigPosition::Sealed(sealed)) => sealed.siblings.as_slice(),
        Some(TwigPosition::Open(_)) | None => &[],
    };
    let super_root = bundle.super_root();
    BlobPart {
        place: statement(facts, facts.statement.subject.name()),
        block_hash: facts.block_hash,
        super_root_hash: facts.super_root_hash(),
        proof_blob: Hex(bundle.encode()),
        proof_format: PROOF_FORMAT,
        l1_superroot: super_root.map(|proof| Hex(proof.preimage.clone())),
        l2_chain_header: bundle.block.as_ref().map(|block| Hex(block.header.clone())),
        l3_superroot_proof: super_root.map(|proof| proof.siblings.to_vec()).unwrap_or_default(),
        l4_block_proof: [twig, range].concat(),
        l5_chain_event: chain_event(facts),
    }
}

/// Returns the proven leaf: the transaction or, for a log, the receipt.
fn chain_event(facts: &Facts) -> Option<Hex> {
    let receipt = facts.log().and(facts.receipt.as_ref()).map(|receipt| &receipt.raw);
    let leaf = receipt.or(facts.transaction.as_ref().map(|transaction| &transaction.raw));
    leaf.cloned().map(Hex)
}

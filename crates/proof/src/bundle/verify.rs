//! Proof check, step by step as in `docs/protocol.md#what-a-verifier-does`.

use superroot_types::{Hash, ProofLevel, SAFE_INTEGER_MAX};

use super::error::{ProofError, ProofFault, ProofStep};
use super::facts::{Facts, ShownPlace};
use super::levels::{
    BlockFacts, PlaceFacts, ProofLevels, StatementFacts, SuperRootFacts, TwigFacts,
};
use super::policy::{Chain, Policy};
use super::{
    Bundle, OpenPlace, ProofSubject, RegistryOpening, SealedPlace, Statement, SuperRootProof,
    TwigPosition, TwigProof, Verified,
};
use crate::hash::keccak256;
use crate::ledger::{self, Header, LedgerError};
use crate::perfect::root_of_path;
use crate::range::{KeccakRange, root_of_path as range_root_of_path};
use crate::registry::{self, Profile, ROWS_MAX};
use crate::superroot::{ChainReference, MiniMmr, REGISTRY_SLOT, SuperRoot, log_id, reference_slot};
use crate::twig::{block_leaf, twig_leaf};

/// Checks a bundle as far as it goes; the facts give the level reached.
///
/// A valid bundle proves "this SuperRoot commits to this". [`verify_anchored`] also compares the SuperRoot with a
/// trusted hash. Whether the chain is canonical and final needs separate evidence.
///
/// # Errors
/// [`ProofError`] with the first failing step and its reason.
pub fn verify(bundle: &Bundle, policy: &Policy<'_>) -> Result<Verified<Facts>, ProofError> {
    let statement = verify_statement(bundle, policy)?;
    let block = verify_block(&statement, bundle)?;
    let twig = bundle.twig().map(|twig| verify_twig(&block, twig)).transpose()?;
    let place = twig.as_ref().zip(bundle.place());
    let place = place.map(|(twig, place)| verify_place(twig, place)).transpose()?;
    let super_root = place.as_ref().zip(bundle.super_root());
    let super_root = super_root.map(|(place, proof)| verify_super_root(&statement, place, proof));
    let super_root = super_root.transpose()?;
    let levels = ProofLevels {
        statement: &statement,
        block: &block,
        twig: twig.as_ref(),
        place: place.as_ref(),
        super_root: super_root.as_ref(),
        note: bundle.note(),
    };
    levels.join()
}

/// Checks a bundle and its SuperRoot hash against a trusted hash: pinned, read on-chain, or signed as the policy asks,
/// never just from the same answer.
///
/// # Errors
/// As [`verify`]; [`ProofStep::Anchor`] for a proof below level 5 or another SuperRoot.
pub fn verify_anchored(
    bundle: &Bundle,
    policy: &Policy<'_>,
    trusted: &Hash,
) -> Result<Verified<Facts>, ProofError> {
    let facts = verify(bundle, policy)?;
    let anchor = |fault| ProofError::new(ProofStep::Anchor, fault);
    let got = facts.super_root_hash().ok_or_else(|| anchor(ProofFault::NoSuperRoot))?;
    if got != *trusted {
        let expected = *trusted;
        return Err(anchor(ProofFault::Mismatch { what: "SuperRoot hash", got, expected }));
    }
    Ok(facts)
}

/// Step 1: parts, bounds, and the rule from the verifier's registry or, if the policy allows, from the opened profile;
/// neither may have withdrawn the number. [`verify_super_root`] ties the profile to the log.
///
/// # Errors
/// [`ProofError`] at [`ProofStep::Statement`].
pub fn verify_statement(
    bundle: &Bundle,
    policy: &Policy<'_>,
) -> Result<Verified<StatementFacts>, ProofError> {
    let at = |fault| ProofError::new(ProofStep::Statement, fault);
    let log_id = log_id(&bundle.origin).map_err(|_| at(ProofFault::Origin))?;
    check_parts(bundle).map_err(at)?;
    let Statement { chain, number, .. } = bundle.statement;
    let bytes = bundle.super_root().map(|proof| &proof.registry.profile);
    let opened = bytes.map(|bytes| Profile::decode(bytes)).transpose();
    let opened = opened.map_err(|_| at(ProofFault::Registry { what: "malformed profile" }))?;
    let chain = Chain { chain, policy, opened: opened.as_ref() };
    let rule = chain.rule_at(number).map_err(at)?;
    let profile = chain.known().or(chain.opened);
    Ok(Verified(StatementFacts {
        statement: bundle.statement,
        origin: bundle.origin.clone(),
        log_id,
        rule,
        caip2: profile.map(|profile| profile.caip2.clone()).unwrap_or_default(),
        is_known: chain.known().is_some(),
        profile: bytes.cloned(),
    }))
}

/// Steps 2 and 3: the entry under its roots; the whole header gives the block hash, the roots and, if it names a number,
/// the statement's number.
///
/// # Errors
/// [`ProofError`] at [`ProofLevel::Entry`] or [`ProofLevel::Block`].
pub fn verify_block(
    claim: &Verified<StatementFacts>,
    bundle: &Bundle,
) -> Result<Verified<BlockFacts>, ProofError> {
    let StatementFacts { statement, rule, caip2, .. } = &**claim;
    let rule = *rule;
    let header = bundle.block.as_ref().map(|block| {
        let header = Header::decode(rule, &block.header)?;
        let got = ledger::block_hash(rule, &block.header)?;
        let expected = block.block_hash;
        if got != expected {
            return Err(ProofFault::Ledger(LedgerError::BlockHash { got, expected }));
        }
        let expected = statement.number;
        match header.number().filter(|number| *number != expected.0) {
            Some(got) => Err(ProofFault::Number { got, expected }),
            None => Ok(header),
        }
    });
    let header = header.transpose().map_err(ProofError::at(ProofLevel::Block))?;
    let entry = bundle.entry.as_ref();
    let entry = entry.map(|entry| entry.check(rule, statement.subject, header.as_ref()));
    let entry = entry.transpose().map_err(ProofFault::from);
    let entry = entry.map_err(ProofError::at(ProofLevel::Entry))?;
    if let Some(header) = &header {
        let named = header.check_chain(caip2).map_err(ProofFault::from);
        named.map_err(ProofError::at(ProofLevel::Block))?;
    }
    Ok(Verified(BlockFacts {
        statement: *statement,
        rule,
        caip2: caip2.clone(),
        shows_block: bundle.shows_block(),
        entry,
        block_hash: bundle.block.as_ref().map(|block| block.block_hash),
        header,
    }))
}

/// Step 4: block leaf, slot by number, 11 siblings.
///
/// # Errors
/// [`ProofError`] at [`ProofLevel::Twig`].
pub fn verify_twig(
    block: &Verified<BlockFacts>,
    twig: &TwigProof,
) -> Result<Verified<TwigFacts>, ProofError> {
    let at = ProofError::at(ProofLevel::Twig);
    let Some(block_hash) = block.block_hash else {
        return Err(at(ProofFault::Parts { what: "there is no header" }));
    };
    let Statement { chain, number, .. } = block.statement;
    let leaf = block_leaf(chain, number, &block_hash);
    let root = root_of_path(&leaf, number.twig_slot().into(), &twig.siblings);
    same("twig root", root, twig.root).map_err(at)?;
    Ok(Verified(TwigFacts { chain, number, block_hash, root }))
}

/// Step 5: for a sealed twig its leaf, range path and Mini-MMR root, in the family's slot; for an open twig the chain's
/// reference, in its row's slot.
///
/// # Errors
/// [`ProofError`] at [`ProofLevel::MiniMmr`] for a sealed twig, at [`ProofLevel::SuperRoot`] for an open one.
pub fn verify_place(
    twig: &Verified<TwigFacts>,
    place: &TwigPosition,
) -> Result<Verified<PlaceFacts>, ProofError> {
    let found = match place {
        TwigPosition::Sealed(sealed) => {
            place_sealed(twig, sealed).map_err(ProofError::at(ProofLevel::MiniMmr))
        }
        TwigPosition::Open(open) => {
            place_open(twig, open).map_err(ProofError::at(ProofLevel::SuperRoot))
        }
    };
    found.map(Verified)
}

fn place_sealed(twig: &TwigFacts, sealed: &SealedPlace) -> Result<PlaceFacts, ProofFault> {
    let SealedPlace { leaf_index, leaf_count, siblings, root, super_root: _ } = sealed;
    let (leaf_index, leaf_count) = (*leaf_index, *leaf_count);
    within("leaf count", leaf_count.0)?;
    let family = twig.chain.family;
    let leaf = twig_leaf(twig.chain, twig.number.twig_index(), &twig.root);
    let range_root = range_root_of_path::<KeccakRange>(&leaf, leaf_index, leaf_count, siblings);
    let range_root = range_root.map_err(ProofFault::Range)?;
    let got = MiniMmr { leaf_count, range_root }.root(family);
    same("Mini-MMR root", got, *root)?;
    Ok(PlaceFacts {
        twig: twig.clone(),
        shown: ShownPlace::Sealed { leaf_index, leaf_count, root: got },
        slot: u64::from(family.byte()),
        slot_value: got,
        profile: None,
    })
}

fn place_open(twig: &TwigFacts, open: &OpenPlace) -> Result<PlaceFacts, ProofFault> {
    let number = twig.number;
    within("reference number", open.number.0)?;
    let reference = ChainReference {
        chain: twig.chain,
        start: open.start,
        number: open.number,
        block_hash: open.block_hash,
        open_twig_root: twig.root,
    };
    let in_run = open.start <= number && number <= open.number;
    if !in_run || number.twig_index() != reference.open_twig_index() {
        let start = open.start;
        let last = open.number;
        return Err(ProofFault::NotInOpenTwig { number, start, last });
    }
    let opening = &open.super_root.registry;
    check_reference(&reference, opening, twig)?;
    let row = opening.row;
    Ok(PlaceFacts {
        twig: twig.clone(),
        shown: ShownPlace::Open { row, start: open.start, number: open.number },
        slot: reference_slot(row),
        slot_value: reference.hash(),
        profile: Some(opening.profile.clone()),
    })
}

/// Step 6: six siblings to the tree root, the preimage, and the chain's profile below.
///
/// # Errors
/// [`ProofError`] at [`ProofLevel::SuperRoot`].
pub fn verify_super_root(
    claim: &Verified<StatementFacts>,
    place: &Verified<PlaceFacts>,
    proof: &SuperRootProof,
) -> Result<Verified<SuperRootFacts>, ProofError> {
    let PlaceFacts { slot, slot_value, .. } = **place;
    let found = open_super_root(claim.log_id, (slot, slot_value), proof);
    found.map(Verified).map_err(ProofError::at(ProofLevel::SuperRoot))
}

fn open_super_root(
    log_id: Hash,
    (slot, slot_value): (u64, Hash),
    proof: &SuperRootProof,
) -> Result<SuperRootFacts, ProofFault> {
    let super_root = SuperRoot::decode(&proof.preimage).map_err(ProofFault::Preimage)?;
    within("sequence", super_root.sequence.0)?;
    within("timestamp", super_root.timestamp.0)?;
    same("log id of the origin", log_id, super_root.log_id)?;
    let tree_root = root_of_path(&slot_value, slot, &proof.siblings);
    same("SuperRoot tree root", tree_root, super_root.tree_root)?;
    check_opening(&proof.registry, &super_root.tree_root)?;
    Ok(SuperRootFacts {
        log_id,
        slot,
        slot_value,
        profile: proof.registry.profile.clone(),
        super_root,
        super_root_hash: super_root.hash(),
    })
}

fn check_parts(bundle: &Bundle) -> Result<(), ProofFault> {
    let parts = |what| Err(ProofFault::Parts { what });
    match (bundle.statement.subject, &bundle.entry) {
        (ProofSubject::Block, Some(_)) => return parts("a block's proof has no level 1"),
        (ProofSubject::Block, None) if bundle.block.is_none() => {
            return parts("there is no header");
        }
        (ProofSubject::Block, None) => {}
        (_, None) => return parts("level 1 is missing"),
        (subject, Some(entry)) => entry.check_parts(subject)?,
    }
    within("chain id", bundle.statement.chain.id.0)?;
    within("block number", bundle.statement.number.0)
}

fn within(what: &'static str, value: u64) -> Result<(), ProofFault> {
    if value > SAFE_INTEGER_MAX { Err(ProofFault::TooLarge { what }) } else { Ok(()) }
}

/// Checks the run start against the log rules, and the last block against the proven block at that number.
fn check_reference(
    reference: &ChainReference,
    opening: &RegistryOpening,
    twig: &TwigFacts,
) -> Result<(), ProofFault> {
    let wrong = |why| Err(ProofFault::Reference { why });
    let profile = Profile::decode(&opening.profile);
    let profile = profile.map_err(|_| ProofFault::Registry { what: "malformed profile" })?;
    if !profile.may_start_at(reference.start.0) {
        return wrong("its start is neither a multiple of 2,048 nor the ledger's first number");
    }
    let is_last = twig.number == reference.number;
    if is_last && twig.block_hash != reference.block_hash {
        return wrong("its last block has another hash than the proof's block of that number");
    }
    Ok(())
}

/// Step 1, registry part: the profile in its registry tree row, under slot 55.
fn check_opening(opening: &RegistryOpening, tree_root: &Hash) -> Result<(), ProofFault> {
    let RegistryOpening { profile, row, count, row_siblings, siblings } = opening;
    if row.0 >= *count || usize::from(*count) > ROWS_MAX {
        return Err(ProofFault::Registry { what: "no registry has such a row" });
    }
    let registry_tree_root = root_of_path(&keccak256(profile), u64::from(row.0), row_siblings);
    let root = registry::root_of(u16::from(*count), &registry_tree_root);
    let got = root_of_path(&root, REGISTRY_SLOT, siblings);
    same("SuperRoot tree root over the registry", got, *tree_root)
}

fn same(what: &'static str, got: Hash, expected: Hash) -> Result<(), ProofFault> {
    if got == expected { Ok(()) } else { Err(ProofFault::Mismatch { what, got, expected }) }
}

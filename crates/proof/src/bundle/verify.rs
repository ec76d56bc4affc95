//! Proof check, step by step as in `docs/protocol.md#what-a-verifier-does`.

use alloc::string::String;

use superroot_types::{Hash, Network, ProofLevel, SAFE_INTEGER_MAX};

use super::error::{ProofError, ProofFault, ProofStep};
use super::facts::{Facts, ShownNote, ShownPlace, ShownTwig};
use super::held::{HeldBase, HeldProof, HeldTop, HeldTwig, NewlyHeld};
use super::policy::{Chain, Policy};
use super::{
    BlockLevel, Bundle, NotePath, OpenPlace, ProofSubject, RegistryOpening, SealedPlace, Statement,
    SuperRootProof, TwigPosition, TwigProof, Verified,
};
use crate::hash::keccak256;
use crate::ledger::{self, Header, LedgerError};
use crate::note::{Checkpoint, CheckpointError, Note};
use crate::perfect::root_of_path;
use crate::range::{
    KeccakRange, Sha256Range, root_of_path as range_root_of_path, verify_inclusion,
};
use crate::registry::{self, HashRule, Profile, ROWS_MAX};
use crate::superroot::{
    ChainReference, MiniMmr, REGISTRY_SLOT, SuperRoot, SuperRootHistory, log_id, reference_slot,
};
use crate::twig::{block_leaf, twig_leaf};

/// Statement chain's rule and CAIP-2 name, and whether the verifier knows the chain.
struct StatementRules {
    rule: HashRule,
    caip2: String,
    is_known: bool,
}

/// Checks a bundle as far as it goes; the facts give the level reached.
///
/// A valid bundle proves "this SuperRoot commits to this". [`verify_anchored`] also compares the SuperRoot with a
/// trusted hash. Whether the chain is canonical and final needs separate evidence.
///
/// # Errors
/// [`ProofError`] with the first failing step and its reason.
pub fn verify(bundle: &Bundle, policy: &Policy<'_>) -> Result<Verified<Facts>, ProofError> {
    check(bundle, policy, None).map(|(facts, _)| facts)
}

/// Like [`verify`], for many proofs: previously verified levels 1 and 2, level 3 and level 5 are not hashed again;
/// newly verified parts are returned.
///
/// # Errors
/// As [`verify`].
pub fn verify_again(
    bundle: &Bundle,
    policy: &Policy<'_>,
    held: HeldProof<'_>,
) -> Result<(Verified<Facts>, NewlyHeld), ProofError> {
    check(bundle, policy, Some(held))
}

fn check(
    bundle: &Bundle,
    policy: &Policy<'_>,
    held: Option<HeldProof<'_>>,
) -> Result<(Verified<Facts>, NewlyHeld), ProofError> {
    let statement = |fault| ProofError::new(ProofStep::Statement, fault);
    let log = log_id(&bundle.origin).map_err(|_| statement(ProofFault::Origin))?;
    check_parts(bundle).map_err(statement)?;
    let rules = rules(bundle, policy).map_err(statement)?;
    let mut facts = Facts {
        statement: bundle.statement,
        origin: bundle.origin.clone(),
        network: Network::of_origin(&bundle.origin),
        level: ProofLevel::Entry,
        rule: rules.rule,
        transactions_root: None,
        receipts_root: None,
        transaction: None,
        receipt: None,
        event: None,
        tx_count: None,
        header: None,
        block_hash: None,
        number_bound: rules.rule.binds_number(),
        index_bound: bundle.statement.binds_transaction(),
        block_bound: bundle.shows_block(),
        chain_known: rules.is_known,
        twig: None,
        place: None,
        super_root: None,
        super_root_hash: None,
        note: None,
    };
    let base = check_base(bundle, rules.rule, held, &mut facts)?;
    if let Some(header) = &facts.header {
        let named = header.check_chain(&rules.caip2).map_err(ProofFault::from);
        named.map_err(ProofError::at(ProofLevel::Block))?;
    }
    let twig = bundle.twig().map(|twig| check_twig(twig, held, &mut facts));
    let twig = twig.transpose().map_err(ProofError::at(ProofLevel::Twig))?.flatten();
    let top = match bundle.place() {
        None => None,
        Some(TwigPosition::Sealed(sealed)) => check_sealed(sealed, (&log, held), &mut facts)?,
        Some(TwigPosition::Open(open)) => check_open(open, (&log, held), &mut facts)
            .map_err(ProofError::at(ProofLevel::SuperRoot))?,
    };
    Ok((Verified(facts), NewlyHeld { base, twig, top }))
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
    same("SuperRoot hash", got, *trusted).map_err(anchor)?;
    Ok(facts)
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

/// Step 1: rule from the verifier's registry or, if the policy allows, from the opened profile; neither may have
/// withdrawn the number. [`check_opening`] ties the profile to the log.
fn rules(bundle: &Bundle, policy: &Policy<'_>) -> Result<StatementRules, ProofFault> {
    let chain = bundle.statement.chain;
    let number = bundle.statement.number;
    let opened = bundle.super_root().map(|proof| Profile::decode(&proof.registry.profile));
    let opened =
        opened.transpose().map_err(|_| ProofFault::Registry { what: "malformed profile" })?;
    let chain = Chain { chain, policy, opened: opened.as_ref() };
    let rule = chain.rule_at(number)?;
    let profile = chain.known().or(chain.opened);
    let caip2 = profile.map(|profile| profile.caip2.clone()).unwrap_or_default();
    Ok(StatementRules { rule, caip2, is_known: chain.known().is_some() })
}

/// Steps 2 and 3, unless already verified. Returns the verified part if requested.
fn check_base(
    bundle: &Bundle,
    rule: HashRule,
    held: Option<HeldProof<'_>>,
    facts: &mut Facts,
) -> Result<Option<HeldBase>, ProofError> {
    let before = held.and_then(|held| held.base).filter(|base| base.is_of(bundle, rule));
    if let (Some(base), Some(block)) = (before, &bundle.block) {
        let (header, entry) = base.shown();
        facts.put_header(header, block.block_hash);
        entry.into_iter().for_each(|shown| facts.put_entry(shown));
        return Ok(None);
    }
    if let Some(block) = &bundle.block {
        check_header(block, rule, facts).map_err(ProofError::at(ProofLevel::Block))?;
    }
    if let Some(entry) = &bundle.entry {
        let shown = entry.check(rule, facts.statement.subject, facts.header.as_ref());
        let shown = shown.map_err(|fault| ProofError::at(ProofLevel::Entry)(fault.into()))?;
        facts.put_entry(shown);
    }
    let wanted = held.filter(|held| held.is_base_wanted);
    Ok(wanted.and_then(|_| HeldBase::of(bundle, rule, facts)))
}

/// Step 3: the whole header gives the block hash and, if it names a number, the statement's number.
fn check_header(block: &BlockLevel, rule: HashRule, facts: &mut Facts) -> Result<(), ProofFault> {
    let header = Header::decode(rule, &block.header)?;
    let got = ledger::block_hash(rule, &block.header)?;
    if got != block.block_hash {
        let expected = block.block_hash;
        return Err(ProofFault::Ledger(LedgerError::BlockHash { got, expected }));
    }
    let expected = facts.statement.number;
    if let Some(got) = header.number().filter(|number| *number != expected.0) {
        return Err(ProofFault::Number { got, expected });
    }
    facts.put_header(header, got);
    Ok(())
}

/// Step 4: block leaf, slot by number, 11 siblings. Returns newly verified parts.
fn check_twig(
    twig: &TwigProof,
    held: Option<HeldProof<'_>>,
    facts: &mut Facts,
) -> Result<Option<HeldTwig>, ProofFault> {
    let Some(block_hash) = facts.block_hash else {
        return Err(ProofFault::Parts { what: "there is no header" });
    };
    let statement = &facts.statement;
    let root = twig.root;
    let Statement { chain, number, .. } = *statement;
    let before = held.and_then(|held| held.twig);
    let mut holds = None;
    if !before.is_some_and(|before| before.is(statement, block_hash, twig)) {
        let leaf = block_leaf(chain, number, &block_hash);
        same("twig root", root_of_path(&leaf, number.twig_slot(), &twig.siblings), root)?;
        holds = held.map(|_| HeldTwig::of(statement, block_hash, twig));
    }
    facts.twig = Some(ShownTwig { index: number.twig_index(), slot: number.twig_slot(), root });
    facts.level = ProofLevel::Twig;
    Ok(holds)
}

/// Step 5, sealed: twig leaf, range path, Mini-MMR root in the family's slot.
fn check_sealed(
    sealed: &SealedPlace,
    log: (&Hash, Option<HeldProof<'_>>),
    facts: &mut Facts,
) -> Result<Option<HeldTop>, ProofError> {
    let chain = facts.statement.chain;
    let number = facts.statement.number;
    let level_4 = ProofError::at(ProofLevel::MiniMmr);
    let twig_root = facts.twig.map_or(Hash::ZERO, |twig| twig.root);
    let SealedPlace { leaf_index, leaf_count, siblings, root, super_root } = sealed;
    within("leaf count", *leaf_count).map_err(&level_4)?;
    let leaf = twig_leaf(chain, number.twig_index(), &twig_root);
    let range_root = range_root_of_path::<KeccakRange>(&leaf, *leaf_index, *leaf_count, siblings);
    let range_root = range_root.map_err(|cause| level_4(ProofFault::Range(cause)))?;
    let got = MiniMmr { leaf_count: *leaf_count, range_root }.root(chain.family);
    same("Mini-MMR root", got, *root).map_err(&level_4)?;
    let leaf_index = *leaf_index;
    let leaf_count = *leaf_count;
    facts.place = Some(ShownPlace::Sealed { leaf_index, leaf_count, root: got });
    facts.level = ProofLevel::MiniMmr;
    let Some(super_root) = super_root else { return Ok(None) };
    check_super_root(super_root, (u64::from(chain.family.byte()), &got), log, facts)
        .map_err(ProofError::at(ProofLevel::SuperRoot))
}

/// Step 5, open: the statement chain's reference, in its row slot.
fn check_open(
    open: &OpenPlace,
    log: (&Hash, Option<HeldProof<'_>>),
    facts: &mut Facts,
) -> Result<Option<HeldTop>, ProofFault> {
    let chain = facts.statement.chain;
    let number = facts.statement.number;
    within("reference number", open.number.0)?;
    let reference = ChainReference {
        chain,
        start: open.start,
        number: open.number,
        block_hash: open.block_hash,
        open_twig_root: facts.twig.map_or(Hash::ZERO, |twig| twig.root),
    };
    let in_run = open.start <= number && number <= open.number;
    if !in_run || number.twig_index() != reference.open_twig_index() {
        let start = open.start;
        let last = open.number;
        return Err(ProofFault::NotInOpenTwig { number, start, last });
    }
    check_reference(&reference, &open.super_root.registry, facts)?;
    let row = usize::from(open.super_root.registry.row);
    facts.place = Some(ShownPlace::Open { row, start: open.start, number: open.number });
    check_super_root(&open.super_root, (reference_slot(row), &reference.hash()), log, facts)
}

/// Checks the run start against the log rules, and the last block against the proven block at that number.
fn check_reference(
    reference: &ChainReference,
    opening: &RegistryOpening,
    facts: &Facts,
) -> Result<(), ProofFault> {
    let wrong = |why| Err(ProofFault::Reference { why });
    let profile = Profile::decode(&opening.profile);
    let profile = profile.map_err(|_| ProofFault::Registry { what: "malformed profile" })?;
    if !profile.may_start_at(reference.start.0) {
        return wrong("its start is neither a multiple of 2,048 nor the ledger's first number");
    }
    let is_last = facts.statement.number == reference.number;
    if is_last && facts.block_hash != Some(reference.block_hash) {
        return wrong("its last block has another hash than the proof's block of that number");
    }
    Ok(())
}

/// Step 6: six siblings to the tree root, the preimage, and the chain's profile below. Returns newly verified parts.
fn check_super_root(
    proof: &SuperRootProof,
    (slot, slot_value): (u64, &Hash),
    (log, held): (&Hash, Option<HeldProof<'_>>),
    facts: &mut Facts,
) -> Result<Option<HeldTop>, ProofFault> {
    let super_root = SuperRoot::decode(&proof.preimage).map_err(ProofFault::Preimage)?;
    let before = held.and_then(|held| held.top);
    let (hash, top) = match before.filter(|top| top.is(proof, (slot, slot_value), log)) {
        Some(before) => (before.super_root_hash(), None),
        None => {
            within("sequence", super_root.sequence)?;
            within("timestamp", super_root.timestamp.0)?;
            same("log id of the origin", *log, super_root.log_id)?;
            let tree_root = root_of_path(slot_value, slot, &proof.siblings);
            same("SuperRoot tree root", tree_root, super_root.tree_root)?;
            check_opening(&proof.registry, &super_root.tree_root)?;
            let hash = super_root.hash();
            (hash, held.map(|_| HeldTop::of(proof, (slot, slot_value), log, hash)))
        }
    };
    let note = proof.note.as_ref().map(|note| check_note(note, &super_root, &facts.origin));
    facts.note = note.transpose()?;
    facts.super_root = Some(super_root);
    facts.super_root_hash = Some(hash);
    facts.level = ProofLevel::SuperRoot;
    Ok(top)
}

/// Checks the note's log and the SuperRoot inside. The facts check the signatures.
fn check_note(
    proof: &NotePath,
    super_root: &SuperRoot,
    origin: &str,
) -> Result<ShownNote, ProofFault> {
    let note = Note::parse(&proof.note).map_err(CheckpointError::from)?;
    let checkpoint = Checkpoint::parse(note.text())?;
    if checkpoint.origin != origin {
        let got = checkpoint.origin;
        let expected = origin.into();
        return Err(ProofFault::Note(CheckpointError::Origin { got, expected }));
    }
    let size = checkpoint.size;
    let sequence = super_root.sequence;
    within("size of the note", size)?;
    if size <= sequence {
        return Err(ProofFault::NoteSize { size, sequence });
    }
    let leaf = SuperRootHistory::leaf(super_root);
    verify_inclusion::<Sha256Range>(&leaf, sequence, size, &proof.siblings, &checkpoint.root)
        .map_err(ProofFault::Range)?;
    Ok(ShownNote { note, checkpoint })
}

/// Step 1, registry part: the profile in its registry tree row, under slot 55.
fn check_opening(opening: &RegistryOpening, tree_root: &Hash) -> Result<(), ProofFault> {
    let RegistryOpening { profile, row, count, row_siblings, siblings } = opening;
    if row >= count || usize::from(*count) > ROWS_MAX {
        return Err(ProofFault::Registry { what: "no registry has such a row" });
    }
    let registry_tree_root = root_of_path(&keccak256(profile), u64::from(*row), row_siblings);
    let root = registry::root_of(u16::from(*count), &registry_tree_root);
    let got = root_of_path(&root, REGISTRY_SLOT, siblings);
    same("SuperRoot tree root over the registry", got, *tree_root)
}

fn same(what: &'static str, got: Hash, expected: Hash) -> Result<(), ProofFault> {
    if got == expected { Ok(()) } else { Err(ProofFault::Mismatch { what, got, expected }) }
}

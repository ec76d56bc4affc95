//! The blob of a SuperRoot: everything behind it but the block leaves.

use serde_json::Value;
use superroot_proof::consistency::{AppendedTwig, Blob};
use superroot_proof::registry::{Profile, ROWS_MAX, Registry, RuleFrom};
use superroot_proof::superroot::{BlockReference, MiniMmr};
use superroot_types::{BlockNumber, Family};

use super::body::{
    BlobReference, MiniMmrRow, ProfileRow, ProfileRule, Publication, PublishedBlob, SuperRootBlob,
    TwigRow,
};
use super::{case_of, parse_history, parse_super_root};
use crate::compare::{Limits, compare_values};
use crate::member::Member;
use crate::{Case, Hex, WireError, case};

/// Most twigs that are read as appended.
const APPENDED_MAX: usize = 1 << 20;
/// Most rules of a profile.
const RULES_MAX: usize = 255;
/// Slots of a SuperRoot.
const SLOTS: u64 = 64;

/// The JSON form of a blob.
#[must_use]
pub fn render_blob(blob: &Blob, case: Case) -> Value {
    case::write(&SuperRootBlob::from(blob), case)
}

/// The same with the note that was published with it (`GET /kv/blob/:superroot_hash`).
#[must_use]
pub fn render_published_blob(blob: &Blob, publication: Publication, case: Case) -> Value {
    case::write(&PublishedBlob { blob: blob.into(), publication }, case)
}

/// Reads a blob, in either spelling. That it is behind its SuperRoot, [`Blob::check`] shows.
///
/// # Errors
/// [`WireError`] naming the member; [`WireError::Disagreement`] when a hash or another member that
/// follows from the rest is not what follows. Members that no blob has are left alone.
pub fn parse_blob(body: &Value) -> Result<Blob, WireError> {
    let root = Member::root(body, case_of(body, "miniMmrs"));
    let blob = parse(&root)?;
    compare_values(body, &render_blob(&blob, Case::Camel), Limits::default())?;
    Ok(blob)
}

impl From<&Blob> for SuperRootBlob {
    fn from(blob: &Blob) -> Self {
        let Blob { super_root, mini_mmrs, references, history, registry, appended } = blob;
        let tree = blob.tree();
        Self {
            super_root_hash: super_root.hash(),
            super_root: super_root.into(),
            preimage: Hex(super_root.encode().to_vec()),
            slots: (0..SLOTS).map(|slot| tree.slot(slot)).collect(),
            mini_mmrs: MiniMmrRow::all(mini_mmrs),
            block_references: references.iter().map(BlobReference::from).collect(),
            history: history.into(),
            history_root: history.root(),
            registry: registry.rows().iter().map(ProfileRow::from).collect(),
            registry_root: registry.root(),
            appended_twigs: appended.iter().map(TwigRow::from).collect(),
        }
    }
}

impl From<&(usize, BlockReference)> for BlobReference {
    fn from((row, reference): &(usize, BlockReference)) -> Self {
        Self { row: *row, reference: reference.into() }
    }
}

impl From<&Profile> for ProfileRow {
    fn from(profile: &Profile) -> Self {
        let Profile { chain, caip2, rules } = profile;
        let rules = rules.iter().map(|rule| ProfileRule {
            from_number: rule.from_number,
            rule: format!("{:#06x}", rule.code),
        });
        let (chain_id, family) = (chain.id, chain.family);
        Self { chain_id, family, caip2: caip2.clone(), rules: rules.collect() }
    }
}

impl From<&AppendedTwig> for TwigRow {
    fn from(appended: &AppendedTwig) -> Self {
        let AppendedTwig { chain, twig_index, twig_root } = *appended;
        Self { chain_id: chain.id, family: chain.family, twig_index, twig_root }
    }
}

/// Reads what the members are made of, and nothing that follows from it.
pub(super) fn parse(root: &Member<'_>) -> Result<Blob, WireError> {
    let mini_mmrs = root.get("miniMmrs")?;
    let read = mini_mmrs.items(Family::ALL.len())?;
    let read = read.iter().map(parse_mini_mmr).collect::<Result<Vec<_>, _>>()?;
    let read = read.try_into().map_err(|_| mini_mmrs.wrong("a list of 9 Mini-MMRs"))?;
    let rows = root.get("registry")?;
    let profiles = rows.items(ROWS_MAX)?.iter().map(parse_profile).collect::<Result<_, _>>()?;
    let registry = Registry::new(profiles);
    let references = root.get("blockReferences")?.items(ROWS_MAX)?;
    Ok(Blob {
        super_root: parse_super_root(&root.get("superRoot")?)?,
        mini_mmrs: read,
        references: references.iter().map(parse_reference).collect::<Result<_, _>>()?,
        history: parse_history(&root.get("history")?)?,
        registry: registry.map_err(|_| rows.wrong("rows of distinct chains with rising rules"))?,
        appended: parse_twigs(&root.get("appendedTwigs")?)?,
    })
}

fn parse_mini_mmr(member: &Member<'_>) -> Result<MiniMmr, WireError> {
    let leaf_count = member.get("leafCount")?.integer()?;
    Ok(MiniMmr { leaf_count, range_root: member.get("rangeRoot")?.hash()? })
}

fn parse_reference(member: &Member<'_>) -> Result<(usize, BlockReference), WireError> {
    let row = member.get("row")?;
    let position = usize::try_from(row.integer()?).ok().filter(|row| *row < ROWS_MAX);
    let reference = BlockReference {
        chain: member.chain()?,
        start: BlockNumber(member.get("start")?.integer()?),
        number: BlockNumber(member.get("number")?.integer()?),
        block_hash: member.get("hash")?.hash()?,
        open_twig_root: member.get("openTwigRoot")?.hash()?,
    };
    Ok((position.ok_or_else(|| row.wrong("a row from 0 to 44"))?, reference))
}

fn parse_profile(member: &Member<'_>) -> Result<Profile, WireError> {
    let rules = member.get("rules")?.items(RULES_MAX)?;
    Ok(Profile {
        chain: member.chain()?,
        caip2: member.get("caip2")?.text()?.to_owned(),
        rules: rules.iter().map(parse_rule).collect::<Result<_, _>>()?,
    })
}

fn parse_rule(member: &Member<'_>) -> Result<RuleFrom, WireError> {
    let rule = member.get("rule")?;
    let code = <[u8; 2]>::try_from(rule.bytes()?).map_err(|_| rule.wrong("two bytes of hex"))?;
    let from_number = member.get("fromNumber")?.integer()?;
    Ok(RuleFrom { from_number, code: u16::from_be_bytes(code) })
}

/// Reads appended twigs.
pub(super) fn parse_twigs(member: &Member<'_>) -> Result<Vec<AppendedTwig>, WireError> {
    member.items(APPENDED_MAX)?.iter().map(parse_appended).collect()
}

fn parse_appended(member: &Member<'_>) -> Result<AppendedTwig, WireError> {
    Ok(AppendedTwig {
        chain: member.chain()?,
        twig_index: member.get("twigIndex")?.integer()?,
        twig_root: member.get("twigRoot")?.hash()?,
    })
}

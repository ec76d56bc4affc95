//! The blob of a SuperRoot: everything behind it but the block leaves.

use serde_json::{Value, json};
use superroot_proof::consistency::{AppendedTwig, Blob};
use superroot_proof::registry::{Profile, ROWS_MAX, Registry, RuleFrom};
use superroot_proof::superroot::{BlockReference, MiniMmr};
use superroot_types::{BlockNumber, Family};

use super::{
    case_of, history_members, mini_mmr_members, parse_history, parse_super_root, super_root_members,
};
use crate::compare::{Limits, compare_values};
use crate::member::Member;
use crate::{Case, WireError, case};

/// Most twigs that are read as appended.
const APPENDED_MAX: usize = 1 << 20;
/// Most rules of a profile.
const RULES_MAX: usize = 255;
/// Slots of a SuperRoot.
const SLOTS: u64 = 64;

/// The JSON form of a blob (`GET /kv/blob/:superroot_hash`).
#[must_use]
pub fn render_blob(blob: &Blob, case: Case) -> Value {
    case::convert(members(blob), case)
}

/// Reads a blob, in either spelling. That it is behind its SuperRoot, [`Blob::check`] shows.
///
/// # Errors
/// [`WireError`] naming the member; [`WireError::Disagreement`] when a hash or another member that
/// follows from the rest is not what follows. Members that no blob has are left alone.
pub fn parse_blob(body: &Value) -> Result<Blob, WireError> {
    let root = Member::root(body, case_of(body, "miniMmrs"));
    let blob = parse(&root)?;
    compare_values(body, &members(&blob), Limits::default())?;
    Ok(blob)
}

/// The members in camelCase.
pub(super) fn members(blob: &Blob) -> Value {
    let Blob { super_root, mini_mmrs, references, history, registry, appended } = blob;
    let tree = blob.tree();
    let pairs = Family::ALL.into_iter().zip(mini_mmrs);
    json!({
        "superRootHash": super_root.hash(),
        "superRoot": super_root_members(super_root),
        "preimage": const_hex::encode_prefixed(super_root.encode()),
        "slots": (0..SLOTS).map(|slot| tree.slot(slot)).collect::<Vec<_>>(),
        "miniMmrs": pairs.map(|(family, mmr)| mini_mmr_members(family, mmr)).collect::<Value>(),
        "blockReferences": references.iter().map(reference_members).collect::<Value>(),
        "history": history_members(history),
        "historyRoot": history.root(),
        "registry": registry.rows().iter().map(profile_members).collect::<Value>(),
        "registryRoot": registry.root(),
        "appendedTwigs": twigs_members(appended),
    })
}

fn reference_members((row, reference): &(usize, BlockReference)) -> Value {
    json!({
        "row": row,
        "chainId": reference.chain.id,
        "family": reference.chain.family,
        "start": reference.start,
        "number": reference.number,
        "hash": reference.block_hash,
        "openTwigIndex": reference.open_twig_index(),
        "openTwigRoot": reference.open_twig_root,
    })
}

fn profile_members(profile: &Profile) -> Value {
    let rules = profile.rules.iter().map(
        |rule| json!({ "fromNumber": rule.from_number, "rule": format!("{:#06x}", rule.code) }),
    );
    json!({
        "chainId": profile.chain.id,
        "family": profile.chain.family,
        "caip2": profile.caip2,
        "rules": rules.collect::<Value>(),
    })
}

/// Appended twigs, item by item.
pub(super) fn twigs_members(appended: &[AppendedTwig]) -> Value {
    appended.iter().map(appended_members).collect()
}

fn appended_members(appended: &AppendedTwig) -> Value {
    json!({
        "chainId": appended.chain.id,
        "family": appended.chain.family,
        "twigIndex": appended.twig_index,
        "twigRoot": appended.twig_root,
    })
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

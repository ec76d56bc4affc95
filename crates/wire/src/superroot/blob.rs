//! SuperRoot blob: everything behind a SuperRoot except block leaves.

use serde_json::Value;
use superroot_proof::consistency::{AppendedTwig, Blob};
use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile, ROWS_MAX};
use superroot_proof::superroot::{ChainReference, MiniMmr, mini_mmr_roots};
use superroot_types::{BlockNumber, Family, LeafCount, RowIndex};

use super::body::{
    BlobBody, BlobReference, MiniMmrRow, ProfileRow, ProfileRule, SuperRootBlob, TwigRow,
};
use super::twigs::{TWIGS_MAX, parse_twigs};
use super::{case_of, parse_history, parse_super_root};
use crate::compare::{BodyLimits, compare_values};
use crate::member::Member;
use crate::{Case, Hex, WireError, case};

const RULES_MAX: usize = 255;
const SLOTS: u64 = 64;

/// Blob in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobAnswer {
    /// Blob.
    pub blob: Blob,
    /// Number of twigs sealed since the previous SuperRoot, as claimed by the answer: only the previous blob proves the
    /// number.
    pub appended_count: u64,
    /// Appended twigs; `None` for more than [`TWIGS_MAX`], which come in pages.
    pub appended: Option<Vec<AppendedTwig>>,
}

/// Renders a blob as JSON.
#[must_use]
pub fn render_blob(answer: &BlobAnswer, case: Case) -> Value {
    case::write(&BlobBody::from(answer), case)
}

/// Parses a blob, in either spelling; also returns the paths of unproven members. [`Blob::check`] proves the link to
/// the SuperRoot; only the previous blob proves the appended twigs.
///
/// # Errors
/// [`WireError`] with the member; [`WireError::Disagreement`] if a hash or other derived member is wrong.
pub fn parse_blob(body: &Value) -> Result<(BlobAnswer, Vec<String>), WireError> {
    let root = Member::root(body, case_of(body, "miniMmrs"));
    let blob = parse(&root)?;
    let count = root.get("appendedTwigCount")?;
    let appended_count = count.integer()?;
    let twigs = root.optional("appendedTwigs")?;
    let appended = twigs.map(|twigs| parse_twigs(&twigs, TWIGS_MAX)).transpose()?;
    if appended.as_ref().is_some_and(|twigs| twigs.len() as u64 != appended_count) {
        return Err(count.wrong("the number of the appended twigs"));
    }
    let answer = BlobAnswer { blob, appended_count, appended };
    let unproven = compare_values(body, &render_blob(&answer, Case::Camel), BodyLimits::default())?;
    Ok((answer, unproven))
}

impl From<&BlobAnswer> for BlobBody {
    fn from(answer: &BlobAnswer) -> Self {
        let twigs = answer.appended.as_ref();
        Self {
            blob: (&answer.blob).into(),
            appended_twig_count: answer.appended_count,
            appended_twigs: twigs.map(|twigs| twigs.iter().map(TwigRow::from).collect()),
        }
    }
}

impl From<&Blob> for SuperRootBlob {
    fn from(blob: &Blob) -> Self {
        let Blob { super_root, mini_mmrs, references, history, registry } = blob;
        let tree = blob.tree();
        Self {
            super_root_hash: super_root.hash(),
            super_root: super_root.into(),
            preimage: Hex(super_root.encode().to_vec()),
            slots: (0..SLOTS).map(|slot| tree.slot(slot)).collect(),
            mini_mmrs: MiniMmrRow::all(mini_mmrs, &mini_mmr_roots(mini_mmrs)),
            block_references: references.iter().map(BlobReference::from).collect(),
            history: history.into(),
            history_root: history.root(),
            registry: registry.rows().iter().map(ProfileRow::from).collect(),
            registry_root: registry.root(),
        }
    }
}

impl From<&(RowIndex, ChainReference)> for BlobReference {
    fn from((row, reference): &(RowIndex, ChainReference)) -> Self {
        Self { row: usize::from(*row), reference: reference.into() }
    }
}

impl From<&Profile> for ProfileRow {
    fn from(profile: &Profile) -> Self {
        let Profile { chain, caip2, rules } = profile;
        let rules = rules.iter().map(|rule| ProfileRule {
            from_number: rule.from_number,
            rule: format!("{:#06x}", rule.code),
        });
        let chain_id = chain.id;
        let family = chain.family;
        Self { chain_id, family, caip2: caip2.clone(), rules: rules.collect() }
    }
}

/// Parses the source members, without derived members.
pub(super) fn parse(root: &Member<'_>) -> Result<Blob, WireError> {
    let mini_mmrs = root.get("miniMmrs")?;
    let read = mini_mmrs.items(Family::ALL.len())?;
    let read = read.iter().map(parse_mini_mmr).collect::<Result<Vec<_>, _>>()?;
    let read = read.try_into().map_err(|_| mini_mmrs.wrong("a list of 9 Mini-MMRs"))?;
    let rows = root.get("registry")?;
    let profiles = rows.items(ROWS_MAX)?.iter().map(parse_profile).collect::<Result<_, _>>()?;
    let registry = LogRegistry::new(profiles).map_err(|error| rows.breaks_a_rule(&error))?;
    let references = root.get("blockReferences")?.items(ROWS_MAX)?;
    Ok(Blob {
        super_root: parse_super_root(&root.get("superRoot")?)?,
        mini_mmrs: read,
        references: references.iter().map(parse_reference).collect::<Result<_, _>>()?,
        history: parse_history(&root.get("history")?)?,
        registry,
    })
}

fn parse_mini_mmr(member: &Member<'_>) -> Result<MiniMmr, WireError> {
    let leaf_count = LeafCount(member.get("leafCount")?.integer()?);
    Ok(MiniMmr { leaf_count, range_root: member.get("rangeRoot")?.hash()? })
}

fn parse_reference(member: &Member<'_>) -> Result<(RowIndex, ChainReference), WireError> {
    let row = member.get("row")?;
    let position = usize::try_from(row.integer()?).ok().filter(|row| *row < ROWS_MAX);
    let position = position.and_then(RowIndex::at);
    let reference = ChainReference {
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

fn parse_rule(member: &Member<'_>) -> Result<HashRuleFrom, WireError> {
    let rule = member.get("rule")?;
    let code = <[u8; 2]>::try_from(rule.bytes()?).map_err(|_| rule.wrong("two bytes of hex"))?;
    let from_number = member.get("fromNumber")?.integer()?;
    Ok(HashRuleFrom { from_number, code: u16::from_be_bytes(code) })
}

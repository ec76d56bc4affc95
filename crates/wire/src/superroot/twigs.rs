//! Twigs by which a Mini-MMR grew: in the answers that they belong to, and in pages.

use serde_json::Value;
use superroot_proof::consistency::AppendedTwig;
use superroot_types::Family;

use super::body::{TwigPage, TwigRow};
use crate::compare::{Limits, compare_values};
use crate::member::Member;
use crate::{Case, WireError, case};

/// Most twigs of one answer.
pub const TWIGS_MAX: usize = 4_096;

impl From<&AppendedTwig> for TwigRow {
    fn from(appended: &AppendedTwig) -> Self {
        let AppendedTwig { chain, twig_index, twig_root } = *appended;
        Self { chain_id: chain.id, family: chain.family, twig_index, twig_root }
    }
}

/// Consecutive leaves of a Mini-MMR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twigs {
    /// Whose.
    pub family: Family,
    /// Index of the first.
    pub from: u64,
    /// The twigs, by rising leaf index.
    pub twigs: Vec<AppendedTwig>,
}

/// The JSON form of a page of twigs (`GET /v5/mini-mmr/:family/twigs`).
#[must_use]
pub fn render_twigs(page: &Twigs, case: Case) -> Value {
    case::write(&TwigPage::from(page), case)
}

impl From<&Twigs> for TwigPage {
    fn from(page: &Twigs) -> Self {
        let Twigs { family, from, twigs } = page;
        let twigs = twigs.iter().map(TwigRow::from).collect();
        Self { family: *family, from: *from, twigs }
    }
}

/// Reads a page of twigs, in either spelling. Nothing of it is proven: the twigs are checked by
/// where they lead.
///
/// # Errors
/// [`WireError`] naming the member.
pub fn parse_twig_page(body: &Value) -> Result<Twigs, WireError> {
    let root = Member::root(body, Case::Camel); // no name of it differs at the top
    let spelling = match body.pointer("/twigs/0").and_then(|row| row.get("chain_id")) {
        Some(_) => Case::Snake,
        None => Case::Camel,
    };
    let twigs = parse_twigs(&Member::root(body, spelling).get("twigs")?, TWIGS_MAX)?;
    let page = Twigs { family: root.family()?, from: root.get("from")?.integer()?, twigs };
    compare_values(body, &render_twigs(&page, Case::Camel), Limits::default())?;
    Ok(page)
}

/// Reads twigs.
pub(super) fn parse_twigs(member: &Member<'_>, max: usize) -> Result<Vec<AppendedTwig>, WireError> {
    member.items(max)?.iter().map(parse_twig).collect()
}

fn parse_twig(member: &Member<'_>) -> Result<AppendedTwig, WireError> {
    Ok(AppendedTwig {
        chain: member.chain()?,
        twig_index: member.get("twigIndex")?.integer()?,
        twig_root: member.get("twigRoot")?.hash()?,
    })
}

//! Twigs appended to a Mini-MMR, in answers and pages.

use serde_json::Value;
use superroot_proof::consistency::AppendedTwig;
use superroot_types::{Family, TwigIndex};

use super::body::{TwigPage, TwigRow};
use crate::compare::{BodyLimits, compare_values};
use crate::member::Member;
use crate::{Case, WireError, case};

/// Maximum twigs in one answer.
pub const TWIGS_MAX: usize = 4_096;

impl From<&AppendedTwig> for TwigRow {
    fn from(appended: &AppendedTwig) -> Self {
        let AppendedTwig { chain, twig_index, twig_root } = *appended;
        Self { chain_id: chain.id, family: chain.family, twig_index: twig_index.0, twig_root }
    }
}

/// Consecutive Mini-MMR leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twigs {
    /// Ledger family.
    pub family: Family,
    /// The first leaf's index.
    pub from: u64,
    /// Twigs in ascending order by leaf index.
    pub twigs: Vec<AppendedTwig>,
}

/// Renders a twig page as JSON (`GET /v5/mini-mmr/:family/twigs`).
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

/// Parses a twig page, in either spelling. Nothing is proven: twigs are checked by the resulting root.
///
/// # Errors
/// [`WireError`] with the member.
pub fn parse_twig_page(body: &Value) -> Result<Twigs, WireError> {
    let root = Member::root(body, Case::Camel); // no name of it differs at the top
    let spelling = match body.pointer("/twigs/0").and_then(|row| row.get("chain_id")) {
        Some(_) => Case::Snake,
        None => Case::Camel,
    };
    let twigs = parse_twigs(&Member::root(body, spelling).get("twigs")?, TWIGS_MAX)?;
    let page = Twigs { family: root.family()?, from: root.get("from")?.integer()?, twigs };
    compare_values(body, &render_twigs(&page, Case::Camel), BodyLimits::default())?;
    Ok(page)
}

/// Parses twigs.
pub(super) fn parse_twigs(member: &Member<'_>, max: usize) -> Result<Vec<AppendedTwig>, WireError> {
    member.items(max)?.iter().map(parse_twig).collect()
}

fn parse_twig(member: &Member<'_>) -> Result<AppendedTwig, WireError> {
    Ok(AppendedTwig {
        chain: member.chain()?,
        twig_index: TwigIndex(member.get("twigIndex")?.integer()?),
        twig_root: member.get("twigRoot")?.hash()?,
    })
}

//! Proof that a later SuperRoot extends an earlier one, as JSON (`GET /v5/superroot/consistency`).

use core::fmt;
use core::str::FromStr;

use serde_json::Value;
use superroot_proof::consistency::{
    AppendedTwig, Appending, Bridge, ConsistencyError, FullConsistency, HistoryConsistency,
    HistoryOpening, LogExtension,
};
use superroot_proof::registry::ROWS_MAX;
use superroot_proof::superroot::SuperRoot;
use superroot_types::{Family, Hash};

use super::body::{BridgeRow, ConsistencyProof, HistoryOpeningRow, TwigRow};
use super::twigs::{TWIGS_MAX, parse_twigs};
use super::{blob, case_of, parse_history, parse_super_root};
use crate::compare::{BodyLimits, compare_values};
use crate::member::Member;
use crate::{Case, WireError, case};

/// Maximum hashes in a consistency path: two per level of a 64-bit leaf count.
pub(crate) const PATH_MAX: usize = 128;

/// A consistency proof's strength; each strength includes all weaker strengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// The later log contains the earlier SuperRoot, nothing more.
    Upgrade,
    /// No SuperRoot before the earlier one was rewritten.
    History,
    /// No block was rewritten either.
    Full,
}

impl Strength {
    /// Every strength, weakest first.
    pub const ALL: [Self; 3] = [Self::Upgrade, Self::History, Self::Full];

    /// Returns the name in JSON and queries.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Upgrade => "upgrade",
            Self::History => "history",
            Self::Full => "full",
        }
    }
}

/// Unknown strength name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a strength is upgrade, history or full")]
pub struct UnknownStrength;

impl FromStr for Strength {
    type Err = UnknownStrength;

    fn from_str(text: &str) -> Result<Self, UnknownStrength> {
        Self::ALL.into_iter().find(|strength| strength.name() == text).ok_or(UnknownStrength)
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Consistency proof of any strength.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consistency {
    /// Strength `upgrade`.
    Upgrade(Box<LogExtension>),
    /// Strength `history`.
    History(Box<HistoryConsistency>),
    /// Strength `full`.
    Full(Box<FullConsistency>),
}

impl Consistency {
    /// Returns the strength.
    #[must_use]
    pub const fn strength(&self) -> Strength {
        match self {
            Self::Upgrade(_) => Strength::Upgrade,
            Self::History(_) => Strength::History,
            Self::Full(_) => Strength::Full,
        }
    }

    /// Returns the earlier SuperRoot named in the proof.
    #[must_use]
    pub fn from(&self) -> &SuperRoot {
        &self.upgrade().from
    }

    /// Returns the later SuperRoot named in the proof.
    #[must_use]
    pub fn to(&self) -> &SuperRoot {
        &self.upgrade().to
    }

    fn upgrade(&self) -> &LogExtension {
        match self {
            Self::Upgrade(upgrade) => upgrade,
            Self::History(history) => &history.upgrade,
            Self::Full(full) => &full.history.upgrade,
        }
    }

    /// Returns the part shown by strengths `history` and `full`.
    #[must_use]
    pub fn history(&self) -> Option<&HistoryConsistency> {
        match self {
            Self::Upgrade(_) => None,
            Self::History(history) => Some(history),
            Self::Full(full) => Some(&full.history),
        }
    }

    fn full(&self) -> Option<&FullConsistency> {
        match self {
            Self::Upgrade(_) | Self::History(_) => None,
            Self::Full(full) => Some(full),
        }
    }

    /// Checks the proof between two SuperRoot hashes, except for the appended twigs that strength `full` then still
    /// requires; the client supplies `from`.
    ///
    /// # Errors
    /// [`ConsistencyError`] with the failed check.
    pub fn begin(&self, from: &Hash, to: &Hash) -> Result<Appending, ConsistencyError> {
        match self {
            Self::Upgrade(upgrade) => upgrade.verify(from, to).map(|()| Appending::nothing()),
            Self::History(history) => history.verify(from, to).map(|()| Appending::nothing()),
            Self::Full(full) => full.begin(from, to),
        }
    }
}

/// Consistency proof in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsistencyAnswer {
    /// Proof.
    pub proof: Consistency,
    /// Twigs appended between both SuperRoots, with strength `full`; `None` for more than [`TWIGS_MAX`], which come in
    /// pages.
    pub appended: Option<Vec<AppendedTwig>>,
}

impl From<Consistency> for ConsistencyAnswer {
    /// Creates an answer without the twigs required for strength `full`.
    fn from(proof: Consistency) -> Self {
        Self { proof, appended: None }
    }
}

impl ConsistencyAnswer {
    /// Checks the proof between two SuperRoot hashes; the client supplies `from`. Returns the twigs still required:
    /// nothing is proven before they arrive. No twig is missing if the answer includes all twigs.
    ///
    /// # Errors
    /// [`ConsistencyError`] with the failed check.
    pub fn begin(&self, from: &Hash, to: &Hash) -> Result<Appending, ConsistencyError> {
        let mut appending = self.proof.begin(from, to)?;
        if let Some(appended) = &self.appended {
            appending.take_all(appended)?;
        }
        Ok(appending)
    }

    /// Checks a proof with all twigs included.
    ///
    /// # Errors
    /// [`ConsistencyError`]; [`ConsistencyError::Appended`] if twigs are missing.
    pub fn verify(&self, from: &Hash, to: &Hash) -> Result<(), ConsistencyError> {
        self.begin(from, to)?.finish()
    }
}

/// Renders a consistency proof as JSON.
#[must_use]
pub fn render_consistency(answer: &ConsistencyAnswer, case: Case) -> Value {
    case::write(&ConsistencyProof::from(answer), case)
}

/// Parses a consistency proof, in either spelling; also returns the paths of unproven members. Nothing is verified yet.
///
/// # Errors
/// [`WireError`] with the member; [`WireError::Disagreement`] if a derived member is wrong.
pub fn parse_consistency(body: &Value) -> Result<(ConsistencyAnswer, Vec<String>), WireError> {
    let root = Member::root(body, case_of(body, "inclusionPath"));
    let strength = root.get("strength")?;
    let mut appended = None;
    let proof = match strength.text()?.parse() {
        Ok(Strength::Upgrade) => Consistency::Upgrade(Box::new(parse_upgrade(&root)?)),
        Ok(Strength::History) => Consistency::History(Box::new(parse_with_history(&root)?)),
        Ok(Strength::Full) => {
            let twigs = root.optional("appendedTwigs")?;
            appended = twigs.map(|twigs| parse_twigs(&twigs, TWIGS_MAX)).transpose()?;
            Consistency::Full(Box::new(parse_full(&root)?))
        }
        Err(UnknownStrength) => return Err(strength.wrong("upgrade, history or full")),
    };
    let answer = ConsistencyAnswer { proof, appended };
    let said = render_consistency(&answer, Case::Camel);
    let unproven = compare_values(body, &said, BodyLimits::default())?;
    Ok((answer, unproven))
}

impl From<&ConsistencyAnswer> for ConsistencyProof {
    fn from(answer: &ConsistencyAnswer) -> Self {
        let ConsistencyAnswer { proof, appended } = answer;
        let upgrade = proof.upgrade();
        let history = proof.history();
        let full = proof.full();
        let twigs = || Some(appended.as_ref()?.iter().map(TwigRow::from).collect());
        Self {
            strength: proof.strength().name(),
            from: (&upgrade.from).into(),
            to: (&upgrade.to).into(),
            inclusion_path: upgrade.path.clone(),
            to_history: (&upgrade.opening).into(),
            from_history: history.map(|history| (&history.from_opening).into()),
            consistency_path: history.map(|history| history.path.clone()),
            from_blob: full.map(|full| (&full.from).into()),
            to_blob: full.map(|full| (&full.to).into()),
            mini_mmr_paths: full.map(|full| full.mini_mmr_paths.to_vec()),
            appended_twig_count: full.map(FullConsistency::appended_count),
            appended_twigs: full.map(|_| twigs()),
            bridges: full.map(|full| full.bridges.iter().map(BridgeRow::from).collect()),
        }
    }
}

impl From<&HistoryOpening> for HistoryOpeningRow {
    fn from(opening: &HistoryOpening) -> Self {
        Self { history: (&opening.history).into(), siblings: opening.siblings.to_vec() }
    }
}

pub(crate) fn parse_opening(member: &Member<'_>) -> Result<HistoryOpening, WireError> {
    let siblings = member.get("siblings")?.hash_array("a list of 6 hashes")?;
    Ok(HistoryOpening { history: parse_history(member)?, siblings })
}

impl From<&Bridge> for BridgeRow {
    fn from(bridge: &Bridge) -> Self {
        let Bridge { chain, leaf, siblings } = *bridge;
        Self { chain_id: chain.id, family: chain.family, leaf, siblings: siblings.to_vec() }
    }
}

fn parse_bridge(member: &Member<'_>) -> Result<Bridge, WireError> {
    Ok(Bridge {
        chain: member.chain()?,
        leaf: member.get("leaf")?.hash()?,
        siblings: member.get("siblings")?.hash_array("a list of 11 hashes")?,
    })
}

fn parse_upgrade(root: &Member<'_>) -> Result<LogExtension, WireError> {
    Ok(LogExtension {
        from: parse_super_root(&root.get("from")?)?,
        to: parse_super_root(&root.get("to")?)?,
        opening: parse_opening(&root.get("toHistory")?)?,
        path: root.get("inclusionPath")?.hashes(PATH_MAX)?,
    })
}

fn parse_with_history(root: &Member<'_>) -> Result<HistoryConsistency, WireError> {
    Ok(HistoryConsistency {
        upgrade: parse_upgrade(root)?,
        from_opening: parse_opening(&root.get("fromHistory")?)?,
        path: root.get("consistencyPath")?.hashes(PATH_MAX)?,
    })
}

fn parse_full(root: &Member<'_>) -> Result<FullConsistency, WireError> {
    let paths = root.get("miniMmrPaths")?;
    let read = paths.items(Family::ALL.len())?;
    let read = read.iter().map(|path| path.hashes(PATH_MAX)).collect::<Result<Vec<_>, _>>()?;
    let bridges = root.get("bridges")?.items(ROWS_MAX)?;
    Ok(FullConsistency {
        history: parse_with_history(root)?,
        from: blob::parse(&root.get("fromBlob")?)?,
        to: blob::parse(&root.get("toBlob")?)?,
        mini_mmr_paths: read.try_into().map_err(|_| paths.wrong("a list of 9 paths"))?,
        bridges: bridges.iter().map(parse_bridge).collect::<Result<_, _>>()?,
    })
}

//! Finality that this reader checked, from a set of signers of his own.

use serde_json::{Value, json};
use superroot_chain::ChainSpec;
use superroot_client::{FinalityJudgment, LightClientFolder, SetSource, judge_finality};
use superroot_proof::bundle::Facts;
use superroot_proof::finality::{
    FinalityProof, FinalityQuestion, FinalityShown, Shortfall, Verdict,
};
use superroot_types::{Network, UnixSeconds};

use super::levels::ShownMember;
use super::verdict::{CommandVerdict, FailedStep, Judged};
use crate::chains;

pub(super) const FINALITY_STEP: &str = "finality";

/// What the evidence in a proof showed.
#[derive(Clone, Debug, Default)]
pub(crate) struct CheckedFinality {
    state: FinalityState,
    is_demanded: bool,
    network: Option<Network>,
}

#[derive(Clone, Debug, Default)]
enum FinalityState {
    /// The proof carries no evidence, or was not judged that far.
    #[default]
    NotThere,
    Shown(Box<FinalityShown>, SetSource),
    NotEnough(String),
    Refused(String),
}

impl CheckedFinality {
    /// Checks the evidence that a valid proof carries.
    pub(crate) fn of(
        (facts, proof): (Option<&Facts>, Option<&FinalityProof>),
        network: Network,
        folder: Option<&LightClientFolder>,
        is_demanded: bool,
        now: UnixSeconds,
    ) -> anyhow::Result<Self> {
        let state = match (facts, proof) {
            (Some(facts), Some(proof)) => check(facts, proof, folder, network, now)?,
            _ => FinalityState::NotThere,
        };
        Ok(Self { state, is_demanded, network: Some(network) })
    }

    /// What is shown, if it is.
    pub(super) const fn shown(&self) -> Option<&FinalityShown> {
        match &self.state {
            FinalityState::Shown(shown, _) => Some(shown),
            _ => None,
        }
    }

    /// Verdict with finality: false evidence makes a proof false, missing evidence unusable where it was asked for.
    pub(super) fn judge(&self, judged: Judged) -> Judged {
        let failed = |verdict, reason: &str| {
            let error = Some(FailedStep { step: FINALITY_STEP, reason: reason.to_owned() });
            Judged { verdict, error, ..judged.clone() }
        };
        match (&self.state, judged.verdict) {
            (_, CommandVerdict::False) => judged,
            (FinalityState::Refused(why), _) => failed(CommandVerdict::False, why),
            (FinalityState::NotEnough(why), CommandVerdict::True) if self.is_demanded => {
                failed(CommandVerdict::Unusable, why)
            }
            (FinalityState::NotThere, CommandVerdict::True) if self.is_demanded => failed(
                CommandVerdict::Unusable,
                "the proof carries no evidence: ask for it with ?evidence=1 or `superroot prove --evidence`",
            ),
            _ => judged,
        }
    }

    pub(super) fn to_json(&self) -> Option<Value> {
        match &self.state {
            FinalityState::NotThere => None,
            FinalityState::Shown(shown, source) => {
                let pin = pin_of(source);
                Some(json!({
                    "shown": true,
                    "evidence_kind": "consensus",
                    "kind": shown.kind().name(),
                    "block_hash": shown.hash(),
                    "number": shown.number(),
                    "target_hash": shown.target(),
                    "set": shown.set(),
                    "steps": shown.steps(),
                    "signed_at": shown.at(),
                    "by": shown.by(),
                    "from": if pin.is_some() { "pinned" } else { "builtin" },
                    "pin": pin.map(|(id, _)| id),
                    "pinned_at": pin.map(|(_, at)| at),
                    "trust": shown.trust(),
                    "why": null,
                }))
            }
            FinalityState::NotEnough(why) => {
                Some(json!({ "shown": false, "refused": false, "why": why }))
            }
            FinalityState::Refused(why) => {
                Some(json!({ "shown": false, "refused": true, "why": why }))
            }
        }
    }

    /// A report's line: whether it holds, in words, with what is shown.
    pub(super) fn line(&self) -> Option<(Option<bool>, String, Vec<ShownMember>)> {
        match &self.state {
            FinalityState::NotThere => None,
            FinalityState::Shown(shown, source) => {
                let made_up = match self.network {
                    Some(Network::Simulated) => ", of a simulated chain",
                    _ => "",
                };
                let words = format!("final by {}{made_up}", shown.by());
                Some((Some(true), words, members(shown, source)))
            }
            FinalityState::NotEnough(why) => Some((None, format!("not shown: {why}"), Vec::new())),
            FinalityState::Refused(why) => Some((Some(false), why.clone(), Vec::new())),
        }
    }
}

fn pin_of(source: &SetSource) -> Option<(superroot_types::Hash, UnixSeconds)> {
    match source {
        SetSource::Pinned(pinned) => Some((pinned.pin, pinned.pinned_at)),
        SetSource::Builtin => None,
    }
}

fn members(shown: &FinalityShown, source: &SetSource) -> Vec<(&'static str, Value)> {
    let mut members = Vec::new();
    if shown.target() != shown.hash() {
        members.push(("signed_block", json!(shown.target())));
    }
    if let Some(at) = shown.at() {
        members.push(("signed_at", json!(at.iso_8601())));
    }
    let from = match source {
        SetSource::Pinned(pinned) => {
            format!("{}, which you pinned on {}", pinned.pin, pinned.pinned_at.iso_8601())
        }
        SetSource::Builtin => "a set that is built into this program".to_owned(),
    };
    members.push(("set", json!(shown.set())));
    members.push(("follows_from", json!(from)));
    members.push(("steps", json!(shown.steps())));
    members.push(("still_trusted", json!(shown.trust())));
    members
}

fn check(
    facts: &Facts,
    proof: &FinalityProof,
    folder: Option<&LightClientFolder>,
    network: Network,
    now: UnixSeconds,
) -> anyhow::Result<FinalityState> {
    let number = facts.statement.number;
    let row: Option<&ChainSpec> = chains::known().by_key(facts.statement.chain).map(|(_, row)| row);
    let known = row.and_then(|row| Some((row, row.rule_at(number)?, facts.block_hash?)));
    let Some((row, rule, hash)) = known else {
        let why = "the proof shows no block of a chain that is known here".to_owned();
        return Ok(FinalityState::NotEnough(why));
    };
    let asked = FinalityQuestion { rule, number, hash };
    let found = judge_finality(folder, (row, network), proof, asked, now)?;
    let slug = &row.slug;
    Ok(match found {
        FinalityJudgment { verdict: Some(Verdict::Shown(shown)), source: Some(source) } => {
            FinalityState::Shown(Box::new(shown), source)
        }
        FinalityJudgment { verdict: Some(Verdict::NotEnough(why)), source } => {
            let is_older = matches!(&why, Shortfall::Set { needed, held } if needed < held);
            let advice = match source {
                Some(SetSource::Pinned(_)) if is_older => {
                    "your set is a later one, and this file does not name the earlier one by a step: prove it anew with --evidence"
                }
                Some(SetSource::Pinned(_)) => {
                    "`superroot trust light-client update` moves your set on"
                }
                _ => "`superroot trust light-client pin` keeps a set of your own",
            };
            FinalityState::NotEnough(format!("{why}; {advice}"))
        }
        FinalityJudgment { verdict: Some(Verdict::Refusal(why)), .. } => {
            FinalityState::Refused(why.to_string())
        }
        FinalityJudgment { .. } => FinalityState::NotEnough(format!(
            "no set of signers of {slug} is pinned here: `superroot trust light-client pin {slug}`"
        )),
    })
}

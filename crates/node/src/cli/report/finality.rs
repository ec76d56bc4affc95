//! Finality that this reader checked, from a set of signers of his own.

use serde_json::{Value, json};
use superroot_chain::finality::signing_row;
use superroot_chain::{ChainSpec, EvidenceKind};
use superroot_client::{FinalityJudgment, LightClientFolder, SetSource, judge_finality};
use superroot_proof::bundle::Facts;
use superroot_proof::finality::{
    FinalityProof, FinalityQuestion, FinalityShown, Shortfall, Verdict,
};
use superroot_proof::ledger::Header;
use superroot_types::{Network, UnixSeconds, duration_text};

use super::levels::ShownMember;
use super::verdict::{CommandVerdict, FailedStep, Judged};
use crate::chains;

pub(super) const FINALITY_STEP: &str = "finality";

/// What the evidence in a proof showed.
#[derive(Clone, Debug, Default)]
pub(crate) struct CheckedFinality {
    state: FinalityState,
    demanded: Option<EvidenceKind>,
    network: Option<Network>,
}

#[derive(Clone, Debug, Default)]
enum FinalityState {
    /// The proof carries no evidence, or was not judged that far.
    #[default]
    NotThere,
    Shown(Box<ShownFinality>),
    NotEnough(String),
    Refused(String),
}

/// Shown finality, and the way there.
#[derive(Clone, Debug)]
struct ShownFinality {
    shown: FinalityShown,
    source: SetSource,
    /// Number of the pinned set.
    pin: Option<u64>,
    /// The block's chain.
    chain: String,
    /// Signing chain, if different.
    signing: Option<String>,
    /// Seconds from the block to the signature.
    behind: Option<u64>,
}

impl ShownFinality {
    fn class(&self) -> EvidenceKind {
        self.shown.kind().into()
    }

    fn words(&self) -> String {
        let Self { shown, pin, chain, signing, behind, .. } = self;
        let on = signing.as_ref().map_or_else(String::new, |signing| format!(" on {signing}"));
        let mut words = format!("final{on} by {}", shown.by());
        if let Some(pin) = pin {
            let of = signing.as_ref().map_or_else(String::new, |signing| format!("{signing}'s "));
            let noun = shown.kind().set_noun();
            words += &match shown.steps() {
                0 => format!(", your pin of {of}{noun} {pin} or one passed since"),
                _ => format!(", which follows from your pin of {of}{noun} {pin}"),
            };
        }
        if let Some(behind) = behind {
            let behind = duration_text(*behind);
            words += &format!(
                "; this block was {behind} behind the head of {chain} when that was signed"
            );
        }
        words
    }
}

impl CheckedFinality {
    /// Checks the evidence that a valid proof carries.
    pub(crate) fn of(
        (facts, proof): (Option<&Facts>, Option<&FinalityProof>),
        network: Network,
        folder: Option<&LightClientFolder>,
        demanded: Option<EvidenceKind>,
        now: UnixSeconds,
    ) -> anyhow::Result<Self> {
        let state = match (facts, proof) {
            (Some(facts), Some(proof)) => check(facts, proof, folder, network, now)?,
            _ => FinalityState::NotThere,
        };
        Ok(Self { state, demanded, network: Some(network) })
    }

    /// What is shown, if it is.
    pub(super) fn shown(&self) -> Option<&FinalityShown> {
        match &self.state {
            FinalityState::Shown(found) => Some(&found.shown),
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
            (FinalityState::NotEnough(why), CommandVerdict::True) if self.demanded.is_some() => {
                failed(CommandVerdict::Unusable, why)
            }
            (FinalityState::Shown(found), CommandVerdict::True)
                if self.demanded.is_some_and(|demanded| found.class() > demanded) =>
            {
                let why = "shown by contracts on Ethereum, which is l1_anchored, and not by a consensus of the chain's own";
                failed(CommandVerdict::Unusable, why)
            }
            (FinalityState::NotThere, CommandVerdict::True) if self.demanded.is_some() => failed(
                CommandVerdict::Unusable,
                "the proof carries no evidence: ask for it with ?evidence=1 or `superroot prove --evidence`",
            ),
            _ => judged,
        }
    }

    pub(super) fn to_json(&self) -> Option<Value> {
        match &self.state {
            FinalityState::NotThere => None,
            FinalityState::Shown(found) => {
                let ShownFinality { shown, source, behind, .. } = &**found;
                let pin = pin_of(source);
                Some(json!({
                    "shown": true,
                    "evidence_kind": found.class().name(),
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
                    "pin_number": found.pin,
                    "pinned_at": pin.map(|(_, at)| at),
                    "behind_seconds": behind,
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
            FinalityState::Shown(found) => {
                let made_up = match self.network {
                    Some(Network::Simulated) => ", of a simulated chain",
                    _ => "",
                };
                let words = format!("{}{made_up}", found.words());
                Some((Some(true), words, members(&found.shown, &found.source)))
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
    let signing = signing_row(row);
    let found = judge_finality(folder, (row, network), proof, asked, now)?;
    let slug = &signing.slug;
    let flag = if network == Network::Simulated { " --network simulated" } else { "" };
    Ok(match found {
        FinalityJudgment { verdict: Some(Verdict::Shown(shown)), source: Some(source) } => {
            let passed = folder.map(|folder| folder.passed(network, signing)).transpose()?;
            let pin = pin_of(&source).and_then(|(pin, _)| {
                passed?.into_iter().find(|(_, id)| *id == pin).map(|(number, _)| number)
            });
            let made_at = facts.header.as_ref().and_then(Header::timestamp);
            let behind = shown.at().zip(made_at).and_then(|(at, made)| at.0.checked_sub(made));
            let is_other = signing.key() != row.key();
            FinalityState::Shown(Box::new(ShownFinality {
                shown,
                source,
                pin,
                chain: row.name.clone(),
                signing: is_other.then(|| signing.name.clone()),
                behind,
            }))
        }
        FinalityJudgment { verdict: Some(Verdict::NotEnough(why)), source } => {
            let passed = folder.map(|folder| folder.passed(network, signing)).transpose()?;
            let first = passed.and_then(|passed| passed.into_keys().next());
            let advice = advice(&why, source.as_ref(), first);
            FinalityState::NotEnough(format!("{why}; {advice}"))
        }
        FinalityJudgment { verdict: Some(Verdict::Refusal(why)), .. } => {
            FinalityState::Refused(why.to_string())
        }
        FinalityJudgment { .. } => FinalityState::NotEnough(format!(
            "no set of signers of {slug} is pinned here: `superroot trust light-client pin {slug}{flag}`"
        )),
    })
}

/// Next step of a reader whose sets begin with set `first`.
fn advice(why: &Shortfall, source: Option<&SetSource>, first: Option<u64>) -> &'static str {
    let Some(SetSource::Pinned(_)) = source else {
        return "`superroot trust light-client pin` keeps a set of your own";
    };
    match (why, first) {
        (Shortfall::Set { needed, .. }, Some(first)) if *needed < first => {
            "that was before your pin, which leads to later sets alone"
        }
        (Shortfall::Set { needed, held }, _) if needed < held => {
            "your set is a later one, and this file does not name the earlier one by a step: prove it anew with --evidence"
        }
        _ => "`superroot trust light-client update` moves your set on",
    }
}

//! Answers about SuperRoots themselves: that one extends another, and what is behind one.
//!
//! A proof of consistency is anchored by its *earlier* SuperRoot, which the reader brings: what the
//! reader trusts already is extended by the later one.

use std::fmt::Write as _;
use std::io;
use std::process::ExitCode;

use serde_json::{Map, Value, json};
use superroot_proof::consistency::Blob;
use superroot_proof::superroot::SuperRoot;
use superroot_wire::superroot::{Consistency, Strength, parse_blob, parse_consistency};
use superroot_wire::{WireError, parse_json};

use super::{Unusable, VerifyArgs, anchor, as_lines, print};
use crate::cli::fail;
use crate::cli::report::{
    Anchoring, ShownMember, Verdict, anchor_line, anchored_json, print_members, unusable_json,
};
use crate::cli::style::{BAD, GOOD, HEADING, WARNING, plain, styled};

/// What such an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `GET /v5/superroot/consistency`
    Consistency,
    /// `GET /kv/blob/:superroot_hash`
    Blob,
}

impl Kind {
    /// The kind of a body; `None` when it is neither.
    pub(crate) fn of(body: &[u8]) -> Option<(Self, Value)> {
        if body.trim_ascii_start().first() != Some(&b'{') {
            return None;
        }
        let body = parse_json(body).ok()?;
        let has = |names: [&str; 2]| names.iter().any(|name| body.get(name).is_some());
        if body.get("strength").is_some() && has(["inclusionPath", "inclusion_path"]) {
            return Some((Self::Consistency, body));
        }
        let is_blob = body.get("slots").is_some() && has(["superRoot", "super_root"]);
        is_blob.then_some((Self::Blob, body))
    }

    /// What it is, in a word.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Consistency => "consistency",
            Self::Blob => "blob",
        }
    }
}

/// What was found.
struct Found {
    kind: Kind,
    /// What is claimed, in words.
    claimed: String,
    /// What it shows where it holds, in words.
    shows: &'static str,
    members: Vec<ShownMember>,
    /// Why it does not hold, and at which step.
    failure: Option<(&'static str, String)>,
    anchoring: Option<Anchoring>,
}

/// Checks the answer and prints the report.
pub(super) fn run(
    args: &VerifyArgs,
    kind: Kind,
    body: &Value,
    out: &mut dyn io::Write,
) -> ExitCode {
    let read = match kind {
        Kind::Consistency => parse_consistency(body).map(|proof| consistency(&proof)),
        Kind::Blob => parse_blob(body).map(|blob| of_blob(&blob)),
    };
    let read = match read {
        Err(WireError::Disagreement(other)) => Ok((disagreeing(kind, other.to_string()), None)),
        read => read,
    };
    let judged = read.map_err(|error| unreadable(kind, &error)).and_then(|(found, super_root)| {
        let (given, store) = (args.superroot.as_ref(), args.trust_store.as_deref());
        let anchoring =
            match (&found.failure, super_root) {
                (None, Some(super_root)) => {
                    let judged = anchor::judge_super_root(&super_root, given, store);
                    Some(judged.map_err(|error| Unusable {
                        step: "trust_store",
                        why: error.to_string(),
                    })?)
                }
                _ => None,
            };
        Ok(Found { anchoring, ..found })
    });
    match (judged, args.json) {
        (Ok(found), true) => print(out, &as_lines(&found.to_json()), found.verdict().into()),
        (Ok(found), false) => print(out, &found.to_text(), found.verdict().into()),
        (Err(Unusable { step, why }), true) => {
            let report = as_lines(&unusable_json(step, &why));
            print(out, &report, Verdict::Unusable.into())
        }
        (Err(unusable), false) => fail(&plain(&unusable.why)),
    }
}

/// An answer whose members do not agree with each other.
fn disagreeing(kind: Kind, why: String) -> Found {
    Found {
        kind,
        claimed: "members that contradict each other".to_owned(),
        shows: "",
        members: Vec::new(),
        failure: Some(("body", why)),
        anchoring: None,
    }
}

fn unreadable(kind: Kind, error: &WireError) -> Unusable {
    let why = format!("it looks like a {} of SuperRoots, but is none: {error}", kind.name());
    Unusable { step: "file", why }
}

fn consistency(proof: &Consistency) -> (Found, Option<SuperRoot>) {
    let (from, to) = (*proof.from(), *proof.to());
    let failure = proof.verify(&from.hash(), &to.hash()).err();
    let shows = match proof.strength() {
        Strength::Upgrade => "its log holds the earlier SuperRoot, nothing more",
        Strength::History => "no SuperRoot before was rewritten",
        Strength::Full => "no SuperRoot before was rewritten, and no block",
    };
    let members = vec![
        ("strength", json!(proof.strength().name())),
        ("log_id", json!(to.log_id)),
        ("from_sequence", json!(from.sequence)),
        ("from_hash", json!(from.hash())),
        ("to_sequence", json!(to.sequence)),
        ("to_hash", json!(to.hash())),
        ("to_timestamp", json!(to.timestamp)),
    ];
    let found = Found {
        kind: Kind::Consistency,
        claimed: format!("SuperRoot {} extends SuperRoot {}", to.sequence, from.sequence),
        shows,
        members,
        failure: failure.map(|error| ("consistency", error.to_string())),
        anchoring: None,
    };
    (found, Some(from))
}

fn of_blob(blob: &Blob) -> (Found, Option<SuperRoot>) {
    let super_root = blob.super_root;
    let leaves: u64 = blob.mini_mmrs.iter().map(|mini_mmr| mini_mmr.leaf_count).sum();
    let members = vec![
        ("super_root_hash", json!(super_root.hash())),
        ("log_id", json!(super_root.log_id)),
        ("sequence", json!(super_root.sequence)),
        ("timestamp", json!(super_root.timestamp)),
        ("registry_rows", json!(blob.registry.rows().len())),
        ("references", json!(blob.references.len())),
        ("sealed_twigs", json!(leaves)),
        ("appended_twigs", json!(blob.appended.len())),
    ];
    let found = Found {
        kind: Kind::Blob,
        claimed: format!("what is behind SuperRoot {}", super_root.sequence),
        shows: "every slot is what the SuperRoot commits to; which twigs were appended, only the \
                blob before shows",
        members,
        failure: blob.check().err().map(|error| ("blob", error.to_string())),
        anchoring: None,
    };
    (found, Some(super_root))
}

impl Found {
    fn verdict(&self) -> Verdict {
        match (&self.failure, &self.anchoring) {
            (Some(_), _) | (None, Some(Anchoring::Contradicted { .. })) => Verdict::False,
            (None, Some(Anchoring::Given { .. } | Anchoring::Pinned { .. })) => Verdict::True,
            (None, Some(Anchoring::Nothing { .. }) | None) => Verdict::Unusable,
        }
    }

    /// What kept it from being true, and at which step.
    fn error(&self) -> Option<(&'static str, String)> {
        let anchoring = match &self.anchoring {
            Some(Anchoring::Contradicted { by, got, expected }) => {
                Some(format!("the SuperRoot is {got}, {by} says {expected}"))
            }
            Some(Anchoring::Nothing { why }) => Some(why.clone()),
            _ => None,
        };
        self.failure.clone().or(anchoring.map(|why| ("anchor", why)))
    }

    fn to_json(&self) -> Value {
        let verdict = self.verdict();
        let members = self.members.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        json!({
            "valid": verdict == Verdict::True,
            "exit": verdict.code(),
            "kind": self.kind.name(),
            "shown": members.collect::<Map<_, _>>(),
            "anchored": anchored_json(self.anchoring.as_ref()),
            "error": self.error().map(|(step, reason)| json!({ "step": step, "reason": reason })),
        })
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        let heading = |words: &str| styled(HEADING, words);
        let _ = writeln!(text, "{}  {}\n", heading("Statement"), heading(&self.claimed));
        let name = self.kind.name();
        let line = match &self.failure {
            None => format!("{} {name:<20} {}", styled(GOOD, "✓"), self.shows),
            Some((_, why)) => format!("{} {name:<20} {}", styled(BAD, "✗"), plain(why)),
        };
        let _ = writeln!(text, "{line}");
        print_members(&mut text, &self.members);
        let _ = writeln!(text, "{}\n", anchor_line(self.anchoring.as_ref()));
        let why = self.error().map_or_else(String::new, |(step, why)| format!("{step}: {why}"));
        let verdict = match self.verdict() {
            Verdict::True => styled(GOOD, "TRUE: it holds, and is of the SuperRoot that you trust"),
            Verdict::False => styled(BAD, format!("FALSE: {}", plain(&why))),
            Verdict::Unusable => styled(WARNING, format!("NOT ANCHORED: {}", plain(&why))),
        };
        let _ = writeln!(text, "{verdict}");
        if self.kind == Kind::Consistency && self.verdict() == Verdict::True {
            text += "The later SuperRoot may be trusted as the earlier one is: `superroot trust update` \
                     moves a pin on by such a proof.\n";
        }
        text
    }
}

//! Answers about SuperRoots: consistency between two, and the contents of one.
//!
//! A proof of consistency is anchored by the *earlier* SuperRoot, which the reader brings: the later one extends a
//! trusted one.

use std::fmt::Write as _;

use serde_json::{Value, json};
use superroot_proof::superroot::SuperRoot;
use superroot_wire::parse_json;
use superroot_wire::superroot::{
    BlobAnswer, ConsistencyAnswer, Strength, parse_blob, parse_consistency,
};

use super::anchor::NotedRoot;
use super::{VerifyArgs, anchor};
use crate::cli::report::{
    AnchorTrust, CommandOutcome, CommandVerdict, FailedStep, Judged, ShownMember, anchor_line,
    check_line, object, print_list, print_members, verdict_line,
};
use crate::cli::style::{HEADING, styled};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RootsAnswerKind {
    /// `GET /v5/superroot/consistency`
    Consistency,
    /// `GET /kv/blob/:superroot_hash`
    Blob,
}

impl RootsAnswerKind {
    /// A body's kind; `None` for any other.
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

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Consistency => "consistency",
            Self::Blob => "blob",
        }
    }
}

struct VerifiedRoots {
    claimed: String,
    /// Proven fact in words, if valid.
    shows: &'static str,
    members: Vec<ShownMember>,
    /// Facts that a reader might assume but the answer does not show.
    not_shown: Vec<&'static str>,
    /// Paths of members not covered by the answer.
    unproven: Vec<String>,
    /// Paged twigs, missing from the file; dependent facts are not shown.
    left_out: u64,
    failure: Option<FailedStep>,
    super_root: Option<SuperRoot>,
}

pub(super) fn check(args: &VerifyArgs, kind: RootsAnswerKind, body: &Value) -> CommandOutcome {
    let name = kind.name();
    let read = match kind {
        RootsAnswerKind::Consistency => parse_consistency(body)
            .map(|(answer, unproven)| VerifiedRoots { unproven, ..consistency(&answer) }),
        RootsAnswerKind::Blob => parse_blob(body).map(|(answer, mut unproven)| {
            // which twigs were sealed since, only the blob before shows
            unproven.push("appended_twigs".to_owned());
            VerifiedRoots { unproven, ..of_blob(&answer) }
        }),
    };
    let mut found = match read {
        Ok(found) => found,
        Err(error) if error.is_false() => VerifiedRoots {
            claimed: format!("a {name} that cannot be true"),
            shows: "",
            members: Vec::new(),
            not_shown: Vec::new(),
            unproven: Vec::new(),
            left_out: 0,
            failure: Some(FailedStep { step: "body", reason: error.to_string() }),
            super_root: None,
        },
        Err(error) => {
            let why = format!("it looks like a {name} of SuperRoots, but is none: {error}");
            return CommandOutcome::unusable("file", why);
        }
    };
    let publication = match kind {
        RootsAnswerKind::Blob => NotedRoot::of(body),
        RootsAnswerKind::Consistency => None,
    };
    let anchor = match (&found.failure, &found.super_root) {
        (None, Some(super_root)) => match anchor::judge(super_root, publication.as_ref(), args) {
            Ok(AnchorTrust::Trusted(_)) if found.left_out > 0 => Some(found.lacks_twigs()),
            Ok(anchor) => Some(anchor),
            Err(error) => return CommandOutcome::unusable("trust_store", format!("{error:#}")),
        },
        _ => None,
    };
    let judged = Judged::of(found.failure.clone(), anchor);
    if judged.by.key.is_some() {
        // its note and path hold; which keys sign now is the service's word
        let publication = found.unproven.iter_mut().filter(|path| *path == "publication");
        publication.for_each(|path| path.push_str(".keys"));
    }
    let json = json!({
        "valid": judged.verdict == CommandVerdict::True,
        "exit": judged.verdict as u8,
        "kind": name,
        "shown": object(&found.members),
        "anchored": judged.by,
        "not_shown": found.not_shown,
        "unproven": found.unproven,
        "error": judged.error,
    });
    let text = found.to_text(kind, &judged);
    CommandOutcome { verdict: judged.verdict, json, text: Ok(text) }
}

fn consistency(answer: &ConsistencyAnswer) -> VerifiedRoots {
    let proof = &answer.proof;
    let from = *proof.from();
    let to = *proof.to();
    let begun = answer.begin(&from.hash(), &to.hash());
    // what is carried has to be all
    let checked = begun.and_then(|due| match answer.appended {
        Some(_) => due.finish().map(|()| 0),
        None => Ok(due.missing()),
    });
    let (failure, left_out) = match checked {
        Ok(left_out) => (None, left_out),
        Err(error) => (Some(error), 0),
    };
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
    let claimed = format!("SuperRoot {} extends SuperRoot {}", to.sequence, from.sequence);
    let failure =
        failure.map(|error| FailedStep { step: "consistency", reason: error.to_string() });
    let not_shown = if failure.is_none() { unshown(proof.strength()) } else { Vec::new() };
    let unproven = Vec::new();
    let super_root = Some(from);
    VerifiedRoots { claimed, shows, members, not_shown, unproven, left_out, failure, super_root }
}

/// Facts not shown by consistency with this strength.
fn unshown(strength: Strength) -> Vec<&'static str> {
    let mut list = vec![
        "whose SuperRoot the later one is: anybody can extend the earlier one, and this answer has no \
         note of the log's key",
    ];
    match strength {
        Strength::Upgrade => list.push(
            "that nothing else was rewritten: of other SuperRoots and of blocks strength upgrade says \
             nothing",
        ),
        Strength::History => {
            list.push("that no block was rewritten: strength history compares SuperRoots alone");
        }
        Strength::Full => {}
    }
    list.push("the later SuperRoot's time: its timestamp is the service's word");
    list
}

fn of_blob(answer: &BlobAnswer) -> VerifiedRoots {
    let blob = &answer.blob;
    let super_root = blob.super_root;
    let leaves: u64 = blob.mini_mmrs.iter().map(|mini_mmr| mini_mmr.leaf_count.0).sum();
    let members = vec![
        ("super_root_hash", json!(super_root.hash())),
        ("log_id", json!(super_root.log_id)),
        ("sequence", json!(super_root.sequence)),
        ("timestamp", json!(super_root.timestamp)),
        ("registry_rows", json!(blob.registry.rows().len())),
        ("references", json!(blob.references.len())),
        ("sealed_twigs", json!(leaves)),
        ("appended_twigs", json!(answer.appended_count)),
    ];
    let failure = blob.check().err();
    VerifiedRoots {
        claimed: format!("what is behind SuperRoot {}", super_root.sequence),
        shows: "every slot is what the SuperRoot commits to; which twigs were appended, only the \
                blob before shows",
        members,
        not_shown: Vec::new(),
        unproven: Vec::new(),
        left_out: 0,
        failure: failure.map(|error| FailedStep { step: "blob", reason: error.to_string() }),
        super_root: Some(super_root),
    }
}

impl VerifiedRoots {
    fn lacks_twigs(&self) -> AnchorTrust {
        let twigs = if self.left_out == 1 { "twig comes" } else { "twigs come" };
        let why = format!(
            "{} appended {twigs} in pages and not in this file: not checked, and with them neither \
             that no block was rewritten; `superroot trust update` fetches them",
            self.left_out
        );
        AnchorTrust::Refused { verdict: CommandVerdict::Unusable, why }
    }

    fn to_text(&self, kind: RootsAnswerKind, judged: &Judged) -> String {
        let heading = |words: &str| styled(HEADING, words);
        let mut text = format!("{}  {}\n\n", heading("Statement"), heading(&self.claimed));
        let detail = self.failure.as_ref().map_or(self.shows, |failure| &failure.reason);
        let line = check_line(Some(self.failure.is_none()), kind.name(), detail);
        let _ = writeln!(text, "{line}");
        print_members(&mut text, &self.members);
        for path in &self.unproven {
            let _ = writeln!(text, "{}", check_line(None, "not proven", path));
        }
        let _ = writeln!(text, "{}", anchor_line(judged));
        print_list(&mut text, "Not shown:", &self.not_shown);
        let truth = match kind {
            RootsAnswerKind::Consistency => "TRUE: it holds, from the SuperRoot that you trust",
            RootsAnswerKind::Blob => "TRUE: it holds, and is of the SuperRoot that you trust",
        };
        let _ = writeln!(text, "\n{}", verdict_line(judged, truth));
        text
    }
}

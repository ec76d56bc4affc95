//! Witness policy: required cosignatures (C2SP `tlog-policy`).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::{KeyKind, Note, VerifierKey};

const POLICY_BYTES_MAX: usize = 64 << 10;
/// Most logs, witnesses and groups together.
const NAMES_MAX: usize = 256;

/// Logs, witnesses, groups, and the quorum to cosign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustPolicy {
    text: String,
    logs: Vec<VerifierKey>,
    members: BTreeMap<String, PolicyMember>,
    quorum: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PolicyMember {
    Witness { key: Box<VerifierKey>, url: Option<String> },
    Group { threshold: usize, members: Vec<String> },
}

/// Invalid policy line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("policy, line {line}: {why}")]
pub struct PolicyError {
    /// Line number from 1.
    pub line: usize,
    /// Reason.
    pub why: &'static str,
}

impl TrustPolicy {
    /// Policy without witnesses.
    #[must_use]
    pub fn none() -> Self {
        let text = String::from("quorum none\n");
        Self { text, logs: Vec::new(), members: BTreeMap::new(), quorum: None }
    }

    /// Reads a policy.
    ///
    /// # Errors
    /// [`PolicyError`] with the first invalid line.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let mut policy = Self { text: text.into(), ..Self::none() };
        let mut has_quorum = false;
        let mut taken = Vec::new();
        let fail = |line, why| Err(PolicyError { line, why });
        if text.len() > POLICY_BYTES_MAX {
            return fail(1, "a policy has at most 65,536 bytes");
        }
        let mut last = 0_usize;
        for (line, content) in (1..).zip(text.lines()) {
            last = line;
            if content.chars().any(|c| c.is_ascii_control() && c != '\t') {
                return fail(line, "no control character but tab and the end of a line");
            }
            let words: Vec<&str> =
                content.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
            let done = match words.as_slice() {
                [] => Ok(()),
                [first, ..] if first.starts_with('#') => Ok(()),
                ["log", key] | ["log", key, _] => policy.add_log(key),
                ["witness", name, key] => policy.add_witness(name, key, None),
                ["witness", name, key, url] => policy.add_witness(name, key, Some(url)),
                ["group", name, threshold, members @ ..] => {
                    policy.add_group(name, threshold, members, &mut taken)
                }
                ["quorum", _] if has_quorum => Err("there is one quorum line"),
                ["quorum", name] => {
                    has_quorum = true;
                    policy.set_quorum(name)
                }
                _ => Err("a line is log, witness, group or quorum, or a comment"),
            };
            if let Err(why) = done {
                return fail(line, why);
            }
            if policy.logs.len().saturating_add(policy.members.len()) > NAMES_MAX {
                return fail(line, "a policy has at most 256 logs, witnesses and groups");
            }
        }
        if has_quorum { Ok(policy) } else { fail(last, "there is no quorum line") }
    }

    fn add_log(&mut self, key: &str) -> Result<(), &'static str> {
        let key = read_key(key, KeyKind::Log)?;
        if self.logs.iter().any(|known| known.public_key() == key.public_key()) {
            return Err("the key of this log stands in another line");
        }
        self.logs.push(key);
        Ok(())
    }

    fn add_witness(
        &mut self,
        name: &str,
        key: &str,
        url: Option<&&str>,
    ) -> Result<(), &'static str> {
        let key = read_key(key, KeyKind::Witness)?;
        if self.witnesses().any(|(known, _)| known.public_key() == key.public_key()) {
            return Err("the key of this witness stands in another line");
        }
        self.name(
            name,
            PolicyMember::Witness { key: Box::new(key), url: url.map(|url| (*url).into()) },
        )
    }

    fn add_group(
        &mut self,
        name: &str,
        threshold: &str,
        members: &[&str],
        taken: &mut Vec<String>,
    ) -> Result<(), &'static str> {
        let threshold = match threshold {
            "any" => 1,
            "all" => members.len(),
            number if number.starts_with(['0', '+']) => 0,
            number => number.parse().unwrap_or(0),
        };
        if threshold == 0 || threshold > members.len() {
            return Err("a group is any, all or a number of at least one member");
        }
        for member in members {
            if !self.members.contains_key(*member) {
                return Err("a group names witnesses and groups of lines before it");
            }
            if taken.iter().any(|other| other == member) {
                return Err("a witness or group is a member once");
            }
            taken.push((*member).into());
        }
        let members = members.iter().map(|member| (*member).into()).collect();
        self.name(name, PolicyMember::Group { threshold, members })
    }

    fn name(&mut self, name: &str, member: PolicyMember) -> Result<(), &'static str> {
        if name == "none" || self.members.contains_key(name) {
            return Err("the name is taken");
        }
        self.members.insert(name.into(), member);
        Ok(())
    }

    fn set_quorum(&mut self, name: &str) -> Result<(), &'static str> {
        if name != "none" && !self.members.contains_key(name) {
            return Err("the quorum names a witness or group of a line before it");
        }
        self.quorum = (name != "none").then(|| name.into());
        Ok(())
    }

    /// Policy text as read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Named logs; empty if the log is known from elsewhere.
    #[must_use]
    pub fn logs(&self) -> &[VerifierKey] {
        &self.logs
    }

    /// Witnesses, each with its optional request address.
    pub fn witnesses(&self) -> impl Iterator<Item = (&VerifierKey, Option<&str>)> {
        self.members.values().filter_map(|member| match member {
            PolicyMember::Witness { key, url } => Some((key.as_ref(), url.as_deref())),
            PolicyMember::Group { .. } => None,
        })
    }

    /// Whether any witness is required.
    #[must_use]
    pub const fn asks_for_witnesses(&self) -> bool {
        self.quorum.is_some()
    }

    /// Whether the quorum cosigned the note.
    #[must_use]
    pub fn is_met(&self, note: &Note) -> bool {
        self.quorum.as_ref().is_none_or(|name| self.has_signed(name, note))
    }

    /// Terminates: a group names only members from earlier lines, each once.
    fn has_signed(&self, name: &str, note: &Note) -> bool {
        match self.members.get(name) {
            Some(PolicyMember::Witness { key, .. }) => note.verify(key).is_ok(),
            Some(PolicyMember::Group { threshold, members }) => {
                let signed = members.iter().filter(|member| self.has_signed(member, note)).count();
                signed >= *threshold
            }
            None => false,
        }
    }
}

fn read_key(key: &str, kind: KeyKind) -> Result<VerifierKey, &'static str> {
    let key: VerifierKey = key.parse().map_err(|_| "malformed key (vkey)")?;
    match (key.kind() == kind, kind) {
        (true, _) => Ok(key),
        (false, KeyKind::Log) => Err("the key is that of a witness, not of a log"),
        (false, KeyKind::Witness) => Err("the key is that of a log, not of a witness"),
    }
}

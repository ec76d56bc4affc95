//! Verdict with its trust source, and the report for programs.

use std::io;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::{Value, json};
use superroot_types::{Hash, Network};

use crate::cli::output::print;
use crate::cli::style::plain;

/// Verdict and exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CommandVerdict {
    /// Valid, and leads to a trusted SuperRoot.
    True = 0,
    False = 1,
    /// Not a proof, or without a trusted SuperRoot.
    #[default]
    Unusable = 2,
}

impl From<CommandVerdict> for ExitCode {
    fn from(verdict: CommandVerdict) -> Self {
        Self::from(verdict as u8)
    }
}

pub(crate) struct CommandOutcome {
    pub(crate) verdict: CommandVerdict,
    pub(crate) json: Value,
    /// Report, or why there is none.
    pub(crate) text: Result<String, String>,
}

impl CommandOutcome {
    pub(crate) fn unusable(step: &'static str, why: impl ToString) -> Self {
        let verdict = CommandVerdict::Unusable;
        let why = why.to_string();
        let error = Some(FailedStep { step, reason: why.clone() });
        Self {
            verdict,
            json: json!(Report { exit: 2, error, ..Report::default() }),
            text: Err(plain(&why)),
        }
    }

    /// Prints the result, and returns the exit code; an error without a report.
    pub(crate) fn print(self, json: bool, out: &mut dyn io::Write) -> anyhow::Result<ExitCode> {
        let text = if json {
            format!("{:#}\n", self.json)
        } else {
            self.text.map_err(anyhow::Error::msg)?
        };
        print(out, &text, self.verdict.into())
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
const fn is_false(value: &bool) -> bool {
    !*value
}

/// Trust source for a SuperRoot: `superroot`, `key`, `trust_store` or none.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TrustSource {
    pub(crate) by: Option<&'static str>,
    /// Log key, if the log's note leads to the SuperRoot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    /// Log size in that note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<u64>,
    /// Whether the log matches a pin; `false` if not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) joined: Option<bool>,
    /// Whether the key came from a service at first use, without confirmation.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) first_use: bool,
    /// Whether the policy's witness quorum signed too.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) witnessed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) super_root_hash: Option<Hash>,
    /// Why the proof's note does not count. The SuperRoot is trusted without the note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note_fault: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum AnchorTrust {
    Trusted(TrustSource),
    /// Trusted data contains another hash, or none.
    Refused {
        verdict: CommandVerdict,
        why: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FailedStep {
    pub(crate) step: &'static str,
    pub(crate) reason: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) verdict: CommandVerdict,
    /// Trust source; none if the check failed earlier.
    pub(crate) by: TrustSource,
    /// Reason for a verdict other than true.
    pub(crate) error: Option<FailedStep>,
}

impl Judged {
    pub(crate) fn of(failure: Option<FailedStep>, anchor: Option<AnchorTrust>) -> Self {
        let (verdict, by, error) = match (failure, anchor) {
            (Some(failure), _) => (CommandVerdict::False, TrustSource::default(), Some(failure)),
            (None, Some(AnchorTrust::Trusted(by))) => (CommandVerdict::True, by, None),
            (None, Some(AnchorTrust::Refused { verdict, why: reason })) => {
                (verdict, TrustSource::default(), Some(FailedStep { step: "anchor", reason }))
            }
            (None, None) => (CommandVerdict::Unusable, TrustSource::default(), None),
        };
        Self { verdict, by, error }
    }
}

/// Report for programs. Names are a contract: new ones may be added, existing ones never change. Members are empty
/// without a report.
#[derive(Default, Serialize)]
pub(super) struct Report {
    pub(super) valid: bool,
    pub(super) exit: u8,
    pub(super) network: Option<Network>,
    pub(super) origin: Option<String>,
    pub(super) statement: Option<Value>,
    pub(super) levels: Vec<Value>,
    pub(super) super_root: Option<Value>,
    pub(super) anchored: TrustSource,
    pub(super) finality: Option<Value>,
    pub(super) not_shown: Vec<&'static str>,
    pub(super) unproven: Vec<String>,
    pub(super) error: Option<FailedStep>,
}

//! Trusted sets of signers, a file per chain, and finality checks.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use superroot_chain::ChainSpec;
use superroot_chain::finality::{builtin_set, finality_params, signing_row};
use superroot_proof::finality::{
    FinalityParams, FinalityProof, FinalityQuestion, FinalitySet, FinalityShown, Refusal,
    Shortfall, TrustedSet, Verdict, check,
};
use superroot_types::{Hash, Network, UnixSeconds};
use superroot_wire::finality::LightClientSteps;

use crate::client::Client;
use crate::error::ClientError;
use crate::file::write_file;

/// Largest file of a trusted set, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// Most remembered earlier sets: two months on the chain with the shortest epochs.
const PASSED_MAX: usize = 12_000;

/// Failure to read, keep or advance a set.
#[derive(Debug, thiserror::Error)]
pub enum LightClientError {
    /// Unreadable or unwritable file.
    #[error("{}: {cause}", path.display())]
    File {
        /// File.
        path: PathBuf,
        /// Cause.
        cause: io::Error,
    },
    /// File without a trusted set.
    #[error("{} holds no trusted set of signers", path.display())]
    Malformed {
        /// File.
        path: PathBuf,
    },
    /// Set with a different kind or id than in the file.
    #[error("the set cannot be read: {0}")]
    Set(Refusal),
    /// False step.
    #[error("step {step} is false: {cause}")]
    Step {
        /// Step, by set number.
        step: u64,
        /// Cause.
        cause: Refusal,
    },
    /// Set without further steps.
    #[error("set {set} leads no further: {cause}")]
    Stopped {
        /// The set's number.
        set: u64,
        /// Cause.
        cause: Shortfall,
    },
    /// Service without the next step, but with later sets.
    #[error(
        "the service has no step from set {set}, though sets up to {last}: update from another service, or pin again"
    )]
    Gap {
        /// The client's set.
        set: u64,
        /// Last set of the service.
        last: u64,
    },
    /// Service failure.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// Malformed answer.
    #[error("the answer cannot be read: {0}")]
    Answer(#[from] serde_json::Error),
}

impl LightClientError {
    /// Whether somebody lied, rather than lacked something.
    #[must_use]
    pub const fn is_contradiction(&self) -> bool {
        matches!(self, Self::Step { .. })
    }
}

/// Folder of trusted sets, beside a trust store.
#[derive(Clone, Debug)]
pub struct LightClientFolder(PathBuf);

impl LightClientFolder {
    /// Folder beside a trust store's file.
    #[must_use]
    pub fn beside(trust_store: &Path) -> Self {
        Self(trust_store.with_file_name("light-clients"))
    }

    /// File of a chain's set.
    #[must_use]
    pub fn file(&self, network: Network, row: &ChainSpec) -> PathBuf {
        // recorded blocks are those of the live chain
        let network = if network == Network::Simulated { network } else { Network::Live };
        self.0.join(format!("{}-{}.set", network.name(), row.slug))
    }

    /// A chain's trusted set; `None` if none is pinned.
    ///
    /// # Errors
    /// [`LightClientError::File`], [`LightClientError::Malformed`].
    pub fn load(
        &self,
        network: Network,
        row: &ChainSpec,
    ) -> Result<Option<TrustedSet>, LightClientError> {
        let path = self.file(network, row);
        let read = fs::metadata(&path).and_then(|meta| match meta.len() {
            0..=FILE_BYTES_MAX => fs::read(&path),
            _ => Err(io::Error::other("larger than any set")),
        });
        let bytes = match read {
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(LightClientError::File { path, cause }),
            Ok(bytes) => bytes,
        };
        let set = TrustedSet::decode(&bytes).filter(|set| set.chain == row.key());
        set.map(Some).ok_or(LightClientError::Malformed { path })
    }

    /// Replaces the set atomically.
    ///
    /// # Errors
    /// [`LightClientError::File`].
    pub fn save(
        &self,
        network: Network,
        row: &ChainSpec,
        set: &TrustedSet,
    ) -> Result<(), LightClientError> {
        let path = self.file(network, row);
        let written = fs::create_dir_all(&self.0).and_then(|()| write_file(&path, &set.encode()));
        written.map_err(|cause| LightClientError::File { path, cause })
    }

    /// Ids of the sets from the pin on, by number.
    ///
    /// # Errors
    /// [`LightClientError::File`], [`LightClientError::Malformed`].
    pub fn passed(
        &self,
        network: Network,
        row: &ChainSpec,
    ) -> Result<BTreeMap<u64, Hash>, LightClientError> {
        let path = self.passed_file(network, row);
        let text = match fs::read_to_string(&path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(cause) => return Err(LightClientError::File { path, cause }),
            Ok(text) => text,
        };
        let line = |line: &str| {
            let (number, id) = line.split_once(' ')?;
            Some((number.parse().ok()?, id.parse().ok()?))
        };
        let passed = text.lines().map(line).collect::<Option<_>>();
        passed.ok_or(LightClientError::Malformed { path })
    }

    /// Replaces the ids of the sets from the pin on; the newest 12,000 are kept.
    ///
    /// # Errors
    /// [`LightClientError::File`].
    pub fn save_passed(
        &self,
        network: Network,
        row: &ChainSpec,
        passed: &BTreeMap<u64, Hash>,
    ) -> Result<(), LightClientError> {
        let path = self.passed_file(network, row);
        let lines = passed.iter().skip(passed.len().saturating_sub(PASSED_MAX));
        let text: String = lines.map(|(number, id)| format!("{number} {id}\n")).collect();
        let written = fs::create_dir_all(&self.0).and_then(|()| write_file(&path, text.as_bytes()));
        written.map_err(|cause| LightClientError::File { path, cause })
    }

    fn passed_file(&self, network: Network, row: &ChainSpec) -> PathBuf {
        self.file(network, row).with_extension("passed")
    }

    /// Removes a chain's set, and the ids of earlier ones; whether there was one.
    ///
    /// # Errors
    /// [`LightClientError::File`].
    pub fn remove(&self, network: Network, row: &ChainSpec) -> Result<bool, LightClientError> {
        let remove = |path: PathBuf| match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(false),
            Err(cause) => Err(LightClientError::File { path, cause }),
        };
        remove(self.passed_file(network, row))?;
        remove(self.file(network, row))
    }
}

/// Origin of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetSource {
    /// Pinned by the client.
    Pinned(Box<TrustedSet>),
    /// Built into the client's rows.
    Builtin,
}

/// Finality check result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalityJudgment {
    /// Verdict; `None` without a set to begin with, or for a chain without evidence.
    pub verdict: Option<Verdict<FinalityShown>>,
    /// Origin of the first set.
    pub source: Option<SetSource>,
}

/// Checks finality from the pinned set, else from a built-in set.
///
/// # Errors
/// [`LightClientError`] of the pinned set's file.
pub fn judge_finality(
    folder: Option<&LightClientFolder>,
    (row, network): (&ChainSpec, Network),
    proof: &FinalityProof,
    asked: FinalityQuestion,
    now: UnixSeconds,
) -> Result<FinalityJudgment, LightClientError> {
    let none = FinalityJudgment { verdict: None, source: None };
    let Some(params) = finality_params(row, network) else { return Ok(none) };
    let signing = signing_row(row);
    let pinned = folder.map(|folder| folder.load(network, signing)).transpose()?.flatten();
    let signing_params = finality_params(signing, network);
    if let (Some(pinned), Some(signing_params)) = (pinned, signing_params) {
        let set = pinned.read(&signing_params).map_err(LightClientError::Set)?;
        let set = set.signing_for(&params);
        let passed = folder.map(|folder| folder.passed(network, signing)).transpose()?;
        let earlier = passed.and_then(|passed| earlier_set(&params, &set, proof, &passed));
        let verdict = Some(match earlier {
            Some(signer) => {
                let own = FinalityProof { steps: Vec::new(), ..proof.clone() };
                check(&params, &signer, &own, asked, now)
            }
            None => check(&params, &set, proof, asked, now),
        });
        return Ok(FinalityJudgment { verdict, source: Some(SetSource::Pinned(Box::new(pinned))) });
    }
    let Some(set) = builtin_set(row, network) else { return Ok(none) };
    let verdict = Some(check(&params, &set, proof, asked, now));
    Ok(FinalityJudgment { verdict, source: Some(SetSource::Builtin) })
}

/// Signing set before the trusted one, if named by a step of the proof and passed on the way from the pin.
fn earlier_set(
    params: &FinalityParams,
    trusted: &FinalitySet,
    proof: &FinalityProof,
    passed: &BTreeMap<u64, Hash>,
) -> Option<FinalitySet> {
    let signer = proof.evidence.signer(params).filter(|signer| *signer < trusted.number())?;
    let id = passed.get(&signer)?;
    let named = proof.steps.iter().filter_map(|step| FinalitySet::named_by(params, step));
    named.into_iter().find(|set| set.number() == signer && set.id() == *id)
}

/// Advances a trusted set by checked steps from a service; `told` gets each set number. Returns the step count. Every set
/// on the way is added to `passed`, by number.
///
/// # Errors
/// [`LightClientError`]; earlier progress stays in `trusted`.
pub async fn update_set(
    client: &Client,
    (row, params): (&ChainSpec, &FinalityParams),
    (trusted, passed): (&mut TrustedSet, &mut BTreeMap<u64, Hash>),
    now: UnixSeconds,
    mut told: impl FnMut(u64, u64),
) -> Result<u64, LightClientError> {
    let mut set = trusted.read(params).map_err(LightClientError::Set)?;
    passed.insert(set.number(), set.id());
    let mut taken = 0;
    loop {
        let from = set.number();
        let body = client.fetch_light_client_steps(row.id, from).await?;
        let answer: LightClientSteps = serde_json::from_slice(&body)?;
        // the step to a set that is just named may be signed a little later
        if answer.steps.is_empty() && answer.last > from.saturating_add(1) {
            return Err(LightClientError::Gap { set: from, last: answer.last });
        }
        if answer.steps.is_empty() {
            return Ok(taken);
        }
        for step in &answer.steps {
            let number = set.number();
            let next = match set.advance(params, &step.0, now) {
                Verdict::Shown(next) => next,
                Verdict::NotEnough(cause) => {
                    return Err(LightClientError::Stopped { set: number, cause });
                }
                Verdict::Refusal(cause) => {
                    return Err(LightClientError::Step { step: number, cause });
                }
            };
            // a set that signs nothing yet would take the place of the one that does
            if next.begins(params).is_some_and(|begin| begin > now) {
                return Ok(taken);
            }
            set = next;
            taken += 1;
            told(set.number(), answer.last);
            passed.insert(set.number(), set.id());
            keep(trusted, &set);
        }
    }
}

fn keep(trusted: &mut TrustedSet, set: &FinalitySet) {
    trusted.id = set.id();
    trusted.set = set.encode();
}

//! Log witnesses: configuration, and the stages that ask them.
//!
//! ```text
//! publish ──► newest note ──► one stage a witness ──► POST add-checkpoint
//!                 ▲                                        │ verified under the policy's key
//!                 └──────────── Cosigners::keep ◄──────────┘
//! ```
//! Publishing waits for witnesses only if named in `log.mark`. No witness waits for another.

mod ask;
mod client;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use superroot_accumulate::Cosigners;
use superroot_accumulate::prove::Prover;
use superroot_api::StatusBoard;
use superroot_proof::hash::sha256_joined;
use superroot_proof::note::{TrustPolicy, VerifierKey};

use self::ask::AskWitness;
use crate::config::{LogConfig, LogSigner};
use crate::marks::Answers;
use crate::stage::Runner;

const POLICY_BYTES_MAX: u64 = 64 << 10;
/// Most witnesses per log, because each has a line in every note.
const WITNESSES_MAX: usize = 64;

/// Configured witness policy; `None` without one. An invalid or unsupported policy is an error.
pub(crate) fn policy(config: &LogConfig) -> anyhow::Result<Option<TrustPolicy>> {
    let file = &config.witness_policy;
    if file.as_os_str().is_empty() {
        return Ok(None);
    }
    match config.signer {
        LogSigner::File => {}
        LogSigner::None => bail!("log.witness_policy: nobody signs the log (log.signer)"),
    }
    let policy = read(file).with_context(|| format!("log.witness_policy {}", file.display()))?;
    Ok(Some(policy))
}

fn read(file: &Path) -> anyhow::Result<TrustPolicy> {
    let length = std::fs::metadata(file)?.len();
    if length > POLICY_BYTES_MAX {
        bail!("{length} bytes, more than {POLICY_BYTES_MAX}");
    }
    let policy = TrustPolicy::parse(&std::fs::read_to_string(file)?)?;
    let count = policy.witnesses().count();
    if count > WITNESSES_MAX {
        bail!("{count} witnesses, more than {WITNESSES_MAX}");
    }
    let mut names = BTreeSet::new();
    for (key, url) in policy.witnesses() {
        if !names.insert(key.name()) {
            bail!("two witnesses have keys of the name {}", key.name());
        }
        url.map(client::submission).transpose().with_context(|| key.name().to_owned())?;
    }
    Ok(policy)
}

/// Checks that the policy covers a log with one of these keys. A policy without log covers any.
pub(crate) fn check_log(policy: &TrustPolicy, keys: &[VerifierKey]) -> anyhow::Result<()> {
    let logs = policy.logs();
    if !logs.is_empty() && !logs.iter().any(|log| keys.contains(log)) {
        bail!("log.witness_policy names other logs, and not the key of this one");
    }
    Ok(())
}

/// Address of each witness's last cosignature on the log, if the witness reads and writes below one address (C2SP
/// `tlog-witness`).
pub(crate) fn shown_at(policy: &TrustPolicy, origin: &str) -> anyhow::Result<Vec<reqwest::Url>> {
    let id = const_hex::encode(sha256_joined(&[origin.as_bytes()]).0);
    let urls = policy.witnesses().filter_map(|(_, url)| url);
    urls.map(|url| client::below(url, &format!("{id}/checkpoint"))).collect()
}

/// Starts a stage per witness with an address. Each asks at most once per `every`. If the witnesses are marks,
/// publishing waits for their first answers.
pub(crate) fn ask_all(
    policy: &TrustPolicy,
    cosigners: Cosigners,
    (prover, (status, answers)): (&Prover, (&Arc<StatusBoard>, Option<&Answers>)),
    every: Duration,
    runner: &mut Runner,
) -> anyhow::Result<()> {
    let cosigners = Arc::new(cosigners);
    for (key, url) in policy.witnesses() {
        let Some(url) = url else {
            tracing::info!("no address of the witness {} is known, so it is not asked", key.name());
            continue;
        };
        let client = client::WitnessClient::new(client::submission(url)?)?;
        if let Some(answers) = answers {
            answers.expect(key.name());
        }
        let prover = prover.clone();
        let told = (status.clone(), answers.cloned());
        let cosigners = cosigners.clone();
        runner.stage(AskWitness::new(key.clone(), client, prover, cosigners, told, every));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use superroot_proof::note::{KeyKind, Signer};

    use super::*;

    fn key(name: &str, kind: KeyKind, secret: u8) -> VerifierKey {
        Signer::new(name, kind, &[secret; 32]).unwrap().verifier().clone()
    }

    fn policy_of(text: &str) -> anyhow::Result<Option<TrustPolicy>> {
        let folder = tempfile::tempdir().unwrap();
        let witness_policy = folder.path().join("policy");
        std::fs::write(&witness_policy, text).unwrap();
        policy(&LogConfig { witness_policy, ..LogConfig::for_tests() })
    }

    #[test]
    fn a_policy_that_cannot_be_asked_for_is_refused_with_the_reason() {
        assert!(policy(&LogConfig::for_tests()).unwrap().is_none());
        let witness = key("w.example", KeyKind::Witness, 1);
        let line = |url: &str| format!("witness w {witness} {url}\nquorum w\n");
        assert!(policy_of(&line("https://w.example/prefix/")).unwrap().is_some());
        let many: String = (0..65)
            .map(|n| format!("witness w{n} {}\n", key(&format!("w{n}"), KeyKind::Witness, n)))
            .collect();
        let twice = format!("witness again {}\n", key("w.example", KeyKind::Witness, 2));
        for (text, why) in [
            ("quorum w\n".to_owned(), "line 1"),
            (line("ftp://w.example"), "no http or https address"),
            (line("https://me:secret@w.example"), "no http or https address"),
            (line("https://w.example/?a=b"), "no http or https address"),
            (twice + &line(""), "two witnesses"),
            (many + "quorum none\n", "65 witnesses"),
            ("#".repeat(70_000), "70000 bytes"),
        ] {
            let error = format!("{:#}", policy_of(&text).unwrap_err());
            assert!(error.contains(why) && error.contains("log.witness_policy"), "{error}");
        }
        let unsigned = LogConfig {
            signer: LogSigner::None,
            witness_policy: PathBuf::from("policy"),
            ..LogConfig::for_tests()
        };
        assert!(policy(&unsigned).unwrap_err().to_string().contains("log.signer"));
    }

    #[test]
    fn a_policy_for_another_log_is_refused() {
        let (own, other) = (key("a", KeyKind::Log, 1), key("a", KeyKind::Log, 2));
        let named = TrustPolicy::parse(&format!("log {other}\nquorum none\n")).unwrap();
        assert!(check_log(&named, std::slice::from_ref(&own)).is_err());
        assert!(check_log(&named, &[own.clone(), other]).is_ok());
        assert!(check_log(&TrustPolicy::none(), &[own]).is_ok());
    }
}

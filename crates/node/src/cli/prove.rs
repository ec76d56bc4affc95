//! `superroot prove`: fetches, verifies and only then writes a proof.

mod calldata;
mod fetch;
mod scan;
pub(crate) mod target;

use core::time::Duration;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use superroot_chain::ChainSpec;
use superroot_client::{Client, ClientError, answers_proof, is_stream};
use superroot_proof::bundle::{BUNDLE_BYTES_MAX, Facts};
use superroot_proof::calldata::entry_of;
use superroot_proof::finality::ProofFile;
use superroot_proof::superroot::SuperRoot;
use superroot_types::{Hash, Sequence, SuperRootRef};
use superroot_wire::paths;
use superroot_wire::proof::ProofQuery;

use self::fetch::fetch_anchored;
use self::target::{ProveTarget, file_name};
use super::output::{self, is_stdout, print, quoted, words};
use super::report::{CommandVerdict, Examined};
use super::style::{BAD, GOOD, HEADING, WARNING, plain, styled};
use super::timeout::TimeoutArgs;
use super::trust;

const EXIT_CODES: &str = "Exits with 0 when the proof is written, 1 when the service gave a false \
    one or one about something else, 2 when there is none to be had. Only what holds is written.";

/// Arguments of `prove`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct ProveArgs {
    /// Service address.
    #[arg(
        long,
        global = true,
        env = "SUPERROOT_URL",
        default_value = "http://127.0.0.1:8080",
        value_name = "URL"
    )]
    url: String,
    /// Output file, instead of a name from the statement; `-` is standard output.
    #[arg(short, long, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
    /// File format: only the proof, or the service's answer unchanged.
    #[arg(long, global = true, value_enum, default_value_t = ProofFormat::Binary)]
    form: ProofFormat,
    /// Write the bytes for contracts, in hex.
    #[arg(long, global = true, conflicts_with = "form")]
    calldata: bool,
    /// Write level 1 alone, in hex, for a block that a contract keeps (`keepBlock`).
    #[arg(long, global = true, conflicts_with_all = ["form", "calldata"])]
    entry: bool,
    /// Also fetch what the chain's own consensus signed about the block, with steps from the set that you pinned (`superroot
    /// trust light-client`); the file then has format 02.
    #[arg(long, global = true, conflicts_with_all = ["calldata", "entry"])]
    evidence: bool,
    /// Prove under the SuperRoot with this sequence, not the newest.
    #[arg(long, global = true, value_name = "N", conflicts_with = "root")]
    sequence: Option<u64>,
    /// Prove under the SuperRoot with this hash, not the newest.
    #[arg(long, global = true, value_name = "HASH")]
    root: Option<Hash>,
    /// Wait up to this many seconds for a block that is not anchored yet.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 0)]
    wait: u64,
    /// API key, for proofs that need one: scans do.
    #[arg(
        long,
        global = true,
        env = "SUPERROOT_API_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    api_key: Option<String>,
    #[command(flatten)]
    timeout: TimeoutArgs,
    #[command(subcommand)]
    what: ProveTarget,
}

/// Proof file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProofFormat {
    /// `.srproof`, or `.srscan` for a range.
    Binary,
    /// `.json`.
    Json,
}

impl ProofFormat {
    const fn extension(self) -> &'static str {
        match self {
            Self::Binary => "srproof",
            Self::Json => "json",
        }
    }
}

impl ProveArgs {
    fn at(&self) -> SuperRootRef {
        match (self.sequence, self.root) {
            (Some(sequence), _) => SuperRootRef::Sequence(Sequence(sequence)),
            (None, Some(root)) => SuperRootRef::Hash(root),
            (None, None) => SuperRootRef::Latest,
        }
    }

    fn client(&self) -> Result<Client, ClientError> {
        let client = self.timeout.client(&self.url)?.under(self.at()).with_notes();
        match &self.api_key {
            Some(key) => client.with_api_key(key),
            None => Ok(client),
        }
    }
}

pub(crate) async fn run(args: ProveArgs, out: &mut dyn io::Write) -> anyhow::Result<ExitCode> {
    let err = &mut anstream::stderr();
    let out = words(args.output.as_deref(), out, err);
    let chain = args.what.chain();
    let Some(asked) = args.what.query()? else { return scan::run(&args, out).await };
    let body = match fetch(&args, &asked).await {
        Err(error @ ClientError::Problem { .. }) => bail!(problem_words(&error, &args.url, chain)),
        body => body?,
    };
    let examined = Examined::of(&body).context("the service's answer was not judged")?;
    let mut text = examined.to_text();
    let facts = match judge(&examined, &asked, args.at()) {
        Ok(facts) => facts,
        Err(why) => {
            let refused = plain(&format!("REFUSED: {why}; nothing was written"));
            let _ = writeln!(text, "\n{}", styled(BAD, refused));
            return print(out, &text, CommandVerdict::False.into());
        }
    };
    let bytes = match args.form {
        _ if args.calldata => {
            let calldata = examined.bundle.to_calldata()?;
            format!("0x{}\n", const_hex::encode(calldata)).into_bytes()
        }
        _ if args.entry => {
            let entry = entry_of(&examined.bundle.to_calldata()?);
            let entry =
                entry.context("only a transaction or an event of an EVM chain has an entry")?;
            format!("0x{}\n", const_hex::encode(entry)).into_bytes()
        }
        ProofFormat::Binary => {
            let (bundle, finality) = (examined.bundle.clone(), examined.finality.clone());
            ProofFile { bundle, finality }.encode()
        }
        ProofFormat::Json if body.len() > BUNDLE_BYTES_MAX => {
            bail!("the answer has {} bytes, too many for a file: --form binary", body.len());
        }
        ProofFormat::Json => body,
    };
    let extension = match (args.calldata, args.entry) {
        (true, _) => "calldata",
        (_, true) => "entry",
        _ => args.form.extension(),
    };
    let named = || file_name(chain, &facts.statement, extension).into();
    let path = args.output.unwrap_or_else(named);
    output::write(&path, &bytes)?;
    text += &match (args.calldata, args.entry) {
        (true, _) => calldata::next_steps(&path, &bytes, facts, args.sequence.is_some()),
        (_, true) => calldata::next_steps_of_entry(&path, &bytes, facts),
        _ => next_steps(&path, bytes.len(), facts),
    };
    print(out, &text, ExitCode::SUCCESS)
}

async fn fetch(args: &ProveArgs, asked: &ProofQuery) -> Result<Vec<u8>, ClientError> {
    let mut client = args.client()?;
    if args.evidence {
        let set = trust::pinned_set(&client, args.what.chain()).await?;
        client = client.with_evidence(set);
    }
    patiently(args.wait, async || client.fetch_proof(asked).await).await
}

/// Fetches until anchored, and shows the wait.
async fn patiently(
    wait_seconds: u64,
    fetch: impl AsyncFnMut() -> Result<Vec<u8>, ClientError>,
) -> Result<Vec<u8>, ClientError> {
    let spinner = ProgressBar::new_spinner();
    spinner.enable_steady_tick(Duration::from_millis(120));
    spinner.set_message("asking the service");
    let pause = async |seconds: u64, why: &str| {
        spinner.set_message(format!("{}; asking again in {seconds} s", plain(why)));
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    };
    let answer = fetch_anchored(wait_seconds, fetch, pause).await;
    spinner.finish_and_clear();
    answer
}

/// Proven facts, if the proof is valid and matches the request.
fn judge<'a>(
    examined: &'a Examined,
    asked: &ProofQuery,
    at: SuperRootRef,
) -> Result<&'a Facts, String> {
    let facts = match (&examined.failure, &examined.facts) {
        (None, Some(facts)) => facts,
        (failure, _) => {
            let why = failure.as_ref().map_or("nothing was shown", |failure| &failure.reason);
            return Err(format!("the service sent a false proof: {why}"));
        }
    };
    answers_proof(asked, facts).map_err(|why| format!("it holds, but {why}"))?;
    let Some(super_root) = &facts.super_root else {
        return Err("it holds, but ends below level 5 and leads to no SuperRoot".to_owned());
    };
    check_under(super_root, at)?;
    Ok(facts)
}

fn check_under(super_root: &SuperRoot, at: SuperRootRef) -> Result<(), String> {
    let sequence = super_root.sequence;
    let hash = super_root.hash();
    let is_under = match at {
        SuperRootRef::Latest => true,
        SuperRootRef::Sequence(asked) => asked == sequence,
        SuperRootRef::Hash(asked) => asked == hash,
    };
    if is_under {
        return Ok(());
    }
    Err(format!("it holds, but ends in SuperRoot {sequence}, {hash}, which was not asked for"))
}

fn next_steps(path: &Path, bytes: usize, facts: &Facts) -> String {
    let mut text = format!("\n{}\n", wrote(path, bytes));
    if is_stream(path) || is_stdout(path) {
        return text;
    }
    if let Some(hash) = facts.super_root_hash() {
        let heading = styled(HEADING, "Verify it again, offline, anywhere:");
        let (what, how) = match &facts.note {
            Some(_) => ("key", "--key VKEY".to_owned()),
            None => ("hash", format!("--superroot {hash}")),
        };
        let command = format!("  superroot verify {} {how}", quoted(path));
        let reminder = format!(
            "Get that {what} from a source other than this service: beside its own proof it shows \
             only that the two fit together."
        );
        let _ = writeln!(text, "\n{heading}\n{command}\n{}", styled(WARNING, reminder));
    }
    text
}

fn wrote(path: &Path, bytes: usize) -> String {
    let to = match is_stdout(path) {
        true => "standard output".to_owned(),
        false => plain(&path.display().to_string()),
    };
    format!("{} {bytes} bytes to {to}", styled(GOOD, "wrote"))
}

fn problem_words(error: &ClientError, url: &str, chain: &ChainSpec) -> String {
    let mut words = plain(&error.to_string());
    let ClientError::Problem { code, retryable, retry_after, .. } = error else { return words };
    match code.as_str() {
        "not_yet_anchored" | "not_final" if *retryable => {
            words += "\n  wait for it with --wait SECONDS";
        }
        "not_indexed" => {
            let base = plain(url);
            let coverage = paths::coverage(&chain.slug);
            let _ = write!(
                words,
                "\n  see {base}{coverage} for what is held, and its how_to_widen for how \
                 to have more of it indexed"
            );
        }
        _ => {}
    }
    if let Some(seconds) = retry_after {
        let _ = write!(words, "\n  it asks to come back in {seconds} s");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_says_what_to_do_and_obeys_nothing() {
        let base = crate::chains::find("base").unwrap();
        let words = |code: &str, retryable, retry_after| {
            let (status, code, detail) = (409, code.to_owned(), "block 7\u{1b}[2J".to_owned());
            let error = ClientError::Problem { status, code, detail, retryable, retry_after };
            problem_words(&error, "http://host", base)
        };
        let yet = words("not_final", true, Some(12));
        assert!(yet.contains("409 not_final") && yet.contains("--wait"), "{yet}");
        assert!(yet.contains("12 s") && !yet.contains('\u{1b}'), "{yet}");
        let held = words("not_indexed", false, None);
        assert!(held.contains("http://host/api/v1/coverage/base "), "{held}");
        // what does not exist is not had by indexing more, and what never comes not by waiting
        for code in ["not_found", "not_yet_anchored"] {
            assert_eq!(words(code, false, None).lines().count(), 1, "{code}");
        }
    }
}

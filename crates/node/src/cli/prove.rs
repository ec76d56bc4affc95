//! `superroot prove`: fetches a proof, verifies it, and only then writes it.

mod fetch;
mod scan;
mod target;

use core::time::Duration;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use superroot_chain::ChainRow;
use superroot_client::{Asked, At, Client, ClientError, is_stream};
use superroot_proof::bundle::{BUNDLE_BYTES_MAX, Facts};
use superroot_proof::superroot::SuperRoot;
use superroot_types::Hash;

use self::fetch::fetch_anchored;
use self::target::{What, file_name};
use super::output::{self, is_stdout, print, quoted, words};
use super::report::{Examined, Verdict};
use super::style::{BAD, GOOD, HEADING, WARNING, plain, styled};
use super::timeout::TimeoutArgs;

/// Exit codes, as the help tells them.
const EXIT_CODES: &str = "Exits with 0 when the proof is written, 1 when the service gave a false \
    one or one about something else, 2 when there is none to be had. Only what holds is written.";

/// Arguments of `prove`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct ProveArgs {
    /// Address of the service.
    #[arg(
        long,
        global = true,
        env = "SUPERROOT_URL",
        default_value = "http://127.0.0.1:8080",
        value_name = "URL"
    )]
    url: String,
    /// File to write, instead of one named after the statement; `-` is standard output.
    #[arg(short, long, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Form of the file: the proof alone, or the service's answer as it came.
    #[arg(long, global = true, value_enum, default_value_t = Form::Binary)]
    form: Form,
    /// Proves under the SuperRoot of this sequence instead of the newest.
    #[arg(long, global = true, value_name = "N", conflicts_with = "root")]
    sequence: Option<u64>,
    /// Proves under the SuperRoot of this hash instead of the newest.
    #[arg(long, global = true, value_name = "HASH")]
    root: Option<Hash>,
    /// Waits up to this many seconds for a block that is not anchored yet.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 0)]
    wait: u64,
    /// Key of the service, where a proof asks for one: scans do.
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
    what: What,
}

/// Form of a proof in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// `.srproof`, or `.srscan` of a range.
    Binary,
    /// `.json`.
    Json,
}

impl Form {
    const fn extension(self) -> &'static str {
        match self {
            Self::Binary => "srproof",
            Self::Json => "json",
        }
    }
}

impl ProveArgs {
    fn at(&self) -> At {
        match (self.sequence, self.root) {
            (Some(sequence), _) => At::Sequence(sequence),
            (None, Some(root)) => At::Root(root),
            (None, None) => At::Latest,
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

/// Fetches, verifies, writes, and says what to do next.
pub(crate) async fn run(args: ProveArgs, out: &mut dyn io::Write) -> anyhow::Result<ExitCode> {
    let err = &mut anstream::stderr();
    let out = words(args.output.as_deref(), out, err);
    let chain = args.what.chain();
    let Some(asked) = args.what.asked()? else { return scan::run(&args, out).await };
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
            return print(out, &text, Verdict::False.into());
        }
    };
    let bytes = match args.form {
        Form::Binary => examined.bundle.encode(),
        Form::Json if body.len() > BUNDLE_BYTES_MAX => {
            bail!("the answer has {} bytes, too many for a file: --form binary", body.len());
        }
        Form::Json => body,
    };
    let named = || file_name(chain, &facts.statement, args.form.extension()).into();
    let path = args.output.unwrap_or_else(named);
    output::write(&path, &bytes)?;
    text += &next_steps(&path, bytes.len(), facts);
    print(out, &text, ExitCode::SUCCESS)
}

async fn fetch(args: &ProveArgs, asked: &Asked) -> Result<Vec<u8>, ClientError> {
    let client = args.client()?;
    patiently(args.wait, async || client.fetch_proof(asked).await).await
}

/// Fetches, and again while what is asked for is not anchored yet, showing that it waits.
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

/// What was shown, if it holds and is what was asked for.
fn judge<'a>(examined: &'a Examined, asked: &Asked, at: At) -> Result<&'a Facts, String> {
    let facts = match (&examined.failure, &examined.facts) {
        (None, Some(facts)) => facts,
        (failure, _) => {
            let why = failure.as_ref().map_or("nothing was shown", |failure| &failure.reason);
            return Err(format!("the service sent a false proof: {why}"));
        }
    };
    asked.is_answered_by(facts).map_err(|why| format!("it holds, but {why}"))?;
    let Some(super_root) = &facts.super_root else {
        return Err("it holds, but ends below level 5 and leads to no SuperRoot".to_owned());
    };
    check_under(super_root, at)?;
    Ok(facts)
}

/// It ends in the SuperRoot that was asked for.
fn check_under(super_root: &SuperRoot, at: At) -> Result<(), String> {
    let (sequence, hash) = (super_root.sequence, super_root.hash());
    let is_under = match at {
        At::Latest => true,
        At::Sequence(asked) => asked == sequence,
        At::Root(asked) => asked == hash,
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

/// Why there is no proof, and what to do about it.
fn problem_words(error: &ClientError, url: &str, chain: &ChainRow) -> String {
    let mut words = plain(&error.to_string());
    let ClientError::Problem { code, retryable, retry_after, .. } = error else { return words };
    match code.as_str() {
        "not_yet_anchored" | "not_final" if *retryable => {
            words += "\n  wait for it with --wait SECONDS";
        }
        "not_indexed" => {
            let (base, slug) = (plain(url), &chain.slug);
            let _ = write!(
                words,
                "\n  see {base}/api/v1/coverage/{slug} for what is held, and its how_to_widen for how \
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

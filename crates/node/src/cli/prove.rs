//! `superroot prove`: fetches a proof, verifies it, and only then writes it.

mod fetch;
mod target;

use core::time::Duration;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use superroot_chain::ChainRow;
use superroot_client::{At, ClientError};
use superroot_proof::bundle::Facts;
use superroot_types::Hash;

use self::fetch::{fetch, fetch_anchored};
use self::target::{What, file_name};
use super::fail;
use super::report::{Examined, Verdict};
use super::style::{BAD, GOOD, HEADING, WARNING, plain, styled};
use super::verify::input::FILE_BYTES_MAX;
use super::verify::print;

/// Exit codes, as the help tells them.
const EXIT_CODES: &str = "Exits with 0 when the proof is written, 1 when the service gave a false \
    one or one about something else, 2 when there is none to be had. Only what holds is written.";

/// A block for which the service asks to come back after so many seconds is not waited for.
const FAR_SECONDS: u64 = 3_600;

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
    /// File to write, instead of one named after the statement.
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
    #[command(subcommand)]
    what: What,
}

/// Form of a proof in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// `.srproof`.
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
}

/// Fetches, verifies, writes, and says what to do next.
pub(crate) async fn run(args: ProveArgs, out: &mut dyn io::Write) -> ExitCode {
    if let Err(why) = args.what.check_form() {
        return fail(&why);
    }
    let body = match fetch_with_spinner(&args).await {
        Ok(body) => body,
        Err(error) => return fail(&problem_words(&error, &args.url, args.what.chain())),
    };
    let examined = match Examined::of(&body) {
        Ok(examined) => examined,
        Err(why) => return fail(&format!("the service sent {}", plain(&why.to_string()))),
    };
    let mut text = examined.to_text();
    let facts = match judge(&examined, &args) {
        Ok(facts) => facts,
        Err(why) => {
            let refused = format!("REFUSED: {why}; nothing was written");
            let _ = writeln!(text, "\n{}", styled(BAD, plain(&refused)));
            return print(out, &text, Verdict::False.into());
        }
    };
    let bytes = match args.form {
        Form::Binary => examined.bundle.encode(),
        Form::Json if body.len() > FILE_BYTES_MAX => {
            let got = body.len();
            return fail(&format!(
                "the answer has {got} bytes, too many for a file: --form binary"
            ));
        }
        Form::Json => body,
    };
    let named = || file_name(args.what.chain(), &facts.statement, args.form.extension()).into();
    let path = args.output.unwrap_or_else(named);
    if let Err(error) = write_whole(&path, &bytes) {
        return fail(&format!("cannot write {}: {error}", path.display()));
    }
    text += &next_steps(&path, bytes.len(), facts.super_root_hash());
    print(out, &text, ExitCode::SUCCESS)
}

async fn fetch_with_spinner(args: &ProveArgs) -> Result<Vec<u8>, ClientError> {
    let spinner = ProgressBar::new_spinner();
    spinner.enable_steady_tick(Duration::from_millis(120));
    spinner.set_message("asking the service");
    let ask = async || fetch(&args.url, &args.what, args.at()).await;
    let pause = async |seconds: u64, why: &str| {
        spinner.set_message(format!("{}; asking again in {seconds} s", plain(why)));
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    };
    let answer = fetch_anchored(args.wait, ask, pause).await;
    spinner.finish_and_clear();
    answer
}

/// What was shown, if it holds and is what was asked for.
fn judge<'a>(examined: &'a Examined, args: &ProveArgs) -> Result<&'a Facts, String> {
    match (&examined.failure, &examined.facts) {
        (None, Some(facts)) => {
            let answered = args.what.check(facts, args.at()).map(|()| facts);
            answered.map_err(|why| format!("the proof holds, but {why}"))
        }
        (failure, _) => {
            let why = failure.as_ref().map_or("nothing was shown", |failure| &failure.reason);
            Err(format!("the service sent a false proof: {why}"))
        }
    }
}

/// Writes a file whole, or leaves what was there.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let written = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // it may never have been made; the error that counts is the first
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn next_steps(path: &Path, bytes: usize, super_root_hash: Option<Hash>) -> String {
    let path = path.display().to_string();
    let mut text = format!("\n{} {bytes} bytes to {}\n", styled(GOOD, "wrote"), plain(&path));
    if let Some(hash) = super_root_hash {
        let heading = styled(HEADING, "Verify it again, offline, anywhere:");
        let command = format!("  superroot verify {} --superroot {hash}", shell_word(&path));
        let reminder = "Get that hash from a source other than this service: beside its own proof \
            it shows only that the two fit together.";
        let _ = writeln!(text, "\n{heading}\n{command}\n{}", styled(WARNING, reminder));
    }
    text
}

/// A text as one word of a POSIX shell.
fn shell_word(text: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "._-/+:@%,=".contains(c);
    if !text.is_empty() && text.chars().all(harmless) {
        // a leading dash would be taken for a flag
        return if text.starts_with('-') { format!("./{text}") } else { text.to_owned() };
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Why there is no proof, and what to do about it.
fn problem_words(error: &ClientError, url: &str, chain: &ChainRow) -> String {
    let (ClientError::Problem { code, retryable, retry_after, .. }, base) = (error, plain(url))
    else {
        return plain(&error_chain(error));
    };
    let advice = match code.as_str() {
        "not_yet_anchored" if !retryable => {
            "it never will be in that SuperRoot: name a later one, or leave out --sequence and --root"
                .to_owned()
        }
        "not_yet_anchored" | "not_final" if *retry_after >= Some(FAR_SECONDS) => {
            "it is an hour away or more: ask for a block that is there".to_owned()
        }
        "not_yet_anchored" | "not_final" => "wait for it with --wait SECONDS".to_owned(),
        "unknown_chain" | "chain_unavailable" => format!("see {base}/api/v1/chains"),
        "not_indexed" => format!(
            "see {base}/api/v1/coverage/{} for what is held, and its how_to_widen for how to have \
             more of it indexed",
            chain.slug
        ),
        "unknown_superroot" => format!("see {base}/v5/superroot for the newest"),
        "rate_limited" => "ask again later, or from another address".to_owned(),
        "invalid_parameter" => "check the arguments".to_owned(),
        _ => String::new(),
    };
    let again = retry_after.map(|seconds| format!("it asks to come back in {seconds} s"));
    let mut words = plain(&error.to_string());
    for more in [Some(advice).filter(|advice| !advice.is_empty()), again].into_iter().flatten() {
        let _ = write!(words, "\n  {more}");
    }
    words
}

/// An error with its causes: the outermost alone seldom says what to do.
fn error_chain(error: &dyn core::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !words.contains(&said) {
            let _ = write!(words, ": {said}");
        }
        cause = error.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_the_shell() {
        for (text, word) in [
            ("a/b-1.srproof", "a/b-1.srproof"),
            ("-x", "./-x"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$(x)", "'$(x)'"),
            ("", "''"),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }

    #[test]
    fn a_problem_says_what_to_do_and_obeys_nothing() {
        let (code, detail) = ("not_final".to_owned(), "block 7\u{1b}[2J".to_owned());
        let error = ClientError::Problem {
            status: 409,
            code,
            detail,
            retryable: true,
            retry_after: Some(12),
        };
        let ethereum = crate::chains::find("ethereum").unwrap();
        let words = problem_words(&error, "http://host", ethereum);
        assert!(words.contains("409 not_final") && words.contains("--wait"), "{words}");
        assert!(words.contains("12 s") && !words.contains('\u{1b}'), "{words}");
    }

    #[test]
    fn what_is_not_indexed_leads_to_what_is_held_of_its_chain() {
        let base = crate::chains::find("base").unwrap();
        let words = |status, code: &str, retryable, retry_after| {
            let (code, detail) = (code.to_owned(), "not there".to_owned());
            let error = ClientError::Problem { status, code, detail, retryable, retry_after };
            problem_words(&error, "http://host", base)
        };
        let held = words(404, "not_indexed", false, None);
        assert!(held.contains("http://host/api/v1/coverage/base "), "{held}");
        assert!(held.contains("how_to_widen"), "{held}");
        // what does not exist is not had by indexing more, and what never comes not by waiting
        let none = words(404, "not_found", false, None);
        assert_eq!(none, "404 not_found: not there");
        let never = words(409, "not_yet_anchored", false, None);
        assert!(never.contains("it never will be in that SuperRoot"), "{never}");
        let far = words(409, "not_yet_anchored", true, Some(3_600));
        assert!(far.contains("an hour away or more"), "{far}");
        for words in [never, far] {
            assert!(!words.contains("--wait"), "{words}");
        }
    }

    /// A file that cannot be put in place leaves nothing behind.
    #[test]
    fn a_file_is_written_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        std::fs::create_dir(&taken).unwrap();
        assert!(write_whole(&taken, b"proof").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let free = folder.path().join("free");
        write_whole(&free, b"old").unwrap();
        write_whole(&free, b"new").unwrap();
        assert_eq!(std::fs::read(&free).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}

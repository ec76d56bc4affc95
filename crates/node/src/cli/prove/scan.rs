//! Scan proofs: all events in a range or their absence, one file per page.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use superroot_client::{ClientError, ScanForm, answers_scan, is_stream};
use superroot_proof::bundle::BUNDLE_BYTES_MAX;
use superroot_proof::scan::{ScanFacts, ScanStatement};
use superroot_types::{BlockNumber, Hash, SuperRootRef};

use super::target::{ProveTarget, ScanTarget};
use super::{ProofFormat, ProveArgs, check_under, patiently, problem_words, wrote};
use crate::cli::output::{self, is_stdout, print, quoted};
use crate::cli::report::CommandVerdict;
use crate::cli::report::scan::{ExaminedScan, statement_words};
use crate::cli::style::{BAD, HEADING, WARNING, plain, styled};

/// Fetches, verifies and only then writes each page.
pub(super) async fn run(args: &ProveArgs, out: &mut dyn io::Write) -> anyhow::Result<ExitCode> {
    if args.calldata {
        bail!(
            "--calldata is for one block, transaction or event; a range has no form for contracts"
        );
    }
    let (scanned, is_absence) = match &args.what {
        ProveTarget::AbsenceOf(scanned) => (scanned, true),
        ProveTarget::EventsOf(scanned) => (scanned, false),
        _ => bail!("this is no scan"),
    };
    let whole = scanned.statement()?;
    let mut run = ScanRun { args, scanned, is_absence, at: args.at(), written: Vec::new() };
    let mut text = String::new();
    let mut from = whole.from;
    while from <= whole.to {
        let asked = ScanStatement { from, ..whole.clone() };
        let (body, examined) = run.fetch(&asked).await?;
        text += &examined.to_text();
        let facts = match run.judge(&examined, &asked) {
            Ok(facts) => facts,
            Err(why) => {
                let refused = plain(&format!("REFUSED: {why}; this page was not written"));
                let _ = writeln!(text, "\n{}", styled(BAD, refused));
                return print(out, &text, CommandVerdict::False.into());
            }
        };
        if is_absence && let Some(event) = facts.events.first() {
            let why = format!(
                "There are events {}, the first in block {}: `superroot prove events-of` proves them. No \
                 absence was written of this page.",
                statement_words(&facts.statement),
                event.number
            );
            let _ = writeln!(text, "\n{}", styled(WARNING, why));
            return print(out, &text, CommandVerdict::Unusable.into());
        }
        if facts.statement.to < whole.to && args.output.as_deref().is_some_and(is_one_stream) {
            bail!(
                "the range takes more than one page, the first ends with block {}: expected one page for a stream, so \
                 give a file, or a smaller range; nothing was written",
                facts.statement.to
            );
        }
        run.write(body, &facts.statement)?;
        // every page under one SuperRoot, so that one hash leads to all
        let end = facts.last.super_root.as_ref().map(|root| (root.sequence, root.hash()));
        if let Some((sequence, _)) = end.filter(|_| run.at == SuperRootRef::Latest) {
            run.at = SuperRootRef::Sequence(sequence);
        }
        from = BlockNumber(facts.statement.to.0.saturating_add(1));
        if from > whole.to {
            text += &run.next_steps(facts, end.map(|(_, hash)| hash));
        }
    }
    print(out, &text, ExitCode::SUCCESS)
}

struct ScanRun<'a> {
    args: &'a ProveArgs,
    scanned: &'a ScanTarget,
    is_absence: bool,
    at: SuperRootRef,
    written: Vec<(PathBuf, usize)>,
}

impl ScanRun<'_> {
    async fn fetch(&self, asked: &ScanStatement) -> anyhow::Result<(Vec<u8>, ExaminedScan)> {
        let (args, chain) = (self.args, self.args.what.chain());
        let client = args.client()?.under(self.at);
        let form = match args.form {
            ProofFormat::Binary => ScanForm::File,
            ProofFormat::Json => ScanForm::Json,
        };
        let body = patiently(args.wait, async || client.fetch_scan(asked, form).await).await;
        let body = match body {
            Err(error @ ClientError::Problem { .. }) => {
                let mut words = problem_words(&error, &args.url, chain);
                if matches!(&error, ClientError::Problem { status: 401 | 403, .. }) {
                    words +=
                        "\n  give a key of the service with --api-key, or in SUPERROOT_API_KEY";
                }
                bail!(words)
            }
            body => body?,
        };
        let examined = ExaminedScan::of(&body).context("the service's answer was not judged")?;
        Ok((body, examined))
    }

    /// Proven facts, if the page is valid and matches the request.
    fn judge<'e>(
        &self,
        examined: &'e ExaminedScan,
        asked: &ScanStatement,
    ) -> Result<&'e ScanFacts, String> {
        let Some(facts) = examined.facts.as_deref() else {
            let why = examined.failure.as_ref();
            let why = why.map_or("nothing was shown", |failure| failure.reason.as_str());
            return Err(format!("the service sent a false scan: {why}"));
        };
        answers_scan(asked, facts).map_err(|why| format!("it holds, but {why}"))?;
        let none = || "it holds, but leads to no SuperRoot".to_owned();
        check_under(facts.last.super_root.as_ref().ok_or_else(none)?, self.at)?;
        Ok(facts)
    }

    fn write(&mut self, body: Vec<u8>, page: &ScanStatement) -> anyhow::Result<()> {
        if body.len() > BUNDLE_BYTES_MAX {
            bail!("the answer has {} bytes, too many for a file: --form binary", body.len());
        }
        let extension = match self.args.form {
            ProofFormat::Binary => "srscan",
            ProofFormat::Json => "json",
        };
        let kind = if self.is_absence { "absence" } else { "events" };
        let path = match &self.args.output {
            Some(path) => numbered(path, self.written.len()),
            None => self.scanned.file_name(page, kind, extension).into(),
        };
        output::write(&path, &body)?;
        self.written.push((path, body.len()));
        Ok(())
    }

    /// Written files, and the command to verify them.
    fn next_steps(&self, facts: &ScanFacts, super_root: Option<Hash>) -> String {
        let mut text = String::from("\n");
        for (path, bytes) in &self.written {
            let _ = writeln!(text, "{}", wrote(path, *bytes));
        }
        if self.args.output.as_deref().is_some_and(is_one_stream) {
            return text;
        }
        let (what, how) = match (&facts.last.note, super_root) {
            (Some(_), _) => ("key", "--key VKEY".to_owned()),
            (None, Some(hash)) => ("hash", format!("--superroot {hash}")),
            (None, None) => return text,
        };
        let heading = "Verify it again, offline, anywhere:";
        let _ = writeln!(text, "\n{}", styled(HEADING, heading));
        for (path, _) in &self.written {
            let _ = writeln!(text, "  superroot verify {} {how}", quoted(path));
        }
        let reminder = format!(
            "Get that {what} from a source other than this service: beside its own proof it shows only that \
             the two fit together."
        );
        let _ = writeln!(text, "{}", styled(WARNING, reminder));
        text
    }
}

/// Whether a path takes only one page, because each page needs a file.
fn is_one_stream(path: &Path) -> bool {
    is_stdout(path) || is_stream(path)
}

/// File name for a page: the given name first, then `name-2.ext` and so on.
fn numbered(path: &Path, before: usize) -> PathBuf {
    if before == 0 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{}", before.saturating_add(1)));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_name_of_its_own() {
        let name = |path: &str, before| numbered(Path::new(path), before).display().to_string();
        assert_eq!(name("a/proof.srscan", 0), "a/proof.srscan");
        assert_eq!(name("a/proof.srscan", 1), "a/proof-2.srscan");
        assert_eq!(name("proof", 9), "proof-10");
    }
}

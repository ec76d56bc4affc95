//! `superroot trust`: trusted logs by key, and updates.

mod contradiction;
mod file;
mod light_client;
mod list;
mod lookup;
mod pin;
mod served;
mod update;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, Subcommand};
use superroot_client::{LightClientError, TrustError, TrustStore, UpdateError};
use superroot_types::shown_origin;

use self::contradiction::PinContradiction;
pub(crate) use self::file::open_existing;
pub(crate) use self::light_client::{light_clients, pinned_set};
pub(crate) use self::pin::read_policy;
use super::output::{print, words};
use super::report::CommandVerdict;
use super::style::{BAD, GOOD, plain, styled};
use super::timeout::TimeoutArgs;

const EXIT_CODES: &str = "Exits with 0 when it is done, 1 when what a service or you say \
    contradicts what is pinned, 2 when it cannot be done.";

/// Arguments of `trust`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct TrustArgs {
    /// Trust store file, instead of $XDG_CONFIG_HOME/superroot/trust.toml.
    #[arg(long, global = true, value_name = "FILE")]
    trust_store: Option<PathBuf>,
    #[command(flatten)]
    timeout: TimeoutArgs,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print logs, keys and newest pins.
    List {
        /// Print one JSON object, with all pins.
        #[arg(long)]
        json: bool,
    },
    /// Trust a log by key or, for an unsigned log, one SuperRoot.
    Pin(Box<pin::PinArgs>),
    /// Advance the pin to the newest signed SuperRoot, after checking full consistency.
    Update {
        /// Service address.
        #[arg(long, value_name = "URL")]
        url: String,
        /// Output file for evidence that a key signed two histories.
        #[arg(long, value_name = "FILE", default_value = "evidence.json")]
        evidence: PathBuf,
    },
    /// Sets of signers of chains' own consensus, to check finality with.
    #[command(subcommand)]
    LightClient(light_client::LightClientAction),
    /// Remove a log, or one pin of a log.
    Remove {
        /// Log origin.
        #[arg(long, value_name = "ORIGIN")]
        origin: String,
        /// The pin's sequence. Default: all pins and the key.
        #[arg(long, value_name = "N")]
        sequence: Option<u64>,
    },
}

fn is_contradiction(error: &anyhow::Error) -> bool {
    let forked = |error: &TrustError| {
        matches!(
            error,
            TrustError::Fork { .. } | TrustError::Inconsistent(_) | TrustError::OtherKey { .. }
        )
    };
    let updated = |error: &UpdateError| match error {
        UpdateError::Trust(error) => forked(error),
        error => error.is_contradiction(),
    };
    let stepped = |error: &LightClientError| error.is_contradiction();
    error.is::<PinContradiction>()
        || error.downcast_ref().is_some_and(stepped)
        || error.downcast_ref().is_some_and(forked)
        || error.downcast_ref().is_some_and(updated)
}

pub(crate) async fn run(args: TrustArgs, out: &mut dyn io::Write) -> anyhow::Result<ExitCode> {
    let err = &mut anstream::stderr();
    let out = match &args.action {
        Action::Update { evidence, .. } => words(Some(evidence), out, err),
        Action::List { .. } | Action::Pin(_) | Action::LightClient(_) | Action::Remove { .. } => {
            out
        }
    };
    let given = args.trust_store.as_deref();
    match act(args.action, given, args.timeout).await {
        Ok(said) => print(out, &format!("{said}\n"), ExitCode::SUCCESS),
        Err(error) if is_contradiction(&error) => {
            let why = plain(&format!("REFUSED: {error:#}"));
            print(out, &format!("{}\n", styled(BAD, why)), CommandVerdict::False.into())
        }
        Err(error) => Err(error),
    }
}

async fn act(action: Action, given: Option<&Path>, timeout: TimeoutArgs) -> anyhow::Result<String> {
    match action {
        Action::List { json } => {
            let (_, store) = open_existing(given)?.unwrap_or_default();
            let text = if json { list::json(&store) } else { list::text(&store) };
            Ok(text.trim_end().to_owned())
        }
        Action::Pin(args) => pin::run(&args, &file::path(given)?, timeout).await,
        Action::Update { url, evidence } => {
            update::run(&timeout.client(&url)?, &file::path(given)?, &evidence).await
        }
        Action::LightClient(action) => {
            light_client::run(action, &file::path(given)?, timeout).await
        }
        Action::Remove { origin, sequence } => remove(&file::path(given)?, &origin, sequence),
    }
}

fn remove(path: &Path, origin: &str, sequence: Option<u64>) -> anyhow::Result<String> {
    let removed =
        TrustStore::change(path, |store| Ok::<_, TrustError>(store.remove(origin, sequence)))?;
    let (key, count) = match removed {
        (0, false) => bail!("nothing like that is pinned of {}", shown_origin(origin)),
        (count, true) => ("the key and ", count),
        (count, false) => ("", count),
    };
    let done = styled(GOOD, "removed");
    let noun = if count == 1 { "pin" } else { "pins" };
    Ok(format!("{done} {key}{count} {noun} of {}", shown_origin(origin)))
}

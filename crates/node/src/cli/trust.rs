//! `superroot trust`: the SuperRoots that you trust, and moving them on.

mod file;
mod page;

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use superroot_client::{At, Client, Pin, TrustError, TrustStore};
use superroot_types::{Hash, Network};
use superroot_wire::parse_json;
use superroot_wire::superroot::{Strength, parse_consistency};

pub(crate) use self::file::open_existing;
use self::file::{open_or_new, save};
use super::report::{Verdict, print};
use super::style::{BAD, FAINT, GOOD, HEADING, WARNING, plain, styled};

/// Pins of a log that `list` prints.
const LISTED_MAX: usize = 8;

/// Exit codes, as the help tells them.
const EXIT_CODES: &str = "Exits with 0 when it is done, 1 when what a service or you say \
    contradicts what is pinned, 2 when it cannot be done.";

/// Arguments of `trust`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct TrustArgs {
    /// The store, instead of $XDG_CONFIG_HOME/superroot/trust.toml.
    #[arg(long, global = true, value_name = "FILE")]
    trust_store: Option<PathBuf>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Prints the logs and their newest pins.
    List,
    /// Trusts a SuperRoot that you know from elsewhere than the service.
    Pin {
        /// A service of that log, to check the hash against the log's origin and the sequence.
        #[arg(long, value_name = "URL", required_unless_present = "origin")]
        url: Option<String>,
        /// Origin of the log; has to be named for a recorded or simulated one.
        #[arg(long, value_name = "ORIGIN")]
        origin: Option<String>,
        /// Hash of the SuperRoot.
        #[arg(long, value_name = "HASH")]
        superroot: Hash,
        /// Its sequence.
        #[arg(long, value_name = "N")]
        sequence: u64,
    },
    /// Moves to the service's newest SuperRoot, if that extends what is pinned.
    Update {
        /// The service.
        #[arg(long, value_name = "URL")]
        url: String,
        /// What the service has to show: that no SuperRoot (history), or no block either (full), was
        /// rewritten.
        #[arg(long, default_value = "full", value_parser = strengths())]
        strength: Strength,
    },
    /// Forgets a log, or one pin of it.
    Remove {
        /// Origin of the log.
        #[arg(long, value_name = "ORIGIN")]
        origin: String,
        /// Sequence of the pin; without it all go.
        #[arg(long, value_name = "N")]
        sequence: Option<u64>,
    },
}

fn strengths() -> impl TypedValueParser<Value = Strength> {
    PossibleValuesParser::new(["full", "history"]).map(|name| match name.as_str() {
        "history" => Strength::History,
        _ => Strength::Full,
    })
}

/// What was said contradicts what is pinned, or itself.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Contradiction(String);

fn is_contradiction(error: &anyhow::Error) -> bool {
    let forked =
        |error: &TrustError| matches!(error, TrustError::Fork { .. } | TrustError::Inconsistent(_));
    error.is::<Contradiction>() || error.downcast_ref().is_some_and(forked)
}

/// Carries out one action on the store.
pub(crate) async fn run(args: TrustArgs, out: &mut dyn io::Write) -> anyhow::Result<ExitCode> {
    let given = args.trust_store.as_deref();
    if matches!(args.action, Action::List) {
        let (_, store) = open_existing(given)?.unwrap_or_default();
        return print(out, &list(&store), ExitCode::SUCCESS);
    }
    let (path, mut store) = open_or_new(given)?;
    match act(args.action, &mut store).await {
        Ok(said) => {
            save(&store, &path)?;
            print(out, &format!("{said}\n"), ExitCode::SUCCESS)
        }
        Err(error) if is_contradiction(&error) => {
            let why = plain(&format!("REFUSED: {error:#}"));
            print(out, &format!("{}\n", styled(BAD, why)), Verdict::False.into())
        }
        Err(error) => Err(error),
    }
}

async fn act(action: Action, store: &mut TrustStore) -> anyhow::Result<String> {
    match action {
        Action::List => Ok(list(store)),
        Action::Pin { url, origin, superroot, sequence } => {
            let pin = Pin { sequence, super_root_hash: superroot };
            pin_by_hand(store, url.as_deref(), origin, pin).await
        }
        Action::Update { url, strength } => update(store, &url, strength).await,
        Action::Remove { origin, sequence } => match store.remove(&origin, sequence) {
            0 => bail!("nothing like that is pinned of {origin}"),
            count => {
                let (done, noun) =
                    (styled(GOOD, "removed"), if count == 1 { "pin" } else { "pins" });
                Ok(format!("{done} {count} {noun} of {}", plain(&origin)))
            }
        },
    }
}

fn list(store: &TrustStore) -> String {
    let mut text = String::new();
    for origin in store.origins() {
        let network = match Network::of_origin(origin) {
            Network::Live => styled(GOOD, Network::Live),
            other => styled(WARNING, other),
        };
        let _ = writeln!(text, "{}  {network}", styled(HEADING, plain(origin)));
        let pins = store.pins(origin);
        for Pin { sequence, super_root_hash } in pins.iter().rev().take(LISTED_MAX) {
            let _ = writeln!(text, "  SuperRoot {sequence:<10} {super_root_hash}");
        }
        if let Some(more @ 1..) = pins.len().checked_sub(LISTED_MAX) {
            let _ = writeln!(text, "  {}", styled(FAINT, format!("and {more} older")));
        }
    }
    if text.is_empty() {
        text += "nothing is trusted yet: `superroot trust pin` begins\n";
    }
    text
}

async fn pin_by_hand(
    store: &mut TrustStore,
    url: Option<&str>,
    named: Option<String>,
    pin: Pin,
) -> anyhow::Result<String> {
    let mut checked = "not checked with any service";
    let mut origin = named.clone().unwrap_or_default();
    if let Some(url) = url {
        let (found, super_root) =
            page::fetch(&Client::new(url)?, At::Sequence(pin.sequence)).await?;
        let (got, sequence) = (super_root.hash(), super_root.sequence);
        if got != pin.super_root_hash || sequence != pin.sequence {
            let expected = pin.super_root_hash;
            let why = format!("SuperRoot {sequence} of {found} is {got}, you gave {expected}");
            bail!(Contradiction(why));
        }
        if let Some(named) = named.as_ref().filter(|named| **named != found) {
            bail!(Contradiction(format!("the service's log is {found}, you named {named}")));
        }
        checked = "the hash binds the log and the sequence";
        origin = found;
    }
    let network = Network::of_origin(&origin);
    if network != Network::Live && named.is_none() {
        bail!("this log is {network}; to trust it, name it: --origin {origin}");
    }
    store.pin(&origin, pin.sequence, pin.super_root_hash)?;
    let (done, origin) = (styled(GOOD, "pinned"), plain(&origin));
    Ok(format!("{done} SuperRoot {} of {origin}; {checked}", pin.sequence))
}

async fn update(store: &mut TrustStore, url: &str, strength: Strength) -> anyhow::Result<String> {
    let client = Client::new(url)?;
    let (origin, latest) = page::fetch(&client, At::Latest).await?;
    let Some(newest) = store.pins(&origin).last().copied() else {
        bail!(TrustError::UnknownLog { origin });
    };
    let (from, to) = (newest.sequence, latest.sequence);
    if to < from {
        bail!("the service is at SuperRoot {to}, behind your pin {from}");
    }
    if to == from {
        store.pin(&origin, to, latest.hash())?; // the same one, or a fork
        return Ok(format!("SuperRoot {to} of {} is the newest already", plain(&origin)));
    }
    let body = parse_json(&client.fetch_consistency(from, to, strength).await?)?;
    let pin = store.advance(&origin, &parse_consistency(&body)?.0, strength)?;
    let (done, origin, to) = (styled(GOOD, "moved"), plain(&origin), pin.sequence);
    Ok(format!("{done} from SuperRoot {from} to {to} of {origin}, consistency {strength} verified"))
}

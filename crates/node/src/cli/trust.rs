//! `superroot trust`: the SuperRoots that you trust, and moving them on.

mod file;
mod page;

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use superroot_client::{At, Client, Pin, TrustError, TrustStore};
use superroot_types::{Hash, Network};
use superroot_wire::parse_json;
use superroot_wire::superroot::{Strength as WireStrength, parse_consistency};

pub(crate) use self::file::{StoreError, open_existing};
use self::file::{open_or_new, save};
use super::fail;
use super::report::Verdict;
use super::style::{BAD, FAINT, GOOD, HEADING, WARNING, plain, styled};
use super::verify::print;

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
        /// What the service has to show.
        #[arg(long, value_enum, default_value_t = Strength::Full)]
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

/// What a consistency proof has to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Strength {
    /// No SuperRoot and no block was rewritten.
    Full,
    /// No SuperRoot was rewritten.
    History,
}

impl Strength {
    const fn on_the_wire(self) -> WireStrength {
        match self {
            Self::Full => WireStrength::Full,
            Self::History => WireStrength::History,
        }
    }
}

/// Why the store stays as it was.
enum Refusal {
    /// What was said contradicts what is pinned, or itself.
    False(String),
    /// It could not be done.
    Unusable(String),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        let words = error.to_string();
        match error {
            StoreError::Trust(TrustError::Fork { .. } | TrustError::Inconsistent(_)) => {
                Self::False(words)
            }
            _ => Self::Unusable(words),
        }
    }
}

impl From<TrustError> for Refusal {
    fn from(error: TrustError) -> Self {
        StoreError::from(error).into()
    }
}

/// Carries out one action on the store.
pub(crate) async fn run(args: TrustArgs, out: &mut dyn io::Write) -> ExitCode {
    let opened = match &args.action {
        Action::List => open_existing(args.trust_store.as_deref()).map(Option::unwrap_or_default),
        _ => open_or_new(args.trust_store.as_deref()),
    };
    let (path, mut store) = match opened {
        Ok(opened) => opened,
        Err(error) => return fail(&plain(&error.to_string())),
    };
    let done = match args.action {
        Action::List => return print(out, &list(&store), ExitCode::SUCCESS),
        Action::Pin { url, origin, superroot, sequence } => {
            let pin = Pin { sequence, super_root_hash: superroot };
            pin_by_hand(&mut store, url.as_deref(), origin, pin).await
        }
        Action::Update { url, strength } => update(&mut store, &url, strength).await,
        Action::Remove { origin, sequence } => remove(&mut store, &origin, sequence),
    };
    let done = done.and_then(|said| save(&store, &path).map(|()| said).map_err(Refusal::from));
    match done {
        Ok(said) => print(out, &format!("{said}\n"), ExitCode::SUCCESS),
        Err(Refusal::Unusable(why)) => fail(&plain(&why)),
        Err(Refusal::False(why)) => {
            let text = format!("{}\n", styled(BAD, format!("REFUSED: {}", plain(&why))));
            print(out, &text, Verdict::False.into())
        }
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
) -> Result<String, Refusal> {
    let mut checked = "not checked with any service";
    let mut origin = named.clone().unwrap_or_default();
    if let Some(url) = url {
        let found =
            page::fetch(url, At::Sequence(pin.sequence)).await.map_err(Refusal::Unusable)?;
        let (got, expected) = (found.super_root.hash(), pin.super_root_hash);
        if got != expected || found.super_root.sequence != pin.sequence {
            let (sequence, origin) = (found.super_root.sequence, found.origin);
            let why = format!("SuperRoot {sequence} of {origin} is {got}, you gave {expected}");
            return Err(Refusal::False(why));
        }
        if let Some(named) = named.as_ref().filter(|named| **named != found.origin) {
            let why = format!("the service's log is {}, you named {named}", found.origin);
            return Err(Refusal::False(why));
        }
        checked = "the hash binds the log and the sequence";
        origin = found.origin;
    }
    let network = Network::of_origin(&origin);
    if network != Network::Live && named.is_none() {
        let why = format!("this log is {network}; to trust it, name it: --origin {origin}");
        return Err(Refusal::Unusable(why));
    }
    store.pin(&origin, pin.sequence, pin.super_root_hash)?;
    let (done, origin) = (styled(GOOD, "pinned"), plain(&origin));
    Ok(format!("{done} SuperRoot {} of {origin}; {checked}", pin.sequence))
}

async fn update(store: &mut TrustStore, url: &str, strength: Strength) -> Result<String, Refusal> {
    let unusable = |error: &dyn core::fmt::Display| Refusal::Unusable(error.to_string());
    let latest = page::fetch(url, At::Latest).await.map_err(Refusal::Unusable)?;
    let origin = latest.origin;
    let Some(newest) = store.pins(&origin).last().copied() else {
        return Err(TrustError::UnknownLog { origin }.into());
    };
    let (sequence, super_root_hash) = (latest.super_root.sequence, latest.super_root.hash());
    if sequence < newest.sequence {
        let pinned = newest.sequence;
        let why = format!("the service is at SuperRoot {sequence}, behind your pin {pinned}");
        return Err(Refusal::Unusable(why));
    }
    if sequence == newest.sequence {
        store.pin(&origin, sequence, super_root_hash)?; // the same one, or a fork
        return Ok(format!("SuperRoot {sequence} of {} is the newest already", plain(&origin)));
    }
    let strength = strength.on_the_wire();
    let client = Client::new(url).map_err(|error| unusable(&error))?;
    let body = client.fetch_consistency(newest.sequence, sequence, strength).await;
    let body =
        body.and_then(|body| Ok(parse_json(&body).map_err(superroot_wire::CheckError::from)?));
    let body = body.map_err(|error| unusable(&error))?;
    let proof = parse_consistency(&body).map_err(|error| unusable(&error))?;
    let pin = store.advance_at_least(&origin, &proof, strength)?;
    let (done, origin) = (styled(GOOD, "moved"), plain(&origin));
    let (from, to) = (newest.sequence, pin.sequence);
    Ok(format!("{done} from SuperRoot {from} to {to} of {origin}, consistency {strength} verified"))
}

/// The store without those pins: what stays is pinned anew.
fn remove(store: &mut TrustStore, origin: &str, sequence: Option<u64>) -> Result<String, Refusal> {
    let goes = |log: &str, pin: &Pin| {
        log == origin && sequence.is_none_or(|sequence| sequence == pin.sequence)
    };
    let mut rest = TrustStore::default();
    let mut removed = 0_usize;
    for log in store.origins() {
        for pin in store.pins(log) {
            if goes(log, pin) {
                removed += 1;
            } else {
                rest.pin(log, pin.sequence, pin.super_root_hash)?;
            }
        }
    }
    if removed == 0 {
        return Err(Refusal::Unusable(format!("nothing like that is pinned of {origin}")));
    }
    *store = rest;
    let done = styled(GOOD, "removed");
    Ok(format!(
        "{done} {removed} {} of {}",
        if removed == 1 { "pin" } else { "pins" },
        plain(origin)
    ))
}

//! `superroot trust pin`: by key, by first use or, for an unsigned log, by hash.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use superroot_client::{Client, FetchedPage, KeySource, TrustError, TrustStore};
use superroot_proof::note::{TrustPolicy, VerifierKey};
use superroot_types::{Hash, Network, Sequence, SuperRootRef, is_plain_origin, shown_origin};

use super::contradiction::PinContradiction;
use super::update;
use crate::cli::style::{GOOD, WARNING, styled};
use crate::cli::timeout::TimeoutArgs;

/// Arguments of `trust pin`.
#[derive(Debug, Args)]
pub(super) struct PinArgs {
    /// Log key (C2SP vkey), known from a source other than the service.
    #[arg(long, value_name = "VKEY", conflicts_with_all = ["superroot", "fingerprint"])]
    key: Option<VerifierKey>,
    /// Service with the log. Names the key if you give none (trust on first use), and shows the newest SuperRoot.
    #[arg(long, value_name = "URL", required_unless_present_any = ["key", "origin"])]
    url: Option<String>,
    /// Witnesses required on every note (C2SP tlog-policy).
    #[arg(long, value_name = "FILE", conflicts_with = "superroot")]
    policy: Option<PathBuf>,
    /// Required fingerprint of the service's key.
    #[arg(long, value_name = "HEX", requires = "url")]
    fingerprint: Option<String>,
    /// Do not ask; needs --fingerprint.
    #[arg(long, requires = "fingerprint")]
    yes: bool,
    /// Replace the existing key, as announced by the operator; pins stay.
    #[arg(long, requires = "key")]
    replace: bool,
    /// Log origin; required for a recorded or simulated log if you give no key.
    #[arg(long, value_name = "ORIGIN")]
    origin: Option<String>,
    /// SuperRoot hash, for an unsigned log. Such a pin never moves.
    #[arg(long, value_name = "HASH", requires = "sequence")]
    superroot: Option<Hash>,
    /// Sequence of the SuperRoot.
    #[arg(long, value_name = "N", requires = "superroot")]
    sequence: Option<u64>,
}

pub(super) async fn run(
    args: &PinArgs,
    path: &Path,
    timeout: TimeoutArgs,
) -> anyhow::Result<String> {
    let client = args.url.as_deref().map(|url| timeout.client(url)).transpose()?;
    if let (Some(hash), Some(sequence)) = (args.superroot, args.sequence) {
        return by_hash(args, client.as_ref(), path, (sequence, hash)).await;
    }
    let policy = args.policy.as_deref().map(read_policy).transpose()?;
    let (key, source) = match (&args.key, &client) {
        (Some(key), _) => (key.clone(), KeySource::Given),
        (None, Some(client)) => (of_service(args, client).await?, KeySource::FirstUse),
        (None, None) => bail!("give the log's key with --key, or a service of it with --url"),
    };
    if let Some(named) = args.origin.as_ref().filter(|named| *named != key.name()) {
        let origin = shown_origin(key.name());
        let named = shown_origin(named);
        bail!(PinContradiction(format!("the key is of {origin}, you named {named}")));
    }
    let origin = key.name().to_owned();
    TrustStore::change(path, |store| store.pin_key(key.clone(), policy, source, args.replace))?;
    let done = styled(GOOD, "pinned");
    let shown = shown_origin(&origin);
    let mut said = format!("{done} the key of {shown}, fingerprint {}", fingerprint(&key));
    if source == KeySource::FirstUse {
        let words =
            "first_use: confirm it with `trust pin --key` as soon as you know it from elsewhere";
        said += &format!("\n{}", styled(WARNING, words));
    }
    if let Some(client) = &client {
        said += "\n";
        said += &update::of_log(client, &origin, path, Path::new("evidence.json")).await?;
    }
    Ok(said)
}

/// Key named by a service, if as expected.
async fn of_service(args: &PinArgs, client: &Client) -> anyhow::Result<VerifierKey> {
    let page = FetchedPage::read(&client.fetch_superroot(SuperRootRef::Latest).await?)?;
    check_named(args, &page.origin)?;
    let expected = args.fingerprint.as_deref().map(plain_hex);
    let fits = |key: &&VerifierKey| {
        expected.as_ref().is_none_or(|expected| plain_hex(&fingerprint(key)) == *expected)
    };
    let mut keys = page.keys.iter().filter(|key| key.name() == page.origin);
    let Some(key) = keys.find(fits) else {
        let origin = shown_origin(&page.origin);
        match page.keys.first() {
            Some(key) => {
                let got = fingerprint(key);
                bail!(PinContradiction(format!("the key of {origin} has the fingerprint {got}")))
            }
            None => bail!("nobody signs the log {origin}: pin a SuperRoot of it, with --superroot"),
        }
    };
    if !args.yes {
        confirm(key)?;
    }
    Ok(key.clone())
}

/// Requires an explicit name for simulated chains and for a confusable name.
fn check_named(args: &PinArgs, origin: &str) -> anyhow::Result<()> {
    let network = Network::of_origin(origin);
    if network != Network::Live && args.origin.is_none() && args.key.is_none() {
        let origin = shown_origin(origin);
        bail!("this log is {network}; to trust it, name it: --origin {origin}");
    }
    if !is_plain_origin(origin) {
        bail!(TrustError::Confusing { origin: origin.to_owned() });
    }
    Ok(())
}

fn confirm(key: &VerifierKey) -> anyhow::Result<()> {
    let mut input = io::stdin().lock();
    if !io::stdin().is_terminal() {
        bail!("nobody is there to compare the fingerprint: give --key, or --yes --fingerprint HEX");
    }
    let mut screen = io::stderr().lock();
    writeln!(screen, "log          {}", shown_origin(key.name()))?;
    writeln!(screen, "fingerprint  {}", fingerprint(key))?;
    writeln!(
        screen,
        "Compare it with what the operator says elsewhere: on a site, in a contract."
    )?;
    write!(screen, "Do you trust this key? Type yes: ")?;
    screen.flush()?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    if answer.trim() != "yes" {
        bail!("nothing was pinned");
    }
    Ok(())
}

async fn by_hash(
    args: &PinArgs,
    client: Option<&Client>,
    path: &Path,
    (sequence, hash): (u64, Hash),
) -> anyhow::Result<String> {
    let mut checked = "not checked with any service";
    let mut origin = args.origin.clone().unwrap_or_default();
    if let Some(client) = client {
        let page = client.fetch_superroot(SuperRootRef::Sequence(Sequence(sequence))).await?;
        let FetchedPage { origin: found, super_root, .. } = FetchedPage::read(&page)?;
        let got = super_root.hash();
        if got != hash || super_root.sequence != Sequence(sequence) {
            let of = super_root.sequence;
            let found = shown_origin(&found);
            let why = format!("SuperRoot {of} of {found} is {got}, you gave {hash}");
            bail!(PinContradiction(why));
        }
        if let Some(named) = args.origin.as_ref().filter(|named| **named != found) {
            let found = shown_origin(&found);
            let named = shown_origin(named);
            bail!(PinContradiction(format!("the service's log is {found}, you named {named}")));
        }
        checked = "the hash binds the log and the sequence";
        origin = found;
    }
    check_named(args, &origin)?;
    TrustStore::change(path, |store| store.pin(&origin, sequence, hash))?;
    let done = styled(GOOD, "pinned");
    let origin = shown_origin(&origin);
    Ok(format!("{done} SuperRoot {sequence} of {origin}; {checked}"))
}

pub(crate) fn read_policy(file: &Path) -> anyhow::Result<TrustPolicy> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
    TrustPolicy::parse(&text).with_context(|| format!("{shown} is no policy"))
}

/// Fingerprint for people: 64 hex digits in groups of four.
fn fingerprint(key: &VerifierKey) -> String {
    let digits = const_hex::encode(key.fingerprint().0);
    let groups: Vec<&str> =
        digits.as_bytes().chunks(4).filter_map(|four| str::from_utf8(four).ok()).collect();
    groups.join(" ")
}

/// Hex digits only, in lower case.
fn plain_hex(text: &str) -> String {
    let text = text.strip_prefix("0x").unwrap_or(text);
    text.chars().filter(char::is_ascii_hexdigit).map(|digit| digit.to_ascii_lowercase()).collect()
}

//! `superroot trust light-client`: sets of signers, pinned once and moved on by steps that are each checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use serde_json::json;
use superroot_chain::ChainSpec;
use superroot_chain::finality::{NOT_CHECKABLE, finality_params, signing_row};
use superroot_client::{Client, ClientError, LightClientFolder, update_set};
use superroot_proof::finality::vote::VoteSet;
use superroot_proof::finality::work::WorkSet;
use superroot_proof::finality::{FinalityParams, FinalitySet, TrustedSet};
use superroot_proof::ledger::bitcoin::Header;
use superroot_types::{BlockNumber, Clock, Hash, Network, SystemClock};
use superroot_wire::finality::LightClient;

use super::contradiction::PinContradiction;
use super::file;
use super::lookup;
use super::served::{newest_of_network, of_service};
use crate::chains;
use crate::cli::style::{GOOD, HEADING, WARNING, styled};
use crate::cli::timeout::TimeoutArgs;

/// What `trust light-client` does.
#[derive(Debug, Subcommand)]
pub(super) enum LightClientAction {
    /// Print the chains with a pinned set.
    List {
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Pin a set by its id, known from a source other than the service.
    Pin(PinSetArgs),
    /// Move pinned sets on, with steps from a service: each is checked.
    Update {
        /// Chain; default: all with a pinned set.
        chain: Option<String>,
        /// Service address.
        #[arg(long, value_name = "URL")]
        url: String,
        #[command(flatten)]
        network: NetworkArgs,
    },
    /// Print a chain's pinned set.
    Show {
        /// Chain.
        chain: String,
        #[command(flatten)]
        network: NetworkArgs,
    },
    /// Remove a chain's pinned set.
    Remove {
        /// Chain.
        chain: String,
        #[command(flatten)]
        network: NetworkArgs,
    },
}

#[derive(Clone, Copy, Debug, Args)]
pub(super) struct NetworkArgs {
    /// Network: `live`, or `simulated` for a demo.
    #[arg(long, value_name = "NETWORK", default_value = "live")]
    network: Network,
}

/// Arguments of `trust light-client pin`.
#[derive(Debug, Args)]
pub(super) struct PinSetArgs {
    /// Chain.
    chain: String,
    /// The set's id. Without it, the service's newest one is shown, and nothing is pinned.
    #[arg(long, value_name = "HASH", required_unless_present_any = ["url", "header"])]
    id: Option<Hash>,
    /// Service with the set; its answer has to have that id.
    #[arg(long, value_name = "URL", conflicts_with_all = ["set", "header"])]
    url: Option<String>,
    /// File with the bytes of the set.
    #[arg(long, value_name = "FILE", requires = "id")]
    set: Option<PathBuf>,
    /// Header from a node of your own, in hex: on Bitcoin the first of 2,016, on BNB Smart Chain an epoch's first.
    #[arg(long, value_name = "HEX")]
    header: Option<String>,
    /// The set's number; with --header, of its block. Default: the newest.
    #[arg(long, value_name = "N")]
    number: Option<u64>,
    #[command(flatten)]
    network: NetworkArgs,
}

/// Folder of pinned sets beside the trust store; `None` without a folder in the environment.
pub(crate) fn light_clients(given: Option<&Path>) -> Option<LightClientFolder> {
    file::path(given).ok().map(|path| LightClientFolder::beside(&path))
}

/// Number of the set that is pinned for the service's network; `None` without one.
pub(crate) async fn pinned_set(
    client: &Client,
    row: &ChainSpec,
) -> Result<Option<u64>, ClientError> {
    let Some(folder) = light_clients(None) else { return Ok(None) };
    let row = signing_row(row);
    let body = client.fetch_light_client(row.id).await?;
    let Ok(LightClient { network, .. }) = serde_json::from_slice(&body) else { return Ok(None) };
    let pinned = folder.load(network, row).ok().flatten();
    let set = pinned.and_then(|pinned| {
        pinned.read(&finality_params(row, network)?).ok().map(|set| set.number())
    });
    Ok(set)
}

pub(super) async fn run(
    action: LightClientAction,
    trust_store: &Path,
    timeout: TimeoutArgs,
) -> anyhow::Result<String> {
    let folder = LightClientFolder::beside(trust_store);
    match action {
        LightClientAction::List { json } => list(&folder, json),
        LightClientAction::Pin(args) => pin(&folder, &args, timeout).await,
        LightClientAction::Update { chain, url, network: NetworkArgs { network } } => {
            let client = timeout.client(&url)?;
            let rows = match &chain {
                Some(chain) => vec![chains::find(chain)?],
                None => held(&folder, network),
            };
            if rows.is_empty() {
                bail!(
                    "no set of signers of the {network} network is pinned yet: `superroot trust light-client pin`"
                );
            }
            let mut said = Vec::new();
            for row in rows {
                said.push(update(&folder, &client, (row, network)).await?);
            }
            Ok(said.join("\n"))
        }
        LightClientAction::Show { chain, network: NetworkArgs { network } } => {
            show(&folder, chains::find(&chain)?, network)
        }
        LightClientAction::Remove { chain, network: NetworkArgs { network } } => {
            let row = chains::find(&chain)?;
            match folder.remove(network, row)? {
                true => Ok(format!("{} the set of {}", styled(GOOD, "removed"), row.name)),
                false => bail!("no set of {} is pinned", row.name),
            }
        }
    }
}

fn params(row: &ChainSpec, network: Network) -> anyhow::Result<FinalityParams> {
    let signing = signing_row(row);
    if signing.key() != row.key() {
        bail!(
            "contracts on {0} hold the blocks of {1}, and the sets of {0} sign: pin that chain, {2}",
            signing.name,
            row.name,
            signing.slug
        );
    }
    finality_params(row, network).with_context(|| format!("{}: {NOT_CHECKABLE}", row.name))
}

fn held(folder: &LightClientFolder, network: Network) -> Vec<&'static ChainSpec> {
    let rows = chains::known().rows().iter();
    rows.filter(|row| folder.file(network, row).exists()).collect()
}

fn list(folder: &LightClientFolder, as_json: bool) -> anyhow::Result<String> {
    let mut text = Vec::new();
    let mut sets = Vec::new();
    for network in [Network::Live, Network::Simulated] {
        for row in held(folder, network) {
            text.push(show(folder, row, network)?);
            if let Some(pinned) = folder.load(network, row)? {
                let set = pinned.read(&params(row, network)?)?;
                sets.push(json!({
                    "chain": row.slug,
                    "network": network,
                    "kind": pinned.kind.name(),
                    "pin": pinned.pin,
                    "pinned_at": pinned.pinned_at,
                    "set": pinned.id,
                    "number": set.number(),
                    "trusted_until": set.trusted_until(&params(row, network)?),
                }));
            }
        }
    }
    if as_json {
        return Ok(format!("{:#}", json!({ "sets": sets })));
    }
    match text.is_empty() {
        true => {
            Ok("no set of signers is pinned yet: `superroot trust light-client pin`".to_owned())
        }
        false => Ok(text.join("\n")),
    }
}

fn show(folder: &LightClientFolder, row: &ChainSpec, network: Network) -> anyhow::Result<String> {
    let pinned = folder.load(network, row)?;
    let pinned = pinned.with_context(|| format!("no set of {} is pinned", row.name))?;
    let params = params(row, network)?;
    let set = pinned.read(&params)?;
    let name = styled(HEADING, format!("{} ({network})", row.name));
    let until = match set.trusted_until(&params) {
        Some(until) if until < SystemClock.now() => {
            styled(WARNING, format!("no more since {}: pin again", until.iso_8601()))
        }
        Some(until) => format!("until {}", until.iso_8601()),
        None => "for ever".to_owned(),
    };
    Ok(format!(
        "{name}\n  kind     {}\n  set      {} of number {}\n  pinned   {} on {}\n  trusted  {until}",
        pinned.kind.name(),
        pinned.id,
        set.number(),
        pinned.pin,
        pinned.pinned_at.iso_8601(),
    ))
}

async fn pin(
    folder: &LightClientFolder,
    args: &PinSetArgs,
    timeout: TimeoutArgs,
) -> anyhow::Result<String> {
    let row = chains::find(&args.chain)?;
    let network = args.network.network;
    let params = params(row, network)?;
    let bytes = match (&args.header, &args.set, &args.url) {
        (Some(header), ..) => of_header(&params, header, args.number)?,
        (None, Some(file), _) => {
            std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?
        }
        (None, None, Some(url)) => {
            of_service(&timeout.client(url)?, (row, network), args.number).await?
        }
        (None, None, None) => bail!("give the set: --url URL, or --set FILE"),
    };
    let set = FinalitySet::decode(&params, &bytes).context("the set cannot be read")?;
    let elsewhere = lookup::elsewhere(params.kind());
    let Some(expected) = args.id.or(args.header.as_ref().map(|_| set.id())) else {
        return Ok(format!(
            "set {number} of {} has the id\n  {id}\nNothing is pinned. {elsewhere} If it is the same there, pin it with --number {number} --id {id}",
            row.name,
            number = set.number(),
            id = set.id()
        ));
    };
    if set.id() != expected {
        let got = set.id();
        let number = set.number();
        bail!(PinContradiction(format!(
            "set {number} has the id {got}, not {expected}; --number asks for an earlier set"
        )));
    }
    check_pin(&params, &set, &bytes, args)?;
    let trusted = TrustedSet {
        chain: row.key(),
        kind: params.kind(),
        pinned_at: SystemClock.now(),
        pin: expected,
        id: expected,
        set: bytes,
    };
    folder.save(network, row, &trusted)?;
    folder.save_passed(network, row, &BTreeMap::from([(set.number(), expected)]))?;
    Ok(format!("{}\n{}", styled(GOOD, "pinned"), show(folder, row, network)?))
}

/// An id does not hold all of a set: what it leaves open is compared with what you say, or with the clock.
fn check_pin(
    params: &FinalityParams,
    set: &FinalitySet,
    bytes: &[u8],
    args: &PinSetArgs,
) -> anyhow::Result<()> {
    let got = set.number();
    let has_header = args.header.is_some();
    if let Some(number) = args.number.filter(|number| *number != got && !has_header) {
        bail!(PinContradiction(format!("the set has the number {got}, not {number}")));
    }
    let now = SystemClock.now();
    match params {
        FinalityParams::Work(_) if args.number.is_none() => {
            bail!(
                "a header does not hold its number: give --number {got}, if it is the first of those 2,016 blocks"
            )
        }
        FinalityParams::Grandpa(_) if args.number.is_none() => {
            bail!("a header does not hold its set's number: give --number {got}, if it is that set")
        }
        FinalityParams::Vote(_)
        | FinalityParams::Commit(_)
        | FinalityParams::LedgerInfo(_)
        | FinalityParams::Milestone(_)
        | FinalityParams::Grandpa(_)
        | FinalityParams::Producers(_)
            if set.begins(params).is_some_and(|begin| begin > now) =>
        {
            bail!(PinContradiction("the set is of a time later than now".to_owned()))
        }
        FinalityParams::Beacon(of) if got > of.period_of(of.slot_at(now)).saturating_add(1) => {
            bail!(PinContradiction(format!("period {got} has not begun, nor is it the next one")))
        }
        FinalityParams::Checkpoint(_) => {
            let as_of = bytes.first_chunk().map(|time| u64::from_be_bytes(*time));
            if as_of.is_none_or(|as_of| as_of > now.0) {
                bail!(PinContradiction("the set is of a time later than now".to_owned()));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn of_header(
    params: &FinalityParams,
    header: &str,
    number: Option<u64>,
) -> anyhow::Result<Vec<u8>> {
    let bytes = const_hex::decode(header).context("--header is no hex")?;
    match params {
        FinalityParams::Work(params) => {
            let header = Header::decode(&bytes).context("--header is no header of 80 bytes")?;
            let number = number.context("--header needs the --number of its block")?;
            let set = WorkSet::new(params, BlockNumber(number), header)?;
            Ok(FinalitySet::Work(set).encode())
        }
        FinalityParams::Vote(params) => {
            let got = VoteSet::new(params, &bytes)?.block();
            match number {
                Some(number) if number != got.0 => {
                    bail!(PinContradiction(format!("the header is of block {got}, not {number}")))
                }
                _ => Ok(bytes),
            }
        }
        _ => bail!("the chain's sets are no headers: give --url or --set"),
    }
}

async fn update(
    folder: &LightClientFolder,
    client: &Client,
    (row, network): (&ChainSpec, Network),
) -> anyhow::Result<String> {
    let params = params(row, network)?;
    newest_of_network(client, (row, network)).await?;
    let pinned = folder.load(network, row)?;
    let mut trusted = pinned.with_context(|| format!("no set of {} is pinned", row.name))?;
    let bar = ProgressBar::new(0);
    let told = |done: u64, all: u64| {
        bar.set_length(all);
        bar.set_position(done);
    };
    let mut passed = folder.passed(network, row)?;
    let kept = (&mut trusted, &mut passed);
    let moved = update_set(client, (row, &params), kept, SystemClock.now(), told).await;
    bar.finish_and_clear();
    // what was checked before a fault is kept
    folder.save_passed(network, row, &passed)?;
    folder.save(network, row, &trusted)?;
    let steps = moved?;
    let number = trusted.read(&params)?.number();
    Ok(match steps {
        0 => format!("set {number} of {} is the newest already", row.name),
        1 => format!("{} {} by 1 step to set {number}", styled(GOOD, "moved"), row.name),
        steps => format!("{} {} by {steps} steps to set {number}", styled(GOOD, "moved"), row.name),
    })
}

//! Arguments of `audit`.

use std::path::PathBuf;

use clap::Args;
use superroot_proof::note::VerifierKey;

use crate::cli::timeout::TimeoutArgs;
use crate::listen::ListenAddress;

const EXIT_CODES: &str = "Exits with 0 when every rule holds and --key signed the newest SuperRoot (and \
    the quorum of --policy some SuperRoot of the log), 1 when the log breaks a rule, shows two histories \
    or other blocks than --against, or false evidence of --finality, 2 when that could not be judged.";

/// Arguments of `audit`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct AuditArgs {
    /// Service address. If repeated, all services have to show one log.
    #[arg(long, value_name = "URL", required = true)]
    pub(super) url: Vec<String>,
    /// Known log key (name+id+base64). Without a key, rules are checked but no signature.
    #[arg(long, value_name = "VKEY")]
    pub(super) key: Option<VerifierKey>,
    /// First SuperRoot to replay. The commitments of the SuperRoot before are taken as given.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) from: u64,
    /// Your witnesses (C2SP tlog-policy). Their quorum must have cosigned the log, and the log as seen by each witness
    /// with an address is compared.
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(super) policy: Option<PathBuf>,
    /// Your own node, for comparison with proven blocks; may be repeated.
    #[arg(long, value_name = "CHAIN=URL")]
    pub(super) against: Vec<String>,
    /// Number of compared blocks on each chain with such a node.
    #[arg(long, value_name = "COUNT", default_value_t = 8)]
    pub(super) samples: u64,
    /// Chain whose finality is checked for as many blocks, from your pinned set of signers; may be repeated.
    #[arg(long, value_name = "CHAIN")]
    pub(super) finality: Vec<String>,
    /// State file, from which an audit continues.
    #[arg(long, value_name = "FILE")]
    pub(super) state: Option<PathBuf>,
    /// Output file for evidence against the log.
    #[arg(long, value_name = "FILE", default_value = "evidence.json")]
    pub(super) evidence: PathBuf,
    /// Keep following the log, and compare all views each time.
    #[arg(long)]
    pub(super) follow: bool,
    /// Seconds between two looks with --follow.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(super) every: u64,
    /// Address of /metrics.
    #[arg(long, value_name = "ADDR")]
    pub(super) metrics_listen: Option<ListenAddress>,
    #[command(flatten)]
    pub(super) timeout: TimeoutArgs,
}

//! Arguments of `superroot watch`.

use clap::Args;

const EXAMPLES: &str = "Examples:
  superroot watch superroot finality
  superroot watch logs --chain ethereum --topic0 'Transfer(address,address,uint256)' --finality head
  superroot watch anchored --chain base --tx 0x5f1c... --count 1
  superroot watch launches --finality head
  superroot watch order across:42161:1142258
  superroot watch arb --min-net-usd 50
  superroot watch price ethereum WETH --every 5";

/// Arguments of `watch`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WatchArgs {
    /// Topics: superroot, anchored, finality, retraction, logs, orders, launches. Or alone: order ID, arb, price CHAIN
    /// TOKEN.
    #[arg(required = true, value_name = "TOPIC")]
    pub(super) topics: Vec<String>,
    /// Service address.
    #[arg(
        long,
        env = "SUPERROOT_URL",
        default_value = "http://127.0.0.1:8080",
        value_name = "URL"
    )]
    pub(super) url: String,
    /// API key of an account with tier builder or above.
    #[arg(long, env = "SUPERROOT_API_KEY", hide_env_values = true, value_name = "KEY")]
    pub(super) api_key: Option<String>,
    /// Chains, separated by commas. Default: all.
    #[arg(long, value_name = "CHAINS")]
    pub(super) chain: Option<String>,
    /// Event addresses; one must match.
    #[arg(long, value_name = "ADDRESSES")]
    pub(super) address: Option<String>,
    /// First event topics, as hashes or signatures; one must match.
    #[arg(long, value_name = "TOPICS")]
    pub(super) topic0: Option<String>,
    /// Second event topics, as hashes or signatures; one must match.
    #[arg(long, value_name = "TOPICS")]
    pub(super) topic1: Option<String>,
    /// Third event topics, as hashes or signatures; one must match.
    #[arg(long, value_name = "TOPICS")]
    pub(super) topic2: Option<String>,
    /// Fourth event topics, as hashes or signatures; one must match.
    #[arg(long, value_name = "TOPICS")]
    pub(super) topic3: Option<String>,
    /// Finality at which events are shown: head, finalized or anchored.
    #[arg(long, value_name = "FINALITY")]
    pub(super) finality: Option<String>,
    /// Wait until this transaction is anchored.
    #[arg(long, value_name = "HASH")]
    pub(super) tx: Option<String>,
    /// For the topic orders: this order alone, by id.
    #[arg(long, value_name = "ID")]
    pub(super) order: Option<String>,
    /// For arb: least net gain of a trade, in US dollars.
    #[arg(long, value_name = "USD")]
    pub(super) min_net_usd: Option<u64>,
    /// For a price: seconds between two polls, each a request. A price is shown when changed.
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub(super) every: u64,
    /// Accept chains where only some matching events are watched.
    #[arg(long)]
    pub(super) partial: bool,
    /// Continue after this cursor.
    #[arg(long, value_name = "CURSOR")]
    pub(super) since: Option<String>,
    /// End after this many events. Connection messages (ready, gap, lagged, stale) do not count.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) count: Option<u64>,
    /// Write each event as a line of JSON: cursor, event, data.
    #[arg(long)]
    pub(super) json: bool,
}

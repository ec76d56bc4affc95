//! Configuration: `config/default.toml` < file < environment < flags. Unknown keys are errors.
//!
//! Each section is the `Config` type in the crate concerned, with bounds and defaults. This module joins the sections
//! and applies settings for single chains over general ones.

mod anchor;
mod chain;
mod contract;
pub(crate) mod endpoints;
mod pass;
mod registry;
mod sending;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};
use superroot_account::{KeysConfig, LimitConfig, MeterConfig, PlanTable, WalletConfig};
use superroot_chain::finality::SetPin;
use superroot_source::LiveConfig;
use superroot_store::EmbeddedConfig;
use superroot_store::layout::WatchFilter;
use superroot_types::{ChainKey, OutOfBounds};
use toml::{Table, Value};

pub(crate) use anchor::AnchorConfig;
pub(crate) use chain::{ChainConfig, EvidenceDemand, check_finality};
pub(crate) use contract::ContractPlace;
pub(crate) use endpoints::{ConfiguredEndpoint, EndpointRole};
pub(crate) use pass::{PassConfig, PassTerms};
pub(crate) use registry::{RegistryConfig, RegistryPlace};
pub(crate) use sending::SendingConfig;

use crate::chains;
use crate::listen::{self, ListenAddress};

const DEFAULTS: &str = include_str!("../../../config/default.toml");
/// Most beats between two cosignatures by a witness: half a day at 12 seconds a beat.
const WITNESS_EVERY_MAX: u32 = 3_600;
const ENV_PREFIX: &str = "SUPERROOT__";

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServiceConfig {
    pub(crate) server: ServerConfig,
    pub(crate) log: LogConfig,
    pub(crate) anchor: AnchorConfig,
    pub(crate) registry: RegistryConfig,
    pub(crate) pass: PassConfig,
    pub(crate) sending: SendingConfig,
    pub(crate) limit: LimitConfig,
    keys: KeysConfig,
    meter: MeterConfig,
    wallet: WalletConfig,
    plans: PlanTable,
    pub(crate) api: superroot_api::ApiConfig,
    pub(crate) market: superroot_market::MarketConfig,
    pub(crate) watch: superroot_watch::WatchConfig,
    pub(crate) webhook: superroot_webhook::WebhookConfig,
    pub(crate) accumulate: superroot_accumulate::PublishConfig,
    pub(crate) collect: superroot_collect::CollectConfig,
    pub(crate) source: LiveConfig,
    pub(crate) live: LiveSection,
    pub(crate) store: EmbeddedConfig,
    #[serde(default)]
    chain: BTreeMap<String, ChainConfig>,
    #[serde(default, rename = "endpoint")]
    pub(crate) endpoints: Vec<ConfiguredEndpoint>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveSection {
    /// Empty: none.
    endpoints_file: PathBuf,
    pub(crate) chains: Vec<String>,
    pub(crate) watch: WatchFilter,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerConfig {
    pub(crate) listen: ListenAddress,
    /// Empty: none.
    #[serde(with = "listen::optional")]
    pub(crate) metrics_listen: Option<ListenAddress>,
    pub(crate) drain_ms: u64,
    pub(crate) shutdown_timeout_ms: u64,
    /// Empty: no TLS.
    pub(crate) tls_cert: PathBuf,
    /// Empty: no TLS.
    pub(crate) tls_key: PathBuf,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogConfig {
    pub(crate) origin: String,
    pub(crate) signer: LogSigner,
    /// Empty: `log.key` in the data folder.
    pub(crate) key_file: PathBuf,
    /// Empty: none.
    pub(crate) next_key_file: PathBuf,
    /// Empty: `log.evm.key` in the data folder.
    pub(crate) evm_key_file: PathBuf,
    /// Second places for the newest note: file paths, service addresses.
    pub(crate) mark: Vec<String>,
    /// Empty: none.
    pub(crate) witness_policy: PathBuf,
    /// 1 to [`WITNESS_EVERY_MAX`].
    pub(crate) witness_every: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogSigner {
    File,
    /// No signer: a client pins one SuperRoot, and the pin never moves.
    None,
}

#[cfg(test)]
impl LogConfig {
    /// A signed log with nothing else set.
    pub(crate) fn for_tests() -> Self {
        Self {
            origin: String::new(),
            signer: LogSigner::File,
            key_file: PathBuf::new(),
            next_key_file: PathBuf::new(),
            evm_key_file: PathBuf::new(),
            mark: Vec::new(),
            witness_policy: PathBuf::new(),
            witness_every: 1,
        }
    }
}

impl ServiceConfig {
    /// Reads the configuration. `flags` are pairs (`section.key`, value) and override everything.
    pub(crate) fn load(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
        flags: &[(&str, Value)],
    ) -> anyhow::Result<Self> {
        Self::load_over(&[], file, environment, flags)
    }

    /// Like [`ServiceConfig::load`], with other defaults for some keys. Every other source overrides them.
    pub(crate) fn load_over(
        defaults: &[(&str, Value)],
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
        flags: &[(&str, Value)],
    ) -> anyhow::Result<Self> {
        let mut table: Table = DEFAULTS.parse().context("the built-in defaults")?;
        for (path, value) in defaults {
            set(&mut table, path, value.clone())?;
        }
        if let Some(file) = file {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read the configuration {}", file.display()))?;
            let over: Table = text.parse().with_context(|| format!("{}", file.display()))?;
            merge(&mut table, over);
        }
        for (name, text) in environment {
            if let Some(path) = name.strip_prefix(ENV_PREFIX) {
                let path = path.to_lowercase().replace("__", ".");
                set(&mut table, &path, value_of(&text))
                    .with_context(|| format!("environment variable {name}"))?;
            }
        }
        for (path, value) in flags {
            set(&mut table, path, value.clone())?;
        }
        // through JSON, whose reader is compiled in half the time
        let values = serde_json::to_value(table).context("the configuration")?;
        let config: Self = serde_path_to_error::deserialize(values)
            .map_err(|error| anyhow!("{}: {}", error.path(), error.inner()))
            .context("the configuration")?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> anyhow::Result<()> {
        let sections = [
            ("accumulate", self.accumulate.validate()),
            ("api", self.api.validate()),
            ("collect", self.collect.validate()),
            ("market", self.market.validate()),
            ("store", self.store.validate()),
            ("watch", self.watch.validate()),
            ("webhook", self.webhook.validate()),
        ];
        let server = [
            ("drain_ms", self.server.drain_ms, 0..=3_600_000),
            ("shutdown_timeout_ms", self.server.shutdown_timeout_ms, 0..=3_600_000),
        ];
        let sections = sections.into_iter().chain([("server", OutOfBounds::check(server))]);
        for (section, checked) in sections {
            checked.map_err(|error| anyhow!("{section}.{error}"))?;
        }
        if !self.log.origin.is_empty() {
            superroot_proof::superroot::log_id(&self.log.origin)
                .with_context(|| format!("log.origin is {:?}", self.log.origin))?;
        }
        if self.log.signer == LogSigner::None && !self.log.mark.is_empty() {
            bail!("log.mark names second places of the log's notes, and log.signer is \"none\"");
        }
        if !(1..=WITNESS_EVERY_MAX).contains(&self.log.witness_every) {
            let got = self.log.witness_every;
            bail!("log.witness_every is {got}, expected 1 to {WITNESS_EVERY_MAX}");
        }
        self.anchor.check()?;
        self.sending.check()?;
        self.registry.check(self.plans.subscription.payment_chain_id)?;
        self.pass.check(self.plans.subscription.payment_chain_id)?;
        self.accounts().validate()?;
        self.source.check().context("section source")?;
        chain::check_confirmations("source.finality", self.source.finality)?;
        endpoints::check(&self.endpoints, chains::known(), "endpoint")?;
        for name in &self.live.chains {
            chains::find(name).context("live.chains")?;
        }
        self.by_chain()?;
        Ok(())
    }

    pub(crate) fn by_chain(&self) -> anyhow::Result<HashMap<ChainKey, ChainConfig>> {
        chain::by_key(&self.chain, chains::known())
    }

    /// First trusted sets of signers, by chain.
    pub(crate) fn pinned_sets(&self) -> anyhow::Result<BTreeMap<ChainKey, SetPin>> {
        let pinned = |(chain, own): (ChainKey, ChainConfig)| Some((chain, own.pinned_set?));
        Ok(self.by_chain()?.into_iter().filter_map(pinned).collect())
    }

    /// Nodes from the file, else from the configuration, else built in. A chain with nodes in a section uses only
    /// these.
    pub(crate) fn nodes(&self) -> anyhow::Result<Vec<ConfiguredEndpoint>> {
        let file = &self.live.endpoints_file;
        let mut nodes = if !file.as_os_str().is_empty() {
            endpoints::read(file, chains::known())?
        } else if !self.endpoints.is_empty() {
            self.endpoints.clone()
        } else {
            endpoints::builtin(chains::known())?
        };
        for (name, urls) in
            self.chain.iter().filter_map(|(name, chain)| Some((name, chain.endpoints.as_ref()?)))
        {
            let row = chains::find(name)?;
            nodes.retain(|node| chains::known().find(&node.chain) != Some(row));
            nodes.extend(urls.iter().map(|url| ConfiguredEndpoint::new(name, url)));
        }
        Ok(nodes)
    }

    pub(crate) fn accounts(&self) -> superroot_account::AccountConfig {
        let keys = self.keys.clone();
        let limit = self.limit.clone();
        let meter = self.meter.clone();
        let plans = self.plans.clone();
        let wallet = self.wallet.clone();
        let routes = superroot_api::metered_routes();
        superroot_account::AccountConfig { keys, limit, meter, plans, wallet, routes }
    }
}

fn merge(table: &mut Table, over: Table) {
    for (key, value) in over {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(value)) => merge(below, value),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

/// Sets `section.key` or a deeper key. Unknown keys are reported after all sources are read.
fn set(table: &mut Table, path: &str, value: Value) -> anyhow::Result<()> {
    let Some((section, rest)) = path.split_once('.') else {
        table.insert(path.to_owned(), value);
        return Ok(());
    };
    match table.entry(section).or_insert_with(|| Table::new().into()) {
        Value::Table(below) => set(below, rest, value),
        _ => bail!("{section} is no section"),
    }
}

fn value_of(text: &str) -> Value {
    let parsed: Result<Table, _> = format!("value = {text}").parse();
    let value = parsed.ok().and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// Flag for a folder with test accounts.
pub(crate) fn test_environment() -> (&'static str, Value) {
    ("keys.environment", Value::String("test".to_owned()))
}

/// Default for a demo: webhooks may reach this machine, where everything runs.
pub(crate) fn private_webhooks() -> (&'static str, Value) {
    ("webhook.allow_private", Value::Boolean(true))
}

/// Default for a service without a load balancer: immediate stop.
pub(crate) fn no_drain() -> (&'static str, Value) {
    ("server.drain_ms", Value::Integer(0))
}

pub(crate) fn environment() -> impl Iterator<Item = (String, String)> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text)
}

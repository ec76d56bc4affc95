//! Configuration: `config/default.toml` < file < environment < flags. Unknown keys are errors.
//!
//! A section is the `Config` of the crate that it is for, with its bounds and defaults. Here they are
//! joined, and what is set for one chain is put over what is set for all.

mod chain;
pub(crate) mod endpoints;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};
use superroot_account::{KeysConfig, LimitConfig, MeterConfig, Plans, WalletConfig};
use superroot_source::LiveConfig;
use superroot_store::EmbeddedConfig;
use superroot_store::layout::Watch;
use superroot_types::{ChainKey, OutOfBounds};
use toml::{Table, Value};

pub(crate) use chain::{ChainConfig, check_finality};
pub(crate) use endpoints::EndpointConfig;

use crate::chains;
use crate::listen::{self, ListenAddress};

/// Every key with its default; part of the binary.
const DEFAULTS: &str = include_str!("../../../config/default.toml");
/// Most beats between two cosignatures of a witness: half a day of beats of 12 seconds.
const WITNESS_EVERY_MAX: u32 = 3_600;
/// Environment variables that set a key begin so.
const ENV_PREFIX: &str = "SUPERROOT__";

/// Everything that can be configured.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) server: ServerConfig,
    pub(crate) log: LogConfig,
    pub(crate) limit: LimitConfig,
    keys: KeysConfig,
    meter: MeterConfig,
    wallet: WalletConfig,
    plans: Plans,
    pub(crate) api: superroot_api::Config,
    pub(crate) market: superroot_market::Config,
    pub(crate) watch: superroot_watch::Config,
    pub(crate) webhook: superroot_webhook::Config,
    pub(crate) accumulate: superroot_accumulate::Config,
    pub(crate) collect: superroot_collect::Config,
    pub(crate) source: LiveConfig,
    pub(crate) live: LiveSection,
    pub(crate) store: EmbeddedConfig,
    #[serde(default)]
    chain: BTreeMap<String, ChainConfig>,
    #[serde(default, rename = "endpoint")]
    pub(crate) endpoints: Vec<EndpointConfig>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveSection {
    /// Empty: none.
    endpoints_file: PathBuf,
    pub(crate) chains: Vec<String>,
    pub(crate) watch: Watch,
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
    /// Empty: `log.key` of the data folder.
    pub(crate) key_file: PathBuf,
    /// Empty: none.
    pub(crate) next_key_file: PathBuf,
    /// Second places of the newest note: paths of files, addresses of services.
    pub(crate) mark: Vec<String>,
    /// Empty: none.
    pub(crate) witness_policy: PathBuf,
    /// 1 to [`WITNESS_EVERY_MAX`].
    pub(crate) witness_every: u32,
}

/// What signs the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogSigner {
    /// The key in a file.
    File,
    /// Nothing: whoever pins such a log pins one SuperRoot, and the pin never moves.
    None,
}

impl Config {
    /// Reads the configuration; `flags` are `section.key` and value, strongest of all.
    pub(crate) fn load(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
        flags: &[(&str, Value)],
    ) -> anyhow::Result<Self> {
        Self::load_over(&[], file, environment, flags)
    }

    /// As [`Config::load`], with other defaults for some keys: whatever is written elsewhere is stronger.
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

    /// What is set for single chains.
    pub(crate) fn by_chain(&self) -> anyhow::Result<HashMap<ChainKey, ChainConfig>> {
        chain::by_key(&self.chain, chains::known())
    }

    /// The nodes to ask: the file's, or else the configuration's, or else the built-in ones; a chain
    /// with nodes of its own has these alone.
    pub(crate) fn nodes(&self) -> anyhow::Result<Vec<EndpointConfig>> {
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
            nodes.extend(urls.iter().map(|url| EndpointConfig::new(name, url)));
        }
        Ok(nodes)
    }

    /// Settings of accounts.
    pub(crate) fn accounts(&self) -> superroot_account::Config {
        let (keys, limit) = (self.keys.clone(), self.limit.clone());
        let (meter, plans) = (self.meter.clone(), self.plans.clone());
        let (wallet, routes) = (self.wallet.clone(), superroot_api::metered_routes());
        superroot_account::Config { keys, limit, meter, plans, wallet, routes }
    }
}

/// Puts one table over another, section by section.
fn merge(table: &mut Table, over: Table) {
    for (key, value) in over {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(value)) => merge(below, value),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

/// Sets `section.key`, or what lies deeper. Whether there is such a key shows when all is read.
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

/// A value as TOML reads it, or else as text.
fn value_of(text: &str) -> Value {
    let parsed: Result<Table, _> = format!("value = {text}").parse();
    let value = parsed.ok().and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// The flag of a folder whose accounts are for trials.
pub(crate) fn test_environment() -> (&'static str, Value) {
    ("keys.environment", Value::String("test".to_owned()))
}

/// The default of a service that may send to this machine: in a trial everything is on one.
pub(crate) fn private_webhooks() -> (&'static str, Value) {
    ("webhook.allow_private", Value::Boolean(true))
}

/// The default of a service that nobody is sent away from: it stops at once.
pub(crate) fn no_drain() -> (&'static str, Value) {
    ("server.drain_ms", Value::Integer(0))
}

/// The environment of this process.
pub(crate) fn environment() -> impl Iterator<Item = (String, String)> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text)
}

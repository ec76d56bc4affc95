//! Configuration of the HTTP server; `node` joins it with the other crates' settings.

use ipnet::IpNet;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use superroot_types::OutOfBounds;
use superroot_wire::proof::BATCH_ITEMS_MAX;

/// Settings of the HTTP server. Unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApiConfig {
    /// Proxy networks with trusted `X-Forwarded-For`: at most `/8` wide in IPv4, `/16` in IPv6. A host in one of them
    /// chooses the address that limits count by. Empty: no proxy is trusted.
    #[serde(deserialize_with = "proxies")]
    pub trusted_proxies: Vec<IpNet>,
    /// Largest request body in bytes; larger ones get 413. 1 to 64 MiB.
    pub body_bytes_max: usize,
    /// Time limit for one request in milliseconds; then 503. 1 to 600,000.
    pub request_timeout_ms: u64,
    /// Proofs generated at the same time, on separate threads; further requests wait. 1 to 4,096.
    pub proofs_at_once_max: usize,
    /// Items in one batch: 1 to 256, the limit in the wire format.
    pub batch_items_max: usize,
    /// Connections at the same time; further ones are closed at once, and so are connections from an address that
    /// already has a quarter. Not above the available file descriptors. 4 to 1,048,576.
    pub connections_max: usize,
    /// Size of the response cache in bytes: 0 (off) to 16 GiB.
    pub remembered_bytes_max: u64,
}

/// Deserializes networks and refuses too wide ones.
fn proxies<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let networks = Vec::<IpNet>::deserialize(deserializer)?;
    let is_wide = |network: &&IpNet| {
        let least = if matches!(network, IpNet::V4(_)) { 8 } else { 16 };
        network.prefix_len() < least
    };
    if let Some(wide) = networks.iter().find(is_wide) {
        return Err(D::Error::custom(format!(
            "{wide} is no network of proxies: anybody in it could name any address; at most /8 of IPv4 and /16 of IPv6"
        )));
    }
    let is_mapped = |network: &&IpNet| matches!(network, IpNet::V6(network) if network.network().to_ipv4_mapped().is_some());
    if let Some(mapped) = networks.iter().find(is_mapped) {
        return Err(D::Error::custom(format!(
            "{mapped} holds addresses of IPv4, which are compared as such: write the network as one of IPv4"
        )));
    }
    Ok(networks)
}

impl Default for ApiConfig {
    fn default() -> Self {
        Self {
            trusted_proxies: Vec::new(),
            body_bytes_max: 1 << 20,
            request_timeout_ms: 10_000,
            proofs_at_once_max: 32,
            batch_items_max: 64,
            connections_max: 20_000,
            remembered_bytes_max: 64 << 20,
        }
    }
}

impl ApiConfig {
    /// Checks all bounds.
    ///
    /// # Errors
    /// The first setting that is out of bounds.
    pub fn validate(&self) -> Result<(), OutOfBounds> {
        OutOfBounds::check([
            ("body_bytes_max", self.body_bytes_max as u64, 1..=1 << 26),
            ("request_timeout_ms", self.request_timeout_ms, 1..=600_000),
            ("proofs_at_once_max", self.proofs_at_once_max as u64, 1..=1 << 12),
            ("connections_max", self.connections_max as u64, 4..=1 << 20),
            ("remembered_bytes_max", self.remembered_bytes_max, 0..=16 << 30),
            ("batch_items_max", self.batch_items_max as u64, 1..=BATCH_ITEMS_MAX as u64),
        ])
    }
}

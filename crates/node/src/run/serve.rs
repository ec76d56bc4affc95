//! HTTP service: its port, its certificate and its API.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use superroot_api::{Api, ChainRpc, Markets, PassSale};
use superroot_types::SystemClock;
use superroot_watch::Watches;
use superroot_webhook::Webhooks;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::parts::ServiceParts;
use crate::chains;
use crate::config::ServerConfig;
use crate::gas_nodes::GasNodes;
use crate::stage::Runner;
use crate::tls::Tls;

/// Bound port, before it is served.
pub(super) struct ServicePort {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<Tls>,
}

/// Handles that only the API has.
pub(super) struct ApiParts {
    pub(super) watches: Arc<Watches>,
    pub(super) webhooks: Arc<Webhooks>,
    pub(super) markets: Markets,
    pub(super) price_nodes: GasNodes,
    pub(super) ready: Arc<AtomicBool>,
    pub(super) rpc: Option<Arc<dyn ChainRpc>>,
    pub(super) passes: Option<Arc<PassSale>>,
}

impl ServicePort {
    pub(super) async fn bind(config: &ServerConfig) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(config.listen.0)
            .await
            .with_context(|| format!("cannot listen on {}", config.listen))?;
        let address = listener.local_addr()?;
        let tls = Tls::open(config)?;
        Ok(Self { listener, address, tls })
    }

    const fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    pub(super) fn url(&self) -> String {
        format!("{}://{}", self.scheme(), self.address)
    }

    /// Address at which this machine reaches the port.
    pub(super) fn own_url(&self) -> String {
        format!("{}://{}", self.scheme(), own_address(self.address))
    }

    /// Serves until `shutdown`.
    pub(super) fn serve(
        self,
        api: Api,
        shutdown: &CancellationToken,
        runner: &mut Runner,
    ) -> anyhow::Result<()> {
        let Self { listener, tls, .. } = self;
        let hub = api.hub.clone();
        let stopped = shutdown.clone().cancelled_owned();
        let stopped = async move {
            stopped.await;
            // streams never end by themselves
            hub.close();
        };
        let secured = tls.as_ref().map(Tls::config).transpose()?;
        if let Some(tls) = tls {
            runner.work(tls);
        }
        runner.serve(async move {
            let served = match secured {
                Some(tls) => superroot_api::serve_secured(listener, tls, api, stopped)?,
                None => superroot_api::serve(listener, api, stopped),
            };
            served.await.context("the HTTP service failed")
        });
        Ok(())
    }
}

pub(super) fn build_api(parts: &ServiceParts, own: ApiParts) -> Api {
    let ApiParts { watches, webhooks, markets, price_nodes, ready, rpc, passes } = own;
    Api {
        webhooks,
        watches,
        prover: parts.prover.clone(),
        hub: parts.hub.clone(),
        registry: Arc::new(chains::known().clone()),
        blooms: Arc::default(),
        status: parts.status.clone(),
        accounts: parts.accounts.clone(),
        billing: parts.billing.clone(),
        market: markets,
        contracts: parts.contracts.clone(),
        price_nodes: Arc::new(price_nodes),
        clock: Arc::new(SystemClock),
        config: parts.config.api.clone(),
        ready,
        rpc,
        passes,
    }
}

fn own_address(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unspecified_address_is_asked_on_this_machine() {
        for (listen, own) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.7:80", "10.0.0.7:80"),
        ] {
            assert_eq!(own_address(listen.parse().unwrap()).to_string(), own);
        }
    }
}

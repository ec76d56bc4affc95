//! HTTP service: its port, its certificate and its API.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use superroot_api::{Api, ChainRpc, Markets};
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
    pub(super) address: SocketAddr,
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

    pub(super) const fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    pub(super) fn url(&self) -> String {
        format!("{}://{}", self.scheme(), self.address)
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
    let ApiParts { watches, webhooks, markets, price_nodes, ready, rpc } = own;
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
    }
}

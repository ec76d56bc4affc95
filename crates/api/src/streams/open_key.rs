//! Key check for open streams.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use superroot_account::meter::{CountedRequest, MeteredCaller, StatusClass};
use superroot_account::{
    Access, Entitlement, Grid, Passage, RouteRef as Gate, SIGNAL_EVENT_WEIGHT, Tier,
};
use superroot_types::ChainKey;
use superroot_wire::anchor::attach;
use superroot_wire::{Case, case};

use crate::routes::metered_routes;
use crate::service::Shared;

pub(crate) struct OpenKey {
    service: Shared,
    entitlement: Arc<Entitlement>,
    path: &'static str,
}

impl OpenKey {
    pub(crate) fn new(service: &Shared, entitlement: Arc<Entitlement>, path: &'static str) -> Self {
        Self { service: Arc::clone(service), entitlement, path }
    }

    /// Service event, with the anchor common to all events.
    pub(crate) fn own(&self, data: &impl Serialize) -> Value {
        let mut body = case::write(data, Case::Camel);
        let api = &self.service.api;
        let anchor = api.prover.latest().map(|latest| api.anchor(&latest, None, true));
        attach(&mut body, anchor.as_ref(), Case::Camel);
        body
    }

    pub(crate) fn weigh_signal(&self, chain: Option<ChainKey>) {
        let routes = metered_routes();
        let Some(route) = routes.iter().find(|route| route.path == self.path) else { return };
        let accounts = &self.service.api.accounts;
        let key = &self.entitlement;
        accounts.meter().weigh(&CountedRequest {
            environment: accounts.environment(),
            caller: MeteredCaller::Account { account: key.account, key: key.key },
            route: route.number,
            chain,
            status: StatusClass::Success,
            weight: SIGNAL_EVENT_WEIGHT,
            at: self.service.api.clock.now(),
        });
    }

    /// Renews the key's rights; returns the reason if the key no longer opens the stream. If unknown for now, the
    /// stream continues.
    pub(crate) async fn renew_rights(&mut self) -> Option<&'static str> {
        let given = Arc::clone(&self.entitlement);
        let renewed = self.service.account(move |accounts| {
            Ok(match accounts.accounts().renew(&given) {
                Ok(renewed) => Some(Some(renewed)),
                Err(error) if error.refuses_key() => Some(None),
                Err(_) => None,
            })
        });
        match renewed.await {
            Ok(Some(Some(renewed))) => {
                let access = Access::AtLeast(Tier::Builder);
                let gate = Gate { path: self.path, grid: Some(Grid::G5), access };
                if gate.pass(&[], Some(&renewed)) != Passage::Allowed {
                    return Some("the key does not open this stream any more");
                }
                self.entitlement = renewed;
                None
            }
            Ok(Some(None)) => Some("the key is not in force any more"),
            Ok(None) | Err(_) => None,
        }
    }
}

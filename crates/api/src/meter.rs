//! Counts every answer, with the status it goes out with.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use superroot_account::MeteredRoute;
use superroot_account::meter::{Caller, Counted, StatusClass};
use superroot_types::ChainKey;

use crate::service::Shared;

/// Billing tokens that the answer weighs.
pub(crate) const BILLING_WEIGHT: HeaderName = HeaderName::from_static("x-billing-weight");

/// What is counted of a request that came to the gate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) caller: Caller,
    pub(crate) route: MeteredRoute,
    pub(crate) chain: Option<ChainKey>,
}

/// The layer: stands outside whatever may still change a status.
pub(crate) async fn meter(State(service): State<Shared>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let Some(asked) = response.extensions_mut().remove::<Asked>() else { return response };
    let status = StatusClass::of(response.status().as_u16());
    let Asked { caller, route, chain } = asked;
    let accounts = &service.api.accounts;
    accounts.meter().count(&Counted {
        environment: accounts.environment(),
        caller,
        route: route.number,
        chain,
        status,
        weight: route.weight,
        at: service.api.clock.now(),
    });
    let weight = if status == StatusClass::Success { route.weight } else { 0 };
    response.headers_mut().insert(BILLING_WEIGHT, HeaderValue::from(weight));
    response
}

//! HTTP server: routes, errors, limits, OpenAPI.
//!
//! An *answer* is the JSON for a good result, a *problem* the JSON for an error; both carry the *anchor*, the newest
//! SuperRoot or the proof's SuperRoot. The *table* lists all routes; router and document are built from it.
//!
//! ```text
//! request -> edge -> gate -> handler -> prover (blocking threads) -> verify -> answer -> render -> meter
//!                     |                                                                           |
//!                     `---- keys, tiers, limits <---- accounts ----> counts, invoices <-----------'
//! ```
//! Invariants: every proof is verified before it leaves; every error is a problem with a code from `error::codes`; no
//! answer claims more finality than its evidence; no input makes a handler panic, and if one does, the caller sees a
//! 500 without internals.
//!
//! ```
//! use std::sync::Arc;
//! use superroot_account::AccountService;
//! use superroot_accumulate::{Accumulator, prove::Prover};
//! use superroot_api::{Api, ApiConfig, StatusBoard};
//! use superroot_billing::BillingLedger;
//! use superroot_chain::ChainRegistry;
//! use superroot_store::MemoryStore;
//! use superroot_types::SystemClock;
//!
//! let registry = Arc::new(ChainRegistry::builtin().clone());
//! let store = Arc::new(MemoryStore::new());
//! let rows = registry.proof_registry().clone();
//! let accumulator = Accumulator::open(store.clone(), rows, "simulated/example")?;
//! let accounts = AccountService::open(
//!     Arc::new(MemoryStore::new()),
//!     Arc::new(SystemClock),
//!     &superroot_account::AccountConfig::default(),
//! )?;
//! let prover = Prover::new(store, accumulator.board());
//! let api = Api {
//!     hub: superroot_stream::Hub::open(prover.clone())?,
//!     prover,
//!     registry,
//!     blooms: Arc::default(),
//!     status: Arc::new(StatusBoard::new()),
//!     billing: BillingLedger::new(accounts.clone()),
//!     webhooks: superroot_webhook::Webhooks::new(accounts.clone(), Default::default()),
//!     watches: superroot_watch::Watches::open(accounts.clone(), Default::default())?,
//!     accounts,
//!     market: superroot_api::Markets::default(),
//!     contracts: Arc::new(superroot_account::wallet::NoNodes),
//!     price_nodes: Arc::new(superroot_gas::NoPriceNodes),
//!     clock: Arc::new(SystemClock),
//!     config: ApiConfig::default(),
//!     ready: Arc::new(true.into()),
//!     rpc: None,
//!     passes: None,
//! };
//! // superroot_api::serve(listener, api, shutdown).await
//! # drop(superroot_api::router(api));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accounts;
mod answer;
mod chains;
mod coding;
mod config;
mod edge;
mod error;
mod events;
mod finality;
mod find;
mod gas;
mod grpc;
mod health;
mod input;
mod market;
pub mod mcp;
mod newest;
mod openapi;
mod orders;
mod pages;
mod proof;
mod response_cache;
mod route;
mod routes;
mod seen;
mod service;
mod status;
mod streams;
mod superroot;
mod verify;
mod watches;
mod webhooks;

pub use config::ApiConfig;
pub use edge::{
    metrics_router, router, router_without_accounts, serve, serve_secured, serve_without_accounts,
};
use error::ApiError;
pub use routes::metered_routes;
pub use service::sale::{Facilitated, Facilitator, PassSale};
pub use service::{Api, ChainRpc, Markets};
pub use status::{
    Backfill, CatchUp, CatchUpView, ChainStage, ChainView, Claimed, ContractKind, Differing,
    ENDPOINTS_MAX, FINALITY_STALLED_AFTER_MS, FailingNode, LEFT_OUT_MAX, LeftOut, Point,
    Publishing, Repair, StallReason, StatusBoard, StatusError, StatusReader, TEXT_CHARS_MAX,
    WatchView, chain_view, stalled_after_ms,
};

//! The gRPC face: what REST answers, as messages, on the same port.
//!
//! ```text
//! request -> edge (keys, limits, tiers, deadline) -> tonic (frame, message) -> Face -> what the routes call
//!               ^                                                               |
//!               `--- an ApiError becomes a status with details <----------------'
//! ```
//! A *method* is a row like a route's: its path, its number, its grid. It reads a message, asks what the
//! handler of its route asks, and makes a message of the body that the route would write.

use axum::Router;
use axum::routing::post_service;
use superroot_wire::grpc::events_server::EventsServer;
use superroot_wire::grpc::finality_server::FinalityServer;
use superroot_wire::grpc::market_server::MarketServer;
use superroot_wire::grpc::proofs_server::ProofsServer;
use superroot_wire::grpc::streams_server::StreamsServer;
use superroot_wire::grpc::super_roots_server::SuperRootsServer;

use crate::route::{Group, Route};
use crate::service::Shared;

mod answer;
mod events;
mod finality;
mod health;
mod listen;
mod market;
mod proofs;
mod read;
mod reflection;
mod streams;
mod super_roots;

/// Requests that one for a blob, for consistency or for a page of twigs counts as, as by REST.
const LARGE_REQUESTS: u32 = 4;

/// Every method.
pub(crate) fn methods() -> Vec<Route> {
    use Group::{G1, G2, G3, G4, G5, Service};
    let method = Route::protocol;
    vec![
        method(78, "/superroot.v5.Proofs/ProveBlock", G1),
        method(79, "/superroot.v5.Proofs/ProveTransaction", G3),
        method(80, "/superroot.v5.Proofs/ProveEvent", G3),
        method(81, "/superroot.v5.Proofs/ProveAbsence", G3),
        method(82, "/superroot.v5.Proofs/ProveBatch", G3),
        method(83, "/superroot.v5.Proofs/VerifyProof", G1).weighs(1),
        method(84, "/superroot.v5.SuperRoots/GetSuperRoot", G1),
        method(85, "/superroot.v5.SuperRoots/GetSuperRootBlob", G1),
        method(86, "/superroot.v5.SuperRoots/GetConsistency", G1).counts_as(LARGE_REQUESTS),
        method(87, "/superroot.v5.SuperRoots/ListTwigs", G1).counts_as(LARGE_REQUESTS),
        method(88, "/superroot.v5.SuperRoots/GetCheckpoint", G1),
        method(89, "/superroot.v5.SuperRoots/GetTile", G1),
        method(90, "/superroot.v5.SuperRoots/GetTileEntries", G1),
        method(91, "/superroot.v5.Finality/GetFinality", G2),
        method(92, "/superroot.v5.Finality/ListFinality", G2),
        method(93, "/superroot.v5.Finality/ProveFinality", G2),
        method(94, "/superroot.v5.Finality/ListRetractions", G2),
        method(95, "/superroot.v5.Events/ListLogs", G3),
        method(96, "/superroot.v5.Events/QueryBlooms", G3),
        method(122, "/superroot.v5.Events/Scan", G3),
        method(123, "/superroot.v5.Events/Find", G3),
        method(124, "/superroot.v5.Events/GetOrder", G3),
        method(125, "/superroot.v5.Proofs/ProveSignal", G3),
        method(126, "/superroot.v5.Market/GetGas", G4),
        method(127, "/superroot.v5.Market/GetPrice", G4).weighs(1),
        method(128, "/superroot.v5.Market/ListLaunches", G5),
        method(129, "/superroot.v5.Market/ListOpportunities", G5).weighs(1),
        method(101, listen::LISTEN, G5),
        Route::open(97, reflection::V1, Service),
        Route::open(98, reflection::V1_ALPHA, Service),
        Route::open(99, health::CHECK, Service),
        Route::open(100, health::WATCH, Service),
    ]
}

/// The routes with every method among them.
pub(crate) fn mount(mut router: Router<Shared>, service: &Shared) -> Router<Shared> {
    let max = service.api.config.body_bytes_max;
    let face = || Face(Shared::clone(service));
    let proofs = ProofsServer::new(face()).max_decoding_message_size(max);
    let super_roots = SuperRootsServer::new(face()).max_decoding_message_size(max);
    let finality = FinalityServer::new(face()).max_decoding_message_size(max);
    let events = EventsServer::new(face()).max_decoding_message_size(max);
    let market = MarketServer::new(face()).max_decoding_message_size(max);
    let streams = StreamsServer::new(face()).max_decoding_message_size(max);
    for route in methods() {
        let path = route.metered.path;
        let method = match path.split('/').nth(1) {
            Some("superroot.v5.Proofs") => post_service(proofs.clone()),
            Some("superroot.v5.SuperRoots") => post_service(super_roots.clone()),
            Some("superroot.v5.Finality") => post_service(finality.clone()),
            Some("superroot.v5.Events") => post_service(events.clone()),
            Some("superroot.v5.Market") => post_service(market.clone()),
            Some("superroot.v5.Streams") => post_service(streams.clone()),
            _ => continue, // of health and reflection: below
        };
        router = router.route(path, method);
    }
    reflection::mount(health::mount(router, service))
}

/// Answers every method.
struct Face(Shared);

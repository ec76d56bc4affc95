//! gRPC server: the REST content as messages, on the same port.
//!
//! ```text
//! request -> edge (keys, limits, tiers, deadline) -> tonic (frame) -> Method (message) -> what the routes call
//!               ^                                                                   |
//!               `--- an ApiError becomes a status with details <--------------------'
//! ```
//! A *method* is a row like a route: path, number, grid. It reads a message, calls the same functions as the route's
//! handler, and converts the route's body to a message.

use std::sync::LazyLock;

use axum::Router;

use crate::route::{ApiRoute, RouteGroup};
use crate::service::Shared;

mod answer;
mod asked;
mod events;
mod finality;
mod health;
mod light_client;
mod listen;
mod market;
mod method;
mod proofs;
mod read;
mod reflection;
mod streams;
mod super_roots;

use method::{Method, MethodAnswer, many, one};

/// Request count for a blob, consistency or twig page, as in REST.
const LARGE_REQUESTS: u32 = 4;

pub(crate) fn methods() -> Vec<ApiRoute> {
    let open = [
        (97, reflection::V1),
        (98, reflection::V1_ALPHA),
        (99, health::CHECK),
        (100, health::WATCH),
    ];
    let open = open.map(|(number, path)| ApiRoute::open(number, path, RouteGroup::Service));
    let own = own().into_iter().map(|(route, answer)| route.streams(answer.is_stream()));
    own.chain(open).collect()
}

/// Methods of our services, each with its handler.
fn own() -> Vec<(ApiRoute, MethodAnswer)> {
    use RouteGroup::{G1, G2, G3, G4, G5};
    let method = ApiRoute::protocol;
    vec![
        (method(78, "/superroot.v5.Proofs/ProveBlock", G1), one(proofs::prove_block)),
        (method(79, "/superroot.v5.Proofs/ProveTransaction", G3), one(proofs::prove_transaction)),
        (method(80, "/superroot.v5.Proofs/ProveEvent", G3), one(proofs::prove_event)),
        (method(81, "/superroot.v5.Proofs/ProveAbsence", G3), one(proofs::prove_absence)),
        (method(82, "/superroot.v5.Proofs/ProveBatch", G3), one(proofs::prove_batch)),
        (method(83, "/superroot.v5.Proofs/VerifyProof", G1).weighs(1), one(proofs::verify_proof)),
        (method(84, "/superroot.v5.SuperRoots/GetSuperRoot", G1), one(super_roots::get_super_root)),
        (
            method(85, "/superroot.v5.SuperRoots/GetSuperRootBlob", G1),
            one(super_roots::get_super_root_blob),
        ),
        (
            method(86, "/superroot.v5.SuperRoots/GetConsistency", G1).counts_as(LARGE_REQUESTS),
            one(super_roots::get_consistency),
        ),
        (
            method(87, "/superroot.v5.SuperRoots/ListTwigs", G1).counts_as(LARGE_REQUESTS),
            one(super_roots::list_twigs),
        ),
        (
            method(88, "/superroot.v5.SuperRoots/GetCheckpoint", G1),
            one(super_roots::get_checkpoint),
        ),
        (method(89, "/superroot.v5.SuperRoots/GetTile", G1), one(super_roots::get_tile)),
        (
            method(90, "/superroot.v5.SuperRoots/GetTileEntries", G1),
            one(super_roots::get_tile_entries),
        ),
        (method(91, "/superroot.v5.Finality/GetFinality", G2), one(finality::get_finality)),
        (method(92, "/superroot.v5.Finality/ListFinality", G2), one(finality::list_finality)),
        (method(93, "/superroot.v5.Finality/ProveFinality", G2), one(finality::prove_finality)),
        (method(94, "/superroot.v5.Finality/ListRetractions", G2), one(finality::list_retractions)),
        (method(138, "/superroot.v5.Finality/GetLightClient", G2), one(light_client::get_client)),
        (method(139, "/superroot.v5.Finality/GetLightClientSet", G2), one(light_client::get_set)),
        (
            method(140, "/superroot.v5.Finality/ListLightClientSteps", G2)
                .counts_as(LARGE_REQUESTS),
            one(light_client::list_steps),
        ),
        (method(95, "/superroot.v5.Events/ListLogs", G3), one(events::list_logs)),
        (method(96, "/superroot.v5.Events/QueryBlooms", G3), one(events::query_blooms)),
        (method(122, "/superroot.v5.Events/Scan", G3), one(events::scan)),
        (method(123, "/superroot.v5.Events/Find", G3), one(events::find)),
        (method(124, "/superroot.v5.Events/GetOrder", G3), one(events::get_order)),
        (method(125, "/superroot.v5.Proofs/ProveSignal", G3), one(proofs::prove_signal)),
        (method(126, "/superroot.v5.Market/GetGas", G4), one(market::get_gas)),
        (method(127, "/superroot.v5.Market/GetPrice", G4).weighs(1), one(market::get_price)),
        (method(128, "/superroot.v5.Market/ListLaunches", G5), one(market::list_launches)),
        (
            method(129, "/superroot.v5.Market/ListOpportunities", G5).weighs(1),
            one(market::list_opportunities),
        ),
        (method(101, listen::LISTEN, G5), many(listen::listen)),
    ]
}

static SERVICES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let own = own();
    let mut names: Vec<_> =
        own.iter().filter_map(|(route, _)| route.metered.path.split('/').nth(1)).collect();
    names.sort_unstable();
    names.dedup();
    names
});

pub(crate) fn mount(mut router: Router<Shared>, service: &Shared) -> Router<Shared> {
    let message_bytes_max = service.api.config.body_bytes_max;
    for (route, answer) in own() {
        let method = Method { service: Shared::clone(service), answer, message_bytes_max };
        router = router.route(route.metered.path, method.mounted());
    }
    reflection::mount(health::mount(router, service), service)
}

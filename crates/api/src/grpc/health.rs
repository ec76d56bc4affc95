//! Health in `grpc.health.v1` form, same state as `/health/ready`.

use std::time::Duration;

use axum::Router;
use axum::routing::post_service;
use futures_util::stream::{self, BoxStream, StreamExt};
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use super::SERVICES;
use super::streams::BoundedStreams;
use crate::health::check_ready;
use crate::service::Shared;

pub(super) const CHECK: &str = "/grpc.health.v1.Health/Check";
pub(super) const WATCH: &str = "/grpc.health.v1.Health/Watch";
/// Poll interval for a watch.
const LOOK: Duration = Duration::from_secs(1);
/// Polls until the same status is repeated: a silent connection is closed.
const SAID_AGAIN: u32 = 15;
/// A watch's lifetime; clients then open another.
const WATCH_LIFETIME: Duration = Duration::from_secs(600);
/// Longest request in bytes: a name.
const MESSAGE_BYTES_MAX: usize = 4_096;

pub(super) fn mount(router: Router<Shared>, service: &Shared) -> Router<Shared> {
    let health = HealthServer::new(HealthWatch(Shared::clone(service)));
    let health = health.max_decoding_message_size(MESSAGE_BYTES_MAX);
    let watch = BoundedStreams::new(service, health.clone(), WATCH_LIFETIME);
    router.route(CHECK, post_service(health)).route(WATCH, post_service(watch))
}

struct HealthWatch(Shared);

/// Status for a service, or for the whole server if the name is empty; `None` for an unknown name.
fn look(service: &Shared, name: &str) -> Option<ServingStatus> {
    if !name.is_empty() && !SERVICES.contains(&name) {
        return None;
    }
    let is_ready = check_ready(service).is_ok();
    Some(if is_ready { ServingStatus::Serving } else { ServingStatus::NotServing })
}

#[tonic::async_trait]
impl Health for HealthWatch {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        let status = look(&self.0, &request.get_ref().service);
        let status = status.ok_or_else(|| Status::not_found("no service has this name"))?;
        Ok(Response::new(HealthCheckResponse { status: status.into() }))
    }

    type WatchStream = BoxStream<'static, Result<HealthCheckResponse, Status>>;

    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let (service, name) = (Shared::clone(&self.0), request.into_inner().service);
        let changes = stream::unfold((service, name, None), |(service, name, said)| async move {
            for looks in 0.. {
                let now = look(&service, &name).unwrap_or(ServingStatus::ServiceUnknown);
                if said != Some(now) || looks == SAID_AGAIN {
                    let message = HealthCheckResponse { status: now.into() };
                    return Some((Ok(message), (service, name, Some(now))));
                }
                tokio::time::sleep(LOOK).await;
            }
            None
        });
        let changes = changes.take_until(tokio::time::sleep(WATCH_LIFETIME));
        Ok(Response::new(changes.boxed()))
    }
}

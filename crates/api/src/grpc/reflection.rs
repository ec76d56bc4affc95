//! Descriptor reflection, for clients without the `.proto`.

use std::time::Duration;

use axum::Router;
use axum::routing::post_service;
use superroot_wire::grpc::DESCRIPTOR;
use tonic_reflection::server::Builder;

use super::streams::BoundedStreams;
use crate::service::Shared;

pub(super) const V1: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
pub(super) const V1_ALPHA: &str = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
/// A reflection stream's lifetime.
const LIFETIME: Duration = Duration::from_secs(60);
/// Longest request in bytes: a name.
const MESSAGE_BYTES_MAX: usize = 4_096;

/// # Panics
/// Never: the descriptors were compiled with this build.
pub(super) fn mount(router: Router<Shared>, service: &Shared) -> Router<Shared> {
    const SOUND: &str = "the descriptors were compiled with this build";
    let v1 = builder().build_v1().expect(SOUND).max_decoding_message_size(MESSAGE_BYTES_MAX);
    let v1_alpha = builder().build_v1alpha().expect(SOUND);
    let v1_alpha = v1_alpha.max_decoding_message_size(MESSAGE_BYTES_MAX);
    router
        .route(V1, post_service(BoundedStreams::new(service, v1, LIFETIME)))
        .route(V1_ALPHA, post_service(BoundedStreams::new(service, v1_alpha, LIFETIME)))
}

fn builder() -> Builder<'static> {
    Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTOR)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

//! The messages and services of gRPC, generated from `proto/superroot/v5/superroot.proto`.
//!
//! A service `X` has a trait and a server in `x_server`, a client in `x_client`.

#[expect(missing_docs, clippy::all, clippy::pedantic, reason = "it is generated")]
mod generated {
    tonic::include_proto!("superroot.v5");
}

pub use generated::*;

/// The compiled `.proto`, a `google.protobuf.FileDescriptorSet`: what reflection answers with.
pub const DESCRIPTOR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/superroot.bin"));

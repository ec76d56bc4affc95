//! gRPC messages and services, generated from `interface/superroot/v5/superroot.proto`, with conversions from REST bodies.
//!
//! The client of service `X` is in `x_client`. A message always says the same as the REST body behind it: there is no
//! other way to create a message.

mod events;
mod finality;
mod find;
mod gas;
mod order;
mod parts;
mod price;
mod proof;
mod signal;
mod superroot;

#[expect(missing_docs, clippy::pedantic, reason = "it is generated")]
mod generated {
    include!("superroot.v5.rs");
}

pub use generated::*;

/// Compiled `.proto` as a `google.protobuf.FileDescriptorSet`, for reflection.
pub const DESCRIPTOR: &[u8] = include_bytes!("superroot.v5.binpb");

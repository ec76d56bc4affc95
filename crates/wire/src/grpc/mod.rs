//! The messages and services of gRPC, generated from `proto/superroot/v5/superroot.proto`, and how the
//! bodies of REST become messages.
//!
//! A service `X` has a client in `x_client`. A message says what the body says that it is made from: there is
//! no other way to make one.

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

/// The compiled `.proto`, a `google.protobuf.FileDescriptorSet`: what reflection answers with.
pub const DESCRIPTOR: &[u8] = include_bytes!("superroot.v5.bin");

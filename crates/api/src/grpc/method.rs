//! gRPC method for tonic. Messages are untyped here: every message type would instantiate tonic's whole path again,
//! once per method.
//!
//! ```text
//! request -> frame -> bytes -> message -> the method -> message -> bytes -> frame -> response
//!            '--- tonic, once ---'  '-- each method's own --'  '--- tonic, once ---'
//! ```

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract;
use axum::http::Response as HttpResponse;
use axum::routing::{MethodRouter, post_service};
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, StreamExt};
use prost::Message;
use prost::bytes::{Buf, Bytes};
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::{Grpc, ServerStreamingService, UnaryService};
use tonic::{Request, Response, Status};

use super::answer::Answered;
use super::asked::GrpcCaller;
use crate::service::Shared;
use crate::streams::paced;

type One = Arc<dyn Fn(Shared, Request<Bytes>) -> Opening<RawMessage> + Send + Sync>;
type Many = Arc<dyn Fn(Shared, Request<Bytes>) -> Opening<Writing> + Send + Sync>;
type Opening<T> = BoxFuture<'static, Answered<T>>;
pub(super) type Messages<T> = BoxStream<'static, Result<T, Status>>;
type Writing = Messages<RawMessage>;

#[derive(Clone)]
pub(super) enum MethodAnswer {
    One(One),
    Many(Many),
}

impl MethodAnswer {
    pub(super) const fn is_stream(&self) -> bool {
        matches!(self, Self::Many(_))
    }
}

pub(super) fn one<M, R, F>(answer: fn(Shared, GrpcCaller, M) -> F) -> MethodAnswer
where
    M: Message + Default + 'static,
    R: Message + 'static,
    F: Future<Output = Answered<R>> + Send + 'static,
{
    MethodAnswer::One(Arc::new(move |service, request| {
        Box::pin(async move {
            let (asked, message) = open(request)?;
            let response = answer(service, asked, message).await?;
            Ok(response.map(|message| RawMessage(Box::new(message))))
        })
    }))
}

pub(super) fn many<M, R, F>(answer: fn(Shared, GrpcCaller, M) -> F) -> MethodAnswer
where
    M: Message + Default + 'static,
    R: Message + 'static,
    F: Future<Output = Answered<Messages<R>>> + Send + 'static,
{
    let write = |message: R| RawMessage(Box::new(message));
    MethodAnswer::Many(Arc::new(move |service, request| {
        Box::pin(async move {
            let (asked, message) = open(request)?;
            let response = answer(service, asked, message).await?;
            Ok(response.map(|messages| messages.map(move |one| one.map(write)).boxed()))
        })
    }))
}

fn open<M: Message + Default>(request: Request<Bytes>) -> Result<(GrpcCaller, M), Status> {
    let (_, extensions, bytes) = request.into_parts();
    let message = M::decode(bytes).map_err(|error| Status::internal(error.to_string()))?;
    Ok((GrpcCaller::of(&extensions)?, message))
}

#[derive(Clone)]
pub(super) struct Method {
    pub(super) service: Shared,
    pub(super) answer: MethodAnswer,
    /// Longest request message in bytes.
    pub(super) message_bytes_max: usize,
}

impl Method {
    pub(super) fn mounted(self) -> MethodRouter<Shared> {
        post_service(self)
    }
}

impl tower::Service<extract::Request> for Method {
    type Response = HttpResponse<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<HttpResponse<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: extract::Request) -> Self::Future {
        let Self { service, answer, message_bytes_max } = self.clone();
        Box::pin(async move {
            let grpc = Grpc::new(Plain).max_decoding_message_size(message_bytes_max);
            Ok(respond(grpc, service, answer, request).await)
        })
    }
}

async fn respond(
    mut grpc: Grpc<Plain>,
    service: Shared,
    answer: MethodAnswer,
    request: extract::Request,
) -> HttpResponse<Body> {
    match answer {
        MethodAnswer::One(answer) => grpc.unary(CallsOne(service, answer), request).await,
        MethodAnswer::Many(answer) => {
            let response = grpc.server_streaming(CallsMany(service, answer), request).await;
            response.map(|messages| Body::new(paced(messages)))
        }
    }
}

struct CallsOne(Shared, One);

impl UnaryService<Bytes> for CallsOne {
    type Response = RawMessage;
    type Future = Opening<RawMessage>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        (self.1)(Shared::clone(&self.0), request)
    }
}

struct CallsMany(Shared, Many);

impl ServerStreamingService<Bytes> for CallsMany {
    type Response = RawMessage;
    type ResponseStream = Writing;
    type Future = BoxFuture<'static, Result<Response<Writing>, Status>>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        (self.1)(Shared::clone(&self.0), request)
    }
}

pub(super) struct RawMessage(Box<dyn Write>);

trait Write: Send {
    /// # Panics
    /// Never: a frame grows.
    fn write(&self, frame: &mut EncodeBuf<'_>);
}

impl<T: Message> Write for T {
    fn write(&self, frame: &mut EncodeBuf<'_>) {
        self.encode(frame).expect("a frame grows");
    }
}

/// Codec for raw frames; messages are encoded elsewhere.
struct Plain;

impl Codec for Plain {
    type Encode = RawMessage;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Plain {
    type Item = RawMessage;
    type Error = Status;

    fn encode(&mut self, message: RawMessage, frame: &mut EncodeBuf<'_>) -> Result<(), Status> {
        message.0.write(frame);
        Ok(())
    }
}

impl Decoder for Plain {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, frame: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(frame.copy_to_bytes(frame.remaining())))
    }
}

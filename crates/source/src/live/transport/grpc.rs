//! gRPC node: unary calls over HTTP/2. Requests and answers are message bytes; frame and status are handled here.

use std::error::Error;
use std::sync::Arc;

use axum::http;
use axum::http::uri::PathAndQuery;
use http_body_util::BodyExt;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::{Code, Status};

use super::address::Address;
use super::http::HttpTransport;
use super::{NodeAnswer, NodeRequest, Transport, TransportError};
use crate::BoxFuture;
use crate::error::SourceError;
use crate::live::config::LiveConfig;

/// Library text for a message above the size limit.
const TOO_LARGE: &str = "Error, decoded message length too large";

pub(crate) struct GrpcTransport {
    http: HttpTransport,
}

impl GrpcTransport {
    pub(crate) fn new(
        address: Address,
        name: Arc<str>,
        config: &LiveConfig,
    ) -> Result<Self, SourceError> {
        Ok(Self { http: HttpTransport::of_http2(address, name, config)? })
    }

    async fn send(
        &self,
        request: NodeRequest,
        bytes_max: usize,
    ) -> Result<NodeAnswer, TransportError> {
        let NodeRequest { path, body, .. } = request;
        let path = path.map_or_else(|| "/".to_owned(), |path| path.path);
        let unreachable = |why: String| TransportError::Unreachable { why };
        let method =
            PathAndQuery::try_from(&path).map_err(|error| unreachable(error.to_string()))?;
        let service = tower::service_fn(|request| self.post(&path, request));
        let mut client = tonic::client::Grpc::new(service).max_decoding_message_size(bytes_max);
        client.ready().await.map_err(|error| unreachable(error.to_string()))?;
        let answered = client.unary(tonic::Request::new(body), method, GrpcMessage).await;
        match answered {
            Ok(answer) => Ok(NodeAnswer { body: answer.into_inner() }),
            Err(status) => Err(failure(&status, bytes_max)),
        }
    }

    /// Posts a library-encoded request below the node address.
    async fn post(
        &self,
        path: &str,
        request: http::Request<tonic::body::Body>,
    ) -> Result<http::Response<AnswerBody>, TransportError> {
        let (parts, body) = request.into_parts();
        let unreadable = |status: Status| TransportError::Unreachable { why: status.to_string() };
        let body = body.collect().await.map_err(unreadable)?.to_bytes();
        let Self { http: HttpTransport { http, address, .. } } = self;
        let request = http.post(address.below(path)).headers(parts.headers).body(body);
        let response = request.send().await.map_err(|error| self.http.unreachable(error))?;
        let response = self.http.accepted(response).await?;
        let address = address.clone();
        Ok(http::Response::from(response).map(|body| {
            // the URL is told to nobody
            let cut = move |error: reqwest::Error| TransportError::Unreachable {
                why: address.clean(&error.without_url().to_string()),
            };
            body.map_err(cut).boxed_unsync()
        }))
    }
}

type AnswerBody = http_body_util::combinators::UnsyncBoxBody<axum::body::Bytes, TransportError>;

/// Classifies a status: transport failure, or refusal by the node.
fn failure(status: &Status, bytes_max: usize) -> TransportError {
    let on_the_way = status.source().and_then(|source| source.downcast_ref::<TransportError>());
    if let Some(error) = on_the_way {
        return error.clone();
    }
    if status.code() == Code::OutOfRange && status.message().starts_with(TOO_LARGE) {
        return TransportError::TooLarge { expected: bytes_max };
    }
    let text = status.message().as_bytes().to_vec();
    TransportError::Status { got: http_status(status.code()), retry_after_ms: None, text }
}

/// Equivalent HTTP status: `google/rpc/code.proto`.
const fn http_status(code: Code) -> u16 {
    match code {
        Code::Ok => 200,
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => 400,
        Code::Unauthenticated => 401,
        Code::PermissionDenied => 403,
        Code::NotFound => 404,
        Code::AlreadyExists | Code::Aborted => 409,
        Code::ResourceExhausted => 429,
        Code::Cancelled => 499,
        Code::Unknown | Code::Internal | Code::DataLoss => 500,
        Code::Unimplemented => 501,
        Code::Unavailable => 503,
        Code::DeadlineExceeded => 504,
    }
}

/// Message as raw bytes.
#[derive(Clone, Copy)]
struct GrpcMessage;

impl Codec for GrpcMessage {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for GrpcMessage {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, message: Vec<u8>, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        bytes::BufMut::put_slice(out, &message);
        Ok(())
    }
}

impl Decoder for GrpcMessage {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let length = bytes::Buf::remaining(buffer);
        Ok(Some(bytes::Buf::copy_to_bytes(buffer, length).into()))
    }
}

impl Transport for GrpcTransport {
    fn name(&self) -> &str {
        self.http.name()
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        let bytes_max = request.answer_bytes_max.min(self.http.body_bytes_max);
        Box::pin(self.send(request, bytes_max))
    }

    fn operator_keys(&self) -> Vec<String> {
        self.http.operator_keys()
    }

    fn operator_name(&self) -> Option<String> {
        self.http.operator_name()
    }

    fn clean(&self, text: &str) -> String {
        self.http.clean(text)
    }
}

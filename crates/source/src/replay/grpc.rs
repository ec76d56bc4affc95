//! Unary gRPC calls over recordings: framed message and trailing status.

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use http_body_util::{BodyExt, Full};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tonic::Code;

use super::methods::RpcFault;
use crate::live::node::json_rpc::GRPC;

/// Frame header before the message: compression flag and length, in bytes.
const FRAME_BYTES: usize = 5;

/// Answer message, or a fault.
pub(crate) type GrpcOutcome = Result<Vec<u8>, GrpcFault>;

/// gRPC status other than OK.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GrpcFault {
    code: Code,
    message: String,
}

impl GrpcFault {
    pub(crate) fn invalid(message: &str) -> Self {
        Self { code: Code::InvalidArgument, message: message.into() }
    }

    pub(crate) fn not_found(message: &str) -> Self {
        Self { code: Code::NotFound, message: message.into() }
    }

    pub(crate) fn internal(message: &str) -> Self {
        Self { code: Code::Internal, message: message.into() }
    }
}

impl From<RpcFault> for GrpcFault {
    fn from(fault: RpcFault) -> Self {
        Self { code: Code::Internal, message: fault.message }
    }
}

/// Answers a request, if a handler exists for the method.
pub(super) fn answer(
    body: &[u8],
    answering: impl FnOnce(&[u8]) -> Option<GrpcOutcome>,
) -> GrpcOutcome {
    let message =
        message_of(body).ok_or_else(|| GrpcFault::invalid("expected one plain message"))?;
    let unimplemented = || {
        let message = "nodes of the chain have no such method".into();
        Err(GrpcFault { code: Code::Unimplemented, message })
    };
    answering(message).unwrap_or_else(unimplemented)
}

fn message_of(body: &[u8]) -> Option<&[u8]> {
    let ([is_zipped, length @ ..], message) = body.split_first_chunk::<FRAME_BYTES>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    (*is_zipped == 0 && message.len() == length).then_some(message)
}

/// HTTP response: framed message, and status as a trailer.
pub(super) fn respond(outcome: GrpcOutcome) -> Response {
    let (message, fault) = match outcome {
        Ok(message) => (Some(message), None),
        Err(fault) => (None, Some(fault)),
    };
    let mut trailers = HeaderMap::new();
    let code = fault.as_ref().map_or(Code::Ok, |fault| fault.code);
    trailers.insert("grpc-status", HeaderValue::from(i32::from(code)));
    if let Some(fault) = fault {
        let text = utf8_percent_encode(&fault.message, NON_ALPHANUMERIC).to_string();
        trailers.extend(HeaderValue::from_str(&text).ok().map(|text| (GRPC_MESSAGE, text)));
    }
    let frame = message.map_or_else(Vec::new, |message| {
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
        [&[0][..], &length.to_be_bytes(), &message].concat()
    });
    let body = Full::new(Bytes::from(frame));
    let body = body.with_trailers(std::future::ready(Some(Ok(trailers))));
    let mut response = Response::new(Body::new(body));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(GRPC));
    response
}

const GRPC_MESSAGE: axum::http::HeaderName = axum::http::HeaderName::from_static("grpc-message");

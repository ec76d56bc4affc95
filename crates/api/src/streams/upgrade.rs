//! WebSocket opening and closing (RFC 6455, sections 4.2 and 7). The HTTP library's version does not return its
//! connection, and a connection dropped while the client still sends is reset: the client would never read the reason.

use std::time::Duration;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Utf8Bytes};

use crate::ApiError;

/// Longest client message in bytes.
pub(super) const MESSAGE_BYTES_MAX: usize = 64 << 10;
/// Read and write buffer size in bytes.
const BUFFER_BYTES: usize = 4 << 10;
/// Time for the client to read the last frame and close.
const LAST: Duration = Duration::from_secs(5);
/// Most bytes read and discarded in that time.
const DROPPED_BYTES_MAX: u64 = 64 << 20;

pub(super) type Socket = WebSocketStream<TokioIo<Upgraded>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SocketClose {
    pub(super) code: CloseCode,
    pub(super) why: &'static str,
}

impl SocketClose {
    /// Policy violation: 1008.
    pub(super) const fn policy(why: &'static str) -> Self {
        Self { code: CloseCode::Policy, why }
    }

    /// Close frame for an unreadable message; `None` if nobody listens.
    pub(super) fn of(error: &Error) -> Option<Self> {
        let (code, why) = match error {
            Error::Capacity(_) => (CloseCode::Size, "a message has at most 65,536 bytes"),
            Error::Utf8(_) => (CloseCode::Invalid, "a text message is UTF-8"),
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => return None,
            Error::Protocol(_) => (CloseCode::Protocol, "not a frame of RFC 6455"),
            _ => return None,
        };
        Some(Self { code, why })
    }
}

pub(super) struct WebSocketUpgrade {
    key: HeaderValue,
    connection: OnUpgrade,
}

impl<S: Send + Sync> FromRequestParts<S> for WebSocketUpgrade {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let refuse = |why| ApiError::invalid("Upgrade", "not that of a WebSocket", why);
        let names = |header, word: &str| {
            let mut values = parts.headers.get_all(header).iter();
            values.any(|value| {
                let value = value.to_str().unwrap_or_default();
                value.split(',').any(|one| one.trim().eq_ignore_ascii_case(word))
            })
        };
        if !names(header::CONNECTION, "upgrade") || !names(header::UPGRADE, "websocket") {
            return Err(refuse("Connection: upgrade and Upgrade: websocket, over HTTP/1.1"));
        }
        if parts.headers.get(header::SEC_WEBSOCKET_VERSION).is_none_or(|version| version != "13") {
            return Err(refuse("Sec-WebSocket-Version: 13"));
        }
        let key = parts.headers.get(header::SEC_WEBSOCKET_KEY).cloned();
        let key = key.ok_or_else(|| refuse("a Sec-WebSocket-Key"))?;
        let connection = parts.extensions.remove::<OnUpgrade>();
        let connection = connection.ok_or_else(|| refuse("a connection of HTTP/1.1"))?;
        Ok(Self { key, connection })
    }
}

impl WebSocketUpgrade {
    /// Answers the request, and runs the socket on a separate task. No extension is negotiated.
    pub(super) fn run<F>(self, socket: impl FnOnce(Socket) -> F + Send + 'static) -> Response
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let accept = derive_accept_key(self.key.as_bytes());
        tokio::spawn(async move {
            let Ok(upgraded) = self.connection.await else { return };
            let config = WebSocketConfig::default()
                .read_buffer_size(BUFFER_BYTES)
                .write_buffer_size(BUFFER_BYTES)
                .max_message_size(Some(MESSAGE_BYTES_MAX))
                .max_frame_size(Some(MESSAGE_BYTES_MAX));
            let connection = TokioIo::new(upgraded);
            let opened = WebSocketStream::from_raw_socket(connection, Role::Server, Some(config));
            socket(opened.await).await;
        });
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        if let Ok(accept) = HeaderValue::from_str(&accept) {
            headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
        }
        response
    }
}

/// Sends the reason, then reads until the client closes too: unread bytes would reset the connection before the client
/// reads the reason.
pub(super) async fn close(mut socket: Socket, SocketClose { code, why }: SocketClose) {
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static(why) };
    let ending = async {
        socket.close(Some(frame)).await.ok()?;
        let connection = socket.get_mut();
        connection.shutdown().await.ok()?;
        let mut rest = connection.take(DROPPED_BYTES_MAX);
        let mut nowhere = tokio::io::sink();
        tokio::io::copy(&mut rest, &mut nowhere).await.ok()
    };
    let _ = timeout(LAST, ending).await;
}

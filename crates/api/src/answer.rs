//! What a handler answers with when all went well; [`edge::render`](crate::edge::render) makes bytes
//! of it.

use std::sync::Arc;

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use superroot_accumulate::Published;
use superroot_types::ChainKey;

/// A good answer without its anchor.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) body: Value,
    /// SuperRoot of the anchor; `None`: the newest.
    pub(crate) published: Option<Arc<Published>>,
    pub(crate) chain: Option<ChainKey>,
    /// Whether the request fixed the SuperRoot, so that the answer never changes.
    pub(crate) is_fixed: bool,
    /// Whether it is of one account: nothing on the way may keep it.
    pub(crate) is_private: bool,
    status: StatusCode,
}

impl Answer {
    /// An answer under the newest SuperRoot.
    pub(crate) const fn new(body: Value) -> Self {
        let (is_fixed, is_private, status) = (false, false, StatusCode::OK);
        Self { body, published: None, chain: None, is_fixed, is_private, status }
    }

    /// The same, of a body that is not JSON yet.
    ///
    /// # Panics
    /// Never: bodies are texts, numbers and lists of them under names.
    pub(crate) fn of(body: &impl Serialize) -> Self {
        Self::new(serde_json::to_value(body).expect("a body is JSON"))
    }

    /// Of one account: nothing on the way may keep it.
    pub(crate) const fn private(mut self) -> Self {
        self.is_private = true;
        self
    }

    /// For something just made.
    pub(crate) const fn created(mut self) -> Self {
        self.status = StatusCode::CREATED;
        self
    }

    /// About one chain.
    pub(crate) const fn about(mut self, chain: ChainKey) -> Self {
        self.chain = Some(chain);
        self
    }

    /// Ending in that SuperRoot; `is_fixed` where the request named it.
    pub(crate) fn under(mut self, published: Arc<Published>, is_fixed: bool) -> Self {
        self.published = Some(published);
        self.is_fixed = is_fixed;
        self
    }
}

impl IntoResponse for Answer {
    /// The status and the answer itself as an extension: the body is made where the request is known.
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status;
        response.extensions_mut().insert(self);
        response
    }
}

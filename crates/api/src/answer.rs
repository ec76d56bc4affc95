//! Successful answers before rendering; [`edge::render`](crate::edge::render) turns them into bytes.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use superroot_accumulate::Published;
use superroot_types::ChainKey;
use superroot_wire::{Case, case};
use tokio::sync::OwnedSemaphorePermit;

use crate::ApiError;
use crate::response_cache::{CacheSlot, CachedResponse, Media};
use crate::seen::Conditional;

/// Chain for usage counts, if the path does not name one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerChain(pub(crate) ChainKey);

/// Memory permit, released once the message is sent.
#[derive(Clone, Debug)]
pub(crate) struct MessageRoom(pub(crate) Arc<OwnedSemaphorePermit>);

/// Successful answer without its anchor.
#[derive(Clone, Debug)]
pub(crate) struct ApiAnswer {
    /// JSON text; `None` if the caller already has it or sent HEAD.
    pub(crate) body: Option<Vec<u8>>,
    /// Final bytes: cached JSON with its anchor, a file or a page.
    pub(crate) written: Option<Bytes>,
    pub(crate) media: Media,
    pub(crate) slot: Option<CacheSlot>,
    /// An immutable answer's tag, if known before the body.
    pub(crate) tag: Option<String>,
    /// Memory permit, released once the answer is sent.
    pub(crate) room: Option<Arc<OwnedSemaphorePermit>>,
    /// SuperRoot in the anchor; `None`: the newest.
    pub(crate) published: Option<Arc<Published>>,
    pub(crate) chain: Option<ChainKey>,
    /// Whether the request named the SuperRoot, which makes the answer immutable.
    pub(crate) is_fixed: bool,
    /// Whether the answer belongs to one account and must not be cached on the way.
    pub(crate) is_private: bool,
    header: Option<(HeaderName, HeaderValue)>,
    status: StatusCode,
}

impl ApiAnswer {
    pub(crate) const fn of_text(text: Vec<u8>) -> Self {
        Self {
            body: Some(text),
            written: None,
            media: Media::Json,
            slot: None,
            tag: None,
            room: None,
            published: None,
            chain: None,
            is_fixed: false,
            is_private: false,
            header: None,
            status: StatusCode::OK,
        }
    }

    /// Answer under the given SuperRoot; `make` runs only if the caller needs a body. If the request named the
    /// SuperRoot (`is_fixed`), the tag follows from the address, before the body is known.
    pub(crate) fn made(
        (published, is_fixed): (&Arc<Published>, bool),
        seen: &Conditional,
        make: impl FnOnce() -> Result<Vec<u8>, ApiError>,
    ) -> Result<Self, ApiError> {
        let tag = is_fixed.then(|| seen.tag(published, false));
        let body = seen.needs_body(tag.as_deref()).then(make).transpose()?;
        Ok(Self { body, tag, ..Self::of_text(Vec::new()) }.under(published.clone(), is_fixed))
    }

    /// Answer to HEAD, for JSON or a file, without a length.
    pub(crate) fn head(is_file: bool) -> Self {
        let media = if is_file { Media::File } else { Media::Json };
        Self { body: None, media, ..Self::of_text(Vec::new()) }
    }

    pub(crate) fn cached(cached: &CachedResponse) -> Self {
        let written = Some(cached.bytes.clone());
        let tag = cached.tag.clone();
        let answer = Self::of_text(Vec::new());
        let answer =
            Self { body: None, written, tag, chain: cached.chain, media: cached.media, ..answer };
        answer.under(Arc::clone(&cached.published), cached.is_fixed)
    }

    /// Sets the cache slot for the rendered response.
    pub(crate) fn into_slot(mut self, slot: CacheSlot) -> Self {
        self.slot = Some(slot);
        self
    }

    pub(crate) fn of_file(bytes: Vec<u8>) -> Self {
        let written = Some(bytes.into());
        Self { body: None, written, media: Media::File, ..Self::of_text(Vec::new()) }
    }

    pub(crate) fn of_html(page: String) -> Self {
        let written = Some(page.into());
        Self { body: None, written, media: Media::Html, ..Self::of_text(Vec::new()) }
    }

    /// Adds the tag of an immutable answer, derived from the address.
    pub(crate) fn tagged(mut self, seen: &Conditional) -> Self {
        let published = self.published.as_ref().filter(|_| self.is_fixed);
        self.tag = published.map(|published| seen.tag(published, self.media == Media::File));
        self
    }

    /// Attaches the memory permit.
    pub(crate) fn taking(mut self, room: OwnedSemaphorePermit) -> Self {
        let has_body = self.body.is_some() || self.written.is_some();
        self.room = has_body.then(|| Arc::new(room));
        self
    }

    pub(crate) fn of(body: &impl Serialize) -> Self {
        Self::of_text(case::text(body, None))
    }

    /// Serializes a body to JSON, with all member names in one spelling.
    pub(crate) fn spelled(body: &impl Serialize, case: Case) -> Self {
        Self::of_text(case::text(body, Some(case)))
    }

    /// Marks an answer for one account: no cache on the way may keep it.
    pub(crate) const fn private(mut self) -> Self {
        self.is_private = true;
        self
    }

    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.header = Some((name, value));
        self
    }

    /// Sets status 201.
    pub(crate) const fn created(mut self) -> Self {
        self.status = StatusCode::CREATED;
        self
    }

    pub(crate) const fn about(mut self, chain: ChainKey) -> Self {
        self.chain = Some(chain);
        self
    }

    /// Sets the SuperRoot in the anchor; `is_fixed` if the request named it.
    pub(crate) fn under(mut self, published: Arc<Published>, is_fixed: bool) -> Self {
        self.published = Some(published);
        self.is_fixed = is_fixed;
        self
    }
}

impl IntoResponse for ApiAnswer {
    /// Empty response with the status and the answer as an extension; rendering needs the request.
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status;
        if let Some((name, value)) = &self.header {
            response.headers_mut().insert(name, value.clone());
        }
        response.extensions_mut().insert(self);
        response
    }
}

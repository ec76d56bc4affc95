//! What a handler answers with when all went well; [`edge::render`](crate::edge::render) makes bytes
//! of it.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use superroot_accumulate::Published;
use superroot_types::ChainKey;
use superroot_wire::{Case, case};
use tokio::sync::OwnedSemaphorePermit;

use crate::ApiError;
use crate::response_cache::{CacheSlot, CachedResponse, Media};
use crate::seen::Seen;

/// The chain that an answer is counted for, where its path does not name one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About(pub(crate) ChainKey);

/// Room that a message takes until it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Room(pub(crate) Arc<OwnedSemaphorePermit>);

/// A good answer without its anchor.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// JSON text; `None` where the caller has it, or asked for the head alone.
    pub(crate) body: Option<Vec<u8>>,
    /// The bytes that are sent: JSON with its anchor out of the cache, a file or a page.
    pub(crate) written: Option<Bytes>,
    pub(crate) media: Media,
    /// Where the response is cached once it is rendered.
    pub(crate) slot: Option<CacheSlot>,
    /// Tag of an answer that never changes, where it was known before the body.
    pub(crate) tag: Option<String>,
    /// Room that the answer takes until it is sent.
    pub(crate) room: Option<Arc<OwnedSemaphorePermit>>,
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
    /// An answer under the newest SuperRoot, of JSON text.
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
            status: StatusCode::OK,
        }
    }

    /// The answer under that SuperRoot, whose body is made only where the caller needs it. Where the
    /// request named the SuperRoot (`is_fixed`), its address says all: its tag is known before its body.
    ///
    /// # Errors
    /// Those of `make`.
    pub(crate) fn made(
        (published, is_fixed): (&Arc<Published>, bool),
        seen: &Seen,
        make: impl FnOnce() -> Result<Vec<u8>, ApiError>,
    ) -> Result<Self, ApiError> {
        let tag = is_fixed.then(|| seen.tag(published, false));
        let body = seen.needs_body(tag.as_deref()).then(make).transpose()?;
        Ok(Self { body, tag, ..Self::of_text(Vec::new()) }.under(published.clone(), is_fixed))
    }

    /// The head of one that is not made, JSON or a file: its length is not known.
    pub(crate) fn head(is_file: bool) -> Self {
        let media = if is_file { Media::File } else { Media::Json };
        Self { body: None, media, ..Self::of_text(Vec::new()) }
    }

    /// A response out of the cache.
    pub(crate) fn cached(cached: &CachedResponse) -> Self {
        let (written, tag) = (Some(cached.bytes.clone()), cached.tag.clone());
        let answer = Self::of_text(Vec::new());
        let answer =
            Self { body: None, written, tag, chain: cached.chain, media: cached.media, ..answer };
        answer.under(Arc::clone(&cached.published), cached.is_fixed)
    }

    /// The same, cached there once it is rendered.
    pub(crate) fn into_slot(mut self, slot: CacheSlot) -> Self {
        self.slot = Some(slot);
        self
    }

    /// The bytes of a file.
    pub(crate) fn of_file(bytes: Vec<u8>) -> Self {
        let written = Some(bytes.into());
        Self { body: None, written, media: Media::File, ..Self::of_text(Vec::new()) }
    }

    /// A page for people.
    pub(crate) fn of_html(page: String) -> Self {
        let written = Some(page.into());
        Self { body: None, written, media: Media::Html, ..Self::of_text(Vec::new()) }
    }

    /// The same with its tag, where it never changes: its address says all.
    pub(crate) fn tagged(mut self, seen: &Seen) -> Self {
        let published = self.published.as_ref().filter(|_| self.is_fixed);
        self.tag = published.map(|published| seen.tag(published, self.media == Media::File));
        self
    }

    /// The same with the room that it takes.
    pub(crate) fn taking(mut self, room: OwnedSemaphorePermit) -> Self {
        let has_body = self.body.is_some() || self.written.is_some();
        self.room = has_body.then(|| Arc::new(room));
        self
    }

    /// The same, of a body that is not JSON yet.
    pub(crate) fn of(body: &impl Serialize) -> Self {
        Self::of_text(case::text(body, None))
    }

    /// The same with the names of all members in one spelling.
    pub(crate) fn spelled(body: &impl Serialize, case: Case) -> Self {
        Self::of_text(case::text(body, Some(case)))
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

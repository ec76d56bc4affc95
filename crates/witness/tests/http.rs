//! The protocol as a log sees it: status, media type and body of every answer.

use crate::support;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use superroot_proof::hash::sha256_joined;
use superroot_proof::note::Note;
use superroot_store::{CrashPoint, MemoryStore};
use superroot_types::ManualClock;
use superroot_witness::{REQUEST_BYTES_MAX, router};
use support::*;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

struct Served {
    router: Router,
    key: Key,
    tree: Tree,
    failed: CancellationToken,
    _folder: tempfile::TempDir,
}

fn served(on_disk: Option<CrashPoint>) -> Served {
    let (key, tree) = (Key::new(ORIGIN), Tree::new(30, 30, ""));
    let folder = tempfile::tempdir().unwrap();
    let witness = match on_disk {
        None => on(Arc::new(MemoryStore::new()), folder.path(), &[&key]),
        Some(point) => {
            let store = embedded(folder.path());
            store.crash_at(point);
            on(store, folder.path(), &[&key])
        }
    };
    let failed = CancellationToken::new();
    let router = router(Arc::new(witness), Arc::new(ManualClock::at(NOW)), failed.clone());
    Served { router, key, tree, failed, _folder: folder }
}

impl Served {
    async fn asked(&self, request: Request<Body>) -> (StatusCode, String, String) {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let media_type = response.headers()[header::CONTENT_TYPE].to_str().unwrap().to_owned();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, media_type, String::from_utf8(body.to_vec()).unwrap())
    }

    async fn add(&self, body: impl Into<Body>) -> (StatusCode, String, String) {
        self.asked(Request::post("/add-checkpoint").body(body.into()).unwrap()).await
    }

    async fn get(&self, path: &str) -> (StatusCode, String, String) {
        self.asked(Request::get(path).body(Body::empty()).unwrap()).await
    }

    fn body(&self, old: u64, size: u64) -> String {
        self.tree.request(&self.key, old, size).encode()
    }
}

#[tokio::test]
async fn each_answer_has_the_status_that_the_protocol_names() {
    let served = served(None);
    let (status, _, lines) = served.add(served.body(0, 20)).await;
    assert_eq!(status, StatusCode::OK);
    assert!(lines.starts_with("\u{2014} witness.example/w ") && lines.ends_with('\n'), "{lines}");
    let text = served.tree.text(ORIGIN, 20);
    let note = Note::parse(&format!("{text}\n{lines}")).unwrap();
    assert_eq!(note.verify(own_key().verifier()), Ok(Some(NOW.0)));

    let (status, media_type, body) = served.add(served.body(10, 30)).await;
    let size = (StatusCode::CONFLICT, "text/x.tlog.size", "20\n");
    assert_eq!((status, media_type.as_str(), body.as_str()), size);
    let fork = Tree::new(20, 3, "!").request(&served.key, 20, 20).encode();
    let (status, media_type, body) = served.add(fork).await;
    assert_eq!((status, media_type.as_str(), body.as_str()), size);

    let stranger = served.tree.request(&Key::new(ORIGIN), 20, 30).encode();
    let unknown = served.tree.request(&Key::new("example.org/unknown"), 20, 30).encode();
    let unproven = Tree::new(30, 3, "!").request(&served.key, 20, 30).encode();
    let bent = served.body(20, 30).replacen("old 20", "old 31", 1);
    for (body, expected) in [
        (stranger, StatusCode::FORBIDDEN),
        (unknown, StatusCode::NOT_FOUND),
        (unproven, StatusCode::UNPROCESSABLE_ENTITY),
        (bent, StatusCode::BAD_REQUEST),
        (String::new(), StatusCode::BAD_REQUEST),
        ("old 20\n\nno note".to_owned(), StatusCode::BAD_REQUEST),
        ("x".repeat(REQUEST_BYTES_MAX + 1), StatusCode::PAYLOAD_TOO_LARGE),
    ] {
        let (status, _, answer) = served.add(body).await;
        assert_eq!(status, expected, "{answer}");
    }
    assert_eq!(served.add(served.body(20, 30)).await.0, StatusCode::OK);
    assert!(!served.failed.is_cancelled());
}

#[tokio::test]
async fn a_monitor_reads_what_was_cosigned_last() {
    let served = served(None);
    let id = const_hex::encode(sha256_joined(&[ORIGIN.as_bytes()]).0);
    let path = format!("/{id}/checkpoint");
    assert_eq!(served.get(&path).await.0, StatusCode::NOT_FOUND, "nothing was cosigned");
    for (old, size) in [(0, 20), (20, 30)] {
        served.add(served.body(old, size)).await;
    }
    let (status, media_type, text) = served.get(&path).await;
    assert_eq!((status, media_type.as_str()), (StatusCode::OK, "text/plain; charset=utf-8"));
    let note = Note::parse(&text).unwrap();
    assert_eq!(note.text(), served.tree.text(ORIGIN, 30));
    assert!(note.verify(&served.key.public).is_ok());
    assert_eq!(note.verify(own_key().verifier()), Ok(Some(NOW.0)));
    for id in [&id[1..], &id.to_uppercase(), &"0".repeat(64), "x", &format!("0x{id}")] {
        assert_eq!(served.get(&format!("/{id}/checkpoint")).await.0, StatusCode::NOT_FOUND, "{id}");
    }
    assert_eq!(served.get("/health/live").await.2, r#"{"status":"live"}"#);
    let get = Request::get("/add-checkpoint").body(Body::empty()).unwrap();
    let response = served.router.clone().oneshot(get).await.unwrap();
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
}

/// Nothing leaves that was not stored, and the process is told to end.
#[tokio::test]
async fn what_cannot_be_stored_is_not_cosigned() {
    let served = served(Some(CrashPoint::AfterEngine));
    let (status, _, body) = served.add(served.body(0, 20)).await;
    assert_eq!(
        (status, body.as_str()),
        (StatusCode::INTERNAL_SERVER_ERROR, "the witness failed\n")
    );
    assert!(served.failed.is_cancelled());
}

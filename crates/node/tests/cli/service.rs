//! A service with prepared answers, on a loopback port of its own.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::http::{StatusCode, Uri};
use serde_json::Value;
use superroot_wire::{Case, Problem};

/// Answers by path and query, with a note or, where there is none, without; every other path is a 404
/// without a problem.
#[derive(Default)]
pub(crate) struct Answers(HashMap<String, (u16, Vec<u8>)>);

impl Answers {
    pub(crate) fn with(mut self, path: &str, body: &Value) -> Self {
        self.0.insert(path.to_owned(), (200, body.to_string().into_bytes()));
        self
    }

    pub(crate) fn with_text(mut self, path: &str, text: &str) -> Self {
        self.0.insert(path.to_owned(), (200, text.as_bytes().to_vec()));
        self
    }

    pub(crate) fn with_bytes(mut self, path: &str, bytes: Vec<u8>) -> Self {
        self.0.insert(path.to_owned(), (200, bytes));
        self
    }

    pub(crate) fn with_problem(
        mut self,
        path: &str,
        status: u16,
        code: &str,
        detail: &str,
    ) -> Self {
        let mut problem = Problem::new(status, code, "A problem", detail);
        // what a named SuperRoot lacks it never gets
        problem.retryable = status == 409 && !path.contains('?');
        problem.retry_after = problem.retryable.then_some(12);
        let body = problem.to_value(None, Case::Camel).to_string();
        self.0.insert(path.to_owned(), (status, body.into_bytes()));
        self
    }

    /// Serves the answers until the test ends, and gives the address.
    pub(crate) fn serve(self) -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let answers = Arc::new(self.0);
        let router = Router::new().fallback(async move |uri: Uri| {
            let asked = uri.path_and_query().map_or("", |asked| asked.as_str());
            let unsigned = asked.replace("?note=1", "").replace("&note=1", "");
            let found = answers.get(asked).or_else(|| answers.get(&unsigned)).cloned();
            let (status, body) = found.unwrap_or((404, Vec::new()));
            (StatusCode::from_u16(status).unwrap(), body)
        });
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                axum::serve(listener, router).await.unwrap();
            });
        });
        url
    }
}

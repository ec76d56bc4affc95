//! What stands before a service in tests: another service, or delay.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::Uri;

use super::http;

/// An address behind which the service can be changed.
pub struct Front {
    pub url: String,
    state: Arc<Mutex<(String, Duration)>>,
}

impl Front {
    /// Hands every GET on, and gives the answer after `delay`.
    pub async fn to(service: &str, delay: Duration) -> Self {
        let state = Arc::new(Mutex::new((service.to_owned(), delay)));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let behind = state.clone();
        let router = Router::new().fallback(async move |uri: Uri| {
            let (url, delay) = behind.lock().unwrap().clone();
            tokio::time::sleep(delay).await;
            let answer = http().get(format!("{url}{uri}")).send().await.unwrap();
            (answer.status(), answer.bytes().await.unwrap())
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, state }
    }

    /// Puts another service behind it.
    pub fn turn_to(&self, service: &str) {
        service.clone_into(&mut self.state.lock().unwrap().0);
    }
}

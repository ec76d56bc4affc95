//! What stands before a node in tests: another node, or faults.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use serde_json::Value;

use super::http;

/// What is done to an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A page instead of JSON.
    Page,
    /// Headers that used more gas than they did.
    Header,
    /// Receipts that used more gas than they did.
    Receipts,
}

/// A node's address, behind which the node and its answers can be changed.
pub struct Gateway {
    pub url: String,
    state: Arc<Mutex<(String, Fault)>>,
}

impl Gateway {
    pub async fn to(node: &str) -> Self {
        let state = Arc::new(Mutex::new((node.to_owned(), Fault::None)));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let behind = state.clone();
        let router = Router::new().fallback(async move |body: Bytes| {
            let (url, fault) = behind.lock().unwrap().clone();
            let request = http().post(url).header("content-type", "application/json").body(body);
            let answer = request.send().await.unwrap().bytes().await.unwrap();
            bend(fault, answer)
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, state }
    }

    /// Puts another node behind it.
    pub fn turn_to(&self, node: &str) {
        node.clone_into(&mut self.state.lock().unwrap().0);
    }

    /// Lets answers be wrong in that way from now on.
    pub fn bend(&self, fault: Fault) {
        self.state.lock().unwrap().1 = fault;
    }
}

fn bend(fault: Fault, answer: Bytes) -> Bytes {
    match fault {
        Fault::None => answer,
        Fault::Page => Bytes::from_static(b"<html>busy</html>"),
        Fault::Header | Fault::Receipts => {
            let mut answer: Value = serde_json::from_slice(&answer).unwrap();
            let is_header = fault == Fault::Header;
            bend_gas(&mut answer, if is_header { "gasUsed" } else { "cumulativeGasUsed" });
            answer.to_string().into()
        }
    }
}

fn bend_gas(value: &mut Value, member: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| bend_gas(item, member)),
        Value::Object(members) => {
            if let Some(gas) = members.get_mut(member) {
                *gas = "0x7".into();
            }
            members.values_mut().for_each(|item| bend_gas(item, member));
        }
        _ => {}
    }
}

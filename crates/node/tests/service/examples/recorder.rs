//! Requests to a demo, kept with their answers as examples of the operations.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::support::{Service, http};

/// Items of a list of objects that an example shows.
const ITEMS_MAX: usize = 2;
/// Characters of a text that an example shows.
const TEXT_MAX: usize = 1_500;

/// What one operation is asked.
pub(crate) struct Asked {
    operation: &'static str,
    path: Map<String, Value>,
    query: Map<String, Value>,
    body: Option<Value>,
    key: String,
    is_list: bool,
    events: usize,
}

/// A request of an operation, by its id.
pub(crate) fn ask(operation: &'static str) -> Asked {
    let (path, query) = Default::default();
    Asked { operation, path, query, body: None, key: String::new(), is_list: false, events: 2 }
}

impl Asked {
    pub(crate) fn path(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.path.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn query(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.query.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    pub(crate) fn key(mut self, key: &str) -> Self {
        key.clone_into(&mut self.key);
        self
    }

    /// Of a stream, its first word alone is waited for.
    pub(crate) const fn opened(mut self) -> Self {
        self.events = 0;
        self
    }

    /// The example shows the first rows of its lists.
    pub(crate) const fn shortened(mut self) -> Self {
        self.is_list = true;
        self
    }
}

/// Asks, and keeps what was asked and answered.
pub(crate) struct Recorder<'a> {
    pub(crate) service: &'a Service,
    paths: Value,
    pub(crate) examples: BTreeMap<String, Value>,
    /// Addresses that a GET was answered at, with the key it was asked under.
    pub(crate) gets: Vec<(String, String)>,
    /// What was refused.
    pub(crate) faults: Vec<String>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(service: &'a Service, document: &Value) -> Self {
        Self {
            service,
            paths: document["paths"].clone(),
            examples: BTreeMap::new(),
            gets: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// The answer, whole; the example of it is kept.
    pub(crate) async fn call(&mut self, asked: Asked) -> Value {
        let (status, media, whole) = self.send(&asked).await;
        let host = self.service.url.trim_start_matches("http://");
        let text = shown(whole.clone(), asked.is_list).to_string().replace(host, "127.0.0.1:8080");
        let shown = serde_json::from_str(&text).unwrap();
        self.keep(asked, status, &media, shown);
        whole
    }

    /// The answer, whole; of the question is kept what the one before left out.
    pub(crate) async fn also(&mut self, asked: Asked) -> Value {
        let (_, _, whole) = self.send(&asked).await;
        self.keep_more(asked);
        whole
    }

    async fn send(&mut self, asked: &Asked) -> (u16, String, Value) {
        let (method, path) = self.find(asked.operation);
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut url = format!("{}{path}", self.service.url);
        for (name, value) in &asked.path {
            url = url.replace(&format!("{{{name}}}"), &text(value));
        }
        let query: Vec<(&String, String)> =
            asked.query.iter().map(|(name, value)| (name, text(value))).collect();
        let url = reqwest::Url::parse_with_params(&url, &query).unwrap();
        let address = url.to_string();
        let mut request = http().request(method.parse().unwrap(), url);
        if !asked.key.is_empty() {
            request = request.header("x-api-key", &asked.key);
        }
        if let Some(body) = &asked.body {
            request = request.json(body);
        }
        let mut answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        if method.eq_ignore_ascii_case("get") && status == 200 {
            self.gets.push((address, asked.key.clone()));
        }
        let media = answer.headers()["content-type"].to_str().unwrap();
        let media = media.split(';').next().unwrap().to_owned();
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.unwrap() {
            bytes.extend_from_slice(&chunk);
            // a stream never ends: a few of its events are enough
            let events = bytes.windows(2).filter(|two| *two == b"\n\n").count();
            if media == "text/event-stream" && events > asked.events {
                break;
            }
        }
        let whole = match media.as_str() {
            media if media.ends_with("json") => serde_json::from_slice(&bytes).unwrap(),
            "application/octet-stream" => json!(format!("{} bytes", bytes.len())),
            "text/event-stream" => one_event(&String::from_utf8(bytes).unwrap()),
            _ => json!(String::from_utf8(bytes).unwrap()),
        };
        // a demo has no registry contract, and so no usage checkpoint; of a pass the terms are shown
        let is_refusal =
            ["unknown_checkpoint", "payment_required"].iter().any(|code| whole["code"] == *code);
        let Asked { operation, query, .. } = asked;
        // signers of a demo do not contradict themselves
        let is_refusal = is_refusal || *operation == "lightClientConflict";
        if status >= 300 && !is_refusal {
            self.faults.push(format!("{operation} {query:?}: {status} {whole}"));
        }
        (status, media, whole)
    }

    /// Keeps an answer that came in another way.
    pub(crate) fn keep(&mut self, asked: Asked, status: u16, media: &str, answer: Value) {
        let mut example = json!({ "status": status, "media": media, "answer": answer });
        for (name, members) in [("path", asked.path), ("query", asked.query)] {
            if !members.is_empty() {
                example[name] = members.into();
            }
        }
        if let Some(body) = asked.body {
            example["body"] = body;
        }
        let before = self.examples.insert(asked.operation.to_owned(), example);
        assert!(before.is_none(), "{} has an example already", asked.operation);
    }

    /// Keeps what was asked besides, where it was asked in another way.
    pub(crate) fn keep_more(&mut self, asked: Asked) {
        let example = self.examples.get_mut(asked.operation).expect("it was called before");
        for (name, value) in asked.query {
            if example["query"].get(&name).is_none() {
                example["more"]["query"][name] = value;
            }
        }
        if let Some(body) = asked.body {
            example["more"]["body"] = body;
        }
    }

    fn find(&self, operation: &str) -> (String, String) {
        for (path, methods) in self.paths.as_object().unwrap() {
            for (method, described) in methods.as_object().unwrap() {
                if described["operationId"] == operation {
                    return (method.to_uppercase(), path.clone());
                }
            }
        }
        panic!("no operation {operation}");
    }
}

/// The last whole event of a stream, as the document describes one.
fn one_event(stream: &str) -> Value {
    let (whole, _) = stream.rsplit_once("\n\n").unwrap();
    let (_, last) = whole.rsplit_once("\n\n").unwrap_or(("", whole));
    let members = last.lines().filter_map(|line| line.split_once(": "));
    members
        .filter(|(name, _)| *name != "retry")
        .map(|(name, value)| (name, Value::from(value)))
        .collect()
}

/// What an example shows of an answer: no secret that anybody could use, and no page of rows.
fn shown(answer: Value, is_list: bool) -> Value {
    match answer {
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| match value {
                // a token that is a contract, or its symbol, is no secret
                Value::String(secret)
                    if matches!(name.as_str(), "api_key" | "secret")
                        || secret.starts_with("srt_") =>
                {
                    let value = crossed_out(&secret).into();
                    (name, value)
                }
                value => (name, shown(value, is_list)),
            })
            .collect(),
        Value::Array(items) => {
            let most = match is_list && items.iter().any(Value::is_object) {
                true => ITEMS_MAX,
                false => usize::MAX,
            };
            items.into_iter().take(most).map(|item| shown(item, is_list)).collect()
        }
        Value::String(text) if text.len() > TEXT_MAX && !text.starts_with("0x") => {
            let end = text.floor_char_boundary(TEXT_MAX);
            format!("{}…", &text[..end]).into()
        }
        other => other,
    }
}

/// A secret of the same form that opens nothing: all but the words before it is crossed out.
fn crossed_out(secret: &str) -> String {
    let words = secret.rfind('_').map_or(0, |at| at + 1);
    let crossed = secret[words..].chars().map(|c| if c.is_ascii_alphanumeric() { 'x' } else { c });
    secret[..words].chars().chain(crossed).collect()
}

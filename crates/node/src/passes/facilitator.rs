//! Facilitators over HTTP: `POST /verify`, `POST /settle` (x402 version 2, section 7 of its specification).

use std::time::Duration;

use anyhow::Context;
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use superroot_api::{Facilitated, Facilitator};
use superroot_types::first_chars;
use superroot_wire::account::{Settlement, X402_VERSION};

const TIMEOUT: Duration = Duration::from_secs(30);
const ANSWER_BYTES_MAX: usize = 65_536;
const REASON_CHARS_MAX: usize = 200;

/// Facilitators, in the order in which they are asked: the next one if one cannot be reached.
pub(crate) struct HttpFacilitators {
    http: reqwest::Client,
    urls: Vec<Url>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VerifiedPayment {
    is_valid: bool,
    invalid_reason: Option<String>,
}

impl HttpFacilitators {
    pub(crate) fn new(urls: Vec<Url>) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build();
        Ok(Self { http: http.context("cannot make a client for pass.facilitators")?, urls })
    }

    /// Answer of the first facilitator that gives one.
    async fn ask<T: DeserializeOwned>(
        &self,
        path: &str,
        payment: &Value,
        terms: &Value,
    ) -> Result<T, String> {
        let body = json!({
            "x402Version": X402_VERSION,
            "paymentPayload": payment,
            "paymentRequirements": terms,
        });
        for url in &self.urls {
            match self.ask_one(url, path, &body).await {
                Ok(answer) => return Ok(answer),
                Err(why) => {
                    let at = url.origin().ascii_serialization();
                    tracing::warn!("facilitator {at}: {why}");
                }
            }
        }
        Err("no facilitator answers".to_owned())
    }

    async fn ask_one<T: DeserializeOwned>(
        &self,
        url: &Url,
        path: &str,
        body: &Value,
    ) -> Result<T, String> {
        let mut url = url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push(path);
        }
        let broken = |error: reqwest::Error| error.without_url().to_string();
        let mut answer = self.http.post(url).json(body).send().await.map_err(broken)?;
        let status = answer.status();
        let mut read = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(broken)? {
            if read.len() + piece.len() > ANSWER_BYTES_MAX {
                return Err(format!("its answer is larger than {ANSWER_BYTES_MAX} bytes"));
            }
            read.extend_from_slice(&piece);
        }
        // a refusal may have another status, with the same body
        serde_json::from_slice(&read)
            .map_err(|_| format!("it answers {status}, and not as x402 says"))
    }
}

impl Facilitator for HttpFacilitators {
    fn verify<'a>(&'a self, payment: &'a Value, terms: &'a Value) -> Facilitated<'a, ()> {
        Box::pin(async move {
            let verified: VerifiedPayment = self.ask("verify", payment, terms).await?;
            match verified.is_valid {
                true => Ok(()),
                false => Err(reason(verified.invalid_reason)),
            }
        })
    }

    fn settle<'a>(&'a self, payment: &'a Value, terms: &'a Value) -> Facilitated<'a, Settlement> {
        Box::pin(async move {
            let settled: Settlement = self.ask("settle", payment, terms).await?;
            let error_reason = (!settled.success).then(|| reason(settled.error_reason));
            Ok(Settlement { error_reason, ..settled })
        })
    }
}

fn reason(said: Option<String>) -> String {
    let said = said.unwrap_or_else(|| "no reason".to_owned());
    first_chars(&said, REASON_CHARS_MAX).to_owned()
}

//! Configuration of nodes.

use serde::{Deserialize, Serialize};

use crate::error::SourceError;

#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndpointConfig {
    /// `http`, `https`, `ws` or `wss`; may contain a key, never shown in full.
    pub url: String,
    /// Display name; default: scheme, host and port of the URL.
    #[serde(default)]
    pub name: Option<String>,
    /// Operator: nodes of the same operator count once in an agreement. Default: the registrant of the host name.
    #[serde(default)]
    pub operator: Option<String>,
}

impl EndpointConfig {
    /// Node named after the URL.
    #[must_use]
    pub fn at(url: &str) -> Self {
        Self { url: url.to_owned(), name: None, operator: None }
    }
}

impl std::fmt::Debug for EndpointConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EndpointConfig").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Finality rule. In configuration `"auto"`, `"finalized"`, `"latest"` or a number of confirmations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    rename_all = "lowercase",
    expecting = "auto, finalized, latest or a number of confirmations"
)]
pub enum FinalityAsk {
    /// Default of the chain's ledger: [`superroot_chain::Ledger::default_finality`].
    #[default]
    Auto,
    /// Block with tag `finalized`.
    Finalized,
    /// Newest block, for chains with nodes that show final blocks only.
    Latest,
    /// Newest block minus this number of blocks.
    #[serde(untagged)]
    Confirmations(u64),
}

/// Calls for a single operator's final block, with some for other operators: with less time, the fetch would restart
/// for ever.
const FETCH_CALLS_MIN: u64 = 30;

/// Configuration for the nodes of a chain. Times are in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LiveConfig {
    /// Nodes of different operators required to agree on a final block; with fewer operators, all operators.
    pub quorum: u32,
    pub finality: FinalityAsk,
    /// Time for a call, from sending to the last answer byte.
    pub timeout_ms: u64,
    /// Time to collect tips from all nodes; later answers are ignored.
    pub tip_timeout_ms: u64,
    /// Time for the other nodes after the quorum has answered.
    pub tip_patience_ms: u64,
    /// Time for a block, with all retries and pauses; at least enough for 30 calls at `calls_per_second_max`.
    pub fetch_timeout_ms: u64,
    /// Most attempts for a block, over all nodes.
    pub attempts_max: u32,
    /// Largest answer after decompression, in bytes.
    pub body_bytes_max: usize,
    /// Most received, uncommitted bytes over all chains. At least four times the largest answer.
    pub in_hand_bytes_max: usize,
    pub batch_calls_max: usize,
    pub calls_per_second_max: u32,
    pub calls_in_flight_max: usize,
    /// First pause after wrong data; doubles each time.
    pub wrong_pause_ms: u64,
    /// Longest pause after wrong data.
    pub wrong_pause_max_ms: u64,
    /// Whether replay servers of recordings count as nodes; for trials.
    pub replay_servers: bool,
    /// Seed for jitter and exploration; `None`: chosen at start.
    pub seed: Option<u64>,
}

impl Default for LiveConfig {
    fn default() -> Self {
        Self {
            quorum: 2,
            finality: FinalityAsk::Auto,
            timeout_ms: 20_000,
            tip_timeout_ms: 5_000,
            tip_patience_ms: 500,
            fetch_timeout_ms: 60_000,
            attempts_max: 8,
            body_bytes_max: 64 << 20,
            in_hand_bytes_max: crate::budget::IN_HAND_BYTES,
            batch_calls_max: 50,
            calls_per_second_max: 25,
            calls_in_flight_max: 8,
            wrong_pause_ms: 15_000,
            wrong_pause_max_ms: 600_000,
            replay_servers: false,
            seed: None,
        }
    }
}

impl LiveConfig {
    /// Checks that the values allow work and are bounded. [`SourceError::Config`] names the key.
    pub fn check(&self) -> Result<(), SourceError> {
        let day = 86_400_000;
        let times = [
            ("timeout_ms", self.timeout_ms),
            ("tip_timeout_ms", self.tip_timeout_ms),
            ("fetch_timeout_ms", self.fetch_timeout_ms),
            ("wrong_pause_ms", self.wrong_pause_ms),
            ("wrong_pause_max_ms", self.wrong_pause_max_ms),
        ];
        for (field, got) in times {
            within(field, got, 1, day, "at least 1 and at most a day")?;
        }
        let calls_ms = FETCH_CALLS_MIN * 1_000 / u64::from(self.calls_per_second_max.max(1));
        let expected = "time for 30 calls at calls_per_second_max";
        within("fetch_timeout_ms", self.fetch_timeout_ms, calls_ms, day, expected)?;
        within("tip_patience_ms", self.tip_patience_ms, 0, day, "at most a day")?;
        let counts = [
            ("quorum", u64::from(self.quorum), 100),
            ("attempts_max", u64::from(self.attempts_max), 1_000),
            ("batch_calls_max", self.batch_calls_max as u64, 1_000),
            ("calls_per_second_max", u64::from(self.calls_per_second_max), 100_000),
            ("calls_in_flight_max", self.calls_in_flight_max as u64, 1_000),
        ];
        for (field, got, most) in counts {
            within(field, got, 1, most, "at least 1 and not past its bound")?;
        }
        let bytes = self.body_bytes_max as u64;
        within("body_bytes_max", bytes, 1, 1 << 30, "at least 1 and at most 1 GiB")?;
        let in_hand = self.in_hand_bytes_max as u64;
        let expected = "at least four times body_bytes_max, and at most 1 TiB";
        within("in_hand_bytes_max", in_hand, bytes.saturating_mul(4), 1 << 40, expected)
    }
}

fn within(
    field: &'static str,
    got: u64,
    least: u64,
    most: u64,
    expected: &'static str,
) -> Result<(), SourceError> {
    if (least..=most).contains(&got) {
        return Ok(());
    }
    Err(SourceError::Config { field, got, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_hold_and_what_allows_nothing_is_refused() {
        let good = LiveConfig::default();
        good.check().unwrap();
        for (config, field) in [
            (LiveConfig { quorum: 0, ..good }, "quorum"),
            (
                LiveConfig { calls_per_second_max: 9, fetch_timeout_ms: 3_000, ..good },
                "fetch_timeout_ms",
            ),
            (LiveConfig { timeout_ms: 0, ..good }, "timeout_ms"),
            (LiveConfig { attempts_max: 0, ..good }, "attempts_max"),
            (LiveConfig { body_bytes_max: 0, ..good }, "body_bytes_max"),
            (LiveConfig { body_bytes_max: usize::MAX, ..good }, "body_bytes_max"),
            (LiveConfig { in_hand_bytes_max: 255 << 20, ..good }, "in_hand_bytes_max"),
            (LiveConfig { in_hand_bytes_max: usize::MAX, ..good }, "in_hand_bytes_max"),
            (LiveConfig { batch_calls_max: 0, ..good }, "batch_calls_max"),
            (LiveConfig { calls_in_flight_max: usize::MAX, ..good }, "calls_in_flight_max"),
        ] {
            let error = config.check().unwrap_err().to_string();
            assert!(error.starts_with(&format!("{field} is ")), "{error}");
        }
    }

    #[test]
    fn finality_is_a_word_or_a_number() {
        let read = |json: &str| serde_json::from_str::<FinalityAsk>(json);
        for (json, expected) in [
            (r#""auto""#, FinalityAsk::Auto),
            (r#""finalized""#, FinalityAsk::Finalized),
            (r#""latest""#, FinalityAsk::Latest),
            ("12", FinalityAsk::Confirmations(12)),
        ] {
            assert_eq!(read(json).unwrap(), expected);
            assert_eq!(serde_json::to_string(&expected).unwrap(), json);
        }
        for json in [r#""safe""#, "-1", "1.5", "null", "[]", r#""""#] {
            let error = read(json).unwrap_err().to_string();
            assert!(error.starts_with("auto, finalized, latest or a number"), "{error}");
        }
    }

    #[test]
    fn unknown_keys_are_errors_and_a_url_is_not_shown() {
        assert!(serde_json::from_str::<LiveConfig>(r#"{"quorums":2}"#).is_err());
        assert!(serde_json::from_str::<EndpointConfig>(r#"{"url":"a","key":"b"}"#).is_err());
        let endpoint: EndpointConfig =
            serde_json::from_str(r#"{"url":"http://node/secretsecret"}"#).unwrap();
        assert!(!format!("{endpoint:?}").contains("secret"));
    }
}

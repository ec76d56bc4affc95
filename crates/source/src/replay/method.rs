//! The methods a replay server knows.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use superroot_chain::{ChainRow, UntrustedBlock};
use superroot_types::{BlockNumber, ChainKey, Family, Hash};

use super::answer::Fault;
use crate::BlockId;
use crate::error::SourceError;
use crate::recorded::{Capture, Recordings};
use crate::rpc::{RECORDED_NUMBERS, REPLAY_CLIENT, parse_quantity, quantity};

pub(super) type Outcome = Result<Box<RawValue>, Fault>;

/// Answers one call.
pub(super) fn call(
    recordings: &Recordings,
    chain: ChainKey,
    method: &str,
    params: &[Value],
) -> Outcome {
    let methods = Methods { recordings, chain };
    if chain.family == Family::Bitcoin && method != RECORDED_NUMBERS {
        let answer = super::bitcoin::call(&methods, method, params);
        return answer.unwrap_or_else(|| Err(Fault::method(method)));
    }
    match method {
        "web3_clientVersion" => {
            let [] = exactly(params)?;
            json(&format!("{REPLAY_CLIENT}{}", env!("CARGO_PKG_VERSION")))
        }
        "eth_chainId" => {
            let [] = exactly(params)?;
            json(&quantity(chain.id.0))
        }
        "net_version" => {
            let [] = exactly(params)?;
            json(&chain.id.to_string())
        }
        "eth_blockNumber" => {
            let [] = exactly(params)?;
            json(&quantity(recordings.tip(chain).map_err(fault)?.number.0))
        }
        "eth_getBlockByNumber" => {
            let [which, full] = exactly(params)?;
            methods.block(methods.number(which)?, flag(full)?)
        }
        "eth_getBlockByHash" => {
            let [hash, full] = exactly(params)?;
            let hash = block_hash(hash).ok_or_else(|| Fault::params("params[0] is no hash"))?;
            methods.block(methods.number_of(&hash)?, flag(full)?)
        }
        "eth_getBlockReceipts" => {
            let [which] = exactly(params)?;
            let number = match block_hash(which) {
                Some(hash) => methods.number_of(&hash)?,
                None => methods.number(which)?,
            };
            methods.receipts(number)
        }
        RECORDED_NUMBERS => {
            let [from, limit] = exactly(params)?;
            methods.numbers(integer(from, "params[0]")?, integer(limit, "params[1]")?)
        }
        _ => Err(Fault::method(method)),
    }
}

pub(super) struct Methods<'a> {
    recordings: &'a Recordings,
    chain: ChainKey,
}

impl Methods<'_> {
    pub(super) fn tip(&self) -> Result<BlockId, Fault> {
        self.recordings.tip(self.chain).map_err(fault)
    }

    pub(super) fn row(&self) -> Option<&ChainRow> {
        self.recordings.registry().by_key(self.chain).map(|(_, row)| row)
    }

    pub(super) fn untrusted(
        &self,
        number: BlockNumber,
    ) -> Result<Option<UntrustedBlock>, SourceError> {
        let loaded = self.recordings.load_capture(self.chain, number)?;
        loaded.map(|(capture, path)| capture.into_untrusted(self.chain.family, &path)).transpose()
    }

    fn block(&self, number: Option<BlockNumber>, full: bool) -> Outcome {
        match self.capture(number)? {
            Some(capture) => json(&capture.block_members(full).map_err(|_| unreadable())?),
            None => json(&()),
        }
    }

    fn receipts(&self, number: Option<BlockNumber>) -> Outcome {
        match self.capture(number)? {
            Some(capture) => json(&capture.receipts()),
            None => json(&()),
        }
    }

    fn numbers(&self, from: u64, limit: u64) -> Outcome {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let numbers = self.recordings.numbers(self.chain, BlockNumber(from), limit);
        let numbers = numbers.map_err(fault)?;
        json(&numbers.into_iter().map(|number| quantity(number.0)).collect::<Vec<_>>())
    }

    fn capture(&self, number: Option<BlockNumber>) -> Result<Option<Capture>, Fault> {
        let Some(number) = number else { return Ok(None) };
        let loaded = self.recordings.load_capture(self.chain, number).map_err(fault)?;
        Ok(loaded.map(|(capture, _)| capture))
    }

    pub(super) fn number_of(&self, hash: &Hash) -> Result<Option<BlockNumber>, Fault> {
        self.recordings.number_of(self.chain, hash).map_err(fault)
    }

    /// The number that a tag or a quantity means; `None` for a tag that recordings have not.
    fn number(&self, which: &Value) -> Result<Option<BlockNumber>, Fault> {
        match which.as_str() {
            Some("latest" | "safe" | "finalized") => {
                self.recordings.tip(self.chain).map(|tip| Some(tip.number)).map_err(fault)
            }
            Some("earliest") => self.recordings.first(self.chain).map(Some).map_err(fault),
            Some("pending") => Ok(None),
            _ => integer(which, "params[0]").map(|number| Some(BlockNumber(number))),
        }
    }
}

/// As many params as the method has.
pub(super) fn exactly<const N: usize>(params: &[Value]) -> Result<&[Value; N], Fault> {
    let wrong = |_| Fault::params(format!("expected {N} params, got {}", params.len()));
    params.try_into().map_err(wrong)
}

fn flag(param: &Value) -> Result<bool, Fault> {
    param.as_bool().ok_or_else(|| Fault::params("params[1] is not true or false"))
}

fn integer(param: &Value, field: &str) -> Result<u64, Fault> {
    let wrong = || Fault::params(format!("{field} is no quantity, as 0x10"));
    param.as_str().and_then(parse_quantity).ok_or_else(wrong)
}

fn block_hash(param: &Value) -> Option<Hash> {
    param.as_str()?.parse().ok()
}

pub(super) fn json(value: &impl Serialize) -> Outcome {
    to_raw_value(value).map_err(|_| unreadable())
}

pub(super) fn unreadable() -> Fault {
    Fault::internal("the recording of this block cannot be read")
}

/// What a caller is told; the log says the rest.
pub(super) fn fault(error: SourceError) -> Fault {
    let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    tracing::warn!(cause, "a recording cannot be replayed: {error}");
    unreadable()
}

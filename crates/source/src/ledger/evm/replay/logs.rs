//! `eth_getLogs` over recorded blocks: a range with a hole is refused, never thinned out.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use superroot_types::{Address, BlockNumber, Hash};

use super::number;
use crate::ledger::evm::capture::receipts;
use crate::replay::methods::{Methods, Outcome, RpcFault, exactly, json, unreadable};

const BLOCKS_MAX: u64 = 10_000;
const LOGS_MAX: usize = 10_000;
const TOPICS_MAX: usize = 4;

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum OneOf<T> {
    One(T),
    Any(Vec<T>),
}

impl<T: PartialEq> OneOf<T> {
    fn has(&self, value: &T) -> bool {
        match self {
            Self::One(one) => one == value,
            // as nodes have it, none is any
            Self::Any(any) => any.is_empty() || any.contains(value),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LogFilter {
    #[serde(default)]
    from_block: Option<Value>,
    #[serde(default)]
    to_block: Option<Value>,
    #[serde(default)]
    block_hash: Option<Hash>,
    #[serde(default)]
    address: Option<OneOf<Address>>,
    #[serde(default)]
    topics: Option<Vec<Option<OneOf<Hash>>>>,
}

#[derive(Deserialize)]
struct FilteredLog {
    address: Address,
    topics: Vec<Hash>,
}

impl LogFilter {
    fn has(&self, log: &FilteredLog) -> bool {
        let topics = self.topics.as_deref().unwrap_or_default();
        let is_there = |(place, wanted): (usize, &Option<OneOf<Hash>>)| match wanted {
            None => log.topics.len() > place,
            Some(wanted) => log.topics.get(place).is_some_and(|topic| wanted.has(topic)),
        };
        self.address.as_ref().is_none_or(|address| address.has(&log.address))
            && topics.iter().enumerate().all(is_there)
    }

    fn range(&self, methods: &Methods<'_>) -> Result<(u64, u64), RpcFault> {
        if let Some(hash) = &self.block_hash {
            if self.from_block.is_some() || self.to_block.is_some() {
                return Err(RpcFault::params("blockHash stands beside fromBlock or toBlock"));
            }
            let number = methods.number_of(hash)?;
            let number = number
                .ok_or_else(|| RpcFault::not_recorded("no block of that hash is recorded"))?;
            return Ok((number.0, number.0));
        }
        let end = |which: &Option<Value>| match which {
            None => methods.tip().map(|tip| tip.number.0),
            Some(which) => number(methods, which)?
                .map(|number| number.0)
                .ok_or_else(|| RpcFault::not_recorded("pending blocks are not recorded")),
        };
        let from = end(&self.from_block)?;
        let to = end(&self.to_block)?;
        if from > to {
            return Err(RpcFault::params("fromBlock is above toBlock"));
        }
        if to - from >= BLOCKS_MAX {
            return Err(RpcFault::params(format!("a range has at most {BLOCKS_MAX} blocks")));
        }
        Ok((from, to))
    }
}

pub(super) fn logs(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    #[derive(Deserialize)]
    struct ReplayedReceipt<'a> {
        #[serde(borrow)]
        logs: Vec<&'a RawValue>,
    }
    let [filter] = exactly(params)?;
    if !filter.is_object() {
        // serde would read a list as an object's values in turn
        return Err(RpcFault::params("params[0] is no object"));
    }
    let filter = LogFilter::deserialize(filter)
        .map_err(|error| RpcFault::params(format!("params[0] is no filter: {error}")))?;
    if filter.topics.as_ref().is_some_and(|topics| topics.len() > TOPICS_MAX) {
        return Err(RpcFault::params("topics has more than 4 places"));
    }
    let (from, to) = filter.range(methods)?;
    let mut found: Vec<Box<RawValue>> = Vec::new();
    for number in from..=to {
        let lacks =
            |what: &str| RpcFault::not_recorded(format!("{what} block {number} are not recorded"));
        let capture = methods.capture(Some(BlockNumber(number)))?;
        let capture = capture.ok_or_else(|| lacks("the events of"))?;
        let receipts = receipts(&capture).ok_or_else(|| lacks("the receipts of"))?;
        let receipts: Vec<ReplayedReceipt<'_>> =
            serde_json::from_str(receipts.get()).map_err(|_| unreadable())?;
        for log in receipts.into_iter().flat_map(|receipt| receipt.logs) {
            let seen: FilteredLog = serde_json::from_str(log.get()).map_err(|_| unreadable())?;
            if filter.has(&seen) {
                found.push(log.to_owned());
            }
        }
        if found.len() > LOGS_MAX {
            return Err(RpcFault::params(format!("the range has more than {LOGS_MAX} logs")));
        }
    }
    json(&found)
}

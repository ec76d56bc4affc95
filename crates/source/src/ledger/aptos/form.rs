//! The ledger's form for sources.

use serde_json::Value;
use superroot_chain::ChainSpec;
use superroot_chain::ledger::aptos::{AptosParams, RawAptosBlock};
use superroot_types::Hash;

use super::nodes::Aptos;
use super::{capture, replay, simulated};
use crate::error::SourceError;
use crate::ledger::form::{DialectSetup, LedgerForm, ReceivedBlock, ReplayCalls};
use crate::live::node::json_rpc::RpcProtocol;
use crate::recorded::Capture;
use crate::simulated::made::BlockFactory;

impl LedgerForm for Aptos {
    type Params = AptosParams;
    type Raw = RawAptosBlock;

    const PROTOCOL: RpcProtocol = RpcProtocol::Paths;
    const MAKE: Option<BlockFactory> = Some(simulated::make);
    const REPLAY: ReplayCalls = ReplayCalls::Paths(replay::call);

    fn of(_: &ChainSpec, params: &AptosParams, setup: DialectSetup) -> Result<Self, SourceError> {
        Ok(Self::new(params, setup.finality))
    }

    fn read_capture(capture: &Capture) -> Result<ReceivedBlock, SourceError> {
        capture::read(capture).map(ReceivedBlock::from)
    }

    fn write_capture(raw: &RawAptosBlock) -> (Value, Value) {
        capture::write(raw)
    }

    fn claimed_hashes(raw: &RawAptosBlock) -> (Option<Hash>, Hash) {
        (Some(raw.hash), raw.parent_hash)
    }
}

//! The ledger's form for sources.

use serde_json::Value;
use superroot_chain::ChainSpec;
use superroot_chain::ledger::tron::{RawTronBlock, TronParams};
use superroot_types::Hash;

use super::nodes::Tron;
use super::{capture, parent_hash, replay, simulated};
use crate::error::SourceError;
use crate::ledger::form::{DialectSetup, LedgerForm, ReceivedBlock, ReplayCalls};
use crate::live::node::json_rpc::RpcProtocol;
use crate::recorded::Capture;
use crate::simulated::made::BlockFactory;

impl LedgerForm for Tron {
    type Params = TronParams;
    type Raw = RawTronBlock;

    const PROTOCOL: RpcProtocol = RpcProtocol::Paths;
    const MAKE: Option<BlockFactory> = Some(simulated::make);
    const REPLAY: ReplayCalls = ReplayCalls::Paths(replay::call);

    fn of(row: &ChainSpec, params: &TronParams, setup: DialectSetup) -> Result<Self, SourceError> {
        Ok(Self::new(row, params, setup.finality))
    }

    fn read_capture(capture: &Capture) -> Result<ReceivedBlock, SourceError> {
        capture::read(capture).map(ReceivedBlock::from)
    }

    fn write_capture(raw: &RawTronBlock) -> (Value, Value) {
        capture::write(raw)
    }

    fn claimed_hashes(raw: &RawTronBlock) -> (Option<Hash>, Hash) {
        (Some(raw.hash), parent_hash(raw))
    }
}

//! The ledger's form for sources.

use serde_json::Value;
use superroot_chain::ChainSpec;
use superroot_chain::ledger::icp::{IcpParams, RawIcpBlock};
use superroot_types::Hash;

use super::nodes::Icp;
use super::{capture, parent_hash, replay, simulated};
use crate::error::SourceError;
use crate::ledger::form::{DialectSetup, LedgerForm, ReceivedBlock, ReplayCalls};
use crate::live::node::json_rpc::RpcProtocol;
use crate::recorded::Capture;
use crate::simulated::made::BlockFactory;

impl LedgerForm for Icp {
    type Params = IcpParams;
    type Raw = RawIcpBlock;

    const PROTOCOL: RpcProtocol = RpcProtocol::Paths;
    const MAKE: Option<BlockFactory> = Some(simulated::make);
    const REPLAY: ReplayCalls = ReplayCalls::Paths(replay::call);

    fn of(row: &ChainSpec, params: &IcpParams, setup: DialectSetup) -> Result<Self, SourceError> {
        Self::new(row, params, setup)
    }

    fn read_capture(capture: &Capture) -> Result<ReceivedBlock, SourceError> {
        capture::read(capture).map(ReceivedBlock::from)
    }

    fn write_capture(raw: &RawIcpBlock) -> (Value, Value) {
        capture::write(raw)
    }

    fn claimed_hashes(raw: &RawIcpBlock) -> (Option<Hash>, Hash) {
        (Some(raw.hash), parent_hash(raw))
    }
}

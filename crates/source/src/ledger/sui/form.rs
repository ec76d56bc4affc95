//! The ledger's form for sources.

use serde_json::Value;
use superroot_chain::ChainSpec;
use superroot_chain::ledger::sui::{RawSuiBlock, SuiParams};
use superroot_types::Hash;

use super::nodes::Sui;
use super::{capture, parent_hash, replay, simulated};
use crate::error::SourceError;
use crate::ledger::form::{DialectSetup, LedgerForm, ReceivedBlock, ReplayCalls};
use crate::live::node::json_rpc::RpcProtocol;
use crate::recorded::Capture;
use crate::simulated::made::BlockFactory;

impl LedgerForm for Sui {
    type Params = SuiParams;
    type Raw = RawSuiBlock;

    const PROTOCOL: RpcProtocol = RpcProtocol::Grpc;
    const MAKE: Option<BlockFactory> = Some(simulated::make);
    const REPLAY: ReplayCalls = ReplayCalls::Grpc(replay::call);

    fn of(row: &ChainSpec, params: &SuiParams, setup: DialectSetup) -> Result<Self, SourceError> {
        Self::new(row, params, setup.finality)
    }

    fn read_capture(capture: &Capture) -> Result<ReceivedBlock, SourceError> {
        capture::read(capture).map(ReceivedBlock::from)
    }

    fn write_capture(raw: &RawSuiBlock) -> (Value, Value) {
        capture::write(raw)
    }

    fn claimed_hashes(raw: &RawSuiBlock) -> (Option<Hash>, Hash) {
        (Some(raw.digest), parent_hash(raw))
    }
}

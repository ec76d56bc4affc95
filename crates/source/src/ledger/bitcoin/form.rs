//! The ledger's form for sources.

use serde_json::Value;
use superroot_chain::ChainSpec;
use superroot_chain::ledger::bitcoin::{BitcoinParams, RawBitcoinBlock};
use superroot_types::Hash;

use super::nodes::Bitcoin;
use super::{capture, parent_hash, replay, simulated};
use crate::error::SourceError;
use crate::ledger::form::{DialectSetup, LedgerForm, ReceivedBlock, ReplayCalls};
use crate::live::node::json_rpc::RpcProtocol;
use crate::recorded::Capture;
use crate::simulated::made::BlockFactory;

impl LedgerForm for Bitcoin {
    type Params = BitcoinParams;
    type Raw = RawBitcoinBlock;

    const PROTOCOL: RpcProtocol = RpcProtocol::JsonRpcUnnamed;
    const MAKE: Option<BlockFactory> = Some(simulated::make);
    const REPLAY: ReplayCalls = ReplayCalls::Methods(replay::call);

    fn of(row: &ChainSpec, _: &BitcoinParams, setup: DialectSetup) -> Result<Self, SourceError> {
        Self::with_finality(row, setup.finality)
    }

    fn read_capture(capture: &Capture) -> Result<ReceivedBlock, SourceError> {
        capture::read(capture).map(ReceivedBlock::from)
    }

    fn write_capture(raw: &RawBitcoinBlock) -> (Value, Value) {
        capture::write(raw)
    }

    fn claimed_hashes(raw: &RawBitcoinBlock) -> (Option<Hash>, Hash) {
        (Some(raw.hash), parent_hash(raw))
    }
}

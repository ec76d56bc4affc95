//! The ledger's form for sources.

use serde_json::Value;
use superroot_chain::ChainSpec;
use superroot_chain::ledger::polkadot::{PolkadotParams, RawPolkadotBlock};
use superroot_types::Hash;

use super::nodes::{Polkadot, SUBSCRIBE};
use super::{capture, replay, simulated};
use crate::error::SourceError;
use crate::ledger::form::{DialectSetup, LedgerForm, ReceivedBlock, ReplayCalls};
use crate::live::node::json_rpc::RpcProtocol;
use crate::recorded::Capture;
use crate::simulated::made::BlockFactory;

impl LedgerForm for Polkadot {
    type Params = PolkadotParams;
    type Raw = RawPolkadotBlock;

    const PROTOCOL: RpcProtocol = RpcProtocol::JsonRpc;
    const SUBSCRIPTION: Option<&'static str> = Some(SUBSCRIBE);
    const MAKE: Option<BlockFactory> = Some(simulated::make);
    const REPLAY: ReplayCalls = ReplayCalls::Methods(replay::call);

    fn of(row: &ChainSpec, _: &PolkadotParams, setup: DialectSetup) -> Result<Self, SourceError> {
        Self::with_finality(row, setup.finality)
    }

    fn read_capture(capture: &Capture) -> Result<ReceivedBlock, SourceError> {
        capture::read(capture).map(ReceivedBlock::from)
    }

    fn write_capture(raw: &RawPolkadotBlock) -> (Value, Value) {
        capture::write(raw)
    }

    fn claimed_hashes(raw: &RawPolkadotBlock) -> (Option<Hash>, Hash) {
        (Some(raw.hash), raw.header.parent_hash)
    }

    fn has_receipts(raw: &RawPolkadotBlock) -> Option<bool> {
        raw.extrinsics.as_ref().map(|_| raw.read_proof.is_some())
    }
}

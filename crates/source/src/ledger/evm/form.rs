//! The ledger's form for sources.

use serde_json::Value;
use superroot_chain::ChainSpec;
use superroot_chain::ledger::evm::{EvmParams, RawEvmBlock};
use superroot_proof::mpt::EMPTY_ROOT;
use superroot_types::Hash;

use super::nodes::{Evm, SUBSCRIBE};
use super::{capture, replay};
use crate::error::SourceError;
use crate::ledger::form::{DialectSetup, LedgerForm, ReceivedBlock, ReplayCalls};
use crate::live::node::json_rpc::RpcProtocol;
use crate::recorded::Capture;
use crate::simulated::made::BlockFactory;

impl LedgerForm for Evm {
    type Params = EvmParams;
    type Raw = RawEvmBlock;

    const PROTOCOL: RpcProtocol = RpcProtocol::JsonRpc;
    const SUBSCRIPTION: Option<&'static str> = Some(SUBSCRIBE);
    const MAKE: Option<BlockFactory> = None;
    const REPLAY: ReplayCalls = ReplayCalls::Methods(replay::call);

    fn of(row: &ChainSpec, _: &EvmParams, setup: DialectSetup) -> Result<Self, SourceError> {
        Ok(Self::new(row, setup.finality, setup.replay_servers))
    }

    fn read_capture(capture: &Capture) -> Result<ReceivedBlock, SourceError> {
        capture::read(capture)
    }

    fn write_capture(raw: &RawEvmBlock) -> (Value, Value) {
        capture::write(raw)
    }

    fn claimed_hashes(raw: &RawEvmBlock) -> (Option<Hash>, Hash) {
        (raw.block.hash, raw.block.parent_hash)
    }

    fn has_receipts(raw: &RawEvmBlock) -> Option<bool> {
        match &raw.receipts {
            Some(receipts) if !receipts.is_empty() => Some(true),
            // some nodes that have no receipts of a block send an empty list of them
            Some(_) => {
                let is_empty = raw.block.transactions.count() == Some(0);
                (!is_empty && raw.block.receipts_root != EMPTY_ROOT).then_some(false)
            }
            None => Some(false),
        }
    }
}

//! The ledger's form for sources.

use serde_json::Value;
use superroot_chain::ChainSpec;
use superroot_chain::ledger::solana::{RawSolanaBlock, SolanaParams};
use superroot_types::Hash;

use super::nodes::Solana;
use super::{capture, replay, simulated};
use crate::error::SourceError;
use crate::ledger::form::{DialectSetup, LedgerForm, ReceivedBlock, ReplayCalls};
use crate::live::node::json_rpc::RpcProtocol;
use crate::recorded::Capture;
use crate::simulated::made::BlockFactory;

impl LedgerForm for Solana {
    type Params = SolanaParams;
    type Raw = RawSolanaBlock;

    const PROTOCOL: RpcProtocol = RpcProtocol::JsonRpc;
    const MAKE: Option<BlockFactory> = Some(simulated::make);
    const REPLAY: ReplayCalls = ReplayCalls::Methods(replay::call);

    fn of(
        row: &ChainSpec,
        params: &SolanaParams,
        setup: DialectSetup,
    ) -> Result<Self, SourceError> {
        Self::new(row, params, setup)
    }

    fn read_capture(capture: &Capture) -> Result<ReceivedBlock, SourceError> {
        capture::read(capture).map(ReceivedBlock::from)
    }

    fn write_capture(raw: &RawSolanaBlock) -> (Value, Value) {
        capture::write(raw)
    }

    fn claimed_hashes(raw: &RawSolanaBlock) -> (Option<Hash>, Hash) {
        (Some(raw.hash), raw.parent_hash)
    }
}

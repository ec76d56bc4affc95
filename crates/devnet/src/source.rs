//! The chain as a source of blocks, and as nodes for calls.

use std::sync::Arc;

use alloy_primitives::{Bytes, TxKind, U256};
use serde_json::json;
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::evm::raw::RawEvmBlock;
use superroot_source::{
    AccountAgreement, BlockAt, BlockParts, BlockSource, CallAgreement, CallFault, ClaimedBlock,
    ContractCall, FetchedBlock, Fetching, FinalityAgreement, LiveNodes, NodesReport,
    SourceDescription, SourceError, SourceTip,
};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, Network};

use crate::block::{FINALITY_DEPTH, GAS_LIMIT};
use crate::chain::{Devnet, Inner};
use crate::error::DevnetError;
use crate::state::Call;

/// Blocks of a [`Devnet`].
#[derive(Debug)]
pub struct DevnetSource {
    name: String,
    chain: Arc<Devnet>,
}

impl DevnetSource {
    /// Source over a chain.
    #[must_use]
    pub fn new(chain: Arc<Devnet>) -> Self {
        Self { name: format!("devnet {}", chain.chain_id()), chain }
    }

    fn claimed(inner: &Inner, number: u64) -> ClaimedBlock {
        let hash = inner.hash(number).unwrap_or_default();
        ClaimedBlock { number: BlockNumber(number), hash: Hash(hash.0) }
    }

    fn fault(&self, method: &'static str, message: String) -> SourceError {
        let fault = CallFault::Refused { code: -32_000, message };
        SourceError::Call { source_name: self.name.clone(), method, fault }
    }

    fn block(&self, at: BlockAt) -> Result<Option<FetchedBlock>, SourceError> {
        let inner = self.chain.at_now();
        if let Some(why) = inner.fault() {
            return Err(self.fault("eth_getBlockByNumber", why.to_owned()));
        }
        let Some(block) = inner.block(at.number().0) else { return Ok(None) };
        drop(inner);
        let block = json!({ "block": block.shown(true), "receipts": block.receipts });
        let block: RawEvmBlock = serde_json::from_value(block)
            .map_err(|error| self.fault("eth_getBlockByNumber", error.to_string()))?;
        let block = UntrustedBlock::Evm(Box::new(block));
        Ok(Some(FetchedBlock { block, sender: self.name.as_str().into(), body_fault: None }))
    }

    fn called(&self, call: &ContractCall) -> Result<AccountAgreement, SourceError> {
        let mut inner = self.chain.at_now();
        let from = call.from.0.into();
        let executed = inner.state.call(Call {
            from,
            to: call.to.map_or(TxKind::Create, |to| TxKind::Call(to.0.into())),
            value: U256::ZERO,
            data: Bytes::copy_from_slice(&call.data),
            gas: call.gas.min(GAS_LIMIT),
        });
        let executed = executed.map_err(|error| self.fault("eth_call", error.to_string()))?;
        if !executed.is_success {
            return Err(self.fault("eth_call", "execution reverted".to_owned()));
        }
        Ok(AccountAgreement {
            transaction_count: inner.state.nonce(from),
            returned: executed.output.to_vec(),
            block: BlockNumber(inner.head_number()),
            sources: vec![self.name.clone()],
        })
    }
}

fn ready<'a, T: Send + 'a>(done: Result<T, SourceError>) -> Fetching<'a, T> {
    Box::pin(std::future::ready(done))
}

impl BlockSource for DevnetSource {
    fn about(&self) -> SourceDescription<'_> {
        let chain = ChainKey { family: Family::Evm, id: ChainId(self.chain.chain_id()) };
        SourceDescription { name: &self.name, chain, network: Network::Simulated }
    }

    fn fetch_tip(&self) -> Fetching<'_, SourceTip> {
        let inner = self.chain.at_now();
        if let Some(why) = inner.fault() {
            return ready(Err(self.fault("eth_blockNumber", why.to_owned())));
        }
        let head = inner.head_number();
        let finalized = Self::claimed(&inner, head.saturating_sub(FINALITY_DEPTH));
        let head = Self::claimed(&inner, head);
        ready(Ok(SourceTip { head, safe: Some(finalized), finalized }))
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        _: BlockParts,
        _: &'a [Arc<str>],
    ) -> Fetching<'a, Option<FetchedBlock>> {
        ready(self.block(at))
    }

    fn fetch_agreement(&self, _: BlockNumber) -> Fetching<'_, FinalityAgreement> {
        let rule = format!("{FINALITY_DEPTH} blocks of a chain of this process");
        ready(Ok(FinalityAgreement::of_one(&self.name, &rule)))
    }
}

impl LiveNodes for DevnetSource {
    fn blame(&self, _: &str, _: &str) {}

    fn report(&self) -> NodesReport {
        NodesReport::default()
    }

    fn call_contract<'a>(&'a self, call: &'a ContractCall) -> Fetching<'a, CallAgreement> {
        ready(self.called(call).map(|called| CallAgreement {
            returned: called.returned,
            block: called.block,
            sources: called.sources,
        }))
    }

    fn account<'a>(&'a self, call: &'a ContractCall) -> Fetching<'a, AccountAgreement> {
        ready(self.called(call))
    }

    fn send_transaction<'a>(&'a self, raw: &'a [u8]) -> Fetching<'a, Vec<String>> {
        let taken = match self.chain.submit(raw) {
            Err(DevnetError::Refused(why)) if why != "already known" => {
                Err(self.fault("eth_sendRawTransaction", why))
            }
            _ => Ok(vec![self.name.clone()]),
        };
        ready(taken)
    }
}

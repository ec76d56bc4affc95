//! Sui gRPC of full nodes, archives and gateways.

use std::sync::Arc;

use prost::Message;
use superroot_chain::ledger::sui::SuiParams;
use superroot_chain::{ChainSpec, FinalityRule, UntrustedBlock};
use superroot_types::{BlockNumber, Hash};

use super::messages::{
    CheckpointMessage, CheckpointRef, CheckpointRequest, FieldMask, ServiceInfo,
};
use super::{CHECKPOINT, CONTENTS, HEADER, NAMED, SERVICE, SERVICE_INFO, shown};
use crate::error::SourceError;
use crate::ledger::{NodeTip, words_of};
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::Call;
use crate::{BlockAt, BlockParts, ClaimedBlock};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Sui {
    genesis: Hash,
    /// Checkpoints required after a checkpoint.
    confirmations: u64,
}

impl Sui {
    /// Dialect for a network. Available checkpoints are final: a checkpoint contains executed transactions and is
    /// signed before publication.
    pub(crate) fn new(
        row: &ChainSpec,
        params: &SuiParams,
        finality: FinalityRule,
    ) -> Result<Self, SourceError> {
        let confirmations = match finality {
            FinalityRule::Latest => 0,
            FinalityRule::Confirmations(count) => count,
            FinalityRule::Tag => {
                let why = format!(
                    "is {:?}, expected latest or a number of confirmations: nodes of the {} family \
                     have no tags",
                    words_of(finality),
                    row.family()
                );
                return Err(SourceError::setup("finality", why));
            }
        };
        Ok(Self { genesis: params.genesis, confirmations })
    }

    /// Compares the digest of the first checkpoint. Returns the software name, if stated.
    pub(crate) async fn greet(&self, node: &Arc<LiveNode>) -> Result<String, SourceError> {
        let outcome = node.ask(Call::grpc(SERVICE_INFO, SERVICE, Vec::new())).await;
        let found = outcome.map_err(|fault| fault.into_error(node.name(), SERVICE_INFO))?;
        let read = |bytes: &[u8]| ServiceInfo::decode(bytes).map_err(|error| error.to_string());
        let info = node.read_with(SERVICE_INFO, found, read).await?;
        let got = info.chain_id.unwrap_or_default();
        let expected = shown(&self.genesis);
        if got != expected {
            let expected = format!("genesis {expected}");
            return Err(node.mismatch(SERVICE_INFO, "chain id", &got, expected));
        }
        Ok(info.server.unwrap_or_default())
    }

    pub(crate) async fn tip(&self, node: &Arc<LiveNode>) -> Result<NodeTip, SourceError> {
        let newest = self.checkpoint(node, None, &NAMED, false, |found| found.named()).await?;
        let head = newest.ok_or_else(|| {
            node.failed("it names no newest checkpoint");
            node.mismatch(CHECKPOINT, "newest checkpoint", "none", "a checkpoint")
        })?;
        let number = head.number.0.saturating_sub(self.confirmations);
        Ok(NodeTip {
            head,
            safe: None,
            finalized: Some(BlockNumber(number)),
            finalized_hash: (number == head.number.0).then_some(head.hash),
            refused: None,
        })
    }

    pub(crate) async fn hash_at(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        let which = Some(CheckpointRef::SequenceNumber(number.0));
        let named = self.checkpoint(node, which, &NAMED, false, |found| found.named()).await?;
        let Some(id) = named else { return Ok(None) };
        check_asked(node, BlockAt::Number(number), id)?;
        Ok(Some(id.hash))
    }

    pub(crate) async fn block(
        &self,
        node: &Arc<LiveNode>,
        at: BlockAt,
        parts: BlockParts,
    ) -> Result<Option<UntrustedBlock>, SourceError> {
        let which = match at {
            BlockAt::Id(id) => CheckpointRef::Digest(shown(&id.hash)),
            BlockAt::Number(number) => CheckpointRef::SequenceNumber(number.0),
        };
        let is_whole = parts == BlockParts::Whole;
        let contents = if is_whole { &CONTENTS[..] } else { &[] };
        let mask = [&NAMED[..], &HEADER[..], contents].concat();
        let read = move |found: CheckpointMessage| Ok((found.named()?, found.into_raw(is_whole)?));
        let found = self.checkpoint(node, Some(which), &mask, is_whole, read).await?;
        let Some((id, raw)) = found else { return Ok(None) };
        check_asked(node, at, id)?;
        Ok(Some(UntrustedBlock::Sui(Box::new(raw))))
    }

    /// Fetches parts of a checkpoint and parses the answer; `None` if the node does not have the checkpoint, or no
    /// longer.
    async fn checkpoint<T: Send + 'static>(
        &self,
        node: &Arc<LiveNode>,
        which: Option<CheckpointRef>,
        mask: &[&str],
        is_large: bool,
        read: impl FnOnce(CheckpointMessage) -> Result<T, String> + Send + 'static,
    ) -> Result<Option<T>, SourceError> {
        let paths = mask.iter().map(|path| (*path).to_owned()).collect();
        let request = CheckpointRequest { which, read_mask: Some(FieldMask { paths }) };
        let call = Call::grpc(CHECKPOINT, SERVICE, request.encode_to_vec());
        let call = if is_large { call.with_large_answer() } else { call };
        let found = match node.ask(call).await {
            Err(fault) if fault.is_not_there() => return Ok(None),
            outcome => outcome.map_err(|fault| fault.into_error(node.name(), CHECKPOINT))?,
        };
        let read = |bytes: &[u8]| read(CheckpointMessage::read(bytes)?);
        node.read_with(CHECKPOINT, found, read).await.map(Some)
    }
}

/// Rejects an answer about another checkpoint.
fn check_asked(node: &Arc<LiveNode>, at: BlockAt, got: ClaimedBlock) -> Result<(), SourceError> {
    let number = at.number();
    if got.number != number {
        node.wrong(&format!("it answers checkpoint {}, asked for was {number}", got.number));
        let got = got.number.to_string();
        return Err(node.mismatch(CHECKPOINT, "sequence_number", &got, number.to_string()));
    }
    match at {
        BlockAt::Id(id) if id.hash != got.hash => {
            let got = shown(&got.hash);
            let expected = shown(&id.hash);
            node.wrong(&format!("it answers checkpoint {got}, asked for was {expected}"));
            Err(node.mismatch(CHECKPOINT, "digest", &got, expected))
        }
        BlockAt::Id(_) | BlockAt::Number(_) => Ok(()),
    }
}

//! gRPC of Sui: full nodes, archives, and gateways before them.

use std::sync::Arc;

use prost::Message;
use superroot_chain::sui::Params;
use superroot_chain::{ChainRow, FinalityRule, UntrustedBlock};
use superroot_types::{BlockNumber, Hash};

use super::messages::{Checkpoint, CheckpointRequest, FieldMask, ServiceInfo, Which};
use super::{CHECKPOINT, CONTENTS, HEADER, NAMED, SERVICE, SERVICE_INFO, shown};
use crate::error::SourceError;
use crate::ledger::{NodeTip, words_of};
use crate::live::node::Node;
use crate::live::node::json_rpc::Call;
use crate::{BlockAt, BlockId, Parts};

/// How nodes of one network are asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sui {
    genesis: Hash,
    /// Checkpoints that must follow one.
    confirmations: u64,
}

impl Sui {
    /// How nodes of a network are asked. What they have is final: a checkpoint is made of transactions
    /// that were executed, and signed before it is given out.
    pub(crate) fn of(
        row: &ChainRow,
        params: &Params,
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

    /// Networks differ from their first checkpoint on, whose digest nodes tell. Gives the software's
    /// name, where the node says one.
    pub(crate) async fn greet(&self, node: &Arc<Node>) -> Result<String, SourceError> {
        let outcome = node.ask(Call::grpc(SERVICE_INFO, SERVICE, Vec::new())).await;
        let found = outcome.map_err(|fault| fault.into_error(node.name(), SERVICE_INFO))?;
        let read = |bytes: &[u8]| ServiceInfo::decode(bytes).map_err(|error| error.to_string());
        let info = node.read_with(SERVICE_INFO, found, read).await?;
        let (got, expected) = (info.chain_id.unwrap_or_default(), shown(&self.genesis));
        if got != expected {
            let expected = format!("genesis {expected}");
            return Err(node.mismatch(SERVICE_INFO, "chain id", &got, expected));
        }
        Ok(info.server.unwrap_or_default())
    }

    pub(crate) async fn tip(&self, node: &Arc<Node>) -> Result<NodeTip, SourceError> {
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
        node: &Arc<Node>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        let which = Some(Which::SequenceNumber(number.0));
        let named = self.checkpoint(node, which, &NAMED, false, |found| found.named()).await?;
        let Some(id) = named else { return Ok(None) };
        check_asked(node, BlockAt::Number(number), id)?;
        Ok(Some(id.hash))
    }

    pub(crate) async fn block(
        &self,
        node: &Arc<Node>,
        at: BlockAt,
        parts: Parts,
    ) -> Result<Option<UntrustedBlock>, SourceError> {
        let which = match at {
            BlockAt::Id(id) => Which::Digest(shown(&id.hash)),
            BlockAt::Number(number) => Which::SequenceNumber(number.0),
        };
        let is_whole = parts == Parts::Whole;
        let contents = if is_whole { &CONTENTS[..] } else { &[] };
        let mask = [&NAMED[..], &HEADER[..], contents].concat();
        let read = move |found: Checkpoint| Ok((found.named()?, found.into_raw(is_whole)?));
        let found = self.checkpoint(node, Some(which), &mask, is_whole, read).await?;
        let Some((id, raw)) = found else { return Ok(None) };
        check_asked(node, at, id)?;
        Ok(Some(UntrustedBlock::Sui(Box::new(raw))))
    }

    /// Asks for parts of a checkpoint, and reads of the answer what is wanted; `None` where the node has
    /// no such checkpoint, or no more.
    async fn checkpoint<T: Send + 'static>(
        &self,
        node: &Arc<Node>,
        which: Option<Which>,
        mask: &[&str],
        is_large: bool,
        read: impl FnOnce(Checkpoint) -> Result<T, String> + Send + 'static,
    ) -> Result<Option<T>, SourceError> {
        let paths = mask.iter().map(|path| (*path).to_owned()).collect();
        let request = CheckpointRequest { which, read_mask: Some(FieldMask { paths }) };
        let call = Call::grpc(CHECKPOINT, SERVICE, request.encode_to_vec());
        let call = if is_large { call.with_large_answer() } else { call };
        let found = match node.ask(call).await {
            Err(fault) if fault.is_not_there() => return Ok(None),
            outcome => outcome.map_err(|fault| fault.into_error(node.name(), CHECKPOINT))?,
        };
        let read = |bytes: &[u8]| read(Checkpoint::read(bytes)?);
        node.read_with(CHECKPOINT, found, read).await.map(Some)
    }
}

/// The answer is about what was asked for.
fn check_asked(node: &Arc<Node>, at: BlockAt, got: BlockId) -> Result<(), SourceError> {
    let number = at.number();
    if got.number != number {
        node.wrong(&format!("it answers checkpoint {}, asked for was {number}", got.number));
        let got = got.number.to_string();
        return Err(node.mismatch(CHECKPOINT, "sequence_number", &got, number.to_string()));
    }
    match at {
        BlockAt::Id(id) if id.hash != got.hash => {
            let (got, expected) = (shown(&got.hash), shown(&id.hash));
            node.wrong(&format!("it answers checkpoint {got}, asked for was {expected}"));
            Err(node.mismatch(CHECKPOINT, "digest", &got, expected))
        }
        BlockAt::Id(_) | BlockAt::Number(_) => Ok(()),
    }
}

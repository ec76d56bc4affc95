//! JSON-RPC of Ethereum and compatible chains.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::{Value, json};
use superroot_chain::ledger::evm::encode::header_of_hash;
use superroot_chain::ledger::evm::raw::{RawBlock, RawEvmBlock, RawReceipt, RawTransactions};
use superroot_chain::{ChainSpec, FinalityRule, UntrustedBlock};
use superroot_proof::registry::HashRule;
use superroot_types::{Address, BlockNumber, Hash, first_chars};

use super::{parse_quantity, quantity};
use crate::error::{CallFault, SourceError};
use crate::ledger::{NodeTip, ReceivedBlock};
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::{Call, Outcome};
use crate::{BlockAt, BlockParts, ClaimedBlock, ContractCall};

const BLOCK_BY_HASH: &str = "eth_getBlockByHash";
const BLOCK_BY_NUMBER: &str = "eth_getBlockByNumber";
const BLOCK_RECEIPTS: &str = "eth_getBlockReceipts";
const CALL: &str = "eth_call";
const GAS_PRICE: &str = "eth_gasPrice";
const TRANSACTION_COUNT: &str = "eth_getTransactionCount";
const SEND_RAW_TRANSACTION: &str = "eth_sendRawTransaction";
/// Balance for state-override code, in wei: 2^96.
const COINS: &str = "0x1000000000000000000000000";
const NO_METHOD: i64 = -32601;
/// Error code: resource not found (EIP-1474).
const NOT_FOUND: i64 = -32001;
/// Missing capability: [`BLOCK_RECEIPTS`] by hash.
const RECEIPTS_BY_HASH: &str = "eth_getBlockReceipts by hash";
/// Refused call of a node without a final block.
const FINALIZED_BLOCK: &str = "eth_getBlockByNumber(\"finalized\")";
const CHAIN_ID: &str = "eth_chainId";
const CLIENT_VERSION: &str = "web3_clientVersion";
const RECEIPT: &str = "eth_getTransactionReceipt";

/// Words of nodes that hold a sent transaction already: of geth, Erigon and reth, of Nethermind, of Besu, of OpenEthereum.
const KNOWN: [&str; 4] = ["already known", "alreadyknown", "known transaction", "already imported"];

/// Subscription to new heads.
pub(crate) const SUBSCRIBE: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"eth_subscribe","params":["newHeads"]}"#;

/// Longest contract answer, in bytes.
const RETURNED_BYTES_MAX: usize = 64 << 10;

const SINGLE_RECEIPTS_MAX: usize = 20_000;

#[derive(Clone, Debug)]
pub(crate) struct Evm {
    row: Arc<ChainSpec>,
    finality: FinalityRule,
    /// Whether nodes may have blocks that fail verification, as recordings may.
    is_lenient: bool,
}

impl Evm {
    pub(crate) fn new(row: &ChainSpec, finality: FinalityRule, is_lenient: bool) -> Self {
        Self { row: Arc::new(row.clone()), finality, is_lenient }
    }

    pub(crate) async fn greet(&self, node: &Arc<LiveNode>) -> Result<String, SourceError> {
        let chain_id = node.ask(Call::new(CHAIN_ID, json!([])));
        let client = node.ask(Call::new(CLIENT_VERSION, json!([])));
        let chain_id = async { node.read::<String>(CHAIN_ID, chain_id.await).await };
        let client = async {
            match client.await {
                // some gateways tell nobody what they run
                Err(CallFault::Refused { .. } | CallFault::Limited(_)) => Ok(Value::Null),
                outcome => node.read(CLIENT_VERSION, outcome).await,
            }
        };
        let (chain_id, client) = tokio::join!(chain_id, client);
        let chain_id = chain_id?;
        if parse_quantity(&chain_id) != Some(self.row.id.0) {
            let expected = quantity(self.row.id.0);
            return Err(node.mismatch(CHAIN_ID, "chain id", &chain_id, expected));
        }
        Ok(client?.as_str().unwrap_or_default().to_owned())
    }

    pub(crate) async fn tip(&self, node: &Arc<LiveNode>) -> Result<NodeTip, SourceError> {
        let by_tag = |tag: &str| node.ask(Call::new(BLOCK_BY_NUMBER, json!([tag, false])));
        let named = async |asked| self.named(node, asked.await).await;
        let optional = async |asked| match asked.await {
            // a node that does not know the tag may still have blocks
            Err(CallFault::Refused { .. }) => Ok((None, true)),
            outcome => self.named(node, outcome).await.map(|named| (named, false)),
        };
        // in one batch, from the oldest to the newest, so that the chain may grow in between
        let (finalized, safe, head) = match self.finality {
            FinalityRule::Tag => {
                let finalized = by_tag("finalized");
                let safe = by_tag("safe");
                tokio::join!(optional(finalized), optional(safe), named(by_tag("latest")))
            }
            FinalityRule::Latest | FinalityRule::Confirmations(_) => {
                (Ok((None, false)), Ok((None, false)), named(by_tag("latest")).await)
            }
        };
        let Some(head) = head? else {
            return Err(node.mismatch(BLOCK_BY_NUMBER, "latest", "null", "a block"));
        };
        let ((finalized, refuses_finalized), (safe, _)) = (finalized?, safe?);
        let tip = |finalized: Option<ClaimedBlock>| NodeTip {
            head,
            safe: safe.filter(|safe| safe.number <= head.number),
            finalized: finalized.map(|id| id.number),
            finalized_hash: finalized.map(|id| id.hash),
            refused: refuses_finalized.then_some(FINALIZED_BLOCK),
        };
        Ok(match self.finality {
            FinalityRule::Tag => tip(finalized.filter(|id| id.number <= head.number)),
            FinalityRule::Latest => tip(Some(head)),
            FinalityRule::Confirmations(count) => {
                let number = head.number.0.saturating_sub(count);
                NodeTip { finalized: Some(BlockNumber(number)), ..tip(None) }
            }
        })
    }

    pub(crate) async fn call(
        &self,
        node: &Arc<LiveNode>,
        call: &ContractCall,
        block: BlockNumber,
    ) -> Result<Vec<u8>, SourceError> {
        let mut transaction = json!({
            "from": call.from.to_string(),
            "gas": quantity(call.gas),
            // nodes of before 2022 know the input as data alone, and all do still
            "data": const_hex::encode_prefixed(&call.data),
        });
        if let (Some(to), Some(members)) = (call.to, transaction.as_object_mut()) {
            members.insert("to".into(), to.to_string().into());
        }
        let mut asked = json!([transaction, quantity(block.0)]);
        if let (Some(to), Some(code), Some(asked)) = (call.to, &call.code, asked.as_array_mut()) {
            let code = const_hex::encode_prefixed(code);
            asked.push(json!({ to.to_string(): { "code": code, "balance": COINS } }));
        }
        let returned: String = node.call(CALL, asked).await?;
        let digits = returned.strip_prefix("0x").filter(|hex| hex.len() <= 2 * RETURNED_BYTES_MAX);
        let bytes = digits.and_then(|digits| const_hex::decode(digits).ok());
        bytes.ok_or_else(|| {
            node.mismatch(
                CALL,
                "result",
                first_chars(&returned, 40),
                "at most 65536 bytes as 0x hex",
            )
        })
    }

    pub(crate) async fn transaction_count(
        &self,
        node: &Arc<LiveNode>,
        account: &Address,
        block: BlockNumber,
    ) -> Result<u64, SourceError> {
        let asked = json!([account.to_string(), quantity(block.0)]);
        let text: String = node.call(TRANSACTION_COUNT, asked).await?;
        let expected = "a number of at most 64 bits";
        parse_quantity(&text).ok_or_else(|| {
            node.mismatch(TRANSACTION_COUNT, "result", first_chars(&text, 40), expected)
        })
    }

    /// Sends a transaction. A node that has it already refuses it in words of its own: these count as taken.
    pub(crate) async fn send_transaction(
        &self,
        node: &Arc<LiveNode>,
        raw: &[u8],
    ) -> Result<(), SourceError> {
        let asked = json!([const_hex::encode_prefixed(raw)]);
        match node.call::<String>(SEND_RAW_TRANSACTION, asked).await {
            Ok(_) => Ok(()),
            Err(SourceError::Call { fault: CallFault::Refused { message, .. }, .. })
                if is_known(&message) =>
            {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn gas_price(&self, node: &Arc<LiveNode>) -> Result<u64, SourceError> {
        let text: String = node.call(GAS_PRICE, json!([])).await?;
        let expected = "a number of at most 64 bits";
        parse_quantity(&text)
            .ok_or_else(|| node.mismatch(GAS_PRICE, "result", first_chars(&text, 40), expected))
    }

    /// Claimed block, checked against the header: a mismatch proves a fault in this node and nothing about other nodes.
    async fn named(
        &self,
        node: &Arc<LiveNode>,
        outcome: Outcome,
    ) -> Result<Option<ClaimedBlock>, SourceError> {
        let Some(block) = node.read::<Option<RawBlock>>(BLOCK_BY_NUMBER, outcome).await? else {
            return Ok(None);
        };
        let missing = || node.mismatch(BLOCK_BY_NUMBER, "hash", "missing", "a hash");
        let number = BlockNumber(block.number);
        let hash = block.hash.ok_or_else(missing)?;
        if let Some(HashRule::Evm(layout)) = self.row.rule_at(number).filter(|_| !self.is_lenient)
            && let Err(error) = header_of_hash(&block, layout, &hash)
        {
            node.refuted(number, &error);
            let expected = "the hash of its own header";
            return Err(node.mismatch(BLOCK_BY_NUMBER, "hash", &hash.to_string(), expected));
        }
        Ok(Some(ClaimedBlock { number, hash }))
    }

    pub(crate) async fn hash_at(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        let asked = quantity(number.0);
        let outcome = node.ask(Call::new(BLOCK_BY_NUMBER, json!([asked, false]))).await;
        let Some(id) = self.named(node, outcome).await? else { return Ok(None) };
        if id.number != number {
            let got = quantity(id.number.0);
            node.wrong(&format!("it answered block {got} when asked for {asked}"));
            return Err(node.mismatch(BLOCK_BY_NUMBER, "number", &got, asked));
        }
        Ok(Some(id.hash))
    }

    pub(crate) async fn block(
        &self,
        node: &Arc<LiveNode>,
        at: BlockAt,
        parts: BlockParts,
    ) -> Result<Option<ReceivedBlock>, SourceError> {
        let (method, asked) = match at {
            BlockAt::Number(number) => (BLOCK_BY_NUMBER, json!(quantity(number.0))),
            BlockAt::Id(id) => (BLOCK_BY_HASH, json!(id.hash)),
        };
        let is_whole = parts == BlockParts::Whole;
        let params = json!([asked, is_whole]);
        let call = if is_whole { Call::large(method, params) } else { Call::new(method, params) };
        let block = node.ask(call);
        let by_number = json!(quantity(at.number().0));
        let which = if node.lacks(RECEIPTS_BY_HASH) { by_number } else { asked };
        let along = is_whole && !node.lacks(BLOCK_RECEIPTS);
        let receipts = along.then(|| node.ask(Call::large(BLOCK_RECEIPTS, json!([which]))));
        // each is read as it comes: nobody keeps one answer in hand while waiting for another
        let block = async { node.read::<Option<RawBlock>>(method, block.await).await };
        let receipts = async {
            match receipts {
                Some(receipts) => Some(read_receipts(node, receipts.await).await),
                None => None,
            }
        };
        let (block, receipts) = tokio::join!(block, receipts);
        let Some(block) = block? else { return Ok(None) };
        check_asked(node, method, at, &block)?;
        let (receipts, fault) = match (is_whole, receipts) {
            (false, _) => (None, None),
            (true, outcome) => match self.receipts(node, &block, outcome).await {
                Ok(receipts) => (receipts, None),
                Err(fault) if fault.may_be_of_body() => (None, Some(fault)),
                Err(error) => return Err(error),
            },
        };
        let block = UntrustedBlock::Evm(Box::new(RawEvmBlock { block, receipts }));
        Ok(Some(ReceivedBlock { block, fault }))
    }

    /// Receipts from the sending node; `None` if the node has none.
    async fn receipts(
        &self,
        node: &Arc<LiveNode>,
        block: &RawBlock,
        first: Option<Receipts>,
    ) -> Result<Option<Vec<RawReceipt>>, SourceError> {
        let Some(mut receipts) = first else { return single_receipts(node, block, false).await };
        if receipts.as_ref().is_err_and(CallFault::is_bad_params)
            && node.note_lack(RECEIPTS_BY_HASH)
        {
            let params = json!([quantity(block.number)]);
            let outcome = node.ask(Call::large(BLOCK_RECEIPTS, params)).await;
            receipts = read_receipts(node, outcome).await;
        }
        if receipts.as_ref().is_err_and(CallFault::is_no_method) {
            node.note_lack(BLOCK_RECEIPTS);
            return single_receipts(node, block, false).await;
        }
        let receipts = match receipts {
            Ok(read) => read?,
            Err(fault) => return Err(fault.into_error(node.name(), BLOCK_RECEIPTS)),
        };
        let is_of_another = |receipts: &Vec<RawReceipt>| {
            let other = |receipt: &RawReceipt| {
                receipt.block_hash.is_some() && receipt.block_hash != block.hash
            };
            receipts.iter().any(other)
        };
        match (receipts, block.hash) {
            // the chain was reorganised between the two answers
            (Some(receipts), Some(hash)) if is_of_another(&receipts) => {
                node.call(BLOCK_RECEIPTS, json!([hash])).await
            }
            // some have no list of them for a block, and each of them; others neither
            (None, _) => match single_receipts(node, block, true).await {
                Err(SourceError::Call {
                    fault: CallFault::Refused { code: NO_METHOD | NOT_FOUND, .. },
                    ..
                }) => Ok(None),
                outcome => outcome,
            },
            (receipts, _) => Ok(receipts),
        }
    }
}

/// Receipts outcome: a call fault, or the parse result.
type Receipts = Result<Result<Option<Vec<RawReceipt>>, SourceError>, CallFault>;

async fn read_receipts(node: &Arc<LiveNode>, outcome: Outcome) -> Receipts {
    match outcome {
        Ok(found) => Ok(node.read(BLOCK_RECEIPTS, Ok(found)).await),
        Err(fault) => Err(fault),
    }
}

fn is_known(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    KNOWN.iter().any(|words| message.contains(words))
}

/// Rejects a block other than the requested block.
fn check_asked(
    node: &Arc<LiveNode>,
    method: &'static str,
    at: BlockAt,
    block: &RawBlock,
) -> Result<(), SourceError> {
    let number = BlockNumber(block.number);
    let hash = block.hash;
    let (field, got, expected) = match at {
        _ if number != at.number() => ("number", quantity(number.0), quantity(at.number().0)),
        BlockAt::Id(id) if hash != Some(id.hash) => {
            let got = hash.map_or_else(|| "missing".into(), |hash| hash.to_string());
            ("hash", got, id.hash.to_string())
        }
        _ => return Ok(()),
    };
    node.wrong(&format!("it answered a block of {field} {got} when asked for {expected}"));
    Err(node.mismatch(method, field, &got, expected))
}

/// Fetches receipts individually, for nodes without a block receipts method. If receipts may be missing entirely, the
/// first is fetched before the others.
async fn single_receipts(
    node: &Arc<LiveNode>,
    block: &RawBlock,
    is_doubtful: bool,
) -> Result<Option<Vec<RawReceipt>>, SourceError> {
    let is_doubtful = is_doubtful || node.is_without_receipts();
    let hashes: Vec<Hash> = match &block.transactions {
        RawTransactions::Full(transactions) => transactions.iter().map(|raw| raw.hash).collect(),
        RawTransactions::Hashes(hashes) => hashes.clone(),
        RawTransactions::Absent => return Ok(None),
    };
    if hashes.len() > SINGLE_RECEIPTS_MAX {
        let expected = format!("at most {SINGLE_RECEIPTS_MAX}");
        let got = hashes.len().to_string();
        return Err(node.mismatch(RECEIPT, "count of transactions", &got, expected));
    }
    let ask = |hash: &Hash| {
        let asked = node.ask(Call::new(RECEIPT, json!([hash])));
        async move { node.read::<Option<RawReceipt>>(RECEIPT, asked.await).await }
    };
    let (first, others) = hashes.split_at(usize::from(is_doubtful).min(hashes.len()));
    let mut receipts = join_all(first.iter().map(ask).collect::<Vec<_>>()).await;
    if receipts.iter().all(|receipt| matches!(receipt, Ok(Some(_)))) {
        receipts.extend(join_all(others.iter().map(ask).collect::<Vec<_>>()).await);
    }
    receipts.into_iter().collect()
}

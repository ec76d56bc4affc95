//! A node over JSON-RPC and HTTP. This build follows replay servers only: a live node is recognised
//! and refused, since live chains want more sources than one, and finality evidence.

mod endpoint;
mod transport;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superroot_chain::evm::raw::{RawBlock, RawEvmBlock, RawReceipt};
use superroot_chain::{ChainRow, UntrustedBlock};
use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use crate::error::SourceError;
use crate::rpc::{RECORDED_NUMBERS, REPLAY_CLIENT, parse_quantity, quantity};
use crate::{Agreement, BlockAt, BlockId, BoxFuture, Fetched, NUMBERS_MAX, Parts, Source, Tip};
use transport::Transport;

const BLOCK_BY_NUMBER: &str = "eth_getBlockByNumber";
const BLOCK_RECEIPTS: &str = "eth_getBlockReceipts";
const CHAIN_ID: &str = "eth_chainId";
const CLIENT_VERSION: &str = "web3_clientVersion";

/// How a node is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HttpConfig {
    /// Time for one call, from connecting to the last byte of the answer, in milliseconds.
    pub timeout_ms: u64,
    /// Time for connecting, in milliseconds.
    pub connect_timeout_ms: u64,
    /// Largest answer that is read, unzipped, in bytes.
    pub body_bytes_max: usize,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self { timeout_ms: 20_000, connect_timeout_ms: 5_000, body_bytes_max: 64 << 20 }
    }
}

impl HttpConfig {
    fn check(&self) -> Result<(), SourceError> {
        let positive = |field, got: u64| {
            if got > 0 {
                return Ok(());
            }
            Err(SourceError::Config { field, got, expected: "at least 1" })
        };
        positive("timeout_ms", self.timeout_ms)?;
        positive("connect_timeout_ms", self.connect_timeout_ms)?;
        positive("body_bytes_max", self.body_bytes_max as u64)
    }
}

/// A replay server, read as a node.
#[derive(Debug)]
pub struct HttpSource {
    transport: Transport,
    chain: ChainKey,
}

impl HttpSource {
    /// Asks the node which chain it has and what it is. `https` needs a process-wide TLS provider
    /// of `rustls`; proxies of the environment are not used and redirects not followed.
    ///
    /// # Errors
    /// [`SourceError::Url`], [`SourceError::Config`] or [`SourceError::Setup`] before anything is
    /// sent; [`SourceError::Mismatch`] when the node has another chain;
    /// [`SourceError::LiveNotBuilt`] when it is no replay server; what a call can give.
    pub async fn connect(
        url: &str,
        row: &ChainRow,
        config: HttpConfig,
    ) -> Result<Self, SourceError> {
        config.check()?;
        let transport = Transport::new(url, config)?;
        let chain_id: String = transport.call(CHAIN_ID, json!([])).await?;
        let expected = row.id.0;
        if parse_quantity(&chain_id) != Some(expected) {
            let (got, expected) = (transport.clean(&chain_id), quantity(expected));
            return Err(transport.mismatch(CHAIN_ID, "chain id", got, expected));
        }
        let client: String = transport.call(CLIENT_VERSION, json!([])).await?;
        if !client.starts_with(REPLAY_CLIENT) {
            let (source_name, client) = (transport.name().into(), transport.clean(&client));
            return Err(SourceError::LiveNotBuilt { source_name, client });
        }
        Ok(Self { transport, chain: row.key() })
    }

    async fn block_id(&self, tag: &'static str) -> Result<Option<BlockId>, SourceError> {
        #[derive(Deserialize)]
        struct Named {
            number: String,
            hash: Hash,
        }
        let params = json!([tag, false]);
        let Some(named) = self.transport.call::<Option<Named>>(BLOCK_BY_NUMBER, params).await?
        else {
            return Ok(None);
        };
        let number = self.number(BLOCK_BY_NUMBER, &named.number)?;
        Ok(Some(BlockId { number, hash: named.hash }))
    }

    async fn needed(&self, tag: &'static str) -> Result<BlockId, SourceError> {
        let missing = || self.transport.mismatch(BLOCK_BY_NUMBER, tag, "null", "a block");
        self.block_id(tag).await?.ok_or_else(missing)
    }

    fn number(&self, method: &'static str, text: &str) -> Result<BlockNumber, SourceError> {
        let wrong = || {
            let got = self.transport.clean(text);
            self.transport.mismatch(method, "number", got, "a quantity below 2^64")
        };
        parse_quantity(text).map(BlockNumber).ok_or_else(wrong)
    }

    async fn block(&self, number: BlockNumber) -> Result<Option<UntrustedBlock>, SourceError> {
        let asked = quantity(number.0);
        let block = self.transport.call::<Option<RawBlock>>(BLOCK_BY_NUMBER, json!([asked, true]));
        let Some(block) = block.await? else { return Ok(None) };
        if block.number != number.0 {
            let got = quantity(block.number);
            return Err(self.transport.mismatch(BLOCK_BY_NUMBER, "number", got, asked));
        }
        let receipts: Option<Vec<RawReceipt>> =
            self.transport.call(BLOCK_RECEIPTS, json!([asked])).await?;
        Ok(Some(UntrustedBlock::Evm(Box::new(RawEvmBlock { block, receipts }))))
    }

    async fn numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Result<Vec<BlockNumber>, SourceError> {
        let limit = limit.min(NUMBERS_MAX);
        let params: Value = json!([quantity(from.0), quantity(limit as u64)]);
        let texts: Vec<String> = self.transport.call(RECORDED_NUMBERS, params).await?;
        if texts.len() > limit {
            let (got, expected) = (texts.len().to_string(), format!("at most {limit}"));
            return Err(self.transport.mismatch(RECORDED_NUMBERS, "count", got, expected));
        }
        let mut numbers: Vec<BlockNumber> = Vec::with_capacity(texts.len());
        for text in &texts {
            let number = self.number(RECORDED_NUMBERS, text)?;
            if number < from || numbers.last().is_some_and(|last| *last >= number) {
                let expected = format!("rising numbers from {from} on");
                return Err(self.transport.mismatch(RECORDED_NUMBERS, "number", text, expected));
            }
            numbers.push(number);
        }
        Ok(numbers)
    }
}

impl Source for HttpSource {
    fn name(&self) -> &str {
        self.transport.name()
    }

    fn chain(&self) -> ChainKey {
        self.chain
    }

    fn network(&self) -> Network {
        Network::Recorded
    }

    fn fetch_tip(&self) -> BoxFuture<'_, Result<Tip, SourceError>> {
        Box::pin(async {
            // from the oldest to the newest, so that the chain may grow in between
            let finalized = self.needed("finalized").await?;
            let safe = self.block_id("safe").await?;
            let head = self.needed("latest").await?;
            Ok(Tip { head, safe, finalized })
        })
    }

    fn fetch_block(
        &self,
        at: BlockAt,
        _parts: Parts,
    ) -> BoxFuture<'_, Result<Option<Fetched>, SourceError>> {
        Box::pin(async move {
            let block = self.block(at.number()).await?;
            Ok(block.map(|block| Fetched { block, sender: self.name().into() }))
        })
    }

    fn fetch_agreement(
        &self,
        _number: BlockNumber,
    ) -> BoxFuture<'_, Result<Agreement, SourceError>> {
        Box::pin(std::future::ready(Ok(Agreement::of_one(self.name(), "as recorded"))))
    }

    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> BoxFuture<'_, Result<Option<Vec<BlockNumber>>, SourceError>> {
        Box::pin(async move { self.numbers(from, limit).await.map(Some) })
    }
}

//! Events, found by chain, address, topics and range.

use superroot_chain::ChainRow;
use superroot_index::Filter;
use superroot_types::{Address, Hash};
use superroot_wire::grpc::events_server::Events;
use superroot_wire::grpc::{
    FindRequest, FindResponse, GetOrderRequest, ListLogsRequest, ListLogsResponse, Order,
    QueryBloomsRequest, QueryBloomsResponse, ScanRequest, ScanResponse,
};
use tonic::{Request, Response};

use super::Face;
use super::answer::{Answered, about, anchored, live, open, open_waiting};
use super::read;
use crate::ApiError;
use crate::events::ask::{
    Finality, LogsAsk, NAMED_MAX, check_address, check_limit, check_range, parse_order,
};
use crate::events::bloom::{self, BloomAsk, CHAINS_MAX, TOPICS_MAX};
use crate::events::cursor::Cursor;
use crate::events::logs::{find_complete, find_logs};
use crate::events::scan::{self, ScanAsk};
use crate::find::whereabouts;
use crate::input::find_chain;
use crate::orders::answer as orders;
use crate::service::Api;

#[tonic::async_trait]
impl Events for Face {
    async fn list_logs(&self, request: Request<ListLogsRequest>) -> Answered<ListLogsResponse> {
        let (message, caller) = open(request)?;
        let ask = read_logs(&self.0.api, message)?;
        let chain = ask.row.key();
        caller.check_chain(chain)?;
        let logs = if ask.is_complete {
            find_complete(&self.0, ask).await?
        } else {
            find_logs(&self.0, &ask).await?
        };
        let v5_anchor = live(&self.0.api, Some(chain));
        Ok(about(chain, ListLogsResponse { v5_anchor, ..logs.into() }))
    }

    async fn query_blooms(
        &self,
        request: Request<QueryBloomsRequest>,
    ) -> Answered<QueryBloomsResponse> {
        let (message, caller) = open(request)?;
        let ask = read_blooms(&self.0.api, &message)?;
        let answer = bloom::answer(&self.0, caller, ask).await?;
        let v5_anchor = live(&self.0.api, None);
        Ok(Response::new(QueryBloomsResponse { v5_anchor, ..answer.into() }))
    }

    async fn scan(&self, request: Request<ScanRequest>) -> Answered<ScanResponse> {
        let (message, caller) = open(request)?;
        let ask = read_scan(&self.0.api, message)?;
        let chain = ask.row.key();
        caller.check_chain(chain)?;
        let (ask, page) = scan::make(&self.0, ask).await?;
        let statement = &page.facts.statement;
        let answer = ScanResponse {
            chain_id: chain.id.0,
            from_block: statement.from.0,
            to_block: statement.to.0,
            event_count: page.facts.events.len() as u64,
            next_from_block: ask.next_from(&page).map(|next| next.0),
            scan_blob: page.scan.encode(),
            v5_anchor: anchored(&self.0.api, &page.published, Some(chain)),
        };
        Ok(about(chain, answer))
    }

    async fn find(&self, request: Request<FindRequest>) -> Answered<FindResponse> {
        let (message, caller) = open(request)?;
        let text = read::hash("hash", &message.hash)?.to_string();
        let found = whereabouts(&self.0, caller, text).await?;
        let v5_anchor = live(&self.0.api, None);
        Ok(Response::new(FindResponse { v5_anchor, ..found.into() }))
    }

    async fn get_order(&self, request: Request<GetOrderRequest>) -> Answered<Order> {
        let (message, caller) = open_waiting(request, |message| message.wait_seconds)?;
        if message.order_id.is_empty() {
            return Err(ApiError::missing("order_id", orders::EXPECTED).into());
        }
        let wait_seconds = message.wait_seconds.into();
        let status = orders::status(&self.0, caller, message.order_id, wait_seconds).await?;
        let v5_anchor = live(&self.0.api, None);
        Ok(Response::new(Order { v5_anchor, ..status.into() }))
    }
}

fn read_scan(api: &Api, message: ScanRequest) -> Result<ScanAsk, ApiError> {
    let row = read::chain(api, &message.chain)?.clone();
    let topics = [message.topic0, message.topic1, message.topic2, message.topic3];
    let filter = read_filter(&row, message.address, topics)?;
    let anywhere = read_topics("topic", &message.topic, NAMED_MAX)?;
    let from = read::block_number("from_block", Some(message.from_block))?;
    let to = read::block_number("to_block", message.to_block)?;
    check_range((from, to), ("from_block", "to_block"))?;
    Ok(ScanAsk {
        filter: scan::filter_of(&row, &filter, anywhere)?,
        row,
        from: from.unwrap_or(superroot_types::BlockNumber(0)),
        to,
        fixed: read::fixed(message.root.as_deref(), message.sequence)?,
        has_note: message.note,
        is_file: true,
    })
}

fn read_filter(
    row: &ChainRow,
    addresses: Vec<Vec<u8>>,
    topics: [Vec<Vec<u8>>; 4],
) -> Result<Filter, ApiError> {
    let mut filter = Filter::default();
    check_count("address", &addresses, NAMED_MAX)?;
    for address in addresses {
        let shown = read::length(&address);
        filter.addresses.push(check_address(Some(address), &shown, row.family())?);
    }
    let names = ["topic0", "topic1", "topic2", "topic3"];
    for ((name, sent), topics) in names.into_iter().zip(topics).zip(&mut filter.topics) {
        *topics = read_topics(name, &sent, NAMED_MAX)?;
    }
    Ok(filter)
}

fn read_logs(api: &Api, message: ListLogsRequest) -> Result<LogsAsk, ApiError> {
    let row = read::chain(api, &message.chain)?.clone();
    let topics = [message.topic0, message.topic1, message.topic2, message.topic3];
    let filter = read_filter(&row, message.address, topics)?;
    let from = read::block_number("from_block", message.from_block)?;
    let to = read::block_number("to_block", message.to_block)?;
    check_range((from, to), ("from_block", "to_block"))?;
    Ok(LogsAsk {
        row,
        filter,
        from,
        to,
        finality: Finality::parse(read::word(&message.finality))?,
        direction: parse_order(read::word(&message.order))?,
        limit: check_limit(message.limit.map(u64::from))?,
        cursor: read::word(&message.cursor).map(Cursor::parse).transpose()?,
        is_partial: message.partial,
        is_complete: message.complete,
    })
}

fn read_blooms(api: &Api, message: &QueryBloomsRequest) -> Result<BloomAsk, ApiError> {
    let address = message.address.as_deref().map(|bytes| {
        let address = bytes.try_into().map(Address);
        address.map_err(|_| ApiError::invalid("address", read::length(bytes), "20 bytes"))
    });
    check_count("chain_ids", &message.chain_ids, CHAINS_MAX)?;
    let chains = message.chain_ids.iter().map(|one| find_chain(api, "chain_ids", one).cloned());
    let chains = chains.collect::<Result<Vec<ChainRow>, _>>()?;
    let ask = BloomAsk {
        address: address.transpose()?,
        topics: read_topics("topics", &message.topics, TOPICS_MAX)?,
        chains: Some(chains).filter(|chains| !chains.is_empty()),
        from: read::block_number("from_block", message.from_block)?,
        to: read::block_number("to_block", message.to_block)?,
    };
    ask.checked()
}

fn read_topics(name: &str, sent: &[Vec<u8>], most: usize) -> Result<Vec<Hash>, ApiError> {
    check_count(name, sent, most)?;
    sent.iter().map(|topic| read::hash(name, topic)).collect()
}

fn check_count<T>(name: &str, list: &[T], most: usize) -> Result<(), ApiError> {
    if list.len() > most {
        let got = format!("a list of {}", list.len());
        return Err(ApiError::invalid(name, got, format!("{most} at most")));
    }
    Ok(())
}

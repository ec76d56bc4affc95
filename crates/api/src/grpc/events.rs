//! Event search by chain, address, topics and range.

use superroot_chain::ChainSpec;
use superroot_index::EventFilter;
use superroot_types::{Address, BlockNumber, Hash};
use superroot_wire::grpc::{
    FindRequest, FindResponse, GetOrderRequest, ListLogsRequest, ListLogsResponse, Order,
    QueryBloomsRequest, QueryBloomsResponse, ScanRequest, ScanResponse,
};
use tonic::Response;

use super::answer::{Answered, about, anchored, live};
use super::asked::GrpcCaller;
use super::read;
use crate::ApiError;
use crate::events::ask::{
    FinalityFloor, LogsAsk, NAMED_MAX, check_address, check_limit, check_range, parse_order,
};
use crate::events::bloom::{self, BloomAsk, CHAINS_MAX, TOPICS_MAX};
use crate::events::cursor::ScanCursor;
use crate::events::logs::{find_complete, find_logs};
use crate::events::scan::{self, ScanAsk};
use crate::find::whereabouts;
use crate::input::find_chain;
use crate::orders::answer as orders;
use crate::service::{Api, Shared};

pub(super) async fn list_logs(
    service: Shared,
    asked: GrpcCaller,
    message: ListLogsRequest,
) -> Answered<ListLogsResponse> {
    let ask = read_logs(&service.api, message)?;
    let chain = ask.row.key();
    asked.caller.check_chain(chain)?;
    let logs = if ask.is_complete {
        find_complete(&service, ask).await?
    } else {
        find_logs(&service, &ask).await?
    };
    let v5_anchor = live(&service.api, Some(chain));
    Ok(about(chain, ListLogsResponse { v5_anchor, ..logs.into() }))
}

pub(super) async fn query_blooms(
    service: Shared,
    asked: GrpcCaller,
    message: QueryBloomsRequest,
) -> Answered<QueryBloomsResponse> {
    let ask = read_blooms(&service.api, &message)?;
    let answer = bloom::answer(&service, asked.caller, ask).await?;
    let v5_anchor = live(&service.api, None);
    Ok(Response::new(QueryBloomsResponse { v5_anchor, ..answer.into() }))
}

pub(super) async fn scan(
    service: Shared,
    asked: GrpcCaller,
    message: ScanRequest,
) -> Answered<ScanResponse> {
    let ask = read_scan(&service.api, message)?;
    let chain = ask.row.key();
    asked.caller.check_chain(chain)?;
    let (ask, page) = scan::make(&service, ask).await?;
    let statement = &page.facts.statement;
    let answer = ScanResponse {
        chain_id: chain.id.0,
        from_block: statement.from.0,
        to_block: statement.to.0,
        event_count: page.facts.events.len() as u64,
        next_from_block: ask.next_from(&page).map(|next| next.0),
        scan_blob: page.scan.encode(),
        v5_anchor: anchored(&service.api, &page.published, Some(chain)),
    };
    Ok(about(chain, answer))
}

pub(super) async fn find(
    service: Shared,
    asked: GrpcCaller,
    message: FindRequest,
) -> Answered<FindResponse> {
    let text = read::hash("hash", &message.hash)?.to_string();
    let from = read::block_number("from", message.from)?.unwrap_or(BlockNumber(0));
    let found = whereabouts(&service, asked.caller, text, from).await?;
    let v5_anchor = live(&service.api, None);
    Ok(Response::new(FindResponse { v5_anchor, ..found.into() }))
}

pub(super) async fn get_order(
    service: Shared,
    asked: GrpcCaller,
    message: GetOrderRequest,
) -> Answered<Order> {
    asked.wait(message.wait_seconds)?;
    if message.order_id.is_empty() {
        return Err(ApiError::missing("order_id", orders::EXPECTED).into());
    }
    let wait_seconds = message.wait_seconds.into();
    let status = orders::status(&service, asked.caller, message.order_id, wait_seconds).await?;
    let v5_anchor = live(&service.api, None);
    Ok(Response::new(Order { v5_anchor, ..status.into() }))
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
    row: &ChainSpec,
    addresses: Vec<Vec<u8>>,
    topics: [Vec<Vec<u8>>; 4],
) -> Result<EventFilter, ApiError> {
    let mut filter = EventFilter::default();
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
        finality: FinalityFloor::parse(read::word(&message.finality))?,
        direction: parse_order(read::word(&message.order))?,
        limit: check_limit(message.limit.map(u64::from))?,
        cursor: read::word(&message.cursor).map(ScanCursor::parse).transpose()?,
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
    let chains = chains.collect::<Result<Vec<ChainSpec>, _>>()?;
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

//! SuperRoots and their log.

use superroot_accumulate::prove::TILE_WIDTH;
use superroot_types::{Family, SuperRootRef};
use superroot_wire::grpc::{
    Checkpoint, Consistency, GetCheckpointRequest, GetConsistencyRequest, GetSuperRootBlobRequest,
    GetSuperRootRequest, GetTileEntriesRequest, GetTileRequest, ListTwigsRequest,
    ListTwigsResponse, SuperRoot, SuperRootBlob, Tile, TileEntries,
};
use superroot_wire::superroot::TWIGS_MAX;
use superroot_wire::superroot::body::{ConsistencyProof, PublishedBlob};
use tonic::Response;

use super::answer::{Answered, anchored, taking};
use super::asked::GrpcCaller;
use super::read;
use crate::ApiError;
use crate::service::{Api, Shared};
use crate::superroot::tiles::{LEVEL_MAX, load_entries, load_hashes};
use crate::superroot::twigs::load_twigs;
use crate::superroot::{
    body, checkpoint_text, cosigned_text, later_of, load_blob, parse_strength, prove_extension,
};

pub(super) async fn get_super_root(
    service: Shared,
    _: GrpcCaller,
    message: GetSuperRootRequest,
) -> Answered<SuperRoot> {
    let fixed = read::fixed(message.root.as_deref(), message.sequence)?;
    let load = move |api: &Api| {
        let published = api.prover.published(fixed.unwrap_or(SuperRootRef::Latest));
        let published = published.map_err(|error| api.refuse_unproven(error))?;
        let page = body(api, &published, fixed.is_none())?;
        Ok(SuperRoot { v5_anchor: anchored(api, &published, None), ..page.into() })
    };
    Ok(Response::new(service.blocking(load).await?))
}

pub(super) async fn get_super_root_blob(
    service: Shared,
    _: GrpcCaller,
    message: GetSuperRootBlobRequest,
) -> Answered<SuperRootBlob> {
    let which = SuperRootRef::Hash(read::hash("superroot_hash", &message.superroot_hash)?);
    let room = service.room().await?;
    let load = move |api: &Api| {
        let published = api.prover.published(which);
        let published = published.map_err(|error| api.refuse_unproven(error))?;
        let (answer, publication) = load_blob(api, &published)?;
        let blob = PublishedBlob { blob: (&answer).into(), publication };
        Ok(SuperRootBlob { v5_anchor: anchored(api, &published, None), ..blob.into() })
    };
    Ok(taking(room, service.blocking(load).await?))
}

pub(super) async fn get_consistency(
    service: Shared,
    _: GrpcCaller,
    message: GetConsistencyRequest,
) -> Answered<Consistency> {
    let from = read::sequence("from", message.from)?;
    let to = message.to.map(|to| read::sequence("to", to)).transpose()?;
    let strength = parse_strength(read::word(&message.strength))?;
    let to = match to {
        Some(to) => to,
        None => service.latest()?.super_root.sequence,
    };
    let room = service.room().await?;
    let load = move |api: &Api| {
        let later = later_of(api, (from, to))?;
        let answer = prove_extension(api, from, &later, strength)?;
        let proof = Consistency::from(ConsistencyProof::from(&answer));
        Ok(Consistency { v5_anchor: anchored(api, &later, None), ..proof })
    };
    Ok(taking(room, service.blocking(load).await?))
}

pub(super) async fn list_twigs(
    service: Shared,
    _: GrpcCaller,
    message: ListTwigsRequest,
) -> Answered<ListTwigsResponse> {
    let text = &message.family;
    let expected = "a ledger family, such as evm or bitcoin";
    let family = text.parse::<Family>();
    let family = family.map_err(|_| ApiError::parameter("family", text, expected))?;
    read::bounded("from", Some(message.from), "a leaf index below 2^53")?;
    let from = message.from;
    let max = TWIGS_MAX as u64;
    let count = within("count", message.count, max)?;
    let fixed = read::fixed(message.root.as_deref(), message.sequence)?;
    let room = service.room().await?;
    let load = move |api: &Api| {
        let published = api.prover.published(fixed.unwrap_or(SuperRootRef::Latest));
        let published = published.map_err(|error| api.refuse_unproven(error))?;
        let page = load_twigs(api, &published, family, (from, count))?;
        let page = ListTwigsResponse::from(&page);
        Ok(ListTwigsResponse { v5_anchor: anchored(api, &published, None), ..page })
    };
    Ok(taking(room, service.blocking(load).await?))
}

pub(super) async fn get_checkpoint(
    service: Shared,
    _: GrpcCaller,
    message: GetCheckpointRequest,
) -> Answered<Checkpoint> {
    service.latest()?;
    let named = message.sequence.map(|named| read::sequence("sequence", named)).transpose()?;
    if let (Some(named), true) = (named, message.cosigned) {
        let expected = "either sequence or cosigned";
        return Err(ApiError::parameter("sequence", &named.to_string(), expected).into());
    }
    let load = move |api: &Api| match message.cosigned {
        true => cosigned_text(api),
        false => checkpoint_text(api, named),
    };
    Ok(Response::new(Checkpoint { note: service.blocking(load).await? }))
}

pub(super) async fn get_tile(
    service: Shared,
    _: GrpcCaller,
    message: GetTileRequest,
) -> Answered<Tile> {
    let level = u8::try_from(message.level).ok().filter(|level| *level <= LEVEL_MAX);
    let expected = "a number from 0 to 63";
    let level =
        level.ok_or_else(|| ApiError::parameter("level", &message.level.to_string(), expected))?;
    let (index, width) = place(message.index, message.width)?;
    let hashes = service.blocking(move |api| load_hashes(api, level, index, width)).await?;
    let hashes = hashes.into_iter().map(|hash| hash.0.to_vec()).collect();
    Ok(Response::new(Tile { hashes }))
}

pub(super) async fn get_tile_entries(
    service: Shared,
    _: GrpcCaller,
    message: GetTileEntriesRequest,
) -> Answered<TileEntries> {
    let (index, width) = place(message.index, message.width)?;
    let entries = service.blocking(move |api| load_entries(api, index, width)).await?;
    Ok(Response::new(TileEntries { entries }))
}

/// Count from 1 to `max`; `max` if absent.
fn within(name: &str, count: Option<u64>, max: u64) -> Result<u64, ApiError> {
    let count = count.unwrap_or(max);
    if (1..=max).contains(&count) {
        return Ok(count);
    }
    Err(ApiError::parameter(name, &count.to_string(), format!("1 to {max}")))
}

fn place(index: u64, width: Option<u32>) -> Result<(u64, u64), ApiError> {
    read::bounded("index", Some(index), "an index below 2^53")?;
    Ok((index, within("width", width.map(u64::from), TILE_WIDTH)?))
}

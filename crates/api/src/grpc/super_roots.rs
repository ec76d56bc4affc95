//! SuperRoots, and the log that they make.

use superroot_accumulate::prove::{TILE_WIDTH, Which};
use superroot_types::Family;
use superroot_wire::grpc::super_roots_server::SuperRoots;
use superroot_wire::grpc::{
    Checkpoint, Consistency, GetCheckpointRequest, GetConsistencyRequest, GetSuperRootBlobRequest,
    GetSuperRootRequest, GetTileEntriesRequest, GetTileRequest, ListTwigsRequest,
    ListTwigsResponse, SuperRoot, SuperRootBlob, Tile, TileEntries,
};
use superroot_wire::superroot::TWIGS_MAX;
use superroot_wire::superroot::body::{ConsistencyProof, PublishedBlob};
use tonic::{Request, Response};

use super::Face;
use super::answer::{Answered, anchored, open, taking};
use super::read;
use crate::ApiError;
use crate::service::Api;
use crate::superroot::tiles::{LEVEL_MAX, load_entries, load_hashes};
use crate::superroot::twigs::load_twigs;
use crate::superroot::{
    body, checkpoint_text, cosigned_text, later_of, load_blob, parse_strength, prove_extension,
};

#[tonic::async_trait]
impl SuperRoots for Face {
    async fn get_super_root(&self, request: Request<GetSuperRootRequest>) -> Answered<SuperRoot> {
        let (message, _) = open(request)?;
        let fixed = read::fixed(message.root.as_deref(), message.sequence)?;
        let load = move |api: &Api| {
            let published = api.prover.published(fixed.unwrap_or(Which::Latest));
            let published = published.map_err(|error| api.refused(None, error))?;
            let page = body(api, &published, fixed.is_none())?;
            Ok(SuperRoot { v5_anchor: anchored(api, &published, None), ..page.into() })
        };
        Ok(Response::new(self.0.blocking(load).await?))
    }

    async fn get_super_root_blob(
        &self,
        request: Request<GetSuperRootBlobRequest>,
    ) -> Answered<SuperRootBlob> {
        let (message, _) = open(request)?;
        let which = Which::Hash(read::hash("superroot_hash", &message.superroot_hash)?);
        let room = self.0.room().await?;
        let load = move |api: &Api| {
            let published = api.prover.published(which);
            let published = published.map_err(|error| api.refused(None, error))?;
            let (answer, publication) = load_blob(api, &published)?;
            let blob = PublishedBlob { blob: (&answer).into(), publication };
            Ok(SuperRootBlob { v5_anchor: anchored(api, &published, None), ..blob.into() })
        };
        Ok(taking(room, self.0.blocking(load).await?))
    }

    async fn get_consistency(
        &self,
        request: Request<GetConsistencyRequest>,
    ) -> Answered<Consistency> {
        let (message, _) = open(request)?;
        let from = read::sequence("from", message.from)?;
        let to = message.to.map(|to| read::sequence("to", to)).transpose()?;
        let strength = parse_strength(read::word(&message.strength))?;
        let to = match to {
            Some(to) => to,
            None => self.0.latest()?.super_root.sequence,
        };
        let room = self.0.room().await?;
        let load = move |api: &Api| {
            let later = later_of(api, (from, to))?;
            let answer = prove_extension(api, from, &later, strength)?;
            let proof = Consistency::from(ConsistencyProof::from(&answer));
            Ok(Consistency { v5_anchor: anchored(api, &later, None), ..proof })
        };
        Ok(taking(room, self.0.blocking(load).await?))
    }

    async fn list_twigs(&self, request: Request<ListTwigsRequest>) -> Answered<ListTwigsResponse> {
        let (message, _) = open(request)?;
        let (text, expected) = (&message.family, "a ledger family, such as evm or bitcoin");
        let family = text.parse::<Family>();
        let family = family.map_err(|_| ApiError::parameter("family", text, expected))?;
        read::bounded("from", Some(message.from), "a leaf index below 2^53")?;
        let (from, max) = (message.from, TWIGS_MAX as u64);
        let count = within("count", message.count, max)?;
        let fixed = read::fixed(message.root.as_deref(), message.sequence)?;
        let room = self.0.room().await?;
        let load = move |api: &Api| {
            let published = api.prover.published(fixed.unwrap_or(Which::Latest));
            let published = published.map_err(|error| api.refused(None, error))?;
            let page = load_twigs(api, &published, family, (from, count))?;
            let page = ListTwigsResponse::from(&page);
            Ok(ListTwigsResponse { v5_anchor: anchored(api, &published, None), ..page })
        };
        Ok(taking(room, self.0.blocking(load).await?))
    }

    async fn get_checkpoint(&self, request: Request<GetCheckpointRequest>) -> Answered<Checkpoint> {
        let (message, _) = open(request)?;
        self.0.latest()?;
        let named = message.sequence.map(|named| read::sequence("sequence", named)).transpose()?;
        if let (Some(named), true) = (named, message.cosigned) {
            let expected = "either sequence or cosigned";
            return Err(ApiError::parameter("sequence", &named.to_string(), expected).into());
        }
        let load = move |api: &Api| match message.cosigned {
            true => cosigned_text(api),
            false => checkpoint_text(api, named),
        };
        Ok(Response::new(Checkpoint { note: self.0.blocking(load).await? }))
    }

    async fn get_tile(&self, request: Request<GetTileRequest>) -> Answered<Tile> {
        let (message, _) = open(request)?;
        let level = u8::try_from(message.level).ok().filter(|level| *level <= LEVEL_MAX);
        let expected = "a number from 0 to 63";
        let level = level
            .ok_or_else(|| ApiError::parameter("level", &message.level.to_string(), expected))?;
        let (index, width) = place(message.index, message.width)?;
        let hashes = self.0.blocking(move |api| load_hashes(api, level, index, width)).await?;
        let hashes = hashes.into_iter().map(|hash| hash.0.to_vec()).collect();
        Ok(Response::new(Tile { hashes }))
    }

    async fn get_tile_entries(
        &self,
        request: Request<GetTileEntriesRequest>,
    ) -> Answered<TileEntries> {
        let (message, _) = open(request)?;
        let (index, width) = place(message.index, message.width)?;
        let entries = self.0.blocking(move |api| load_entries(api, index, width)).await?;
        Ok(Response::new(TileEntries { entries }))
    }
}

/// A count of at least one; the most there may be if none is named.
fn within(name: &str, count: Option<u64>, max: u64) -> Result<u64, ApiError> {
    let count = count.unwrap_or(max);
    if (1..=max).contains(&count) {
        return Ok(count);
    }
    Err(ApiError::parameter(name, &count.to_string(), format!("1 to {max}")))
}

/// Index and width of a tile.
fn place(index: u64, width: Option<u32>) -> Result<(u64, u64), ApiError> {
    read::bounded("index", Some(index), "an index below 2^53")?;
    Ok((index, within("width", width.map(u64::from), TILE_WIDTH)?))
}

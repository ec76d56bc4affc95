//! History log as tiles (C2SP `tlog-tiles`), for public tools and witnesses.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use superroot_accumulate::prove::{TILE_WIDTH, tiled};

use superroot_types::Hash;

use crate::ApiError;
use crate::error::codes::{ErrorCode, NOTHING_RECORDED, STARTING, UNKNOWN_SUPERROOT};
use crate::input::RequestInput;
use crate::route::{ApiRoute, RouteGroup, RouteOperation};
use crate::service::{Api, Shared};

const ERRORS: &[ErrorCode] = &[UNKNOWN_SUPERROOT, STARTING, NOTHING_RECORDED];
/// Highest level in a path.
pub(crate) const LEVEL_MAX: u8 = 63;
/// Most three-digit groups in an index: a log has fewer than 2^53 entries.
const GROUPS_MAX: usize = 5;
const LEVEL: &str = "a number from 0 to 63";
const INDEX: &str = "three digits, before them groups of x and three digits, behind them .p/ and a width of 1 to 255 \
     for a tile that is not full: x001/x234/067.p/8";

/// Tile routes. `/v5` is the log prefix, shared with `/v5/checkpoint`.
pub(super) fn routes() -> [ApiRoute; 2] {
    [
        ApiRoute::open(75, "/v5/tile/{level}/{*index}", RouteGroup::G1).serves(
            RouteOperation::get("tile", "Hashes of the history log: a tile of C2SP tlog-tiles", tile)
                .errors(ERRORS)
                .says(
                    "256 hashes of 32 bytes, or as many as the path says. The tree is that of RFC 6962 \
                     with SHA-256; a hash of level L stands for 256^L entries. Slashes of the index \
                     stand as they are.",
                )
                .returns_bytes(),
        )
        .has_files(),
        ApiRoute::open(76, "/v5/tile/entries/{*index}", RouteGroup::G1).serves(
            RouteOperation::get("tileEntries", "Entries of the history log: SuperRoot preimages", entries)
                .errors(ERRORS)
                .says("256 entries, or as many as the path says, each after its length in two bytes.")
                .returns_bytes(),
        )
        .has_files(),
    ]
}

async fn tile(State(service): State<Shared>, ask: RequestInput) -> Result<Response, ApiError> {
    let text = ask.path("level")?;
    let level = text.parse().ok().filter(|level: &u8| level.to_string() == text);
    let level = level.filter(|level| *level <= LEVEL_MAX);
    let level = level.ok_or_else(|| ApiError::parameter("level", text, LEVEL))?;
    let (index, width) = place(&ask)?;
    let read = move |api: &Api| load_hashes(api, level, index, width);
    let hashes = service.blocking(read).await?;
    Ok(immutable(hashes.iter().flat_map(|hash| hash.0).collect()))
}

pub(crate) fn load_hashes(
    api: &Api,
    level: u8,
    index: u64,
    width: u64,
) -> Result<Vec<Hash>, ApiError> {
    is_there(api, level, index, width)?;
    let hashes = api.prover.tile(level, index, width);
    hashes.map_err(|error| api.refuse_unproven(error))
}

pub(crate) fn load_entries(api: &Api, index: u64, width: u64) -> Result<Vec<Vec<u8>>, ApiError> {
    is_there(api, 0, index, width)?;
    api.prover.entries(index, width).map_err(|error| api.refuse_unproven(error))
}

async fn entries(State(service): State<Shared>, ask: RequestInput) -> Result<Response, ApiError> {
    let (index, width) = place(&ask)?;
    let read = move |api: &Api| {
        let mut bytes = Vec::new();
        for entry in load_entries(api, index, width)? {
            // a preimage has 82 bytes
            bytes.extend(u16::try_from(entry.len()).unwrap_or(u16::MAX).to_be_bytes());
            bytes.extend(entry);
        }
        Ok(bytes)
    };
    Ok(immutable(service.blocking(read).await?))
}

fn immutable(bytes: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    (headers, bytes).into_response()
}

fn is_there(api: &Api, level: u8, index: u64, width: u64) -> Result<(), ApiError> {
    let newest = api.prover.published(superroot_types::SuperRootRef::Latest);
    let size = newest.and_then(|newest| Ok(newest.log_size()?));
    let size = size.map_err(|error| api.refuse_unproven(error))?;
    let end = index.saturating_mul(TILE_WIDTH).saturating_add(width);
    if end <= tiled(size, level) {
        return Ok(());
    }
    let detail = format!(
        "the log has {size} entries, {} at level {level}: the tile would end at {end}",
        tiled(size, level)
    );
    Err(ApiError::new(UNKNOWN_SUPERROOT, detail))
}

fn place(ask: &RequestInput) -> Result<(u64, u64), ApiError> {
    let text = ask.path("index")?;
    parse(text).ok_or_else(|| ApiError::parameter("index", text, INDEX))
}

fn parse(text: &str) -> Option<(u64, u64)> {
    let (index, width) = match text.split_once(".p/") {
        None => (text, TILE_WIDTH),
        Some((index, width)) => {
            let read = width.parse().ok().filter(|read: &u64| read.to_string() == width)?;
            (index, Some(read).filter(|read| (1..TILE_WIDTH).contains(read))?)
        }
    };
    let groups: Vec<&str> = index.split('/').collect();
    let (last, before) = groups.split_last().filter(|_| groups.len() <= GROUPS_MAX)?;
    let mut number = 0_u64;
    for (at, group) in before.iter().map(|group| group.strip_prefix('x')).enumerate() {
        let group = digits(group?)?;
        // a path has one form: no groups of zeroes before it
        if at == 0 && group == 0 {
            return None;
        }
        number = number * 1_000 + group;
    }
    Some((number * 1_000 + digits(last)?, width))
}

/// Number with exactly three digits.
fn digits(text: &str) -> Option<u64> {
    let is_number = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_form() {
        for (text, place) in [
            ("000", (0, 256)),
            ("007.p/1", (7, 1)),
            ("x001/x234/067", (1_234_067, 256)),
            ("x001/000.p/255", (1_000, 255)),
            ("x999/x999/x999/x999/999", (999_999_999_999_999, 256)),
        ] {
            assert_eq!(parse(text), Some(place), "{text}");
        }
        for text in [
            "",
            "0",
            "00",
            "0000",
            "x000",
            "x000/001",
            "001/002",
            "x01/002",
            "x001",
            "x001/",
            "/001",
            "000.p/0",
            "000.p/256",
            "000.p/01",
            "000.p/",
            "000.p/+1",
            "000.p/1.p/1",
            "000.P/1",
            "00é",
            "+01",
            "x001/x002/x003/x004/x005/006",
            "000/",
            " 000",
            "-01",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}

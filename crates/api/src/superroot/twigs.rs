//! Twig pages: twigs omitted from large SuperRoot answers.

use axum::extract::State;
use superroot_accumulate::Published;
use superroot_types::{Family, LeafIndex, SAFE_INTEGER_MAX, SuperRootRef};
use superroot_wire::superroot::body::TwigPage;
use superroot_wire::superroot::{TWIGS_MAX, Twigs};
use superroot_wire::{Case, case, paths};

use super::{ERRORS, LARGE_REQUESTS};
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::input::{RequestInput, parse_integer};
use crate::route::parameters::{ROOT, SEQUENCE};
use crate::route::{ApiRoute, RouteGroup, RouteOperation, RouteParameter};
use crate::service::{Api, Shared};

pub(super) const MANY: &str = "More than 4,096 appended twigs come in pages: GET /v5/mini-mmr/{family}/twigs, from each family's \
     leaf_count in the SuperRoot before.";
const FROM: RouteParameter =
    RouteParameter::integer("from", "Leaf index of the first twig").required();
const COUNT: RouteParameter =
    RouteParameter::integer("count", "Twigs wanted, 1 to 4096; 4096 if left out");

pub(super) fn route() -> ApiRoute {
    ApiRoute::open(70, paths::TWIGS, RouteGroup::G1)
        .counts_as(LARGE_REQUESTS)
        .serves(
            RouteOperation::get(
                "twigs",
                "Consecutive leaves of a Mini-MMR: the twigs that were sealed, in their order",
                twigs,
            )
            .query(&[FROM, COUNT, ROOT, SEQUENCE])
            .errors(ERRORS)
            .says(
                "Up to the leaf count of the SuperRoot named by root or sequence, or of the newest. Under a named one it never changes.",
            )
            .returns::<TwigPage>(),
        )
}

async fn twigs(State(service): State<Shared>, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    let text = ask.path("family")?;
    let expected = "a ledger family, such as evm or bitcoin";
    let family: Family = text.parse().map_err(|_| ApiError::parameter("family", text, expected))?;
    let from = ask.query("from")?.ok_or_else(|| ApiError::missing("from", "a leaf index"))?;
    let from = parse_integer("from", from, SAFE_INTEGER_MAX, "a leaf index below 2^53")?;
    let max = TWIGS_MAX as u64;
    let count = ask.query("count")?.map(|count| {
        let read = parse_integer("count", count, max, "1 to 4096").ok();
        let wrong = || ApiError::parameter("count", count, "1 to 4096");
        read.filter(|count| *count > 0).ok_or_else(wrong)
    });
    let count = count.transpose()?.unwrap_or(max);
    let fixed = ask.fixed()?;
    let seen = ask.seen();
    let address = seen.address().to_owned();
    service
        .large_page_of_super_root(&address, move |api| {
            let refuse = |error| api.refuse_unproven(error);
            let published =
                api.prover.published(fixed.unwrap_or(SuperRootRef::Latest)).map_err(refuse)?;
            let make = || {
                let page = load_twigs(api, &published, family, (from, count))?;
                Ok(case::text(&TwigPage::from(&page), Some(Case::Camel)))
            };
            ApiAnswer::made((&published, fixed.is_some()), &seen, make)
        })
        .await
}

/// Twig page, up to the SuperRoot's leaf count.
pub(crate) fn load_twigs(
    api: &Api,
    published: &Published,
    family: Family,
    (from, count): (u64, u64),
) -> Result<Twigs, ApiError> {
    let count_max = published.mini_mmrs[usize::from(family.byte())].leaf_count;
    let end = count_max.end().min(LeafIndex(from.saturating_add(count)));
    let twigs = api.prover.twigs(family, LeafIndex(from)..end);
    Ok(Twigs { family, from, twigs: twigs.map_err(|error| api.refuse_unproven(error))? })
}

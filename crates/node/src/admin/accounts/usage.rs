//! Orders about usage that no account sees of itself.

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superroot_account::label_of;
use superroot_account::usage::Subject;

use super::Desk;

/// Routes that are named.
const TOP_ROUTES: usize = 10;

/// Orders about usage.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum UsageOrder {
    /// Requests of callers without a key: today, in this month, and the routes that they ask most.
    Keyless,
}

impl Desk<'_> {
    pub(super) fn usage(&self, order: &UsageOrder) -> anyhow::Result<Value> {
        let UsageOrder::Keyless = order;
        let (usage, routes) = (self.service.usage(), self.service.config().routes);
        let totals = usage.totals(Subject::Keyless, self.service.now())?;
        let top = usage.top_routes(Subject::Keyless, self.this_month()?, TOP_ROUTES)?;
        let top = top.iter().map(
            |used| json!({ "endpoint": label_of(routes, used.route), "requests": used.requests }),
        );
        Ok(json!({
            "requests_today": totals.requests_today,
            "requests_this_month": totals.requests_this_month,
            "top_endpoints": top.collect::<Vec<_>>(),
        }))
    }
}

//! Orders about usage that no account sees of itself.

use std::net::IpAddr;

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superroot_account::Day;
use superroot_account::usage::{KeylessCursor, Subject};
use superroot_types::UnixSeconds;

use super::order::{Rows, time};
use super::{Desk, shown};

/// Orders about usage.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum UsageOrder {
    /// Requests of callers without a key, by day and address prefix. A prefix is shown by its keyed
    /// hash, since no address is stored; --address asks about one.
    Keyless {
        /// The first day, by any time of it in UTC; today otherwise.
        #[arg(long, value_name = "TIME", value_parser = time)]
        from: Option<UnixSeconds>,
        /// The last day; today otherwise.
        #[arg(long, value_name = "TIME", value_parser = time)]
        until: Option<UnixSeconds>,
        /// An address: only its prefix, an IPv6 /64.
        #[arg(long, value_name = "ADDRESS")]
        address: Option<IpAddr>,
        /// Where the page before says that the next begins.
        #[arg(long, value_name = "CURSOR")]
        after: Option<String>,
        /// Rows at most, 1 to 1000.
        #[arg(long, value_name = "N", default_value = "100")]
        limit: Rows,
    },
}

impl Desk<'_> {
    pub(super) fn usage(&self, order: &UsageOrder) -> anyhow::Result<Value> {
        let UsageOrder::Keyless { from, until, address, after, limit } = order;
        let (usage, now) = (self.service.usage(), self.service.now());
        let day = |time: &Option<UnixSeconds>| Day::of(time.unwrap_or(now));
        let days = (day(from), day(until));
        anyhow::ensure!(days.0 <= days.1, "--from: it is after --until");
        let after = after.as_ref().map(|text| text.parse::<KeylessCursor>());
        let after = after.transpose().map_err(|error| anyhow::anyhow!("--after: {error}"))?;
        let caller = match address {
            None => None,
            Some(address) => match usage.prefix((*address).into())? {
                None => return Ok(json!({ "days": [], "next_after": null })),
                caller => caller,
            },
        };
        let page = usage.keyless(caller, days, after, limit.get())?;
        let rows = page.rows.iter().map(|row| {
            json!({
                "caller": match row.caller {
                    Subject::Prefix(hash) => const_hex::encode(hash),
                    Subject::OtherPrefixes => "all others".to_owned(),
                    Subject::Account(account) => account.to_string(),
                },
                "day": shown::at(row.day.start()),
                "requests": row.requests,
            })
        });
        Ok(json!({
            "days": rows.collect::<Vec<_>>(),
            "next_after": page.next.map(|next| next.to_string()),
        }))
    }
}

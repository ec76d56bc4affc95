//! Usage of the day before a demo, made up so that there is a bill to check.

use superroot_account::meter::{CountedRequest, MeteredCaller, RouteNumber, StatusClass};
use superroot_account::{AccountService, Day, KeyId};
use superroot_types::{ChainId, ChainKey, Family, UnixSeconds};

use crate::accounts::demo_keys::DemoKey;

const REQUESTS: u64 = 240;
const HOUR_SECONDS: u64 = 3_600;

/// Counts requests of the last whole day for each demo key, unless a day has a checkpoint already.
pub(crate) fn count_a_day(service: &AccountService, keys: &[DemoKey]) -> anyhow::Result<()> {
    if service.checkpoints().newest()?.is_some() {
        return Ok(());
    }
    let settled = UnixSeconds(service.now().0.saturating_sub(HOUR_SECONDS));
    let Some(day) = Day::of(settled).days_before(1) else { return Ok(()) };
    let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
    for key in keys {
        for number in 0..REQUESTS {
            service.meter().count(&CountedRequest {
                environment: service.environment(),
                caller: MeteredCaller::Account { account: key.account, key: KeyId(key.account.0) },
                route: RouteNumber(1),
                chain: (number % 2 == 0).then_some(chain),
                status: StatusClass::Success,
                weight: 1,
                at: UnixSeconds(day.start().0 + number * 360),
            });
        }
    }
    service.flush(service.now())?;
    Ok(())
}

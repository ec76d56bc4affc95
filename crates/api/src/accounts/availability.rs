//! `GET /api/v1/availability`: measured availability in a month, and the integrators' target.

use axum::extract::State;
use superroot_account::Month;
use superroot_billing::BillingLedger;

use superroot_wire::account::Availability;

use super::invoices::parse_month;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::input::RequestInput;
use crate::service::Shared;

pub(super) async fn availability(
    State(service): State<Shared>,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let month = ask.query("month")?.map(|text| parse_month("month", text)).transpose()?;
    let body = service.billing(move |billing: &BillingLedger| {
        let month = month.map_or_else(|| Month::of(billing.now()), Ok)?;
        let measured = billing.availability(month)?;
        let promised = billing.price_list(month)?.availability_e6;
        Ok(Availability {
            month: month.to_string(),
            measured_minutes: measured.measured_minutes,
            up_minutes: measured.up_minutes,
            availability_percent: measured.part_e6().map(|part| f64::from(part) / 1e4),
            promised_percent: f64::from(promised) / 1e4,
        })
    });
    Ok(ApiAnswer::of(&body.await?))
}

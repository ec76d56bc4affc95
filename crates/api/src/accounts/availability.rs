//! `GET /api/v1/availability`: what was measured of a month, against what integrators are promised.

use axum::extract::State;
use superroot_account::Month;
use superroot_billing::Billing;

use superroot_wire::account::Availability;

use super::invoices::parse_month;
use crate::ApiError;
use crate::answer::Answer;
use crate::input::Ask;
use crate::service::Shared;

pub(super) async fn availability(
    State(service): State<Shared>,
    ask: Ask,
) -> Result<Answer, ApiError> {
    let month = ask.query("month")?.map(|text| parse_month("month", text)).transpose()?;
    let body = service.billing(move |billing: &Billing| {
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
    Ok(Answer::of(&body.await?))
}

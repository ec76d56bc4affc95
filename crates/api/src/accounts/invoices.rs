//! Invoices: list, and single invoices as JSON, CSV or a printable page.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use superroot_account::{AccountId, Month};
use superroot_billing::{BillingError, BillingLedger, MonthInvoice};

use super::usage::page_limit;
use super::{answer, shapes};
use crate::ApiError;
use crate::error::codes::UNKNOWN_INVOICE;
use crate::error::of_account;
use crate::input::RequestInput;
use crate::input::caller::Keyed;
use crate::service::Shared;
use superroot_wire::account::InvoiceList;

/// Invoices per page.
const PAGE: u64 = 100;
const PAGE_MAX: usize = 1_000;
/// Draft invoices of past months in the list.
const ENDED_MAX: usize = 12;

/// `GET /api/v1/invoices`: newest month first.
pub(super) async fn list(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<crate::answer::ApiAnswer, ApiError> {
    let before = ask.query("before")?.map(|text| parse_month("before", text)).transpose()?;
    let limit = page_limit(&ask, PAGE, PAGE_MAX)?;
    let account = keyed.0.account;
    let load = move |billing: &BillingLedger| {
        let found = billing.invoices(account, before, limit)?;
        let next = found.last().filter(|_| found.len() == limit).map(|last| last.month);
        let running = Month::of(billing.now())?;
        let draft = billing.invoice_or_draft(account, running)?;
        Ok((found, next, ended(billing, account, running)?, draft))
    };
    let (found, next, ended, draft) = service.billing(load).await?;
    Ok(answer(&InvoiceList {
        invoices: found.iter().map(|one| shapes::invoice(one, false)).collect(),
        ended: ended.iter().map(|one| shapes::invoice(one, false)).collect(),
        current: shapes::invoice(&draft, false),
        next_before: next.map(|month| month.to_string()),
    }))
}

/// Drafts of past months that are not closed yet, newest first.
fn ended(
    billing: &BillingLedger,
    account: AccountId,
    running: Month,
) -> Result<Vec<MonthInvoice>, BillingError> {
    let first = billing.first_open_month(account)?;
    let months = std::iter::successors(running.before(), |month| month.before());
    let open = months.take_while(|month| *month >= first).take(ENDED_MAX);
    open.map(|month| billing.invoice_or_draft(account, month)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InvoiceFormat {
    Json,
    Csv,
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InvoiceRef {
    /// By month; a draft until the month is closed.
    Month(Month),
    /// By number, in this environment.
    Number(u64),
}

/// `GET /api/v1/invoices/{invoice}`, with suffix `.csv` or `.html` for those forms
pub(super) async fn one(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<Response, ApiError> {
    let text = ask.path("invoice")?.to_owned();
    let environment = service.api.accounts.environment().name();
    let (which, form) = parse(&text, environment)?;
    let account = keyed.0.account;
    let found = service.billing(move |billing| load(billing, account, which)).await?;
    let found = found.ok_or_else(|| {
        ApiError::new(UNKNOWN_INVOICE, format!("the account has no invoice {text}"))
    })?;
    Ok(match form {
        InvoiceFormat::Json => answer(&shapes::invoice(&found, true)).into_response(),
        InvoiceFormat::Csv => printed("text/csv; charset=utf-8", found.to_csv()),
        InvoiceFormat::Html => printed("text/html; charset=utf-8", found.to_html()),
    })
}

fn load(
    billing: &BillingLedger,
    account: AccountId,
    which: InvoiceRef,
) -> Result<Option<MonthInvoice>, BillingError> {
    let opened = billing.accounts().accounts().account(account)?.created_at;
    match which {
        InvoiceRef::Number(number) => {
            let found = billing.invoice_of_number(number)?;
            Ok(found.filter(|found| found.account == account))
        }
        InvoiceRef::Month(month) if month.start() > billing.now() => Ok(None),
        InvoiceRef::Month(month) if month.end() <= opened => Ok(None),
        InvoiceRef::Month(month) => billing.invoice_or_draft(account, month).map(Some),
    }
}

/// Parses `2026-02` or `SR-LIVE-000042`, with an optional format suffix.
fn parse(text: &str, environment: &str) -> Result<(InvoiceRef, InvoiceFormat), ApiError> {
    let forms = [
        (".csv", InvoiceFormat::Csv),
        (".html", InvoiceFormat::Html),
        (".json", InvoiceFormat::Json),
    ];
    let ending = forms.into_iter().find_map(|(end, form)| Some((text.strip_suffix(end)?, form)));
    let (name, form) = ending.unwrap_or((text, InvoiceFormat::Json));
    let prefix = format!("SR-{}-", environment.to_uppercase());
    let Some(digits) = name.strip_prefix(&prefix) else {
        return Ok((InvoiceRef::Month(parse_month("invoice", name)?), form));
    };
    let is_number = (6..=19).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let number = digits.parse().ok().filter(|number| is_number && *number > 0);
    let expected = format!("a month such as 2026-02, or a number such as {prefix}000042");
    let wrong = || ApiError::parameter("invoice", text, expected);
    number.map(|number| (InvoiceRef::Number(number), form)).ok_or_else(wrong)
}

/// Parses a month parameter.
pub(super) fn parse_month(name: &'static str, text: &str) -> Result<Month, ApiError> {
    let expected = "a month such as 2026-02";
    match text.parse() {
        Ok(month) => Ok(month),
        Err(superroot_account::AccountError::Month { .. }) => {
            Err(ApiError::parameter(name, text, expected))
        }
        Err(other) => Err(of_account(other)),
    }
}

/// Response for a printable file. The page brings its own content security policy; this one applies to the file too.
fn printed(media_type: &'static str, text: String) -> Response {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy)),
    ];
    (headers, text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invoice_is_named_by_month_or_number_and_its_form_by_the_ending() {
        let month = "2026-02".parse().unwrap();
        for (text, expected) in [
            ("2026-02", (InvoiceRef::Month(month), InvoiceFormat::Json)),
            ("2026-02.csv", (InvoiceRef::Month(month), InvoiceFormat::Csv)),
            ("2026-02.html", (InvoiceRef::Month(month), InvoiceFormat::Html)),
            ("SR-TEST-000042", (InvoiceRef::Number(42), InvoiceFormat::Json)),
            ("SR-TEST-1000042.csv", (InvoiceRef::Number(1_000_042), InvoiceFormat::Csv)),
        ] {
            assert_eq!(parse(text, "test"), Ok(expected), "{text}");
        }
        for text in [
            "",
            "2026-13",
            "2026-2",
            ".csv",
            "SR-TEST-42",
            "SR-TEST-000000",
            "SR-TEST-+00042",
            "SR-LIVE-000042",
            "SR-TEST-99999999999999999999",
            "2026-02.pdf",
            "draft",
        ] {
            let error = parse(text, "test").unwrap_err();
            assert_eq!(error.parameter.as_deref(), Some("invoice"), "{text}");
        }
    }
}

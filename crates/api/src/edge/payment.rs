//! Refusal of billed requests until the account pays.

use std::sync::Arc;

use superroot_account::Entitlement;
use superroot_billing::Due;

use crate::ApiError;
use crate::error::codes::PAYMENT_DUE;
use crate::error::of_billing;
use crate::service::Shared;

/// Refusal for an account that must pay, or prove its payer, before it uses more billing tokens.
pub(crate) async fn due(service: &Shared, entitlement: &Entitlement) -> Option<ApiError> {
    let account = entitlement.limited_as();
    let due = match service.dues.remembered(account, service.api.clock.now()) {
        Some(due) => due,
        None => {
            let shared = Arc::clone(service);
            let look = move || Ok(shared.dues.look(&shared.api.billing, account));
            match service.look_up(look).await {
                Ok(Ok(due)) => due,
                Ok(Err(error)) => return Some(of_billing(error)),
                Err(error) => return Some(error),
            }
        }
    };
    let usdc = superroot_billing::usdc_text;
    Some(match due? {
        Due::Wallet { used, free } => {
            let detail = format!(
                "{used} billing tokens are used this month and {free} are free: prove a wallet (POST \
                 /api/v1/wallet) to go on as you pay; see /api/v1/plans"
            );
            ApiError::new(PAYMENT_DUE, detail).with("used", used).with("free", free)
        }
        Due::Payment { owed_usdc_e6, most_usdc_e6 } => {
            let owed = usdc(owed_usdc_e6.into());
            let most = usdc(most_usdc_e6.into());
            let detail = format!(
                "{owed} USDC are owed, the running month included, and {most} may be: pay the invoices (GET \
                 /api/v1/invoices) or what the month costs so far, or agree on more with the operator"
            );
            ApiError::new(PAYMENT_DUE, detail).with("owed_usdc", owed).with("most_usdc", most)
        }
    })
}

//! Webhook bodies.

use superroot_webhook::{DeadRun, DeliveryResult, WebhookRow, WebhookState};
use superroot_wire::webhook as wire;

use crate::ApiError;

/// Webhook body; `refused` is the reason why its account is not served, if enabled.
pub(super) fn webhook(webhook: &WebhookRow, refused: Option<&ApiError>) -> wire::Webhook {
    let refused = refused.filter(|_| webhook.state == WebhookState::Enabled);
    let state = match webhook.state {
        WebhookState::Enabled if refused.is_none() => "enabled",
        WebhookState::Enabled => "suspended",
        WebhookState::Paused => "paused",
        WebhookState::Gone => "gone",
    };
    let progress = &webhook.progress;
    wire::Webhook {
        id: webhook.id.to_string(),
        url: webhook.url.clone(),
        label: webhook.label.as_ref().map(ToString::to_string),
        subscription: webhook.asked.clone(),
        state: state.to_owned(),
        suspension: refused.map(|error| format!("{}: {}", error.code.name, error.detail)),
        created_at: webhook.created_at,
        cursor: progress.cursor.map(|cursor| cursor.to_string()),
        delivered: progress.delivered,
        delivered_at: progress.delivered_at,
        failed_attempts: progress.failed_attempts,
        failing_since: progress.failing_since,
        last_failure: progress.last_failure.clone(),
        next_attempt_at: progress.next_attempt_at,
        dead_letters: progress.dead.iter().map(dead).collect(),
        replaying: progress.replaying.as_ref().map(dead),
    }
}

fn dead(run: &DeadRun) -> wire::DeadLetters {
    wire::DeadLetters {
        after: run.after.to_string(),
        last: run.last.to_string(),
        count: run.count,
        given_up_at: run.given_up_at,
        why: run.why.clone(),
    }
}

pub(super) fn test(answered: &DeliveryResult) -> wire::WebhookTest {
    wire::WebhookTest {
        is_delivered: answered.failure.is_none(),
        status: answered.status,
        duration_ms: u64::try_from(answered.took.as_millis()).unwrap_or(u64::MAX),
        failure: answered.failure.clone(),
    }
}

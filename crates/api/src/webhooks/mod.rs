//! Account webhooks: list, create, change, delete, test, rotate, replay.

use superroot_wire::account::RotateRequest;
use superroot_wire::webhook::{Webhook, WebhookList, WebhookSecret, WebhookSettings, WebhookTest};

use crate::error::codes::{
    LIMIT_REACHED, NOT_INDEXED, NOT_PROVABLE, NOTHING_TO_REPLAY, UNKNOWN_CHAIN, UNKNOWN_WEBHOOK,
};
use crate::route::{ApiRoute, RouteGroup, RouteOperation};

mod ask;
mod handlers;
mod shapes;

const ABOUT: &str = "Messages are POSTed as Standard Webhooks says, signed, in order and at least once. See \
    docs/webhooks.md.";

pub(crate) fn routes() -> Vec<ApiRoute> {
    use RouteGroup::Account;
    vec![
        ApiRoute::paid(36, superroot_webhook::PATH, Account)
            .serves(
                RouteOperation::get("webhooks", "Where events are sent", handlers::list)
                    .says("Of the key's account, oldest first, with their failures.")
                    .returns::<WebhookList>(),
            )
            .serves(
                RouteOperation::post("createWebhook", "Another webhook", handlers::create)
                    .reads::<WebhookSettings>()
                    .errors(&[LIMIT_REACHED, UNKNOWN_CHAIN, NOT_INDEXED, NOT_PROVABLE])
                    .says(ABOUT)
                    .creates()
                    .returns::<WebhookSecret>(),
            ),
        ApiRoute::paid(37, "/api/v1/webhooks/{id}", Account)
            .serves(
                RouteOperation::get("webhook", "A webhook, and how far it has come", handlers::get)
                    .says("next_attempt_at keeps the Retry-After of its address.")
                    .errors(&[UNKNOWN_WEBHOOK])
                    .returns::<Webhook>(),
            )
            .serves(
                RouteOperation::patch("changeWebhook", "A webhook changed", handlers::change)
                    .says("A member that is left out stays; enabled: true sends again at once.")
                    .reads::<WebhookSettings>()
                    .errors(&[UNKNOWN_WEBHOOK, UNKNOWN_CHAIN, NOT_INDEXED, NOT_PROVABLE])
                    .returns::<Webhook>(),
            )
            .serves(
                RouteOperation::delete("deleteWebhook", "A webhook ended", handlers::delete)
                    .says("What is under way may still arrive once.")
                    .errors(&[UNKNOWN_WEBHOOK])
                    .returns::<Webhook>(),
            ),
        ApiRoute::paid(110, "/api/v1/webhooks/{id}/test", Account).serves(
            RouteOperation::post("testWebhook", "A test message, sent once", handlers::test)
                .says("Says what the address answered. It is not tried again.")
                .errors(&[UNKNOWN_WEBHOOK])
                .returns::<WebhookTest>(),
        ),
        ApiRoute::paid(111, "/api/v1/webhooks/{id}/rotate", Account).serves(
            RouteOperation::post("rotateWebhook", "A new secret", handlers::rotate)
                .may_read::<RotateRequest>()
                .errors(&[UNKNOWN_WEBHOOK])
                .says("The old secret signs as well for grace_seconds.")
                .creates()
                .returns::<WebhookSecret>(),
        ),
        ApiRoute::paid(112, "/api/v1/webhooks/{id}/replay", Account).serves(
            RouteOperation::post("replayWebhook", "Dead letters sent again", handlers::replay)
                .errors(&[UNKNOWN_WEBHOOK, NOTHING_TO_REPLAY])
                .says("The oldest run of dead letters first.")
                .returns::<Webhook>(),
        ),
    ]
}

// Written by scripts/schema.mjs from interface/openapi.json. Do not edit.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Live data, and a check of any proof in the browser
         * @description HTML, with its scripts under /web.
         */
        get: operations["index"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/finality/{chain_id}/proof/{block}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same under /api
         * @description Immutable under ?root=.
         */
        get: operations["finalityProofApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/lambda/proof-bundle/block/{chain_id}/{block}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Header, roots and path of a block in one object
         * @description Immutable under ?root=.
         */
        get: operations["proveBlockLambda"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/availability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was measured of a month, against what integrators are promised
         * @description The running month, or that of month=.
         */
        get: operations["availability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every chain of the registry, and how it fares
         * @description States: not_followed (no node is known), starting, catching_up (claimed: what its nodes have), backfilling, following, stalled, halted (nodes contradict a final block), recorded, withdrawn. why says why a chain does not move.
         */
        get: operations["chains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/coverage/{chain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is held of a chain range by range, what is not and why, and how to have more
         * @description Ranges and gaps leave out no number. A page has at most limit ranges and the gaps before each; the last one has the gaps above everything that is held.
         */
        get: operations["coverage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Invoices, newest month first, and what the running month comes to
         * @description What comes late stands on the invoice of the month in which it was entered.
         */
        get: operations["invoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/invoices/{invoice}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One invoice with its lines; .csv or .html behind its name for a table or a page
         * @description By month (a draft until it is closed) or by number. See docs/billing.md.
         */
        get: operations["invoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Keys of an account
         * @description With state, scope and expiry; of a key itself its first characters alone.
         */
        get: operations["keys"];
        put?: never;
        /**
         * Another key
         * @description Shown once: only its SHA-256 is kept.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * A key revoked at once
         * @description Refused here at once, and on every node in under a second. Again is no error.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        /**
         * Label, scope or expiry of a key
         * @description What is left out stays; null takes it away.
         */
        patch: operations["changeKey"];
        trace?: never;
    };
    "/api/v1/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new key for an old one, which goes on for a while
         * @description Shown once: only its SHA-256 is kept.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pass": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Billing tokens or a tier, bought by x402
         * @description 402 with the terms (x402 version 2) without PAYMENT-SIGNATURE. Counts once the transfer is proven. See docs/passes.md.
         */
        post: operations["pass"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/passes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Passes of an account, newest first
         * @description At most 100, each with its state.
         */
        get: operations["passes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tiers, grids, limits, prices and commercial models
         * @description The same for every caller; a price is in US dollars.
         */
        get: operations["plans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open an account and get its first key
         * @description An account of tier explorer that claims the wallet; with message and signature, one that has proven it. Shown once: only its SHA-256 is kept.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/register/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A message for a wallet to sign (EIP-4361)
         * @description To be signed with personal_sign as it is, to the byte, and brought back once, in time, to /api/v1/register or /api/v1/wallet.
         */
        get: operations["challenge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The whole service at one glance: what each chain does, and why one does not move
         * @description States as in /api/v1/chains.
         */
        get: operations["status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stream-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A token that opens one stream
         * @description For browsers, which set no header on a stream: goes into ?token=, once.
         */
        post: operations["streamToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sub-accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sub-accounts of an integrator
         * @description Of the key's own account alone.
         */
        get: operations["subAccounts"];
        put?: never;
        /**
         * Another sub-account, with its first key
         * @description It has the integrator's tier and shares its limit; its keys and counts are its own.
         */
        post: operations["createSubAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sub-accounts/{account_id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Keys of a sub-account
         * @description With state, scope and expiry; of a key itself its first characters alone.
         */
        get: operations["subAccountKeys"];
        put?: never;
        /**
         * Another key of a sub-account
         * @description Shown once: only its SHA-256 is kept.
         */
        post: operations["createSubAccountKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sub-accounts/{account_id}/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * A sub-account's key revoked at once
         * @description Refused here at once, and on every node in under a second. Again is no error.
         */
        delete: operations["revokeSubAccountKey"];
        options?: never;
        head?: never;
        /**
         * Label, scope or expiry of a sub-account's key
         * @description What is left out stays; null takes it away.
         */
        patch: operations["changeSubAccountKey"];
        trace?: never;
    };
    "/api/v1/sub-accounts/{account_id}/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new key for an old one of a sub-account
         * @description Shown once: only its SHA-256 is kept.
         */
        post: operations["rotateSubAccountKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sub-accounts/{account_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a sub-account used
         * @description In UTC. See docs/accounts.md.
         */
        get: operations["subAccountUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests counted for an account, its subscription and its billing tokens
         * @description In UTC. See docs/accounts.md.
         */
        get: operations["usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Roots over each day's usage of all accounts, newest first
         * @description Written to the registry contract, a day an hour after its end.
         */
        get: operations["usageCheckpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/checkpoints/{checkpoint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Proof of one's own usage on a day, for superroot verify
         * @description By sequence at the newest contract, or by day. See docs/billing.md.
         */
        get: operations["usageCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same by hour, key, route, chain and status
         * @description Hours that overlap from to until; the last day where neither is given.
         */
        get: operations["usageHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether a key is valid, and what it gives
         * @description Of the key that the request presents.
         */
        get: operations["verifyKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/wallet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Proof that a wallet is one's own
         * @description What the wallet paid for is the presented key's account's from now on. The key must be confined to nothing and expire at no time. See docs/accounts.md.
         */
        post: operations["wallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/watches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Addresses and topics watched
         * @description Of the key's account, in pages.
         */
        get: operations["watches"];
        put?: never;
        /**
         * Another watch
         * @description Events of the address or topic are collected from the head on, and from from_block on in stored blocks: see progress. The same target is the same watch (200), with the lower from_block. See docs/events.md.
         */
        post: operations["createWatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/watches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A watch, and how far it has come
         * @description Only of the key's own account.
         */
        get: operations["watch"];
        put?: never;
        post?: never;
        /**
         * A watch ended
         * @description What was collected because of it stays.
         */
        delete: operations["deleteWatch"];
        options?: never;
        head?: never;
        /**
         * A watch changed
         * @description A member that is left out stays as it is.
         */
        patch: operations["changeWatch"];
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where events are sent
         * @description Of the key's account, oldest first, with their failures.
         */
        get: operations["webhooks"];
        put?: never;
        /**
         * Another webhook
         * @description Messages are POSTed as Standard Webhooks says, signed, in order and at least once. See docs/webhooks.md.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A webhook, and how far it has come
         * @description next_attempt_at keeps the Retry-After of its address.
         */
        get: operations["webhook"];
        put?: never;
        post?: never;
        /**
         * A webhook ended
         * @description What is under way may still arrive once.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * A webhook changed
         * @description A member that is left out stays; enabled: true sends again at once.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/api/v1/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dead letters sent again
         * @description The oldest run of dead letters first.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new secret
         * @description The old secret signs as well for grace_seconds.
         */
        post: operations["rotateWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test message, sent once
         * @description Says what the address answered. It is not tried again.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v5/proof/blob/{chain_id}/{block}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The portable proof of a block: the bytes of a .srproof file, and its layers
         * @description l1 to l6 are names of layers, not proof levels. l6_finality_commitment is not proven.
         */
        get: operations["proveBlockBlob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asyncapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is pushed, as AsyncAPI 3
         * @description Topics of streams and webhooks, with their data.
         */
        get: operations["asyncapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bloom/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Where an address or topic may be
         * @description Final blocks whose events may name the address and every topic given. absent with header_blooms can be checked with the headers, proven at proof; own_filter is this service's word. A bloom has false positives and no false negatives.
         */
        post: operations["bloomQuery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ccip/{sender}/{data}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Proof of an event for a contract that asks (EIP-3668)
         * @description See docs/contracts.md.
         */
        get: operations["gateway"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document for people
         * @description HTML that needs no script.
         */
        get: operations["docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * try: the document, to be tried out
         * @description try, and the files that it is made of.
         */
        get: operations["docsFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{order_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * State of a cross-chain order
         * @description By protocol:chain:id, the protocol's own id, a deposit's number, or a transaction of its origin or fill; a wrapper's id (LI.FI, Socket) leads to the bridge's order. An ambiguous name is refused with candidates. See docs/orders.md.
         */
        get: operations["order"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/finality": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Final, safe and newest block of every chain
         * @description node_quorum is the agreement of the named sources; no signature was checked.
         */
        get: operations["finalityOfAll"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/finality/{chain_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Final, safe and newest block of a chain
         * @description node_quorum is the agreement of the named sources; no signature was checked.
         */
        get: operations["finality"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/finality/{chain_id}/proof/{block}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Proof of a block up to level 5, with the evidence of its finality
         * @description Evidence of finality is beside the proof, not part of it.
         */
        get: operations["finalityProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Same as /health/ready
         * @description Without a key, and outside every limit.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process answers
         * @description 200 as long as it runs, whatever its chains do.
         */
        get: operations["live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether there is a SuperRoot to prove against
         * @description 503 until then, and while it stops.
         */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kv/blob/{superroot_hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every preimage behind a SuperRoot, the profiles, and the twigs sealed since the last
         * @description More than 4,096 appended twigs come in pages: GET /v5/mini-mmr/{family}/twigs, from each family's leaf_count in the SuperRoot before.
         */
        get: operations["superRootBlob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kv/proof/{chain_id}/{block_number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same proof in snake_case, levels 2 to 5
         * @description Immutable under ?root=.
         */
        get: operations["proveBlockKv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kv/super-root/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest SuperRoot in snake_case
         * @description Timestamps of blocks, lag, status and names beside a reference are not proven.
         */
        get: operations["superRootKv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kv/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check of a proof of a block, transaction or event
         * @description A well-formed but false proof is 200 with valid: false and the check that failed; what is no proof is 400. Takes a proof route's answer as it is.
         */
        post: operations["verifyProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description Made of the routes and types themselves.
         */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/price/{chain}/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Price of a token, with the events that it follows from
         * @description The median of the token's pools with stablecoins and the chain's own coin, weighted by depth. Every pool names the event that its price follows from; proof=1 adds its proof, and superroot verify computes the price again. 404 no_price says why there is none. See docs/prices.md.
         */
        get: operations["price"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search-api/v5/gas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fees of each chain: next base fee, tips, L1 data fee
         * @description Every figure but node_price is computed from verified headers and blocks. block is the newest; tips, use and trend cover up to 20. A figure that blocks do not decide is null, and missing says why. See docs/gas.md.
         */
        get: operations["gas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signals/arb": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Differences of prices, by what they bring
         * @description One asset in two pools of one chain or of two. sizeUsd is the most profitable size. Gas is the next base fee and the usual tip; a swap's gas, the bridge's fee and its time are configured.
         */
        get: operations["arbitrage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signals/arb/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same as they change, as server-sent events
         * @description Event arb, with what /signals/arb answers, each time that a price behind it changes. There is no cursor.
         */
        get: operations["arbitrageStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signals/launches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * New tokens as they come, as server-sent events
         * @description A launch is a pool that a known factory made for an unknown token, once it has enough liquidity. Events: token_launch; updated when most of its liquidity is gone; retracted, with block hashes, when blocks are undone.
         */
        get: operations["launches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The status as a page for people, which renews itself
         * @description The same as /api/v1/status.
         */
        get: operations["statusPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The signed C2SP checkpoint of a SuperRoot, the newest if none is named
         * @description Size n + 1 covers SuperRoots 0 to n. Where nobody signed that size, the three lines of the note's text alone.
         */
        get: operations["checkpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/event/{chain}/{tx}/{log_index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same by transaction hash, with the transaction
         * @description Immutable under ?root=.
         */
        get: operations["proveEventShort"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/find/{hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find a hash: chain, block, and its proof
         * @description Transactions: all blocks with the bytes, 64 of a chain in one answer; blocks: the newest 256 of each chain; SuperRoots: always. The service's word until a proof is checked.
         */
        get: operations["find"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/light-client/{chain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sets of signers of a chain's consensus
         * @description Clients pin one id, and check every step.
         */
        get: operations["lightClient"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/light-client/{chain}/conflict": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Two statements by one set of signers that exclude each other
         * @description A file for `superroot verify`.
         */
        get: operations["lightClientConflict"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/light-client/{chain}/sets/{set}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One set of signers
         * @description Of the number that its chain counts: a period or an epoch.
         */
        get: operations["lightClientSet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/light-client/{chain}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Steps from a set to the newest
         * @description At most 2 MB at once: go on from the set that they lead to.
         */
        get: operations["lightClientSteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events by chain, address, topics and range
         * @description Without a gap: every event of the blocks searched is in the answer, or the request is refused and names the blocks that are not indexed. A page may have fewer events than its limit, or none, and still lead on by nextCursor. To follow a chain, ask again from nextBlock.
         */
        get: operations["logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/mini-mmr/{family}/twigs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Consecutive leaves of a Mini-MMR: the twigs that were sealed, in their order
         * @description Up to the leaf count of the SuperRoot named by root or sequence, or of the newest. Under a named one it never changes.
         */
        get: operations["twigs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/proof/absence/{chain_id}/{block}/{tx_index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Proof that a block has no transaction at a position
         * @description Immutable under ?root=.
         */
        get: operations["proveAbsence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/proof/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Many proofs under one SuperRoot, shared nodes once; all or none
         * @description Proofs refer to nodes by index.
         */
        post: operations["proveBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/proof/event/{chain_id}/{block_number}/{tx_index}/{log_index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Event with receipt proof and bloom path, up to a SuperRoot
         * @description Indexed events only. log_index counts in the receipt, not in the block.
         */
        get: operations["proveEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/proof/hash/{proof_hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Proofs of the events behind a signal, by its hash
         * @description proofHash of a launch is the Keccak-256 of the statements of two events, the pool's creation and its liquidity: each family (1 byte), chain id (8), block hash (32), tx_index (4), log_index (4), big-endian. 409 until both are anchored; 410 once one is undone.
         */
        get: operations["proofByHash"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/proof/tx/{chain_id}/{tx_hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Transaction and receipt with trie proofs, up to a SuperRoot
         * @description Indexed transactions only. JSON-RPC objects of proven bytes; above 65,536 bytes the siblings alone have them. Of several places the lowest, or ?block= and ?tx_index=.
         */
        get: operations["proveTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/proof/{chain}/{block}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Proof that a block stands in a SuperRoot
         * @description Immutable under ?root=.
         */
        get: operations["proveBlock"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/scan/{chain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Proof of all events of a range, or that there is none
         * @description Headers of the page's blocks up to a SuperRoot, and receipts where a bloom allows a match: every event is shown, or that there is none. See docs/events.md.
         */
        get: operations["scan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events as they come, as server-sent events
         * @description Server-sent events: id is a cursor that outlives restarts, data a JSON object that names its proof. Besides the topics: ready, undone, gap, stale, lagged and ended. See docs/streams.md.
         */
        get: operations["stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/superroot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest SuperRoot: 9 Mini-MMR roots and a block reference for each chain
         * @description Timestamps of blocks, lag, status and names beside a reference are not proven.
         */
        get: operations["superRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/superroot/consistency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Proof that one SuperRoot extends another
         * @description A client brings the hash of the earlier one itself: a pair that comes from one answer proves nothing. With strength full, more than 4,096 appended twigs come in pages: GET /v5/mini-mmr/{family}/twigs.
         */
        get: operations["consistency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/superroot/{sequence}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The SuperRoot of that sequence
         * @description Timestamps of blocks, lag, status and names beside a reference are not proven.
         */
        get: operations["superRootBySequence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/tile/entries/{index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Entries of the history log: SuperRoot preimages
         * @description 256 entries, or as many as the path says, each after its length in two bytes.
         */
        get: operations["tileEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/tile/{level}/{index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Hashes of the history log: a tile of C2SP tlog-tiles
         * @description 256 hashes of 32 bytes, or as many as the path says. The tree is that of RFC 6962 with SHA-256; a hash of level L stands for 256^L entries. Slashes of the index stand as they are.
         */
        get: operations["tile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/tx/{chain}/{hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same under a shorter path
         * @description Immutable under ?root=.
         */
        get: operations["proveTransactionShort"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v5/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events as they come, over a WebSocket
         * @description Text messages of JSON. {"op": "subscribe", "id": "a", "topics": ["logs"], "chain": [1]} with the members of /v5/stream, {"op": "unsubscribe", "id": "a"}, {"op": "ping"}. Events come as {"id": "a", "cursor", "event", "data"}.
         */
        get: operations["webSocket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/web/{asset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A script or style of that page
         * @description JavaScript or CSS, from this service alone.
         */
        get: operations["webFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Proof that a block position is empty. */
        AbsenceProof: components["schemas"]["Place"] & components["schemas"]["Entry"] & components["schemas"]["Unproven"];
        /** @description Account's usage on a day, with the path to the range root. */
        AccountLeaf: {
            /**
             * Format: int64
             * @description Billing tokens in all rows.
             */
            billing_tokens: number;
            /** @description Random bytes against guessing the usage by the hash. */
            blind: components["schemas"]["Hash"];
            /**
             * Format: int64
             * @description Leaf index.
             */
            index: number;
            /** @description Sibling hashes, lowest first. */
            path: components["schemas"]["Hash"][];
            /** @description Range root over the rows. */
            range_root: components["schemas"]["Hash"];
            /**
             * Format: int64
             * @description Requests in all rows.
             */
            requests: number;
            row_count: number;
        };
        /** @description 20 bytes: 0x and 40 hex digits */
        Address: string;
        /** @description Amount in wei and gwei. */
        Amount: {
            /** @description Exact amount in gwei. */
            gwei: string;
            /** @description Wei, as a decimal number. */
            wei: string;
        };
        /** @description Block range referenced by a SuperRoot. */
        Anchored: {
            /** @description Block hash. */
            hash: components["schemas"]["Hash"];
            number: components["schemas"]["BlockNumber"];
            /** @description First block number of the run. */
            start: components["schemas"]["BlockNumber"];
        };
        AptosEvent: {
            account?: components["schemas"]["Hash"];
            data?: components["schemas"]["Hex"];
            eventRootHash: components["schemas"]["Hash"];
            logIndex: number;
            logIndexInBlock?: components["schemas"]["IndexInBlock"];
            raw: components["schemas"]["Hex"];
            type?: string;
        };
        AptosHeader: {
            accumulatorRootHash: components["schemas"]["Hash"];
        };
        AptosHeaderSnake: {
            accumulator_root_hash: components["schemas"]["Hash"];
        };
        AptosTransaction: {
            abortReason?: string;
            eventRootHash: components["schemas"]["Hash"];
            gasUsed: string;
            hash: components["schemas"]["Hash"];
            stateChangeHash: components["schemas"]["Hash"];
            stateCheckpointHash: components["schemas"]["Hash"] | null;
            status: string;
            statusCode?: string;
            success: boolean;
            /** Format: int64 */
            version: number;
        };
        /** @description Trade costs, in US dollars. */
        ArbCosts: {
            /**
             * Format: double
             * @description Bridge fee in US dollars; 0 on one chain.
             */
            bridge: number;
            /** @description `configured`: swap gas, bridge fee and bridge time are assumptions of this service. */
            evidence: string;
            /**
             * Format: double
             * @description Fees of both pools in US dollars; already deducted from the gross profit.
             */
            fees: number;
            /**
             * Format: double
             * @description Gas of both swaps in US dollars, at the next base fee and usual tip of each chain.
             */
            gas: number;
        };
        /** @description An opportunity's side. */
        ArbSide: {
            /** @description Token paid or received. */
            base: string;
            /** @description The price's block. */
            blockNumber: components["schemas"]["BlockNumber"];
            /**
             * Format: int64
             * @description Unix seconds.
             */
            blockTimestamp: number;
            chainId: components["schemas"]["ChainId"];
            /** @description Block finality. */
            finality: string;
            /** @description Pool; for Uniswap v4 the contract of all pools. */
            pool: string;
            poolId: components["schemas"]["Hash"] | null;
            /** @description Price for a small amount, before the pool fee, in US dollars. */
            priceUsd: string;
            /** @description Proof URL of the event that set the price. */
            proofUrl: string;
            /** @description Exchange. */
            protocol: string;
            /** @description Token contract on the chain. */
            token: string;
        };
        /** @description Availability measured in one month (`GET /api/v1/availability`). */
        Availability: {
            /**
             * Format: double
             * @description `up_minutes` in percent of `measured_minutes`; `null` without measurements.
             */
            availability_percent: number | null;
            /** Format: int64 */
            measured_minutes: number;
            /** @description Month in UTC, such as `2026-02`. */
            month: string;
            /**
             * Format: double
             * @description Availability promised to integrators, in percent.
             */
            promised_percent: number;
            /**
             * Format: int64
             * @description Measured minutes with the service up.
             */
            up_minutes: number;
        };
        /** @description Backfill of older blocks, downwards. */
        Backfill: {
            /** @description Start time, in Unix seconds. */
            began_at: components["schemas"]["UnixSeconds"];
            /**
             * Format: int64
             * @description Block numbers done since the start.
             */
            done_blocks: number;
            /** @description Lowest requested block number. */
            to: components["schemas"]["BlockNumber"];
            /**
             * Format: int64
             * @description Total block numbers to do.
             */
            total_blocks: number;
        };
        /** @description Many proofs under one SuperRoot. */
        Batch: {
            /** @description Proofs as in the other routes, with node indexes as siblings. */
            items: components["schemas"]["BatchProof"][];
            /** @description Every trie node and sibling, once. */
            nodes: components["schemas"]["Hex"][];
        };
        BatchAbsenceProof: components["schemas"]["Place"] & components["schemas"]["BatchEntry"] & components["schemas"]["Unproven"];
        BatchBlockPart: components["schemas"]["Place"] & components["schemas"]["BatchLevels"];
        BatchBlockProof: components["schemas"]["BatchBlockPart"] & components["schemas"]["Unproven"];
        BatchBranchPart: {
            rawTransaction: components["schemas"]["Hex"];
            siblings: number[];
            transactionHash: components["schemas"]["Hash"];
            txid: string;
        };
        BatchCosmosBranch: {
            rawTransaction: components["schemas"]["Hex"];
            siblings: number[];
            transactionHash: components["schemas"]["Hash"];
        };
        BatchEntry: {
            block?: components["schemas"]["BatchBlockPart"];
            blockBound?: boolean;
            coinbase?: components["schemas"]["BatchBranchPart"];
            effects?: components["schemas"]["SuiEffects"];
            encodedBlock?: components["schemas"]["Hex"];
            eventSiblings?: number[];
            explorerTransactionHash?: string;
            hashBefore?: components["schemas"]["Hash"];
            indexBound?: boolean;
            lastTransaction?: components["schemas"]["BatchBranchPart"] | components["schemas"]["BatchCosmosBranch"] | components["schemas"]["BatchTronBranch"];
            peaks?: components["schemas"]["CosmosPeak"][] | components["schemas"]["TronBranch"][];
            rawContents?: components["schemas"]["Hex"];
            rawEffects?: components["schemas"]["Hex"];
            rawEvent?: components["schemas"]["Hex"];
            rawEvents?: components["schemas"]["Hex"];
            rawReceipt?: components["schemas"]["Hex"];
            rawTransaction?: components["schemas"]["Hex"];
            receipt?: components["schemas"]["EvmReceipt"];
            receiptRoot?: components["schemas"]["ReceiptRoot"];
            receiptRootReason?: string;
            receiptSiblings?: number[];
            records?: components["schemas"]["RecordPart"][];
            siblings?: number[];
            signatureCount?: number;
            signatureIndex?: number;
            signatureSiblings?: components["schemas"]["Hash"][][];
            stateRoot?: components["schemas"]["Hash"];
            superRootHash?: components["schemas"]["Hash"];
            tailHashes?: number;
            transaction?: components["schemas"]["TransactionObject"];
            transactionCount?: number;
            transactionDigest?: string;
            transactionHash?: components["schemas"]["Hash"];
            transactionIndex: number;
            transactionInfo?: components["schemas"]["Hex"];
            transactionSignature?: string;
            transactionsRoot?: components["schemas"]["Hash"];
            txid?: string;
            /** Format: int64 */
            version?: number;
        };
        BatchEventProof: components["schemas"]["Place"] & components["schemas"]["BatchEntry"] & components["schemas"]["Unproven"] & {
            bloom?: components["schemas"]["EvmBloom"];
            event: components["schemas"]["EventObject"];
        };
        /** @description A block; with `txIndex` and `logIndex` an event; with `txIndex` and `absent` an absence; with `txHash` a transaction, or with `logIndex` its event. `block` and `txIndex` select one of several places. */
        BatchItem: {
            /** @description Whether to prove an absence. */
            absent?: boolean;
            /** @description Number or `latest`. */
            block?: string;
            /** @description Chain id or name. */
            chain: string;
            /** @description Whether to bring evidence of finality: `finality_proof`. */
            evidence?: boolean;
            /** @description Least class: `node_quorum`, `l1_anchored` or `consensus`. */
            finality?: string;
            /** @description Position in the receipt. */
            logIndex?: number;
            /**
             * Format: int64
             * @description Number of your own set of signers, for steps.
             */
            set?: number;
            /** @description Transaction hash. */
            txHash?: components["schemas"]["Hash"];
            /** @description Position in the block. */
            txIndex?: number;
        };
        BatchLevels: {
            blockHash: components["schemas"]["Hash"];
            blockHeader: components["schemas"]["Hex"];
            blockReference?: components["schemas"]["BlockReference"];
            header?: components["schemas"]["HeaderObject"];
            miniMmr?: components["schemas"]["BatchMiniMmrPlace"];
            note?: components["schemas"]["BatchNotePlace"];
            numberBound: boolean;
            registry?: components["schemas"]["BatchRegistryPlace"];
            siblings?: number[];
            superRoot?: components["schemas"]["BatchSuperRootPlace"];
            superRootHash?: components["schemas"]["Hash"];
            twig?: components["schemas"]["BatchTwig"];
        };
        BatchMiniMmrPlace: {
            family: components["schemas"]["Family"];
            /** Format: int64 */
            leafCount: number;
            /** Format: int64 */
            leafIndex: number;
            root: components["schemas"]["Hash"];
            siblings: number[];
        };
        BatchNotePlace: {
            siblings: number[];
            /** Format: int64 */
            size: number;
            text: string;
        };
        BatchProof: components["schemas"]["BatchBlockProof"] | components["schemas"]["BatchEventProof"] | components["schemas"]["BatchTransactionProof"] | components["schemas"]["BatchAbsenceProof"];
        BatchRegistryPlace: {
            count: number;
            profile: components["schemas"]["Hex"];
            row: number;
            siblings: number[];
            superRootSiblings: components["schemas"]["Hash"][];
        };
        /**
         * @description Request for several proofs.
         * @example {
         *       "items": [
         *         {
         *           "block": "1",
         *           "chain": "ethereum"
         *         },
         *         {
         *           "chain": "ethereum",
         *           "txHash": "0x3fab51c23e0595925b04d713a43e4d82573241364dd2544eeb0e3c32dbb1f143"
         *         }
         *       ]
         *     }
         */
        BatchRequest: {
            /** @description 1 to 64 items, or up to the configured limit. */
            items: components["schemas"]["BatchItem"][];
            /** @description Whether each proof includes the newest signed note. */
            note?: boolean;
            /** @description SuperRoot hash at the end of all proofs. */
            root?: components["schemas"]["Hash"];
            /**
             * Format: int64
             * @description SuperRoot sequence, instead of `root`.
             */
            sequence?: number;
        };
        BatchSuperRootPlace: components["schemas"]["SuperRootPart"] & {
            /** Format: int64 */
            index: number;
            preimage: components["schemas"]["Hex"];
            siblings: number[];
        };
        BatchTransactionProof: components["schemas"]["Place"] & components["schemas"]["BatchEntry"] & components["schemas"]["Unproven"];
        BatchTronBranch: {
            leafHash: components["schemas"]["Hash"];
            rawTransaction: components["schemas"]["Hex"];
            siblings: number[];
        };
        BatchTwig: {
            /** Format: int64 */
            index: number;
            root: components["schemas"]["Hash"];
            siblings: number[];
            /** Format: int64 */
            slot: number;
        };
        /** @description Billing tokens in one month. */
        Billing: {
            /** @description Month in UTC, such as `2026-02`. */
            month: string;
            /**
             * Format: double
             * @description Balance so far, in USDC: closed months, charges and credit notes, less payments; negative if the service owes.
             */
            owes_usdc: number;
            /**
             * Format: int64
             * @description Free tokens; `null` if a fee includes all tokens.
             */
            tokens_free: number | null;
            /**
             * Format: int64
             * @description Remaining free tokens.
             */
            tokens_left: number | null;
            /** Format: int64 */
            tokens_used: number;
        };
        BitcoinHeader: {
            bits: string;
            explorerHash: string;
            hash: components["schemas"]["Hash"];
            merkleRoot: components["schemas"]["Hash"];
            nonce: number;
            parentHash: components["schemas"]["Hash"];
            timestamp: number;
            version: number;
        };
        BitcoinHeaderSnake: {
            bits: string;
            explorer_hash: string;
            hash: components["schemas"]["Hash"];
            merkle_root: components["schemas"]["Hash"];
            nonce: number;
            parent_hash: components["schemas"]["Hash"];
            timestamp: number;
            version: number;
        };
        BitcoinInput: {
            coinbase?: components["schemas"]["Hex"];
            previousHash?: components["schemas"]["Hash"];
            previousIndex?: number;
            previousTxid?: string;
            scriptSig?: components["schemas"]["Hex"];
            sequence: number;
        };
        BitcoinOutput: {
            logIndex: number;
            logIndexInBlock?: components["schemas"]["IndexInBlock"];
            scriptPubKey: components["schemas"]["Hex"];
            valueSats: string;
        };
        BitcoinTransaction: {
            hash: components["schemas"]["Hash"];
            inputs: components["schemas"]["BitcoinInput"][];
            lockTime: number;
            outputs: components["schemas"]["BitcoinOutput"][];
            transactionIndex: number | null;
            txid: string;
            version: number;
        };
        /** @description Portable block proof. */
        BlobProof: components["schemas"]["PlaceSnake"] & components["schemas"]["UnprovenSnake"] & {
            block_hash: components["schemas"]["Hash"];
            /** @description Layer: 82 bytes of the SuperRoot. */
            l1_superroot: components["schemas"]["Hex"];
            /** @description Layer: header. */
            l2_chain_header: components["schemas"]["Hex"];
            /** @description Layer: path to the SuperRoot. */
            l3_superroot_proof: components["schemas"]["Hash"][];
            /** @description Layer: path of the block. */
            l4_block_proof: components["schemas"]["Hash"][];
            l5_chain_event: components["schemas"]["Hex"] | null;
            l6_finality_commitment: components["schemas"]["Hash"] | null;
            /** @description Complete proof: bytes of the .srproof file. */
            proof_blob: components["schemas"]["Hex"];
            /** @description `srproof/1`. */
            proof_format: string;
            /** @description SuperRoot hash at the end of the proof. */
            super_root_hash: components["schemas"]["Hash"];
        };
        /** @description Reference of a chain with blocks. */
        BlobReference: components["schemas"]["BlockReference"] & {
            /** @description Registry row, from 0. */
            row: number;
        };
        BlobReferenceSnake: components["schemas"]["BlockReferenceSnake"] & {
            row: number;
        };
        /** @description Block number, below 2^53 */
        BlockNumber: number;
        /** @description Block proof in an entry proof. */
        BlockPart: components["schemas"]["Place"] & components["schemas"]["Levels"];
        BlockPartSnake: components["schemas"]["PlaceSnake"] & components["schemas"]["LevelsSnake"];
        /** @description Block proof up to a SuperRoot. */
        BlockProof: components["schemas"]["BlockPart"] & components["schemas"]["Unproven"];
        BlockProofSnake: components["schemas"]["BlockPartSnake"] & components["schemas"]["UnprovenSnake"];
        /** @description Chain reference with an open twig. */
        BlockReference: {
            chainId: components["schemas"]["ChainId"];
            /** @description Ledger family. */
            family: components["schemas"]["Family"];
            /** @description The last block's hash. */
            hash: components["schemas"]["Hash"];
            /** @description Last number in the committed run. */
            number: components["schemas"]["BlockNumber"];
            /**
             * Format: int64
             * @description The open twig's index.
             */
            openTwigIndex: number;
            /** @description The open twig's root. */
            openTwigRoot: components["schemas"]["Hash"];
            /** @description First number in the committed run. */
            start: components["schemas"]["BlockNumber"];
        };
        BlockReferenceSnake: {
            chain_id: components["schemas"]["ChainId"];
            family: components["schemas"]["Family"];
            hash: components["schemas"]["Hash"];
            number: components["schemas"]["BlockNumber"];
            /** Format: int64 */
            open_twig_index: number;
            open_twig_root: components["schemas"]["Hash"];
            start: components["schemas"]["BlockNumber"];
        };
        /** @description Bloom results for each chain. */
        BloomAnswer: {
            /** @description Requested chains without blooms, or without stored blocks. */
            left_out: components["schemas"]["WithoutBloom"][];
            /** @description Query as interpreted. */
            query: components["schemas"]["BloomQuery"];
            /** @description Results for stored chains. */
            results: components["schemas"]["BloomResult"][];
        };
        /** @description Bloom query as interpreted. */
        BloomQuery: {
            address: components["schemas"]["Hex"] | null;
            /** @description All topics. */
            topics: components["schemas"]["Hash"][];
        };
        /**
         * @description Bloom query: finds blocks with events that name the address and every topic.
         * @example {
         *       "address": "0x00000000000000000000000000000000000000aa",
         *       "chain_ids": [
         *         "ethereum",
         *         "base"
         *       ]
         *     }
         */
        BloomRequest: {
            address?: components["schemas"]["Hex"] | null;
            /** @description Chain ids or names; if omitted, every chain with blooms in the headers. */
            chain_ids?: components["schemas"]["ChainName"][];
            from_block?: components["schemas"]["BlockNumber"] | null;
            to_block?: components["schemas"]["BlockNumber"] | null;
            topic?: components["schemas"]["Hash"] | null;
            /** @description More topics, at most 4, each at any position. */
            topics?: components["schemas"]["Hash"][] | null;
        };
        /** @description Result for one chain. */
        BloomResult: {
            /** @description `absent`: no block in the range has a matching event; `possible`: the candidates may. */
            answer: string;
            /** @description Candidate blocks in ascending order; at most 1,000 are listed. */
            candidate_blocks: components["schemas"]["BlockNumber"][];
            /**
             * Format: int64
             * @description Number of candidates.
             */
            candidate_count: number;
            chain_id: components["schemas"]["ChainId"];
            /** @description `header_blooms`: provable from the headers; `own_filter`: derived from filters of this service, without proof. */
            evidence: string;
            /**
             * Format: double
             * @description Chance that a block without a matching event is a candidate; null if no block was scanned.
             */
            false_positive_rate: number | null;
            /**
             * Format: int64
             * @description Number of candidates by header blooms alone.
             */
            header_candidate_count: number;
            /**
             * Format: int64
             * @description Blocks in `scanned` that are not stored and not judged: above 0, the answer is never `absent`.
             */
            missing_count: number;
            next_from_block: components["schemas"]["BlockNumber"] | null;
            /** @description Why headers cannot show an absence: nodes list logs that the header blooms leave out. */
            outside_bloom: string | null;
            /**
             * @description URL of a header proof with `{block}` as the number: its bloom shows that the block is no candidate. Null if headers
             *     show no absence.
             */
            proof: string | null;
            /** @description First URL of the proof that nothing in `scanned` matches (`/v5/scan`); null unless `absent` by `header_blooms`. */
            scan_proof: string | null;
            scanned: components["schemas"]["SearchedSnake"] | null;
        };
        /** @description Bought pass. */
        BoughtPass: {
            /** @description A new account's key, shown once. */
            api_key: string | null;
            pass: components["schemas"]["Pass"];
            /** @description Account id (UUID). */
            user_id: string;
        };
        /** @description Bitcoin family transaction under the block's Merkle root. */
        BranchPart: {
            /** @description Transaction without witness. */
            rawTransaction: components["schemas"]["Hex"];
            /** @description Siblings, from the leaf upward. */
            siblings: components["schemas"]["Hash"][];
            transactionHash: components["schemas"]["Hash"];
            /** @description Transaction hash in explorer form. */
            txid: string;
        };
        /** @description Evidence that an open twig in the earlier SuperRoot was only extended afterwards. */
        BridgeRow: {
            chainId: components["schemas"]["ChainId"];
            /** @description Ledger family. */
            family: components["schemas"]["Family"];
            /** @description Leaf in the later SuperRoot, at the slot after the last number in the earlier SuperRoot. */
            leaf: components["schemas"]["Hash"];
            /** @description 11 siblings, from the leaf upward. */
            siblings: components["schemas"]["Hash"][];
        };
        /** @description Progress of a chain that is behind the nodes. */
        CatchUp: {
            /**
             * Format: int64
             * @description Final blocks not stored yet.
             */
            behind_blocks: number;
            /**
             * Format: double
             * @description Blocks per second since the chain fell behind; `null` in the first second.
             */
            blocks_per_second: number | null;
            /**
             * Format: int64
             * @description Seconds left at this pace; `null` without a pace.
             */
            seconds_left: number | null;
        };
        /** @description Chain finality (`GET /finality/{chain_id}`). */
        ChainFinality: {
            /** @description Number of agreeing sources. */
            agreeing: number | null;
            anchored: components["schemas"]["Anchored"] | null;
            /**
             * Format: int64
             * @description Final blocks not stored yet.
             */
            behind_blocks: number | null;
            catch_up: components["schemas"]["CatchUp"] | null;
            chain_id: components["schemas"]["ChainId"];
            checkable: components["schemas"]["CheckableBlock"] | null;
            claimed: components["schemas"]["Claimed"] | null;
            /** @description `consensus`, `l1_anchored`, `node_quorum` or `recorded`; `null` if no block is final. */
            evidence_kind: string | null;
            /** @description Ledger family. */
            family: components["schemas"]["Family"];
            finalized: components["schemas"]["Point"] | null;
            head: components["schemas"]["Point"] | null;
            indexed: components["schemas"]["BlockNumber"] | null;
            /**
             * Format: int64
             * @description Blocks from the stored final block to the newest block named by nodes.
             */
            lag_blocks: number | null;
            /**
             * Format: int64
             * @description Age of the final block in seconds; `null` for recordings.
             */
            lag_seconds: number | null;
            /** @description Chain name. */
            name: string;
            /** @description `live`, `recorded` or `simulated`. */
            network: components["schemas"]["Network"];
            /** @description Finality rule, in words. */
            rule: string | null;
            safe: components["schemas"]["Point"] | null;
            /** @description Number of sources asked. */
            source_count: number | null;
            /** @description The agreeing sources' names. */
            sources: string[];
            /** @description Service state, as in the list of chains. */
            state: string;
            /** @description Why the chain does not progress. */
            why: string | null;
        };
        /** @description Transaction cost on one chain. An unknown figure is null, and `missing` gives the reason. */
        ChainGas: {
            base_fee: components["schemas"]["Amount"] | null;
            blob_base_fee: components["schemas"]["Amount"] | null;
            block: components["schemas"]["GasBlock"] | null;
            chain_id: components["schemas"]["ChainId"];
            extra_data_price: components["schemas"]["ExtraDataPrice"] | null;
            /** @description Ledger family. */
            family: components["schemas"]["Family"];
            fee_rate: components["schemas"]["FeeRate"] | null;
            l1_data_fee: components["schemas"]["L1DataFee"] | null;
            /** @description Null figures, with reasons. */
            missing: components["schemas"]["MissingFigure"][];
            /** @description Chain name. */
            name: string;
            next_base_fee: components["schemas"]["NextBaseFee"] | null;
            node_price: components["schemas"]["NodePrice"] | null;
            priority_fee: components["schemas"]["PriorityFee"] | null;
            trend: components["schemas"]["GasTrend"] | null;
            /** @description Fee unit, such as `wei per gas` or `sat/vB`. */
            unit: string;
            utilisation: components["schemas"]["Utilisation"] | null;
        };
        /** @description Chain id, below 2^53 */
        ChainId: number;
        /** @description Registry (`GET /api/v1/chains`). */
        ChainList: {
            /** @description Chains in registry order. */
            chains: components["schemas"]["ChainRow"][];
        };
        ChainName: number | string;
        /** @description The registry's chain, with the service state. */
        ChainRow: {
            /** @description Other ids for the chain, as decimal texts. */
            alias_ids: string[];
            /** @description Other names for the chain. */
            alias_words: string[];
            anchored: components["schemas"]["Anchored"] | null;
            /**
             * Format: int64
             * @description Nominal time between blocks, in milliseconds.
             */
            block_time_ms: number;
            /** @description Blocks stored without a part of the body, as no node's recomputes: at most 16, newest last. */
            bodies_withheld: components["schemas"]["LeftOut"][];
            /** @description CAIP-2 name. */
            caip2: string;
            chain_id: components["schemas"]["ChainId"];
            /** @description Finality evidence for the newest anchored block. */
            evidence_in_use: string | null;
            /** @description Ledger family. */
            family: components["schemas"]["Family"];
            /** @description Nodes' finality rule, in words. */
            finality_rule: string | null;
            last_error: components["schemas"]["LastError"] | null;
            /** @description Recently refused blocks, newest last, at most 16. */
            left_out: components["schemas"]["LeftOut"][];
            /** @description Chain name. */
            name: string;
            /** @description Real blocks used to prove the rules. */
            proven_on: string | null;
            /** @description Provable statements about block entries. */
            proves: components["schemas"]["Proves"];
            /** @description Registry row, from 0. */
            row: number;
            /** @description Block hash rules, by block number. */
            rules: components["schemas"]["RuleFrom"][];
            rules_checked: components["schemas"]["RulesChecked"] | null;
            /**
             * Format: int64
             * @description Slot in the SuperRoot.
             */
            slot: number;
            /** @description Short word for paths. */
            slug: string;
            /** @description Source names. */
            sources: string[];
            /**
             * Format: int64
             * @description Milliseconds without a block after which the chain counts as stalled.
             */
            stalled_after_ms: number;
            /**
             * @description Service state: `not_followed`, `starting`, `catching_up`, `backfilling`, `following`, `stalled`, `halted`,
             *     `recorded` or `withdrawn`.
             */
            state: string;
            /** @description `collected`: this build reads the chain's blocks. */
            status: string;
            /** @description Strongest available finality evidence: `consensus`, `l1_anchored` or `node_quorum`. */
            strongest_evidence: string;
            /** @description Block parts that are never indexed. */
            unprovable: components["schemas"]["Unprovable"][];
            /** @description Rules not yet checked with a real block. */
            unproven_rules: string | null;
            watch: components["schemas"]["WatchCounts"] | null;
            /** @description Why the chain does not progress. */
            why: string | null;
        };
        /** @description Chain progress and obstacles. */
        ChainStanding: {
            backfill: components["schemas"]["Backfill"] | null;
            catch_up: components["schemas"]["CatchUp"] | null;
            chain_id: components["schemas"]["ChainId"];
            claimed: components["schemas"]["Claimed"] | null;
            /** @description Nodes. */
            endpoints: components["schemas"]["EndpointReport"][];
            finalized: components["schemas"]["Point"] | null;
            head: components["schemas"]["Point"] | null;
            last_error: components["schemas"]["LastError"] | null;
            /** @description Chain name. */
            name: string;
            repair: components["schemas"]["Repair"] | null;
            /** @description Service state, as in the list of chains. */
            state: string;
            watch: components["schemas"]["WatchCounts"] | null;
            /** @description Why the chain does not progress. */
            why: string | null;
        };
        /** @description Chain status. */
        ChainStatus: components["schemas"]["ChainStanding"] & {
            anchored: components["schemas"]["Anchored"] | null;
            /**
             * Format: int64
             * @description Final blocks not stored yet.
             */
            behind_blocks: number | null;
            /**
             * Format: int64
             * @description Number of stored final blocks.
             */
            block_count: number | null;
            checked_to: components["schemas"]["BlockNumber"] | null;
            indexed: components["schemas"]["BlockNumber"] | null;
            /**
             * Format: int64
             * @description Blocks from the anchored block to the newest block named by nodes.
             */
            lag_blocks: number | null;
            /**
             * Format: int64
             * @description Age of the anchored block in seconds; `null` for recordings.
             */
            lag_seconds: number | null;
            /** @description Recently refused blocks, newest last, at most 16. */
            left_out: components["schemas"]["LeftOut"][];
            /** @description Number of nodes that must agree on a final block; `null` without nodes. */
            must_agree: number | null;
            safe: components["schemas"]["Point"] | null;
            since: components["schemas"]["UnixSeconds"] | null;
            /**
             * Format: int64
             * @description Block numbers from `start` to `indexed` without a block.
             */
            skipped_count: number | null;
            /** @description Short word for paths. */
            slug: string;
            /** @description Number of sources asked. */
            source_count: number;
            /** @description Source names. */
            sources: string[];
            start: components["schemas"]["BlockNumber"] | null;
            /** @description Warning about block finality; mostly `null`. */
            warning: string | null;
        };
        /** @description Message to be signed by a wallet (`GET /api/v1/register/challenge`). */
        Challenge: {
            /**
             * Format: int64
             * @description Chain id in the message.
             */
            chain_id: number;
            /** @description Whether contract signatures on the chain can be checked here. */
            contract_wallets: boolean;
            /** @description First second at which the message is no longer valid, in Unix seconds. */
            expires_at: components["schemas"]["UnixSeconds"];
            /** @description Time of issue, in Unix seconds. */
            issued_at: components["schemas"]["UnixSeconds"];
            /** @description Exact bytes to sign with `personal_sign` (EIP-4361). */
            message: string;
            /** @description Nonce, 32 hex digits. */
            nonce: string;
            wallet_address: string;
        };
        /** @description A proof's check. */
        Check: {
            /** @description Reason for the result. */
            detail: string;
            /** @description Proof level; `null` for a check of the whole proof. */
            level: number | null;
            /** @description Checked property. `note`, the signatures of the note in the proof, does not affect the result. */
            name: string;
            /** @description Whether the check passes. */
            ok: boolean;
        };
        /** @description Newest block with consensus evidence, for `?evidence=1`. */
        CheckableBlock: {
            hash: components["schemas"]["Hash"];
            /** @description Kind of evidence: `beacon`, `work`, .. */
            kind: string;
            /**
             * Format: int64
             * @description Blocks up to the newest block named by nodes.
             */
            lag_blocks: number | null;
            /**
             * Format: int64
             * @description Age of the block in seconds; `null` for recordings.
             */
            lag_seconds: number | null;
            number: components["schemas"]["BlockNumber"];
            /**
             * Format: int64
             * @description Signing set's number.
             */
            set: number | null;
            trusted_until: components["schemas"]["UnixSeconds"] | null;
        };
        /** @description Chain progress as claimed by enough agreeing nodes. Unchecked. */
        Claimed: {
            /** @description The claim's time, in Unix seconds. */
            at: components["schemas"]["UnixSeconds"];
            /** @description Newest block number called final by the nodes. */
            finalized: components["schemas"]["BlockNumber"];
            /** @description Newest block number. */
            head: components["schemas"]["BlockNumber"];
        };
        /** @description Commercial models. */
        CommercialModels: {
            /** @description Model agreed per account. */
            enterprise: components["schemas"]["EnterpriseModel"];
            /** @description Model for integrators with customers. */
            integrator: components["schemas"]["IntegratorModel"];
            /** @description Billing tokens. */
            pay_as_you_go: components["schemas"]["PayAsYouGo"];
        };
        /** @description Proof that the answer has all events in the range. */
        Completeness: {
            /**
             * Format: int64
             * @description Number of matching events in the blocks, on this page or later.
             */
            eventCount: number;
            /** @description First block. */
            fromBlock: components["schemas"]["BlockNumber"];
            /** @description Logs listed by nodes but in no receipt: the scan shows nothing about them. */
            outsideReceipts: string | null;
            /** @description Bytes of an `.srscan` file: `superroot verify` checks the file together with the rest of the answer. */
            scanBlob: components["schemas"]["Hex"];
            /** @description `srscan/1`. */
            scanFormat: string;
            /**
             * Format: int64
             * @description SuperRoot sequence.
             */
            sequence: number;
            superRootHash: components["schemas"]["Hash"];
            /** @description Last block. */
            toBlock: components["schemas"]["BlockNumber"];
        };
        /** @description Confidence in a price. */
        Confidence: {
            parts: components["schemas"]["ConfidenceParts"];
            /**
             * Format: double
             * @description Lowest of the parts.
             */
            value: number;
        };
        /** @description The confidence's parts, each from 0 to 1. */
        ConfidenceParts: {
            /**
             * Format: double
             * @description 1 if pools agree, 0 at the largest permitted distance; at most the weight not excluded for distance.
             */
            agreement: number;
            /**
             * Format: double
             * @description 1 if the price equals the window's mean, 0 at the largest permitted distance, or without a mean.
             */
            calm: number;
            /**
             * Format: double
             * @description Coverage: covered part of the window.
             */
            coverage: number;
            /**
             * Format: double
             * @description Depth: 0 at the required minimum, 1 at a thousand times the minimum.
             */
            depth: number;
            /**
             * Format: double
             * @description Freshness: 1 just after an event, 0 if every pool is stale.
             */
            freshness: number;
        };
        /** @description Proof that one SuperRoot extends another (`GET /v5/superroot/consistency`). */
        ConsistencyProof: {
            /**
             * Format: int64
             * @description Number of twigs sealed between both SuperRoots, with strength `full`.
             */
            appendedTwigCount?: number;
            /** @description Appended twigs, by family in appending order; `null` for more than 4,096: see `/v5/mini-mmr/{family}/twigs`. */
            appendedTwigs?: components["schemas"]["TwigRow"][];
            /** @description Evidence that open twigs were only extended, with strength `full`. */
            bridges?: components["schemas"]["BridgeRow"][];
            /** @description RFC 9162 path from history to history. */
            consistencyPath: components["schemas"]["Hash"][];
            /** @description Earlier SuperRoot. */
            from: components["schemas"]["SuperRootRow"];
            /** @description Blob of the earlier SuperRoot, with strength `full`. */
            fromBlob?: components["schemas"]["SuperRootBlob"];
            /** @description History of the earlier SuperRoot, opened from slot 54. */
            fromHistory: components["schemas"]["HistoryOpeningRow"];
            /** @description Path of the earlier SuperRoot in the later history. */
            inclusionPath: components["schemas"]["Hash"][];
            /** @description Path of each Mini-MMR, with strength `full`. */
            miniMmrPaths?: components["schemas"]["Hash"][][];
            /** @description `history`: no SuperRoot was rewritten; `full`: no block either. */
            strength: string;
            /** @description Later SuperRoot. */
            to: components["schemas"]["SuperRootRow"];
            /** @description Blob of the later SuperRoot, with strength `full`. */
            toBlob?: components["schemas"]["SuperRootBlob"];
            /** @description History of the later SuperRoot, opened from slot 54. */
            toHistory: components["schemas"]["HistoryOpeningRow"];
        };
        /** @description Contract on one chain that the service writes to, each sequence once. */
        ContractStatus: {
            /**
             * Format: int64
             * @description SuperRoots, or usage checkpoints, that the contract is behind.
             */
            behind: number;
            chain_id: components["schemas"]["ChainId"];
            contract: components["schemas"]["Address"];
            /** @description Why nothing is sent now; `null` if nothing is wrong. */
            last_error: string | null;
            /** @description Account that pays. */
            payer: components["schemas"]["Address"];
            /**
             * Format: int64
             * @description Newest sequence at the contract: of a SuperRoot, or of a usage checkpoint.
             */
            sequence: number | null;
            transaction: components["schemas"]["Hash"] | null;
        };
        CosmosAddress: {
            bech32: string | null;
            hex: components["schemas"]["Hex"];
        };
        CosmosAddressSnake: {
            bech32: string | null;
            hex: components["schemas"]["Hex"];
        };
        CosmosBranch: {
            rawTransaction: components["schemas"]["Hex"];
            siblings: components["schemas"]["Hash"][];
            transactionHash: components["schemas"]["Hash"];
        };
        CosmosHeader: {
            appHash: components["schemas"]["Hex"];
            chainId: string;
            consensusHash: components["schemas"]["Hash"];
            dataHash: components["schemas"]["Hash"];
            evidenceHash: components["schemas"]["Hash"];
            explorerHash: string;
            hash: components["schemas"]["Hash"];
            lastCommitHash: components["schemas"]["Hash"];
            lastResultsHash: components["schemas"]["Hash"];
            nextValidatorsHash: components["schemas"]["Hash"];
            /** Format: int64 */
            number: number;
            parentHash: components["schemas"]["Hash"];
            parentPartCount: number | null;
            parentPartsHash: components["schemas"]["Hash"] | null;
            proposer: components["schemas"]["CosmosAddress"];
            /** Format: int64 */
            timestamp: number;
            timestampNanos: number;
            validatorsHash: components["schemas"]["Hash"];
            /** Format: int64 */
            versionApp: number;
            /** Format: int64 */
            versionBlock: number;
        };
        CosmosHeaderSnake: {
            app_hash: components["schemas"]["Hex"];
            chain_id: string;
            consensus_hash: components["schemas"]["Hash"];
            data_hash: components["schemas"]["Hash"];
            evidence_hash: components["schemas"]["Hash"];
            explorer_hash: string;
            hash: components["schemas"]["Hash"];
            last_commit_hash: components["schemas"]["Hash"];
            last_results_hash: components["schemas"]["Hash"];
            next_validators_hash: components["schemas"]["Hash"];
            /** Format: int64 */
            number: number;
            parent_hash: components["schemas"]["Hash"];
            parent_part_count: number | null;
            parent_parts_hash: components["schemas"]["Hash"] | null;
            proposer: components["schemas"]["CosmosAddressSnake"];
            /** Format: int64 */
            timestamp: number;
            timestamp_nanos: number;
            validators_hash: components["schemas"]["Hash"];
            /** Format: int64 */
            version_app: number;
            /** Format: int64 */
            version_block: number;
        };
        CosmosPeak: {
            siblings: components["schemas"]["Hash"][];
            transactionHash: components["schemas"]["Hash"];
        };
        CosmosTransaction: {
            byteCount: number;
            explorerHash: string;
            hash: components["schemas"]["Hash"];
            transactionIndex: number | null;
        };
        /** @description Stored and missing blocks of a chain with reasons, and ways to extend coverage (`GET /api/v1/coverage/{chain}`). */
        Coverage: components["schemas"]["ChainStanding"] & {
            /** @description All gaps in ascending order. */
            gaps: components["schemas"]["CoverageGap"][];
            /** @description Ways to extend coverage of the chain. */
            how_to_widen: string[];
            next_cursor: components["schemas"]["BlockNumber"] | null;
            /** @description Ranges in ascending order, at most `limit`. */
            ranges: components["schemas"]["CoverageRange"][];
            /** @description Final blocks contradicted by nodes. */
            retractions: components["schemas"]["RetractionSnake"][];
            watch_list: components["schemas"]["WatchList"] | null;
        };
        /** @description Range of missing blocks, both ends included. */
        CoverageGap: {
            /** @description Reason in words. */
            detail: string;
            /** @description First block number. */
            from: components["schemas"]["BlockNumber"];
            /**
             * @description `before_start`, `backfilling`, `missing`, `refused`, `not_collected_yet`, `recordings_end`, `planned`,
             *     `not_followed`, `stalled`, `halted` or `withdrawn`.
             */
            reason: string;
            to: components["schemas"]["BlockNumber"] | null;
        };
        /** @description Block range with uniform coverage, both ends included. */
        CoverageRange: {
            /** @description First block number. */
            from: components["schemas"]["BlockNumber"];
            /** @description `whole`, `watched`, `header_only`, `partial` or `skipped`. */
            held: string;
            /** @description Last block number. */
            to: components["schemas"]["BlockNumber"];
            watch_hash: components["schemas"]["Hash"] | null;
            /** @description Reason for incomplete storage. */
            why: string | null;
        };
        /** @description Events not delivered in time. */
        DeadLetters: {
            /** @description Cursor before the first event. */
            after: string;
            /**
             * Format: int64
             * @description Number of events.
             */
            count: number;
            /** @description Time at which delivery of the last event was abandoned, in Unix seconds. */
            given_up_at: components["schemas"]["UnixSeconds"];
            /** @description The last event's cursor. */
            last: string;
            /** @description The last attempt's result. */
            why: string;
        };
        /** @description Request count for one route. */
        EndpointCount: {
            /**
             * Format: int64
             * @description Number of requests.
             */
            count: number;
            /** @description Route path, with placeholders for variable parts. */
            endpoint: string;
        };
        /** @description Node status. */
        EndpointReport: {
            /**
             * Format: int64
             * @description Number of calls since the start.
             */
            call_count: number;
            /**
             * Format: int64
             * @description Number of failed calls and wrong answers.
             */
            failure_count: number;
            head: components["schemas"]["BlockNumber"] | null;
            /** @description Last unresolved error. */
            last_error: string | null;
            /**
             * Format: int64
             * @description Median time of recent answers, in milliseconds.
             */
            latency_ms: number | null;
            /** @description Node name, without secret address parts. */
            name: string;
            /** @description Node operator: all nodes of one operator count once. */
            operator: string;
            /**
             * Format: double
             * @description Share of good recent answers, 0 to 1.
             */
            score: number;
            /** @description `untried`, `healthy`, `limited`, `lagging`, `wrong` or `down`. */
            state: string;
        };
        /** @description Terms agreed per account. */
        EnterpriseModel: {
            /**
             * Format: double
             * @description Price in USDC; `null` by agreement.
             */
            price_usdc: number | null;
            /** @description Default rate limit, in requests per minute. */
            rate_limit_rpm: number;
            /** @description Maximum rate limit, in requests per minute. */
            rate_limit_rpm_max: number;
        };
        /** @description Block entry: a transaction, an event, or an absence. */
        Entry: {
            /** @description Block proof. */
            block?: components["schemas"]["BlockPart"];
            /** @description Whether the proof shows the transaction in this very block; otherwise only in the chain by it. */
            blockBound?: boolean;
            /** @description The first transaction's branch, unless already proven. */
            coinbase?: components["schemas"]["BranchPart"];
            /** @description Decoded effects. */
            effects?: components["schemas"]["SuiEffects"];
            /** @description Block, the only leaf in the tree. */
            encodedBlock?: components["schemas"]["Hex"];
            eventSiblings?: components["schemas"]["Hash"][] | components["schemas"]["Hex"][];
            /** @description Transaction hash in explorer form. */
            explorerTransactionHash?: string;
            /** @description Hash before the record. */
            hashBefore?: components["schemas"]["Hash"];
            /** @description Always false: a blockhash does not show the number of earlier transactions. */
            indexBound?: boolean;
            lastTransaction?: components["schemas"]["BranchPart"] | components["schemas"]["CosmosBranch"] | components["schemas"]["TronBranch"];
            peaks?: components["schemas"]["CosmosPeak"][] | components["schemas"]["TronBranch"][];
            /** @description `CheckpointContents` in BCS: the list under the summary's content digest. */
            rawContents?: components["schemas"]["Hex"];
            /** @description `TransactionEffects` in BCS. */
            rawEffects?: components["schemas"]["Hex"];
            /** @description Event, `ContractEvent` in BCS; only in an event proof. */
            rawEvent?: components["schemas"]["Hex"];
            /** @description `TransactionEvents` in BCS; only in an event proof. */
            rawEvents?: components["schemas"]["Hex"];
            /** @description Receipt in consensus bytes; above 65,536 bytes only in the last item of `receipt_siblings`. */
            rawReceipt?: components["schemas"]["Hex"];
            /** @description Signed transaction; omitted above 65,536 bytes if the last item in `siblings` contains the transaction. */
            rawTransaction?: components["schemas"]["Hex"];
            /** @description JSON object from the proven bytes; omitted above 65,536 proven bytes. */
            receipt?: components["schemas"]["EvmReceipt"];
            /** @description Receipts root in the header; `null` for a ledger without a receipts root. */
            receiptRoot?: components["schemas"]["ReceiptRoot"];
            /** @description Why the ledger has no receipts root, and how a transaction's outcome is shown. */
            receiptRootReason?: string;
            /** @description RLP trie nodes from the receipts root down. */
            receiptSiblings?: components["schemas"]["Hex"][];
            /** @description Later records. */
            records?: components["schemas"]["RecordPart"][];
            /** @description Trie nodes from the transactions root down; for the Bitcoin family hashes from the transaction upward. */
            siblings?: components["schemas"]["Hex"][];
            /** @description Number of signatures in the record; not bound. */
            signatureCount?: number;
            /** @description Position of the transaction's first signature in the record. */
            signatureIndex?: number;
            /** @description Path of each transaction signature, from the leaf upward. */
            signatureSiblings?: components["schemas"]["Hash"][][];
            /** @description State root in the header. */
            stateRoot?: components["schemas"]["Hash"];
            /** @description SuperRoot hash at the end of the proof. */
            superRootHash?: components["schemas"]["Hash"];
            /** @description Number of plain hashes from the last record to the blockhash. */
            tailHashes?: number;
            /** @description JSON-RPC object from the proven bytes; omitted above 65,536 proven bytes. */
            transaction?: components["schemas"]["TransactionObject"];
            /** @description Number of transactions in the block; bound only if the proof is for the last transaction, or for none. */
            transactionCount?: number;
            /** @description Transaction hash in base58. */
            transactionDigest?: string;
            /** @description Hash of the raw transaction by the ledger's own rule. */
            transactionHash?: components["schemas"]["Hash"];
            /** @description Position in the block. */
            transactionIndex: number;
            /** @description The version's outcome, `TransactionInfo` in BCS: the accumulator leaf. */
            transactionInfo?: components["schemas"]["Hex"];
            /** @description First transaction signature in base58: the transaction id in explorers. */
            transactionSignature?: string;
            /** @description Transactions root in the header. */
            transactionsRoot?: components["schemas"]["Hash"];
            /** @description Transaction hash in explorer form. */
            txid?: string;
            /**
             * Format: int64
             * @description Transaction position in the whole chain; the one in the block is not shown.
             */
            version?: number;
        };
        /** @description Event in a block. */
        EventLog: {
            /** @description Emitting contract; for Bitcoin the output script, for Sui the package, for ICP the account. */
            address: components["schemas"]["Hex"];
            blockHash: components["schemas"]["Hash"];
            blockNumber: components["schemas"]["BlockNumber"];
            /**
             * Format: int64
             * @description Unix seconds.
             */
            blockTimestamp: number;
            /** @description Event data: for Bitcoin the value in satoshi in 8 bytes, for Sui the value in BCS, for ICP the transaction. */
            data: components["schemas"]["Hex"];
            /** @description `head` (may be undone), `finalized` or `anchored`. */
            finality: string;
            /** @description Event position in the transaction, as in the proof routes; nodes report the position in the whole block. */
            logIndex: number;
            /** @description Other addresses involved: for Sui the sender, for ICP the other accounts; empty elsewhere. */
            otherAddresses: components["schemas"]["Hex"][];
            /** @description Proof URL; available once the event is anchored, with `?level=1` or `2` before. */
            proofUrl: string;
            /** @description Up to four topics; for Sui and ICP one, the Keccak-256 of the type name. */
            topics: components["schemas"]["Hash"][];
            transactionHash: components["schemas"]["Hash"] | null;
            /** @description Position in the block. */
            transactionIndex: number;
        };
        EventObject: components["schemas"]["EvmEvent"] | components["schemas"]["AptosEvent"] | components["schemas"]["BitcoinOutput"] | components["schemas"]["IcpEvent"] | components["schemas"]["PolkadotEvent"] | components["schemas"]["SuiEvent"];
        /** @description Event position. */
        EventPlace: {
            block_number: components["schemas"]["BlockNumber"];
            /** @description Position in the receipt. */
            log_index: number;
            /** @description Proof URL; available once the event is anchored, with `?level=1` or `2` before. */
            proof_url: string;
            /** @description Position in the block. */
            tx_index: number;
        };
        /** @description Log proof up to a SuperRoot. */
        EventProof: components["schemas"]["Place"] & components["schemas"]["Entry"] & components["schemas"]["Unproven"] & {
            /** @description Bit positions of address and topics, set in the receipt and header blooms. */
            bloom?: components["schemas"]["EvmBloom"];
            /**
             * @description Event. For the EVM, `logIndex` is the position in the receipt. For Polkadot, `list` has all events in the block;
             *     the choice of the event is not proven.
             */
            event: components["schemas"]["EventObject"];
        };
        /** @description Access list entry, declared before execution (EIP-2930). */
        EvmAccess: {
            address: components["schemas"]["Address"];
            storageKeys: components["schemas"]["Hash"][];
        };
        /** @description Authorization for a contract to act for an account (EIP-7702). */
        EvmAuthorization: {
            address: components["schemas"]["Address"];
            chainId: components["schemas"]["Quantity"];
            nonce: components["schemas"]["Quantity"];
            r: components["schemas"]["Quantity"];
            s: components["schemas"]["Quantity"];
            yParity: components["schemas"]["Quantity"];
        };
        /** @description Bloom bits of an event's address and topics. */
        EvmBloom: {
            /** @description Three bits for the address, then for each topic. */
            bits: number[][];
            /** @description Whether all bits are set in the header bloom, if part of the proof. */
            inHeader?: boolean;
            /** @description Whether all bits are set in the receipt bloom. */
            inReceipt: boolean;
        };
        /** @description Event. */
        EvmEvent: {
            address: components["schemas"]["Address"];
            data: components["schemas"]["Hex"];
            logIndex: number;
            logIndexInBlock?: components["schemas"]["IndexInBlock"];
            topics: components["schemas"]["Hash"][];
        };
        /** @description JSON-RPC header, without fields absent from chain or fork. Early Gnosis: `step`, `signature`; from `extDataHash` on: Avalanche. */
        EvmHeader: {
            baseFeePerGas?: components["schemas"]["Quantity"];
            blobGasUsed?: components["schemas"]["Quantity"];
            blockAccessListHash?: components["schemas"]["Hash"];
            blockGasCost?: components["schemas"]["Quantity"];
            difficulty?: components["schemas"]["Quantity"];
            excessBlobGas?: components["schemas"]["Quantity"];
            extDataGasUsed?: components["schemas"]["Quantity"];
            extDataHash?: components["schemas"]["Hash"];
            extraData: components["schemas"]["Hex"];
            gasLimit?: components["schemas"]["Quantity"];
            gasUsed: components["schemas"]["Quantity"];
            hash: components["schemas"]["Hash"];
            logsBloom: components["schemas"]["Hex"];
            minDelayExcess?: components["schemas"]["Quantity"];
            minPriceExponent?: components["schemas"]["Quantity"];
            miner: components["schemas"]["Address"];
            mixHash?: components["schemas"]["Hash"];
            nonce?: components["schemas"]["Hex"];
            number: components["schemas"]["Quantity"];
            parentBeaconBlockRoot?: components["schemas"]["Hash"];
            parentHash: components["schemas"]["Hash"];
            receiptsRoot: components["schemas"]["Hash"];
            requestsHash?: components["schemas"]["Hash"];
            settledExcess?: components["schemas"]["Quantity"];
            settledGasNumerator?: components["schemas"]["Quantity"];
            settledGasUnix?: components["schemas"]["Quantity"];
            settledHeight?: components["schemas"]["Quantity"];
            sha3Uncles?: components["schemas"]["Hash"];
            signature?: components["schemas"]["Hex"];
            slotNumber?: components["schemas"]["Quantity"];
            stateRoot: components["schemas"]["Hash"];
            step?: components["schemas"]["Quantity"];
            targetExponent?: components["schemas"]["Quantity"];
            timestamp: components["schemas"]["Quantity"];
            timestampMilliseconds?: components["schemas"]["Quantity"];
            transactionsRoot: components["schemas"]["Hash"];
            withdrawalsRoot?: components["schemas"]["Hash"];
        };
        EvmHeaderSnake: {
            base_fee_per_gas?: components["schemas"]["Quantity"];
            blob_gas_used?: components["schemas"]["Quantity"];
            block_access_list_hash?: components["schemas"]["Hash"];
            block_gas_cost?: components["schemas"]["Quantity"];
            difficulty?: components["schemas"]["Quantity"];
            excess_blob_gas?: components["schemas"]["Quantity"];
            ext_data_gas_used?: components["schemas"]["Quantity"];
            ext_data_hash?: components["schemas"]["Hash"];
            extra_data: components["schemas"]["Hex"];
            gas_limit?: components["schemas"]["Quantity"];
            gas_used: components["schemas"]["Quantity"];
            hash: components["schemas"]["Hash"];
            logs_bloom: components["schemas"]["Hex"];
            min_delay_excess?: components["schemas"]["Quantity"];
            min_price_exponent?: components["schemas"]["Quantity"];
            miner: components["schemas"]["Address"];
            mix_hash?: components["schemas"]["Hash"];
            nonce?: components["schemas"]["Hex"];
            number: components["schemas"]["Quantity"];
            parent_beacon_block_root?: components["schemas"]["Hash"];
            parent_hash: components["schemas"]["Hash"];
            receipts_root: components["schemas"]["Hash"];
            requests_hash?: components["schemas"]["Hash"];
            settled_excess?: components["schemas"]["Quantity"];
            settled_gas_numerator?: components["schemas"]["Quantity"];
            settled_gas_unix?: components["schemas"]["Quantity"];
            settled_height?: components["schemas"]["Quantity"];
            sha3_uncles?: components["schemas"]["Hash"];
            signature?: components["schemas"]["Hex"];
            slot_number?: components["schemas"]["Quantity"];
            state_root: components["schemas"]["Hash"];
            step?: components["schemas"]["Quantity"];
            target_exponent?: components["schemas"]["Quantity"];
            timestamp: components["schemas"]["Quantity"];
            timestamp_milliseconds?: components["schemas"]["Quantity"];
            transactions_root: components["schemas"]["Hash"];
            withdrawals_root?: components["schemas"]["Hash"];
        };
        /** @description JSON-RPC log; `logIndex` is the position in the receipt. */
        EvmLog: {
            address: components["schemas"]["Address"];
            blockHash?: components["schemas"]["Hash"];
            blockNumber: components["schemas"]["Quantity"];
            data: components["schemas"]["Hex"];
            logIndex: components["schemas"]["Quantity"];
            removed: boolean;
            topics: components["schemas"]["Hash"][];
            transactionHash?: components["schemas"]["Hash"];
            transactionIndex?: components["schemas"]["Quantity"];
        };
        /** @description Receipt with intrinsic fields only. */
        EvmReceipt: {
            baseFee?: components["schemas"]["Quantity"];
            cumulativeGasUsed: components["schemas"]["Quantity"];
            depositNonce?: components["schemas"]["Quantity"];
            depositReceiptVersion?: components["schemas"]["Quantity"];
            logs: components["schemas"]["EvmLog"][];
            logsBloom: components["schemas"]["Hex"];
            root?: components["schemas"]["Hash"];
            status?: components["schemas"]["Quantity"];
            type: components["schemas"]["Quantity"];
        };
        /** @description ECDSA signature over Keccak-256 of `0a` and the SuperRoot hash (EIP-2098). */
        EvmSignatureRow: {
            r: components["schemas"]["Hash"];
            /** @description The key's address. */
            signer: components["schemas"]["Address"];
            /** @description `s`, with the parity in the highest bit. */
            vs: components["schemas"]["Hash"];
        };
        EvmSignatureRowSnake: {
            r: components["schemas"]["Hash"];
            signer: components["schemas"]["Address"];
            vs: components["schemas"]["Hash"];
        };
        /** @description JSON-RPC transaction; from `feeCurrency` on the members are specific to Celo, Arbitrum, the OP stack and Scroll. */
        EvmTransaction: {
            accessList?: components["schemas"]["EvmAccess"][];
            authorizationList?: components["schemas"]["EvmAuthorization"][];
            beneficiary?: components["schemas"]["Address"];
            blobVersionedHashes?: components["schemas"]["Hash"][];
            blockHash?: components["schemas"]["Hash"];
            blockNumber: components["schemas"]["Quantity"];
            chainId?: components["schemas"]["Quantity"];
            depositValue?: components["schemas"]["Quantity"];
            feeCurrency?: components["schemas"]["Receiver"];
            from?: components["schemas"]["Address"];
            gas?: components["schemas"]["Quantity"];
            gasPrice?: components["schemas"]["Quantity"];
            gatewayFee?: components["schemas"]["Quantity"];
            gatewayFeeRecipient?: components["schemas"]["Receiver"];
            hash: components["schemas"]["Hash"];
            input?: components["schemas"]["Hex"];
            isSystemTx?: boolean;
            l1BaseFee?: components["schemas"]["Quantity"];
            maxFeePerBlobGas?: components["schemas"]["Quantity"];
            maxFeePerGas?: components["schemas"]["Quantity"];
            maxPriorityFeePerGas?: components["schemas"]["Quantity"];
            maxRefund?: components["schemas"]["Quantity"];
            maxSubmissionFee?: components["schemas"]["Quantity"];
            mint?: components["schemas"]["Quantity"];
            nonce?: components["schemas"]["Quantity"];
            queueIndex?: components["schemas"]["Quantity"];
            r?: components["schemas"]["Quantity"];
            refundTo?: components["schemas"]["Address"];
            requestId?: components["schemas"]["Hash"];
            retryData?: components["schemas"]["Hex"];
            retryTo?: components["schemas"]["Receiver"];
            retryValue?: components["schemas"]["Quantity"];
            s?: components["schemas"]["Quantity"];
            sender?: components["schemas"]["Address"];
            /** @description `false` for an unsigned transaction: a signature of zeros. */
            signed?: boolean;
            sourceHash?: components["schemas"]["Hash"];
            submissionFeeRefund?: components["schemas"]["Quantity"];
            ticketId?: components["schemas"]["Hash"];
            to?: components["schemas"]["Receiver"];
            transactionIndex?: components["schemas"]["Quantity"];
            type: components["schemas"]["Quantity"];
            v?: components["schemas"]["Quantity"];
            value?: components["schemas"]["Quantity"];
            yParity?: components["schemas"]["Quantity"];
        };
        /** @description A proof's expected subject; omitted members are not checked. */
        Expected: {
            /** @description Event address. */
            address?: components["schemas"]["Address"];
            /** @description Block number; `not_shown` if the transaction is only in the chain by it (Aptos, early slots of Solana). */
            block?: components["schemas"]["BlockNumber"];
            /** @description Block number, as an alias for `block`. */
            block_number?: components["schemas"]["BlockNumber"];
            /** @description Chain id, name or CAIP-2 name. */
            chain?: string;
            /** Format: int64 */
            chain_id?: number;
            /** @description Log position in the receipt; fails with `not_shown` if no hash binds the position (Polkadot). */
            log_index?: number;
            /** @description SuperRoot hash at the end of the proof. */
            super_root_hash?: components["schemas"]["Hash"];
            /** @description Event topics, up to 4. */
            topics?: components["schemas"]["Hash"][];
            /** @description Transaction position in the block; `not_shown` if no hash binds it (Solana, Aptos, Polkadot events). */
            tx_index?: number;
        };
        /** @description Price from the extraData field in Linea headers. */
        ExtraDataPrice: {
            /** @description Node answer to `eth_gasPrice`. */
            eth_gas_price: components["schemas"]["Amount"];
            /** @description Fixed cost per gas. */
            fixed_cost: components["schemas"]["Amount"];
            /** @description Variable cost per byte sent to the L1. */
            variable_cost: components["schemas"]["Amount"];
        };
        /** @description Ledger family */
        Family: string;
        /** @description Fee bounds. */
        FeeRange: {
            /**
             * Format: double
             * @description Highest fee, in USDC.
             */
            max_usdc: number;
            /**
             * Format: double
             * @description Lowest fee, in USDC.
             */
            min_usdc: number;
        };
        /** @description Fees of a ledger without gas, in the ledger's unit, by percentile of fees paid in the newest blocks. */
        FeeRate: {
            at_most: components["schemas"]["FeeRateBounds"] | null;
            /** @description Number of blocks behind the figures, at most 20. */
            block_count: number;
            /** @description Number of transactions behind the figures; for Bitcoin, blocks. */
            count: number;
            /**
             * Format: double
             * @description Nine tenths paid at most this fee.
             */
            fast: number;
            /**
             * Format: double
             * @description One tenth paid at most this fee.
             */
            slow: number;
            /**
             * Format: double
             * @description Half paid at most this fee.
             */
            standard: number;
        };
        /** @description Upper bounds. */
        FeeRateBounds: {
            /**
             * Format: double
             * @description Upper bound for `fast`.
             */
            fast: number;
            /**
             * Format: double
             * @description Upper bound for `slow`.
             */
            slow: number;
            /**
             * Format: double
             * @description Upper bound for `standard`.
             */
            standard: number;
        };
        /** @description Why a block counts as final, and the reader's remaining trust. Not proven. */
        Finality: {
            asOf: components["schemas"]["UnixSeconds"] | null;
            /** @description `consensus` or `l1_anchored` if clients can check that, with `?evidence=1`; else `null`. */
            checkable: string | null;
            evidence: components["schemas"]["NamedSources"] | null;
            /** @description `consensus`, `l1_anchored`, `node_quorum` or `recorded`. */
            evidenceKind: string | null;
            /** @description Kind of evidence in this answer, checked by the service: `beacon`, `work`, .. */
            kind: string | null;
            /** @description Finality rule, in words. */
            rule: string | null;
            set: components["schemas"]["SigningSet"] | null;
            /** @description `finalized`, `not_final`, or `retracted` by nodes. */
            status: string;
            target: components["schemas"]["FinalityTarget"] | null;
            /** @description Trust that remains with the reader. */
            trust: string;
        };
        /** @description Finality of every chain (`GET /finality`). */
        FinalityList: {
            /** @description Chains in registry order. */
            chains: components["schemas"]["ChainFinality"][];
        };
        FinalitySnake: {
            as_of: components["schemas"]["UnixSeconds"] | null;
            checkable: string | null;
            evidence: components["schemas"]["NamedSourcesSnake"] | null;
            evidence_kind: string | null;
            kind: string | null;
            rule: string | null;
            set: components["schemas"]["SigningSetSnake"] | null;
            status: string;
            target: components["schemas"]["FinalityTargetSnake"] | null;
            trust: string;
        };
        /** @description Signed block. */
        FinalityTarget: {
            hash: components["schemas"]["Hash"];
            number: components["schemas"]["BlockNumber"];
        };
        FinalityTargetSnake: {
            hash: components["schemas"]["Hash"];
            number: components["schemas"]["BlockNumber"];
        };
        /** @description A hash's occurrences. */
        Found: {
            /** @description All matches, ascending on each chain: a hash can occur on several chains, equal bytes in several blocks. */
            matches: components["schemas"]["Match"][];
            /** @description Whether a chain has more than the 64 listed: continue with `from` after the last. */
            more: boolean;
            /** @description Requested hash. */
            query: string;
        };
        /** @description Transaction cost on each chain. */
        Gas: {
            /** @description Chains in registry order. */
            chains: components["schemas"]["ChainGas"][];
        };
        /** @description Block behind the figures. */
        GasBlock: {
            /**
             * Format: int64
             * @description Block age in seconds.
             */
            age_seconds: number;
            /** @description `head` (may be undone), `finalized` or `anchored`. */
            finality: string;
            /** @description Block hash. */
            hash: components["schemas"]["Hash"];
            number: components["schemas"]["BlockNumber"];
            /** @description Proof URL; available once the block is anchored, with `?level=1` or `2` before. */
            proof_url: string;
            /**
             * Format: int64
             * @description Unix seconds.
             */
            timestamp: number;
        };
        /** @description Trend of the base fee, or of the mean fee rate per block. */
        GasTrend: {
            /** @description Number of blocks, at most 20. */
            block_count: number;
            /**
             * Format: double
             * @description Change from the oldest to the newest block, in percent of the oldest.
             */
            change_percent: number;
            /** @description `rising` or `falling` by one percent or more, or `steady`. */
            direction: string;
        };
        /** @description Answer of a gateway (EIP-3668): what the contract's callback gets. */
        GatewayAnswer: {
            /** @description Proof in calldata. */
            data: components["schemas"]["Hex"];
        };
        /** @description Group of routes. */
        GridPlan: {
            /** @description Grid name. */
            grid: string;
            /** @description Route paths. */
            routes: string[];
        };
        /** @description 32 bytes: 0x and 64 hex digits */
        Hash: string;
        HeaderObject: components["schemas"]["EvmHeader"] | components["schemas"]["CosmosHeader"] | components["schemas"]["SuiHeader"] | components["schemas"]["TronHeader"] | components["schemas"]["BitcoinHeader"] | components["schemas"]["PolkadotHeader"] | components["schemas"]["IcpHeader"] | components["schemas"]["SolanaHeader"] | components["schemas"]["AptosHeader"];
        HeaderObjectSnake: components["schemas"]["EvmHeaderSnake"] | components["schemas"]["CosmosHeaderSnake"] | components["schemas"]["SuiHeaderSnake"] | components["schemas"]["TronHeaderSnake"] | components["schemas"]["BitcoinHeaderSnake"] | components["schemas"]["PolkadotHeaderSnake"] | components["schemas"]["IcpHeaderSnake"] | components["schemas"]["SolanaHeaderSnake"] | components["schemas"]["AptosHeaderSnake"];
        /** @description Liveness (`GET /health/live`). */
        Health: {
            /** @description `live`. */
            status: string;
        };
        /** @description Bytes: 0x and hex digits */
        Hex: string;
        /** @description Committed history of a SuperRoot, opened from slot 54. */
        HistoryOpeningRow: {
            /**
             * Format: int64
             * @description Number of earlier SuperRoots.
             */
            leafCount: number;
            /** @description RFC 6962 root of the earlier SuperRoots. */
            logRoot: components["schemas"]["Hash"];
            /** @description 6 siblings, from the slot upward. */
            siblings: components["schemas"]["Hash"][];
        };
        /** @description SuperRoots before a SuperRoot. */
        HistoryRow: {
            /**
             * Format: int64
             * @description Number of earlier SuperRoots.
             */
            leafCount: number;
            /** @description RFC 6962 root of the earlier SuperRoots. */
            logRoot: components["schemas"]["Hash"];
        };
        HistoryRowSnake: {
            /** Format: int64 */
            leaf_count: number;
            log_root: components["schemas"]["Hash"];
        };
        /** @description Requests in one hour with equal key, route, chain and status. */
        HourlyUsage: {
            /**
             * Format: int64
             * @description Billing tokens for the requests.
             */
            billing_tokens: number;
            /**
             * Format: int64
             * @description Requested chain id.
             */
            chain_id: number | null;
            /** @description Route path. */
            endpoint: string;
            /** @description First second of the hour, in Unix seconds. */
            hour: components["schemas"]["UnixSeconds"];
            key_id: string | null;
            /**
             * Format: int64
             * @description Number of requests.
             */
            requests: number;
            /** @description Status class, such as `2xx`. */
            status: string;
        };
        IcpEvent: components["schemas"]["IcpOperation"] & {
            logIndex: number;
            logIndexInBlock?: components["schemas"]["IndexInBlock"];
        };
        IcpHeader: {
            explorerHash: string;
            explorerParentHash: string | null;
            hash: components["schemas"]["Hash"];
            parentHash: components["schemas"]["Hash"] | null;
            /** Format: int64 */
            timestamp: number;
            timestampNanos: string;
        };
        IcpHeaderSnake: {
            explorer_hash: string;
            explorer_parent_hash: string | null;
            hash: components["schemas"]["Hash"];
            parent_hash: components["schemas"]["Hash"] | null;
            /** Format: int64 */
            timestamp: number;
            timestamp_nanos: string;
        };
        IcpOperation: {
            allowanceE8s: string | null;
            amountE8s: string | null;
            expectedAllowanceE8s: string | null;
            expiresAtNanos: string | null;
            feeE8s: string | null;
            from: string | null;
            kind: string;
            spender: string | null;
            to: string | null;
        };
        IcpTransaction: {
            createdAtNanos: string | null;
            explorerHash: string;
            hash: components["schemas"]["Hash"];
            icrc1Memo: components["schemas"]["Hex"] | null;
            memo: string;
            operation: components["schemas"]["IcpOperation"];
            transactionIndex: number;
        };
        IndexInBlock: number | null;
        /** @description Integrator terms. */
        IntegratorModel: {
            /**
             * Format: double
             * @description Promised availability, in percent.
             */
            availability_percent: number;
            monthly: components["schemas"]["FeeRange"];
            /** @description Requests per minute. */
            rate_limit_rpm: number;
            /** @description Integrator's share of customer charges, in percent. */
            revenue_share_percent: number;
            /** @description Maximum number of customer accounts. */
            sub_accounts_max: number;
            yearly: components["schemas"]["FeeRange"];
        };
        /** @description Invoice, or the draft for an open month. */
        Invoice: {
            /** @description Billed party. */
            billed_to: string;
            /**
             * Format: int64
             * @description Billing tokens of all lines.
             */
            billing_tokens: number;
            /** @description Whether the invoice is closed and final. */
            is_closed: boolean;
            /** @description Closing time, in Unix seconds; the current time for a draft. */
            issued_at: components["schemas"]["UnixSeconds"];
            /** @description Invoice lines; omitted in lists. */
            lines?: components["schemas"]["InvoiceLine"][];
            /** @description Month in UTC, such as `2026-02`. */
            month: string;
            /** @description Invoice number, such as `SR-LIVE-000042`; `null` for a draft. */
            number: string | null;
            /**
             * Format: int64
             * @description Requests of all lines.
             */
            requests: number;
            /**
             * Format: double
             * @description Sum of the lines, in USDC; negative if the service owes.
             */
            total_usdc: number;
            /** @description Account id. */
            user_id: string;
        };
        /** @description Invoice line. */
        InvoiceLine: {
            /**
             * Format: double
             * @description Amount, in USDC.
             */
            amount_usdc: number;
            /** Format: int64 */
            billing_tokens: number;
            /**
             * Format: int64
             * @description Chain id, for usage of one chain.
             */
            chain_id: number | null;
            /**
             * Format: int64
             * @description Free billing tokens among `billing_tokens`.
             */
            free_tokens: number;
            /** @description `usage`, `fee`, `subscription`, `paid`, `refund`, `charge`, `revenue_share` or `credit_note`. */
            kind: string;
            /** @description Description; the route path for usage. */
            label: string;
            /**
             * Format: int64
             * @description Number of requests.
             */
            requests: number;
        };
        /** @description Invoices and the current month's draft (`GET /api/v1/invoices`). */
        InvoiceList: {
            /** @description Current month so far. */
            current: components["schemas"]["Invoice"];
            /** @description Ended months not yet closed, newest first. */
            ended: components["schemas"]["Invoice"][];
            /** @description Invoices, newest month first, without lines. */
            invoices: components["schemas"]["Invoice"][];
            /** @description `before` of the next page; `null` at the end. */
            next_before: string | null;
        };
        /** @description New key. The key is shown only in this answer. */
        IssuedKey: {
            /** @description API key. */
            api_key: string;
            /** @description Stored key details. */
            key: components["schemas"]["Key"];
        };
        /** @description New sub-account with the first key. */
        IssuedSubAccount: {
            /** @description API key, shown only once. */
            api_key: string;
            /** @description Opening time, in Unix seconds. */
            created_at: components["schemas"]["UnixSeconds"];
            /** @description Stored key details. */
            key: components["schemas"]["Key"];
            /** @description Label chosen by the integrator. */
            label: string | null;
            /** @description Account id. */
            user_id: string;
        };
        /** @description Key in a list. */
        Key: {
            /** @description Permitted chain ids; `null` permits every chain. */
            chains: number[] | null;
            created_at: components["schemas"]["UnixSeconds"];
            expires_at: components["schemas"]["UnixSeconds"] | null;
            /** @description Key id. */
            id: string;
            /** @description Whether the request used this key. */
            is_presented: boolean;
            /** @description The key's first characters. */
            key_prefix: string;
            /** @description Label chosen by the owner. */
            label: string | null;
            /** @description The replacement key's id. */
            replaced_by: string | null;
            retires_at: components["schemas"]["UnixSeconds"] | null;
            revoked_at: components["schemas"]["UnixSeconds"] | null;
            /** @description Permitted routes; `null` permits every route. */
            routes: string[] | null;
            /** @description `active`, `retiring`, `rotated`, `expired` or `revoked`. */
            state: string;
        };
        /** @description Keys, newest first, including stored former keys. */
        KeyList: {
            keys: components["schemas"]["Key"][];
        };
        /**
         * @description Key settings. Omitted members stay unchanged.
         * @example {
         *       "chains": [
         *         "ethereum",
         *         "base"
         *       ],
         *       "label": "indexer",
         *       "routes": [
         *         "G1",
         *         "G3"
         *       ]
         *     }
         */
        KeyRequest: {
            /** @description Permitted chain ids or names; `null` permits every chain. */
            chains?: components["schemas"]["ChainName"][] | null;
            expires_at?: components["schemas"]["UnixSeconds"] | null;
            /** @description 1 to 64 printable characters. */
            label?: string | null;
            /** @description Permitted grids (`G1`), paths (`/finality/{chain_id}`) or prefixes (`/v5/proof/*`); `null`: every route. */
            routes?: string[] | null;
        };
        /** @description The request's key. */
        KeyShown: {
            /** @description Permitted chain ids; `null` permits every chain. */
            chains: number[] | null;
            /** @description `live` or `test`. */
            environment: string;
            expires_at: components["schemas"]["UnixSeconds"] | null;
            /** @description Key id. */
            id: string;
            /** @description The key's first characters. */
            key_prefix: string;
            /** @description Permitted routes; `null` permits every route. */
            routes: string[] | null;
        };
        /** @description Terms without a key. */
        KeylessPlan: {
            /** @description Unit for counting requests: `address`. */
            counted_by: string;
            /** @description Rate limit, in requests per minute; `null` for no limit. */
            rate_limit_rpm: number | null;
        };
        /** @description SuperRoot at the end of a proof. */
        KnownSuperRoot: {
            /** @description Whether this log published the SuperRoot. */
            known_super_root: boolean;
            /**
             * Format: int64
             * @description SuperRoot sequence, if published by this log.
             */
            sequence: number | null;
            super_root_hash: components["schemas"]["Hash"] | null;
        };
        /** @description L1 fee of a rollup, charged in addition to gas; prices are from the newest rollup block. */
        L1DataFee: {
            /** @description Base fee scalar, in millionths. */
            base_fee_scalar: string;
            /** @description Blob base fee scalar, in millionths; null before Ecotone. */
            blob_base_fee_scalar: number | null;
            /** @description Block gas counted per data byte; null before Jovian. */
            da_footprint_gas_scalar: number | null;
            /** @description L1 base fee per gas. */
            l1_base_fee: components["schemas"]["Amount"];
            l1_blob_base_fee: components["schemas"]["Amount"] | null;
            /**
             * Format: int64
             * @description L1 block number behind the prices.
             */
            l1_block_number: number;
            least: components["schemas"]["Amount"] | null;
            median: components["schemas"]["Amount"] | null;
            /** @description Operator fee per transaction, in wei. */
            operator_fee_constant: string | null;
            /** @description Operator fee per gas: in millionths of a wei, since Jovian in hundreds of wei; null before Isthmus. */
            operator_fee_scalar: number | null;
            /** @description Gas added to every transaction; null since Ecotone. */
            overhead: string | null;
            /** @description Rule to weigh transactions: `bedrock`, `ecotone` or `fjord`. */
            rule: string;
            /** @description Number of transactions behind the median. */
            tx_count: number;
        };
        /** @description Header, roots and path of a block. */
        LambdaBundle: components["schemas"]["PlaceSnake"] & components["schemas"]["LevelsSnake"] & components["schemas"]["UnprovenSnake"] & {
            /** @description Whether finality evidence for the block exists; not proven. */
            is_finalized: boolean;
            /** @description Receipts root in the header, if the ledger has one. */
            receipts_root?: components["schemas"]["Hash"];
            /** @description Transactions root in the header. */
            transactions_root: components["schemas"]["Hash"];
        };
        /** @description Last error with time. */
        LastError: {
            /** @description The error's time, in Unix seconds. */
            at: components["schemas"]["UnixSeconds"];
            /** @description Error message. */
            message: string;
        };
        /** @description Launch checks. An unknown figure is null, and `missing` gives the reason. */
        LaunchChecks: {
            askedAtBlock: components["schemas"]["BlockNumber"] | null;
            /**
             * Format: double
             * @description Percent lost in a purchase.
             */
            buyTaxPercent: number | null;
            /** @description Evidence from nodes: `simulated`, a purchase and sale that nobody makes; null if no node was asked. */
            evidence: string | null;
            /** @description Whether the token code has a function to mint more tokens. */
            isMintable: boolean | null;
            /** @description Percent of the pool's own tokens (the block's, or all once nodes are asked) that nobody can withdraw. */
            liquidityBurnedPercent: number | null;
            /** @description Percent of the pool's own tokens in known lockers; the lock's end is not read. */
            liquidityLockedPercent: number | null;
            /** @description Null figures, with reasons. */
            missing: components["schemas"]["MissingCheck"][];
            /** @description The token contract's owner; the zero address means no owner. */
            owner: string | null;
            /**
             * Format: double
             * @description Percent lost in a sale; 100 if the token could not be sold.
             */
            sellTaxPercent: number | null;
            /**
             * Format: double
             * @description Percent of the token with the ten largest holders at the launch, without pool and burned tokens.
             */
            topHoldersPercent: number | null;
        };
        /** @description Newest launches, newest first. */
        Launches: {
            /** @description Chains with complete launches: pool events are stored. */
            chainIds: components["schemas"]["ChainId"][];
            launches: components["schemas"]["TokenLaunch"][];
        };
        /** @description Refused block. */
        LeftOut: {
            number: components["schemas"]["BlockNumber"];
            /** @description Reason in words. */
            reason: string;
        };
        /** @description A block proof's levels. */
        Levels: {
            /** @description Block hash, equal to the header hash. */
            blockHash: components["schemas"]["Hash"];
            /** @description Header in the ledger's own bytes. */
            blockHeader: components["schemas"]["Hex"];
            /** @description Block reference instead of `mini_mmr`, for an open twig. */
            blockReference?: components["schemas"]["BlockReference"];
            /** @description Decoded header, with JSON-RPC names. */
            header?: components["schemas"]["HeaderObject"];
            /** @description Level 4: Mini-MMR, for a sealed twig. */
            miniMmr?: components["schemas"]["MiniMmrPlace"];
            /** @description Signed note for a log with the SuperRoot, if requested. */
            note?: components["schemas"]["NotePlace"];
            /** @description Whether the block hash commits to the block number. */
            numberBound: boolean;
            /** @description Chain profile in the log's registry. */
            registry?: components["schemas"]["RegistryPlace"];
            /** @description 6 siblings from the slot to the SuperRoot's tree root. */
            siblings?: components["schemas"]["Hash"][];
            /** @description Level 5: SuperRoot. */
            superRoot?: components["schemas"]["SuperRootPlace"];
            /** @description SuperRoot hash at the end of the proof. */
            superRootHash?: components["schemas"]["Hash"];
            /** @description Level 3: twig. */
            twig?: components["schemas"]["Twig"];
        };
        LevelsSnake: {
            block_hash: components["schemas"]["Hash"];
            block_header: components["schemas"]["Hex"];
            block_reference?: components["schemas"]["BlockReferenceSnake"];
            header?: components["schemas"]["HeaderObjectSnake"];
            mini_mmr?: components["schemas"]["MiniMmrPlaceSnake"];
            note?: components["schemas"]["NotePlaceSnake"];
            number_bound: boolean;
            registry?: components["schemas"]["RegistryPlaceSnake"];
            siblings?: components["schemas"]["Hash"][];
            super_root?: components["schemas"]["SuperRootPlaceSnake"];
            super_root_hash?: components["schemas"]["Hash"];
            twig?: components["schemas"]["TwigSnake"];
        };
        /** @description Sets of signers of a chain's consensus (`GET /v5/light-client/{chain}`). */
        LightClient: {
            chainId: components["schemas"]["ChainId"];
            /** @description Path to contradicting statements by a set; `null` without. */
            conflict: string | null;
            /**
             * Format: int64
             * @description Oldest set held, by number.
             */
            firstSet: number | null;
            /** @description Kind of evidence: `beacon`, `work`, ... */
            kind: string;
            /**
             * Format: int64
             * @description Newest set held.
             */
            lastSet: number | null;
            /** @description `live`, `recorded` or `simulated`. */
            network: components["schemas"]["Network"];
            newest: components["schemas"]["LightClientSet"] | null;
            /** @description Whether evidence binds the number too. */
            numberBound: boolean;
            /** @description What a client still trusts. */
            trust: string;
        };
        /** @description Contradicting statements by one set, for `superroot verify`. */
        LightClientConflict: {
            chainId: components["schemas"]["ChainId"];
            /** @description Set and statements, the only bytes to check. */
            conflict: components["schemas"]["Hex"];
            /** @description Ledger family. */
            family: components["schemas"]["Family"];
            /** @description Both block hashes, or both set ids, as found by the service. */
            hashes: components["schemas"]["Hash"][];
            /** @description Kind of evidence. */
            kind: string;
            /** @description `live`, `recorded` or `simulated`. */
            network: components["schemas"]["Network"];
            /** @description The signing set, as found by the service. */
            set: components["schemas"]["LightClientSet"];
        };
        /** @description One set of signers. */
        LightClientSet: {
            /** @description Id that clients pin. */
            id: components["schemas"]["Hash"];
            /**
             * Format: int64
             * @description Period or epoch.
             */
            number: number;
            /** @description Bytes. */
            set: components["schemas"]["Hex"];
            trustedUntil: components["schemas"]["UnixSeconds"] | null;
        };
        /** @description Steps from one set to the next. */
        LightClientSteps: {
            /**
             * Format: int64
             * @description Set before the first step.
             */
            from: number;
            /**
             * Format: int64
             * @description Newest set held.
             */
            last: number;
            /** @description Steps, in order. */
            steps: components["schemas"]["Hex"][];
            /**
             * Format: int64
             * @description Set behind the last step.
             */
            to: number;
        };
        /** @description Blocks with possibly missing events, both ends included. */
        LogGap: {
            /** @description First block number. */
            from: components["schemas"]["BlockNumber"];
            /** @description `not_watched`, `not_collected`, `no_body`, `skipped`, `refused`, `being_indexed` or `ledger_without_events`. */
            reason: string;
            /** @description Last block number. */
            to: components["schemas"]["BlockNumber"];
        };
        LogGapSnake: {
            from: components["schemas"]["BlockNumber"];
            reason: string;
            to: components["schemas"]["BlockNumber"];
        };
        /** @description Events that pass a filter, in order. */
        Logs: {
            chainId: components["schemas"]["ChainId"];
            completeness: components["schemas"]["Completeness"] | null;
            /** @description Requested finality: no event is below this level. */
            finality: string;
            /** @description Blocks with possibly missing events; only with `partial=1`. Without `partial=1` the request is refused. */
            gaps: components["schemas"]["LogGap"][];
            /** @description Events. */
            logs: components["schemas"]["EventLog"][];
            nextBlock: components["schemas"]["BlockNumber"] | null;
            /** @description Cursor for the next page; null at the end of the range. */
            nextCursor: string | null;
            searched: components["schemas"]["Searched"] | null;
        };
        /** @description Match. */
        Match: {
            blockNumber: components["schemas"]["BlockNumber"] | null;
            chainId: components["schemas"]["ChainId"] | null;
            /** @description Chain name; `null` for a SuperRoot. */
            chainName: string | null;
            /** @description `transaction`, `block` or `superRoot`. */
            kind: string;
            /** @description Proof URL, or the page of a SuperRoot. Before the block is anchored, the answer at the URL says so. */
            proofUrl: string;
            /**
             * Format: int64
             * @description SuperRoot sequence; otherwise `null`.
             */
            sequence: number | null;
            /** @description Transaction position in the block; otherwise `null`. */
            transactionIndex: number | null;
        };
        /** @description Sealed twig in the Mini-MMR of a family. */
        MiniMmrPlace: {
            /** @description Ledger family. */
            family: components["schemas"]["Family"];
            /**
             * Format: int64
             * @description Number of leaves.
             */
            leafCount: number;
            /** Format: int64 */
            leafIndex: number;
            /** @description Mini-MMR root. */
            root: components["schemas"]["Hash"];
            /** @description Path in the range, lowest first. */
            siblings: components["schemas"]["Hash"][];
        };
        MiniMmrPlaceSnake: {
            family: components["schemas"]["Family"];
            /** Format: int64 */
            leaf_count: number;
            /** Format: int64 */
            leaf_index: number;
            root: components["schemas"]["Hash"];
            siblings: components["schemas"]["Hash"][];
        };
        /** @description Mini-MMR of a family. */
        MiniMmrRow: {
            /** @description Ledger family. */
            family: components["schemas"]["Family"];
            /**
             * Format: int64
             * @description Number of sealed twigs.
             */
            leafCount: number;
            /** @description The family's display name. */
            name?: string;
            rangeRoot: components["schemas"]["Hash"];
            /** @description Mini-MMR root. */
            root: components["schemas"]["Hash"];
        };
        MiniMmrRowSnake: {
            family: components["schemas"]["Family"];
            /** Format: int64 */
            leaf_count: number;
            name?: string;
            range_root: components["schemas"]["Hash"];
            root: components["schemas"]["Hash"];
        };
        /** @description Null figure and the reason. */
        MissingCheck: {
            /** @description Member name. */
            check: string;
            /** @description Reason. */
            why: string;
        };
        /** @description Null figure and the reason. */
        MissingFigure: {
            /** @description Member name. */
            figure: string;
            /** @description Reason. */
            why: string;
        };
        /** @description Agreeing sources for a block, by name. */
        NamedSources: {
            /** @description Number of agreeing sources. */
            agreeing: number;
            /** @description Stored evidence in hex: `l6_finality_commitment` is the Keccak-256. */
            encoded: string;
            /** @description Number of sources asked. */
            of: number | null;
            /** @description The agreeing sources' names. */
            sources: string[];
        };
        NamedSourcesSnake: {
            agreeing: number;
            encoded: string;
            of: number | null;
            sources: string[];
        };
        /** @description live, recorded or simulated */
        Network: string;
        /** @description Newest SuperRoot in short. */
        NewestSuperRoot: {
            /** Format: int64 */
            age_seconds: number;
            /**
             * Format: int64
             * @description Sequence: counts from 0 without gaps.
             */
            sequence: number;
            super_root_hash: components["schemas"]["Hash"];
            timestamp: components["schemas"]["UnixSeconds"];
        };
        /** @description The next block's base fee. */
        NextBaseFee: {
            /** @description Steps between the newest headers that match the rule. If any breaks it, there is no figure. */
            confirmed_steps: number;
            /** @description Exact amount in gwei. */
            gwei: string;
            /** @description Fee rule. */
            rule: string;
            /** @description Wei, as a decimal number. */
            wei: string;
        };
        /** @description Gas price by node answers (`eth_gasPrice`), for chains without a next base fee in the headers. Not proven. */
        NodePrice: {
            /**
             * Format: int64
             * @description Seconds since the nodes were asked.
             */
            age_seconds: number;
            /** @description `node_quorum`, or `one_node` if the service follows the chain through a single node. */
            evidence: string;
            /** @description Base fee plus tip, per gas: median of the node answers. */
            gas_price: components["schemas"]["Amount"];
            /** @description Highest answer. */
            highest: components["schemas"]["Amount"];
            /** @description Lowest answer. */
            lowest: components["schemas"]["Amount"];
            /** @description Answering nodes, one per operator. */
            nodes: string[];
        };
        /** @description The log's signed note, with the SuperRoot's path in the log at the note's size. */
        NotePlace: {
            /** @description RFC 9162 path of the SuperRoot, lowest first. */
            siblings: components["schemas"]["Hash"][];
            /**
             * Format: int64
             * @description Number of log entries, above the SuperRoot's sequence.
             */
            size: number;
            /** @description Complete C2SP signed note. */
            text: string;
        };
        NotePlaceSnake: {
            siblings: components["schemas"]["Hash"][];
            /** Format: int64 */
            size: number;
            text: string;
        };
        OneOrMany: string | string[];
        /** @description Price differences, most profitable first. */
        Opportunities: {
            /** @description Examined chains. */
            chainIds: components["schemas"]["ChainId"][];
            /**
             * Format: int64
             * @description Time of computation, in Unix seconds.
             */
            computedAt: number;
            opportunities: components["schemas"]["Opportunity"][];
            /** @description Excluded chains: the newest block is older than 20 block times and older than two minutes. */
            staleChainIds: components["schemas"]["ChainId"][];
        };
        /** @description One asset at two prices. */
        Opportunity: {
            /** @description Side with the low price. */
            buy: components["schemas"]["ArbSide"];
            /**
             * Format: double
             * @description Confidence, 0 to 1: lower for older events and longer durations.
             */
            confidence: number;
            /** @description Trade costs. */
            costs: components["schemas"]["ArbCosts"];
            /**
             * Format: int64
             * @description The trade's duration, in seconds.
             */
            durationSeconds: number;
            /**
             * Format: int64
             * @description Expiry, in Unix seconds: request the opportunity again afterwards.
             */
            expiresAt: number;
            /**
             * Format: double
             * @description Profit before costs other than pool fees, in US dollars.
             */
            grossProfitUsd: number;
            /**
             * Format: double
             * @description Profit after costs, in US dollars.
             */
            netProfitUsd: number;
            /** @description Proofs of both prices. */
            proofs: string[];
            /** @description Side with the high price. */
            sell: components["schemas"]["ArbSide"];
            /**
             * Format: double
             * @description Most profitable size over both curves, in US dollars.
             */
            sizeUsd: number;
            /**
             * Format: double
             * @description Price difference, in percent of the lower price.
             */
            spreadPct: number;
            /** @description Traded asset, matched by a list of contracts, not by symbols. */
            token: string;
        };
        /** @description Amount in the smallest token unit. */
        OrderAmount: {
            /** @description Amount, as a decimal number. */
            amount: string;
            chain_id: components["schemas"]["ChainId"] | null;
            /** @description Token decimals, if well known: not read from the chain, and never guessed. */
            decimals: number | null;
            /** @description Protocol's name for the amount. */
            name: string;
            /** @description Token symbol, if well known. */
            symbol: string | null;
            /** @description Token address, or `native`; null if the event names no token. */
            token: string | null;
        };
        /** @description Expected event. */
        OrderAwaits: {
            /**
             * Format: int64
             * @description Deadline for the event, in Unix seconds.
             */
            before: number | null;
            chain_id: components["schemas"]["ChainId"] | null;
            /** @description Event name. */
            event: string;
            /** @description `provable`, or `not_provable`: the ledger keeps the event outside all tries. */
            proof: string;
            /** @description Reason for `not_provable`. */
            why: string | null;
        };
        /** @description Deadlines, in Unix seconds. */
        OrderDeadlines: {
            /**
             * Format: int64
             * @description Fill deadline, in Unix seconds; the order expires afterwards.
             */
            fill: number | null;
            /**
             * Format: int64
             * @description Deadline for a swap on arrival, in Unix seconds: a later transfer still arrives, in another token.
             */
            swap: number | null;
        };
        /** @description Position and proof of an order event. */
        OrderEvent: {
            /** @description `anchored`: the proof leads to a SuperRoot; `pending`: not yet. */
            anchor_status: string;
            block_number: components["schemas"]["BlockNumber"];
            /**
             * Format: int64
             * @description Unix seconds.
             */
            block_timestamp: number;
            chain_id: components["schemas"]["ChainId"];
            /** @description Event name. */
            event: string;
            /** @description Block finality: `head` (may be undone), `finalized` or `anchored`. */
            finality: string;
            /** @description Position in the receipt. */
            log_index: number;
            /** @description Proof URL; before the event is anchored, with `?level=1` or `2`. */
            proof_url: string;
            tx_hash: components["schemas"]["Hash"] | null;
            /** @description Position in the block. */
            tx_index: number;
        };
        /** @description Content of one order event. */
        OrderLeg: components["schemas"]["OrderEvent"] & {
            /** @description Amounts in the event. */
            amounts: components["schemas"]["OrderAmount"][];
            /**
             * @description `opened`, `noted` (a step without a state change), `filled`, `settled`, `cancelled`, `refunded`, `failed` or
             *     `wrapped` (a wrapper's event next to the opening).
             */
            kind: string;
            /** @description Reason why the event does not count; null if the event counts. */
            mismatch: string | null;
        };
        /** @description Number of legs by kind. */
        OrderLegCount: {
            /** @description Number of legs. */
            count: number;
            /** @description Whether more legs exist. */
            is_at_least: boolean;
            /** @description Leg kind. */
            kind: string;
        };
        /** @description Progress of an order across chains. */
        OrderStatus: {
            /** @description Other orders with the requested name, given by the order makers. */
            also_named: string[];
            /** @description Amounts by name: first the opening, then additions by other events. */
            amounts: components["schemas"]["OrderAmount"][];
            deadlines: components["schemas"]["OrderDeadlines"];
            /** @description `head`: the order is terminal once all events are final. */
            deciding: string | null;
            destination_chain_id: components["schemas"]["ChainId"] | null;
            /** @description Number of identical transfers in the order; otherwise 1. */
            identical_count: number;
            /** @description Whether legs are missing from the list. */
            is_cut: boolean;
            /** @description Number of legs by kind, listed or not. */
            leg_counts: components["schemas"]["OrderLegCount"][];
            /** @description Legs by time: all, or above 512 the oldest and newest of each kind. */
            legs: components["schemas"]["OrderLeg"][];
            next_expected: components["schemas"]["OrderAwaits"] | null;
            order_id: string;
            origin: components["schemas"]["OrderEvent"] | null;
            origin_chain_id: components["schemas"]["ChainId"] | null;
            protocol: string;
            /**
             * @description `opened`, `filled`, `partially_filled`, `settled`, `refunded`, `expired`, `cancelled`, `failed`; `fill_seen` or
             *     `step_seen` without an opening.
             */
            state: string;
            stuck: components["schemas"]["OrderStuck"] | null;
            /** @description Whether final events rule out any further change to the user's money. */
            terminal: boolean;
            /** @description States in order, each with the event as evidence. */
            transitions: components["schemas"]["OrderTransition"][];
            /** @description Wrappers that created the order. */
            wrappers: components["schemas"]["OrderWrapper"][];
        };
        /** @description Reason why no further event of an order is visible. */
        OrderStuck: {
            /** @description Reason in a sentence. */
            detail: string;
            /** @description Stable reason code, such as `destination_not_collected`. */
            reason: string;
        };
        /** @description State change, with the event as evidence. */
        OrderTransition: {
            /** @description `anchored` or `pending`. */
            anchor_status: string | null;
            /**
             * Format: int64
             * @description Time, in Unix seconds.
             */
            at: number;
            chain_id: components["schemas"]["ChainId"] | null;
            /** @description Position in the receipt. */
            log_index: number | null;
            /** @description Proof URL. */
            proof_url: string | null;
            /** @description State: `opened`, `filled`, `partially_filled`, `settled`, `refunded`, `expired` or `cancelled`. */
            state: string;
            tx_hash: components["schemas"]["Hash"] | null;
        };
        /** @description Order created by a wrapper. */
        OrderWrapper: {
            /** @description Wrapper order id. */
            id: string;
            /** @description Wrapper protocol. */
            protocol: string;
        };
        /** @description An account's pass. */
        Pass: {
            /** @description CAIP-2 name of the chain. */
            network: string;
            /** @description The authorization's nonce. */
            nonce: components["schemas"]["Hash"];
            /** @description Payer's address. */
            payer: string;
            /** @description ISO 8601. */
            presented_at: string;
            /** @description Route of the transfer's proof. */
            proof_url: string | null;
            /** @description `pending`, `counted` or `lapsed`: no transfer can come. */
            state: string;
            /** @description Bought tier. */
            tier: string | null;
            /**
             * Format: int64
             * @description Bought billing tokens.
             */
            tokens: number | null;
            transaction_hash: components["schemas"]["Hash"] | null;
            /**
             * Format: double
             * @description Price, in USDC.
             */
            usdc: number;
        };
        /** @description Passes, newest first. */
        PassList: {
            passes: components["schemas"]["Pass"][];
        };
        /**
         * @description A pass's goods: `tokens` or `tier`.
         * @example {
         *       "tokens": 100000
         *     }
         */
        PassRequest: {
            /** @description `builder` or `protocol`: thirty days. */
            tier?: string | null;
            /**
             * Format: int64
             * @description Billing tokens, 1000 to 1000000.
             */
            tokens?: number | null;
        };
        /** @description Billing token prices. */
        PayAsYouGo: {
            /** Format: int64 */
            free_tokens_per_month: number;
            /**
             * Format: double
             * @description Price per million tokens, in USDC.
             */
            million_tokens_usdc: number;
            /**
             * Format: int64
             * @description Free tokens per month from next month on.
             */
            next_free_tokens_per_month: number;
            /**
             * Format: double
             * @description Price per million tokens from next month on, in USDC.
             */
            next_million_tokens_usdc: number;
            /**
             * Format: int64
             * @description Billing tokens per signal stream event.
             */
            signal_event_weight: number;
        };
        /** @description A proof's subject. */
        Place: {
            blockNumber: components["schemas"]["BlockNumber"];
            chainId: components["schemas"]["ChainId"];
            /** @description Ledger family: a chain id alone is ambiguous. */
            family: components["schemas"]["Family"];
            /** @description `live`, `recorded` or `simulated`. */
            network: components["schemas"]["Network"];
            /** @description Log origin. */
            origin: string;
            /** @description `block`, `transaction`, `event` or `absence`. */
            proofKind: string;
            /** @description Highest proof level, 1 to 5. */
            proofLevel: number;
        };
        PlaceSnake: {
            block_number: components["schemas"]["BlockNumber"];
            chain_id: components["schemas"]["ChainId"];
            family: components["schemas"]["Family"];
            network: components["schemas"]["Network"];
            origin: string;
            proof_kind: string;
            proof_level: number;
        };
        /** @description Tiers, prices and models, from configuration (`GET /api/v1/plans`). */
        Plans: {
            /** @description Pay-as-you-go, integrator, enterprise. */
            commercial_models: components["schemas"]["CommercialModels"];
            /** @description `live` or `test`. */
            environment: string;
            /** @description Grids with routes. */
            grids: components["schemas"]["GridPlan"][];
            /** @description Regular expression for keys. */
            key_pattern: string;
            /** @description Terms without a key. */
            keyless: components["schemas"]["KeylessPlan"];
            /** @description Access and billing weight of every route. */
            routes: components["schemas"]["RoutePlan"][];
            /** @description Subscription and payment terms. */
            subscription: components["schemas"]["SubscriptionTerms"];
            /** @description Tiers, lowest first. */
            tiers: components["schemas"]["TierPlan"][];
        };
        /** @description Block as reported by sources. */
        Point: {
            /** @description Block hash. */
            hash: components["schemas"]["Hash"];
            number: components["schemas"]["BlockNumber"];
            timestamp: components["schemas"]["UnixSeconds"];
        };
        PolkadotDigest: {
            logs: components["schemas"]["Hex"][];
        };
        PolkadotDigestSnake: {
            logs: components["schemas"]["Hex"][];
        };
        PolkadotEvent: {
            list?: components["schemas"]["Hex"];
            logIndex: number;
            logIndexInBlock?: components["schemas"]["IndexInBlock"];
            recordCount: number;
        };
        PolkadotHeader: {
            digest: components["schemas"]["PolkadotDigest"];
            extrinsicsRoot: components["schemas"]["Hash"];
            hash: components["schemas"]["Hash"];
            number: string;
            parentHash: components["schemas"]["Hash"];
            stateRoot: components["schemas"]["Hash"];
        };
        PolkadotHeaderSnake: {
            digest: components["schemas"]["PolkadotDigestSnake"];
            extrinsics_root: components["schemas"]["Hash"];
            hash: components["schemas"]["Hash"];
            number: string;
            parent_hash: components["schemas"]["Hash"];
            state_root: components["schemas"]["Hash"];
        };
        PolkadotTransaction: {
            call?: number;
            format: number;
            hash: components["schemas"]["Hash"];
            kind: string;
            pallet?: number;
            transactionIndex: number | null;
        };
        /** @description Base token for prices. */
        PriceBase: {
            /** @description Disagreeing stablecoins, by the chain's coin; of two, the one with more liquidity is the dollar. */
            disputed_by?: string[];
            /** @description `configured`: assumed to be worth one dollar, without proof; `pools`: computed from `pools`. */
            evidence: string;
            pools: components["schemas"]["PricePool"][];
            /** @description Price in US dollars. */
            price_usd: string;
            /** @description Stablecoins behind the price: each is assumed to be worth one dollar. */
            stables: components["schemas"]["PricedToken"][];
            token: components["schemas"]["PricedToken"];
            /** @description Mean over the window; null without a mean. */
            twap_usd: string | null;
        };
        /** @description Price block. */
        PriceBlock: {
            /**
             * Format: int64
             * @description Block age in seconds, as counted by `freshness`; null if the request names a block.
             */
            age_seconds: number | null;
            /** @description First block with complete pool events from there on: older events do not count. */
            events_from: components["schemas"]["BlockNumber"];
            /** @description Block finality: `head` (may be undone), `finalized` or `anchored`. */
            finality: string;
            /** @description Block hash. */
            hash: components["schemas"]["Hash"];
            number: components["schemas"]["BlockNumber"];
            /** @description Proof URL. */
            proof_url: string;
            /**
             * Format: int64
             * @description Unix seconds.
             */
            timestamp: number;
        };
        /** @description Examined pool. */
        PricePool: {
            /** @description Pool contract; for Uniswap v4 the shared contract of all pools. */
            address: string;
            /** @description Base token that prices the requested token. */
            base: string;
            /** @description Reason for a null cost. */
            cost_reason: string | null;
            /** @description US dollars, without the fee, to raise the price by 2 percent in the pool; null: see `cost_reason`. */
            cost_to_move_2_percent_usd: string | null;
            /**
             * Format: int64
             * @description The window's covered seconds.
             */
            covered_seconds: number;
            creation_event: components["schemas"]["EventPlace"] | null;
            /** @description Price weight, in US dollars: 1 percent of the reserves, or of equivalent reserves at mean liquidity. */
            depth_usd: string | null;
            /** @description Whether the exchange may change the fee: the given fee is the usual one. */
            fee_may_change?: boolean;
            /** @description Pool fee, in millionths. */
            fee_millionths: number;
            /** @description Event that set the current price. */
            last_event: components["schemas"]["EventPlace"];
            /**
             * Format: int64
             * @description The last event's block time, in Unix seconds.
             */
            last_event_timestamp: number;
            /** @description Later liquidity changes, included in the figures. */
            later_events: components["schemas"]["EventPlace"][];
            /**
             * @description Reason for zero weight: `drained`, `stale`, `young`, `outlier`, `unsettled`, `beyond`, `fee` (above 2
             *     percent) or `bins`; null if the pool counts.
             */
            left_out: string | null;
            /** @description Liquidity in force; null if the pool reports reserves. */
            liquidity: string | null;
            /** @description Liquidity near the price, in US dollars: all reserves, or the liquidity of the range in force. */
            liquidity_usd: string | null;
            /** @description Mean tick over the window; null without a mean. */
            mean_tick: number | null;
            /** @description Mean liquidity within 1 percent of the price, of all positions; null if only the range in force counts. */
            near_liquidity: string | null;
            /** @description Pool tokens at a known factory: token 0 and token 1. */
            pair: string[];
            pool_id: components["schemas"]["Hash"] | null;
            /** @description Base tokens per token; null without a price. */
            price_base: string | null;
            /** @description Price in US dollars. */
            price_usd: string | null;
            /** @description Exchange. */
            protocol: string;
            /** @description Reserves of token 0 and token 1, in the smallest units; null with a price and liquidity. */
            reserves: string[] | null;
            /** @description Square root of token 1 per token 0, in 1 / 2^96 of the smallest units; null with reserves. */
            sqrt_price_x96: string | null;
            /** @description Tick; null without ticks. */
            tick: number | null;
            /** @description Steps between usable ticks; 1 for a pool without ticks. */
            tick_spacing: number;
            /**
             * Format: double
             * @description The total weight's share, 0 to 1.
             */
            weight: number;
        };
        /** @description Proof of one event behind a price. */
        PriceProof: {
            event: components["schemas"]["EventPlace"];
            /** @description Proof in hex, as in a `.srproof` file. */
            proof_blob: string;
        };
        /** @description This service's pool rules. */
        PriceRules: {
            /**
             * Format: int64
             * @description Minimum number of seconds covered by pool events, at most the window; below, no price is given.
             */
            covered_seconds_min?: number;
            /**
             * Format: int64
             * @description Minimum depth behind a price, in US dollars.
             */
            depth_usd_min: number;
            /**
             * Format: int64
             * @description Maximum distance of a price from the mean over the window, in percent; beyond, no price is given.
             */
            drift_percent_max: number;
            /**
             * Format: int64
             * @description Maximum distance of a pool from the median, in percent; a farther pool is excluded.
             */
            outlier_percent_max: number;
            /**
             * Format: int64
             * @description Seconds without an event after which a pool is stale.
             */
            stale_after_seconds: number;
        };
        /** @description Token on a chain. */
        PricedToken: {
            /** @description Contract address, in lower-case hex. */
            address: string;
            /** @description Digits after the decimal point. */
            decimals: number;
            metadata_block: components["schemas"]["BlockNumber"] | null;
            /** @description Of symbol and decimals: `configured` (a list), `node_quorum`, `one_node` or `simulated`; none is a proof. */
            metadata_evidence: string;
            /** @description Agreeing nodes; null if no node was asked. */
            metadata_nodes: string[] | null;
            /** @description The contract's symbol, sanitised, or the token's address. Symbols do not identify a token. */
            symbol: string | null;
        };
        /** @description Priority fee above the base fee in the newest blocks, by gas percentile. */
        PriorityFee: {
            /** @description Number of blocks behind the figures, at most 20. */
            block_count: number;
            /** @description Nine tenths of the gas paid at most this amount. */
            fast: components["schemas"]["Amount"];
            /** @description One tenth of the gas paid at most this amount. */
            slow: components["schemas"]["Amount"];
            /** @description Half of the gas paid at most this amount. */
            standard: components["schemas"]["Amount"];
            /** @description Number of transactions in the blocks. */
            tx_count: number;
        };
        /** @description Problem. Members are `snake_case` on every route. */
        Problem: {
            /** @description Stable code for programs. */
            code: string;
            /** @description This problem's cause, and what to do. */
            detail: string;
            /** @description Same text as `detail`. */
            error: string;
            /** @description Faulty parameter, on 400. */
            parameter?: string | null;
            /** @description Request id, as in `X-Request-Id`. */
            request_id: string;
            /**
             * Format: int64
             * @description Seconds until a retry, if known.
             */
            retry_after?: number | null;
            /** @description Whether the same request may succeed later. */
            retryable: boolean;
            /** @description HTTP status. */
            status: number;
            /** @description Problem kind in a few words. */
            title: string;
            /** @description URI of the problem kind. */
            type: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Chain with block rules. */
        ProfileRow: {
            /** @description CAIP-2 name. */
            caip2: string;
            chainId: components["schemas"]["ChainId"];
            /** @description Ledger family. */
            family: components["schemas"]["Family"];
            /** @description Rules, in ascending order by number. */
            rules: components["schemas"]["ProfileRule"][];
        };
        ProfileRowSnake: {
            caip2: string;
            chain_id: components["schemas"]["ChainId"];
            family: components["schemas"]["Family"];
            rules: components["schemas"]["ProfileRuleSnake"][];
        };
        /** @description Rule with the first applicable block. */
        ProfileRule: {
            /**
             * Format: int64
             * @description First block number.
             */
            fromNumber: number;
            /** @description Rule code: two bytes. */
            rule: string;
        };
        ProfileRuleSnake: {
            /** Format: int64 */
            from_number: number;
            rule: string;
        };
        /** @description Proofs behind a signal. */
        ProofsBehind: {
            chainId: components["schemas"]["ChainId"];
            /** @description Events in hash order: pool creation, liquidity. */
            events: components["schemas"]["ProvenBehind"][];
            /** @description The signal's proof hash. */
            proofHash: components["schemas"]["Hash"];
        };
        /** @description Meaning of a proof, or why proofs do not exist. */
        Provable: {
            /** @description Whether proofs exist. */
            is_provable: boolean;
            /** @description Nearest provable alternative. */
            nearest: string | null;
            /** @description Meaning of the proofs, or the reason why the ledger has no proofs. */
            what: string;
        };
        /** @description Steps for moving a wallet's payment to an account. */
        ProveWallet: {
            /** @description Path to request the message to sign. */
            challenge: string;
            /** @description Path to submit the signed message, with the key to be upgraded. */
            submit: string;
            wallet_address: string;
        };
        /** @description Event behind a signal. */
        ProvenBehind: {
            blockHash: components["schemas"]["Hash"];
            blockNumber: components["schemas"]["BlockNumber"];
            /** @description Position in the receipt. */
            logIndex: number;
            /** @description Proof in hex, as in a `.srproof` file. */
            proofBlob: string;
            /** @description URL of the proof as JSON. */
            proofUrl: string;
            /** @description `creation` or `liquidity`. */
            role: string;
            /** @description Position in the block. */
            txIndex: number;
        };
        /** @description Provable statements about block entries in a ledger. */
        Proves: {
            /** @description Absence proofs. */
            absence: components["schemas"]["Provable"];
            /** @description Event proofs. */
            event: components["schemas"]["Provable"];
            /** @description Transaction proofs. */
            transaction: components["schemas"]["Provable"];
        };
        /** @description Signatures for a SuperRoot. */
        Publication: {
            evmSignature: components["schemas"]["EvmSignatureRow"] | null;
            /** @description Current log keys (C2SP `vkey`); empty in an immutable answer. Compare with another source before pinning. */
            keys: string[];
            /** @description C2SP signed note by the log key, up to this SuperRoot; `null` without a signer. Cosignatures: `/v5/checkpoint`. */
            note: string | null;
            /** @description RFC 9162 path of the SuperRoot as the last entry in the note's log, lowest first. */
            siblings: components["schemas"]["Hash"][];
        };
        PublicationSnake: {
            evm_signature: components["schemas"]["EvmSignatureRowSnake"] | null;
            keys: string[];
            note: string | null;
            siblings: components["schemas"]["Hash"][];
        };
        /** @description Blob with publication data (`GET /kv/blob/{superroot_hash}`). */
        PublishedBlob: components["schemas"]["SuperRootBlobSnake"] & {
            /**
             * Format: int64
             * @description Number of twigs sealed since the previous SuperRoot: Mini-MMR leaves between the previous and current counts.
             */
            appended_twig_count: number;
            /** @description Appended twigs, by family in appending order; `null` for more than 4,096: see `/v5/mini-mmr/{family}/twigs`. */
            appended_twigs: components["schemas"]["TwigRowSnake"][] | null;
            /** @description Signatures, which are not part of the SuperRoot. */
            publication: components["schemas"]["PublicationSnake"];
        };
        Quantity: string;
        /** @description Readiness: whether a SuperRoot exists to prove against (`GET /health/ready`). */
        Ready: {
            /** @description `on`, `held`, `repeating` or `forked`, as in `/api/v1/status`: proofs are available in every state. */
            publishing: string;
            /** @description Why publishing is not `on`, and how to continue. */
            publishing_why: string | null;
            /** @description `ready`. */
            status: string;
        };
        /** @description 32 bytes: 0x and 64 hex digits */
        ReceiptRoot: string | null;
        /** @description 20 bytes: 0x and 40 hex digits */
        Receiver: string | null;
        /** @description Record after the transaction's record. */
        RecordPart: {
            /** @description The recorded signatures' root. */
            mixin: components["schemas"]["Hash"];
            /** @description Number of hashes since the previous record, including this record's hash. */
            numHashes: number;
        };
        /** @description Chain progress. Only the reference is proven. */
        ReferenceRow: {
            chainId: components["schemas"]["ChainId"];
            /** @description Ledger family. */
            family: components["schemas"]["Family"];
            hash: components["schemas"]["Hash"] | null;
            /**
             * Format: int64
             * @description Age of the last block in seconds.
             */
            lagSeconds: number | null;
            /** @description The chain's display name. */
            name: string;
            number: components["schemas"]["BlockNumber"] | null;
            /**
             * Format: int64
             * @description The open twig's index.
             */
            openTwigIndex: number | null;
            openTwigRoot: components["schemas"]["Hash"] | null;
            start: components["schemas"]["BlockNumber"] | null;
            /** @description The chain's service state, in one word. */
            status: string;
            timestamp: components["schemas"]["UnixSeconds"] | null;
        };
        ReferenceRowSnake: {
            chain_id: components["schemas"]["ChainId"];
            family: components["schemas"]["Family"];
            hash: components["schemas"]["Hash"] | null;
            /** Format: int64 */
            lag_seconds: number | null;
            name: string;
            number: components["schemas"]["BlockNumber"] | null;
            /** Format: int64 */
            open_twig_index: number | null;
            open_twig_root: components["schemas"]["Hash"] | null;
            start: components["schemas"]["BlockNumber"] | null;
            status: string;
            timestamp: components["schemas"]["UnixSeconds"] | null;
        };
        /**
         * @description Registration with a claimed or proven wallet (`POST /api/v1/register`).
         * @example {
         *       "wallet_address": "0x4A7204BCfC4A10a82473d35f54Ac36e8caEac71e"
         *     }
         */
        RegisterRequest: {
            /** @description Challenge text for the wallet; together with `signature`. */
            message?: string;
            /** @description The message's wallet signature: `0x` and hex digits. */
            signature?: string;
            /** @description Tier: `explorer` if omitted; other tiers require a payment. */
            tier?: string;
            /** @description `0x` and 40 hex digits. */
            wallet_address: string;
        };
        /** @description New account (`POST /api/v1/register`). The key is shown only in this answer. */
        Registration: {
            /** @description API key. */
            api_key: string;
            /** @description `live` or `test`. */
            environment: string;
            /** @description Key id (not secret). */
            key_id: string;
            /** @description The key's first characters. */
            key_prefix: string;
            prove_wallet: components["schemas"]["ProveWallet"] | null;
            /** @description Requests per minute. */
            rate_limit: number;
            subscription_status: string;
            /** @description Granted tier. */
            tier: string;
            /** @description Account id (UUID). */
            user_id: string;
            /** @description Wallet address. Without a signature, the registration only claims the wallet. */
            wallet_address: string;
            /** @description Whether a wallet signature proves the claim. */
            wallet_proven: boolean;
        };
        /** @description Chain profile in the registry committed by the SuperRoot. */
        RegistryPlace: {
            /** @description Number of rows in the registry. */
            count: number;
            /** @description Profile preimage: chain definition, and withdrawals by the log. */
            profile: components["schemas"]["Hex"];
            /** @description Registry row. */
            row: number;
            /** @description 6 siblings, from the row's slot to the registry tree root. */
            siblings: components["schemas"]["Hash"][];
            /** @description 6 siblings, from slot 55 upward. */
            superRootSiblings: components["schemas"]["Hash"][];
        };
        RegistryPlaceSnake: {
            count: number;
            profile: components["schemas"]["Hex"];
            row: number;
            siblings: components["schemas"]["Hash"][];
            super_root_siblings: components["schemas"]["Hash"][];
        };
        /** @description Repair: bodies of stored blocks are requested again. */
        Repair: {
            /** @description Start time, in Unix seconds. */
            began_at: components["schemas"]["UnixSeconds"];
            /**
             * Format: int64
             * @description Block numbers examined since the start.
             */
            done_blocks: number;
            /**
             * Format: int64
             * @description Blocks repaired so far.
             */
            repaired_blocks: number;
            /**
             * Format: int64
             * @description Total block numbers to examine.
             */
            total_blocks: number;
        };
        /** @description Final block contradicted by nodes that agree on another block. Nothing is deleted. */
        Retraction: {
            chainId: components["schemas"]["ChainId"];
            /** @description The stored block's hash. */
            heldHash: components["schemas"]["Hash"];
            /** @description Time of detection, in Unix seconds. */
            noticedAt: components["schemas"]["UnixSeconds"];
            number: components["schemas"]["BlockNumber"];
            /** @description Hash agreed by the nodes. */
            otherHash: components["schemas"]["Hash"];
            otherHeader: components["schemas"]["Hex"] | null;
            /** @description Nodes' finality rule, in words. */
            rule: string | null;
            /** @description Number of nodes asked. */
            sourceCount: number | null;
            /** @description Names of the nodes that agree on the other block. */
            sources: string[];
        };
        RetractionSnake: {
            chain_id: components["schemas"]["ChainId"];
            held_hash: components["schemas"]["Hash"];
            noticed_at: components["schemas"]["UnixSeconds"];
            number: components["schemas"]["BlockNumber"];
            other_hash: components["schemas"]["Hash"];
            other_header: components["schemas"]["Hex"] | null;
            rule: string | null;
            source_count: number | null;
            sources: string[];
        };
        /**
         * @description Key rotation.
         * @example {
         *       "grace_seconds": 3600
         *     }
         */
        RotateRequest: {
            /**
             * Format: int64
             * @description Seconds for which the old key remains valid, plus up to one second; a day if omitted.
             */
            grace_seconds?: number;
        };
        /** @description Access and billing weight of one route. */
        RoutePlan: {
            /** @description `anyone`, `any_key`, or the lowest permitted tier. */
            access: string;
            /** @description Billing tokens per successful answer. */
            billing_weight: number;
            grid: string | null;
            /** @description Route path. */
            path: string;
        };
        /** @description Rule with the first applicable block number. */
        RuleFrom: {
            /** @description Rule code: two bytes in hex, as in the protocol's rule table. */
            code: string;
            /**
             * Format: int64
             * @description First block number.
             */
            from: number;
        };
        /** @description Last check of the chain rules against the chain's own sources. */
        RulesChecked: {
            /** @description The check's date, `YYYY-MM-DD`. */
            date: string;
            /** @description Newest checked fork. */
            fork: string;
            source: string;
        };
        /** @description A scan's page. */
        ScanAnswer: {
            /** @description `absent`: no block on the page has a matching event; `events`: the list is complete. */
            answer: string;
            /**
             * Format: int64
             * @description Number of blocks excluded by the header bloom.
             */
            blocksByBloom: number;
            /**
             * Format: int64
             * @description Number of blocks with all receipts in the scan.
             */
            blocksByReceipts: number;
            /** @description Why the page's blooms are not binding, if applicable: all receipts are then in the scan. */
            bloomsNotBinding: string | null;
            chainId: components["schemas"]["ChainId"];
            /** @description All matching events on the page, in order. */
            events: components["schemas"]["ShownEvent"][];
            /** @description Event filter. */
            filter: components["schemas"]["ScanFilterBody"];
            /** @description First block. */
            fromBlock: components["schemas"]["BlockNumber"];
            nextFromBlock: components["schemas"]["BlockNumber"] | null;
            /** @description Members that no hash shows. */
            notProven: string[];
            /** @description Log origin. */
            origin: string;
            /** @description Logs listed by nodes but in no receipt: the scan shows nothing about them. */
            outsideReceipts: string | null;
            /** @description Bytes of an `.srscan` file. */
            scanBlob: components["schemas"]["Hex"];
            /** @description `srscan/1`. */
            scanFormat: string;
            /**
             * Format: int64
             * @description SuperRoot sequence.
             */
            sequence: number;
            superRootHash: components["schemas"]["Hash"];
            /** @description Last block of this page. */
            toBlock: components["schemas"]["BlockNumber"];
        };
        /** @description Event filter. */
        ScanFilterBody: {
            /** @description Addresses: an event must have one from the list; empty for any emitter. */
            address: components["schemas"]["Hex"][];
            /** @description Topics at any position: an event must have all. */
            topic: components["schemas"]["Hash"][];
            /** @description Topics by position: an event must have one from the list; empty for any topic. */
            topics: components["schemas"]["Hash"][][];
        };
        /** @description Searched blocks, both ends included. */
        Searched: {
            /** @description First block number. */
            from: components["schemas"]["BlockNumber"];
            /** @description Last block number. */
            to: components["schemas"]["BlockNumber"];
        };
        SearchedSnake: {
            from: components["schemas"]["BlockNumber"];
            to: components["schemas"]["BlockNumber"];
        };
        /** @description Matching event. */
        ShownEvent: {
            /** @description Emitting contract. */
            address: components["schemas"]["Hex"];
            blockHash: components["schemas"]["Hash"];
            blockNumber: components["schemas"]["BlockNumber"];
            /**
             * Format: int64
             * @description Block time by the producer, in Unix seconds.
             */
            blockTimestamp: number;
            /** @description Event data. */
            data: components["schemas"]["Hex"];
            /** @description Position in the receipt. */
            logIndex: number;
            topics: components["schemas"]["Hash"][];
            /** @description Position in the block. */
            transactionIndex: number;
        };
        /** @description Signing set, followed by the service. */
        SigningSet: {
            /** @description Begin of the service's trust: `configured` or `built_in`. */
            from: string;
            id: components["schemas"]["Hash"];
            /**
             * Format: int64
             * @description Number, as counted by the chain.
             */
            number: number;
            /**
             * Format: int64
             * @description First trusted set's number.
             */
            start: number;
        };
        SigningSetSnake: {
            from: string;
            id: components["schemas"]["Hash"];
            /** Format: int64 */
            number: number;
            /** Format: int64 */
            start: number;
        };
        SolanaHeader: {
            blockhash: string;
            hash: components["schemas"]["Hash"];
        };
        SolanaHeaderSnake: {
            blockhash: string;
            hash: components["schemas"]["Hash"];
        };
        SolanaInstruction: {
            accounts: number[];
            data: string;
            programIdIndex: number;
        };
        SolanaLookup: {
            accountKey: string;
            readonlyIndexes: number[];
            writableIndexes: number[];
        };
        SolanaMessage: {
            accountKeys: string[];
            addressTableLookups: components["schemas"]["SolanaLookup"][];
            header: components["schemas"]["SolanaMessageHeader"];
            instructions: components["schemas"]["SolanaInstruction"][];
            recentBlockhash: string;
        };
        SolanaMessageHeader: {
            numReadonlySignedAccounts: number;
            numReadonlyUnsignedAccounts: number;
            numRequiredSignatures: number;
        };
        SolanaTransaction: {
            hash: components["schemas"]["Hash"];
            message: components["schemas"]["SolanaMessage"];
            signatures: string[];
            version: string;
        };
        /** @description Number of chains in each state. */
        StateCounts: {
            /**
             * Format: int64
             * @description Followed chains with a backfill of older blocks.
             */
            backfilling: number;
            /**
             * Format: int64
             * @description Chains with final blocks at nodes but not yet stored.
             */
            catching_up: number;
            /**
             * Format: int64
             * @description Followed chains.
             */
            following: number;
            /**
             * Format: int64
             * @description Chains with nodes that contradict final blocks.
             */
            halted: number;
            /**
             * Format: int64
             * @description Chains without a configured source.
             */
            not_followed: number;
            /**
             * Format: int64
             * @description Recorded chains without further blocks.
             */
            recorded: number;
            /**
             * Format: int64
             * @description Chains without a new block for too long.
             */
            stalled: number;
            /**
             * Format: int64
             * @description Chains without a block so far.
             */
            starting: number;
            /**
             * Format: int64
             * @description Chains withdrawn from the log.
             */
            withdrawn: number;
        };
        /** @description Service overview (`GET /api/v1/status`). */
        Status: {
            /** @description Configured anchor contracts, by chain. */
            anchors: components["schemas"]["ContractStatus"][];
            /** @description Number of chains in the registry. */
            chain_count: number;
            /** @description Chains in registry order. */
            chains: components["schemas"]["ChainStatus"][];
            log_id: components["schemas"]["Hash"] | null;
            /** @description `live`, `recorded` or `simulated`. */
            network: components["schemas"]["Network"];
            /** @description The network's meaning; `null` on a live network. */
            network_note: string | null;
            /** @description Log origin. */
            origin: string;
            /**
             * @description `on`; `held`: this folder may be an older copy of the log; `repeating`: published SuperRoots are published again;
             *     `forked`: the key signed two histories.
             */
            publishing: string;
            /** @description Why publishing is not `on`, and how to continue. */
            publishing_why: string | null;
            /** @description Registry contract that gets the usage checkpoints. */
            registries: components["schemas"]["ContractStatus"][];
            /** @description Final blocks contradicted by nodes. */
            retractions: components["schemas"]["RetractionSnake"][];
            /** @description Number of chains by state. */
            states: components["schemas"]["StateCounts"];
            /** @description `ready`, `starting`, or `empty`: no recorded block counts. */
            status: string;
            store: components["schemas"]["StoreStatus"];
            super_root: components["schemas"]["NewestSuperRoot"] | null;
            /** @description Current time, in Unix seconds. */
            time: components["schemas"]["UnixSeconds"];
            /**
             * Format: int64
             * @description Seconds since the service began to answer.
             */
            uptime_seconds: number;
            /** @description Program version. */
            version: string;
            /** @description Configured witnesses, by name. */
            witnesses: components["schemas"]["WitnessStatus"][];
        };
        /** @description Store status. */
        StoreStatus: {
            /**
             * Format: int64
             * @description Bytes on disk, if known.
             */
            bytes: number | null;
            /**
             * Format: int64
             * @description Number of commits since creation.
             */
            commit_count: number;
            /**
             * Format: int64
             * @description Free bytes on the disk, if known.
             */
            free_bytes: number | null;
            /** @description Reason for read-only mode: the disk is almost full; otherwise null. */
            read_only: string | null;
        };
        /** @description Token for opening one stream (`POST /api/v1/stream-token`). */
        StreamToken: {
            /**
             * Format: int64
             * @description Seconds until the token expires unused.
             */
            expires_in_seconds: number;
            /** @description Value for the parameter `?token=` of one stream. */
            token: string;
        };
        /** @description Account of an integrator's customer. */
        SubAccount: {
            closed_at: components["schemas"]["UnixSeconds"] | null;
            /** @description Opening time, in Unix seconds. */
            created_at: components["schemas"]["UnixSeconds"];
            /** @description Label chosen by the integrator. */
            label: string | null;
            /** @description Account id. */
            user_id: string;
        };
        /** @description Sub-accounts of an integrator. */
        SubAccountList: {
            /** @description The next page's cursor; `null` at the end. */
            next_cursor: string | null;
            /** @description Sub-accounts, by id. */
            sub_accounts: components["schemas"]["SubAccount"][];
        };
        /**
         * @description Sub-account label and first key settings. Without a body, neither is set.
         * @example {
         *       "label": "customer 7"
         *     }
         */
        SubAccountRequest: {
            /** @description Permitted chain ids or names, as for any key; `null` permits every chain. */
            chains?: components["schemas"]["ChainName"][] | null;
            expires_at?: components["schemas"]["UnixSeconds"] | null;
            /** @description 1 to 64 printable characters, for account and key. */
            label?: string | null;
            /** @description Permitted grids and paths, as for any key; `null` permits every route. */
            routes?: string[] | null;
        };
        /** @description An account's subscription. */
        Subscription: {
            /**
             * Format: double
             * @description Total paid for subscriptions less refunds, in USDC.
             */
            amount_paid_usdc: number;
            /** @description The subscription's end, ISO 8601; `null` if there never was a subscription. */
            expires_at: string | null;
            /** @description Payments of proven wallets, newest first. */
            payments?: components["schemas"]["SubscriptionPayment"][];
            prove_wallet: components["schemas"]["ProveWallet"] | null;
            /** @description `none`, `pending`, `active`, `grace`, `expired` or `revoked`. */
            status: string;
        };
        /** @description Payment at a registry contract. */
        SubscriptionPayment: {
            /** @description Block time, ISO 8601. */
            paid_at: string;
            /** @description Route of the payment's proof. */
            proof_url: string;
            /** @description `pending`: not final yet, its tier is provisional; `counted`. */
            state: string;
            tier: string;
            transaction_hash: components["schemas"]["Hash"];
            /**
             * Format: double
             * @description Price, in USDC.
             */
            usdc: number;
        };
        /** @description Subscription terms. */
        SubscriptionTerms: {
            /**
             * Format: int64
             * @description Seconds for which a tier continues after the end.
             */
            grace_seconds: number;
            /** @description Accepted payment. */
            payment: string[];
            /**
             * Format: int64
             * @description Chain id for payment.
             */
            payment_chain_id: number;
            /**
             * Format: int64
             * @description Days per payment of the price.
             */
            period_days: number;
        };
        SuiEffects: {
            digest: string;
            eventsDigest: string | null;
            hash: components["schemas"]["Hash"];
            status: string;
        };
        SuiEvent: {
            contents: components["schemas"]["Hex"];
            logIndex: number;
            logIndexInBlock?: components["schemas"]["IndexInBlock"];
            module: string;
            packageId: components["schemas"]["Hash"];
            sender: components["schemas"]["Hash"];
            transactionHash: components["schemas"]["Hash"];
            type: string;
        };
        SuiHeader: {
            contentDigest: components["schemas"]["Hash"];
            endsEpoch: boolean;
            /** Format: int64 */
            epoch: number;
            explorerHash: string;
            hash: components["schemas"]["Hash"];
            /** Format: int64 */
            networkTotalTransactions: number;
            /** Format: int64 */
            number: number;
            parentHash: components["schemas"]["Hash"];
            /** Format: int64 */
            timestampMs: number;
        };
        SuiHeaderSnake: {
            content_digest: components["schemas"]["Hash"];
            ends_epoch: boolean;
            /** Format: int64 */
            epoch: number;
            explorer_hash: string;
            hash: components["schemas"]["Hash"];
            /** Format: int64 */
            network_total_transactions: number;
            /** Format: int64 */
            number: number;
            parent_hash: components["schemas"]["Hash"];
            /** Format: int64 */
            timestamp_ms: number;
        };
        SuiTransaction: {
            digest: string;
            hash: components["schemas"]["Hash"];
            transactionIndex: number | null;
        };
        /** @description Everything behind a SuperRoot except block leaves. */
        SuperRootBlob: {
            /** @description Row and reference of each chain with blocks. */
            blockReferences: components["schemas"]["BlobReference"][];
            /** @description Earlier SuperRoots. */
            history: components["schemas"]["HistoryRow"];
            /** @description Slot 54. */
            historyRoot: components["schemas"]["Hash"];
            /** @description Mini-MMRs, one for each of the 9 families. */
            miniMmrs: components["schemas"]["MiniMmrRow"][];
            /** @description 82 bytes that hash to the SuperRoot hash. */
            preimage: components["schemas"]["Hex"];
            /** @description Chain profiles, in row order. */
            registry: components["schemas"]["ProfileRow"][];
            /** @description Slot 55. */
            registryRoot: components["schemas"]["Hash"];
            /** @description All 64 slots. */
            slots: components["schemas"]["Hash"][];
            /** @description Preimage content. */
            superRoot: components["schemas"]["SuperRootRow"];
            superRootHash: components["schemas"]["Hash"];
        };
        SuperRootBlobSnake: {
            block_references: components["schemas"]["BlobReferenceSnake"][];
            history: components["schemas"]["HistoryRowSnake"];
            history_root: components["schemas"]["Hash"];
            mini_mmrs: components["schemas"]["MiniMmrRowSnake"][];
            preimage: components["schemas"]["Hex"];
            registry: components["schemas"]["ProfileRowSnake"][];
            registry_root: components["schemas"]["Hash"];
            slots: components["schemas"]["Hash"][];
            super_root: components["schemas"]["SuperRootRowSnake"];
            super_root_hash: components["schemas"]["Hash"];
        };
        /** @description SuperRoot (`GET /v5/superroot`, `GET /kv/super-root/latest`). */
        SuperRootPage: components["schemas"]["SuperRootRow"] & {
            /** @description References, one per chain; members are null for a chain without a block. */
            blockReferences: components["schemas"]["ReferenceRow"][];
            /** @description Earlier SuperRoots. */
            history: components["schemas"]["HistoryRow"];
            /** @description Slot 54. */
            historyRoot: components["schemas"]["Hash"];
            /** @description Mini-MMRs, one for each of the 9 families. */
            miniMmrs: components["schemas"]["MiniMmrRow"][];
            /** @description `live`, `recorded` or `simulated`. */
            network: components["schemas"]["Network"];
            /** @description Log origin. */
            origin: string;
            /** @description Signatures. */
            publication: components["schemas"]["Publication"];
            /** @description Slot 55. */
            registryRoot: components["schemas"]["Hash"];
        };
        SuperRootPageSnake: components["schemas"]["SuperRootRowSnake"] & {
            block_references: components["schemas"]["ReferenceRowSnake"][];
            history: components["schemas"]["HistoryRowSnake"];
            history_root: components["schemas"]["Hash"];
            mini_mmrs: components["schemas"]["MiniMmrRowSnake"][];
            network: components["schemas"]["Network"];
            origin: string;
            publication: components["schemas"]["PublicationSnake"];
            registry_root: components["schemas"]["Hash"];
        };
        /** @description Content of a SuperRoot preimage. */
        SuperRootPart: {
            /** @description Log id, derived from the origin. */
            logId: components["schemas"]["Hash"];
            /**
             * Format: int64
             * @description Sequence: counts from 0 without gaps.
             */
            sequence: number;
            /** @description Time of creation as claimed by the service, in Unix seconds. */
            timestamp: components["schemas"]["UnixSeconds"];
            /** @description Root of the 64 slots. */
            treeRoot: components["schemas"]["Hash"];
            /** @description Version: always 5. */
            version: number;
        };
        SuperRootPartSnake: {
            log_id: components["schemas"]["Hash"];
            /** Format: int64 */
            sequence: number;
            timestamp: components["schemas"]["UnixSeconds"];
            tree_root: components["schemas"]["Hash"];
            version: number;
        };
        /** @description SuperRoot at the end of a proof. */
        SuperRootPlace: components["schemas"]["SuperRootPart"] & {
            /**
             * Format: int64
             * @description Slot of the Mini-MMR or the reference.
             */
            index: number;
            /** @description 82 bytes that hash to the SuperRoot hash. */
            preimage: components["schemas"]["Hex"];
            /** @description 6 siblings, from the slot upward. */
            siblings: components["schemas"]["Hash"][];
        };
        SuperRootPlaceSnake: components["schemas"]["SuperRootPartSnake"] & {
            /** Format: int64 */
            index: number;
            preimage: components["schemas"]["Hex"];
            siblings: components["schemas"]["Hash"][];
        };
        /** @description SuperRoot with hash. */
        SuperRootRow: components["schemas"]["SuperRootPart"] & {
            superRootHash: components["schemas"]["Hash"];
        };
        SuperRootRowSnake: components["schemas"]["SuperRootPartSnake"] & {
            super_root_hash: components["schemas"]["Hash"];
        };
        /** @description Tier benefits and price. */
        TierPlan: {
            /** @description Grids open in full. */
            grids: string[];
            /** @description Whether the tier is by agreement. */
            is_custom: boolean;
            /** @description Maximum number of active keys. */
            keys_max: number;
            /**
             * Format: double
             * @description Price per period, in USDC; `null` by agreement.
             */
            price_usdc: number | null;
            /** @description Rate limit, in requests per minute; `null` by agreement. */
            rate_limit_rpm: number | null;
            /** @description Maximum number of open streams. */
            streams_max: number;
            /** @description Tier name. */
            tier: string;
            /** @description `rest`, `sse`, `grpc`. */
            transports: string[];
            /**
             * Format: int64
             * @description Maximum number of blocks that a watch may reach back from the newest final block.
             */
            watch_blocks_max: number;
            /** @description Maximum number of watched addresses and topics. */
            watches_max: number;
            /** @description Maximum number of webhooks. */
            webhooks_max: number;
        };
        /** @description `token_launch`, `updated`: a new token's pool gained or lost liquidity. */
        TokenLaunch: {
            /** @description The liquidity event's block. */
            block: components["schemas"]["BlockNumber"];
            /** @description Block hash: if the block is undone, so is the launch. */
            blockHash: components["schemas"]["Hash"];
            /**
             * Format: int64
             * @description Unix seconds.
             */
            blockTimestamp: number;
            chainId: components["schemas"]["ChainId"];
            checks: components["schemas"]["LaunchChecks"];
            /** @description Block of the pool's creation. */
            creationBlock: components["schemas"]["BlockNumber"];
            /** @description Digits after the decimal point; null if unknown. */
            decimals: number | null;
            /** @description Pool fee, in millionths. */
            feeMillionths: number;
            /**
             * Format: double
             * @description Pool liquidity near the price, in US dollars: twice the reserve of the paired token.
             */
            liquidityUSD: number;
            /** @description Liquidity event position in the receipt. */
            logIndex: number;
            /** @description Evidence for symbol and decimals: `node_quorum`, `one_node`, `simulated`, or `none` if unknown (so far). */
            metadataEvidence: string;
            /** @description Paired token. */
            pairedWith: string;
            /** @description Pool address; for Uniswap v4 the contract of all pools. */
            pool: string;
            poolId: components["schemas"]["Hash"] | null;
            /** @description Keccak-256 of the statements of both events behind the launch; `/v5/proof/hash/{proofHash}` proves both. */
            proofHash: components["schemas"]["Hash"];
            /** @description URL of both proofs, once both events are anchored. */
            proofUrl: string;
            /** @description Exchange. */
            protocol: string;
            reachedBlockHash: components["schemas"]["Hash"] | null;
            /** @description `launched`, or `pulled`: the pool is nearly empty. */
            state: string;
            /** @description The contract's symbol, sanitised, or the token's address. Symbols do not identify a token. */
            symbol: string;
            /** @description Token address. */
            token: string;
            txHash: components["schemas"]["Hash"] | null;
            /** @description Position in the block. */
            txIndex: number;
        };
        /** @description Token price. */
        TokenPrice: {
            /** @description The pools' base tokens. */
            bases: components["schemas"]["PriceBase"][];
            /** @description Block behind all figures: the price at a given block never changes. */
            block: components["schemas"]["PriceBlock"];
            chain_id: components["schemas"]["ChainId"];
            /** @description Confidence in the price. */
            confidence: components["schemas"]["Confidence"];
            /** @description US dollars over all counted pools, without fees, to raise the price by 2 percent; null if any pool's is. */
            cost_to_move_2_percent_usd: string | null;
            /** @description Examined pools, highest weight first. */
            pools: components["schemas"]["PricePool"][];
            /** @description Price in the chain's own coin; null if the coin has no price. */
            price_native: string | null;
            /** @description US dollars per token, up to 18 significant digits: the median over pools, weighted by depth. */
            price_usd: string;
            /** @description With `?proof=1` the proofs of all events behind the price, from which `superroot verify` computes it. */
            proof: components["schemas"]["PriceProof"][] | null;
            /** @description Pool rules. */
            rules: components["schemas"]["PriceRules"];
            token: components["schemas"]["PricedToken"];
            twap: components["schemas"]["Twap"] | null;
        };
        TransactionObject: components["schemas"]["EvmTransaction"] | components["schemas"]["AptosTransaction"] | components["schemas"]["BitcoinTransaction"] | components["schemas"]["IcpTransaction"] | components["schemas"]["PolkadotTransaction"] | components["schemas"]["SolanaTransaction"] | components["schemas"]["TronTransaction"] | components["schemas"]["CosmosTransaction"] | components["schemas"]["SuiTransaction"];
        /** @description Proof of a transaction and receipt up to a SuperRoot. */
        TransactionProof: components["schemas"]["Place"] & components["schemas"]["Entry"] & components["schemas"]["Unproven"];
        TronAddress: {
            base58: string;
            hex: components["schemas"]["Hex"];
        };
        TronAddressSnake: {
            base58: string;
            hex: components["schemas"]["Hex"];
        };
        TronBranch: {
            leafHash: components["schemas"]["Hash"];
            rawTransaction: components["schemas"]["Hex"];
            siblings: components["schemas"]["Hash"][];
        };
        TronContract: {
            amount: string | null;
            /** Format: int64 */
            contractType: number;
            data: components["schemas"]["Hex"] | null;
            name: string | null;
            owner: components["schemas"]["TronAddress"] | null;
            to: components["schemas"]["TronAddress"] | null;
            token: components["schemas"]["Hex"] | null;
        };
        TronHeader: {
            explorerHash: string;
            hash: components["schemas"]["Hash"];
            /** Format: int64 */
            number: number;
            parentHash: components["schemas"]["Hash"];
            /** Format: int64 */
            timestampMs: number;
            txTrieRoot: components["schemas"]["Hash"];
            /** Format: int64 */
            version: number;
            witness: components["schemas"]["TronAddress"] | null;
        };
        TronHeaderSnake: {
            explorer_hash: string;
            hash: components["schemas"]["Hash"];
            /** Format: int64 */
            number: number;
            parent_hash: components["schemas"]["Hash"];
            /** Format: int64 */
            timestamp_ms: number;
            tx_trie_root: components["schemas"]["Hash"];
            /** Format: int64 */
            version: number;
            witness: components["schemas"]["TronAddressSnake"] | null;
        };
        TronTransaction: {
            contract: components["schemas"]["TronContract"] | null;
            contractRet: string | null;
            hash: components["schemas"]["Hash"];
            transactionIndex: number | null;
            txid: string;
        };
        /** @description Geometric mean over a window: for each pool the mean tick, rounded down, as in Uniswap's own observations. */
        Twap: {
            /**
             * Format: int64
             * @description Covered seconds for the pool with the most weight, starting with the first event seen.
             */
            covered_seconds: number;
            /** @description Mean in US dollars, as a decimal number. */
            price_usd: string;
            /**
             * Format: int64
             * @description Requested window, in seconds.
             */
            window_seconds: number;
        };
        /** @description Twig: 2,048 consecutive block numbers of one chain. */
        Twig: {
            /**
             * Format: int64
             * @description Twig index: number / 2048.
             */
            index: number;
            /** @description Twig root. */
            root: components["schemas"]["Hash"];
            /** @description 11 siblings, from the block leaf upward. */
            siblings: components["schemas"]["Hash"][];
            /**
             * Format: int64
             * @description Slot: number % 2048.
             */
            slot: number;
        };
        /** @description Consecutive Mini-MMR leaves (`GET /v5/mini-mmr/{family}/twigs`). */
        TwigPage: {
            /** @description Ledger family. */
            family: components["schemas"]["Family"];
            /**
             * Format: int64
             * @description The first twig's leaf index; the following twigs are consecutive.
             */
            from: number;
            twigs: components["schemas"]["TwigRow"][];
        };
        /** @description Sealed twig. */
        TwigRow: {
            chainId: components["schemas"]["ChainId"];
            /** @description Ledger family. */
            family: components["schemas"]["Family"];
            /**
             * Format: int64
             * @description First block number / 2048.
             */
            twigIndex: number;
            twigRoot: components["schemas"]["Hash"];
        };
        TwigRowSnake: {
            chain_id: components["schemas"]["ChainId"];
            family: components["schemas"]["Family"];
            /** Format: int64 */
            twig_index: number;
            twig_root: components["schemas"]["Hash"];
        };
        TwigSnake: {
            /** Format: int64 */
            index: number;
            root: components["schemas"]["Hash"];
            siblings: components["schemas"]["Hash"][];
            /** Format: int64 */
            slot: number;
        };
        /** @description Unix seconds */
        UnixSeconds: number;
        /** @description Blocks stored as headers only, because a part cannot be recomputed. */
        Unprovable: {
            /**
             * Format: int64
             * @description First block number.
             */
            from: number;
            /**
             * Format: int64
             * @description Last block number; `null` without an end.
             */
            to: number | null;
            /** @description `body`, `receipts`, `receipts if settled`, or `body` with an entry of a type. */
            what: string;
            /** @description Reason in words. */
            why: string;
        };
        /** @description Unproven members next to a proof: no hash shows them. */
        Unproven: {
            /** @description `anchored`, or `pending` above the SuperRoot. */
            anchorStatus: string;
            /** @description Why the block counts as final. */
            finality?: components["schemas"]["Finality"];
            /** @description Finality to check, with `?evidence=1`. */
            finalityProof?: string;
            /** @description Members that no hash shows. */
            notProven: string[];
            /** @description Retraction of the block, or of an ancestor, by nodes. */
            retraction?: components["schemas"]["Retraction"];
        };
        UnprovenSnake: {
            anchor_status: string;
            finality?: components["schemas"]["FinalitySnake"];
            finality_proof?: string;
            not_proven: string[];
            retraction?: components["schemas"]["RetractionSnake"];
        };
        /** @description Account usage (`GET /api/v1/usage`). */
        Usage: {
            /** @description Billing tokens. */
            billing: components["schemas"]["Billing"];
            /** @description Requests per minute. */
            rate_limit_rpm: number;
            /**
             * Format: int64
             * @description Requests since the first day of the month, UTC.
             */
            requests_this_month: number;
            /**
             * Format: int64
             * @description Requests since midnight UTC.
             */
            requests_today: number;
            subscription: components["schemas"]["Subscription"];
            tier: string;
            /** @description Routes with the most requests this month. */
            top_endpoints: components["schemas"]["EndpointCount"][];
            /** @description Account id. */
            user_id: string;
        };
        /** @description Root over all accounts' usage on a day. */
        UsageCheckpoint: {
            /**
             * Format: int64
             * @description Accounts with usage.
             */
            accounts: number;
            /**
             * Format: int64
             * @description Registry contract's chain.
             */
            chain_id: number;
            /** @description Registry contract. */
            contract: string;
            /** @description Day in UTC, such as `2026-02-28`. */
            day: string;
            end: components["schemas"]["UnixSeconds"];
            /** @description `live` or `test`. */
            environment: string;
            /** @description Proof route for the contract's event, once proven. */
            proof_url: string | null;
            /** @description Range root over the accounts. */
            range_root: components["schemas"]["Hash"];
            /** @description Root at the contract. */
            root: components["schemas"]["Hash"];
            /**
             * Format: int64
             * @description Sequence at the registry contract.
             */
            sequence: number;
            /** @description Begin, in Unix seconds. */
            start: components["schemas"]["UnixSeconds"];
            /** @description `planned`: fixed, and not yet proven at the contract; `proven`. */
            state: string;
            transaction_hash: components["schemas"]["Hash"] | null;
        };
        /** @description Usage checkpoints (`GET /api/v1/usage/checkpoints`), newest first. */
        UsageCheckpointList: {
            checkpoints: components["schemas"]["UsageCheckpoint"][];
            /** @description `before` of the next page; `null` at the end. */
            next_before: string | null;
        };
        /** @description Usage by hour (`GET /api/v1/usage/history`). */
        UsageHistory: {
            /** @description First second of the requested range, in Unix seconds. */
            from: components["schemas"]["UnixSeconds"];
            /** @description Hours, earliest first. */
            hours: components["schemas"]["HourlyUsage"][];
            /** @description The next page's cursor; `null` at the end. */
            next_cursor: string | null;
            /** @description First second after the range, in Unix seconds. */
            until: components["schemas"]["UnixSeconds"];
        };
        /** @description Proof for an account's usage on a day (`GET /api/v1/usage/checkpoints/{checkpoint}`). */
        UsageProof: {
            leaf: components["schemas"]["AccountLeaf"] | null;
            /** @description Proof for the contract's event (`.srproof` as hex); `null` before `proven`. */
            proof_blob: string | null;
            /** @description Hourly rows behind the leaf; `null` with `rows_missing`. */
            rows: components["schemas"]["UsageProofRow"][] | null;
            /** @description `too_many` (above 16,384), or `changed`: removed since, or counted late. */
            rows_missing: string | null;
            usage_checkpoint: components["schemas"]["UsageCheckpoint"];
            /** @description Account id (UUID). */
            user_id: string;
        };
        /** @description Requests in an hour with equal key, route, chain and status. */
        UsageProofRow: {
            /**
             * Format: int64
             * @description Billing tokens for the requests.
             */
            billing_tokens: number;
            /**
             * Format: int64
             * @description Requested chain id.
             */
            chain_id: number | null;
            /** @description Route path: the service's word. */
            endpoint: string;
            /** @description Requested chain's ledger family. */
            family: string | null;
            /** @description Begin, in Unix seconds. */
            hour: components["schemas"]["UnixSeconds"];
            key_id: string | null;
            /** Format: int64 */
            requests: number;
            /** @description Route number, part of the row's hash. */
            route: number;
            /** @description Status class, such as `2xx`. */
            status: string;
        };
        /** @description Block utilisation, from 0 to 1. */
        Utilisation: {
            /** @description Number of blocks, at most 20. */
            block_count: number;
            /**
             * Format: double
             * @description All blocks together.
             */
            mean: number;
            /**
             * Format: double
             * @description Newest block: gas used divided by gas limit.
             */
            newest: number;
        };
        /** @description SuperRoot behind an answer. */
        V5Anchor: {
            /** @description Chain id; only in answers about one chain. */
            chainId?: components["schemas"]["ChainId"];
            finalizedBlock?: components["schemas"]["BlockNumber"] | null;
            indexedBlock?: components["schemas"]["BlockNumber"] | null;
            /**
             * Format: int64
             * @description SuperRoot sequence.
             */
            sequence: number;
            superRootHash: components["schemas"]["Hash"];
            timestamp: components["schemas"]["UnixSeconds"];
            /** @description Version: always 5. */
            version: number;
        };
        V5AnchorSnake: {
            chain_id?: components["schemas"]["ChainId"];
            finalized_block?: components["schemas"]["BlockNumber"] | null;
            indexed_block?: components["schemas"]["BlockNumber"] | null;
            /** Format: int64 */
            sequence: number;
            super_root_hash: components["schemas"]["Hash"];
            timestamp: components["schemas"]["UnixSeconds"];
            version: number;
        };
        /** @description Key check (`GET /api/v1/verify`): validity and rights. */
        Verification: {
            /** @description Billing tokens. */
            billing: components["schemas"]["Billing"];
            /** @description The subscription's end, ISO 8601; `null` if there never was a subscription. */
            expires_at: string | null;
            /** @description The request's key. */
            key: components["schemas"]["KeyShown"];
            prove_wallet: components["schemas"]["ProveWallet"] | null;
            /** @description Requests per minute. */
            rate_limit_rpm: number;
            subscription_status: string;
            tier: string;
            /** @description Account id. */
            user_id: string;
            /** @description Always `true`: an invalid key is answered with 401. */
            valid: boolean;
        };
        /** @description The check's result. */
        VerifyAnswer: {
            /** @description Whether this log published the SuperRoot. */
            anchored: components["schemas"]["KnownSuperRoot"];
            /** @description Checks, lowest level first. */
            checks: components["schemas"]["Check"][];
            /** @description Highest level with all checks passed, from the lowest level up. */
            level_reached: number | null;
            retraction: components["schemas"]["RetractionSnake"] | null;
            /** @description Whether every check but `note` passes, and the proof leads to a SuperRoot of this log or the expected one. */
            valid: boolean;
        };
        /**
         * @description Proof to check: `proof`, `proof_blob`, or the unchanged members of a proof answer (`POST /kv/verify`).
         * @example {
         *       "expected": {
         *         "block": 2113,
         *         "chain_id": 637
         *       },
         *       "proof_blob": "0x535250524f4f46011073696d756c617465642f64656d6f2d3705000000000000027d000000000000084100b5aed9556c000000208a952281c075d483593be4ff238983eb32faa9c596cc66ad5e8cefcb4f778db68a952281c075d483593be4ff238983eb32faa9c596cc66ad5e8cefcb4f778db607be659573dd500c8d605d7034a2b6996b087c1dce5e9b6b6832552632af8ba2c0d8b968f4c5b5303deae7c9e036cef75f6644697b9baa41af5d7c4c0d968aa401459b6a5c4c2450e2ae248b1a4a51c1c54f944f0b40a2408a6b18accc1d34f72bc6000000000000080000000000000008418a952281c075d483593be4ff238983eb32faa9c596cc66ad5e8cefcb4f778db6000c34c72bd909a991747ddc4c4337e87cadb951fd487826df0f665f5c40b268bf3760e6b54a2bd23d0a80cb47351b7f8b50eb55e4df9ce56aca83961cae9183f3c0529ce7e5c1e3ee0afd14e51512a10dba87cd80e4b49ba1917a8611475a91b2ce1646ce3824867c78063be3849ac3732174ab07042509022952ac81ec6666751c07055c56a6dfc397cfb463ac9af4b6552f790bd8ef252d852c71efdba596632e1cfe000000000000000c000000006b0e8bb19457f743482c54f8275f10d2bb5f63bc764edd16a761ea33b4c4ada91d27b1be001d0805000000000000027d076170746f733a310100000000000000000501171b002094e1a535aa43231df94906bba6cc6214b598c18eba9c070785254883cbdeae049b15dfa86788b30020bed87a4eed54c37354cb3cad4391276cf8d8f60b4852d947c762e6b541c14ae033c6bc41cd822ee2fcb897c25c81694360682127c10b352779919306df884fceb223163809cc7c2f67b2e11d1141788e8ee4137f329a4ebb44f4952bb6082a4e875b32e19fc50abbd8986741477ae2db1dce8cb6f6803d000ee4db6b5c0a1dcec98a48ebb792c72ca41215743941889562369334965c4340f033d4448b9cb2274be07dec8ab37e98be30fb6d89bfe3e28b71472e4baa880ebb1646ce3824867c78063be3849ac3732174ab07042509022952ac81ec6666751c"
         *     }
         */
        VerifyRequest: {
            /** @description The proof's expected subject. */
            expected?: components["schemas"]["Expected"];
            /** @description Answer of any proof route, in either spelling. */
            proof?: {
                [key: string]: unknown;
            };
            /** @description Bytes of a .srproof file. */
            proof_blob?: components["schemas"]["Hex"];
        } & {
            [key: string]: unknown;
        };
        /** @description Proven wallet (`POST /api/v1/wallet`), with the resulting account rights. */
        WalletProof: {
            /**
             * Format: int64
             * @description Chain id in the message.
             */
            chain_id: number;
            /** @description The subscription's end, ISO 8601. */
            expires_at: string | null;
            /** @description `own_key` or `contract`. */
            proven_by: string;
            /** @description Requests per minute. */
            rate_limit_rpm: number;
            subscription_status: string;
            /** @description Current account tier. */
            tier: string;
            /** @description Account id (UUID). */
            user_id: string;
            wallet_address: string;
            /** @description `true`. */
            wallet_proven: boolean;
        };
        /**
         * @description Signed message (`POST /api/v1/wallet`).
         * @example {
         *       "message": "localhost wants you to sign in with your Ethereum account:\n0x4A7204BCfC4A10a82473d35f54Ac36e8caEac71e\n\nProve that this wallet is yours. This sends no transaction.\n\nURI: http://localhost/api/v1/register\nVersion: 1\nChain ID: 8453\nNonce: 7aac755cb0cb54dcae8ce875573b9246\nIssued At: 2026-12-01T08:56:17.000Z\nExpiration Time: 2026-12-01T09:06:17.000Z",
         *       "signature": "0xf77b3e8673da8cf45861dea036922b531356132b36ea00fb5abdb1ec8ccf387460a679a720289a3b36015a609c2d1ae9e1ef5989f7919220d42af13ae13a4ea51b"
         *     }
         */
        WalletRequest: {
            /** @description Exact challenge text. */
            message: string;
            /** @description `0x` and hex digits: r, s, v (65 bytes, the lower s), or a signature for the wallet's contract. */
            signature: string;
        };
        /** @description Watch. */
        Watch: {
            address: components["schemas"]["Address"] | null;
            chain_id: components["schemas"]["ChainId"];
            created_at: components["schemas"]["UnixSeconds"];
            from_block: components["schemas"]["BlockNumber"] | null;
            /** @description Watch id (UUID), equal for the same target on the same chain. */
            id: string;
            label: string | null;
            /** @description URL for requesting the events. */
            logs_url: string;
            progress: components["schemas"]["WatchProgress"] | null;
            /**
             * @description `pending`: new blocks are not collected yet; `backfilling`: stored blocks are fetched too; `active`; `suspended`:
             *     over the tier's limit.
             */
            state: string;
            topic: components["schemas"]["Hash"] | null;
        };
        /** @description Indexed entries. */
        WatchCounts: {
            /**
             * Format: int64
             * @description Number of watched addresses; `null` if every entry is indexed.
             */
            address_count: number | null;
            /** @description Whether every entry is indexed. */
            all: boolean;
            /**
             * Format: int64
             * @description Number of watched topics; `null` if every entry is indexed.
             */
            topic_count: number | null;
        };
        /** @description A chain's watch list. */
        WatchList: {
            /** @description First 256 addresses; `null` if every entry is indexed. */
            addresses: components["schemas"]["Address"][] | null;
            /** @description List hash, as in `watch_hash` of a range. */
            hash: components["schemas"]["Hash"];
            /** @description First 256 topics; `null` if every entry is indexed. */
            topics: components["schemas"]["Hash"][] | null;
        };
        /** @description Page of an account's watches. */
        WatchPage: {
            /** @description Number of watches in the account. */
            count: number;
            /** @description `cursor` of the next page; null after the last page. */
            next_cursor: string | null;
            /** @description Watches, oldest first. */
            watches: components["schemas"]["Watch"][];
            /** @description Maximum number of watches in the tier. */
            watches_max: number;
        };
        /** @description Watch progress, as used by event answers. */
        WatchProgress: {
            /** @description First examined block: `from_block`, or the first block with complete events. */
            from_block: components["schemas"]["BlockNumber"];
            /** @description Block ranges with incomplete events, first hundred only. */
            gaps: components["schemas"]["LogGapSnake"][];
            /**
             * Format: int64
             * @description Number of examined blocks with complete events for the target.
             */
            held_blocks: number;
            /** @description Newest stored block. */
            to_block: components["schemas"]["BlockNumber"];
            /**
             * Format: int64
             * @description Total number of examined blocks.
             */
            total_blocks: number;
        };
        /**
         * @description Settings of a new or changed watch: in a change, omitted members stay unchanged.
         * @example {
         *       "address": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
         *       "chain": "base",
         *       "label": "USDC on Base"
         *     }
         */
        WatchSettings: {
            /** @description Contract to watch with all events; a new watch needs this or `topic`. */
            address?: string | null;
            /** @description Chain id or name; for a new watch. */
            chain?: components["schemas"]["ChainName"];
            /**
             * Format: int64
             * @description First block to watch; `null` or omitted for future blocks only.
             */
            from_block?: number | null;
            /** @description 1 to 64 printable characters; `null` for no label. */
            label?: string | null;
            /** @description Topic at any event position, or a signature such as `Transfer(address,address,uint256)`. */
            topic?: string | null;
        };
        /** @description Webhook. */
        Webhook: {
            created_at: components["schemas"]["UnixSeconds"];
            /** @description Cursor of the last delivered or abandoned event; saved once per second. */
            cursor: string | null;
            /** @description Abandoned events, oldest first. */
            dead_letters: components["schemas"]["DeadLetters"][];
            /**
             * Format: int64
             * @description Number of delivered events.
             */
            delivered: number;
            delivered_at: components["schemas"]["UnixSeconds"] | null;
            /** @description Number of failed attempts since the last delivery. */
            failed_attempts: number;
            failing_since: components["schemas"]["UnixSeconds"] | null;
            /** @description Webhook id (UUID). */
            id: string;
            label: string | null;
            /** @description Result of the last failed attempt. */
            last_failure: string | null;
            next_attempt_at: components["schemas"]["UnixSeconds"] | null;
            replaying: components["schemas"]["DeadLetters"] | null;
            /** @description `enabled`; `paused` by the owner; `gone`: the URL answered 410; `suspended`. */
            state: string;
            /** @description Subscription as requested. */
            subscription: components["schemas"]["WebhookSubscription"];
            /** @description `tier_required` or `payment_due`, then a colon and the required action. */
            suspension: string | null;
            /** @description Target URL. */
            url: string;
        };
        /** @description An account's webhooks. */
        WebhookList: {
            /** @description Webhooks, oldest first. */
            webhooks: components["schemas"]["Webhook"][];
        };
        /** @description Webhook and signing secret. The secret is shown only once. */
        WebhookSecret: {
            /** @description Signing secret for messages: `whsec_` and base64. */
            secret: string;
            webhook: components["schemas"]["Webhook"];
        };
        /**
         * @description Settings of a new or changed webhook: in a change, omitted members stay unchanged.
         * @example {
         *       "address": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
         *       "chain": [
         *         "base"
         *       ],
         *       "finality": "finalized",
         *       "topic0": "Transfer(address,address,uint256)",
         *       "topics": [
         *         "logs"
         *       ],
         *       "url": "http://127.0.0.1:37739/hook"
         *     }
         */
        WebhookSettings: components["schemas"]["WebhookSubscription"] & {
            /** @description Whether events are delivered; for a change. */
            enabled?: boolean | null;
            /** @description 1 to 64 printable characters; `null` for no label. */
            label?: string | null;
            /** @description Start cursor; for a new webhook. */
            since?: string | null;
            /** @description `https` URL with a public internet host; required for a new webhook. */
            url?: string | null;
        };
        /** @description Webhook subscription, with the parameters of `/v5/stream`. */
        WebhookSubscription: {
            /** @description Addresses: an event must have one from the list. */
            address?: components["schemas"]["OneOrMany"];
            /** @description Chain ids or names; all if omitted. */
            chain?: components["schemas"]["ChainName"][];
            /** @description `head`, `finalized` or `anchored`. */
            finality?: string;
            /** @description Single order, for topic `orders`. */
            order?: string;
            /** @description Whether to accept chains with incompletely watched events. */
            partial?: boolean;
            /** @description First topics: an event must have one from the list. */
            topic0?: components["schemas"]["OneOrMany"];
            /** @description Second topics. */
            topic1?: components["schemas"]["OneOrMany"];
            /** @description Third topics. */
            topic2?: components["schemas"]["OneOrMany"];
            /** @description Fourth topics. */
            topic3?: components["schemas"]["OneOrMany"];
            /** @description Topics of `/v5/stream`. */
            topics?: string[];
            /** @description Single transaction, for topic `anchored` with one chain. */
            tx?: string;
        };
        /** @description A test message's result. */
        WebhookTest: {
            /**
             * Format: int64
             * @description Duration, in milliseconds.
             */
            duration_ms: number;
            /** @description Reason for a failed delivery. */
            failure: string | null;
            /** @description Whether the URL accepted the message. */
            is_delivered: boolean;
            /** @description HTTP status of the response. */
            status: number | null;
        };
        /** @description Member added to every JSON answer. */
        WithAnchor: {
            v5Anchor: components["schemas"]["V5Anchor"] | null;
        };
        WithAnchorSnake: {
            v5_anchor: components["schemas"]["V5AnchorSnake"] | null;
        };
        /** @description Chain without a result. */
        WithoutBloom: {
            chain_id: components["schemas"]["ChainId"];
            /** @description Reason. */
            why: string;
        };
        /** @description Log witness with cosigning progress. */
        WitnessStatus: {
            /**
             * Format: int64
             * @description Age of the cosignature in seconds.
             */
            age_seconds: number | null;
            /**
             * Format: int64
             * @description Log size at the witness, if larger than the log's own size: this service is then behind the log.
             */
            ahead: number | null;
            cosigned_at: components["schemas"]["UnixSeconds"] | null;
            /** @description Why the last answer was not a cosignature; `null` if the witness cosigned. */
            last_error: string | null;
            /** @description Key name. */
            name: string;
            /**
             * Format: int64
             * @description Size of the newest cosigned note: SuperRoots 0 to size - 1.
             */
            size: number | null;
        };
    };
    responses: {
        /** @description invalid_parameter, two_keys, invalid_signature, contract_wallet_unsupported */
        E400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description payment_required */
        E402: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description out_of_scope, payment_due */
        E403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description tier_required, grid_not_agreed, out_of_scope, payment_due */
        E403_arbitrage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description out_of_scope, beyond_key, integrator_required */
        E403_createSubAccount: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description tier_required, grid_not_agreed, out_of_scope */
        E403_logs: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description tier_required, out_of_scope */
        E403_streamToken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description out_of_scope, integrator_required */
        E403_subAccounts: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description out_of_scope, beyond_key */
        E403_wallet: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_chain, not_found, not_indexed, not_provable, unknown_superroot */
        E404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_chain, not_provable */
        E404_bloomQuery: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_key, unknown_account, unknown_chain */
        E404_changeKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_webhook, unknown_chain, not_indexed, not_provable */
        E404_changeWebhook: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_account, unknown_chain */
        E404_createKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_chain, not_indexed, not_provable */
        E404_createWatch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_path */
        E404_docsFile: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_chain */
        E404_finality: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description not_found */
        E404_find: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_invoice */
        E404_invoice: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_chain, not_indexed */
        E404_launches: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_chain, not_found, not_provable */
        E404_lightClient: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_chain, not_found, not_indexed, not_provable */
        E404_logs: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_chain, not_found, not_indexed, no_price */
        E404_price: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description not_found, unknown_superroot */
        E404_proofByHash: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_challenge */
        E404_register: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_key, unknown_account */
        E404_revokeKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_account */
        E404_subAccountUsage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_superroot */
        E404_tile: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_checkpoint */
        E404_usageCheckpoint: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_watch */
        E404_watch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unknown_webhook */
        E404_webhook: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description not_yet_anchored, not_final */
        E409: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description key_not_active */
        E409_changeKey: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description limit_reached */
        E409_createWatch: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description not_yet_anchored, not_final, cursor_undone */
        E409_logs: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description authorization_presented */
        E409_pass: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description nothing_to_replay */
        E409_replayWebhook: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description key_not_active, limit_reached */
        E409_rotateKey: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description withdrawn */
        E410: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description challenge_expired */
        E410_register: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description too_many_streams, rate_limited */
        E429: {
            headers: {
                RateLimit?: string;
                "RateLimit-Policy"?: string;
                "Retry-After"?: number;
                "X-Billing-Weight"?: number;
                "X-RateLimit-Limit"?: number;
                "X-RateLimit-Remaining"?: number;
                "X-RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description registrations_limited, rate_limited */
        E429_register: {
            headers: {
                RateLimit?: string;
                "RateLimit-Policy"?: string;
                "Retry-After"?: number;
                "X-Billing-Weight"?: number;
                "X-RateLimit-Limit"?: number;
                "X-RateLimit-Remaining"?: number;
                "X-RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description passes_unavailable */
        E501: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description accounts_unavailable, chain_unavailable, starting, nothing_recorded, timeout */
        E503: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description starting, stopping, nothing_recorded, timeout */
        E503_health: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description accounts_unavailable, chain_unavailable, timeout */
        E503_proofByHash: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description contract_wallet_unavailable, accounts_unavailable, timeout */
        E503_register: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description accounts_unavailable, starting, timeout */
        E503_stream: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description accounts_unavailable, starting, nothing_recorded, timeout */
        E503_tile: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 400 invalid_parameter, 500 internal, 503 timeout, 400 two_keys, 401 api_key_required, 401 invalid_api_key, 403 out_of_scope, 406 not_acceptable, 413 body_too_large, 414 uri_too_long, 415 unsupported_media_type, 429 rate_limited, 431 headers_too_large, 503 accounts_unavailable */
        Other: {
            headers: {
                RateLimit?: string;
                "RateLimit-Policy"?: string;
                "Retry-After"?: number;
                "WWW-Authenticate"?: string;
                "X-Billing-Weight"?: number;
                "X-RateLimit-Limit"?: number;
                "X-RateLimit-Remaining"?: number;
                "X-RateLimit-Reset"?: number;
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 400 invalid_parameter, 500 internal, 503 timeout */
        Other_health: {
            headers: {
                "Retry-After"?: number;
                "WWW-Authenticate"?: string;
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description Id of a sub-account
         * @example 746dd7d6-5ae1-4167-9c33-714aee226ef3
         */
        account_id: string;
        /**
         * @description Addresses of which the event has one, with commas between, at most 100: 0x and hex digits; of Bitcoin the script of an output
         * @example 0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64
         */
        address: string;
        /**
         * @description Addresses of which the event has one, with commas between, at most 100
         * @example 0x00000000000000000000000000000000000000aa
         */
        address_scan: string;
        /**
         * @description A file of the page at /, under the version that the page names or alone
         * @example bitcoin.js
         */
        asset: string;
        /**
         * @description Only days before this one, such as 2026-02-28
         * @example 2026-02-28
         */
        before: string;
        /**
         * @description Only months before this one, such as 2026-02
         * @example 2026-12
         */
        before_invoices: string;
        /**
         * @description Block number, or latest for the newest anchored block
         * @example latest
         */
        block: string;
        /**
         * @description Block number, or latest for the newest anchored block
         * @example latest
         */
        block_number: string;
        /**
         * @description The block to price at: a number, or latest, the newest anchored one; the newest held if left out, with proof=1 latest
         * @example latest
         */
        block_price: string;
        /**
         * @description Block, where the bytes stand in several
         * @example 1
         */
        block_proveTransaction: number;
        /**
         * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
         * @example ethereum
         */
        chain: string;
        /**
         * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
         * @example ethereum
         */
        chain_id: string;
        /**
         * @description The chain the message is to name, one of those configured; the first of them if left out
         * @example 8453
         */
        chain_id_challenge: string;
        /**
         * @description Chain id, name or CAIP-2 name; every chain if left out
         * @example ethereum
         */
        chain_id_gas: string;
        /**
         * @description Chain id, name or CAIP-2 name
         * @example ethereum
         */
        chain_logs: string;
        /**
         * @description Chains, with commas between; all if left out
         * @example base
         */
        chain_stream: string;
        /**
         * @description Sequence at the registry contract, or a day such as 2026-02-28
         * @example 2026-02-27
         */
        checkpoint: string;
        /**
         * @description 1: with what shows that the events are all of the range: of at most 64 anchored blocks whose receipts are held
         * @example 0
         */
        complete: string;
        /**
         * @description 1: the newest note that the quorum of the log's witnesses signed too
         * @example 0
         */
        cosigned: string;
        /**
         * @description Twigs wanted, 1 to 4096; 4096 if left out
         * @example 2
         */
        count: number;
        /**
         * @description nextCursor of the page before, with the rest as it was
         * @example 1998-0x7f6e5bc70aeb8c414c78127e41197a792d76b764f2e52fb5a6892a5ccc409dd2-15
         */
        cursor: string;
        /**
         * @description next_cursor of the page before; the first page if left out
         * @example 1
         */
        cursor_coverage: number;
        /**
         * @description next_cursor of the page before
         * @example 746dd7d6-5ae1-4167-9c33-714aee226ef3
         */
        cursor_subAccounts: string;
        /**
         * @description next_cursor of the page before
         * @example 00079ce8387e8d03320947c099d116f948b15af70018ff000000000000000002
         */
        cursor_usageHistory: string;
        /**
         * @description next_cursor of the page before
         * @example 791fbac0-a355-8a91-8b41-a1679a8435df
         */
        cursor_watches: string;
        /**
         * @description Call of eventProof, 164 bytes
         * @example 0xec6c887d00000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
         */
        data: string;
        /**
         * @description 1: with evidence of finality that you check yourself
         * @example 1
         */
        evidence: string;
        /**
         * @description Ledger family, such as evm or bitcoin
         * @example evm
         */
        family: string;
        /**
         * @description try, or a file of that page
         * @example try
         */
        file: string;
        /**
         * @description Least finality of the block; consensus comes with its evidence
         * @example consensus
         */
        finality: string;
        /**
         * @description Of a stream: when a launch is told, as its block is taken (head, if left out), finalized or anchored
         * @example head
         */
        finality_launches: string;
        /**
         * @description Lowest finality of an event: head, finalized (if left out) or anchored
         * @example anchored
         */
        finality_logs: string;
        /**
         * @description When an event of logs, orders and launches is delivered: with its block (head; it may be undone), finalized (if left out) or anchored; with topic finality and none of these: blocks of that finality alone
         * @example head
         */
        finality_stream: string;
        /**
         * @description for contracts: calldata, or entry alone
         * @example calldata
         */
        form: string;
        /**
         * @description json: the newest launches as a list, in place of a stream
         * @example json
         */
        format: string;
        /**
         * @description Leaf index of the first twig
         * @example 0
         */
        from: number;
        /**
         * @description First block; the first of the newest blocks that are indexed without a gap if left out
         * @example 1839
         */
        fromBlock: number;
        /**
         * @description First block
         * @example 0
         */
        fromBlock_scan: number;
        /**
         * @description Sequence of the earlier SuperRoot
         * @example 0
         */
        from_consistency: number;
        /**
         * @description Lowest block of a transaction; 0 if left out. For what `more` says
         * @example 0
         */
        from_find: number;
        /**
         * @description Number of the set that you have
         * @example 130
         */
        from_lightClientSteps: number;
        /**
         * @description Unix seconds; a day before until if left out
         * @example 1796111777
         */
        from_usageHistory: number;
        /**
         * @description 0x and 64 hex digits; for Bitcoin also as explorers show it
         * @example 0x3fab51c23e0595925b04d713a43e4d82573241364dd2544eeb0e3c32dbb1f143
         */
        hash: string;
        /**
         * @description Id of a key, a watch or a webhook
         * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
         */
        id: string;
        /**
         * @description Index of a tile in groups of three digits, and .p/ with the width of one that is not full
         * @example 000.p/1
         */
        index: string;
        /**
         * @description A month such as 2026-02 or a number such as SR-LIVE-000042; .csv or .html behind it for those forms
         * @example 2026-12
         */
        invoice: string;
        /**
         * @description Highest level, 1 to 5; 1 and 2 need no SuperRoot
         * @example 2
         */
        level: string;
        /**
         * @description Level of a tile, 0 to 63
         * @example 0
         */
        level_tile: number;
        /**
         * @description Events of a page, 1 to 1000; 100 if left out
         * @example 1
         */
        limit: number;
        /**
         * @description Ranges of a page, 1 to 1000; 100 if left out
         * @example 1
         */
        limit_coverage: number;
        /**
         * @description Of a list: how many, 1 to 500; 50 if left out
         * @example 500
         */
        limit_launches: number;
        /**
         * @description Rows of a page, 1 to 1000; 100 if left out
         * @example 10
         */
        limit_usageHistory: number;
        /**
         * @description Watches of a page, 1 to 100; 50 if left out
         * @example 50
         */
        limit_watches: number;
        /**
         * @description Position of the log in the receipt
         * @example 0
         */
        log_index: number;
        /**
         * @description Least liquidity in whole US dollars
         * @example 5000
         */
        min_liquidity_usd: number;
        /**
         * @description Least profit after costs, in whole US dollars; 1 if left out
         * @example 5
         */
        min_net_usd: number;
        /**
         * @description A month in UTC such as 2026-02; the running one if left out
         * @example 2026-12
         */
        month: string;
        /**
         * @description 1: with the log's newest signed note, and the SuperRoot's path in it
         * @example 1
         */
        note: string;
        /**
         * @description 1: these proofs carry the newest signed note
         * @example 1
         */
        note_price: string;
        /**
         * @description asc (if left out): oldest first; desc: newest first
         * @example asc
         */
        order: string;
        /**
         * @description Id of an order, protocol:chain:id, number of a deposit, or transaction of its origin or fill
         * @example 0xa3f7096df51e6950857e8617d84c6d880eb968881222504fec78f9c7ca9ae990
         */
        order_id: string;
        /**
         * @description Of topic orders: this order alone, by its id
         * @example across:1:89805754
         */
        order_stream: string;
        /**
         * @description 1: blocks whose events may be missing are listed in gaps; 0 (if left out): the request is refused instead
         * @example 1
         */
        partial: string;
        /**
         * @description 1: launches on chains whose pools are not all watched may be missing
         * @example 1
         */
        partial_launches: string;
        /**
         * @description 1: events of chains on which they are not watched may be missing; 0 (if left out): such a chain that is named is refused
         * @example 1
         */
        partial_stream: string;
        /**
         * @description 1: with the proof of every event that the price rests on
         * @example 1
         */
        proof: string;
        /**
         * @description Hash of a proof, as a signal names it
         * @example 0x938e8bb45b10e411c4fa7c2a48b6a3f2a1859b2373eee5930156b3a8d404dea7
         */
        proof_hash: string;
        /**
         * @description SuperRoot hash: 0x and 64 hex digits
         * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
         */
        root: string;
        /**
         * @description Contract that asks: 0x and 40 hex digits
         * @example 0x00000000000000000000000000000000000000aa
         */
        sender: string;
        /**
         * @description Sequence of a SuperRoot
         * @example 1
         */
        sequence: number;
        /**
         * @description Sequence of a SuperRoot
         * @example 0
         */
        sequence_superRootBySequence: number;
        /**
         * @description With evidence: the set that you trust, for the steps from there
         * @example 128
         */
        set: number;
        /**
         * @description Number of a set: a period or an epoch
         * @example 130
         */
        set_lightClientSet: number;
        /**
         * @description Goes on after that cursor; the header Last-Event-ID does the same and comes first
         * @example 6570e688c44ec086-1913-0-1
         */
        since: string;
        /**
         * @description Of a stream: goes on after that cursor; the header Last-Event-ID does the same and comes first
         * @example 6570e688c44ec086-1913-0-1
         */
        since_launches: string;
        /**
         * @description history (if left out) or full
         * @example history
         */
        strength: string;
        /**
         * @description SuperRoot hash: 0x and 64 hex digits
         * @example 0x2a0913e8134b0f447416e8904b2e90c01362b8b6899a02010ca87af352f74b7e
         */
        superroot_hash: string;
        /**
         * @description Sequence of the later SuperRoot; the newest if left out
         * @example 1
         */
        to: number;
        /**
         * @description Last block; the newest one of that finality if left out, or if that is lower
         * @example 1839
         */
        toBlock: number;
        /**
         * @description Last block; the last anchored one of a page if left out. A page ends after 2,048 blocks or 4 MiB at the latest
         * @example 3
         */
        toBlock_scan: number;
        /**
         * @description A token of /api/v1/stream-token, where no header with a key can be set
         * @example srt_3693d9b7ccc7d9d436e4125e4ef2ff53b2de1c2f818e4db4
         */
        token: string;
        /**
         * @description Address or symbol of a token
         * @example WETH
         */
        token_price: string;
        /**
         * @description Topics of which the event has every one, at any position, with commas between, at most 4
         * @example 0x44b559f101f8fbcc8a0ea43fa91a05a729a5ea6e14a7c75aa750374690137208
         */
        topic: string;
        /**
         * @description Topics, one of them at this position, with commas between: 0x and 64 hex digits, or a signature such as Transfer(address,address,uint256); of Sui a type
         * @example FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,bytes32,bytes32,bytes32,bytes32,(bytes32,bytes32,uint256,uint8))
         */
        topic0: string;
        /**
         * @description As topic0, at this position
         * @example 0x0000000000000000000000000000000000000000000000000000000000000001
         */
        topic1: string;
        /**
         * @description As topic0, at this position
         * @example 0x00000000000000000000000000000000000000000000000000000000055a53ba
         */
        topic2: string;
        /**
         * @description As topic0, at this position
         * @example 0x0000000000000000000000008edb8cd9fc0a5cb26d77b6168a1c5ff60d5cc71b
         */
        topic3: string;
        /**
         * @description What is delivered, with commas between: superroot, anchored, finality, retraction, logs, orders, launches
         * @example superroot,finality
         */
        topics: string;
        /**
         * @description 0x and 64 hex digits; for Bitcoin also as explorers show it
         * @example 0x3fab51c23e0595925b04d713a43e4d82573241364dd2544eeb0e3c32dbb1f143
         */
        tx: string;
        /**
         * @description 0x and 64 hex digits; for Bitcoin also as explorers show it
         * @example 0x3fab51c23e0595925b04d713a43e4d82573241364dd2544eeb0e3c32dbb1f143
         */
        tx_hash: string;
        /**
         * @description Its position, where its bytes stand in one block twice
         * @example 0
         */
        tx_index: number;
        /**
         * @description Position of the transaction in the block
         * @example 5000
         */
        tx_index_proveEvent: number;
        /**
         * @description Of topic anchored, with one chain: this transaction alone, at once where it is anchored
         * @example 0xa3f7096df51e6950857e8617d84c6d880eb968881222504fec78f9c7ca9ae990
         */
        tx_stream: string;
        /**
         * @description Unix seconds; now if left out
         * @example 1796115437
         */
        until: number;
        /**
         * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
         * @example 5
         */
        wait: number;
        /**
         * @description Seconds, 0 to 15, to wait until it is seen, or until it changes where it is not terminal
         * @example 5
         */
        wait_order: number;
        /**
         * @description The wallet: 0x and 40 hex digits
         * @example 0x4A7204BCfC4A10a82473d35f54Ac36e8caEac71e
         */
        wallet_address: string;
        /**
         * @description Seconds of the mean, 60 to 3600; 1800 if left out
         * @example 600
         */
        window: number;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    index: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            default: components["responses"]["Other"];
        };
    };
    finalityProofApi: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
                /**
                 * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
                 * @example 5
                 */
                wait?: components["parameters"]["wait"];
                /**
                 * @description 1: with evidence of finality that you check yourself
                 * @example 1
                 */
                evidence?: components["parameters"]["evidence"];
                /**
                 * @description With evidence: the set that you trust, for the steps from there
                 * @example 128
                 */
                set?: components["parameters"]["set"];
                /**
                 * @description Least finality of the block; consensus comes with its evidence
                 * @example consensus
                 */
                finality?: components["parameters"]["finality"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain_id: components["parameters"]["chain_id"];
                /**
                 * @description Block number, or latest for the newest anchored block
                 * @example latest
                 */
                block: components["parameters"]["block"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockProofSnake"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    proveBlockLambda: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
                /**
                 * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
                 * @example 5
                 */
                wait?: components["parameters"]["wait"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain_id: components["parameters"]["chain_id"];
                /**
                 * @description Block number, or latest for the newest anchored block
                 * @example latest
                 */
                block: components["parameters"]["block"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LambdaBundle"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403"];
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    availability: {
        parameters: {
            query?: {
                /**
                 * @description A month in UTC such as 2026-02; the running one if left out
                 * @example 2026-12
                 */
                month?: components["parameters"]["month"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Availability"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    chains: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainList"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    coverage: {
        parameters: {
            query?: {
                /**
                 * @description next_cursor of the page before; the first page if left out
                 * @example 1
                 */
                cursor?: components["parameters"]["cursor_coverage"];
                /**
                 * @description Ranges of a page, 1 to 1000; 100 if left out
                 * @example 1
                 */
                limit?: components["parameters"]["limit_coverage"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain: components["parameters"]["chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Coverage"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404_finality"];
            default: components["responses"]["Other"];
        };
    };
    invoices: {
        parameters: {
            query?: {
                /**
                 * @description Only months before this one, such as 2026-02
                 * @example 2026-12
                 */
                before?: components["parameters"]["before_invoices"];
                /**
                 * @description Rows of a page, 1 to 1000; 100 if left out
                 * @example 10
                 */
                limit?: components["parameters"]["limit_usageHistory"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceList"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    invoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A month such as 2026-02 or a number such as SR-LIVE-000042; .csv or .html behind it for those forms
                 * @example 2026-12
                 */
                invoice: components["parameters"]["invoice"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404_invoice"];
            default: components["responses"]["Other"];
        };
    };
    keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRequest"];
            };
        };
        responses: {
            /** @description OK */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_wallet"];
            404: components["responses"]["E404_createKey"];
            409: components["responses"]["E409_createWatch"];
            default: components["responses"]["Other"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_wallet"];
            404: components["responses"]["E404_revokeKey"];
            default: components["responses"]["Other"];
        };
    };
    changeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_wallet"];
            404: components["responses"]["E404_changeKey"];
            409: components["responses"]["E409_changeKey"];
            default: components["responses"]["Other"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateRequest"];
            };
        };
        responses: {
            /** @description OK */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_wallet"];
            404: components["responses"]["E404_revokeKey"];
            409: components["responses"]["E409_rotateKey"];
            default: components["responses"]["Other"];
        };
    };
    pass: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PassRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BoughtPass"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            402: components["responses"]["E402"];
            409: components["responses"]["E409_pass"];
            429: components["responses"]["E429_register"];
            501: components["responses"]["E501"];
            default: components["responses"]["Other"];
        };
    };
    passes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PassList"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    plans: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plans"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterRequest"];
            };
        };
        responses: {
            /** @description OK */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Registration"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            400: components["responses"]["E400"];
            404: components["responses"]["E404_register"];
            410: components["responses"]["E410_register"];
            429: components["responses"]["E429_register"];
            503: components["responses"]["E503_register"];
            default: components["responses"]["Other"];
        };
    };
    challenge: {
        parameters: {
            query: {
                /**
                 * @description The wallet: 0x and 40 hex digits
                 * @example 0x4A7204BCfC4A10a82473d35f54Ac36e8caEac71e
                 */
                wallet_address: components["parameters"]["wallet_address"];
                /**
                 * @description The chain the message is to name, one of those configured; the first of them if left out
                 * @example 8453
                 */
                chain_id?: components["parameters"]["chain_id_challenge"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Challenge"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404_finality"];
            default: components["responses"]["Other"];
        };
    };
    status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    streamToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamToken"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            default: components["responses"]["Other"];
        };
    };
    subAccounts: {
        parameters: {
            query?: {
                /**
                 * @description next_cursor of the page before
                 * @example 746dd7d6-5ae1-4167-9c33-714aee226ef3
                 */
                cursor?: components["parameters"]["cursor_subAccounts"];
                /**
                 * @description Rows of a page, 1 to 1000; 100 if left out
                 * @example 10
                 */
                limit?: components["parameters"]["limit_usageHistory"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubAccountList"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_subAccounts"];
            default: components["responses"]["Other"];
        };
    };
    createSubAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SubAccountRequest"];
            };
        };
        responses: {
            /** @description OK */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedSubAccount"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_createSubAccount"];
            404: components["responses"]["E404_finality"];
            409: components["responses"]["E409_createWatch"];
            default: components["responses"]["Other"];
        };
    };
    subAccountKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a sub-account
                 * @example 746dd7d6-5ae1-4167-9c33-714aee226ef3
                 */
                account_id: components["parameters"]["account_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_wallet"];
            404: components["responses"]["E404_subAccountUsage"];
            default: components["responses"]["Other"];
        };
    };
    createSubAccountKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a sub-account
                 * @example 746dd7d6-5ae1-4167-9c33-714aee226ef3
                 */
                account_id: components["parameters"]["account_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRequest"];
            };
        };
        responses: {
            /** @description OK */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_wallet"];
            404: components["responses"]["E404_createKey"];
            409: components["responses"]["E409_createWatch"];
            default: components["responses"]["Other"];
        };
    };
    revokeSubAccountKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a sub-account
                 * @example 746dd7d6-5ae1-4167-9c33-714aee226ef3
                 */
                account_id: components["parameters"]["account_id"];
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_wallet"];
            404: components["responses"]["E404_revokeKey"];
            default: components["responses"]["Other"];
        };
    };
    changeSubAccountKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a sub-account
                 * @example 746dd7d6-5ae1-4167-9c33-714aee226ef3
                 */
                account_id: components["parameters"]["account_id"];
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_wallet"];
            404: components["responses"]["E404_changeKey"];
            409: components["responses"]["E409_changeKey"];
            default: components["responses"]["Other"];
        };
    };
    rotateSubAccountKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a sub-account
                 * @example 746dd7d6-5ae1-4167-9c33-714aee226ef3
                 */
                account_id: components["parameters"]["account_id"];
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateRequest"];
            };
        };
        responses: {
            /** @description OK */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_wallet"];
            404: components["responses"]["E404_revokeKey"];
            409: components["responses"]["E409_rotateKey"];
            default: components["responses"]["Other"];
        };
    };
    subAccountUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a sub-account
                 * @example 746dd7d6-5ae1-4167-9c33-714aee226ef3
                 */
                account_id: components["parameters"]["account_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404_subAccountUsage"];
            default: components["responses"]["Other"];
        };
    };
    usage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    usageCheckpoints: {
        parameters: {
            query?: {
                /**
                 * @description Only days before this one, such as 2026-02-28
                 * @example 2026-02-28
                 */
                before?: components["parameters"]["before"];
                /**
                 * @description Rows of a page, 1 to 1000; 100 if left out
                 * @example 10
                 */
                limit?: components["parameters"]["limit_usageHistory"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageCheckpointList"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    usageCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Sequence at the registry contract, or a day such as 2026-02-28
                 * @example 2026-02-27
                 */
                checkpoint: components["parameters"]["checkpoint"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageProof"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404_usageCheckpoint"];
            default: components["responses"]["Other"];
        };
    };
    usageHistory: {
        parameters: {
            query?: {
                /**
                 * @description Unix seconds; a day before until if left out
                 * @example 1796111777
                 */
                from?: components["parameters"]["from_usageHistory"];
                /**
                 * @description Unix seconds; now if left out
                 * @example 1796115437
                 */
                until?: components["parameters"]["until"];
                /**
                 * @description next_cursor of the page before
                 * @example 00079ce8387e8d03320947c099d116f948b15af70018ff000000000000000002
                 */
                cursor?: components["parameters"]["cursor_usageHistory"];
                /**
                 * @description Rows of a page, 1 to 1000; 100 if left out
                 * @example 10
                 */
                limit?: components["parameters"]["limit_usageHistory"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageHistory"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    verifyKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verification"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    wallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletProof"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            400: components["responses"]["E400"];
            403: components["responses"]["E403_wallet"];
            404: components["responses"]["E404_register"];
            409: components["responses"]["E409_createWatch"];
            410: components["responses"]["E410_register"];
            503: components["responses"]["E503_register"];
            default: components["responses"]["Other"];
        };
    };
    watches: {
        parameters: {
            query?: {
                /**
                 * @description next_cursor of the page before
                 * @example 791fbac0-a355-8a91-8b41-a1679a8435df
                 */
                cursor?: components["parameters"]["cursor_watches"];
                /**
                 * @description Watches of a page, 1 to 100; 50 if left out
                 * @example 50
                 */
                limit?: components["parameters"]["limit_watches"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchPage"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            default: components["responses"]["Other"];
        };
    };
    createWatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WatchSettings"];
            };
        };
        responses: {
            /** @description OK */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Watch"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            404: components["responses"]["E404_createWatch"];
            409: components["responses"]["E409_createWatch"];
            default: components["responses"]["Other"];
        };
    };
    watch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Watch"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            404: components["responses"]["E404_watch"];
            default: components["responses"]["Other"];
        };
    };
    deleteWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Watch"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            404: components["responses"]["E404_watch"];
            default: components["responses"]["Other"];
        };
    };
    changeWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WatchSettings"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Watch"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            404: components["responses"]["E404_watch"];
            409: components["responses"]["E409_createWatch"];
            default: components["responses"]["Other"];
        };
    };
    webhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            default: components["responses"]["Other"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookSettings"];
            };
        };
        responses: {
            /** @description OK */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            404: components["responses"]["E404_createWatch"];
            409: components["responses"]["E409_createWatch"];
            default: components["responses"]["Other"];
        };
    };
    webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            404: components["responses"]["E404_webhook"];
            default: components["responses"]["Other"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            404: components["responses"]["E404_webhook"];
            default: components["responses"]["Other"];
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookSettings"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            404: components["responses"]["E404_changeWebhook"];
            default: components["responses"]["Other"];
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            404: components["responses"]["E404_webhook"];
            409: components["responses"]["E409_replayWebhook"];
            default: components["responses"]["Other"];
        };
    };
    rotateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateRequest"];
            };
        };
        responses: {
            /** @description OK */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            404: components["responses"]["E404_webhook"];
            default: components["responses"]["Other"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a key, a watch or a webhook
                 * @example 0b5a1e62-4b93-4b70-be87-3716117d3906
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_streamToken"];
            404: components["responses"]["E404_webhook"];
            default: components["responses"]["Other"];
        };
    };
    proveBlockBlob: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
                /**
                 * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
                 * @example 5
                 */
                wait?: components["parameters"]["wait"];
                /**
                 * @description 1: with evidence of finality that you check yourself
                 * @example 1
                 */
                evidence?: components["parameters"]["evidence"];
                /**
                 * @description With evidence: the set that you trust, for the steps from there
                 * @example 128
                 */
                set?: components["parameters"]["set"];
                /**
                 * @description Least finality of the block; consensus comes with its evidence
                 * @example consensus
                 */
                finality?: components["parameters"]["finality"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain_id: components["parameters"]["chain_id"];
                /**
                 * @description Block number, or latest for the newest anchored block
                 * @example latest
                 */
                block: components["parameters"]["block"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlobProof"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    asyncapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            default: components["responses"]["Other"];
        };
    };
    bloomQuery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BloomRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BloomAnswer"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_logs"];
            404: components["responses"]["E404_bloomQuery"];
            default: components["responses"]["Other"];
        };
    };
    gateway: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Contract that asks: 0x and 40 hex digits
                 * @example 0x00000000000000000000000000000000000000aa
                 */
                sender: components["parameters"]["sender"];
                /**
                 * @description Call of eventProof, 164 bytes
                 * @example 0xec6c887d00000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                data: components["parameters"]["data"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayAnswer"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    docs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            default: components["responses"]["Other"];
        };
    };
    docsFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description try, or a file of that page
                 * @example try
                 */
                file: components["parameters"]["file"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            404: components["responses"]["E404_docsFile"];
            default: components["responses"]["Other"];
        };
    };
    order: {
        parameters: {
            query?: {
                /**
                 * @description Seconds, 0 to 15, to wait until it is seen, or until it changes where it is not terminal
                 * @example 5
                 */
                wait?: components["parameters"]["wait_order"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of an order, protocol:chain:id, number of a deposit, or transaction of its origin or fill
                 * @example 0xa3f7096df51e6950857e8617d84c6d880eb968881222504fec78f9c7ca9ae990
                 */
                order_id: components["parameters"]["order_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderStatus"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_logs"];
            404: components["responses"]["E404_find"];
            default: components["responses"]["Other"];
        };
    };
    finalityOfAll: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FinalityList"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    finality: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain_id: components["parameters"]["chain_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainFinality"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404_finality"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    finalityProof: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
                /**
                 * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
                 * @example 5
                 */
                wait?: components["parameters"]["wait"];
                /**
                 * @description 1: with evidence of finality that you check yourself
                 * @example 1
                 */
                evidence?: components["parameters"]["evidence"];
                /**
                 * @description With evidence: the set that you trust, for the steps from there
                 * @example 128
                 */
                set?: components["parameters"]["set"];
                /**
                 * @description Least finality of the block; consensus comes with its evidence
                 * @example consensus
                 */
                finality?: components["parameters"]["finality"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain_id: components["parameters"]["chain_id"];
                /**
                 * @description Block number, or latest for the newest anchored block
                 * @example latest
                 */
                block: components["parameters"]["block"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockProofSnake"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            503: components["responses"]["E503_health"];
            default: components["responses"]["Other_health"];
        };
    };
    live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            default: components["responses"]["Other_health"];
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            503: components["responses"]["E503_health"];
            default: components["responses"]["Other_health"];
        };
    };
    superRootBlob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0x2a0913e8134b0f447416e8904b2e90c01362b8b6899a02010ca87af352f74b7e
                 */
                superroot_hash: components["parameters"]["superroot_hash"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedBlob"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404_tile"];
            503: components["responses"]["E503_tile"];
            default: components["responses"]["Other"];
        };
    };
    proveBlockKv: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
                /**
                 * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
                 * @example 5
                 */
                wait?: components["parameters"]["wait"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain_id: components["parameters"]["chain_id"];
                /**
                 * @description Block number, or latest for the newest anchored block
                 * @example latest
                 */
                block_number: components["parameters"]["block_number"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockProofSnake"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    superRootKv: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuperRootPageSnake"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404_tile"];
            503: components["responses"]["E503_tile"];
            default: components["responses"]["Other"];
        };
    };
    verifyProof: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyAnswer"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403"];
            default: components["responses"]["Other"];
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            default: components["responses"]["Other"];
        };
    };
    price: {
        parameters: {
            query?: {
                /**
                 * @description The block to price at: a number, or latest, the newest anchored one; the newest held if left out, with proof=1 latest
                 * @example latest
                 */
                block?: components["parameters"]["block_price"];
                /**
                 * @description Seconds of the mean, 60 to 3600; 1800 if left out
                 * @example 600
                 */
                window?: components["parameters"]["window"];
                /**
                 * @description 1: with the proof of every event that the price rests on
                 * @example 1
                 */
                proof?: components["parameters"]["proof"];
                /**
                 * @description 1: these proofs carry the newest signed note
                 * @example 1
                 */
                note?: components["parameters"]["note_price"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain: components["parameters"]["chain"];
                /**
                 * @description Address or symbol of a token
                 * @example WETH
                 */
                token: components["parameters"]["token_price"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenPrice"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            403: components["responses"]["E403_arbitrage"];
            404: components["responses"]["E404_price"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503_proofByHash"];
            default: components["responses"]["Other"];
        };
    };
    gas: {
        parameters: {
            query?: {
                /**
                 * @description Chain id, name or CAIP-2 name; every chain if left out
                 * @example ethereum
                 */
                chain_id?: components["parameters"]["chain_id_gas"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Gas"] & components["schemas"]["WithAnchorSnake"];
                };
            };
            404: components["responses"]["E404_finality"];
            default: components["responses"]["Other"];
        };
    };
    arbitrage: {
        parameters: {
            query?: {
                /**
                 * @description Least profit after costs, in whole US dollars; 1 if left out
                 * @example 5
                 */
                min_net_usd?: components["parameters"]["min_net_usd"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Opportunities"] & components["schemas"]["WithAnchor"];
                };
            };
            403: components["responses"]["E403_arbitrage"];
            default: components["responses"]["Other"];
        };
    };
    arbitrageStream: {
        parameters: {
            query?: {
                /**
                 * @description Least profit after costs, in whole US dollars; 1 if left out
                 * @example 5
                 */
                min_net_usd?: components["parameters"]["min_net_usd"];
                /**
                 * @description A token of /api/v1/stream-token, where no header with a key can be set
                 * @example srt_3693d9b7ccc7d9d436e4125e4ef2ff53b2de1c2f818e4db4
                 */
                token?: components["parameters"]["token"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        data?: string;
                        event?: string;
                        id?: string;
                    };
                };
            };
            403: components["responses"]["E403_logs"];
            429: components["responses"]["E429"];
            default: components["responses"]["Other"];
        };
    };
    launches: {
        parameters: {
            query?: {
                /**
                 * @description json: the newest launches as a list, in place of a stream
                 * @example json
                 */
                format?: components["parameters"]["format"];
                /**
                 * @description Chain id, name or CAIP-2 name; every chain if left out
                 * @example ethereum
                 */
                chain_id?: components["parameters"]["chain_id_gas"];
                /**
                 * @description Least liquidity in whole US dollars
                 * @example 5000
                 */
                min_liquidity_usd?: components["parameters"]["min_liquidity_usd"];
                /**
                 * @description Of a list: how many, 1 to 500; 50 if left out
                 * @example 500
                 */
                limit?: components["parameters"]["limit_launches"];
                /**
                 * @description Of a stream: when a launch is told, as its block is taken (head, if left out), finalized or anchored
                 * @example head
                 */
                finality?: components["parameters"]["finality_launches"];
                /**
                 * @description 1: launches on chains whose pools are not all watched may be missing
                 * @example 1
                 */
                partial?: components["parameters"]["partial_launches"];
                /**
                 * @description Of a stream: goes on after that cursor; the header Last-Event-ID does the same and comes first
                 * @example 6570e688c44ec086-1913-0-1
                 */
                since?: components["parameters"]["since_launches"];
                /**
                 * @description A token of /api/v1/stream-token, where no header with a key can be set
                 * @example srt_3693d9b7ccc7d9d436e4125e4ef2ff53b2de1c2f818e4db4
                 */
                token?: components["parameters"]["token"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Launches"] & components["schemas"]["WithAnchor"];
                    "text/event-stream": {
                        data?: string;
                        event?: string;
                        id?: string;
                    };
                };
            };
            403: components["responses"]["E403_logs"];
            404: components["responses"]["E404_launches"];
            429: components["responses"]["E429"];
            503: components["responses"]["E503_stream"];
            default: components["responses"]["Other"];
        };
    };
    statusPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            default: components["responses"]["Other"];
        };
    };
    checkpoint: {
        parameters: {
            query?: {
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: the newest note that the quorum of the log's witnesses signed too
                 * @example 0
                 */
                cosigned?: components["parameters"]["cosigned"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            404: components["responses"]["E404_tile"];
            503: components["responses"]["E503_tile"];
            default: components["responses"]["Other"];
        };
    };
    proveEventShort: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
                /**
                 * @description Highest level, 1 to 5; 1 and 2 need no SuperRoot
                 * @example 2
                 */
                level?: components["parameters"]["level"];
                /**
                 * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
                 * @example 5
                 */
                wait?: components["parameters"]["wait"];
                /**
                 * @description for contracts: calldata, or entry alone
                 * @example calldata
                 */
                form?: components["parameters"]["form"];
                /**
                 * @description 1: with evidence of finality that you check yourself
                 * @example 1
                 */
                evidence?: components["parameters"]["evidence"];
                /**
                 * @description With evidence: the set that you trust, for the steps from there
                 * @example 128
                 */
                set?: components["parameters"]["set"];
                /**
                 * @description Least finality of the block; consensus comes with its evidence
                 * @example consensus
                 */
                finality?: components["parameters"]["finality"];
                /**
                 * @description Block, where the bytes stand in several
                 * @example 1
                 */
                block?: components["parameters"]["block_proveTransaction"];
                /**
                 * @description Its position, where its bytes stand in one block twice
                 * @example 0
                 */
                tx_index?: components["parameters"]["tx_index"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain: components["parameters"]["chain"];
                /**
                 * @description 0x and 64 hex digits; for Bitcoin also as explorers show it
                 * @example 0x3fab51c23e0595925b04d713a43e4d82573241364dd2544eeb0e3c32dbb1f143
                 */
                tx: components["parameters"]["tx"];
                /**
                 * @description Position of the log in the receipt
                 * @example 0
                 */
                log_index: components["parameters"]["log_index"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventProof"] & components["schemas"]["WithAnchor"];
                    "application/octet-stream": string;
                };
            };
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    find: {
        parameters: {
            query?: {
                /**
                 * @description Lowest block of a transaction; 0 if left out. For what `more` says
                 * @example 0
                 */
                from?: components["parameters"]["from_find"];
            };
            header?: never;
            path: {
                /**
                 * @description 0x and 64 hex digits; for Bitcoin also as explorers show it
                 * @example 0x3fab51c23e0595925b04d713a43e4d82573241364dd2544eeb0e3c32dbb1f143
                 */
                hash: components["parameters"]["hash"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Found"] & components["schemas"]["WithAnchor"];
                };
            };
            404: components["responses"]["E404_find"];
            default: components["responses"]["Other"];
        };
    };
    lightClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain: components["parameters"]["chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LightClient"] & components["schemas"]["WithAnchor"];
                };
            };
            404: components["responses"]["E404_lightClient"];
            default: components["responses"]["Other"];
        };
    };
    lightClientConflict: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain: components["parameters"]["chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LightClientConflict"] & components["schemas"]["WithAnchor"];
                };
            };
            404: components["responses"]["E404_lightClient"];
            default: components["responses"]["Other"];
        };
    };
    lightClientSet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain: components["parameters"]["chain"];
                /**
                 * @description Number of a set: a period or an epoch
                 * @example 130
                 */
                set: components["parameters"]["set_lightClientSet"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LightClientSet"] & components["schemas"]["WithAnchor"];
                };
            };
            404: components["responses"]["E404_lightClient"];
            default: components["responses"]["Other"];
        };
    };
    lightClientSteps: {
        parameters: {
            query: {
                /**
                 * @description Number of the set that you have
                 * @example 130
                 */
                from: components["parameters"]["from_lightClientSteps"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain: components["parameters"]["chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LightClientSteps"] & components["schemas"]["WithAnchor"];
                };
            };
            404: components["responses"]["E404_lightClient"];
            default: components["responses"]["Other"];
        };
    };
    logs: {
        parameters: {
            query: {
                /**
                 * @description Chain id, name or CAIP-2 name
                 * @example ethereum
                 */
                chain: components["parameters"]["chain_logs"];
                /**
                 * @description Addresses of which the event has one, with commas between, at most 100: 0x and hex digits; of Bitcoin the script of an output
                 * @example 0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64
                 */
                address?: components["parameters"]["address"];
                /**
                 * @description Topics, one of them at this position, with commas between: 0x and 64 hex digits, or a signature such as Transfer(address,address,uint256); of Sui a type
                 * @example FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,bytes32,bytes32,bytes32,bytes32,(bytes32,bytes32,uint256,uint8))
                 */
                topic0?: components["parameters"]["topic0"];
                /**
                 * @description As topic0, at this position
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000001
                 */
                topic1?: components["parameters"]["topic1"];
                /**
                 * @description As topic0, at this position
                 * @example 0x00000000000000000000000000000000000000000000000000000000055a53ba
                 */
                topic2?: components["parameters"]["topic2"];
                /**
                 * @description As topic0, at this position
                 * @example 0x0000000000000000000000008edb8cd9fc0a5cb26d77b6168a1c5ff60d5cc71b
                 */
                topic3?: components["parameters"]["topic3"];
                /**
                 * @description First block; the first of the newest blocks that are indexed without a gap if left out
                 * @example 1839
                 */
                fromBlock?: components["parameters"]["fromBlock"];
                /**
                 * @description Last block; the newest one of that finality if left out, or if that is lower
                 * @example 1839
                 */
                toBlock?: components["parameters"]["toBlock"];
                /**
                 * @description Lowest finality of an event: head, finalized (if left out) or anchored
                 * @example anchored
                 */
                finality?: components["parameters"]["finality_logs"];
                /**
                 * @description asc (if left out): oldest first; desc: newest first
                 * @example asc
                 */
                order?: components["parameters"]["order"];
                /**
                 * @description Events of a page, 1 to 1000; 100 if left out
                 * @example 1
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description nextCursor of the page before, with the rest as it was
                 * @example 1998-0x7f6e5bc70aeb8c414c78127e41197a792d76b764f2e52fb5a6892a5ccc409dd2-15
                 */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description 1: with what shows that the events are all of the range: of at most 64 anchored blocks whose receipts are held
                 * @example 0
                 */
                complete?: components["parameters"]["complete"];
                /**
                 * @description 1: blocks whose events may be missing are listed in gaps; 0 (if left out): the request is refused instead
                 * @example 1
                 */
                partial?: components["parameters"]["partial"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logs"] & components["schemas"]["WithAnchor"];
                };
            };
            403: components["responses"]["E403_logs"];
            404: components["responses"]["E404_logs"];
            409: components["responses"]["E409_logs"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    twigs: {
        parameters: {
            query: {
                /**
                 * @description Leaf index of the first twig
                 * @example 0
                 */
                from: components["parameters"]["from"];
                /**
                 * @description Twigs wanted, 1 to 4096; 4096 if left out
                 * @example 2
                 */
                count?: components["parameters"]["count"];
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
            };
            header?: never;
            path: {
                /**
                 * @description Ledger family, such as evm or bitcoin
                 * @example evm
                 */
                family: components["parameters"]["family"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwigPage"] & components["schemas"]["WithAnchor"];
                };
            };
            404: components["responses"]["E404_tile"];
            503: components["responses"]["E503_tile"];
            default: components["responses"]["Other"];
        };
    };
    proveAbsence: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
                /**
                 * @description Highest level, 1 to 5; 1 and 2 need no SuperRoot
                 * @example 2
                 */
                level?: components["parameters"]["level"];
                /**
                 * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
                 * @example 5
                 */
                wait?: components["parameters"]["wait"];
                /**
                 * @description 1: with evidence of finality that you check yourself
                 * @example 1
                 */
                evidence?: components["parameters"]["evidence"];
                /**
                 * @description With evidence: the set that you trust, for the steps from there
                 * @example 128
                 */
                set?: components["parameters"]["set"];
                /**
                 * @description Least finality of the block; consensus comes with its evidence
                 * @example consensus
                 */
                finality?: components["parameters"]["finality"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain_id: components["parameters"]["chain_id"];
                /**
                 * @description Block number, or latest for the newest anchored block
                 * @example latest
                 */
                block: components["parameters"]["block"];
                /**
                 * @description Position of the transaction in the block
                 * @example 5000
                 */
                tx_index: components["parameters"]["tx_index_proveEvent"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AbsenceProof"] & components["schemas"]["WithAnchor"];
                    "application/octet-stream": string;
                };
            };
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    proveBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"] & components["schemas"]["WithAnchor"];
                };
            };
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    proveEvent: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
                /**
                 * @description Highest level, 1 to 5; 1 and 2 need no SuperRoot
                 * @example 2
                 */
                level?: components["parameters"]["level"];
                /**
                 * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
                 * @example 5
                 */
                wait?: components["parameters"]["wait"];
                /**
                 * @description for contracts: calldata, or entry alone
                 * @example calldata
                 */
                form?: components["parameters"]["form"];
                /**
                 * @description 1: with evidence of finality that you check yourself
                 * @example 1
                 */
                evidence?: components["parameters"]["evidence"];
                /**
                 * @description With evidence: the set that you trust, for the steps from there
                 * @example 128
                 */
                set?: components["parameters"]["set"];
                /**
                 * @description Least finality of the block; consensus comes with its evidence
                 * @example consensus
                 */
                finality?: components["parameters"]["finality"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain_id: components["parameters"]["chain_id"];
                /**
                 * @description Block number, or latest for the newest anchored block
                 * @example latest
                 */
                block_number: components["parameters"]["block_number"];
                /**
                 * @description Position of the transaction in the block
                 * @example 5000
                 */
                tx_index: components["parameters"]["tx_index_proveEvent"];
                /**
                 * @description Position of the log in the receipt
                 * @example 0
                 */
                log_index: components["parameters"]["log_index"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventProof"] & components["schemas"]["WithAnchor"];
                    "application/octet-stream": string;
                };
            };
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    proofByHash: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
                /**
                 * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
                 * @example 5
                 */
                wait?: components["parameters"]["wait"];
            };
            header?: never;
            path: {
                /**
                 * @description Hash of a proof, as a signal names it
                 * @example 0x938e8bb45b10e411c4fa7c2a48b6a3f2a1859b2373eee5930156b3a8d404dea7
                 */
                proof_hash: components["parameters"]["proof_hash"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProofsBehind"] & components["schemas"]["WithAnchor"];
                };
            };
            404: components["responses"]["E404_proofByHash"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503_proofByHash"];
            default: components["responses"]["Other"];
        };
    };
    proveTransaction: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
                /**
                 * @description Highest level, 1 to 5; 1 and 2 need no SuperRoot
                 * @example 2
                 */
                level?: components["parameters"]["level"];
                /**
                 * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
                 * @example 5
                 */
                wait?: components["parameters"]["wait"];
                /**
                 * @description for contracts: calldata, or entry alone
                 * @example calldata
                 */
                form?: components["parameters"]["form"];
                /**
                 * @description 1: with evidence of finality that you check yourself
                 * @example 1
                 */
                evidence?: components["parameters"]["evidence"];
                /**
                 * @description With evidence: the set that you trust, for the steps from there
                 * @example 128
                 */
                set?: components["parameters"]["set"];
                /**
                 * @description Least finality of the block; consensus comes with its evidence
                 * @example consensus
                 */
                finality?: components["parameters"]["finality"];
                /**
                 * @description Block, where the bytes stand in several
                 * @example 1
                 */
                block?: components["parameters"]["block_proveTransaction"];
                /**
                 * @description Its position, where its bytes stand in one block twice
                 * @example 0
                 */
                tx_index?: components["parameters"]["tx_index"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain_id: components["parameters"]["chain_id"];
                /**
                 * @description 0x and 64 hex digits; for Bitcoin also as explorers show it
                 * @example 0x3fab51c23e0595925b04d713a43e4d82573241364dd2544eeb0e3c32dbb1f143
                 */
                tx_hash: components["parameters"]["tx_hash"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionProof"] & components["schemas"]["WithAnchor"];
                    "application/octet-stream": string;
                };
            };
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    proveBlock: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
                /**
                 * @description Highest level, 1 to 5; 1 and 2 need no SuperRoot
                 * @example 2
                 */
                level?: components["parameters"]["level"];
                /**
                 * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
                 * @example 5
                 */
                wait?: components["parameters"]["wait"];
                /**
                 * @description for contracts: calldata, or entry alone
                 * @example calldata
                 */
                form?: components["parameters"]["form"];
                /**
                 * @description 1: with evidence of finality that you check yourself
                 * @example 1
                 */
                evidence?: components["parameters"]["evidence"];
                /**
                 * @description With evidence: the set that you trust, for the steps from there
                 * @example 128
                 */
                set?: components["parameters"]["set"];
                /**
                 * @description Least finality of the block; consensus comes with its evidence
                 * @example consensus
                 */
                finality?: components["parameters"]["finality"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain: components["parameters"]["chain"];
                /**
                 * @description Block number, or latest for the newest anchored block
                 * @example latest
                 */
                block: components["parameters"]["block"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockProof"] & components["schemas"]["WithAnchor"];
                    "application/octet-stream": string;
                };
            };
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    scan: {
        parameters: {
            query: {
                /**
                 * @description Addresses of which the event has one, with commas between, at most 100
                 * @example 0x00000000000000000000000000000000000000aa
                 */
                address?: components["parameters"]["address_scan"];
                /**
                 * @description Topics, one of them at this position, with commas between: 0x and 64 hex digits, or a signature such as Transfer(address,address,uint256); of Sui a type
                 * @example FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,bytes32,bytes32,bytes32,bytes32,(bytes32,bytes32,uint256,uint8))
                 */
                topic0?: components["parameters"]["topic0"];
                /**
                 * @description As topic0, at this position
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000001
                 */
                topic1?: components["parameters"]["topic1"];
                /**
                 * @description As topic0, at this position
                 * @example 0x00000000000000000000000000000000000000000000000000000000055a53ba
                 */
                topic2?: components["parameters"]["topic2"];
                /**
                 * @description As topic0, at this position
                 * @example 0x0000000000000000000000008edb8cd9fc0a5cb26d77b6168a1c5ff60d5cc71b
                 */
                topic3?: components["parameters"]["topic3"];
                /**
                 * @description Topics of which the event has every one, at any position, with commas between, at most 4
                 * @example 0x44b559f101f8fbcc8a0ea43fa91a05a729a5ea6e14a7c75aa750374690137208
                 */
                topic?: components["parameters"]["topic"];
                /**
                 * @description First block
                 * @example 0
                 */
                fromBlock: components["parameters"]["fromBlock_scan"];
                /**
                 * @description Last block; the last anchored one of a page if left out. A page ends after 2,048 blocks or 4 MiB at the latest
                 * @example 3
                 */
                toBlock?: components["parameters"]["toBlock_scan"];
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain: components["parameters"]["chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScanAnswer"] & components["schemas"]["WithAnchor"];
                    "application/octet-stream": string;
                };
            };
            403: components["responses"]["E403_logs"];
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    stream: {
        parameters: {
            query: {
                /**
                 * @description What is delivered, with commas between: superroot, anchored, finality, retraction, logs, orders, launches
                 * @example superroot,finality
                 */
                topics: components["parameters"]["topics"];
                /**
                 * @description Chains, with commas between; all if left out
                 * @example base
                 */
                chain?: components["parameters"]["chain_stream"];
                /**
                 * @description Addresses of which the event has one, with commas between, at most 100: 0x and hex digits; of Bitcoin the script of an output
                 * @example 0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64
                 */
                address?: components["parameters"]["address"];
                /**
                 * @description Topics, one of them at this position, with commas between: 0x and 64 hex digits, or a signature such as Transfer(address,address,uint256); of Sui a type
                 * @example FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,bytes32,bytes32,bytes32,bytes32,(bytes32,bytes32,uint256,uint8))
                 */
                topic0?: components["parameters"]["topic0"];
                /**
                 * @description As topic0, at this position
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000001
                 */
                topic1?: components["parameters"]["topic1"];
                /**
                 * @description As topic0, at this position
                 * @example 0x00000000000000000000000000000000000000000000000000000000055a53ba
                 */
                topic2?: components["parameters"]["topic2"];
                /**
                 * @description As topic0, at this position
                 * @example 0x0000000000000000000000008edb8cd9fc0a5cb26d77b6168a1c5ff60d5cc71b
                 */
                topic3?: components["parameters"]["topic3"];
                /**
                 * @description When an event of logs, orders and launches is delivered: with its block (head; it may be undone), finalized (if left out) or anchored; with topic finality and none of these: blocks of that finality alone
                 * @example head
                 */
                finality?: components["parameters"]["finality_stream"];
                /**
                 * @description Of topic orders: this order alone, by its id
                 * @example across:1:89805754
                 */
                order?: components["parameters"]["order_stream"];
                /**
                 * @description 1: events of chains on which they are not watched may be missing; 0 (if left out): such a chain that is named is refused
                 * @example 1
                 */
                partial?: components["parameters"]["partial_stream"];
                /**
                 * @description Of topic anchored, with one chain: this transaction alone, at once where it is anchored
                 * @example 0xa3f7096df51e6950857e8617d84c6d880eb968881222504fec78f9c7ca9ae990
                 */
                tx?: components["parameters"]["tx_stream"];
                /**
                 * @description Goes on after that cursor; the header Last-Event-ID does the same and comes first
                 * @example 6570e688c44ec086-1913-0-1
                 */
                since?: components["parameters"]["since"];
                /**
                 * @description A token of /api/v1/stream-token, where no header with a key can be set
                 * @example srt_3693d9b7ccc7d9d436e4125e4ef2ff53b2de1c2f818e4db4
                 */
                token?: components["parameters"]["token"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        data?: string;
                        event?: string;
                        id?: string;
                    };
                };
            };
            403: components["responses"]["E403_logs"];
            404: components["responses"]["E404_logs"];
            429: components["responses"]["E429"];
            503: components["responses"]["E503_stream"];
            default: components["responses"]["Other"];
        };
    };
    superRoot: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuperRootPage"] & components["schemas"]["WithAnchor"];
                };
            };
            404: components["responses"]["E404_tile"];
            503: components["responses"]["E503_tile"];
            default: components["responses"]["Other"];
        };
    };
    consistency: {
        parameters: {
            query: {
                /**
                 * @description Sequence of the earlier SuperRoot
                 * @example 0
                 */
                from: components["parameters"]["from_consistency"];
                /**
                 * @description Sequence of the later SuperRoot; the newest if left out
                 * @example 1
                 */
                to?: components["parameters"]["to"];
                /**
                 * @description history (if left out) or full
                 * @example history
                 */
                strength?: components["parameters"]["strength"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsistencyProof"] & components["schemas"]["WithAnchor"];
                };
            };
            404: components["responses"]["E404_tile"];
            503: components["responses"]["E503_tile"];
            default: components["responses"]["Other"];
        };
    };
    superRootBySequence: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Sequence of a SuperRoot
                 * @example 0
                 */
                sequence: components["parameters"]["sequence_superRootBySequence"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuperRootPage"] & components["schemas"]["WithAnchor"];
                };
            };
            404: components["responses"]["E404_tile"];
            503: components["responses"]["E503_tile"];
            default: components["responses"]["Other"];
        };
    };
    tileEntries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Index of a tile in groups of three digits, and .p/ with the width of one that is not full
                 * @example 000.p/1
                 */
                index: components["parameters"]["index"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            404: components["responses"]["E404_tile"];
            503: components["responses"]["E503_tile"];
            default: components["responses"]["Other"];
        };
    };
    tile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Level of a tile, 0 to 63
                 * @example 0
                 */
                level: components["parameters"]["level_tile"];
                /**
                 * @description Index of a tile in groups of three digits, and .p/ with the width of one that is not full
                 * @example 000.p/1
                 */
                index: components["parameters"]["index"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            404: components["responses"]["E404_tile"];
            503: components["responses"]["E503_tile"];
            default: components["responses"]["Other"];
        };
    };
    proveTransactionShort: {
        parameters: {
            query?: {
                /**
                 * @description SuperRoot hash: 0x and 64 hex digits
                 * @example 0xa243fd460d6112b5e8b8f24c0c94fd6ed2d2ae17a376eedd0b43dd02c4bd6fc0
                 */
                root?: components["parameters"]["root"];
                /**
                 * @description Sequence of a SuperRoot
                 * @example 1
                 */
                sequence?: components["parameters"]["sequence"];
                /**
                 * @description 1: with the log's newest signed note, and the SuperRoot's path in it
                 * @example 1
                 */
                note?: components["parameters"]["note"];
                /**
                 * @description Highest level, 1 to 5; 1 and 2 need no SuperRoot
                 * @example 2
                 */
                level?: components["parameters"]["level"];
                /**
                 * @description Seconds, 0 to 15, to wait for what is not held, final or anchored yet
                 * @example 5
                 */
                wait?: components["parameters"]["wait"];
                /**
                 * @description for contracts: calldata, or entry alone
                 * @example calldata
                 */
                form?: components["parameters"]["form"];
                /**
                 * @description 1: with evidence of finality that you check yourself
                 * @example 1
                 */
                evidence?: components["parameters"]["evidence"];
                /**
                 * @description With evidence: the set that you trust, for the steps from there
                 * @example 128
                 */
                set?: components["parameters"]["set"];
                /**
                 * @description Least finality of the block; consensus comes with its evidence
                 * @example consensus
                 */
                finality?: components["parameters"]["finality"];
                /**
                 * @description Block, where the bytes stand in several
                 * @example 1
                 */
                block?: components["parameters"]["block_proveTransaction"];
                /**
                 * @description Its position, where its bytes stand in one block twice
                 * @example 0
                 */
                tx_index?: components["parameters"]["tx_index"];
            };
            header?: never;
            path: {
                /**
                 * @description Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1
                 * @example ethereum
                 */
                chain: components["parameters"]["chain"];
                /**
                 * @description 0x and 64 hex digits; for Bitcoin also as explorers show it
                 * @example 0x3fab51c23e0595925b04d713a43e4d82573241364dd2544eeb0e3c32dbb1f143
                 */
                hash: components["parameters"]["hash"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionProof"] & components["schemas"]["WithAnchor"];
                    "application/octet-stream": string;
                };
            };
            404: components["responses"]["E404"];
            409: components["responses"]["E409"];
            410: components["responses"]["E410"];
            503: components["responses"]["E503"];
            default: components["responses"]["Other"];
        };
    };
    webSocket: {
        parameters: {
            query?: {
                /**
                 * @description A token of /api/v1/stream-token, where no header with a key can be set
                 * @example srt_3693d9b7ccc7d9d436e4125e4ef2ff53b2de1c2f818e4db4
                 */
                token?: components["parameters"]["token"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            403: components["responses"]["E403_logs"];
            429: components["responses"]["E429"];
            default: components["responses"]["Other"];
        };
    };
    webFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A file of the page at /, under the version that the page names or alone
                 * @example bitcoin.js
                 */
                asset: components["parameters"]["asset"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
            404: components["responses"]["E404_docsFile"];
            default: components["responses"]["Other"];
        };
    };
}

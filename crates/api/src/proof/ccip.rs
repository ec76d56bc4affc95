//! Gateway for contracts that ask for a proof in the middle of a call (EIP-3668): `contracts/src/SuperRootReader.sol`.
//!
//! ```text
//! eventProof(sequence, chain id, block, tx_index, log_index)   selector and 5 words of 32 bytes
//! ```

use alloy_primitives::{U256, keccak256};
use axum::extract::State;
use superroot_types::{BlockNumber, BlockRef, Sequence, SuperRootRef};
use superroot_wire::proof::ProofTarget;
use superroot_wire::proof::body::GatewayAnswer;

use super::question::ProofQuestion;
use super::{PROOF_ERRORS, wait_for};
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::input::{RequestInput, find_chain};
use crate::route::{ApiRoute, RouteGroup, RouteOperation};
use crate::service::{Api, Shared};

const SIGNATURE: &str = "eventProof(uint64,uint64,uint64,uint32,uint32)";
const WORDS: usize = 5;
const CALL_BYTES: usize = 4 + 32 * WORDS;

/// A contract's question.
struct GatewayCall {
    sequence: u64,
    chain_id: u64,
    block: u64,
    tx_index: u32,
    log_index: u32,
}

pub(super) fn route() -> ApiRoute {
    ApiRoute::open(132, "/ccip/{sender}/{data}", RouteGroup::G3).serves(
        RouteOperation::get(
            "gateway",
            "Proof of an event for a contract that asks (EIP-3668)",
            answer,
        )
        .errors(PROOF_ERRORS)
        .says("See docs/contracts.md.")
        .returns::<GatewayAnswer>(),
    )
}

/// A refusal repeats its `detail` as `message`, the member that callers of EIP-3668 show.
async fn answer(state: State<Shared>, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    prove(state, ask).await.map_err(|error| {
        let message = error.detail.clone();
        error.with("message", message)
    })
}

async fn prove(State(service): State<Shared>, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    let sender = ask.path("sender")?;
    let has_form = sender.len() == 42 && sender.starts_with("0x");
    if !has_form || const_hex::decode(sender).is_err() {
        return Err(ApiError::parameter("sender", sender, "0x and 40 hex digits (an address)"));
    }
    let call = GatewayCall::parse(ask.path("data")?)?;
    let chain = find_chain(&service.api, "data", &call.chain_id.to_string())?.key();
    let target = ProofTarget::Event {
        block: BlockRef::Number(BlockNumber(call.block)),
        tx_index: call.tx_index,
        log_index: call.log_index,
    };
    let fixed = Some(SuperRootRef::Sequence(Sequence(call.sequence)));
    let question = ProofQuestion { fixed, ..ProofQuestion::new(chain, target) };
    let seen = ask.seen();
    let prove = move |api: &Api| Ok(question.answer(api)?.into_gateway_answer()?.tagged(&seen));
    let pace = question.pace(&service.paces);
    wait_for(&service, pace, false, 0, prove).await
}

impl GatewayCall {
    fn parse(text: &str) -> Result<Self, ApiError> {
        let refused = || {
            ApiError::parameter("data", text, format!("0x and {CALL_BYTES} bytes, for {SIGNATURE}"))
        };
        let digits = text.strip_prefix("0x").ok_or_else(refused)?;
        let mut bytes = [0; CALL_BYTES];
        const_hex::decode_to_slice(digits, &mut bytes).map_err(|_| refused())?;
        let (selector, words) = bytes.split_at(4);
        if selector != &keccak256(SIGNATURE)[..4] {
            return Err(refused());
        }
        let word = |at: usize| U256::from_be_slice(&words[32 * at..32 * (at + 1)]);
        let number = |at: usize| u64::try_from(word(at)).map_err(|_| refused());
        let index = |at: usize| u32::try_from(word(at)).map_err(|_| refused());
        Ok(Self {
            sequence: number(0)?,
            chain_id: number(1)?,
            block: number(2)?,
            tx_index: index(3)?,
            log_index: index(4)?,
        })
    }
}

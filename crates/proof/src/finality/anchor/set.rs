//! Ethereum's committees as a rollup's sets.

use alloc::format;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::ethereum::EthereumState;
use super::evidence::AnchorBody;
use super::params::AnchorParams;
use crate::finality::Refusal;
use crate::finality::beacon::BeaconSet;
use crate::finality::rules::{SetRules, SetSignature};
use crate::finality::verdict::Stop;
use crate::hash::keccak256;
use crate::ledger::evm;
use crate::registry::HashRule;

/// Ethereum's sync committee, for rollups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchorSet(pub BeaconSet);

/// The rollup's header, with the stated number and hash.
fn read_header(
    params: &AnchorParams,
    header: &[u8],
    (number, hash): (BlockNumber, Hash),
) -> Result<evm::Header, Refusal> {
    let unread = Refusal::Encoding { part: "header" };
    let HashRule::Evm(layout) = params.rule else { return Err(unread) };
    let got = keccak256(header);
    if got != hash {
        return Err(Refusal::Block { got, expected: hash });
    }
    let header = evm::Header::decode(layout, header).map_err(|_| unread)?;
    if header.number != number.0 {
        return Err(Refusal::Number { got: BlockNumber(header.number), expected: number });
    }
    Ok(header)
}

impl AnchorSet {
    fn checked(
        &self,
        params: &AnchorParams,
        block: (BlockNumber, Hash),
        body: &AnchorBody,
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        let AnchorBody { ethereum, header, proof } = body;
        let header = read_header(params, header, block)?;
        let state = ethereum.check(params, &self.0, now)?;
        let before = Refusal::Order { what: "the contract is of a later block of Ethereum" };
        let contract = params.contract_at(state.number).ok_or(before)?;
        proof.check(&state.state_root, &contract, params.chain, (&header, block.1))?;
        let (EthereumState { number, at, by, .. }, held) = (state, block.0);
        let by = format!(
            "{by} (Ethereum's block {number}, whose contract {contract} holds the rollup's block {held})"
        );
        Ok(SetSignature { at, by })
    }
}

impl SetRules for AnchorSet {
    type Params = AnchorParams;

    fn decode(params: &AnchorParams, bytes: &[u8]) -> Result<Self, Refusal> {
        BeaconSet::decode(&params.beacon, bytes).map(Self)
    }

    fn encode(&self) -> Vec<u8> {
        SetRules::encode(&self.0)
    }

    fn id(&self) -> Hash {
        self.0.id()
    }

    fn begins(&self, params: &AnchorParams) -> Option<UnixSeconds> {
        SetRules::begins(&self.0, &params.beacon)
    }

    fn trusted_until(&self, params: &AnchorParams) -> Option<UnixSeconds> {
        self.0.trusted_until(&params.beacon)
    }

    fn check(
        &self,
        params: &AnchorParams,
        block: (BlockNumber, Hash),
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        let body = AnchorBody::decode(params.contract, body);
        self.checked(params, block, &body.ok_or(Refusal::Encoding { part: "anchor" })?, now)
    }

    fn advance(&self, params: &AnchorParams, step: &[u8], now: UnixSeconds) -> Result<Self, Stop> {
        self.0.advance(&params.beacon, step, now).map(Self)
    }

    fn named_by(params: &AnchorParams, step: &[u8]) -> Option<Self> {
        BeaconSet::named_by(&params.beacon, step).map(Self)
    }

    fn number(&self) -> u64 {
        SetRules::number(&self.0)
    }

    fn signer_of(params: &AnchorParams, _: BlockNumber, body: &[u8]) -> Option<u64> {
        AnchorBody::decode(params.contract, body)?.ethereum.signer(params)
    }
}

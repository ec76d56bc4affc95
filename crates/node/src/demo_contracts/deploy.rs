//! Deployment of the demo's contracts.

use alloy_primitives::{Address, B256, TxKind, keccak256};
use anyhow::Context;
use superroot_contract::artifact;
use superroot_devnet::Devnet;
use superroot_proof::superroot::log_id;

use super::wallets::DemoWallets;

const USDC: u64 = 1_000_000;
/// An ether's dollars, as the demo's registry has it.
const ETHER_USD: u64 = 3_000;

fn word(number: u64) -> Vec<u8> {
    [[0; 24].as_slice(), &number.to_be_bytes()].concat()
}

fn address(address: Address) -> Vec<u8> {
    [[0; 12].as_slice(), address.as_slice()].concat()
}

fn call(signature: &str, words: &[Vec<u8>]) -> Vec<u8> {
    [&keccak256(signature)[..4], &words.concat()].concat()
}

fn creation(name: &str, words: &[Vec<u8>]) -> anyhow::Result<Vec<u8>> {
    let code = artifact(name)?.bytecode;
    Ok([&code[..], &words.concat()].concat())
}

/// Sends the deployment to a new chain, and to any chain the price of ether, valid for a day. Returns the last
/// transaction.
pub(super) fn deploy(
    chain: &Devnet,
    wallets: &DemoWallets,
    origin: &str,
    signer: superroot_types::Address,
) -> anyhow::Result<B256> {
    let admin = wallets.admin.address();
    let contracts = wallets.contracts();
    let price = call("setEthPrice(uint64)", &[word(ETHER_USD * USDC)]);
    let first = chain.next_nonce(admin);
    let mut sent = Vec::new();
    if first == 0 {
        let log_id = log_id(origin).context("no log id")?;
        let treasury = Address::repeat_byte(0x77);
        let prices = [word(50 * USDC), word(500 * USDC)];
        let terms = [address(contracts.usdc), address(treasury), address(admin)];
        let grant = |role: &str, to: Address| {
            let words = [keccak256(role).to_vec(), address(to)];
            (TxKind::Call(contracts.registry), call("grantRole(bytes32,address)", &words))
        };
        let mint = [address(wallets.customer.address()), word(10_000 * USDC)];
        let anchor = [log_id.0.to_vec(), address(Address::from(signer.0))];
        sent.extend([
            (TxKind::Create, creation("TestUsdc", &[address(admin)])?),
            (TxKind::Create, creation("SubscriptionRegistry", &[&terms[..], &prices].concat())?),
            (TxKind::Create, creation("SuperRootAnchor", &anchor)?),
            (TxKind::Create, creation("SuperRootLens", &[address(contracts.anchor)])?),
            grant("PRICE", admin),
            grant("CHECKPOINT", wallets.checkpoints.address()),
            (TxKind::Call(contracts.usdc), call("mint(address,uint256)", &mint)),
        ]);
    }
    sent.push((TxKind::Call(contracts.registry), price));
    let mut last = B256::ZERO;
    for (nonce, (to, input)) in (first..).zip(sent) {
        let raw = wallets.admin.sign(nonce, to, input)?;
        last = chain.submit(&raw).context("cannot deploy the demo's contracts")?;
    }
    Ok(last)
}

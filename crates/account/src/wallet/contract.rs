//! Signatures of contract wallets: EIP-1271, and EIP-6492 for undeployed wallets.
//!
//! The wallet is asked `isValidSignature(hash, signature)`. The signature of an undeployed wallet includes a factory
//! call for the deployment, before a magic suffix. One `eth_call` of creation code, executed and forgotten by nodes,
//! makes both calls:
//!
//! ```text
//! [program][call of the factory, if any][isValidSignature(hash, signature)]
//!     └─ calls the factory, whatever comes of it; asks the wallet; returns 00 ‖ its first word
//! ```
//! EIP-6492 lets a multicall do the same, and no deployed contract is needed. The program never fails, whatever wallet
//! and factory do: a failing call is a node's fault, and strangers must not be able to discredit nodes. The EIP's
//! reference validator is not used: it also accepts a key's signature and its malleable twin.

use alloy_primitives::{Address as AlloyAddress, Bytes, FixedBytes, keccak256};
use alloy_sol_types::{SolType, sol_data};
use superroot_types::{Address, BlockNumber, ChainId, Hash};

use crate::AccountError;

/// Signature suffix of a possibly undeployed wallet (EIP-6492).
const DEPLOY_SUFFIX: [u8; 32] = [
    0x64, 0x92, 0x64, 0x92, 0x64, 0x92, 0x64, 0x92, 0x64, 0x92, 0x64, 0x92, 0x64, 0x92, 0x64, 0x92,
    0x64, 0x92, 0x64, 0x92, 0x64, 0x92, 0x64, 0x92, 0x64, 0x92, 0x64, 0x92, 0x64, 0x92, 0x64, 0x92,
];

/// `isValidSignature(bytes32,bytes)`, also the return value for a valid signature (EIP-1271).
const IS_VALID_SIGNATURE: [u8; 4] = [0x16, 0x26, 0xba, 0x7e];

/// Gas of one query: forwarded gas, input and program.
const GAS: u64 = 10_000_000;

/// Most gas of the factory.
const FACTORY_GAS: u32 = 6_000_000;

/// Most gas of the wallet. Factory and wallet together leave enough for the answer.
const WALLET_GAS: u32 = 3_000_000;

/// Last 20 bytes of `keccak256("superroot wallet check")`: an address without an owner. Nodes would default to the zero
/// address, for which some wallets skip their checks.
fn caller_address() -> Address {
    let hash = keccak256("superroot wallet check");
    let mut address = [0; 20];
    address.copy_from_slice(&hash[12..]);
    Address(address)
}

/// Call for nodes to execute after a block, without lasting effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalletCall {
    pub from: Address,
    /// Contract; `None` if `data` is creation code.
    pub to: Option<Address>,
    pub data: Vec<u8>,
    pub gas: u64,
    /// Code at `to` for this call only, with coins to spend: nodes must allow state overrides.
    pub code: Option<Vec<u8>>,
}

/// Call result on which enough nodes agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    pub returned: Vec<u8>,
    /// Block after which the call was executed.
    pub block: BlockNumber,
    /// The agreeing nodes' names.
    pub nodes: Vec<String>,
}

/// Unknown result: too few nodes were available, or nodes disagree.
#[derive(Debug, thiserror::Error)]
#[error("a contract call has no agreed outcome: {why}")]
pub struct CallUnavailable {
    /// Obstacle, for the log.
    pub why: String,
}

/// Executor of contract calls on nodes. Calls block; no single node is trusted if more than one must agree.
pub trait ContractCaller: Send + Sync {
    /// Whether any node of the chain is configured; if not, a retry never helps.
    fn asks(&self, chain: ChainId) -> bool;

    /// Executes the call after a recent block of the chain.
    ///
    /// # Errors
    /// [`CallUnavailable`] while no result is agreed on.
    fn call(&self, chain: ChainId, call: &WalletCall) -> Result<CallResult, CallUnavailable>;
}

/// Caller without nodes: contract wallets cannot be proven.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNodes;

impl ContractCaller for NoNodes {
    fn asks(&self, _chain: ChainId) -> bool {
        false
    }

    fn call(&self, chain: ChainId, _call: &WalletCall) -> Result<CallResult, CallUnavailable> {
        Err(CallUnavailable { why: format!("this service asks no node of chain {chain}") })
    }
}

/// Builds the query whether a wallet's contract accepts `signature` for `hash`.
///
/// # Errors
/// [`AccountError::Signature`] for the suffix of EIP-6492 without its prefix.
pub(super) fn question(
    wallet: Address,
    hash: &Hash,
    signature: &[u8],
) -> Result<WalletCall, AccountError> {
    type Wrapped = (sol_data::Address, sol_data::Bytes, sol_data::Bytes);
    let data = if let Some(wrapped) = signature.strip_suffix(&DEPLOY_SUFFIX) {
        let refuse = |_| AccountError::Signature { why: "it is not in the form of EIP-6492" };
        let (factory, deploy, inner) = Wrapped::abi_decode_params(wrapped).map_err(refuse)?;
        if inner.ends_with(&DEPLOY_SUFFIX) {
            return Err(AccountError::Signature { why: "it is wrapped twice (EIP-6492)" });
        }
        let factory = Some((factory, &deploy[..]));
        creation_code(factory, wallet, &is_valid_signature(hash, &inner))?
    } else {
        creation_code(None, wallet, &is_valid_signature(hash, signature))?
    };
    Ok(WalletCall { from: caller_address(), to: None, data, gas: GAS, code: None })
}

/// Whether the creation code's result says that the signature is valid. All 32 bytes of the wallet's word count: an
/// echo of the input does not pass.
pub(super) fn is_yes(returned: &[u8]) -> bool {
    let word = returned.strip_prefix(&[0]).filter(|word| word.len() == 32);
    word.is_some_and(|word| word.starts_with(&IS_VALID_SIGNATURE) && word.ends_with(&[0; 28]))
}

fn is_valid_signature(hash: &Hash, signature: &[u8]) -> Vec<u8> {
    type Arguments = (sol_data::FixedBytes<32>, sol_data::Bytes);
    let arguments = (FixedBytes::<32>::from(hash.0), Bytes::copy_from_slice(signature));
    let mut data = IS_VALID_SIGNATURE.to_vec();
    data.extend(Arguments::abi_encode_params(&arguments));
    data
}

/// Creation code that calls the factory, queries the wallet, and returns `00 ‖ first word`; the word is zero without an
/// answer. The leading zero avoids the first byte that EIP-3541 forbids.
fn creation_code(
    factory: Option<(AlloyAddress, &[u8])>,
    wallet: Address,
    ask: &[u8],
) -> Result<Vec<u8>, AccountError> {
    let deploy = factory.map_or(&[][..], |(_, deploy)| deploy);
    let length = |bytes: &[u8]| {
        let why = "it is too long (EIP-6492)";
        u16::try_from(bytes.len()).map_err(|_| AccountError::Signature { why })
    };
    let deploy_len = length(deploy)?;
    let ask_len = length(ask)?;
    let program = |deploy_at: u16, ask_at: u16| {
        let mut code = Vec::new();
        if let Some((factory, _)) = factory {
            copy_code(&mut code, deploy_at, deploy_len);
            code.extend([0x60, 0, 0x60, 0]); // nothing of what it returns
            push_u16(&mut code, deploy_len);
            code.extend([0x60, INPUT, 0x60, 0, 0x73]); // no value
            code.extend(factory);
            push_u32(&mut code, FACTORY_GAS);
            code.extend([0xf1, 0x50]); // CALL POP
        }
        copy_code(&mut code, ask_at, ask_len);
        code.extend([0x60, 0, 0x60, 0]);
        push_u16(&mut code, ask_len);
        code.extend([0x60, INPUT, 0x73]);
        code.extend(wallet.0);
        push_u32(&mut code, WALLET_GAS);
        code.push(0xfa); // STATICCALL
        code.extend([0x3d, 0x60, 31, 0x10, 0x16]); // 31 < RETURNDATASIZE, AND success
        let target = u8::try_from(code.len().saturating_add(8)).unwrap_or(u8::MAX);
        code.extend([0x60, target, 0x57]); // PUSH1 JUMPI
        code.extend([0x60, 33, 0x60, 0, 0xf3]); // RETURN(0, 33): zeros
        code.push(0x5b); // JUMPDEST
        code.extend([0x60, 32, 0x60, 0, 0x60, 1, 0x3e]); // RETURNDATACOPY(to 1, from 0, 32)
        code.extend([0x60, 33, 0x60, 0, 0xf3]); // RETURN(0, 33)
        code
    };
    let deploy_at = length(&program(0, 0))?;
    let ask_at = deploy_at.checked_add(deploy_len);
    let ask_at = ask_at.ok_or(AccountError::Signature { why: "it is too long (EIP-6492)" })?;
    let mut code = program(deploy_at, ask_at);
    code.extend_from_slice(deploy);
    code.extend_from_slice(ask);
    Ok(code)
}

/// Memory offset of inputs, behind the answer, so that the answer's place stays zero.
const INPUT: u8 = 64;

fn push_u16(code: &mut Vec<u8>, number: u16) {
    code.push(0x61); // PUSH2
    code.extend(number.to_be_bytes());
}

fn push_u32(code: &mut Vec<u8>, number: u32) {
    code.push(0x63); // PUSH4
    code.extend(number.to_be_bytes());
}

/// CODECOPY(to INPUT, from `at`, `length`).
fn copy_code(code: &mut Vec<u8>, at: u16, length: u16) {
    push_u16(code, length);
    push_u16(code, at);
    code.extend([0x60, INPUT, 0x39]);
}

#[cfg(test)]
mod tests {
    use super::super::SIGNATURE_BYTES_MAX;
    use super::*;

    const WALLET: Address = Address([0x22; 20]);
    const HASH: Hash = Hash([0x33; 32]);

    fn wrap(factory: [u8; 20], deploy: &[u8], inner: &[u8]) -> Vec<u8> {
        type Wrapped = (sol_data::Address, sol_data::Bytes, sol_data::Bytes);
        let parts = (
            AlloyAddress::from(factory),
            Bytes::copy_from_slice(deploy),
            Bytes::copy_from_slice(inner),
        );
        [&Wrapped::abi_encode_params(&parts)[..], &DEPLOY_SUFFIX].concat()
    }

    fn word(first: &[u8], zeros: usize) -> Vec<u8> {
        [first, &vec![0; zeros]].concat()
    }

    /// Byte by byte what the ABI lays down.
    #[test]
    fn a_wallet_is_asked_as_the_eip_says() {
        let call = question(WALLET, &HASH, &[0xaa, 0xbb]).unwrap();
        let mut expected = keccak256("isValidSignature(bytes32,bytes)")[..4].to_vec();
        expected.extend([0x33; 32]);
        expected.extend(word(&[], 31));
        expected.push(64);
        expected.extend(word(&[], 31));
        expected.push(2);
        expected.extend(word(&[0xaa, 0xbb], 30));
        assert!(call.data.ends_with(&expected));
        assert!(call.to.is_none() && !call.from.is_zero());
        assert!(call.data.len() < expected.len() + 100, "no factory is called");
    }

    #[test]
    fn only_the_magic_word_is_a_yes() {
        let magic = [&[0][..], &word(&IS_VALID_SIGNATURE, 28)].concat();
        assert!(is_yes(&magic));
        let echo = [&[0][..], &is_valid_signature(&HASH, b"")[..32]].concat();
        for bad in
            [&[][..], &[0], &magic[1..], &magic[..32], &word(&magic, 1), &word(&[], 33), &echo]
        {
            assert!(!is_yes(bad), "{bad:?}");
        }
        for bit in 0..33 * 8 {
            let mut bent = magic.clone();
            bent[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_yes(&bent), "{bit}");
        }
    }

    #[test]
    fn a_wallet_to_be_deployed_is_asked_behind_its_factory() {
        let wrapped = wrap([0x44; 20], b"deploy it", b"inner");
        let call = question(WALLET, &HASH, &wrapped).unwrap();
        let ask = is_valid_signature(&HASH, b"inner");
        assert!(call.data.ends_with(&[&b"deploy it"[..], &ask].concat()));
        assert!(call.data.windows(20).any(|window| window == [0x44; 20]));
        assert!(!call.data.windows(32).any(|window| window == DEPLOY_SUFFIX));
    }

    #[test]
    fn what_only_ends_like_eip_6492_is_refused() {
        let good = wrap([0x44; 20], b"deploy it", b"inner");
        let twice = wrap([0x44; 20], b"deploy it", &good);
        let cut = [&good[..40], &DEPLOY_SUFFIX].concat();
        // an offset far behind the end
        let mut far = good.clone();
        far[32..64].fill(0xff);
        for bad in [&DEPLOY_SUFFIX[..], &cut, &twice, &far] {
            let error = question(WALLET, &HASH, bad).unwrap_err();
            assert!(matches!(error, AccountError::Signature { .. }), "{error}");
        }
    }

    proptest::proptest! {
        /// Offsets and lengths inside are a stranger's.
        #[test]
        fn no_wrapping_makes_the_reader_panic(
            mut bytes in proptest::collection::vec(0..4_u8, 0..300), offsets in 0..200_u8
        ) {
            for (at, byte) in [(63, 96), (95, offsets)] {
                if let Some(place) = bytes.get_mut(at) {
                    *place = byte;
                }
            }
            bytes.extend(DEPLOY_SUFFIX);
            let _ = question(WALLET, &HASH, &bytes);
        }

        #[test]
        fn the_longest_signature_fits_creation_code(deploy in 0..SIGNATURE_BYTES_MAX - 300) {
            let inner = SIGNATURE_BYTES_MAX - 300 - deploy;
            let wrapped = wrap([0x44; 20], &vec![1; deploy], &vec![2; inner]);
            let call = question(WALLET, &HASH, &wrapped).unwrap();
            proptest::prop_assert!(call.data.len() < 49_152, "EIP-3860");
        }
    }
}

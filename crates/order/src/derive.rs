//! Computed event fields, by protocol rules.

use alloy_primitives::{Address, B256, U256, address, keccak256};
use alloy_rlp::Encodable;

use crate::context::{Context, Fields, Scalar};

/// Fields from the function with this name; `None` for an event of another form.
pub(crate) fn fields(name: &str, event: &Context<'_>) -> Option<Fields> {
    match name {
        "op_message" => op_message(event),
        "scroll_message" => scroll_message(event),
        "cctp_burn" => Some(vec![("domain", own_number(event)?)]),
        "cctp_v1_body" => cctp_v1_body(event),
        "cctp_v2_burn" => cctp_v2_burn(event),
        "cctp_v2_body" => cctp_v2_body(event),
        "arbitrum_ticket" => arbitrum_ticket(event),
        "synapse_request" => Some(synapse_request(event).unwrap_or_default()),
        "synapse_kappa" => synapse_kappa(event),
        "stargate_seat" => stargate_seat(event),
        "wormhole_transfer" => wormhole_transfer(event),
        _ => None,
    }
}

fn own_number(event: &Context<'_>) -> Option<Scalar> {
    Some(Scalar::number(U256::from(event.protocol.number_of(event.place.chain.id.0)?)))
}

/// Call with these words, one of them an offset to bytes at the end, in Solidity encoding.
fn call(signature: &str, words: &[[u8; 32]], bytes_at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut out = keccak256(signature.as_bytes())[..4].to_vec();
    let offset = U256::from((words.len() + 1) * 32).to_be_bytes::<32>();
    let (before, after) = words.split_at(bytes_at);
    for word in before.iter().chain(std::iter::once(&offset)).chain(after) {
        out.extend_from_slice(word);
    }
    out.extend_from_slice(&U256::from(bytes.len()).to_be_bytes::<32>());
    out.extend_from_slice(bytes);
    out.resize(out.len() + bytes.len().next_multiple_of(32) - bytes.len(), 0);
    out
}

/// OP stack message (Hashing.sol): version 0 or 1, by the first two bytes of the nonce.
fn op_message(event: &Context<'_>) -> Option<Fields> {
    let word = |name: &str| event.scalar(name).map(|scalar| scalar.bytes);
    let target = word("target")?;
    let sender = word("sender")?;
    let nonce = word("messageNonce")?;
    let gas = word("gasLimit")?;
    let message = event.bytes("message")?;
    let hash_v1 = |value, gas| {
        let signature = "relayMessage(uint256,address,address,uint256,uint256,bytes)";
        Scalar::hash(keccak256(call(signature, &[nonce, sender, target, value, gas], 5, message)))
    };
    match u16::from_be_bytes([nonce[0], nonce[1]]) {
        0 => {
            let signature = "relayMessage(address,address,bytes,uint256)";
            let encoded = call(signature, &[target, sender, nonce], 2, message);
            let relayed_as = hash_v1(migrated_value(&sender, message), [0; 32]);
            Some(vec![("message", Scalar::hash(keccak256(encoded))), ("relayed_as", relayed_as)])
        }
        1 => Some(vec![("message", hash_v1(word("with.value")?, gas))]),
        _ => None,
    }
}

/// Ether that a message of version 0 carries when Bedrock relays it as version 1, without a gas limit: the amount of a
/// withdrawal of ether by the standard bridge. Source: op-chain-ops `LegacyWithdrawal.Value`, `MigrateWithdrawal`.
fn migrated_value(sender: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let bridge = address!("4200000000000000000000000000000000000010").into_word();
    let selector = &keccak256("finalizeETHWithdrawal(address,address,uint256,bytes)")[..4];
    let amount =
        message.strip_prefix(selector).and_then(|words| words.get(64..96)?.try_into().ok());
    amount.filter(|_| *sender == bridge.0).unwrap_or_default()
}

/// ScrollMessengerBase.sol: `relayMessage(from, to, value, nonce, message)`.
fn scroll_message(event: &Context<'_>) -> Option<Fields> {
    let word = |name: &str| event.scalar(name).map(|scalar| scalar.bytes);
    let words = [word("sender")?, word("target")?, word("value")?, word("messageNonce")?];
    let signature = "relayMessage(address,address,uint256,uint256,bytes)";
    let encoded = call(signature, &words, 4, event.bytes("message")?);
    Some(vec![("message", Scalar::hash(keccak256(encoded)))])
}

/// A message body's word, after the 4-byte version.
fn body_word(body: &[u8], index: usize) -> Option<[u8; 32]> {
    let begin = 4 + index * 32;
    body.get(begin..begin + 32)?.try_into().ok()
}

/// BurnMessage.sol: version, burnToken, mintRecipient, amount, messageSender.
fn cctp_v1_body(event: &Context<'_>) -> Option<Fields> {
    let body = event.bytes("messageBody")?;
    if body.len() != 4 + 4 * 32 || body[..4] != [0; 4] {
        return None; // another message than a burn
    }
    let word = |index| body_word(body, index).map(Scalar::word);
    Some(vec![
        ("domain", event.scalar("sourceDomain")?),
        ("body.burnToken", word(0)?),
        ("body.mintRecipient", word(1)?),
        ("body.amount", word(2)?),
        ("body.sender", word(3)?),
    ])
}

/// Hash over the burn fields known on both sides in version 2: source, destination, token, recipient, amount, sender,
/// maximum fee, hook data. Charged fee and expiration block are set in transit.
fn cctp_v2_id(source: U256, destination: U256, words: [[u8; 32]; 5], hook: &[u8]) -> Scalar {
    let mut bytes = [source.to_be_bytes::<32>(), destination.to_be_bytes::<32>()].concat();
    bytes.extend(words.iter().flatten());
    bytes.extend_from_slice(keccak256(hook).as_slice());
    Scalar::hash(keccak256(bytes))
}

fn cctp_v2_burn(event: &Context<'_>) -> Option<Fields> {
    let word = |name: &str| event.scalar(name).map(|scalar| scalar.bytes);
    let words = [
        word("burnToken")?,
        word("mintRecipient")?,
        word("amount")?,
        word("depositor")?,
        word("maxFee")?,
    ];
    let own = own_number(event)?;
    let to = event.scalar("destinationDomain")?.as_u256();
    let id = cctp_v2_id(own.as_u256(), to, words, event.bytes("hookData")?);
    Some(vec![("domain", own), ("message", id)])
}

/// BurnMessageV2.sol: version, burnToken, mintRecipient, amount, messageSender, maxFee, feeExecuted, expirationBlock,
/// hookData.
fn cctp_v2_body(event: &Context<'_>) -> Option<Fields> {
    let body = event.bytes("messageBody")?;
    if body.get(..4)? != [0, 0, 0, 1] {
        return None;
    }
    let word = |index| body_word(body, index);
    let hook = body.get(4 + 7 * 32..)?;
    let words = [word(0)?, word(1)?, word(2)?, word(3)?, word(4)?];
    let from = event.scalar("sourceDomain")?;
    let id = cctp_v2_id(from.as_u256(), own_number(event)?.as_u256(), words, hook);
    let mut fields = vec![("domain", from), ("message", id)];
    fields.push(("body.mintRecipient", Scalar::word(words[1])));
    fields.push(("body.amount", Scalar::word(words[2])));
    if let (Some(minted), Some(fee)) =
        (event.scalar("with.amount"), event.scalar("with.feeCollected"))
    {
        fields.push(("paid", Scalar::number(minted.as_u256().saturating_add(fee.as_u256()))));
    }
    Some(fields)
}

/// Bridge message kind for a submitted retryable.
const RETRYABLE: u64 = 9;

/// Ticket id: hash of the creating transaction, `69 ‖ rlp(..)`. Source: Nitro, `ArbitrumSubmitRetryableTx`.
fn arbitrum_ticket(event: &Context<'_>) -> Option<Fields> {
    let data = event.bytes("data")?;
    let said = |name: &str| event.scalar(name).map(|scalar| scalar.as_u256());
    let number = said("messageNum")?;
    let is_its = said("with.messageIndex")? == number
        && said("with.kind")? == U256::from(RETRYABLE)
        && event.scalar("with.messageDataHash")?.bytes == keccak256(data).0;
    if !is_its {
        return None;
    }
    let word = |index: usize| {
        let bytes: [u8; 32] = data.get(index * 32..index * 32 + 32)?.try_into().ok()?;
        Some(U256::from_be_bytes(bytes))
    };
    let address = |value: U256| Address::from_word(B256::from(value.to_be_bytes::<32>()));
    let to = word(0)?;
    let call_value = word(1)?;
    let deposit = word(2)?;
    let submission = word(3)?;
    let excess_to = word(4)?;
    let value_to = word(5)?;
    let gas = word(6)?;
    let gas_price = word(7)?;
    let length = usize::try_from(word(8)?).ok()?;
    let input = data.get(9 * 32..).filter(|input| input.len() == length)?;
    let to = if to.is_zero() { Vec::new() } else { address(to).to_vec() };
    let number_of = |value: U256| value.to_be_bytes_trimmed_vec();
    let items = [
        number_of(U256::from(event.contract.peer?)),
        number.to_be_bytes::<32>().to_vec(),
        address(event.scalar("with.sender")?.as_u256()).to_vec(),
        number_of(said("with.baseFeeL1")?),
        number_of(deposit),
        number_of(gas_price),
        number_of(gas),
        to,
        number_of(call_value),
        address(value_to).to_vec(),
        number_of(submission),
        address(excess_to).to_vec(),
        input.to_vec(),
    ];
    let mut fields = Vec::new();
    items.iter().for_each(|item| item.as_slice().encode(&mut fields));
    let mut bytes = vec![0x69];
    alloy_rlp::Header { list: true, payload_length: fields.len() }.encode(&mut bytes);
    bytes.extend_from_slice(&fields);
    Some(vec![
        ("ticketId", Scalar::hash(keccak256(bytes))),
        ("ticket.deposit", Scalar::number(deposit)),
        ("ticket.callValue", Scalar::number(call_value)),
    ])
}

/// BridgeTransaction (IFastBridge.sol): twelve words, the eleventh is the deadline. `None` for another version.
fn synapse_request(event: &Context<'_>) -> Option<Fields> {
    let request = event.bytes("request").filter(|request| request.len() == 12 * 32)?;
    let deadline: [u8; 32] = request.get(10 * 32..11 * 32)?.try_into().ok()?;
    Some(vec![("deadline", Scalar::number(U256::from_be_bytes(deadline)))])
}

/// Synapse transfer id: Keccak-256 of the transaction hash as text.
fn synapse_kappa(event: &Context<'_>) -> Option<Fields> {
    let text = event.tx_hash?.to_string();
    Some(vec![("kappa", Scalar::hash(keccak256(text.as_bytes())))])
}

/// BridgeStructs.sol: payload 1 is a transfer, 3 a transfer with a call. Amount, token, token chain, recipient,
/// recipient chain.
fn wormhole_transfer(event: &Context<'_>) -> Option<Fields> {
    let payload = event.bytes("payload")?;
    if !matches!(payload.first()?, 1 | 3) {
        return None;
    }
    let amount: [u8; 32] = payload.get(1..33)?.try_into().ok()?;
    let chain: [u8; 2] = payload.get(99..101)?.try_into().ok()?;
    Some(vec![
        ("emitterChainId", own_number(event)?),
        ("emitterAddress", Scalar::word(event.scalar("sender")?.bytes)),
        ("amount", Scalar::number(U256::from_be_bytes(amount))),
        ("toChain", Scalar::number(U256::from(u16::from_be_bytes(chain)))),
    ])
}

/// Chain whose Stargate pools have 18 decimals for tokens with 6 elsewhere.
const WIDE_DOLLARS: u64 = 56;

/// Recipient and amount: a BusCodec.sol passenger has asset, receiver, amount, and a flag for gas.
fn stargate_seat(event: &Context<'_>) -> Option<Fields> {
    let receiver = match event.bytes("with.passenger") {
        Some(passenger) => Scalar::word(passenger.get(2..34)?.try_into().ok()?),
        None => event.scalar("toAddress").or_else(|| event.scalar("receiver"))?,
    };
    let amount = event.scalar("amountReceivedLD").or_else(|| event.scalar("amountLD"))?.as_u256();
    let unit = match event.place.chain.id.0 {
        WIDE_DOLLARS => U256::from(10_u64.pow(12)),
        _ => U256::ONE,
    };
    Some(vec![("seat.receiver", receiver), ("seat.amount", Scalar::number(amount / unit))])
}

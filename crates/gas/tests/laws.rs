//! Laws over random inputs: second computations, bounds, and bytes that were made up.

use alloy_consensus::{
    SignableTransaction, Transaction, TxEip1559, TxEip2930, TxEnvelope, TxLegacy,
};
use alloy_eips::eip1559::{BaseFeeParams, calc_next_block_base_fee};
use alloy_eips::eip2718::Encodable2718;
use alloy_primitives::{Signature, U256};
use proptest::prelude::*;
use superroot_gas::base_fee::{
    BaseFeeRule, BaseFeeStep, GasTarget, OpParameters, Parent, next_base_fee,
};
use superroot_gas::blob::{BlobParent, BlobRule, blob_base_fee, next_excess};
use superroot_gas::l1_fee::{L1Attributes, L1Prices, OperatorFee, Weighing};
use superroot_gas::tips::{Offer, PaidTip, percentiles, tips};

/// `elasticity`, `denominator` as a rule.
fn rule(elasticity: u32, denominator: u32) -> BaseFeeRule {
    BaseFeeRule::Eip1559(BaseFeeStep {
        target: GasTarget::Elasticity(elasticity),
        denominator,
        floor: 0,
        overhead: 0,
    })
}

/// EIP-1559 as the proposal writes it, in big integers.
fn by_the_proposal(
    base_fee: u64,
    limit: u64,
    used: u64,
    elasticity: u64,
    denominator: u64,
) -> U256 {
    let (base, target) = (U256::from(base_fee), U256::from(limit / elasticity));
    let used = U256::from(used);
    let denominator = U256::from(denominator);
    if used == target {
        base
    } else if used > target {
        base + (base * (used - target) / target / denominator).max(U256::from(1))
    } else {
        base - base * (target - used) / target / denominator
    }
}

proptest! {
    #[test]
    fn base_fees_are_those_of_the_proposal_and_of_clients(
        base_fee in 0..1_000_000_000_000_000_u64,
        limit in 5_000..2_000_000_000_u64,
        part in 0..=1_000_u64,
        elasticity in 1..20_u32,
        denominator in 1..500_u32,
    ) {
        let used = limit / 1_000 * part;
        let parent = Parent { base_fee: Some(base_fee), gas_limit: limit, gas_used: used, ..Parent::default() };
        let says = next_base_fee(&rule(elasticity, denominator), &parent).unwrap();
        let expected = by_the_proposal(base_fee, limit, used, elasticity.into(), denominator.into());
        prop_assert_eq!(U256::from(says), expected);
        let params = BaseFeeParams::new(denominator.into(), elasticity.into());
        prop_assert_eq!(says, calc_next_block_base_fee(used, limit, base_fee, params));
    }

    /// A header that was made up gives a figure or a reason, never a panic, and no figure below the floor.
    #[test]
    fn no_header_makes_the_rule_panic(
        base_fee: Option<u64>, gas_limit: u64, gas_used: u64, blob_gas_used: Option<u64>,
        extra_data in proptest::collection::vec(any::<u8>(), 0..40), version in 0..3_u8,
        numbers in any::<(u32, u32, u32, u64, u64)>(),
    ) {
        let (elasticity, percent, denominator, floor, overhead) = numbers;
        let mut extra_data = extra_data;
        if let Some(first) = extra_data.first_mut() { *first = version; }
        let parent = Parent { base_fee, gas_limit, gas_used, blob_gas_used, extra_data: &extra_data };
        for target in [GasTarget::Elasticity(elasticity), GasTarget::Percent(percent)] {
            let moves = BaseFeeStep { target, denominator, floor, overhead };
            for rule in [BaseFeeRule::Eip1559(moves), BaseFeeRule::OpStack(moves)] {
                let says = next_base_fee(&rule, &parent);
                prop_assert!(!rule.describe(&parent).is_empty());
                if let (BaseFeeRule::Eip1559(_), Ok(says)) = (&rule, says) {
                    prop_assert!(says >= floor);
                }
            }
        }
    }

    /// Jovian: the least fee holds, and data counts as gas where it weighs more.
    #[test]
    fn the_least_fee_and_the_weight_of_data_count(
        base_fee in 1..1_000_000_000_u64, used in 0..30_000_000_u64, data in 0..60_000_000_u64,
        least in 0..2_000_000_000_u64, elasticity in 1..10_u32, denominator in 1..300_u32,
    ) {
        let mut extra_data = vec![1];
        extra_data.extend_from_slice(&denominator.to_be_bytes());
        extra_data.extend_from_slice(&elasticity.to_be_bytes());
        extra_data.extend_from_slice(&least.to_be_bytes());
        let named = OpParameters::read(&extra_data).unwrap();
        prop_assert_eq!(named.min_base_fee, Some(least));
        let parent = Parent {
            base_fee: Some(base_fee), gas_limit: 60_000_000, gas_used: used, blob_gas_used: Some(data),
            extra_data: &extra_data,
        };
        let moves = BaseFeeStep { target: GasTarget::Elasticity(6), denominator: 250, floor: 0, overhead: 0 };
        let says = next_base_fee(&BaseFeeRule::OpStack(moves), &parent).unwrap();
        let counted = used.max(data);
        let moved = by_the_proposal(base_fee, 60_000_000, counted, elasticity.into(), denominator.into());
        prop_assert_eq!(U256::from(says), moved.max(U256::from(least)));
        for cut in 0..extra_data.len() {
            prop_assert_eq!(OpParameters::read(&extra_data[..cut]), None);
        }
    }

    /// The fee of a blob is e to the excess, and grows with it.
    #[test]
    fn blob_fees_are_exponential(excess in 0..199_000_000_u64, used in 0..3_000_000_u64, base_fee in 0..1_000_000_000_000_u64) {
        let rules = blobs();
        let fee = blob_base_fee(&rules, excess, 10).unwrap();
        let exact = (excess as f64 / 5_007_716.0).exp();
        prop_assert!((fee as f64) <= exact * 1.000_001 + 1.0 && (fee as f64) >= exact * 0.999_999 - 1.0, "{} {}", fee, exact);
        prop_assert!(blob_base_fee(&rules, excess + 1_000_000, 10).unwrap() >= fee + u128::from(fee > 10));
        let parent = BlobParent { blob_gas_used: used, excess_blob_gas: excess, base_fee };
        // EIP-7918: where blobs are cheaper than what a base fee reserves, the excess does not fall
        let next = next_excess(&rules, &parent, 10).unwrap();
        let expected = if excess + used < 786_432 { 0 }
            else if 8_192 * u128::from(base_fee) > 131_072 * fee { excess + used * 3 / 9 }
            else { excess + used - 786_432 };
        prop_assert_eq!(next, expected);
    }

    #[test]
    fn no_header_makes_blobs_panic(blob_gas_used: u64, excess_blob_gas: u64, base_fee: u64, time: u64) {
        let parent = BlobParent { blob_gas_used, excess_blob_gas, base_fee };
        let _ = next_excess(&blobs(), &parent, time);
        let _ = blob_base_fee(&blobs(), excess_blob_gas, time);
    }

    /// The percentile is the least tip with which so much of the gas is reached.
    #[test]
    fn percentiles_are_the_least_that_reach_the_gas(
        entries in proptest::collection::vec((0..50_u128, 1..1_000_u64), 1..60), percent in 0..=100_u32,
    ) {
        let mut paid: Vec<PaidTip> = entries.iter().map(|(tip, gas)| PaidTip { tip: *tip, gas: *gas }).collect();
        let all: u128 = paid.iter().map(|one| u128::from(one.gas)).sum();
        let [says] = percentiles(&mut paid, [percent]).unwrap();
        let up_to = |tip: u128| -> u128 {
            paid.iter().filter(|one| one.tip <= tip).map(|one| u128::from(one.gas)).sum()
        };
        prop_assert!(up_to(says) >= all * u128::from(percent) / 100);
        let below: u128 = paid.iter().filter(|one| one.tip < says).map(|one| u128::from(one.gas)).sum();
        prop_assert!(below < all * u128::from(percent) / 100 || below == 0);
        let split: Vec<&[PaidTip]> = paid.chunks(7).collect();
        let together = tips(split.iter().copied()).unwrap();
        let [slow, standard, fast] = percentiles(&mut paid.clone(), [10, 50, 90]).unwrap();
        prop_assert_eq!((together.slow, together.standard, together.fast), (slow, standard, fast));
        prop_assert_eq!((together.block_count, together.tx_count), (split.len(), paid.len()));
    }

    /// What is read of a leaf is what the crate reads that clients use.
    #[test]
    fn offers_are_those_of_the_transaction(
        price: u128, tip: u128, cap: u128, nonce: u64, base_fee: u64, kind in 0..3_u8,
        input in proptest::collection::vec(any::<u8>(), 0..80),
    ) {
        let signature = Signature::test_signature();
        let input = input.into();
        let envelope: TxEnvelope = match kind {
            0 => TxLegacy { nonce, gas_price: price, input, chain_id: Some(1), ..Default::default() }
                .into_signed(signature).into(),
            1 => TxEip2930 { nonce, gas_price: price, input, ..Default::default() }.into_signed(signature).into(),
            _ => TxEip1559 {
                nonce, max_fee_per_gas: cap, max_priority_fee_per_gas: tip, input, ..Default::default()
            }.into_signed(signature).into(),
        };
        let leaf = envelope.encoded_2718();
        let offer = Offer::read(&leaf).unwrap().unwrap();
        let expected = envelope.effective_tip_per_gas(base_fee).unwrap_or(0);
        prop_assert_eq!(offer.tip(base_fee), expected);
        for cut in 0..leaf.len().min(40) {
            prop_assert!(Offer::read(&leaf[..cut]).is_err());
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), first: u8) {
        let mut bytes = bytes;
        if let Some(byte) = bytes.first_mut() { *byte = first; }
        let _ = Offer::read(&bytes);
        let _ = superroot_gas::tips::cumulative_gas(&bytes);
        let _ = L1Attributes::read(&bytes);
    }

    /// Every byte of what a block tells of its L1 counts, none can be missing, and no price passes 256 bits unseen.
    #[test]
    fn l1_attributes_are_read_whole(
        fields in (any::<u32>(), any::<u32>(), any::<u64>(), any::<u64>(), any::<[u8; 32]>(), any::<[u8; 32]>()),
        leaf in proptest::collection::vec(any::<u8>(), 0..2_000),
    ) {
        let (base_scalar, blob_scalar, time, number, base, blob) = fields;
        let mut data = vec![0x44, 0x0a, 0x5e, 0x20];
        data.extend_from_slice(&base_scalar.to_be_bytes());
        data.extend_from_slice(&blob_scalar.to_be_bytes());
        data.extend_from_slice(&[0; 8]);
        data.extend_from_slice(&time.to_be_bytes());
        data.extend_from_slice(&number.to_be_bytes());
        data.extend_from_slice(&base);
        data.extend_from_slice(&blob);
        data.extend_from_slice(&[7; 64]);
        let attributes = L1Attributes::read(&deposit(&data)).unwrap();
        prop_assert_eq!((attributes.number, attributes.timestamp), (number, time));
        prop_assert_eq!(attributes.base_fee, U256::from_be_bytes(base));
        for length in 0..data.len() {
            prop_assert!(L1Attributes::read(&deposit(&data[..length])).is_err());
        }
        data.push(0);
        prop_assert!(L1Attributes::read(&deposit(&data)).is_err());
        for weighing in [Weighing::Bedrock, Weighing::Ecotone, Weighing::Fjord] {
            let _ = attributes.fee(weighing, &leaf);
        }
    }

    /// FastLZ lengths of any bytes: the least, and more for more.
    #[test]
    fn compressed_lengths_never_panic(byte: u8, count in 0..5_000_usize, noise in proptest::collection::vec(any::<u8>(), 0..5_000)) {
        let same = vec![byte; count];
        prop_assert!(op_alloy_flz::flz_compress_len(&same) as usize <= count + count / 32 + 1);
        prop_assert!(op_alloy_flz::flz_compress_len(&noise) as usize <= noise.len() + noise.len() / 32 + 1);
    }
}

fn blobs() -> Vec<BlobRule> {
    vec![BlobRule { from_time: 0, params: alloy_eips::eip7840::BlobParams::osaka() }]
}

/// A deposit to the contract with that data.
fn deposit(data: &[u8]) -> Vec<u8> {
    let mut to = [0; 20];
    (to[0], to[19]) = (0x42, 0x15);
    let mut payload = Vec::new();
    let empty: &[u8] = &[];
    for field in [&[1; 32][..], &[2; 20], &to, empty, empty, &[9], empty, data] {
        alloy_rlp::Encodable::encode(&field, &mut payload);
    }
    let mut leaf = vec![0x7e];
    alloy_rlp::Header { list: true, payload_length: payload.len() }.encode(&mut leaf);
    leaf.extend(payload);
    leaf
}

#[test]
fn only_the_deposit_to_the_contract_tells_of_the_l1() {
    let good = deposit(&[&[0x01, 0x5d, 0x8e, 0xb9][..], &[0; 256]].concat());
    assert!(L1Attributes::read(&good).is_ok());
    let mut other_contract = good.clone();
    let at = good.windows(2).position(|pair| pair == [0x94, 0x42]).unwrap();
    other_contract[at + 20] = 0x16;
    assert!(L1Attributes::read(&other_contract).unwrap_err().0.contains("tells nothing"));
    let mut other_type = good;
    other_type[0] = 2;
    assert!(L1Attributes::read(&other_type).is_err());
}

/// Since Isthmus in millionths, since Jovian a hundredfold; before there is none.
#[test]
fn the_operator_fee_is_that_of_its_fork() {
    let prices = |operator, da_footprint_gas_scalar| L1Attributes {
        number: 1,
        timestamp: 1,
        base_fee: U256::ZERO,
        prices: L1Prices::Ecotone {
            base_fee_scalar: 0,
            blob_base_fee_scalar: 0,
            blob_base_fee: U256::ZERO,
            operator,
            da_footprint_gas_scalar,
        },
    };
    let operator = Some(OperatorFee { scalar: 1_439_103_868, constant: 1_256_417_826_609 });
    let fee = |attributes: L1Attributes, gas| attributes.operator_fee(gas).to_string();
    assert_eq!(fee(prices(None, None), 180_000), "0");
    // 180,000 · 1,439,103,868 / 10^6 and the constant
    assert_eq!(
        fee(prices(operator, None), 180_000),
        (259_038_696_u64 + 1_256_417_826_609).to_string()
    );
    let jovian = 180_000_u128 * 1_439_103_868 * 100 + 1_256_417_826_609;
    assert_eq!(fee(prices(operator, Some(400)), 180_000), jovian.to_string());
    let most = Some(OperatorFee { scalar: u32::MAX, constant: u64::MAX });
    let beyond_64_bits = prices(most, Some(1)).operator_fee(u64::MAX);
    assert!(beyond_64_bits > U256::from(u64::MAX));
}

//! Wallet addresses as typed by people.

use superroot_types::{Address, ParseHexError};

use crate::AccountError;

/// Parses a wallet address. Mixed case must match the checksum (EIP-55); digits in one case are taken as they are.
///
/// # Errors
/// [`AccountError::Address`] with the fault; also for the zero address, which has no owner.
///
/// ```
/// use superroot_account::parse_wallet;
/// assert!(parse_wallet("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed").is_ok());
/// assert!(parse_wallet("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD").is_err());
/// ```
pub fn parse_wallet(text: &str) -> Result<Address, AccountError> {
    let refuse = |why| Err(AccountError::Address { why });
    let address: Address = match text.parse() {
        Ok(address) => address,
        Err(ParseHexError::Prefix) => return refuse("expected 0x"),
        Err(ParseHexError::Length { .. }) => return refuse("expected 40 hex digits"),
        Err(ParseHexError::Digit) => return refuse("a character is not a hex digit"),
    };
    if address.is_zero() {
        return refuse("the zero address is nobody's");
    }
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let has = |case: fn(&u8) -> bool| digits.as_bytes().iter().any(case);
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    if is_mixed && text != show_wallet(&address) {
        return refuse("its checksum is wrong (EIP-55): a digit or a letter's case differs");
    }
    Ok(address)
}

/// Address with checksum case (EIP-55), as wallets show it.
#[must_use]
pub fn show_wallet(address: &Address) -> String {
    alloy_primitives::Address::from(address.0).to_checksum(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test cases of EIP-55.
    const GOOD: [&str; 8] = [
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
        "0xde709f2102306220921060314715629080e2fb77",
        "0x27b1fdb04752bbc536007a920d24acb045561c26",
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
        "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    ];

    #[test]
    fn the_cases_of_the_eip_are_read_and_shown_as_they_stand() {
        for text in GOOD {
            assert_eq!(show_wallet(&parse_wallet(text).unwrap()), text);
        }
    }

    #[test]
    fn one_case_throughout_needs_no_checksum() {
        for text in GOOD {
            let address = parse_wallet(text).unwrap();
            assert_eq!(parse_wallet(&text.to_lowercase()).unwrap(), address);
            let upper = format!("0x{}", text[2..].to_uppercase());
            assert_eq!(parse_wallet(&upper).unwrap(), address);
        }
    }

    #[test]
    fn any_letter_of_another_case_is_refused_by_name() {
        let good = GOOD[4];
        for (place, character) in good.char_indices().skip(2) {
            if character.is_ascii_alphabetic() {
                let mut bad = good.as_bytes().to_vec();
                bad[place] ^= 0x20;
                let error = parse_wallet(std::str::from_utf8(&bad).unwrap()).unwrap_err();
                assert!(error.to_string().contains("EIP-55"), "{error}");
            }
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_reason() {
        let why = |text: &str| parse_wallet(text).unwrap_err().to_string();
        assert!(why("").contains("0x"));
        assert!(why(&GOOD[0].replace("0x", "0X")).contains("0x"));
        assert!(why("0x00").contains("40 hex digits"));
        assert!(why(&format!("{} ", GOOD[0])).contains("40 hex digits"));
        assert!(why(&format!("0x{}", "g".repeat(40))).contains("not a hex digit"));
        assert!(why(&format!("0x{}", "é".repeat(20))).contains("not a hex digit"));
        assert!(why(&format!("0x{}", "0".repeat(40))).contains("zero address"));
    }
}

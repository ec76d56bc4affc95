//! Set of signers pinned by an operator.

use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};
use superroot_types::{Hash, SAFE_INTEGER_MAX};

/// Set of signers by number and id. Text: `NUMBER:ID`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SetPin {
    /// Number, as counted by the chain.
    pub number: u64,
    /// Id.
    pub id: Hash,
}

/// Malformed pin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{got:?}, expected the set's number and its id of 32 bytes: 1770:0x..")]
pub struct NotAPin {
    got: String,
}

impl FromStr for SetPin {
    type Err = NotAPin;

    fn from_str(text: &str) -> Result<Self, NotAPin> {
        let read = || {
            let (number, id) = text.split_once(':')?;
            let number = number.parse().ok().filter(|number| *number <= SAFE_INTEGER_MAX)?;
            Some(Self { number, id: id.parse().ok()? })
        };
        read().ok_or_else(|| NotAPin { got: text.to_owned() })
    }
}

impl TryFrom<String> for SetPin {
    type Error = NotAPin;

    fn try_from(text: String) -> Result<Self, NotAPin> {
        text.parse()
    }
}

impl From<SetPin> for String {
    fn from(pin: SetPin) -> Self {
        pin.to_string()
    }
}

impl fmt::Display for SetPin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.number, self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_a_number_and_an_id() {
        let text = format!("1770:0x{}", "ab".repeat(32));
        let pin: SetPin = text.parse().unwrap();
        assert_eq!((pin.number, pin.id, pin.to_string()), (1_770, Hash([0xab; 32]), text));
        for wrong in ["", "1770", "1770:", ":0x00", "-1:0x00", "9007199254740992:0x00"] {
            let wrong = wrong.replace("0x00", &format!("0x{}", "ab".repeat(32)));
            assert!(wrong.parse::<SetPin>().is_err(), "{wrong}");
        }
    }
}

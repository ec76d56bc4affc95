use alloc::string::String;

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    Address, BlockNumber, ChainId, Family, Hash, LeafCount, LeafIndex, LogSize, Network, RowIndex,
    SAFE_INTEGER_MAX, Sequence, TwigIndex, TwigSlot, UnixSeconds,
};

macro_rules! as_hex {
    ($($name:ident),*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                // a proof has dozens of them: none takes memory of its own
                serializer.serialize_str(const_hex::Buffer::<_, true>::new().format(&self.0))
            }
        }
    )*};
}

as_hex!(Hash, Address);

impl Serialize for Family {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

macro_rules! of_text {
    ($($name:ty),*) => {$(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )*};
}

of_text!(Hash, Address, Family, Network);

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

macro_rules! as_integer {
    ($($name:ident),*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u64(u64::from(self.0))
            }
        }
    )*};
}

as_integer!(ChainId, BlockNumber, UnixSeconds);
as_integer!(LeafIndex, LeafCount, TwigIndex, TwigSlot, Sequence, LogSize, RowIndex);

/// Reads chain ids and block numbers, always below 2^53.
macro_rules! of_safe_integer {
    ($($name:ident),*) => {$(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = u64::deserialize(deserializer)?;
                if value > SAFE_INTEGER_MAX {
                    let expected = "an integer from 0 to 2^53 - 1";
                    return Err(D::Error::invalid_value(Unexpected::Unsigned(value), &expected));
                }
                Ok(Self(value))
            }
        }
    )*};
}

of_safe_integer!(ChainId, BlockNumber);

impl<'de> Deserialize<'de> for UnixSeconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_written_as_plain_integers() {
        let slot = TwigSlot::LAST;
        let written = serde_json::to_string(&(LeafIndex(1), Sequence(u64::MAX), RowIndex(3), slot));
        assert_eq!(written.unwrap(), "[1,18446744073709551615,3,2047]");
    }

    #[test]
    fn ids_and_block_numbers_of_2_to_the_53_are_refused() {
        let read = |text: &str| serde_json::from_str::<BlockNumber>(text);
        assert_eq!(read("9007199254740991").unwrap(), BlockNumber(SAFE_INTEGER_MAX));
        for text in ["9007199254740992", "18446744073709551615", "-1", "1.5"] {
            assert!(read(text).is_err(), "{text}");
            assert!(serde_json::from_str::<ChainId>(text).is_err(), "{text}");
        }
        let error = read("9007199254740992").unwrap_err().to_string();
        assert!(error.contains("expected an integer from 0 to 2^53 - 1"), "{error}");
    }
}

use core::fmt;
use core::ops::RangeInclusive;

/// Setting outside its range; the message begins with the key: `collect.attempts_max is 0, expected 1 to 1000`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfBounds {
    /// Key within the section.
    pub key: &'static str,
    /// Value found.
    pub got: u64,
    /// Allowed range.
    pub expected: RangeInclusive<u64>,
}

impl OutOfBounds {
    /// Checks settings: key, value, allowed range.
    ///
    /// # Errors
    /// First setting out of range.
    pub fn check(
        settings: impl IntoIterator<Item = (&'static str, u64, RangeInclusive<u64>)>,
    ) -> Result<(), Self> {
        let mut settings = settings.into_iter();
        match settings.find(|(_, got, expected)| !expected.contains(got)) {
            Some((key, got, expected)) => Err(Self { key, got, expected }),
            None => Ok(()),
        }
    }
}

impl fmt::Display for OutOfBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, got, expected } = self;
        write!(f, "{key} is {got}, expected {} to {}", expected.start(), expected.end())
    }
}

impl core::error::Error for OutOfBounds {}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn the_first_setting_out_of_bounds_is_named() {
        assert!(OutOfBounds::check([("a", 1, 1..=9), ("b", 9, 1..=9)]).is_ok());
        for wrong in [0, 10] {
            let error = OutOfBounds::check([("a", 5, 1..=9), ("b", wrong, 1..=9)]).unwrap_err();
            assert_eq!(error.to_string(), alloc::format!("b is {wrong}, expected 1 to 9"));
        }
    }
}

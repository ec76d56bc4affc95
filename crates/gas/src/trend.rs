use crate::{Figure, NoFigure};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriceDirection {
    /// Up by one percent or more.
    Rising,
    /// Down by one percent or more.
    Falling,
    Steady,
}

/// Price movement over the newest blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    pub direction: PriceDirection,
    /// Change from oldest to newest, in percent of the oldest.
    pub change_percent: f64,
    pub block_count: usize,
}

/// Price trend; prices newest first.
pub(crate) fn trend(prices: &[f64]) -> Figure<Trend> {
    let (Some(newest), Some(oldest)) = (prices.first(), prices.last()) else {
        return Err(NoFigure::of("its blocks have no price"));
    };
    if prices.len() < 2 {
        return Err(NoFigure::of("one block shows no trend"));
    }
    let change = match (*oldest > 0.0, *newest > 0.0) {
        (true, _) => (newest - oldest) / oldest * 100.0,
        (false, false) => 0.0,
        (false, true) => {
            return Err(NoFigure::of("the price was zero before: no percentage says how it rose"));
        }
    };
    let change_percent = rounded(change, 2);
    let direction = match change_percent {
        change if change >= 1.0 => PriceDirection::Rising,
        change if change <= -1.0 => PriceDirection::Falling,
        _ => PriceDirection::Steady,
    };
    Ok(Trend { direction, change_percent, block_count: prices.len() })
}

pub(crate) fn rounded(value: f64, places: i32) -> f64 {
    let unit = 10_f64.powi(places);
    (value * unit).round() / unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_is_from_the_oldest_to_the_newest() {
        let of = |prices: &[f64]| trend(prices).map(|it| (it.direction, it.change_percent));
        assert_eq!(of(&[110.0, 90.0, 100.0]), Ok((PriceDirection::Rising, 10.0)));
        assert_eq!(of(&[99.0, 100.0]), Ok((PriceDirection::Falling, -1.0)));
        assert_eq!(of(&[100.5, 100.0]), Ok((PriceDirection::Steady, 0.5)));
        assert_eq!(of(&[0.0, 0.0]), Ok((PriceDirection::Steady, 0.0)));
        assert!(of(&[1.0, 0.0]).unwrap_err().0.contains("zero before"));
        assert!(of(&[1.0]).is_err() && of(&[]).is_err());
    }
}

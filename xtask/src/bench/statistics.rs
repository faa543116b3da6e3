//! Medians and ranges.

/// The middle one of the values and their range; `None` of none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// Of these values.
    pub fn of(values: &[f64]) -> Option<Spread> {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        let (&min, &max) = (values.first()?, values.last()?);
        let middle = values.len() / 2;
        let median = match values.len() % 2 {
            1 => values[middle],
            _ => f64::midpoint(values[middle - 1], values[middle]),
        };
        Some(Spread { median, min, max })
    }

    /// All three, divided.
    pub fn over(self, unit: f64) -> Spread {
        Spread { median: self.median / unit, min: self.min / unit, max: self.max / unit }
    }
}

/// Between which values the middle half of these lies; `None` of none.
pub fn middle_half(values: &[f64]) -> Option<[f64; 2]> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let quarter = values.len() / 4;
    Some([*values.get(quarter)?, values[values.len() - 1 - quarter]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_ends() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[3.0, 1.0, 8.0]), Some(Spread { median: 3.0, min: 1.0, max: 8.0 }));
        let even = Spread::of(&[4.0, 2.0]).unwrap();
        assert_eq!(middle_half(&[]), None);
        assert_eq!(middle_half(&[9.0, 1.0, 2.0, 3.0, 4.0]), Some([2.0, 4.0]));
        assert_eq!(even.over(2.0), Spread { median: 1.5, min: 1.0, max: 2.0 });
    }
}

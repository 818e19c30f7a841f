//! Scales and ticks.

/// Maps values to pixels, linearly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    pub low: f64,
    pub high: f64,
    start: f64,
    end: f64,
}

impl Axis {
    /// From values `low..high` (`low < high`) to pixels `start..end`.
    pub(super) fn new((low, high): (f64, f64), (start, end): (f64, f64)) -> Self {
        debug_assert!(low < high);
        Axis {
            low,
            high,
            start,
            end,
        }
    }

    pub(super) fn place(&self, value: f64) -> f64 {
        self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)
    }
}

/// Ticks with a round step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ticks {
    first: i64,
    last: i64,
    step: f64,
}

impl Ticks {
    /// About `wanted` ticks inside `low..=high`; only whole numbers if `whole`.
    pub(super) fn inside((low, high): (f64, f64), wanted: usize, whole: bool) -> Self {
        let step = round_step((high - low) / wanted.max(1) as f64, whole);
        Ticks {
            first: (low / step - 1e-9).ceil() as i64,
            last: (high / step + 1e-9).floor() as i64,
            step,
        }
    }

    fn range(&self) -> (f64, f64) {
        (self.first as f64 * self.step, self.last as f64 * self.step)
    }

    /// Each tick's value and text.
    pub(super) fn each(&self) -> Vec<(f64, String)> {
        let largest = self.range().0.abs().max(self.range().1.abs());
        let values = (self.first..=self.last).map(|i| i as f64 * self.step);
        values
            .map(|value| (value, tick_text(value, self.step, largest)))
            .collect()
    }
}

/// `low..high` of the values; something sensible for none or for equal ones.
pub(super) fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low > high {
        (0.0, 1.0)
    } else {
        widen(low, high)
    }
}

/// Makes room around a single value, relative to its size. Differences too small for an axis
/// (of steps that are still normal numbers) count as none.
fn widen(low: f64, high: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    if high - low > (size * 1e-9).max(1e-200) {
        (low, high)
    } else if size < 1e-190 {
        (-0.5, 0.5)
    } else {
        (low - size * 0.1, high + size * 0.1)
    }
}

/// A value as readers of a figure expect it: real minus sign, no trailing noise.
pub(super) fn minus(text: &str) -> String {
    text.replace('-', "−")
}

fn round_step(raw: f64, whole: bool) -> f64 {
    if whole && raw <= 1.0 {
        return 1.0;
    }
    let power = 10f64.powf(raw.log10().floor());
    let lead = raw / power;
    let nice = match lead {
        ..=1.000_000_001 => 1.0,
        ..=2.0 => 2.0,
        ..=5.0 => 5.0,
        _ => 10.0,
    };
    nice * power
}

fn tick_text(value: f64, step: f64, largest: f64) -> String {
    if largest >= 1e6 || step < 1e-5 {
        if value == 0.0 {
            return "0".to_owned();
        }
        // Enough digits to tell neighbours apart.
        let digits = (largest / step).log10().ceil().clamp(0.0, 15.0) as usize;
        let text = format!("{value:.digits$e}");
        let (lead, power) = text.split_once('e').unwrap_or((&text, "0"));
        let lead = match lead.contains('.') {
            true => lead.trim_end_matches('0').trim_end_matches('.'),
            false => lead,
        };
        return minus(&format!("{lead}e{power}"));
    }
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let text = format!("{value:.decimals$}");
    let unsigned = text.trim_start_matches('-');
    let is_zero = unsigned.chars().all(|c| "0.".contains(c));
    minus(if is_zero { unsigned } else { &text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: &Ticks) -> Vec<String> {
        ticks.each().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_and_lie_inside() {
        let ticks = Ticks::inside((0.0, 10.0), 12, true);
        assert_eq!(texts(&ticks).len(), 11);
        let ticks = Ticks::inside((0.13, 0.47), 5, false);
        assert_eq!(texts(&ticks), ["0.2", "0.3", "0.4"]);
    }

    #[test]
    fn zero_has_no_sign() {
        let ticks = Ticks::inside((-0.2, 0.6), 5, false);
        assert_eq!(texts(&ticks), ["−0.2", "0.0", "0.2", "0.4", "0.6"]);
    }

    #[test]
    fn large_values_get_exponents() {
        assert_eq!(
            texts(&Ticks::inside((0.0, 2e6), 2, false)),
            ["0", "1e6", "2e6"]
        );
    }

    #[test]
    fn equal_and_missing_values_still_have_an_extent() {
        assert_eq!(extent([].into_iter()), (0.0, 1.0));
        assert_eq!(extent([0.0].into_iter()), (-0.5, 0.5));
        assert_eq!(extent([0.0, f64::MIN_POSITIVE].into_iter()), (-0.5, 0.5));
        let (low, high) = extent([1e100, 1e100].into_iter());
        assert!(low < 1e100 && 1e100 < high);
    }
}

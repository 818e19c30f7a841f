//! From a model's own likelihoods to probabilities that hold on projects it never saw.

/// `probability = 1 / (1 + exp(-(shift + slope * log-odds)))`: Platt's scaling of the log-odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Added to the log-odds.
    pub shift: f32,
    /// What they are multiplied with.
    pub slope: f32,
}

/// Likelihoods are kept this far from 0 and 1, where log-odds end.
const EDGE: f64 = 1e-6;
/// Steps of Newton's method; it converges in about six.
const STEPS: u32 = 25;

impl Calibration {
    /// Likelihoods as they are.
    pub const NONE: Calibration = Calibration {
        shift: 0.0,
        slope: 1.0,
    };

    /// The probability; 0 stays 0.
    pub fn probability(self, likely: f64) -> f64 {
        if likely <= 0.0 {
            return 0.0;
        }
        logistic(f64::from(self.shift) + f64::from(self.slope) * log_odds(likely))
    }

    /// From likelihoods and what came true, by maximum likelihood; as they are, where all or nothing
    /// came true.
    pub(super) fn fit(seen: &[(f64, bool)]) -> Self {
        let came_true = seen.iter().filter(|(_, came_true)| *came_true).count();
        if came_true == 0 || came_true == seen.len() {
            return Self::NONE;
        }
        let (mut shift, mut slope) = (0.0, 1.0);
        // A weak pull towards the likelihoods as they are, so that few cases cannot run away.
        let pull = 1.0;
        for _ in 0..STEPS {
            let (mut g0, mut g1) = (pull * shift, pull * (slope - 1.0));
            let (mut h00, mut h01, mut h11) = (pull, 0.0, pull);
            for &(likely, came_true) in seen {
                let odds = log_odds(likely);
                let probability = logistic(shift + slope * odds);
                let error = probability - f64::from(u8::from(came_true));
                let spread = probability * (1.0 - probability);
                g0 += error;
                g1 += error * odds;
                h00 += spread;
                h01 += spread * odds;
                h11 += spread * odds * odds;
            }
            let determinant = h00 * h11 - h01 * h01;
            shift -= (h11 * g0 - h01 * g1) / determinant;
            slope -= (h00 * g1 - h01 * g0) / determinant;
        }
        let fitted = Calibration {
            shift: shift as f32,
            slope: slope as f32,
        };
        // A falling curve would turn the ranking around.
        let usable = shift.is_finite() && slope.is_finite() && slope > 0.0;
        if usable { fitted } else { Self::NONE }
    }
}

fn log_odds(likely: f64) -> f64 {
    let likely = likely.clamp(EDGE, 1.0 - EDGE);
    libm::log(likely / (1.0 - likely))
}

fn logistic(odds: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-odds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_true_twice_as_often_is_said_so() {
        // Of things called 20 % likely, 40 % came true; of those called 5 %, 10 %.
        let seen = |likely: f64, right: usize, of: usize| (0..of).map(move |n| (likely, n < right));
        let seen: Vec<(f64, bool)> = seen(0.2, 400, 1000).chain(seen(0.05, 100, 1000)).collect();
        let fitted = Calibration::fit(&seen);
        assert!((fitted.probability(0.2) - 0.4).abs() < 0.005);
        assert!((fitted.probability(0.05) - 0.1).abs() < 0.005);
        assert_eq!(fitted.probability(0.0), 0.0);
        assert!(fitted.probability(1.0) < 1.0);
    }

    #[test]
    fn likelihoods_stay_where_nothing_can_be_learned() {
        assert_eq!(Calibration::fit(&[]), Calibration::NONE);
        assert_eq!(Calibration::fit(&[(0.3, true)]), Calibration::NONE);
        let odd = [(0.9, false), (0.1, true)].repeat(100);
        assert_eq!(Calibration::fit(&odd), Calibration::NONE);
    }
}

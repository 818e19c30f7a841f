//! A softmax over a list of things, of a linear form of their standardised features; and how it is
//! learned from lists in which the right ones are known.

/// Features of one thing of a list.
pub(super) type Row<const N: usize> = [f64; N];

/// What was learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearSoftmax<const N: usize> {
    /// Weight of each standardised feature.
    pub weight: [f32; N],
    /// Mean of each feature over the training data.
    pub mean: [f32; N],
    /// Standard deviation of each feature over the training data.
    pub scale: [f32; N],
}

impl<const N: usize> LinearSoftmax<N> {
    /// Equal likelihoods: nothing learned.
    pub const UNIFORM: Self = LinearSoftmax {
        weight: [0.0; N],
        mean: [0.0; N],
        scale: [1.0; N],
    };

    /// The likelihood of each thing to be the right one; they sum to 1.
    pub fn distribution(&self, rows: &[Row<N>]) -> Vec<f64> {
        let mut likely: Vec<f64> = rows.iter().map(|row| self.form(row)).collect();
        softmax(&mut likely);
        likely
    }

    /// How much a feature says for a thing that has `value`, against one that has `other`.
    pub(super) fn says(&self, feature: usize, value: f64, other: f64) -> f64 {
        f64::from(self.weight[feature]) * (value - other) / f64::from(self.scale[feature])
    }

    /// The weights, for features that are divided by another scale.
    fn weights_at(&self, scale: &Row<N>) -> Row<N> {
        std::array::from_fn(|feature| {
            f64::from(self.weight[feature]) * scale[feature] / f64::from(self.scale[feature])
        })
    }

    fn form(&self, row: &Row<N>) -> f64 {
        let features = row.iter().enumerate();
        features
            .map(|(feature, &value)| self.says(feature, value, f64::from(self.mean[feature])))
            .sum()
    }
}

/// exp and normalise, in place.
fn softmax(values: &mut [f64]) {
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for value in &mut *values {
        *value = libm::exp(*value - highest);
        sum += *value;
    }
    for value in values {
        *value /= sum;
    }
}

/// A list to learn from.
pub(super) struct Lesson<const N: usize> {
    pub(super) rows: Vec<Row<N>>,
    /// At least one is right.
    pub(super) right: Vec<bool>,
    pub(super) weight: f64,
}

/// How a fit is made.
pub(super) struct FitOptions {
    pub(super) steps: u32,
    pub(super) learning_rate: f64,
    pub(super) l2: f64,
}

/// Minimises minus the logarithm of the likelihood of the right things together, averaged by weight,
/// plus an L2 term, by Adam over all lessons. Features that are not `used` get no weight. Weights start
/// from those of `base`, and the L2 term pulls them back there; without one, to zero.
pub(super) fn fit<const N: usize>(
    lessons: &[&Lesson<N>],
    used: &[bool; N],
    base: Option<&LinearSoftmax<N>>,
    options: &FitOptions,
) -> LinearSoftmax<N> {
    let (mean, scale) = moments(lessons);
    let base = base.map_or([0.0; N], |base| base.weights_at(&scale));
    let base: Row<N> =
        std::array::from_fn(|feature| if used[feature] { base[feature] } else { 0.0 });
    let standardised = |row: &Row<N>| -> Row<N> {
        std::array::from_fn(|feature| {
            let value = (row[feature] - mean[feature]) / scale[feature];
            if used[feature] { value } else { 0.0 }
        })
    };
    let standard: Vec<Vec<Row<N>>> = lessons
        .iter()
        .map(|lesson| lesson.rows.iter().map(standardised).collect())
        .collect();
    let mut weight = base;
    let (mut momentum, mut square) = ([0.0; N], [0.0; N]);
    let total: f64 = lessons.iter().map(|lesson| lesson.weight).sum();
    for step in 1..=options.steps {
        let mut gradient = [0.0; N];
        for (lesson, rows) in lessons.iter().zip(&standard) {
            add_gradient(
                rows,
                &lesson.right,
                &weight,
                lesson.weight / total,
                &mut gradient,
            );
        }
        for feature in 0..N {
            let slope = gradient[feature] + options.l2 * (weight[feature] - base[feature]);
            momentum[feature] = 0.9 * momentum[feature] + 0.1 * slope;
            square[feature] = 0.999 * square[feature] + 0.001 * slope * slope;
            let first = momentum[feature] / (1.0 - libm::pow(0.9, f64::from(step)));
            let second = square[feature] / (1.0 - libm::pow(0.999, f64::from(step)));
            weight[feature] -= options.learning_rate * first / (libm::sqrt(second) + 1e-8);
        }
    }
    LinearSoftmax {
        weight: weight.map(|value| value as f32),
        mean: mean.map(|value| value as f32),
        scale: scale.map(|value| value as f32),
    }
}

/// Adds the gradient of `share` times minus the log-likelihood of the right things.
fn add_gradient<const N: usize>(
    rows: &[Row<N>],
    right: &[bool],
    weight: &Row<N>,
    share: f64,
    gradient: &mut Row<N>,
) {
    let form = |row: &Row<N>| row.iter().zip(weight).map(|(value, own)| value * own).sum();
    let mut likely: Vec<f64> = rows.iter().map(form).collect();
    softmax(&mut likely);
    let of_right = likely.iter().zip(right).filter(|&(_, &right)| right);
    let hit: f64 = of_right.map(|(likely, _)| likely).sum();
    for ((row, &likely), &right) in rows.iter().zip(&likely).zip(right) {
        let wanted = if right { likely / hit } else { 0.0 };
        for (slope, value) in gradient.iter_mut().zip(row) {
            *slope += share * (likely - wanted) * value;
        }
    }
}

/// Mean and standard deviation of every feature; 1 for one that does not vary.
fn moments<const N: usize>(lessons: &[&Lesson<N>]) -> (Row<N>, Row<N>) {
    let rows = || lessons.iter().flat_map(|lesson| &lesson.rows);
    let count = rows().count() as f64;
    let mut mean = [0.0; N];
    for row in rows() {
        for (sum, value) in mean.iter_mut().zip(row) {
            *sum += value / count;
        }
    }
    let mut variance = [0.0; N];
    for row in rows() {
        for ((sum, value), mean) in variance.iter_mut().zip(row).zip(&mean) {
            *sum += (value - mean) * (value - mean) / count;
        }
    }
    let deviation = |variance: f64| match variance > 1e-12 {
        true => libm::sqrt(variance),
        false => 1.0,
    };
    (mean, variance.map(deviation))
}

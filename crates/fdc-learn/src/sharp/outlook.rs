//! What a candidate would do to the ranking of the suspicious methods, were it to pass.

use fdc_core::Suite;

use super::features::Suspicion;

/// Weight of the tie-break: too small to turn a real difference around.
const TIE_BREAK: f64 = 1e-9;

/// The suspicious methods by how far the chosen tests, taken to pass, have lowered them.
///
/// A method's *level* is the number of chosen tests on its least covered suspicious line. A
/// candidate lowers a method by one level if it covers all lines that are covered no more than
/// that; the places are those of the levels, worst of ties.
pub struct Outlook<'a> {
    likely: &'a [f64],
    level: Vec<u32>,
    /// Methods of which a column is among the least covered, by column:
    /// `open[starts[c]..starts[c+1]]`.
    starts: Vec<u32>,
    open: Vec<u32>,
    /// Number of such columns, by method.
    needed: Vec<u32>,
    /// By level: likelihood of the methods on it, and methods on it or above.
    mass: Vec<f64>,
    standing: Vec<f64>,
    /// The value with no candidate.
    now: f64,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    covered: Vec<u32>,
    methods: Vec<u32>,
    /// By level: likelihood and number of the methods that leave it.
    leaving: Vec<(f64, f64)>,
    levels: Vec<u32>,
}

impl<'a> Outlook<'a> {
    /// For the suite as it is; `likely` holds a probability per suspicious method.
    pub fn new(suspicion: &Suspicion, suite: &Suite<'_>, likely: &'a [f64]) -> Self {
        let projection = suite.suspects().projection();
        let mut passes = vec![0u32; projection.columns().len()];
        for &test in &suite.tests()[1..] {
            for &column in projection.footprint_columns(projection.footprint(test)) {
                passes[column as usize] += 1;
            }
        }
        let methods = suspicion.methods().len();
        let least = |method: usize| {
            let columns = suspicion.columns(method).iter();
            columns
                .map(|&column| passes[column as usize])
                .min()
                .unwrap_or(0)
        };
        let level: Vec<u32> = (0..methods).map(least).collect();

        // Methods by the columns they are least covered on, column by column.
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut needed = vec![0u32; methods];
        for (method, needed) in needed.iter_mut().enumerate() {
            let columns = suspicion.columns(method).iter();
            let lowest = columns.filter(|&&column| passes[column as usize] == level[method]);
            for &column in lowest {
                pairs.push((column, method as u32));
                *needed += 1;
            }
        }
        pairs.sort_unstable();
        let mut starts = vec![0u32; passes.len() + 1];
        for &(column, _) in &pairs {
            starts[column as usize + 1] += 1;
        }
        for column in 0..passes.len() {
            starts[column + 1] += starts[column];
        }
        let open = pairs.into_iter().map(|(_, method)| method).collect();

        let levels = level.iter().max().map_or(0, |&highest| highest as usize) + 2;
        let (mut mass, mut standing) = (vec![0.0; levels], vec![0.0; levels]);
        for (&level, &likely) in level.iter().zip(likely) {
            mass[level as usize] += likely;
            standing[level as usize] += 1.0;
        }
        for level in 1..levels {
            standing[level] += standing[level - 1];
        }
        let now = mass
            .iter()
            .zip(&standing)
            .map(|(&mass, &place)| expected(mass, place))
            .sum();
        Outlook {
            likely,
            level,
            starts,
            open,
            needed,
            mass,
            standing,
            now,
            scratch: Scratch {
                covered: vec![0; methods],
                leaving: vec![(0.0, 0.0); levels],
                ..Scratch::default()
            },
        }
    }

    /// The expected reciprocal rank of the fault once a test that covers these columns has passed.
    pub fn value(&mut self, columns: &[u32]) -> f64 {
        let progress = self.lower(columns);
        let mut value = self.now;
        let mut before = None;
        let levels = std::mem::take(&mut self.scratch.levels);
        for &level in &levels {
            if before.is_some_and(|before: u32| before + 1 < level) {
                value += self.change(before.map_or(0, |before| before + 1));
            }
            value += self.change(level);
            before = Some(level);
        }
        if let Some(before) = before {
            value += self.change(before + 1);
        }
        for level in &levels {
            self.scratch.leaving[*level as usize] = (0.0, 0.0);
        }
        self.scratch.levels = levels;
        self.scratch.levels.clear();
        value + TIE_BREAK * progress
    }

    /// What passing would do, in words.
    pub fn words(&mut self, columns: &[u32]) -> String {
        let before = self.now;
        let after = self.value(columns);
        self.lower(columns);
        let lowered: f64 = self
            .scratch
            .leaving
            .iter()
            .map(|&(_, methods)| methods)
            .sum();
        let likelihood: f64 = self.scratch.leaving.iter().map(|&(likely, _)| likely).sum();
        for level in std::mem::take(&mut self.scratch.levels) {
            self.scratch.leaving[level as usize] = (0.0, 0.0);
        }
        if lowered == 0.0 {
            return "if it passes, no suspect falls".to_owned();
        }
        format!(
            "if it passes, {lowered} of {} suspects fall, which hold the fault with {:.0} %; \
             the expected place of the fault goes from {:.1} to {:.1}",
            self.level.len(),
            100.0 * likelihood,
            1.0 / before,
            1.0 / after,
        )
    }

    /// Notes the methods that a passing test on these columns lowers, by level; how much of what is
    /// needed to lower methods it covers, 0..=1.
    fn lower(&mut self, columns: &[u32]) -> f64 {
        let scratch = &mut self.scratch;
        for &column in columns {
            let span = self.starts[column as usize]..self.starts[column as usize + 1];
            for &method in &self.open[span.start as usize..span.end as usize] {
                let covered = &mut scratch.covered[method as usize];
                if *covered == 0 {
                    scratch.methods.push(method);
                }
                *covered += 1;
            }
        }
        let mut progress = 0.0;
        // The order of the sums below must not depend on the order of columns.
        scratch.methods.sort_unstable();
        for method in scratch.methods.drain(..) {
            let method = method as usize;
            let covered = std::mem::take(&mut scratch.covered[method]);
            progress += f64::from(covered) / f64::from(self.needed[method]);
            if covered == self.needed[method] {
                let level = self.level[method];
                let leaving = &mut scratch.leaving[level as usize];
                if leaving.1 == 0.0 {
                    scratch.levels.push(level);
                }
                leaving.0 += self.likely[method];
                leaving.1 += 1.0;
            }
        }
        scratch.levels.sort_unstable();
        progress / self.level.len().max(1) as f64
    }

    /// What a level contributes once the noted methods have gone down, less what it does now.
    fn change(&self, level: u32) -> f64 {
        let level = level as usize;
        let (mass, standing) = (self.mass[level], self.standing[level]);
        let (gone_mass, gone) = self.scratch.leaving[level];
        let come = level
            .checked_sub(1)
            .map_or(0.0, |above| self.scratch.leaving[above].0);
        expected(mass - gone_mass + come, standing - gone) - expected(mass, standing)
    }
}

/// Likelihood over place; no method there, nothing.
fn expected(mass: f64, place: f64) -> f64 {
    if place == 0.0 { 0.0 } else { mass / place }
}

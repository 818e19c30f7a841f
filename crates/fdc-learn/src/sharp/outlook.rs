//! What a candidate would do to the ranking of the suspicious methods, were it to pass.

use fdc_core::Suite;

use super::features::Suspicion;

/// Weight of the tie-break: too small to turn a real difference around.
const TIE_BREAK: f64 = 1e-9;

/// Likelihoods and progress are summed as whole numbers of this unit, so that the order of a sum does
/// not matter: candidates that do the same have the same value to the bit.
const UNIT: f64 = 1.0 / (1u64 << 48) as f64;

/// The suspicious methods by how far the chosen tests, taken to pass, have lowered them.
///
/// A method's *level* is the number of chosen tests on its least covered suspicious line. A
/// candidate lowers a method by one level if it covers all lines that are covered no more than
/// that; the places are those of the levels, worst of ties.
pub struct RankOutlook {
    /// By kind of methods: likelihood in units, number, level.
    likely: Vec<u64>,
    size: Vec<f64>,
    level: Vec<u32>,
    /// Kinds of which a column is among the least covered, by column:
    /// `open[starts[c]..starts[c+1]]`.
    starts: Vec<u32>,
    open: Vec<u32>,
    /// Number of such columns, by kind.
    needed: Vec<u32>,
    /// By level: likelihood of the methods on it, and methods on it or above.
    mass: Vec<u64>,
    standing: Vec<f64>,
    /// The value with no candidate.
    now: f64,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    covered: Vec<u32>,
    kinds: Vec<u32>,
    /// By level: likelihood and number of the methods that leave it.
    leaving: Vec<(u64, f64)>,
    levels: Vec<u32>,
}

impl RankOutlook {
    /// For the suite as it is; `likely` holds a probability per suspicious method.
    pub fn new(suspicion: &Suspicion, suite: &Suite<'_>, likely: &[f64]) -> Self {
        let projection = suite.suspects().projection();
        let mut passes = vec![0u32; projection.columns().len()];
        for &test in &suite.tests()[1..] {
            for &column in projection.footprint_columns(projection.footprint(test)) {
                passes[column as usize] += 1;
            }
        }
        let kinds = suspicion.columns_of_kinds().len();
        let (mut likely_kind, mut size) = (vec![0u64; kinds], vec![0.0; kinds]);
        for (&kind, &likely) in suspicion.kinds().iter().zip(likely) {
            likely_kind[kind as usize] += (likely / UNIT) as u64;
            size[kind as usize] += 1.0;
        }
        // Kinds by the columns they are least covered on, column by column.
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let (mut level, mut needed) = (Vec::with_capacity(kinds), Vec::with_capacity(kinds));
        for (kind, columns) in suspicion.columns_of_kinds().enumerate() {
            let passes_of = |column: &u32| passes[*column as usize];
            let least = columns.iter().map(passes_of).min().unwrap_or(0);
            let before = pairs.len();
            let lowest = columns.iter().filter(|&column| passes_of(column) == least);
            pairs.extend(lowest.map(|&column| (column, kind as u32)));
            level.push(least);
            needed.push((pairs.len() - before) as u32);
        }
        pairs.sort_unstable();
        let mut starts = vec![0u32; passes.len() + 1];
        for &(column, _) in &pairs {
            starts[column as usize + 1] += 1;
        }
        for column in 0..passes.len() {
            starts[column + 1] += starts[column];
        }

        let levels = level.iter().max().map_or(0, |&highest| highest as usize) + 2;
        let (mut mass, mut standing) = (vec![0; levels], vec![0.0; levels]);
        for ((&level, &likely), &size) in level.iter().zip(&likely_kind).zip(&size) {
            mass[level as usize] += likely;
            standing[level as usize] += size;
        }
        for level in 1..levels {
            standing[level] += standing[level - 1];
        }
        let now = mass
            .iter()
            .zip(&standing)
            .map(|(&mass, &place)| expected(mass, place))
            .sum();
        RankOutlook {
            likely: likely_kind,
            size,
            level,
            starts,
            open: pairs.into_iter().map(|(_, kind)| kind).collect(),
            needed,
            mass,
            standing,
            now,
            scratch: Scratch {
                covered: vec![0; kinds],
                leaving: vec![(0, 0.0); levels],
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
            self.scratch.leaving[*level as usize] = (0, 0.0);
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
        let likelihood: u64 = self.scratch.leaving.iter().map(|&(likely, _)| likely).sum();
        for level in std::mem::take(&mut self.scratch.levels) {
            self.scratch.leaving[level as usize] = (0, 0.0);
        }
        if lowered == 0.0 {
            return "if it passes, no suspect falls".to_owned();
        }
        format!(
            "if it passes, {lowered} of {} suspects fall, which hold the fault with a probability \
             of {:.0} %; the expected place of the fault goes from {:.1} to {:.1}",
            self.size.iter().sum::<f64>(),
            100.0 * likelihood as f64 * UNIT,
            1.0 / before,
            1.0 / after,
        )
    }

    /// Notes the methods that a passing test on these columns lowers, by level; which share of the least
    /// covered lines, kind by kind, it covers.
    fn lower(&mut self, columns: &[u32]) -> f64 {
        let scratch = &mut self.scratch;
        for &column in columns {
            let span = self.starts[column as usize]..self.starts[column as usize + 1];
            for &kind in &self.open[span.start as usize..span.end as usize] {
                let covered = &mut scratch.covered[kind as usize];
                if *covered == 0 {
                    scratch.kinds.push(kind);
                }
                *covered += 1;
            }
        }
        let mut progress = 0;
        for kind in scratch.kinds.drain(..) {
            let kind = kind as usize;
            let covered = std::mem::take(&mut scratch.covered[kind]);
            progress += covered;
            if covered == self.needed[kind] {
                let level = self.level[kind];
                let leaving = &mut scratch.leaving[level as usize];
                if leaving.1 == 0.0 {
                    scratch.levels.push(level);
                }
                leaving.0 += self.likely[kind];
                leaving.1 += self.size[kind];
            }
        }
        scratch.levels.sort_unstable();
        f64::from(progress) / self.open.len().max(1) as f64
    }

    /// What a level contributes once the noted methods have gone down, less what it does now.
    fn change(&self, level: u32) -> f64 {
        let level = level as usize;
        let (mass, standing) = (self.mass[level], self.standing[level]);
        let (gone_mass, gone) = self.scratch.leaving[level];
        let come = level
            .checked_sub(1)
            .map_or(0, |above| self.scratch.leaving[above].0);
        expected(mass - gone_mass + come, standing - gone) - expected(mass, standing)
    }
}

/// Likelihood (in units) over place; no method there, nothing.
fn expected(mass: u64, place: f64) -> f64 {
    if place == 0.0 {
        0.0
    } else {
        mass as f64 * UNIT / place
    }
}

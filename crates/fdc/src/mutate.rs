//! mutate: tries a project's tests on small changes of its code, into the case. What no test notices is
//! its by-product.

use std::collections::BTreeMap;
use std::path::Path;

pub use fdc_case::mutants::{Fate, Mutant};
use fdc_case::{Case, FileError, resolved};
pub use fdc_collect::MutateCounts;
use fdc_collect::settings::absolute;
use fdc_collect::{Ecosystem, MutateOptions, ecosystem_of};

use crate::collect::refuse_foreign;
use crate::error::Result;
use crate::progress::{Watch, resumable};

/// What to try, and how.
#[derive(Debug)]
pub struct MutateRequest {
    /// The kind of project; what its folder looks like, if left out.
    pub ecosystem: Option<&'static Ecosystem>,
    /// The rest; root and case may be relative to the current folder.
    pub options: MutateOptions,
}

/// What there is now.
#[derive(Debug)]
pub struct MutateReply {
    /// What was asked for, and how much of it is done.
    pub counts: MutateCounts,
    /// All mutants of the case.
    pub score: MutationScore,
}

/// Tries mutants. A run that was interrupted before is resumed.
pub fn mutate(request: MutateRequest, watch: &dyn Watch) -> Result<MutateReply> {
    let mut options = request.options;
    let root = options.run.root.canonicalize();
    options.run.root = root.map_err(FileError::io(&options.run.root, "open it"))?;
    options.run.case = resolved(&absolute(&options.run.case)?);
    let ecosystem = match request.ecosystem {
        Some(ecosystem) => ecosystem,
        None => ecosystem_of(&options.run.root)?,
    };
    refuse_foreign(ecosystem, &options.run)?;
    let counts = fdc_collect::mutate(ecosystem, &options, watch);
    let counts = counts.map_err(|error| resumable(error, "tried"))?;
    let score = score(&options.run.case)?;
    Ok(MutateReply { counts, score })
}

/// How many mutants tests noticed, and which they did not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MutationScore {
    /// Of everything.
    pub all: MutantCounts,
    /// By method, those with the most unnoticed first.
    pub methods: Vec<(String, MutantCounts)>,
    /// What no test noticed, by place.
    pub unnoticed: Vec<Mutant>,
}

/// Mutants by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MutantCounts {
    /// A test failed, hung or crashed.
    pub noticed: u32,
    /// No test did.
    pub unnoticed: u32,
    /// They could not be built.
    pub broken: u32,
}

impl MutantCounts {
    fn add(&mut self, fate: Fate) {
        match fate {
            Fate::Killed | Fate::Hung | Fate::Crashed => self.noticed += 1,
            Fate::Survived => self.unnoticed += 1,
            Fate::Broken => self.broken += 1,
        }
    }

    /// The share that was noticed, of those that could be built: the mutation score.
    pub fn share(self) -> Option<f64> {
        let all = self.noticed + self.unnoticed;
        (all > 0).then(|| f64::from(self.noticed) / f64::from(all))
    }
}

/// What the mutants of a case say of its tests.
pub fn score(case: &Path) -> Result<MutationScore> {
    let mutants = Case::open(case)?.mutants()?;
    let mut all = MutantCounts::default();
    let mut methods: BTreeMap<String, MutantCounts> = BTreeMap::new();
    for mutant in &mutants {
        all.add(mutant.fate);
        let method = methods.entry(mutant.method.clone()).or_default();
        method.add(mutant.fate);
    }
    let mut methods: Vec<(String, MutantCounts)> = methods.into_iter().collect();
    methods.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.unnoticed));
    let unnoticed = mutants.into_iter();
    Ok(MutationScore {
        all,
        methods,
        unnoticed: unnoticed
            .filter(|mutant| mutant.fate == Fate::Survived)
            .collect(),
    })
}

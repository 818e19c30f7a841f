//! How good the learned ranking is on projects it was not trained on: each of five projects of real
//! bugs ranked by a model of the other four, all failing tests of a bug together, worst place of ties.
//! The bounds are a little below the figures in docs/ranking.md. The bugs are not part of this
//! repository: `FDC_DATA` names the directory that holds them.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use fdc_core::coverage::{Names, TestId, mix};
use fdc_core::spectrum::Bug;
use fdc_core::{Coverage, Formula, Outcome, Spectrum, Tally, Verdict};
use fdc_formats::collection::{CollectedBug, Collection};
use fdc_learn::sharp::features::GROUPS;
use fdc_learn::sharp::model::SharpModel;
use fdc_learn::sharp::train::{SharpOptions, train};
use fdc_learn::sharp::{Faults, LinearSoftmax, Localisation, apart};
use rayon::prelude::*;

const PROJECTS: [&str; 5] = ["Codec", "Csv", "Lang", "Math", "Time"];

/// By project.
type Models = Vec<Arc<SharpModel>>;

/// The bugs, and for every project a model of the others.
static LEFT_OUT: LazyLock<Option<(Vec<CollectedBug>, Models)>> = LazyLock::new(|| {
    let bugs = bugs()?;
    let models = left_out_models(&bugs, "");
    Some((bugs, models))
});

#[test]
fn it_finds_faults_in_projects_that_it_never_saw() {
    let Some((bugs, models)) = &*LEFT_OUT else {
        return;
    };
    let mut bugs = bugs.clone();

    let of_ochiai = measure(bugs.iter().map(|bug| (bug, ochiai(&bug.spectrum).0)));
    let with_evidence = Figures::of(&bugs, models);
    println!("ochiai, all outcomes: {of_ochiai}");
    println!("learned, with traces: {with_evidence}");
    // Where others have published figures.
    let mut published = bugs.clone();
    published.retain(|bug| ["Lang", "Math", "Time"].contains(&&*bug.bug.subject));
    let of_published = Figures::of(&published, models).methods.within;
    println!(
        "    of {} in Lang, Math, Time: {of_published:?}",
        published.len()
    );
    let (low, high) = paired_interval(&with_evidence.methods, &of_ochiai);
    println!("    mAP above ochiai's: {low:+.3} to {high:+.3}");
    assert!(low > 0.15);
    assert!(with_evidence.methods.mean >= 0.655);
    for (reached, wanted) in with_evidence
        .methods
        .within
        .iter()
        .zip([135, 178, 190, 208])
    {
        assert!(*reached >= wanted, "{reached} {wanted}");
    }
    let by_project = with_evidence.methods.by_project.iter();
    for (learned, formula) in by_project.zip(of_ochiai.by_project) {
        assert!(*learned >= formula, "{learned} {formula}");
    }
    assert!(with_evidence.lines.mean >= 1.2 * with_evidence.ochiai_lines.mean);
    assert!(with_evidence.calibration < 0.05 && with_evidence.five_calibration < 0.05);

    for bug in &mut bugs {
        bug.spectrum
            .tests
            .iter_mut()
            .for_each(|test| test.failure = None);
    }
    let with_names = Figures::of(&bugs, models);
    println!("learned, coverage and names: {with_names}");
    assert!(with_names.methods.mean >= 0.62 && with_names.methods.within[0] >= 127);
    assert!(with_names.calibration < 0.05 && with_names.five_calibration < 0.05);

    for bug in &mut bugs {
        let coverage = Coverage::clone(&bug.spectrum.coverage);
        bug.spectrum.coverage = Arc::new(coverage.named(Names::default()));
    }
    let bare = Figures::of(&bugs, models);
    println!("learned, coverage alone: {bare}");
    assert!(bare.methods.mean > of_ochiai.mean);
}

/// A person is asked for the outcomes of tests, beside one failing test: no project gets worse, and one
/// wrong answer in ten is survived. Sessions that end as `fdc label` advises miss hardly anything.
#[test]
fn answers_do_no_harm_and_wrong_ones_are_survived() {
    let Some((bugs, models)) = &*LEFT_OUT else {
        return;
    };
    let sessions = |wrong: f64, answers: usize| -> Vec<Asked<'_>> {
        bugs.par_iter()
            .map(|bug| Asked::new(bug, model_of(models, bug), wrong, answers))
            .collect()
    };
    let after = |sessions: &[Asked<'_>], answers: usize| {
        measure(
            sessions
                .iter()
                .map(|own| (own.bug, own.after(answers).clone())),
        )
    };
    let right = sessions(0.0, 20);
    for answers in [0, 1, 3, 5, 10, 20] {
        println!("after {answers} answers: {}", after(&right, answers));
    }
    let (none, ten) = (after(&right, 0), after(&right, 10));
    for (before, then) in none.by_project.iter().zip(&ten.by_project) {
        assert!(then >= before, "{then} {before}");
    }
    let wrong = after(&sessions(0.1, 10), 10);
    println!("after 10 answers, a tenth wrong: {wrong}");
    let points = |places: &Places| 100.0 * places.within[2] as f64 / bugs.len() as f64;
    assert!(points(&wrong) >= points(&ten) - 3.0);

    // As fdc::label::advice has it.
    let telling = 0.05;
    let (mut ended, mut missed, mut answers) = (0, 0, 0);
    for own in &right {
        let stop = own.bits.iter().position(|&best| best < telling);
        let Some(stop) = stop.filter(|&stop| stop <= 10) else {
            continue;
        };
        let place = |answers: usize| first_place(own.bug, own.after(answers));
        missed += usize::from(place(stop) > 5 && place(stop + 10) <= 5);
        answers += stop;
        ended += 1;
    }
    println!(
        "told to stop: {ended} sessions after {answers} answers in all; {missed} gain by ten more"
    );
    assert!(ended > 0 && missed * 10 <= ended);
}

fn first_place(bug: &CollectedBug, scores: &[f64]) -> usize {
    let faults = bug.spectrum.rankable_faults();
    let place = |score: f64| scores.iter().filter(|&&other| other >= score).count();
    faults
        .iter()
        .map(|fault| place(scores[fault.index()]))
        .min()
        .unwrap()
}

/// A session of answers beside a bug's first failing test.
struct Asked<'a> {
    bug: &'a CollectedBug,
    /// The methods' likelihoods before and after every answer.
    likely: Vec<Vec<f64>>,
    /// What the best question was expected to tell, each time.
    bits: Vec<f64>,
}

impl<'a> Asked<'a> {
    fn new(bug: &'a CollectedBug, model: &Arc<SharpModel>, wrong: f64, most: usize) -> Self {
        let spectrum = &bug.spectrum;
        let failing = [spectrum.failing_tests().next().unwrap()];
        let mut candidates: Vec<TestId> = spectrum.coverage.tests().collect();
        candidates.retain(|&test| test != failing[0]);
        let mut located = Localisation::new(model, spectrum, &failing, &[]);
        let mut asked = Asked {
            bug,
            likely: vec![located.likely().to_vec()],
            bits: Vec::new(),
        };
        while asked.bits.len() < most {
            let Some((test, prospect)) = located.best_question(&candidates) else {
                break;
            };
            asked.bits.push(prospect.bits);
            candidates.retain(|&other| other != test);
            let truth = spectrum.test(test).verdict().unwrap();
            let lot = mix(mix(u64::from(bug.bug.version)) ^ u64::from(test.0));
            let lot = (lot >> 11) as f64 / (1u64 << 53) as f64;
            let outcome = match (truth.outcome, lot < wrong) {
                (Outcome::Pass, false) | (Outcome::Fail, true) => Outcome::Pass,
                (Outcome::Fail, false) | (Outcome::Pass, true) => Outcome::Fail,
            };
            located.answer(test, Verdict::certain(outcome));
            asked.likely.push(located.likely().to_vec());
        }
        asked
    }

    /// The likelihoods after so many answers, or the last ones.
    fn after(&self, answers: usize) -> &Vec<f64> {
        &self.likely[answers.min(self.likely.len() - 1)]
    }
}

fn model_of<'m>(models: &'m [Arc<SharpModel>], bug: &CollectedBug) -> &'m Arc<SharpModel> {
    let project = PROJECTS.iter().position(|own| *own == bug.bug.subject);
    &models[project.unwrap()]
}

/// What each group of features is worth; the table is in docs/ranking.md.
#[test]
#[ignore = "a table to look at, which takes minutes"]
fn groups_left_out_one_at_a_time() {
    let Some(bugs) = bugs() else { return };
    for group in GROUPS {
        let figures = Figures::of(&bugs, &left_out_models(&bugs, group));
        println!("without {group}: {}", figures.methods);
    }
}

#[test]
fn one_faulty_method_is_seldom_taken_for_several_faults() {
    let Some((bugs, models)) = &*LEFT_OUT else {
        return;
    };
    let several = |bug: &&CollectedBug| bug.spectrum.failing_tests().nth(1).is_some();
    let (mut taken, mut wrongly) = (0, 0);
    for bug in bugs.iter().filter(several) {
        let failing: Vec<TestId> = bug.spectrum.failing_tests().collect();
        let sets = apart(model_of(models, bug), &bug.spectrum, &failing, Faults::Auto);
        if sets.len() > 1 {
            taken += 1;
            wrongly += usize::from(bug.spectrum.rankable_faults().len() == 1);
        }
    }
    let of = bugs.iter().filter(several).count();
    println!("several faults: {taken} of {of} bugs, {wrongly} of them with one faulty method");
    assert!(taken > 0 && 5 * wrongly < taken);
}

/// The bugs whose faulty method stands lowest; docs/ranking.md tells what they have in common.
#[test]
#[ignore = "a list to look at"]
fn the_worst_ten() {
    let Some((bugs, models)) = &*LEFT_OUT else {
        return;
    };
    let mut placed: Vec<(usize, &CollectedBug, Localisation<'_>)> = bugs
        .iter()
        .map(|bug| {
            let failing: Vec<TestId> = bug.spectrum.failing_tests().collect();
            let located = Localisation::new(model_of(models, bug), &bug.spectrum, &failing, &[]);
            (first_place(bug, located.likely()), bug, located)
        })
        .collect();
    placed.sort_by_key(|(place, ..)| std::cmp::Reverse(*place));
    for (place, bug, located) in placed.iter().take(10) {
        let spectrum = &bug.spectrum;
        let failing: Vec<&str> = spectrum
            .failing_tests()
            .map(|test| &*spectrum.test(test).name)
            .collect();
        println!(
            "{} {}: place {place}; {} failing, such as {}",
            bug.bug.subject,
            bug.bug.version,
            failing.len(),
            failing[0]
        );
        for fault in spectrum.rankable_faults() {
            let likely = located.likely()[fault.index()];
            let said = located.reasons(fault.0);
            println!(
                "    faulty {} {likely:.4} {said:?}",
                spectrum.method_name(fault)
            );
        }
        let best = located.likely().iter().copied().zip(0..);
        let best = best.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let method = fdc_core::spectrum::MethodId(best.1);
        let said = located.reasons(best.1);
        println!(
            "    first {} {:.4} {said:?}",
            spectrum.method_name(method),
            best.0
        );
    }
}

/// What mutants teach, alone and before bugs with a known fix, each project left out in turn; the table
/// is in models/README.md.
#[test]
#[ignore = "a table to look at, which takes minutes"]
fn what_mutants_teach() {
    let (Some(bugs), Some(mutants)) = (bugs(), mutants()) else {
        return;
    };
    println!("{} mutants", mutants.len());
    let options = SharpOptions::default();
    let of = |own: &[CollectedBug], more: &[CollectedBug]| {
        Figures::of(&bugs, &models_beside(own, more, &options))
    };
    let recorded = of(&bugs, &[]).methods;
    println!("recorded bugs: {recorded}");
    for (name, own) in [("mutants", &[][..]), ("both", &bugs[..])] {
        let figures = of(own, &mutants).methods;
        let (low, high) = paired_interval(&figures, &recorded);
        println!("{name}: {figures}; less recorded bugs: {low:+.3} to {high:+.3}");
    }
}

/// What the mutants of before are worth when a mutant of another line makes tests fail, each project
/// left out in turn: mean of one over the place of the changed method, and how often it is first.
#[test]
#[ignore = "a table to look at, which takes minutes"]
fn kills_of_mutants() {
    let Some(mutants) = mutants() else { return };
    let mut subjects: Vec<&str> = mutants.iter().map(|own| &*own.bug.subject).collect();
    subjects.dedup();
    let mut all = [Vec::new(), Vec::new()];
    for subject in &subjects {
        let (own, others): (Vec<_>, Vec<_>) =
            mutants.iter().partition(|bug| bug.bug.subject == *subject);
        let others = others.iter().map(|own| (&own.bug, &own.spectrum));
        let others: Vec<(&Bug, &Spectrum)> = others.collect();
        let hearing = train(&others, &SharpOptions::default(), None, String::new()).unwrap();
        let deaf = SharpModel {
            kills: LinearSoftmax::UNIFORM,
            ..hearing.clone()
        };
        let placed = [deaf, hearing].map(|model| {
            let model = Arc::new(model);
            let place = |bug: &&CollectedBug| {
                let failing: Vec<TestId> = bug.spectrum.failing_tests().collect();
                let located =
                    Localisation::of_labelled(&model, &bug.spectrum, &failing, Faults::Auto);
                first_place(bug, located.likely())
            };
            own.par_iter().map(place).collect::<Vec<usize>>()
        });
        println!(
            "{subject}: without {}, with {}",
            said(&placed[0]),
            said(&placed[1])
        );
        for (all, placed) in all.iter_mut().zip(placed) {
            all.extend(placed);
        }
    }
    println!("all: without {}, with {}", said(&all[0]), said(&all[1]));
}

fn said(places: &[usize]) -> String {
    let reciprocal = places.iter().map(|place| 1.0 / *place as f64).sum::<f64>();
    let first = places.iter().filter(|place| **place == 1).count();
    format!(
        "{:.3} {first} of {}",
        reciprocal / places.len() as f64,
        places.len()
    )
}

/// The mutants of other projects; none where they are not at hand.
fn mutants() -> Option<Vec<CollectedBug>> {
    let Some(folder) = std::env::var_os("FDC_MUTANTS") else {
        eprintln!("\n*** SKIPPED: FDC_MUTANTS does not name the cases of models/mutants ***");
        return None;
    };
    let mut collection = Collection::read(&[]).unwrap();
    collection.add_mutants(&[folder.into()]).unwrap();
    Some(collection.bugs)
}

/// The bugs with how their tests failed; none where the data is not at hand.
fn bugs() -> Option<Vec<CollectedBug>> {
    let data = std::env::var_os("FDC_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let folders = ["human", "evidence"].map(|part| data.join("defects4j").join(part));
    if !folders.iter().all(|folder| folder.is_dir()) {
        eprintln!("\n*** SKIPPED: {folders:?} not found; set FDC_DATA ***");
        return None;
    }
    let bugs = Collection::read(&folders).unwrap().bugs;
    assert_eq!(bugs.len(), 227);
    Some(bugs)
}

/// A model of the other projects for every project, without a group of features.
fn left_out_models(bugs: &[CollectedBug], without: &str) -> Models {
    let options = SharpOptions {
        without: without.to_owned(),
        ..SharpOptions::default()
    };
    models_beside(bugs, &[], &options)
}

/// The same with further bugs to learn from.
fn models_beside(bugs: &[CollectedBug], more: &[CollectedBug], options: &SharpOptions) -> Models {
    let model = |project: &&str| {
        let others = bugs.iter().filter(|bug| bug.bug.subject != *project);
        let others = others.chain(more).map(|own| (&own.bug, &own.spectrum));
        let others: Vec<(&Bug, &Spectrum)> = others.collect();
        Arc::new(train(&others, options, None, String::new()).unwrap())
    };
    PROJECTS.iter().map(model).collect()
}

struct Figures {
    methods: Places,
    lines: Places,
    ochiai_lines: Places,
    /// Mean distance of said and true in ten bins, over methods that are given a tenth or more.
    calibration: f64,
    /// The same of "in the first five".
    five_calibration: f64,
}

impl Figures {
    fn of(bugs: &[CollectedBug], models: &[Arc<SharpModel>]) -> Self {
        let located: Vec<(&CollectedBug, Localisation<'_>)> = bugs
            .iter()
            .map(|bug| {
                let failing: Vec<TestId> = bug.spectrum.failing_tests().collect();
                let model = model_of(models, bug);
                (
                    bug,
                    Localisation::of_labelled(model, &bug.spectrum, &failing, Faults::Auto),
                )
            })
            .collect();
        let (mut said, mut said_of_five) = (Vec::new(), Vec::new());
        for (bug, located) in &located {
            let faulty = |method: usize| {
                let faults = bug.spectrum.rankable_faults();
                faults.iter().any(|fault| fault.index() == method)
            };
            let mut order: Vec<(usize, f64)> =
                located.likely().iter().copied().enumerate().collect();
            order.sort_by(|a, b| b.1.total_cmp(&a.1));
            for &(method, likely) in &order {
                said.push((located.probability(likely), faulty(method)));
            }
            let hit = order.iter().take(5).any(|&(method, _)| faulty(method));
            said_of_five.push((located.within_first_five(), hit));
        }
        said.retain(|(probability, _)| *probability >= 0.1);
        let with_lines = || {
            located
                .iter()
                .filter(|(bug, _)| has_faulty_lines(&bug.spectrum))
        };
        Figures {
            methods: measure(
                located
                    .iter()
                    .map(|(bug, own)| (*bug, own.likely().to_vec())),
            ),
            lines: places(with_lines().map(|(bug, located)| {
                let faulty = faulty_lines(&bug.spectrum);
                (&*bug.bug.subject, located.lines().to_vec(), faulty)
            })),
            ochiai_lines: places(with_lines().map(|(bug, _)| {
                let (_, lines) = ochiai(&bug.spectrum);
                (&*bug.bug.subject, lines, faulty_lines(&bug.spectrum))
            })),
            calibration: calibration_error(&said),
            five_calibration: calibration_error(&said_of_five),
        }
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Figures {
            methods,
            lines,
            ochiai_lines,
            calibration,
            five_calibration,
        } = self;
        write!(
            f,
            "{methods}\n    lines: {lines}\n    lines by ochiai: {ochiai_lines}\n    \
             calibration error: methods {calibration:.3}, first five {five_calibration:.3}"
        )
    }
}

/// Of bugs: mean average precision, and in how many the first fault is within 1, 3, 5, 10.
struct Places {
    mean: f64,
    within: [usize; 4],
    by_project: Vec<f64>,
    /// By bug.
    precisions: Vec<f64>,
}

impl std::fmt::Display for Places {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Places {
            mean,
            within,
            by_project,
            ..
        } = self;
        write!(
            f,
            "mAP {mean:.4}, within 1, 3, 5, 10: {within:?}; by project {by_project:.3?}"
        )
    }
}

/// Of bugs with a score for every method.
fn measure<'a>(bugs: impl Iterator<Item = (&'a CollectedBug, Vec<f64>)>) -> Places {
    places(bugs.map(|(bug, scores)| {
        let present = bug.spectrum.methods_with_elements();
        let faults = bug.spectrum.rankable_faults();
        let ranked: Vec<usize> = (0..present.len())
            .filter(|&method| present[method])
            .collect();
        let is_faulty = |method: &usize| faults.iter().any(|own| own.index() == *method);
        (
            &*bug.bug.subject,
            ranked.iter().map(|&method| scores[method]).collect(),
            ranked.iter().map(is_faulty).collect(),
        )
    }))
}

fn places<'a>(bugs: impl Iterator<Item = (&'a str, Vec<f64>, Vec<bool>)>) -> Places {
    let mut precisions: Vec<(&str, f64)> = Vec::new();
    let mut within = [0; 4];
    for (project, scores, faulty) in bugs {
        let place = |unit: usize| {
            scores
                .iter()
                .filter(|&&other| other >= scores[unit])
                .count()
        };
        let mut places: Vec<usize> = (0..scores.len())
            .filter(|&unit| faulty[unit])
            .map(place)
            .collect();
        places.sort_unstable();
        assert!(!places.is_empty());
        for (count, most) in within.iter_mut().zip([1, 3, 5, 10]) {
            *count += usize::from(places[0] <= most);
        }
        let found = |place: &usize| places.iter().filter(|other| *other <= place).count() as f64;
        let precision = places.iter().map(|place| found(place) / *place as f64);
        precisions.push((project, precision.sum::<f64>() / places.len() as f64));
    }
    let mean = |project: Option<&str>| {
        let own = precisions
            .iter()
            .filter(|(own, _)| project.is_none_or(|p| p == *own));
        let own: Vec<f64> = own.map(|(_, precision)| *precision).collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    Places {
        mean: mean(None),
        within,
        by_project: PROJECTS.iter().map(|project| mean(Some(project))).collect(),
        precisions: precisions.iter().map(|own| own.1).collect(),
    }
}

/// By how much one is better than the other in the mean, over bugs drawn with replacement: 95 % of the
/// draws are between the two.
fn paired_interval(one: &Places, other: &Places) -> (f64, f64) {
    let pairs = one.precisions.iter().zip(&other.precisions);
    let differences: Vec<f64> = pairs.map(|(one, other)| one - other).collect();
    let count = differences.len() as u64;
    let draw = |draw: u64| {
        let lot = |number: u64| (mix(mix(draw) ^ number) % count) as usize;
        let sum: f64 = (0..count).map(|number| differences[lot(number)]).sum();
        sum / count as f64
    };
    let mut means: Vec<f64> = (0..2000).map(draw).collect();
    means.sort_by(f64::total_cmp);
    (means[50], means[1949])
}

/// Ochiai of methods and elements, every outcome known.
fn ochiai(spectrum: &Spectrum) -> (Vec<f64>, Vec<f64>) {
    let failing: Vec<TestId> = spectrum.failing_tests().collect();
    let tally = Tally::of_failing(spectrum, &failing);
    let formula = Formula::named("ochiai").unwrap();
    let mut methods = vec![f64::NEG_INFINITY; spectrum.program.methods.len()];
    let element = |(number, element): (usize, &fdc_core::spectrum::Element)| {
        let column = spectrum.coverage.column_of(number) as usize;
        let score = formula.value(tally.counts(column));
        let method = &mut methods[element.method.index()];
        *method = method.max(score);
        score
    };
    let lines = spectrum
        .program
        .elements
        .iter()
        .enumerate()
        .map(element)
        .collect();
    (methods, lines)
}

fn has_faulty_lines(spectrum: &Spectrum) -> bool {
    spectrum
        .fault
        .as_ref()
        .is_some_and(|fault| !fault.elements.is_empty())
}

fn faulty_lines(spectrum: &Spectrum) -> Vec<bool> {
    let faults = &spectrum.fault.as_ref().unwrap().elements;
    (0..spectrum.program.elements.len() as u32)
        .map(|element| faults.contains(&element))
        .collect()
}

fn calibration_error(said: &[(f64, bool)]) -> f64 {
    let mut error = 0.0;
    for bin in 0..10 {
        let own = said
            .iter()
            .filter(|(said, _)| ((said * 10.0) as usize).min(9) == bin);
        let own: Vec<&(f64, bool)> = own.collect();
        let said_sum: f64 = own.iter().map(|(said, _)| said).sum();
        let came_true = own.iter().filter(|(_, came_true)| *came_true).count();
        error += (said_sum - came_true as f64).abs();
    }
    error / said.len() as f64
}

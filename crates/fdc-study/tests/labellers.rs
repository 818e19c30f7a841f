//! Simulated labellers: by hand on the worked example of the RLFDC paper, and against a naive twin.

use std::path::Path;
use std::sync::Arc;

use fdc_core::coverage::TestId;
use fdc_core::metric::{Agnostic, Kind};
use fdc_core::ranking::RankingOptions;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Bug, Fault, MethodId, ProgramBuilder, Test};
use fdc_core::tally::Counts;
use fdc_core::{Formula, Metric, Outcome, Selection, Spectrum, Suite, TieBreak, Verdict};
use fdc_learn::sharp::model::SharpModel;
use fdc_learn::sharp::{Localisation, built_in};
use fdc_study::contender::{Contender, Role};
use fdc_study::evaluate::{RunSetup, StudyUnit, Work};
use fdc_study::labeller::{Inquiry, Labeller, LabellerRun};
use fdc_study::run::Arena;
use proptest::prelude::*;

const RIGHT: Labeller = Labeller {
    wrong: 0.0,
    trust: 1.0,
};
const WRONG: Labeller = Labeller {
    wrong: 1.0,
    trust: 1.0,
};

fn bug() -> Bug {
    Bug {
        subject: "Small".into(),
        version: 3,
    }
}

fn labellings(spectrum: &Spectrum, role: &Role, inquiry: &Inquiry) -> Vec<LabellerRun> {
    located(spectrum, role, None, inquiry)
}

/// The same where a distribution ranks and asks, if one does.
fn located(
    spectrum: &Spectrum,
    role: &Role,
    localiser: Option<&Arc<SharpModel>>,
    inquiry: &Inquiry,
) -> Vec<LabellerRun> {
    let bug = bug();
    let Some(arena) = Arena::new(&bug, spectrum, None, RankingOptions::default()) else {
        return vec![];
    };
    let unit = StudyUnit {
        metric: "of a test".into(),
        division: String::new(),
        seed: 0,
        subject: bug.subject.clone(),
        version: bug.version,
    };
    let failing = arena.failing_tests().into_iter();
    failing
        .flat_map(|test| {
            inquiry.records(&RunSetup {
                arena: &arena,
                failing: test,
                role,
                localiser,
                ties: TieBreak::File,
                unit: &unit,
            })
        })
        .collect()
}

/// First and settled entry into the top of the one labelling there is.
fn entries(spectrum: &Spectrum, role: &Role, top: u32, tests: usize, who: Labeller) -> [i64; 2] {
    let inquiry = Inquiry {
        tests,
        top,
        draws: 1,
        labellers: vec![who],
    };
    let [found] = &labellings(spectrum, role, &inquiry)[..] else {
        panic!("one failing test, one labeller, one draw");
    };
    assert_eq!(found.answers as usize, tests);
    [found.first, found.settled].map(|answers| answers.map_or(-1, i64::from))
}

/// Takes tests in the order of the file.
struct InOrder;

impl Agnostic for InOrder {
    fn score(&self, _: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        vec![0.0; candidates.len()]
    }
}

fn paper_example(faulty: u32) -> Spectrum {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/paper-example/example.csv");
    let mut spectrum = fdc_formats::read(&path).unwrap();
    spectrum.fault = Some(Fault {
        methods: vec![MethodId(faulty)],
        elements: vec![],
        is_mutant: false,
    });
    spectrum
}

/// In the order of the file t1 to t10 are RLFDC's picks, and the paper prints every method's place:
/// m4 6 6 3 3 1 1 1 1 1 1 1, m5 6 6 6 6 5 5 5 5 5 4 4, m6 6 6 6 4 4 4 4 4 5 5 5.
#[test]
fn the_papers_printed_places_give_the_answers_needed() {
    let role = Role::Chooses(Metric::new("in order", Kind::Agnostic(Box::new(InOrder))));
    let [m4, m5, m6] = [3, 4, 5].map(paper_example);
    for (spectrum, top, expected) in [
        (&m4, 6, [0, 0]),
        (&m4, 5, [2, 2]),
        (&m4, 2, [4, 4]),
        (&m5, 5, [4, 4]),
        (&m5, 4, [9, 9]),
        (&m6, 4, [3, -1]),
        (&m6, 5, [3, 3]),
        (&m6, 3, [-1, -1]),
    ] {
        assert_eq!(
            entries(spectrum, &role, top, 10, RIGHT),
            expected,
            "top {top}"
        );
    }
}

/// tfd asks for t2: the first test that cuts the 28 suspicious statements into two groups (t1 runs
/// them all). t2 runs m1, m5, m6 and a part of m4. If it passes, m2, m3 and the other part of m4 are
/// left at 1 and m4 is third; if it is said to fail, m1, m4, m5 and m6 are at 1 and m4 is fourth.
#[test]
fn one_answer_by_hand_right_and_wrong() {
    let spectrum = paper_example(3);
    let role = Role::Chooses(Metric::parse("tfd").unwrap());
    let [doubted, doubted_lie] = [RIGHT, WRONG].map(|who| Labeller { trust: 0.9, ..who });
    for (who, top, expected) in [
        (RIGHT, 3, [1, 1]),
        (RIGHT, 2, [-1, -1]),
        // 1/sqrt(1.1 * 1) = .953 of s9 above 1.1/sqrt(1.1 * 2) = .742 of what t2 runs.
        (doubted, 3, [1, 1]),
        (doubted, 2, [-1, -1]),
        (WRONG, 4, [1, 1]),
        (WRONG, 3, [-1, -1]),
        // 1.9/sqrt(1.9 * 2) = .975 of what t2 runs above 1/sqrt(1.9 * 1) = .725 of m2 and m3.
        (doubted_lie, 4, [1, 1]),
        (doubted_lie, 3, [-1, -1]),
    ] {
        let found = entries(&spectrum, &role, top, 1, who);
        assert_eq!(found, expected, "top {top}, {who:?}");
    }
}

/// Where the distribution ranks, it asks too, and its places count: not those of the chosen tests.
#[test]
fn the_distribution_ranks_and_asks() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/orders/orders.json");
    let spectrum = fdc_formats::read(&path).unwrap();
    let fault = spectrum.rankable_faults()[0];
    let place = |located: &Localisation<'_>| {
        let likely = located.likely();
        let own = likely[fault.index()];
        likely.iter().filter(|&&other| other >= own).count() as u32
    };
    let failing = spectrum.failing_tests().next().unwrap();
    let (answers, fails) = (6, Verdict::certain(Outcome::Fail));
    let mut candidates: Vec<TestId> = spectrum.coverage.tests().collect();
    candidates.retain(|&test| test != failing);
    let mut alone = Localisation::new(built_in(), &spectrum, &[failing], &[]);
    let mut places = vec![place(&alone)];
    for _ in 0..answers {
        let (test, _) = alone.best_question(&candidates).unwrap();
        candidates.retain(|&other| other != test);
        alone.answer(test, fails);
        places.push(place(&alone));
    }
    let role = Role::Chooses(Metric::parse("tfd").unwrap());
    for top in [1, places[answers], places[0]] {
        let inquiry = Inquiry {
            tests: answers,
            top,
            draws: 1,
            labellers: vec![WRONG],
        };
        let [found] = &located(&spectrum, &role, Some(built_in()), &inquiry)[..] else {
            panic!("one failing test, one labeller, one draw");
        };
        let first = places.iter().position(|&place| place <= top);
        assert_eq!(
            found.first,
            first.map(|answers| answers as u32),
            "{places:?}"
        );
        assert_eq!(found.answers, 6);
    }
}

/// A spectrum as plain tables.
#[derive(Clone, Debug)]
struct Case {
    /// `covers[test][element]`.
    covers: Vec<Vec<bool>>,
    outcomes: Vec<Option<Outcome>>,
    method_of: Vec<u32>,
    faulty: Vec<u32>,
}

fn cases() -> impl Strategy<Value = Case> {
    use prop::collection::vec;
    (1..16usize, 1..24usize).prop_flat_map(|(m, n)| {
        let outcome = prop_oneof![
            5 => Just(Some(Outcome::Pass)),
            2 => Just(Some(Outcome::Fail)),
            1 => Just(None),
        ];
        let faulty = prop::sample::subsequence((0..9u32).collect::<Vec<_>>(), 1..4);
        (
            vec(vec(any::<bool>(), n), m),
            vec(outcome, m),
            vec(0..9u32, n),
            faulty,
        )
            .prop_map(|(covers, mut outcomes, method_of, faulty)| {
                outcomes[0] = Some(Outcome::Fail);
                Case {
                    covers,
                    outcomes,
                    method_of,
                    faulty,
                }
            })
    })
}

impl Case {
    fn spectrum(&self) -> Spectrum {
        let elements = self.method_of.len() as u32;
        let mut program = ProgramBuilder::default();
        let methods: Vec<MethodId> = (0..9)
            .map(|method| program.method(&format!("m{method}"), || "file".into()))
            .collect();
        for (line, &method) in self.method_of.iter().enumerate() {
            program.element(methods[method as usize], line as u32 + 1, None);
        }
        let mut rows = Rows::new(elements);
        for row in &self.covers {
            let covered = (0..elements).filter(|&element| row[element as usize]);
            rows.push_columns(covered).unwrap();
        }
        let test = |(number, &outcome): (usize, &Option<Outcome>)| Test {
            name: format!("t{number}"),
            outcome,
            ..Test::default()
        };
        let tests = self.outcomes.iter().enumerate().map(test).collect();
        let fault = Fault {
            methods: self.faulty.iter().copied().map(MethodId).collect(),
            elements: vec![],
            is_mutant: false,
        };
        Spectrum::new(None, program.finish(), tests, rows, Some(fault)).unwrap()
    }

    /// The best place of a faulty method, worst of its tie, from the definition: every count taken
    /// anew over all tests judged so far. In 2^-32 parts of a test, as tallies have them.
    fn place(&self, judged: &[(usize, Verdict)]) -> u32 {
        const WHOLE: i64 = 1 << 32;
        let score = |element: usize| {
            let [mut ef, mut ep, mut nf, mut np] = [0; 4];
            for &(test, verdict) in judged {
                let said = (verdict.trust * WHOLE as f64).round() as i64;
                let fails = match verdict.outcome {
                    Outcome::Fail => said,
                    Outcome::Pass => WHOLE - said,
                };
                let (f, p) = match self.covers[test][element] {
                    true => (&mut ef, &mut ep),
                    false => (&mut nf, &mut np),
                };
                *f += fails;
                *p += WHOLE - fails;
            }
            let [ef, ep, nf, np] = [ef, ep, nf, np].map(|parts| parts as f64 / WHOLE as f64);
            Formula::default_formula().value(Counts { ef, ep, nf, np })
        };
        let of_method = |method: u32| {
            let own = (0..self.method_of.len()).filter(|&e| self.method_of[e] == method);
            own.map(score).max_by(f64::total_cmp)
        };
        let scores: Vec<Option<f64>> = (0..9).map(of_method).collect();
        let places = self.faulty.iter().filter_map(|&method| {
            let own = scores[method as usize]?;
            Some(
                scores
                    .iter()
                    .flatten()
                    .filter(|&&other| other >= own)
                    .count() as u32,
            )
        });
        places.min().expect("a faulty method can be ranked")
    }

    /// What a labelling comes to, everything worked out anew for every answer.
    fn naive(
        &self,
        spectrum: &Spectrum,
        failing: usize,
        metric: &Metric,
        inquiry: &Inquiry,
        (who, draw): (Labeller, u64),
    ) -> (u32, Option<u32>, Option<u32>) {
        let id = |test: usize| TestId(test as u32);
        let mut asked: Vec<(usize, Option<Verdict>)> = Vec::new();
        let mut inside = Vec::new();
        loop {
            let mut judged = vec![(failing, Verdict::certain(Outcome::Fail))];
            judged.extend(asked.iter().filter_map(|&(test, said)| Some((test, said?))));
            inside.push(self.place(&judged) <= inquiry.top);
            let mut selection = Selection::new(spectrum, id(failing));
            for &(test, said) in &asked {
                selection.add(id(test), said);
            }
            let next = selection.best(metric);
            let Some(pick) = next.filter(|_| asked.len() < inquiry.tests) else {
                break;
            };
            let test = pick.test.index();
            let truth = self.outcomes[test];
            let tests = [id(failing), pick.test];
            let said = truth.map(|truth| who.answer(truth, &bug(), tests, draw));
            asked.push((test, said));
        }
        let steps = 0..inside.len();
        let first = steps.clone().find(|&step| inside[step]);
        let settled = steps
            .clone()
            .find(|&step| inside[step..].iter().all(|&own| own));
        let answers = |step: Option<usize>| step.map(|step| step as u32);
        (asked.len() as u32, answers(first), answers(settled))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn labellings_equal_their_naive_twins(case in cases(), top in 1..6u32, tests in 0..14usize) {
        let spectrum = case.spectrum();
        let labellers = vec![
            RIGHT,
            Labeller { wrong: 0.0, trust: 0.9 },
            Labeller { wrong: 0.3, trust: 1.0 },
            Labeller { wrong: 0.3, trust: 0.9 },
        ];
        let inquiry = Inquiry { tests, top, draws: 2, labellers };
        let rankable = case.faulty.iter().any(|method| case.method_of.contains(method));
        for metric in ["tfd", "fdg", "random", "flint", "rlfdc", "sharp"] {
            let role = Contender::parse(metric).unwrap().untrained(5).role;
            let Role::Chooses(metric) = &role else {
                panic!("metrics choose");
            };
            let found = labellings(&spectrum, &role, &inquiry);
            let mut found = found.iter();
            let covers = |test: &usize| case.covers[*test].contains(&true);
            let fails = |test: &usize| case.outcomes[*test] == Some(Outcome::Fail);
            let failing = (0..case.covers.len()).filter(fails).filter(covers);
            for failing in failing.filter(|_| rankable) {
                for &who in &inquiry.labellers {
                    for draw in 0..if who.wrong == 0.0 { 1 } else { 2 } {
                        let own = found.next().expect("a labelling for each");
                        prop_assert_eq!(&own.failing, &spectrum.tests[failing].name);
                        prop_assert_eq!((own.labeller, own.draw), (who, draw));
                        let expected =
                            case.naive(&spectrum, failing, metric, &inquiry, (who, draw));
                        let found = (own.answers, own.first, own.settled);
                        prop_assert_eq!(found, expected, "{} {:?}", metric.label, who);
                    }
                }
            }
            prop_assert!(found.next().is_none());
        }
    }
}

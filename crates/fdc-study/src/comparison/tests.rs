use super::*;
use crate::evaluate::StudyUnit;
use crate::run::Standing;

pub(super) fn run(metric: &str, version: u32, ranks: &[f64]) -> StudyRun {
    let standing = |&rank: &f64| Standing {
        ranks: vec![rank],
        wasted: rank - 1.0,
    };
    StudyRun {
        unit: StudyUnit {
            subject: "Lang".into(),
            version,
            metric: metric.into(),
            division: String::new(),
            seed: 0,
        },
        failing: "t".into(),
        methods: 20,
        faulty: vec!["f".into()],
        added: Vec::new(),
        steps: ranks.iter().map(standing).collect(),
        full: standing(&1.0),
    }
}

fn input(name: &str, runs: Vec<StudyRun>) -> ResultsInput {
    ResultsInput {
        name: name.into(),
        runs,
        options: None,
    }
}

#[test]
fn only_bugs_that_all_metrics_have_are_compared() {
    let runs = vec![
        run("a", 1, &[4.0, 2.0]),
        run("b", 1, &[4.0, 1.0]),
        run("a", 2, &[9.0, 9.0]),
    ];
    let comparison = Comparison::of_runs(&runs).unwrap();
    assert_eq!(comparison.bugs().len(), 1);
    assert_eq!(comparison.left_out[0].missing, ["b"]);
    assert_eq!(comparison.best(), 1);
    let none = Comparison::of_runs(&[run("a", 1, &[1.0]), run("b", 2, &[1.0])]);
    assert!(matches!(none, Err(ComparisonError::NoCommonBug(_))));
}

#[test]
fn one_metric_of_two_inputs_is_two_on_the_same_bug_and_one_on_others() {
    let before = input("before", vec![run("a", 1, &[4.0, 2.0])]);
    let after = input("after", vec![run("a", 1, &[4.0, 1.0])]);
    let field = Field::new(&[before.clone(), after]);
    assert_eq!(field.names().collect::<Vec<_>>(), ["a@before", "a@after"]);
    assert_eq!(field.named("a").unwrap().len(), 2);
    let others = input("others", vec![run("a", 2, &[4.0, 1.0])]);
    let field = Field::new(&[before, others]);
    assert_eq!(field.compare(&[]).unwrap().bugs().len(), 2);
}

#[test]
fn the_shortest_run_decides_the_number_of_tests() {
    let runs = [run("a", 1, &[4.0, 2.0, 1.0]), run("b", 1, &[4.0, 1.0])];
    let comparison = Comparison::of_runs(&runs).unwrap();
    assert_eq!(comparison.tests, 1);
    assert_eq!(comparison.metrics[0].area(), 0.5);
}

#[test]
fn a_mistyped_metric_is_answered_with_the_nearest() {
    let field = Field::new(&[input("x", vec![run("rlfdc", 1, &[1.0])])]);
    assert_eq!(field.named("RLFDC").unwrap(), ["rlfdc"]);
    let Err(ComparisonError::UnknownMetric { nearest, .. }) = field.named("rlfcd") else {
        panic!("it is unknown");
    };
    assert_eq!(nearest.as_deref(), Some("rlfdc"));
}

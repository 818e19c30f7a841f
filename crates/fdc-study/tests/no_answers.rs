//! Rankings that choose no test, on the program of `testdata/orders`: one failing test, all others pass.

use std::path::Path;

use fdc_core::TieBreak;
use fdc_core::ranking::RankingOptions;
use fdc_study::contender::{Contender, ContenderError, Role};
use fdc_study::evaluate::{RunSetup, StudyUnit};
use fdc_study::run::{Arena, StudyRun};

fn run(contender: &str) -> StudyRun {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/orders/orders.json");
    let spectrum = fdc_formats::read(&file).unwrap();
    let bug = spectrum.bug.clone().unwrap();
    let arena = Arena::new(&bug, &spectrum, None, RankingOptions::default()).unwrap();
    let contender = Contender::parse(contender).unwrap();
    assert!(!contender.chooses() && !contender.uses_seed());
    let ready = contender.untrained(0);
    assert!(!matches!(ready.role, Role::Chooses(_)));
    let setup = RunSetup {
        arena: &arena,
        failing: arena.failing_tests()[0],
        role: &ready.role,
        localiser: None,
        ties: TieBreak::File,
        unit: &StudyUnit::default(),
    };
    arena.run(&setup, 3)
}

#[test]
fn taking_all_to_pass_is_the_full_pool_where_all_others_do_pass() {
    let run = run("no-answers");
    assert!(run.added.is_empty());
    assert_eq!(run.steps, vec![run.full.clone(); 4]);
    assert_eq!(run, self::run("no-answers:ranking=formula"));
}

#[test]
fn the_distribution_ranks_before_any_answer() {
    let run = run("no-answers:ranking=sharp");
    assert!(run.added.is_empty());
    assert_eq!(run.steps.len(), 4);
    assert!(run.steps.iter().all(|step| step.ranks == [1.0]), "{run:?}");
}

#[test]
fn another_ranking_is_refused() {
    let error = Contender::parse("no-answers:ranking=tfd").unwrap_err();
    assert!(matches!(error, ContenderError::Parameters { .. }));
    assert_eq!(
        error.to_string(),
        "no-answers:ranking=tfd: expected ranking=formula or ranking=sharp, found ranking=tfd"
    );
}

use std::path::Path;

use fdc_core::spectrum::Bug;

use super::{BugSize, PoolRuns, Runs, Study};
use crate::evaluate::StudyUnit;
use crate::labeller::{Labeller, LabellerRun};
use crate::run::{Standing, StudyRun};

const SMALL: &str = r#"
title = "Small"
about = "Two bugs."
source = "nowhere"

[[run]]
name = "human"
pools = [{ path = "human", subjects = ["Lang"] }]
metrics = ["tfd"]
protocol = "none"

[[curve]]
title = "CurveTable"
bugs = 4
[[curve.row]]
name = "TfD"
run = "human"
metric = "tfd"
map = 0.25
acc = [[0, 1, 2, 3], [1, 2, 3, 4]]
full = [4, 4, 4, 4]

[[ablation]]
title = "Steps"
points = [0, 1]
[[ablation.row]]
name = "TfD"
run = "human"
metric = "tfd"
figures = [3, 4]

[[matrix]]
title = "Matrix"
subjects = ["Chart", "Lang"]
bugs = { Chart = 3, Lang = 4 }
[[matrix.row]]
name = "–"
label = "TfD"
run = "human"
metric = "tfd"
figures = { Chart = 2, Lang = 3 }
"#;

fn run(version: u32, ranks: [f64; 2]) -> StudyRun {
    let standing = |rank: f64| Standing {
        ranks: vec![rank],
        wasted: rank - 1.0,
    };
    StudyRun {
        unit: StudyUnit {
            subject: "Lang".into(),
            version,
            metric: "tfd".into(),
            division: String::new(),
            seed: 0,
        },
        failing: "t".into(),
        methods: 50,
        faulty: vec!["m".into()],
        added: vec!["a".into()],
        steps: ranks.map(standing).to_vec(),
        full: standing(1.0),
    }
}

fn size(version: u32, pool: usize) -> BugSize {
    BugSize {
        bug: Bug {
            subject: "Lang".into(),
            version,
        },
        pool,
        tests: pool + 1,
        failing: 1,
        methods: 50,
        faulty: version as usize,
    }
}

#[test]
fn the_papers_figures_stand_beside_ours() {
    let study = Study::parse(SMALL).unwrap();
    let human = PoolRuns {
        runs: vec![run(1, [20.0, 1.0]), run(2, [8.0, 4.0])],
        labellings: vec![],
        sizes: vec![size(1, 3), size(2, 6)],
    };
    let runs = Runs::from([("human".into(), human)]);
    let [curve, matrix, steps] = &study.sheets(&runs)[..] else {
        panic!("three tables");
    };
    assert_eq!(
        curve.data.csv(),
        "metric,tests,acc@1,acc@3,acc@5,acc@10,mAP,lowest mAP,highest mAP,\
         paper acc@1,paper acc@3,paper acc@5,paper acc@10,paper mAP\n\
         TfD,0,0,0,0,1,0.0875,,,0,1,2,3,\n\
         TfD,1,1,1,2,2,0.6250,,,1,2,3,4,0.250\n\
         TfD,full,2,2,2,2,1.0000,,,4,4,4,4,\n"
    );
    assert!(curve.notes[0].starts_with("Ours: 2 bugs (Lang 2); the paper: 4,"));
    let shares = curve.article[0].csv();
    assert!(
        shares.ends_with(
            "TfD,50.0 (25.0),50.0 (50.0),100.0 (75.0),100.0 (100.0),0.625 (0.250),0.625,4.5\n"
        ),
        "{shares}"
    );
    let counts = curve.article[1].csv();
    assert!(counts.ends_with("Init.,0 (0),0 (1),0 (2),1 (3)\n1,1 (1),1 (2),2 (3),2 (4)\nFull,2 (4),2 (4),2 (4),2 (4)\n"), "{counts}");
    let matrix = matrix.article[0].csv();
    assert!(
        matrix.ends_with("–,TfD,– (2),2 (3)\nbugs,,0 (3),2 (4)\n"),
        "{matrix}"
    );
    assert!(
        steps.article[0]
            .csv()
            .ends_with("TfD,1 (3),2 (4),0.6250,0.6250\n")
    );
}

const COMPARED: &str = r#"
title = "Compared"
about = "Two bugs."
source = "nowhere"

[[run]]
name = "human"
pools = [{ path = "human" }]
metrics = ["tfd", "no-answers:ranking=sharp"]
protocol = "none"

[subjects]
title = "Subjects"
run = "human"
row = [{ name = "Chart", bugs = 26, tests = 1814 }, { name = "Lang", bugs = 62, failing = 2.0 }]

[[curve]]
title = "Curves"
against = "TfD"
row = [
  { name = "TfD", run = "human", metric = "tfd" },
  { name = "none", run = "human", metric = "no-answers:ranking=sharp" },
]

[[ablation]]
title = "Steps"
against = "none"
points = [1]
row = [
  { name = "TfD", run = "human", metric = "tfd" },
  { name = "none", run = "human", metric = "no-answers:ranking=sharp" },
]
"#;

#[test]
fn seeds_apart_stand_in_brackets_and_differences_have_intervals() {
    let study = Study::parse(COMPARED).unwrap();
    assert_eq!(study.run[0].seeds, 10);
    let of = |metric: &str, seed: u64, version: u32, rank: f64| {
        let mut run = run(version, [8.0, rank]);
        run.unit.metric = metric.into();
        run.unit.seed = seed;
        run
    };
    let none = "no-answers:ranking=sharp";
    let runs = vec![
        of("tfd", 0, 1, 1.0),
        of("tfd", 0, 2, 2.0),
        of("tfd", 1, 1, 4.0),
        of("tfd", 1, 2, 4.0),
        of(none, 0, 1, 1.0),
        of(none, 0, 2, 1.0),
    ];
    let human = PoolRuns {
        runs,
        labellings: vec![],
        sizes: vec![size(1, 3), size(2, 6)],
    };
    let runs = Runs::from([("human".into(), human)]);
    let [subjects, curve, steps] = &study.sheets(&runs)[..] else {
        panic!("three tables");
    };
    assert_eq!(
        subjects.article[0].csv(),
        "project,bugs,tests,failing,methods,faulty\n\
         Chart,– (26),– (1814),–,–,–\nLang,2 (62),6,1.0 (2.0),50,1.5\n"
    );
    // Seed 0: precisions 1 and 1/2; seed 1: 1/4 and 1/4. Its acc@3 is of two bugs, or of none.
    let shares = curve.article[0].csv();
    assert!(
        shares.contains(
            "TfD,25.0 [0.0–50.0],50.0 [0.0–100.0],100.0 [100.0–100.0],100.0 [100.0–100.0],\
             0.500 [0.250–0.750],0.500,4.5\n"
        ),
        "{shares}"
    );
    assert!(
        shares.contains("none,100.0,100.0,100.0,100.0,1.000,1.000,4.5\n"),
        "{shares}"
    );
    assert!(curve.notes.last().unwrap().contains("of 2 seeds"));
    // Bug 1: 1 less 5/8; bug 2: 1 less 3/8.
    let less = curve.article[1].csv();
    assert!(
        less.ends_with("none,+0.5000,+0.3750,+0.6250,+0.5000,+0.3750,+0.6250\n"),
        "{less}"
    );
    let less = steps.article[1].csv();
    assert!(less.contains("TfD,-0.5000,-0.6250,-0.3750,"), "{less}");
    for (from, to, message) in [
        (
            "against = \"none\"",
            "against = \"ddu\"",
            "Steps: there is no row ddu",
        ),
        (
            "run = \"human\"\nrow = [{",
            "run = \"robot\"\nrow = [{",
            "no run robot",
        ),
        (
            "ranking=sharp",
            "ranking=ddu",
            "expected ranking=formula or ranking=sharp",
        ),
        (
            "protocol = \"none\"",
            "protocol = \"none\"\nties = \"none\"",
            "expected file or random",
        ),
    ] {
        let error = Study::parse(&COMPARED.replace(from, to)).unwrap_err();
        assert!(error.message.contains(message), "{error}");
    }
}

#[test]
fn every_fold_has_a_line_with_its_own_bugs() {
    let folds = "\n[[folds]]\ntitle = \"Models\"\nrow = [{ name = \"TfD\", run = \"human\", metric = \"tfd\" }]\n";
    let study = Study::parse(&format!("{COMPARED}{folds}")).unwrap();
    let of = |division: &str, seed: u64, version: u32, rank: f64| {
        let mut run = run(version, [8.0, rank]);
        run.unit.division = division.into();
        run.unit.seed = seed;
        run
    };
    let human = PoolRuns {
        runs: vec![
            of("Lang-fold1", 0, 1, 1.0),
            of("Lang-fold1", 1, 1, 2.0),
            of("Lang-fold2", 0, 2, 4.0),
            of("Lang-fold2", 1, 2, 4.0),
        ],
        labellings: vec![],
        sizes: vec![size(1, 3), size(2, 6)],
    };
    let runs = Runs::from([("human".into(), human)]);
    let sheets = study.sheets(&runs);
    assert_eq!(
        sheets.last().unwrap().article[0].csv(),
        "tested on,bugs,TfD\n\
         Lang-fold1,1,0.7500 [0.5000–1.0000]\nLang-fold2,1,0.2500 [0.2500–0.2500]\n"
    );
    let wrong = Study::parse(&format!("{COMPARED}{}", folds.replace("tfd", "ddu")));
    assert_eq!(
        wrong.unwrap_err().message,
        "row TfD: run human has no metric ddu"
    );
}

#[test]
fn a_study_file_says_where_it_is_wrong() {
    let wrong = |from: &str, to: &str| Study::parse(&SMALL.replace(from, to)).unwrap_err();
    let error = wrong("protocol = \"none\"", "protocol = \"none\"\nfolds = 3");
    assert_eq!(error.line, Some(11), "{error}");
    assert!(error.message.contains("folds"), "{error}");
    for (from, to, message) in [
        (
            "metric = \"tfd\"",
            "metric = \"ddu\"",
            "run human has no metric ddu",
        ),
        (
            "run = \"human\"",
            "run = \"robot\"",
            "there is no run robot",
        ),
        ("metrics = [\"tfd\"]", "metrics = [\"tfx\"]", "tfx"),
        (
            "name = \"human\"",
            "name = \"../human\"",
            "letters, digits and dashes",
        ),
    ] {
        let error = wrong(from, to);
        assert!(error.message.contains(message), "{error}");
    }
}

const ASKED: &str = r#"
title = "Asked"
about = "Two bugs."
source = "nowhere"

[[run]]
name = "human"
pools = [{ path = "human" }]
metrics = ["tfd", "fdg"]
protocol = "none"
tests = 8
seeds = 3

[labelling]
title = "Answers"
top = 5
draws = 2
against = "TfD"
labellers = [{ wrong = 0.1, trust = 1.0 }, { wrong = 0.1, trust = 0.9 }]
row = [
  { name = "TfD", run = "human", metric = "tfd" },
  { name = "FDG", run = "human", metric = "fdg" },
]
"#;

/// A bug's labellings, one a draw.
fn asked(metric: &str, trust: f64, version: u32, draws: &[[Option<u32>; 2]]) -> Vec<LabellerRun> {
    let labelling = |(draw, &[first, settled]): (usize, &[Option<u32>; 2])| LabellerRun {
        unit: StudyUnit {
            subject: "Lang".into(),
            version,
            metric: metric.into(),
            division: String::new(),
            seed: 0,
        },
        failing: "t".into(),
        labeller: Labeller { wrong: 0.1, trust },
        draw: draw as u64,
        answers: 8,
        first,
        settled,
    };
    draws.iter().enumerate().map(labelling).collect()
}

#[test]
fn labellings_are_averaged_by_bug_and_compared_bug_by_bug() {
    let study = Study::parse(ASKED).unwrap();
    assert_eq!((study.run[0].tests, study.run[0].seeds), (8, 3));
    let labellings = [
        // (0 + 4) / 2 = 2 and (9 + 4) / 2 = 6.5 answers; bug 2 has one draw: 4 and 4.
        asked("tfd", 1.0, 1, &[[Some(0), None], [Some(4), Some(4)]]),
        asked("tfd", 1.0, 2, &[[Some(4), Some(4)]]),
        asked("fdg", 1.0, 1, &[[Some(1), Some(6)]]),
        asked("fdg", 1.0, 2, &[[Some(3), Some(4)]]),
        asked("tfd", 0.9, 1, &[[Some(3), Some(5)]]),
        asked("tfd", 0.9, 2, &[[Some(5), Some(5)]]),
    ];
    let human = PoolRuns {
        labellings: labellings.concat(),
        ..PoolRuns::default()
    };
    let runs = Runs::from([("human".into(), human)]);
    let [answers, metrics, trusts] = &study.sheets(&runs)[..] else {
        panic!("three tables");
    };
    assert_eq!(
        answers.data.csv(),
        "labeller,trust,metric,first time,\"reached, %\",for good,\"kept, %\"\n\
         10 % wrong,1,TfD,3.00,100.0,5.25,75.0\n\
         10 % wrong,1,FDG,2.00,100.0,5.00,100.0\n\
         10 % wrong,0.9,TfD,4.00,100.0,5.00,100.0\n\
         10 % wrong,0.9,FDG,–,–,–,–\n"
    );
    assert!(
        answers.notes[1].contains("At most 8 answers; a run that never gets there counts as 9."),
        "{:?}",
        answers.notes
    );
    // One of two draws of the first bug, none of the second.
    assert_eq!(
        answers.notes[2],
        "25.0 % are in the top 5 before any answer."
    );
    // Two bugs of differences a and b: the interval of the mean reaches from a to b.
    assert_eq!(
        metrics.data.csv(),
        "labeller,trust,less,first time,low,high,for good,\"low, for good\",\"high, for good\"\n\
         10 % wrong,1,FDG,+1.00,+1.00,+1.00,+0.25,+0.00,+0.50\n\
         10 % wrong,0.9,FDG,–,–,–,–,–,–\n"
    );
    let trusts = trusts.data.csv();
    assert!(
        trusts.contains("10 % wrong,0.9,TfD,+1.00,+1.00,+1.00,-0.25,-1.50,+1.00\n"),
        "{trusts}"
    );
}

#[test]
fn deep_nesting_is_refused() {
    let depth = 30_000;
    let dotted = "a.".repeat(depth);
    for text in [
        format!("a = {}", "[".repeat(depth)),
        format!("a = {}", "{a=".repeat(depth)),
        format!("{dotted}a = 1"),
        format!("[{dotted}a]"),
        format!("[[{dotted}a]]\nb = 1"),
        format!("name = {{ {dotted}a = 1 }}"),
        format!("name.{dotted}a = 1"),
    ] {
        let error = Study::parse(&text).unwrap_err();
        assert!(!error.message.is_empty());
    }
    let deeper = format!("{}a = 1", "a.".repeat(1_000_000));
    let error = Study::parse(&deeper).unwrap_err();
    assert_eq!(error.message, "expected at most 65536 bytes, found more");
}

#[test]
fn a_study_of_labellers_says_where_it_is_wrong() {
    let wrong = |from: &str, to: &str| {
        assert!(ASKED.contains(from), "{from}");
        Study::parse(&ASKED.replace(from, to)).unwrap_err()
    };
    let error = wrong("draws = 2", "draws = 2\nanswers = 8");
    assert_eq!(error.line, Some(18), "{error}");
    assert!(error.message.contains("answers"), "{error}");
    let error = wrong("wrong = 0.1, trust = 0.9", "wrong = 0.1, faith = 0.9");
    assert!(error.message.contains("faith"), "{error}");
    for (from, to, message) in [
        ("trust = 0.9", "trust = 0.4", "trust from 0.5 to 1"),
        ("trust = 0.9", "trust = nan", "trust from 0.5 to 1"),
        ("trust = 0.9", "trust = 1.0", "is there twice"),
        ("top = 5", "top = 0", "top and draws are from 1 on"),
        (
            "draws = 2",
            "draws = 4294967295",
            "expected at most 10000 draws, found 4294967295",
        ),
        ("seeds = 3", "seeds = 0", "seeds are from 1 on"),
        (
            "seeds = 3",
            "seeds = 4294967295",
            "expected at most 10000 seeds, found 4294967295",
        ),
        (
            "tests = 8",
            "tests = 4294967295",
            "expected at most 10000 tests in a run, found 4294967295",
        ),
        (
            "against = \"TfD\"",
            "against = \"DDU\"",
            "there is no row DDU",
        ),
        ("name = \"FDG\"", "name = \"TfD\"", "row TfD is there twice"),
        (
            "metric = \"fdg\"",
            "metric = \"ddu\"",
            "run human has no metric ddu",
        ),
        (
            "[labelling]",
            "[[run]]\nname = \"more\"\npools = [{ path = \"p\" }]\nmetrics = [\"tfd\"]\n\
             protocol = \"none\"\n[labelling]",
            "all runs ask for the same number of tests",
        ),
        (
            "[labelling]",
            "[[ablation]]\ntitle = \"t\"\npoints = [0]\nrow = []\n[labelling]",
            "runs of labellers fill no other tables",
        ),
    ] {
        let error = wrong(from, to);
        assert!(error.message.contains(message), "{error}");
    }
}

#[test]
fn every_study_of_the_repository_is_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let study = Study::read(&path).unwrap_or_else(|error| panic!("{error}"));
        let tables = study.sheets(&Runs::new()).len() + usize::from(study.cost.is_some());
        assert!(tables > 0, "{}", path.display());
        for row in study
            .curve
            .iter()
            .filter(|curve| curve.points.is_empty())
            .flat_map(|c| &c.row)
            .filter(|row| row.map.is_some())
        {
            assert_eq!(
                (row.acc.len(), row.full.is_some()),
                (11, true),
                "{}",
                path.display()
            );
        }
        names.push(path.file_stem().unwrap().to_string_lossy().into_owned());
    }
    names.sort();
    assert_eq!(
        names,
        [
            "cost",
            "labelling",
            "rq1",
            "rq1-more",
            "rq2",
            "rq3",
            "rq4",
            "rq5",
            "stability"
        ]
    );
}

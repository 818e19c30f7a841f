use std::path::Path;

use super::{PoolRuns, Runs, Study};
use crate::run::{Run, Standing};

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
title = "Curve"
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

fn run(version: u32, ranks: [f64; 2]) -> Run {
    let standing = |rank: f64| Standing {
        ranks: vec![rank],
        wasted: rank - 1.0,
    };
    Run {
        subject: "Lang".into(),
        version,
        failing: "t".into(),
        metric: "tfd".into(),
        division: String::new(),
        seed: 0,
        methods: 50,
        faulty: vec!["m".into()],
        added: vec!["a".into()],
        steps: ranks.map(standing).to_vec(),
        full: standing(1.0),
    }
}

#[test]
fn the_papers_figures_stand_beside_ours() {
    let study = Study::parse(SMALL).unwrap();
    let human = PoolRuns {
        runs: vec![run(1, [20.0, 1.0]), run(2, [8.0, 4.0])],
        labellings: vec![],
        pool_sizes: vec![3, 6],
    };
    let runs = Runs::from([("human".into(), human)]);
    let [curve, matrix, steps] = &study.sheets(&runs)[..] else {
        panic!("three tables");
    };
    assert_eq!(
        curve.data.csv(),
        "metric,tests,acc@1,acc@3,acc@5,acc@10,mAP,\
         paper acc@1,paper acc@3,paper acc@5,paper acc@10,paper mAP\n\
         TfD,0,0,0,0,1,0.0875,0,1,2,3,\n\
         TfD,1,1,1,2,2,0.6250,1,2,3,4,0.250\n\
         TfD,full,2,2,2,2,1.0000,4,4,4,4,\n"
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
            "rq5"
        ]
    );
}

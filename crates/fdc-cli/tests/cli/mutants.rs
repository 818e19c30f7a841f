//! What mutants are good for once they are in a case.

use serde_json::json;

use crate::program::{Run, fdc};
use crate::subjects::{folder, write_json};

/// Two methods and three tests, tried on mutants by another tool.
fn mutated_case(folder: &std::path::Path, mutants: bool) -> String {
    let place = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (coverage, case) = (place("cart.json"), place("cart.fdc"));
    let document = json!({
        "methods": ["shop.Cart#Cart()", "shop.Cart#add(int,int)"],
        "elements": [[0, 2], [1, 4], [1, 5]],
        "tests": [
            {"name": "shop.CartTest#adds", "outcome": "pass"},
            {"name": "shop.CartTest#many(int)[2]", "outcome": "pass"},
            {"name": "shop.OldTest#sums", "outcome": "pass"}
        ],
        "coverage": [[0, 1, 1], [0, 1, 1], [0, 1, 1]]
    });
    write_json(folder, "cart.json", &document);
    let report = ["--mutants", "pit/mutations.xml"];
    let report = if mutants { &report[..] } else { &[] };
    fdc(&[&["import", &*coverage], report, &["-o", &*case]].concat()).done();
    case
}

fn train(case: &str, out: &str) -> Run {
    fdc(&["train", "--mutants", case, "--recipe", "sharp", "-o", out])
}

#[test]
fn a_model_is_learned_from_mutants_alone() {
    let folder = folder();
    let case = mutated_case(folder.path(), true);
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (first, second) = (place("first.safetensors"), place("second.safetensors"));
    let run = train(&case, &first);
    let said = "first.safetensors: sharp, from 0 bugs and 2 mutants\n";
    assert!(run.stderr.ends_with(said), "{}", run.stderr);
    train(&case, &second).done();
    let bytes = [&first, &second].map(|path| std::fs::read(path).unwrap());
    assert!(bytes[0] == bytes[1]);
    assert!(
        fdc(&["model", "show", &first])
            .done()
            .contains("after mutants")
    );
}

#[test]
fn a_training_starts_from_a_model_of_sharp_alone() {
    let folder = folder();
    let case = mutated_case(folder.path(), true);
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (first, second) = (place("first.safetensors"), place("second.safetensors"));
    let from = |base: &str, recipe: &str, out: &str| {
        fdc(&[
            "train",
            "--mutants",
            &case,
            "--recipe",
            recipe,
            "--base",
            base,
            "-o",
            out,
        ])
    };
    let run = from("sharp", "sharp", &first);
    let said = "first.safetensors: sharp, from a model, 0 bugs and 2 mutants\n";
    assert!(run.stderr.ends_with(said), "{}", run.stderr);
    // From the file of a model as well.
    from(&first, "sharp", &second).done();
    assert!(
        fdc(&["model", "show", &second, "--format", "json"])
            .done()
            .contains("\"base\"")
    );

    let refused = [
        (
            "rlfdc",
            "sharp",
            2,
            "rlfdc: a model that sharp cannot start from",
        ),
        ("sharp", "rlfdc", 2, "rlfdc does not start from a model"),
        ("nowhere.safetensors", "sharp", 3, "nowhere.safetensors"),
    ];
    for (base, recipe, code, said) in refused {
        let run = from(base, recipe, &place("none.safetensors"));
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        assert!(run.stderr.contains(said), "{}", run.stderr);
        assert!(!folder.path().join("none.safetensors").exists());
    }
}

#[test]
fn a_case_without_mutants_says_what_to_run() {
    let folder = folder();
    let case = mutated_case(folder.path(), false);
    let model = folder.path().join("model.safetensors");
    let run = train(&case, model.to_str().unwrap());
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("expected mutants that a test noticed, found none"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("fdc mutate"), "{}", run.stderr);
    assert!(!model.exists());
}

//! Training, model files and the learned metric, run as users run them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

#[path = "cli/program.rs"]
#[allow(dead_code, reason = "shared with the other tests of the program")]
mod program;

use program::{Run, command, root, testdata};

const FAILING: &str = "tests/test_end_to_end.py::test_school_restocks_its_office";

fn orders() -> Value {
    let text = fs::read_to_string(testdata().join("orders/orders.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The example subject as the `version`-th bug of a project, with the tests that `keep` holds of
/// and the failing one.
fn bug(subject: &str, version: usize, keep: impl Fn(usize) -> bool) -> Value {
    let mut bug = orders();
    let tests = bug["tests"].as_array().unwrap().clone();
    let kept = |&test: &usize| tests[test]["outcome"] == "fail" || keep(test);
    let kept: Vec<usize> = (0..tests.len()).filter(kept).collect();
    for list in ["tests", "coverage"] {
        bug[list] = kept.iter().map(|&test| bug[list][test].clone()).collect();
    }
    bug["subject"] = json!(subject);
    bug["version"] = json!(version);
    bug
}

/// A folder with so many bugs, each with other tests.
fn data(subject: &str, versions: usize) -> TempDir {
    let folder = TempDir::new().unwrap();
    for version in 1..=versions {
        let bug = bug(subject, version, |test| (test + version) % 4 != 0);
        write(folder.path(), &format!("{subject}-{version}.json"), &bug);
    }
    folder
}

fn write(folder: &Path, name: &str, bug: &Value) {
    fs::write(folder.join(name), bug.to_string()).unwrap();
}

fn train(data: &Path, model: &Path, options: &[&str]) -> Run {
    let paths = [
        "train",
        data.to_str().unwrap(),
        "-o",
        model.to_str().unwrap(),
    ];
    program::fdc(&[&paths, options].concat())
}

/// A model trained on one bug, and its folder.
fn small_model() -> (TempDir, PathBuf) {
    let folder = data("orders", 1);
    let model = folder.path().join("small.safetensors");
    train(folder.path(), &model, &[]).done();
    (folder, model)
}

fn select_with(model: &Path) -> Run {
    let arguments = [
        "select",
        "orders/orders.json",
        "--failing",
        FAILING,
        "--model",
    ];
    program::fdc(&[&arguments[..], &[model.to_str().unwrap()]].concat())
}

#[test]
fn training_on_sixty_bugs_of_which_three_are_broken_finishes_and_says_which() {
    let data = data("orders", 57);
    let text = bug("orders", 58, |_| true).to_string();
    fs::write(data.path().join("cut.json"), &text[..text.len() / 2]).unwrap();
    let mut faultless = bug("orders", 59, |_| true);
    faultless["faulty_methods"] = json!([]);
    faultless["faulty_elements"] = json!([]);
    write(data.path(), "faultless.json", &faultless);
    write(data.path(), "alone.json", &bug("orders", 60, |_| false));

    let out = TempDir::new().unwrap();
    let model = out.path().join("model.safetensors");
    let run = train(data.path(), &model, &[]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    for expected in [
        "57 of 59 versions, 2280 learning steps",
        "left out orders 59: no faulty method that can be ranked",
        "left out orders 60: the failing test is alone in its pool",
        "cut.json",
    ] {
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
    }
    select_with(&model).done();

    // Quiet hides what was left out on purpose, never what is broken.
    let run = train(data.path(), &model, &["--quiet"]);
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("cut.json"), "{}", run.stderr);
}

#[test]
fn a_pool_that_never_fills_the_ring_is_reported() {
    let data = data("orders", 1);
    write(data.path(), "few.json", &bug("orders", 2, |test| test < 3));
    let run = train(data.path(), &data.path().join("m.safetensors"), &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let expected = "1 versions never filled the ring, nothing was learned from them: orders 2";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn an_interrupted_training_leaves_a_usable_model_and_resumes_to_the_same_bytes() {
    use std::process::{Command, Stdio};

    let data = data("orders", 24);
    let out = TempDir::new().unwrap();
    let model = out.path().join("model.safetensors");
    let checkpoint = out.path().join("model.safetensors.checkpoint");
    let log = out.path().join("log.jsonl");
    // Enough episodes that the training is still under way when the signal comes.
    let options = ["--episodes", "400", "--log", log.to_str().unwrap()];
    let paths = [
        "train",
        data.path().to_str().unwrap(),
        "-o",
        model.to_str().unwrap(),
    ];
    let mut child = command(data.path(), &[&paths[..], &options].concat())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !checkpoint.exists() {
        assert!(child.try_wait().unwrap().is_none(), "ended too early");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    select_with(&model).done();
    let so_far = fs::read(&model).unwrap();

    let resumed = train(data.path(), &model, &[&options[..], &["--resume"]].concat());
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(!checkpoint.exists());
    let resumed = fs::read(&model).unwrap();
    assert_ne!(resumed, so_far);
    let lines = fs::read_to_string(&log).unwrap().lines().count();
    assert_eq!(lines, 24 * 400);

    let undisturbed = out.path().join("undisturbed.safetensors");
    train(data.path(), &undisturbed, &options).done();
    assert_eq!(resumed, fs::read(&undisturbed).unwrap());
}

#[test]
fn a_model_of_ones_own_ranks_and_asks() {
    let data = data("orders", 4);
    let model = data.path().join("own.safetensors");
    train(data.path(), &model, &["--recipe", "sharp"]).done();
    let model = model.to_str().unwrap();
    let orders = "orders/orders.json";
    let own = ["--model", model, "--format", "json"];
    let rank = |more: &[&str]| program::fdc(&[&["rank", orders], more].concat());
    let select = |more: &[&str]| program::fdc(&[&["select", orders, "-n", "1"], more].concat());
    let built_in = ["--format", "json"];
    assert_ne!(rank(&own).done(), rank(&built_in).done());
    assert_ne!(select(&own).done(), select(&built_in).done());

    let wrong = rank(&["--model", model, "--formula", "ochiai"]);
    assert_eq!(wrong.code, Some(2));
    let words = "a model of sharp goes with sharp, not with ochiai";
    assert!(wrong.stderr.contains(words), "{}", wrong.stderr);
    let (_folder, rlfdc) = small_model();
    let wrong = rank(&["--model", rlfdc.to_str().unwrap()]);
    assert_eq!(wrong.code, Some(2));
    let words = "a model of rlfdc chooses tests and ranks nothing";
    assert!(wrong.stderr.contains(words), "{}", wrong.stderr);
}

#[test]
fn a_checkpoint_of_another_training_is_refused() {
    let (data, model) = small_model();
    let checkpoint = data.path().join("small.safetensors.checkpoint");
    fs::copy(&model, &checkpoint).unwrap();
    let run = train(data.path(), &model, &["--resume"]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("rlfdc-checkpoint"), "{}", run.stderr);
}

#[test]
fn every_line_of_the_log_is_json_and_tells_one_episode() {
    let data = data("orders", 2);
    let log = data.path().join("log.jsonl");
    let options = ["--log", log.to_str().unwrap(), "--episodes", "12"];
    train(data.path(), &data.path().join("m.safetensors"), &options).done();
    let text = fs::read_to_string(&log).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let expected: Vec<(u64, u64)> = (1..=2)
        .flat_map(|v| (1..=12).map(move |e| (v, e)))
        .collect();
    let told = lines.iter().map(|line| {
        let number = |key: &str| line[key].as_u64().unwrap();
        (number("version"), number("episode"))
    });
    assert_eq!(told.collect::<Vec<_>>(), expected);
    for line in &lines {
        assert_eq!(line["subject"], "orders");
        assert!(line["reward"].is_f64() && line["rank"].is_f64());
        // The ring is full after ten episodes.
        assert_eq!(
            line["loss"].is_f64(),
            line["episode"].as_u64().unwrap() > 10
        );
    }
}

#[test]
fn models_of_a_protocol_do_not_depend_on_the_number_of_threads() {
    let data = data("orders", 6);
    for version in 1..=3 {
        let bug = bug("other", version, |test| (test + version) % 5 != 0);
        write(data.path(), &format!("other-{version}.json"), &bug);
    }
    let out = TempDir::new().unwrap();
    let folders = ["1", "2"].map(|threads| {
        let folder = out.path().join(threads);
        let options = [
            "--protocol",
            "cross-version",
            "--threads",
            threads,
            "--episodes",
            "15",
        ];
        train(data.path(), &folder, &options).done();
        let mut files: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| {
                (
                    path.file_name().unwrap().to_owned(),
                    fs::read(&path).unwrap(),
                )
            })
            .collect();
        files.sort();
        files
    });
    assert_eq!(folders[0].len(), 10);
    assert!(folders[0] == folders[1]);
}

#[test]
fn the_model_is_the_same_bytes_with_and_without_avx2_and_another_with_another_seed() {
    let data = data("orders", 3);
    let out = TempDir::new().unwrap();
    let trained = |name: &str, options: &[&str], backend: Option<&str>| {
        let model = out.path().join(name);
        let paths = [
            "train",
            data.path().to_str().unwrap(),
            "-o",
            model.to_str().unwrap(),
        ];
        let mut command = command(data.path(), &[&paths, options].concat());
        command.env_remove("FDC_BACKEND");
        command.envs(backend.map(|name| ("FDC_BACKEND", name)));
        assert!(command.output().unwrap().status.success());
        fs::read(model).unwrap()
    };
    let fast = trained("fast", &[], None);
    let portable = trained("portable", &[], Some("portable"));
    let other_seed = trained("seed", &["--seed", "1"], None);
    assert!(fast == portable);
    assert!(fast != other_seed);
}

#[test]
fn models_that_cannot_be_used_are_refused_with_a_reason() {
    let (folder, model) = small_model();
    let good = fs::read(&model).unwrap();
    let place = |bytes: &[u8], text: &str| {
        let mut windows = bytes.windows(text.len());
        windows
            .position(|window| window == text.as_bytes())
            .unwrap()
    };
    // Without a checksum, which would be the first to tell.
    let header = 8 + u64::from_le_bytes(good[..8].try_into().unwrap()) as usize;
    let sum = place(&good, ",\"checksum\"");
    let rest = sum + place(&good[sum..], "}");
    let length = ((header - 8 - (rest - sum)) as u64).to_le_bytes();
    let unsummed = [&length[..], &good[8..sum], &good[rest..]].concat();
    let replaced = |from: &str, to: &str| {
        let mut bytes = unsummed.clone();
        let at = place(&bytes, from);
        bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        bytes
    };
    let mut damaged = good.clone();
    *damaged.last_mut().unwrap() ^= 1;
    let cases = [
        (
            "other.safetensors",
            b"not a model at all".to_vec(),
            "expected a safetensors file",
        ),
        ("empty.safetensors", Vec::new(), "cut short"),
        (
            "cut.safetensors",
            good[..good.len() - 10].to_vec(),
            "cut short",
        ),
        ("damaged.safetensors", damaged, "its checksum"),
        (
            "shape.safetensors",
            replaced("[16,18]", "[18,16]"),
            "head.0.weight",
        ),
        (
            "version.safetensors",
            replaced(r#""format_version":"1""#, r#""format_version":"7""#),
            "format version",
        ),
        (
            "kind.safetensors",
            replaced(r#""kind":"rlfdc""#, r#""kind":"other""#),
            "other",
        ),
    ];
    for (name, bytes, expected) in cases {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let run = select_with(&path);
        assert_eq!(run.code, Some(3), "{name}: {}", run.stderr);
        assert!(
            run.stderr.contains(name) && run.stderr.contains(expected),
            "{name}: {}",
            run.stderr
        );
        assert_eq!(run.stdout, "");
    }
    let run = select_with(&folder.path().join("missing.safetensors"));
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("missing.safetensors"), "{}", run.stderr);
}

#[test]
fn unknown_values_of_options_are_usage_errors_and_write_nothing() {
    let data = data("orders", 1);
    let model = data.path().join("m.safetensors");
    for options in [
        ["--network", "huge"],
        ["--target", "triple"],
        ["--failing", "last"],
        ["--reward", "money"],
        ["--formula", "astrology"],
        ["--protocol", "none"],
        ["--episodes", "0"],
        ["--batch", "0"],
        ["--discount", "1.5"],
        ["--exploration", "-1"],
        ["--learning-rate", "0"],
        ["--learning-rate", "NaN"],
        ["--seed", "one"],
    ] {
        let glued = options.join("=");
        let run = train(data.path(), &model, &[&glued]);
        assert_eq!(run.code, Some(2), "{glued}: {}", run.stderr);
        assert!(!model.exists());
    }
    let run = program::fdc(&[
        "select",
        "orders/orders.json",
        "--metric",
        "total",
        "--model",
        "x",
    ]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn data_without_a_bug_is_bad_input() {
    let folder = TempDir::new().unwrap();
    let model = folder.path().join("m.safetensors");
    let run = train(folder.path(), &model, &[]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let run = train(&folder.path().join("missing"), &model, &[]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(!model.exists());
}

#[test]
fn model_show_tells_what_a_model_is() {
    let (_folder, model) = small_model();
    let path = model.to_str().unwrap();
    let shown = program::fdc(&["model", "show", path, "--format", "json"]).json();
    assert_eq!(shown["schema"], 1);
    assert_eq!(
        (&shown["network"], &shown["weights"]),
        (&json!("full"), &json!(1201))
    );
    assert_eq!(shown["hyperparameters"]["seed"], 0);
    assert_eq!(
        shown["tensors"][4],
        json!({"name": "head.0.weight", "shape": [16, 18]})
    );
    assert_eq!(shown["data_digest"].as_str().unwrap().len(), 64);
    let text = program::fdc(&["model", "show", path]).done();
    assert!(
        text.contains(shown["data_digest"].as_str().unwrap()),
        "{text}"
    );

    let built_in = program::fdc(&["model", "show", "rlfdc", "--format", "json"]).json();
    let shipped = root().join("models/rlfdc.safetensors");
    let shipped = program::fdc(&[
        "model",
        "show",
        shipped.to_str().unwrap(),
        "--format",
        "json",
    ]);
    assert_eq!(built_in, shipped.json());
}

#[test]
fn model_export_writes_the_same_onnx_bytes_for_the_built_in_model_and_its_file() {
    let folder = TempDir::new().unwrap();
    let paths = ["built-in.onnx", "file.onnx"].map(|name| folder.path().join(name));
    let shipped = root().join("models/rlfdc.safetensors");
    program::fdc(&["model", "export", "-o", paths[0].to_str().unwrap()]).done();
    let file = [
        "model",
        "export",
        shipped.to_str().unwrap(),
        "-o",
        paths[1].to_str().unwrap(),
    ];
    program::fdc(&file).done();
    let bytes = paths.map(|path| fs::read(path).unwrap());
    assert!(bytes[0] == bytes[1]);
    // IR version first (field 1), then the producer's name (field 2); all 1201 weights are in it.
    assert_eq!((bytes[0][0], bytes[0][2]), (0x08, 0x12));
    assert!(bytes[0].len() > 4 * 1201);
    let weights = fs::read(&shipped).unwrap();
    let last_layer = &weights[weights.len() - 4 * 33..weights.len() - 4];
    assert!(
        bytes[0]
            .windows(last_layer.len())
            .any(|window| window == last_layer)
    );
}

#[test]
fn explain_rlfdc_shows_what_the_network_learned() {
    let page = program::fdc(&["explain", "rlfdc"]).done();
    for expected in [
        "What the built-in network learned",
        "split",
        "cover",
        "Reading it:",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
}

#[test]
fn results_record_the_digest_of_every_model_and_another_model_is_noticed() {
    let data = data("orders", 2);
    let out = TempDir::new().unwrap();
    let evaluate = |metrics: &str, folder: &Path| {
        program::fdc(&[
            "evaluate",
            data.path().to_str().unwrap(),
            "--metrics",
            metrics,
            "--tests",
            "2",
            "-o",
            folder.to_str().unwrap(),
        ])
    };
    let folder = out.path().join("learned");
    evaluate("total,sharp,rlfdc", &folder).done();
    let path = folder.join("options.json");
    let options: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let digests = fdc_learn::LEARNERS
        .iter()
        .map(|learner| (learner.name().to_owned(), json!(learner.digest())));
    assert_eq!(options["models"], Value::Object(digests.collect()));
    evaluate("total,sharp,rlfdc", &folder).done();

    // As if the model had been trained again since.
    let mut retrained = options.clone();
    retrained["models"]["sharp"] = json!("0".repeat(64));
    fs::write(&path, retrained.to_string()).unwrap();
    let run = evaluate("total,sharp,rlfdc", &folder);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("other options: models is"),
        "{}",
        run.stderr
    );

    // Nothing was learned: no model can change it.
    let folder = out.path().join("hand-made");
    evaluate("total", &folder).done();
    let options = fs::read_to_string(folder.join("options.json")).unwrap();
    assert!(!options.contains("\"models\""), "{options}");
}

//! Mutants of other tools: what good samples hold, and what is said of those that lack the tests.

use fdc_core::Spectrum;
use fdc_core::named::Named as _;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{ProgramBuilder, Test};
use fdc_formats::{detect, read_mutants};

use super::{files_below, testdata};

/// Every test covers everything.
fn spectrum(methods: &[(&str, &str, &[u32])], tests: &[&str]) -> Spectrum {
    let mut program = ProgramBuilder::default();
    for (name, file, lines) in methods {
        let method = program.method(name, || (*file).to_owned());
        lines
            .iter()
            .for_each(|&line| program.element(method, line, None));
    }
    let program = program.finish();
    let mut rows = Rows::new(program.elements.len() as u32);
    let test = |name: &&str| Test {
        name: (*name).to_owned(),
        ..Test::default()
    };
    for _ in tests {
        rows.push(std::iter::once(0..program.elements.len() as u32))
            .unwrap();
    }
    let tests = tests.iter().map(test).collect();
    Spectrum::new(None, program, tests, rows, None).unwrap()
}

fn java() -> Spectrum {
    let file = "src/main/java/shop/Cart.java";
    spectrum(
        &[
            ("shop.Cart#Cart()", file, &[2]),
            ("shop.Cart#add(int,int)", file, &[4, 5]),
            ("shop.Cart$Stock#left(int)", file, &[31]),
        ],
        &[
            "shop.CartTest#adds",
            "shop.CartTest#many(int)[1]",
            "shop.CartTest#many(int)[2]",
            "shop.OldTest#sums",
        ],
    )
}

fn python() -> Spectrum {
    spectrum(
        &[("shop/cart.py::total", "shop/cart.py", &[2, 3, 4])],
        &[
            "tests/test_cart.py::test_empty",
            "tests/test_cart.py::test_one",
            "tests/test_cart.py::test_two",
        ],
    )
}

fn javascript() -> Spectrum {
    let file = "src/cart.js";
    spectrum(
        &[
            ("src/cart.js::total", file, &[2, 3, 4]),
            ("src/cart.js::price", file, &[8]),
        ],
        &["cart is empty", "cart has one", "price doubles"],
    )
}

/// The note without the folder, and a line per mutant.
fn imported(sample: &str, spectrum: &Spectrum) -> Vec<String> {
    let read = read_mutants(&testdata().join(sample), spectrum).unwrap();
    let note = read.note.rsplit_once("testdata/").unwrap().1.to_owned();
    let lines = read.mutants.iter().map(|own| {
        let kills: Vec<&str> = own.kills.iter().map(|kill| &*kill.test).collect();
        let change = &own.change;
        format!(
            "{}:{} {:?} {} {}: {} -> {}; {} of {} tests: {}",
            change.path.rsplit('/').next().unwrap(),
            own.line,
            change.bytes,
            own.method.rsplit(['#', ':']).next().unwrap(),
            own.mutator,
            own.original,
            change.replacement,
            own.fate.name(),
            own.tests,
            kills.join(", ")
        )
    });
    std::iter::once(note).chain(lines).collect()
}

fn refused(sample: &str, spectrum: &Spectrum) -> (String, String) {
    let error = read_mutants(&testdata().join(sample), spectrum).unwrap_err();
    let message = error.to_string();
    let message = message.rsplit_once("testdata/").unwrap().1.to_owned();
    (message, error.advice().unwrap_or_default().to_owned())
}

fn assert_refused(sample: &str, message: &str, advice: &str) {
    let (found, told) = refused(sample, &java());
    assert_eq!((&*found, &*told), (message, advice));
}

#[test]
fn pit_tells_the_methods_and_all_killers() {
    let expected = [
        "pit/mutations.xml: 6 mutants, 4 killed; 1 in code that was not measured; \
         1 killed only by tests that the case does not have; 1 more not tried",
        "Cart.java:5 (0, 0) add(int,int) MathMutator:  -> Replaced integer multiplication with \
         division [Cart.add(II)V 9]; killed of 4 tests: shop.CartTest#adds, \
         shop.CartTest#many(int)[2], shop.OldTest#sums",
        "Cart.java:5 (0, 0) add(int,int) MathMutator:  -> Replaced integer addition with \
         subtraction [Cart.add(II)V 11]; killed of 2 tests: shop.CartTest#adds, shop.OldTest#sums",
        "Cart.java:4 (0, 0) add(int,int) ConditionalsBoundaryMutator:  -> changed conditional \
         boundary [Cart.add(II)V 5]; survived of 1 tests: ",
        "Cart.java:2 (0, 0) Cart() IncrementsMutator:  -> Changed increment from 1 to -1 \
         [Cart.<init>()V 3]; hung of 1 tests: ",
    ];
    assert_eq!(imported("pit/mutations.xml", &java()), expected);
}

#[test]
fn a_mutant_on_a_line_that_is_no_element_is_found_by_class_and_method() {
    let mut java = java();
    java.tests[0].name = "shop.CartTest#left".into();
    let read = read_mutants(&testdata().join("pit/mutations.xml"), &java).unwrap();
    let left = read.mutants.iter().find(|own| own.line == 30).unwrap();
    assert_eq!(left.method, "shop.Cart$Stock#left(int)");
}

#[test]
fn stryker_tells_the_bytes() {
    let expected = [
        "stryker/mutation.json: 5 mutants, 2 killed; 1 more not tried",
        "cart.js:3 (65, 79) total AssignmentOperator: ä += price(p) -> ä -= price(p); \
         killed of 2 tests: cart has one",
        "cart.js:8 (126, 131) price ArithmeticOperator: p * 2 -> p / 2; \
         killed of 2 tests: cart has one, price doubles",
        "cart.js:1 (23, 95) total BlockStatement: {\n  let ä = 0;\n  for (const p of prices) \
         ä += price(p);\n  return ä;\n} -> {}; survived of 1 tests: ",
        "cart.js:7 (115, 134) price BlockStatement: {\n  return p * 2;\n} -> {}; hung of 1 tests: ",
        "cart.js:8 (126, 131) price ArithmeticOperator: p * 2 -> p / 2 #2; survived of 0 tests: ",
    ];
    assert_eq!(imported("stryker/mutation.json", &javascript()), expected);
}

#[test]
fn a_session_of_cosmic_ray_names_tests_in_its_output() {
    let expected = [
        "cosmic-ray/session.sqlite: 5 mutants, 2 killed; 1 more not tried",
        "cart.py:1 (0, 0) total RemoveDecorator:  ->  [RemoveDecorator 0]; crashed of 0 tests: ",
        "cart.py:2 (0, 0) total NumberReplacer: s = 0 -> s = 1 [NumberReplacer 0]; \
         killed of 3 tests: tests/test_cart.py::test_one",
        "cart.py:2 (0, 0) total NumberReplacer: s = 0 -> s = -1 [NumberReplacer 1]; \
         survived of 3 tests: ",
        "cart.py:3 (0, 0) total ZeroIterationForLoop: for p in prices: -> for p in []: \
         [ZeroIterationForLoop 0]; killed of 3 tests: tests/test_cart.py::test_one, \
         tests/test_cart.py::test_two",
        "cart.py:4 (0, 0) total ReplaceBreakWithContinue: break -> continue \
         [ReplaceBreakWithContinue 0]; hung of 3 tests: ",
    ];
    assert_eq!(imported("cosmic-ray/session.sqlite", &python()), expected);
    let path = testdata().join("cosmic-ray/session.sqlite");
    let read = read_mutants(&path, &python()).unwrap();
    let failure = &read.mutants[1].kills[0].failure;
    assert_eq!(failure.message.as_deref(), Some("assert 0 == 6"));
}

#[test]
fn major_tells_tests_by_number() {
    let expected = [
        "major/cart: 5 mutants, 3 killed; 1 in code that was not measured; \
         1 failure of a test that the case does not have",
        "Cart.java:5 (0, 0) add(int,int) AOR: price * count -> price / count [1]; \
         killed of 2 tests: shop.CartTest#adds, shop.OldTest#sums",
        "Cart.java:4 (0, 0) add(int,int) LVR: 10 -> 0 [2]; survived of 1 tests: ",
        "Cart.java:31 (0, 0) left(int) STD: note(a ? b : c) -> <NO-OP> [3]; hung of 1 tests: ",
        "Cart.java:5 (0, 0) add(int,int) AOR: total + 1 -> total - 1 [5]; \
         killed of 2 tests: shop.OldTest#sums",
    ];
    assert_eq!(imported("major/cart", &java()), expected);
    assert_eq!(
        imported("major/cart/testMap.csv", &java())[1..],
        expected[1..]
    );
}

#[test]
fn a_matrix_with_the_first_killers_alone_is_refused_with_what_to_do() {
    assert_refused(
        "pit/first-killers.xml",
        "pit/first-killers.xml: line 3: expected all tests that fail with a mutant, as \
         <killingTests>, found the first of them alone, as <killingTest>",
        "run PIT with fullMutationMatrix=true and output format XML",
    );
    assert_refused(
        "stryker/bail.json",
        "stryker/bail.json: expected all tests that fail with a mutant, found at most one of each, \
         where several run it",
        "run Stryker with disableBail true, so that it runs all tests on each mutant",
    );
    assert_refused(
        "cosmic-ray/stopped.sqlite",
        "cosmic-ray/stopped.sqlite: mutant core/NumberReplacer 0 of shop/cart.py: expected all \
         tests that fail with a mutant, found pytest stopping after the first",
        "leave out -x and --maxfail in test-command, and run cosmic-ray again",
    );
    assert_refused(
        "major/killed-only",
        "major/killed-only: expected killMap.csv, the tests that fail with each mutant, found \
         kill.csv, which only tells that some test failed",
        "let Major export the kill map, with exportKillMap=\"true\", and run it again",
    );
}

#[test]
fn tools_that_only_tell_killed_are_refused_for_fdc_mutate() {
    let advice = "use `fdc mutate` instead: it runs all tests that run the changed line";
    let samples = ["cargo-mutants", "mutmut"].map(|tool| files_below(&testdata().join(tool)));
    for path in samples.concat() {
        let tool = detect(&path).unwrap().name;
        let error = read_mutants(&path, &java()).unwrap_err();
        let expected = format!(
            "{}: expected which tests fail with each mutant, found a report of {tool}, which only \
             tells that some test failed",
            path.display()
        );
        assert_eq!(
            (error.to_string(), error.advice()),
            (expected, Some(advice))
        );
    }
}

#[test]
fn a_report_of_other_code_or_tests_is_refused() {
    let (message, advice) = refused("pit/mutations.xml", &python());
    assert_eq!(
        message,
        "pit/mutations.xml: expected failures of the measured tests, such as \
         \"tests/test_cart.py::test_empty\", found 4 tests, such as \"shop.CartTest#adds()\", that \
         fit none"
    );
    assert_eq!(advice, "is the report of the same code and tests?");
    let other = spectrum(&[("a.B#c()", "a/B.java", &[1])], &["shop.CartTest#adds"]);
    let (message, _) = refused("pit/mutations.xml", &other);
    assert_eq!(
        message,
        "pit/mutations.xml: expected mutants of the measured code, such as a.B#c(), found \
         6 mutants, such as in shop/Cart.java:5, that are in none of it"
    );
}

#[test]
fn coverage_is_no_kill_matrix_and_a_kill_matrix_no_coverage() {
    let (message, advice) = refused("junit/pytest.xml", &java());
    assert_eq!(
        message,
        "junit/pytest.xml: expected the kill matrix of a mutation tool, found format junit"
    );
    let (message, _) = refused("orders/README.md", &java());
    assert!(
        message.contains("of a mutation tool, found a file that starts"),
        "{message}"
    );
    assert!(
        advice.contains("pit, stryker, cosmic-ray and major"),
        "{advice}"
    );
    let error = fdc_formats::read(&testdata().join("pit/mutations.xml")).unwrap_err();
    assert!(error.to_string().ends_with(
        "expected coverage, or outcomes of tests, found format pit, which is about mutants"
    ));
    assert!(error.advice().unwrap().contains("--mutants FILE"));
}

#[test]
fn without_killers_or_their_names_a_report_of_stryker_is_refused() {
    let parse = |text: &str| {
        let error = fdc_formats::kill_matrix::stryker::parse("x".as_ref(), text.as_bytes());
        let error = error.unwrap_err();
        (error.to_string(), error.advice().unwrap().to_owned())
    };
    let report = |rest: &str| {
        let place =
            r#""location": {"start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 2}}"#;
        format!(
            r#"{{"files": {{"a.js": {{"source": "x", "mutants": [
            {{"id": "0", "mutatorName": "M", "replacement": "y", {place}, {rest}}}]}}}}}}"#
        )
    };
    let per_test =
        "run Stryker with coverageAnalysis perTest, disableBail true and the reporter json";
    let (message, advice) = parse(&report(r#""status": "Killed""#));
    assert_eq!(
        message,
        "x: expected killedBy, the tests that fail with each mutant, found none"
    );
    assert_eq!(advice, per_test);
    let (message, advice) = parse(&report(r#""status": "Killed", "killedBy": ["7"]"#));
    assert_eq!(
        message,
        "x: file a.js, mutant 0: expected the killers' names in testFiles, found no test 7"
    );
    assert_eq!(advice, per_test);
    let (message, _) = parse(&report(r#""status": "Eaten""#));
    assert!(message.contains("found \"Eaten\""), "{message}");
}

#[test]
fn cut_anywhere_a_sample_is_read_or_refused_with_advice() {
    let (java, python, javascript) = (java(), python(), javascript());
    for (sample, spectrum) in [
        ("pit/mutations.xml", &java),
        ("stryker/mutation.json", &javascript),
        ("cosmic-ray/session.sqlite", &python),
        ("major/cart/killMap.csv", &java),
        ("major/cart/testMap.csv", &java),
        ("major/cart/mutants.log", &java),
    ] {
        let path = testdata().join(sample);
        let folder = tempfile::tempdir().unwrap();
        for neighbour in files_below(path.parent().unwrap()) {
            let copy = folder.path().join(neighbour.file_name().unwrap());
            std::fs::copy(&neighbour, copy).unwrap();
        }
        let copy = folder.path().join(path.file_name().unwrap());
        let whole = std::fs::read(&path).unwrap();
        for length in (0..whole.len()).step_by(1 + whole.len() / 300) {
            std::fs::write(&copy, &whole[..length]).unwrap();
            if let Err(error) = read_mutants(&copy, spectrum) {
                assert!(
                    error.advice().is_some(),
                    "{sample} cut to {length}: {error}"
                );
            }
        }
    }
}

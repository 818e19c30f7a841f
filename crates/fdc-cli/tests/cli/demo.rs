//! `fdc demo`: no input, anywhere.

use crate::program::{command, fdc_in};
use crate::subjects::{ORDERS_FAULTY, folder};

#[test]
fn the_demo_runs_in_an_empty_folder_and_tells_the_story() {
    let folder = folder();
    let run = fdc_in(folder.path(), &["demo"]);
    assert_eq!(run.stderr, "");
    let text = run.done();
    assert!(text.contains(ORDERS_FAULTY), "{text}");
    assert!(text.contains("test_school_restocks_its_office"), "{text}");
    assert!(
        text.contains("fdc select case.fdc"),
        "says what to type next: {text}"
    );
    assert!(
        text.lines().count() <= 45,
        "fits a screen: {} lines",
        text.lines().count()
    );
    assert!(
        text.lines().all(|line| line.chars().count() <= 110),
        "{text}"
    );
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        0,
        "writes nothing"
    );
}

#[test]
fn a_pipe_gets_no_colours_unless_forced() {
    let folder = folder();
    let with = |variables: &[(&str, &str)]| {
        let output = command(folder.path(), &["demo"])
            .envs(variables.iter().copied())
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let plain = with(&[]);
    assert!(!plain.contains('\u{1b}'));
    assert_eq!(with(&[("NO_COLOR", "1")]), plain);
    let coloured = with(&[("CLICOLOR_FORCE", "1")]);
    assert!(coloured.contains("\u{1b}[1m") && coloured.contains("\u{1b}[31m"));
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
    assert_eq!(with(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "0")]), plain);
}

#[test]
fn the_faulty_method_only_rises() {
    let folder = folder();
    let text = fdc_in(folder.path(), &["demo"]).done();
    let place = |line: &str| -> Option<u32> {
        let (before, _) = line.split_once('█')?;
        before.split_whitespace().last()?.parse().ok()
    };
    let places: Vec<u32> = text.lines().filter_map(place).collect();
    assert_eq!(places.len(), 11, "{text}");
    assert!(places.is_sorted_by(|a, b| a >= b), "{places:?}");
    assert!(places[0] > 60 && places[10] <= 5, "{places:?}");
}

//! `list`, `explain`, `completions`, `man` and the help.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::program::{fdc, fdc_in, listed};
use crate::subjects::folder;

#[test]
fn every_listed_name_can_be_explained() {
    for what in ["metrics", "formulas", "formats"] {
        for name in listed(what) {
            let page = fdc(&["explain", &name]).done();
            assert!(page.contains(&name) && page.len() > 60, "{name}: {page}");
            assert!(
                page.ends_with('\n') && !page.ends_with("\n\n"),
                "{name}: {page:?}"
            );
        }
    }
}

#[test]
fn a_metric_is_explained_with_its_parameters_given_too() {
    assert_eq!(
        fdc(&["explain", "weight:alpha=0.3"]).done(),
        fdc(&["explain", "weight"]).done()
    );
}

#[test]
fn names_are_unique_within_a_list() {
    for what in ["metrics", "formulas", "formats"] {
        let names = listed(what);
        assert_eq!(
            names.iter().collect::<BTreeSet<_>>().len(),
            names.len(),
            "{what}"
        );
    }
}

#[test]
fn an_unknown_name_suggests_the_nearest() {
    for (given, meant) in [
        ("wieght", "weight"),
        ("ochai", "ochiai"),
        ("gzolter", "gzoltar"),
    ] {
        let run = fdc(&["explain", given]);
        assert_eq!(run.code, Some(2));
        assert_eq!(run.stdout, "");
        assert_eq!(
            run.stderr,
            format!("error: nothing is named {given:?}\n  did you mean {meant:?}?\n")
        );
    }
    let run = fdc(&["explain", "zzzzzzzzzz"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("`fdc list metrics`"), "{}", run.stderr);
}

#[test]
fn completions_come_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = fdc(&["completions", shell]).done();
        for command in ["demo", "import", "rank", "select", "list", "explain"] {
            assert!(script.contains(command), "{shell} {command}");
        }
    }
}

#[test]
fn completions_list_every_metric_and_formula() {
    for shell in ["bash", "zsh", "fish"] {
        let script = fdc(&["completions", shell]).done();
        for what in ["metrics", "formulas"] {
            let names = listed(what);
            let all = |line: &str| names.iter().all(|name| line.contains(&**name));
            // Zsh and fish put a value a line.
            let found = match shell {
                "bash" => script.lines().any(all),
                _ => all(&script),
            };
            assert!(found, "{shell}: {what}");
        }
    }
}

#[test]
fn files_are_offered_only_where_a_path_is_asked_for() {
    let script = fdc(&["completions", "bash"]).done();
    let mut offers = BTreeMap::new();
    let mut option = "";
    for line in script.lines().map(str::trim) {
        if let Some(name) = line.strip_suffix(')').filter(|name| name.starts_with('-')) {
            option = name;
        } else if line.starts_with("COMPREPLY=") && !option.is_empty() {
            let kinds: &mut BTreeSet<bool> = offers.entry(option).or_default();
            kinds.insert(line.contains("compgen -f") || line.contains("compgen -d"));
            option = "";
        }
    }
    for option in [
        "--formula",
        "--metric",
        "--tie",
        "--level",
        "--format",
        "--faults",
        "--failing",
        "--who",
        "--threads",
        "--since",
    ] {
        assert_eq!(offers[option], [false].into(), "{option}");
    }
    for option in ["--out", "-o", "--source", "--model"] {
        assert_eq!(offers[option], [true].into(), "{option}");
    }
}

#[test]
fn bash_accepts_its_completions() {
    let script = fdc(&["completions", "bash"]).done();
    let bash = Command::new("bash")
        .arg("-n")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut bash) = bash else {
        eprintln!("SKIPPED: no bash on this machine");
        return;
    };
    bash.stdin
        .take()
        .unwrap()
        .write_all(script.as_bytes())
        .unwrap();
    let output = bash.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn man_writes_a_page_per_command() {
    let folder = folder();
    assert_eq!(fdc_in(folder.path(), &["man", "--out", "pages"]).done(), "");
    let files = std::fs::read_dir(folder.path().join("pages")).unwrap();
    let names: BTreeSet<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    for command in [
        "",
        "-demo",
        "-import",
        "-rank",
        "-select",
        "-list",
        "-explain",
        "-completions",
        "-man",
    ] {
        let name = format!("fdc{command}.1");
        assert!(names.contains(&name), "{name} in {names:?}");
        let page = std::fs::read_to_string(folder.path().join("pages").join(&name)).unwrap();
        assert!(page.contains(".SH NAME"), "{name}");
    }
    assert!(
        names
            .iter()
            .all(|name| name.starts_with("fdc") && name.ends_with(".1")),
        "{names:?}"
    );
    let main = fdc(&["man"]).done();
    assert_eq!(
        main,
        std::fs::read_to_string(folder.path().join("pages/fdc.1")).unwrap()
    );
    assert!(main.contains("Exit codes"), "exit codes are documented");
}

#[test]
fn the_help_documents_exit_codes_and_every_command() {
    let help = fdc(&["--help"]).done();
    for text in ["Exit codes:", "bad input", "130", "demo", "select"] {
        assert!(help.contains(text), "{text}");
    }
    for command in [
        "demo",
        "import",
        "rank",
        "select",
        "list",
        "explain",
        "completions",
        "man",
    ] {
        let help = fdc(&[command, "--help"]).done();
        assert!(help.contains("Usage: fdc"), "{command}");
    }
}

#[test]
fn no_command_at_all_is_a_usage_error_with_the_help() {
    let run = fdc(&[]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("Usage: fdc"));
}

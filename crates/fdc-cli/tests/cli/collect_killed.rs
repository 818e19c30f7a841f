//! `fdc collect`, stopped or killed: nothing that it started runs on, and nobody takes half a case for a
//! whole one.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{command, fdc_in, root};
use crate::subjects::folder;

const SHOP: &str = "def price(count):\n    return count * 3\n";

/// The last test hangs, with a process of its own beside it, and leaves their numbers.
const TESTS: &str = "import os, subprocess, time
import shop


def test_price():
    assert shop.price(1) == 3


def test_price_of_many():
    assert shop.price(2) == 7


def test_wait():
    child = subprocess.Popen(['sleep', '600'])
    with open('started.new', 'w') as file:
        file.write('%d %d' % (os.getpid(), child.pid))
    os.rename('started.new', 'started')
    time.sleep(600)
";

/// A collection of `test_shop.py` that has come to its last test, and the processes it started; none,
/// loudly, where there is no pytest.
fn hanging(folder: &Path) -> Option<(Child, Vec<u32>)> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), Into::into);
    let python = target.join("venv-python/bin/python");
    if !python.exists() {
        eprintln!("SKIPPED: no {}; run python/environment", python.display());
        return None;
    }
    std::fs::write(folder.join("shop.py"), SHOP).unwrap();
    std::fs::write(folder.join("test_shop.py"), TESTS).unwrap();
    let mut collect = command(folder, &["collect", "pytest", "--python"]);
    let errors = std::fs::File::create(folder.join("stderr")).unwrap();
    collect.arg(python).stdout(Stdio::null()).stderr(errors);
    let child = collect.spawn().unwrap();
    let started = folder.join("started");
    wait_until("the test that hangs begins", || started.exists());
    let ids = std::fs::read_to_string(started).unwrap();
    let ids = ids.split(' ').map(|id| id.parse().unwrap()).collect();
    Some((child, ids))
}

#[track_caller]
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: never");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A process that nobody has waited for yet has ended, too.
fn has_ended(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat"));
    status.map_or(true, |status| status.contains(") Z "))
}

fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let bits = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    bits.is_some_and(|bits| bits & 1 != 0)
}

fn send(signal: &str, process: &Child) {
    let id = process.id().to_string();
    let sent = Command::new("kill").args(["-s", signal, &id]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn whatever_ends_a_collection_ends_its_tests_and_what_they_started() {
    for signal in ["INT", "TERM", "HUP", "KILL"] {
        if signal == "HUP" && hangups_are_ignored() {
            eprintln!("SKIPPED: SIGHUP, which these tests were started to ignore, as by nohup");
            continue;
        }
        let folder = folder();
        let Some((mut collect, started)) = hanging(folder.path()) else {
            return;
        };
        send(signal, &collect);
        let code = collect.wait().unwrap().code();
        for process in started {
            let what = format!("the end of process {process} after SIG{signal}");
            wait_until(&what, || has_ended(process));
        }
        let said = std::fs::read_to_string(folder.path().join("stderr")).unwrap();
        match signal {
            "KILL" => assert_eq!(code, None),
            _ => {
                assert_eq!(code, Some(130), "SIG{signal}: {said}");
                assert!(said.contains("what was measured is kept"), "{said}");
            }
        }
    }
}

#[test]
fn every_command_says_that_a_case_is_half_of_one() {
    let folder = folder();
    let Some((mut collect, _)) = hanging(folder.path()) else {
        return;
    };
    let running =
        "note: case.fdc: the collection is still running, with 2 of 3 tests done so far\n";
    // The test that hangs may begin before the one before it is stored.
    wait_until(running, || {
        let during = fdc_in(folder.path(), &["rank", "case.fdc"]);
        during.stderr.contains(running)
    });
    collect.kill().unwrap();
    collect.wait().unwrap();
    let said = "case.fdc: the collection was interrupted after 2 of 3 tests; \
                run the same fdc collect again to finish it\n";
    for arguments in [
        "rank case.fdc",
        "rank case.fdc --format json",
        "select case.fdc",
        "label case.fdc --json-lines",
        "report case.fdc -o report.html",
        "import case.fdc -o copy.fdc",
        "evaluate case.fdc --metrics split -o results",
        "train --recipe sharp case.fdc -o model",
    ] {
        let words: Vec<&str> = arguments.split(' ').collect();
        let run = fdc_in(folder.path(), &words);
        assert!(run.stderr.contains(said), "{arguments}: {}", run.stderr);
        assert!(!run.stdout.contains("interrupted"), "{arguments}");
    }
    let quiet = fdc_in(folder.path(), &["rank", "case.fdc", "--quiet"]);
    assert_eq!(quiet.stderr, "");
}

//! What documents show is what the program prints. Lines may be left out by `...`.

use std::path::Path;
use std::process::Command;

use crate::{files, read, root};

#[test]
fn the_first_page_shows_the_demo_as_it_is() {
    compare("README.md", &marked("demo"), &run(&root(), &["demo"]));
}

/// The first page shows a project that was collected. Here coverage and failure come from the
/// repository: that has a name, and files without the folder `src`, which are shown where they differ.
#[test]
fn the_first_page_shows_rank_select_and_report_as_they_are() {
    let case = Path::new(env!("CARGO_TARGET_TMPDIR")).join("first-page.fdc");
    let case = case.to_string_lossy();
    let inputs = [
        "testdata/orders/orders.json",
        "--outcomes",
        "testdata/orders/pytest.txt",
    ];
    run(&root(), &[&["import", "-o", &case], &inputs[..]].concat());
    let project = root().join("testdata/orders");
    let alike = |text: &str| {
        text.replace("src/orders/", "orders/")
            .replace("orders 1: ", "")
            .replace("::tiered_discount  orders/discount.py", "::tiered_discount")
    };
    for (name, arguments) in [
        ("rank", &["rank", &case, "-n", "1"][..]),
        ("select", &["select", &case, "-n", "1"]),
        ("report", &["report", &case, "--format", "markdown"]),
    ] {
        compare(
            "README.md",
            &alike(&marked(name)),
            &alike(&run(&project, arguments)),
        );
    }
}

#[test]
fn pages_show_what_commands_on_the_samples_print() {
    let mut shown = 0;
    for page in files("docs", &[".md"]) {
        let text = read(&page);
        for block in text.split("```\n$ fdc ").skip(1) {
            let (command, rest) = block.split_once('\n').expect("a line ends");
            let arguments: Vec<_> = command.split_whitespace().collect();
            let verb = arguments.first().copied().unwrap_or_default();
            if !["rank", "select"].contains(&verb) || !command.contains("testdata/") {
                continue;
            }
            let expected = rest.split("```").next().unwrap_or_default();
            compare(&page, expected, &run(&root(), &arguments));
            shown += 1;
        }
    }
    assert!(
        shown >= 2,
        "docs/ranking.md and docs/selecting.md show `rank` and `select` on testdata"
    );
}

/// What stands in README.md between the marks of this name, without fences and commands.
fn marked(name: &str) -> String {
    let text = read("README.md");
    let begin = format!("<!-- {name}:begin -->\n");
    let end = format!("<!-- {name}:end -->");
    let (_, rest) = text.split_once(&begin).unwrap_or_else(|| {
        panic!("README.md has no {begin}");
    });
    let (block, _) = rest.split_once(&end).unwrap_or_else(|| {
        panic!("README.md has no {end}");
    });
    block
        .lines()
        .filter(|line| !line.starts_with("```") && !line.starts_with("$ "))
        .map(|line| format!("{line}\n"))
        .collect()
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fdc"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    assert!(
        output.status.success(),
        "fdc {}: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Every stretch between two `...` stands in the output, one after the other. Blanks in a line do
/// not count: columns are as wide as the longest name.
#[track_caller]
fn compare(page: &str, shown: &str, printed: &str) {
    let lines = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|line| !line.is_empty())
            .collect()
    };
    let printed_lines = lines(printed);
    let mut rest = &printed_lines[..];
    let all = lines(shown);
    for stretch in all
        .split(|line| line == "...")
        .filter(|part| !part.is_empty())
    {
        let at = rest
            .windows(stretch.len())
            .position(|window| window == stretch)
            .unwrap_or_else(|| {
                panic!(
                    "{page} shows\n{}\nwhich is not what is printed; copy it anew:\n{printed}",
                    stretch.join("\n")
                )
            });
        rest = &rest[at + stretch.len()..];
    }
    assert!(!all.is_empty(), "{page} shows nothing");
}

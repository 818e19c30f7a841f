//! `fdc rank --format html`.

use std::collections::BTreeSet;
use std::fs;

use serde_json::json;

use crate::hostile_names::{case, is_harmless};
use crate::program::{fdc, fdc_in};
use crate::subjects::{INPUTS, ORDERS_FAULTY, folder, write_json};

/// What stands between quotes after each `start`.
fn quoted<'p>(page: &'p str, start: &str) -> Vec<&'p str> {
    let parts = page.split(start).skip(1);
    parts.map(|part| part.split('"').next().unwrap()).collect()
}

#[track_caller]
pub(crate) fn links_lead_somewhere(page: &str) {
    let ids: BTreeSet<&str> = quoted(page, " id=\"").into_iter().collect();
    assert_eq!(quoted(page, " id=\"").len(), ids.len(), "ids are unique");
    for link in [
        quoted(page, "<a href=\"#"),
        quoted(page, "<a class=\"leaf\" href=\"#"),
    ]
    .concat()
    {
        assert!(ids.contains(link), "{link}");
    }
}

#[test]
fn the_page_links_suspects_to_their_source() {
    let start = [
        "rank",
        "orders/orders.json",
        "--source",
        "orders",
        "--format",
        "html",
        "--formula",
        "ochiai",
    ];
    let page = fdc(&start).done();
    links_lead_somewhere(&page);
    assert!(page.contains(&format!("<a href=\"#file-1-55\">{ORDERS_FAULTY}</a>")));
    let line = "<tr id=\"file-1-55\" class=\"q6\" title=\"score 0.707: run by 1 failing and 1 passing tests\">\
                <td>55</td><td>0.707 <span aria-hidden=\"true\">█</span></td>\
                <td><code>            percent = tier_percent</code></td></tr>";
    assert!(page.contains(line), "{page}");
    assert!(page.contains("Place 1: orders/discount.py::tiered_discount, score 0.707"));
    let without = fdc(&[
        "rank",
        "orders/orders.json",
        "--no-source",
        "--format",
        "html",
    ])
    .done();
    assert!(without.contains(ORDERS_FAULTY) && !without.contains("<h3"));
}

#[test]
fn every_input_makes_a_page_at_every_level() {
    for (input, options) in INPUTS {
        for level in ["method", "line", "file"] {
            let start = ["rank", input, "--format", "html", "--level", level];
            let page = fdc(&[&start, *options].concat()).done();
            links_lead_somewhere(&page);
            assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
            assert!(!page.contains("NaN"));
        }
    }
}

#[test]
fn hostile_names_stay_text() {
    let folder = folder();
    let mut case = case();
    case["methods"][0] =
        json!("src/<img src=x onerror=alert(1)>.py::</code><script>alert(1)</script>");
    write_json(folder.path(), "hostile.json", &case);
    let name = "<img src=x onerror=alert(1)>.py";
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(
        folder.path().join("src").join(name),
        "</code><script>alert(2)</script>\n",
    )
    .unwrap();
    for level in ["method", "line", "file"] {
        let run = ["rank", "hostile.json", "--format", "html", "--level", level];
        let page = fdc_in(folder.path(), &run).done();
        is_harmless(&page);
        assert_eq!(page.matches("<script").count(), 1);
        assert!(!page.contains("<img"));
        assert!(
            page.contains("&lt;script&gt;alert(<span class=\"sn\">2</span>)"),
            "the source is shown"
        );
        links_lead_somewhere(&page);
    }
}

#[test]
fn the_page_of_a_large_project_stays_small() {
    let folder = folder();
    fs::create_dir(folder.path().join("src")).unwrap();
    // 100 files of 500 lines in methods of 50; everything is equally suspicious.
    let (files, lines, method) = (100, 500, 50);
    let methods: Vec<String> = (0..files * lines / method)
        .map(|m| format!("src/f{}.py::m{m}", m * method / lines))
        .collect();
    let elements: Vec<[u32; 2]> = (0..files * lines)
        .map(|e| [e / method, e % lines + 1])
        .collect();
    let row: Vec<u32> = (0..files * lines).map(|e| u32::from(e > 0)).collect();
    let case = json!({
        "methods": methods,
        "elements": elements,
        "tests": [{"name": "t", "outcome": "fail"}],
        "coverage": [row],
    });
    write_json(folder.path(), "large.json", &case);
    for file in 0..files {
        let text =
            format!("{}\n", "value = compute(some, argument) ".repeat(20)).repeat(lines as usize);
        fs::write(folder.path().join(format!("src/f{file}.py")), text).unwrap();
    }
    for options in [&[][..], &["--lines", "100000", "--level", "file"]] {
        let start = ["rank", "large.json", "--format", "html"];
        let page = fdc_in(folder.path(), &[&start, options].concat()).done();
        assert!(page.contains("class=\"q6\""));
        assert!(page.len() < 2 << 20, "{} bytes", page.len());
        let again = [&start, options, &["--threads", "1"]].concat();
        let again = fdc_in(folder.path(), &again).done();
        let body = |page: &str| {
            page.split("How it was made</h2>")
                .next()
                .unwrap()
                .to_owned()
        };
        assert_eq!(body(&again), body(&page));
    }
}

//! Whatever the data and names: no panic, well-formed XML, the same bytes twice, nothing escapes.

use fdc::report::sarif;
use fdc::{FailedCall, FailedTest, Suspect, Suspects};
use fdc_core::{Level, Named as _};
use fdc_draw::highlight::highlight;
use fdc_draw::plot::critical_difference::{CriticalDifference, MeanRank};
use fdc_draw::plot::heat::{HeatMap, HeatRow};
use fdc_draw::plot::line::{LineChart, Point, Reference, Series};
use fdc_draw::source::{LineMark, SourceLine, SourceListing, Stretch};
use fdc_draw::{Best, Cell, Column, Page, Svg, Table, escape};
use fdc_source::TestSource;
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

/// Names as an attacker or an unlucky project would choose them.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9_.#]{0,30}",
        any::<String>(),
        Just("</title><script>alert(1)</script>".to_owned()),
        Just("\" onload=\"alert(1)".to_owned()),
        Just("]]>&lt;<!-- --><![CDATA[".to_owned()),
        Just("\u{0}\u{8}\u{b}\u{fffe}\u{ffff}\u{202e}".to_owned()),
        Just("\\end{tabular} | , \"\n\r\n%$#_^~&*[x]".to_owned()),
        Just(String::new()),
    ]
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1.0..1.0f64,
        1 => any::<f64>(),
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(0.0),
        1 => Just(1e100),
        1 => Just(-1e100),
        1 => Just(f64::MIN_POSITIVE),
    ]
}

fn point() -> impl Strategy<Value = Point> {
    (value(), value(), proptest::option::of((value(), value()))).prop_map(|(x, y, band)| Point {
        x,
        y,
        band,
    })
}

fn line_chart() -> impl Strategy<Value = LineChart> {
    let series = (name(), prop::collection::vec(point(), 0..40), any::<bool>()).prop_map(
        |(name, points, emphasis)| Series {
            name,
            points,
            emphasis,
        },
    );
    (
        (name(), name(), name()),
        prop::collection::vec(series, 0..30),
        proptest::option::of((name(), value())),
        prop::collection::vec(value(), 0..3),
    )
        .prop_map(|(names, series, reference, y_include)| LineChart {
            title: names.0,
            x_label: names.1,
            y_label: names.2,
            series,
            reference: reference.map(|(name, y)| Reference { name, y }),
            y_include,
        })
}

fn critical_difference() -> impl Strategy<Value = CriticalDifference> {
    let rank = prop_oneof![1.0..9.0f64, value()];
    let entry = (name(), rank).prop_map(|(name, mean_rank)| MeanRank { name, mean_rank });
    (
        name(),
        prop::collection::vec(entry, 0..14),
        prop::collection::vec(prop::collection::vec(0..16usize, 0..6), 0..6),
        proptest::option::of(value()),
    )
        .prop_map(
            |(title, entries, groups, critical_difference)| CriticalDifference {
                title,
                entries,
                groups,
                critical_difference,
            },
        )
}

fn heat_map() -> impl Strategy<Value = HeatMap> {
    let values = prop::collection::vec(value(), 0..14);
    let row =
        (prop_oneof!["[ab]", name()], name(), values).prop_map(|(group, name, values)| HeatRow {
            group,
            name,
            values,
        });
    (
        (name(), name(), name()),
        prop::collection::vec(name(), 0..12),
        prop::collection::vec(row, 0..150),
    )
        .prop_map(|(names, columns, rows)| HeatMap {
            title: names.0,
            row_noun: "row",
            column_label: names.1,
            value_label: names.2,
            columns,
            rows,
        })
}

fn table() -> impl Strategy<Value = Table> {
    let column = (name(), 0..4).prop_map(|(name, kind)| match kind {
        0 => Column::text(name),
        1 => Column::number(name),
        2 => Column::number(name).best(Best::Highest),
        _ => Column::number(name).best(Best::Lowest),
    });
    let cell = (name(), proptest::option::of(value())).prop_map(|(text, value)| {
        value.map_or_else(|| Cell::text(&*text), |v| Cell::number(v, &*text))
    });
    (
        name(),
        prop::collection::vec(column, 1..6),
        prop::collection::vec(prop::collection::vec(cell, 0..7), 0..8),
    )
        .prop_map(|(caption, columns, rows)| Table {
            caption,
            columns,
            rows,
        })
}

fn mark() -> impl Strategy<Value = LineMark> {
    (value(), 0..9usize, name()).prop_map(|(score, step, words)| LineMark { score, step, words })
}

/// A file called as the suspects' file is, with some of its lines.
fn listing() -> impl Strategy<Value = SourceListing> {
    let line = (
        0..30u32,
        name(),
        proptest::option::of(mark()),
        prop::collection::vec(name(), 0..2),
    );
    let line = line.prop_map(|(number, text, mark, headings)| SourceLine {
        number,
        syntax: highlight("b.py", [&*text]).remove(0),
        text,
        mark,
        headings,
    });
    let stretch = prop::collection::vec(line, 0..9).prop_map(|lines| Stretch { lines });
    (name(), name(), prop::collection::vec(stretch, 0..4)).prop_map(|(id, note, stretches)| {
        SourceListing {
            id,
            path: "a/b.py".to_owned(),
            notes: vec![note],
            stretches,
        }
    })
}

fn suspects() -> impl Strategy<Value = Suspects> {
    let lines = proptest::option::of((0..30u32, 0..30u32));
    let place = (
        prop::collection::vec(name(), 5),
        (value(), value()),
        (lines.clone(), lines),
        any::<[bool; 3]>(),
    );
    let place = place.prop_map(|(names, (score, rank), (lines, hottest), is)| Suspect {
        name: names[0].clone(),
        rank,
        score,
        probability: is[0].then_some(score),
        fault: None,
        reasons: vec![names[3].clone()],
        file: names[1].clone(),
        method: is[0].then(|| names[2].clone()),
        unit: 0,
        line: hottest.map(|(line, _)| line),
        path: is[1].then(|| "a/b.py".to_owned()),
        lines: lines.map_or(vec![], |(first, last)| vec![first, last]),
        hottest,
        text: is[2].then(|| names[3].clone()),
        failing: vec![names[4].clone()],
        failing_count: 1,
        passing_count: 2,
        fine: false,
    });
    let level = proptest::sample::select(Level::all().collect::<Vec<_>>());
    (
        level,
        prop::collection::vec(name(), 6),
        prop::collection::vec(place, 0..6),
        0..9usize,
    )
        .prop_map(|(level, names, places, ranked)| {
            let one = Suspects {
                level,
                formula: names[1].clone(),
                tie: names[2].clone(),
                aggregate: names[3].clone(),
                failing: vec![names[4].clone()],
                failures: vec![FailedTest {
                    test: names[4].clone(),
                    exception: Some(names[1].clone()),
                    message: Some(names[5].clone()),
                    calls: vec![FailedCall {
                        place: names[2].clone(),
                        function: names[3].clone(),
                        line: Some(3),
                        file: None,
                        path: Some("a/b.py".to_owned()),
                    }],
                }],
                failed: 1.0,
                passed: 0.5,
                ranked,
                places,
                within_first_five: Some(0.5),
                faults: vec![],
                flaky_left_out: 0,
            };
            let faults = vec![one.clone(); 2 * (ranked % 2)];
            Suspects { faults, ..one }
        })
}

/// The names of all elements of a page, after checking that it is well formed.
fn elements_of_page(html: &str) -> Vec<String> {
    // The page is HTML; these are the only places where it is not XML.
    let style = between(html, "<style>", "</style>");
    let script = between(html, "<script>", "</script>");
    let body = html.replace(style, "").replace(script, "");
    let body = body.replace("<!DOCTYPE html>", "");
    elements(&void_elements_closed(&body))
}

/// The names of all elements, after checking that the text is well formed XML 1.0.
fn elements(text: &str) -> Vec<String> {
    let forbidden = |c: char| matches!(c, '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    assert!(!text.contains(forbidden), "forbidden character");
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut names = Vec::new();
    let mut open = 0;
    loop {
        match reader.read_event().expect("well formed") {
            Event::Start(element) | Event::Empty(element) => {
                for attribute in element.attributes() {
                    let attribute = attribute.expect("well formed attribute");
                    let key = attribute.key.as_ref().to_owned();
                    assert!(!key.starts_with("on") && key != "style", "attribute {key}");
                }
                names.push(element.name().as_ref().to_owned());
                open += 1;
            }
            Event::Text(text) => {
                assert!(!text.contains(['<', '>']), "{text:?}");
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open > 0);
    names
}

fn check_picture(svg: &Svg) {
    let text = svg.document();
    let names = elements(&text);
    let known = [
        "svg", "title", "desc", "rect", "line", "path", "text", "circle",
    ];
    assert!(
        names.iter().all(|name| known.contains(&name.as_str())),
        "{names:?}"
    );
    assert_eq!(
        names.iter().filter(|name| *name == "text").count(),
        svg.labels
    );
    for word in ["NaN", "inf"] {
        assert!(
            !text.contains(&format!("=\"{word}")),
            "{word} as a coordinate"
        );
    }
    assert!(svg.width < 5000 && svg.height < 5000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn line_charts(chart in line_chart()) {
        check_picture(&chart.svg());
        prop_assert_eq!(chart.svg(), chart.clone().svg());
    }

    #[test]
    fn line_charts_of_any_magnitude(
        values in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64), 1..20),
        scale in prop::sample::select(vec![0.0, 1e-320, 1e-300, 1e-150, 1e-9, 1.0, 1e9, 1e90]),
        offset in prop::sample::select(vec![0.0, 1.0, -1.0, 1e15, 1e99, -1e90, 1e-300]),
    ) {
        let points = values.iter().map(|(x, y)| {
            let (x, y) = (offset + x * scale, offset + y * scale);
            Point::with_band(x, y, y - scale, y + scale)
        });
        let series = vec![Series { points: points.collect(), ..Series::default() }];
        let svg = LineChart { series, ..LineChart::default() }.svg();
        check_picture(&svg);
        prop_assert!((1..60).contains(&svg.labels), "{} labels", svg.labels);
    }

    #[test]
    fn critical_difference_diagrams(chart in critical_difference()) {
        check_picture(&chart.svg());
        prop_assert_eq!(chart.svg(), chart.clone().svg());
    }

    #[test]
    fn heat_maps(chart in heat_map()) {
        check_picture(&chart.svg());
        prop_assert_eq!(chart.svg(), chart.clone().svg());
    }

    #[test]
    fn pages(texts in prop::collection::vec(name(), 6), table in table(), chart in line_chart()) {
        let page = Page::new(&texts[0])
            .lead(&texts[1])
            .section(&texts[2])
            .paragraph(&texts[3])
            .list([&texts[4]])
            .code(&texts[5])
            .table(table.clone())
            .figure(chart.svg(), &texts[0]);
        let html = page.html();
        prop_assert_eq!(&html, &page.clone().html());
        let names = elements_of_page(&html);
        let count = |name: &str| names.iter().filter(|n| *n == name).count();
        prop_assert_eq!(count("script"), 1);
        prop_assert_eq!(count("style"), 1);
        prop_assert_eq!(count("th"), table.columns.len());
        prop_assert_eq!(count("td"), table.columns.len() * table.rows.len());
        prop_assert_eq!(count("svg"), 1);
        prop_assert_eq!(count("img") + count("iframe") + count("object"), 0);
    }

    #[test]
    fn suspects_as_a_page(
        suspects in suspects(),
        title in name(),
        notes in prop::collection::vec(name(), 0..2),
        listings in prop::collection::vec(listing(), 0..3),
        command in name(),
    ) {
        let test = TestSource {
            path: "a/b.py".to_owned(),
            first: 2,
            lines: notes.clone(),
            newer: true,
        };
        let page = || suspects.page(&title, &notes, listings.clone(), Some(&test), &command);
        let html = page().html();
        prop_assert_eq!(&html, &page().html());
        let names = elements_of_page(&html);
        let count = |name: &str| names.iter().filter(|n| *n == name).count();
        prop_assert_eq!(count("script"), 1);
        prop_assert_eq!(count("style"), 1);
        let lines = listings.iter().flat_map(|l| &l.stretches).map(|s| s.lines.len());
        let columns = if suspects.level == Level::Method { 7 } else { 6 };
        let tables = suspects.faults.len().max(1);
        let cells = columns * tables * suspects.places.len() + 3 * (test.lines.len() + lines.sum::<usize>());
        prop_assert_eq!(count("td"), cells);
        prop_assert_eq!(count("img") + count("iframe") + count("object"), 0);
        prop_assert!(!html.contains("href=\"http") && !html.contains("href=\"javascript"));
    }

    #[test]
    fn suspects_as_sarif(suspects in suspects()) {
        let log = sarif::log(&suspects, "1.0.0");
        let results = log["runs"][0]["results"].as_array().unwrap();
        prop_assert_eq!(results.len(), suspects.places.len());
        for result in results {
            let text = result["message"]["text"].as_str().unwrap();
            let hidden = |c: char| c.is_control() || c == '\u{202e}';
            prop_assert!(!text.contains(hidden), "{}", text);
            let rank = result["rank"].as_f64().unwrap();
            prop_assert!((0.0..=100.0).contains(&rank));
        }
    }

    #[test]
    fn csv_reads_back_as_written(table in table()) {
        let rows = read_csv(&table.csv());
        prop_assert_eq!(rows.len(), table.rows.len() + 1);
        for (read, row) in rows[1..].iter().zip(&table.rows) {
            prop_assert_eq!(read.len(), table.columns.len());
            for (c, text) in read.iter().enumerate() {
                prop_assert_eq!(text, row.get(c).map_or("", |cell| cell.shown()));
            }
        }
    }

    #[test]
    fn a_markdown_row_has_as_many_cells_as_columns(table in table()) {
        let table = Table { caption: String::new(), ..table };
        let text = table.markdown();
        let lines: Vec<&str> = text.lines().collect();
        prop_assert_eq!(lines.len(), table.rows.len() + 2);
        for line in lines {
            prop_assert_eq!(bare(line, '|'), table.columns.len() + 1, "{}", line);
            prop_assert!(!line.contains('<'), "{}", line);
        }
    }

    #[test]
    fn a_latex_row_has_as_many_cells_as_columns(table in table()) {
        let table = Table { caption: String::new(), ..table };
        let text = table.latex();
        let rows: Vec<&str> = text.lines().filter(|line| line.ends_with(" \\\\")).collect();
        prop_assert_eq!(rows.len(), table.rows.len() + 1);
        for row in rows {
            prop_assert_eq!(bare(row, '&'), table.columns.len() - 1, "{}", row);
            prop_assert_eq!(bare(row, '%') + bare(row, '#') + bare(row, '_'), 0, "{}", row);
            prop_assert_eq!(bare(row, '{'), bare(row, '}'), "{}", row);
        }
    }

    #[test]
    fn xml_unescapes_to_the_text(text in "[ -~äß漢😀]{0,40}") {
        let escaped = escape::xml(&text);
        let back = escaped
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&amp;", "&");
        prop_assert_eq!(back, text);
    }
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let from = text.find(start).unwrap() + start.len();
    &text[from..from + text[from..].find(end).unwrap()]
}

fn void_elements_closed(html: &str) -> String {
    let closed = html.lines().map(|line| {
        if line.starts_with("<meta ") || line.starts_with("<link ") {
            line.replace("\">", "\"/>")
        } else {
            line.to_owned()
        }
    });
    closed.collect::<Vec<_>>().join("\n")
}

/// How often the character stands without a backslash before it.
fn bare(line: &str, wanted: char) -> usize {
    let mut number = 0;
    let mut escaped = false;
    for c in line.chars() {
        if c == wanted && !escaped {
            number += 1;
        }
        escaped = c == '\\' && !escaped;
    }
    number
}

/// RFC 4180, read naively.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let row = rows.last_mut().unwrap();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                row.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\n' if !quoted => rows.push(vec![String::new()]),
            c => row.last_mut().unwrap().push(c),
        }
    }
    rows.pop();
    rows
}

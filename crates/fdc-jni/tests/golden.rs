//! `golden/values.tsv`: values of the fitness as Rust gives them, for bindings to compare with in
//! bits (Java's tests read it). Write it anew with `FDC_GOLDEN=write cargo test -p fdc-jni golden`.

use std::fmt::Write as _;
use std::path::Path;

use fdc_jni::opened::Opened;

const SHOP_FAILING: &str = "org.shop.CartTest#addsTwice";
const METRICS: [&str; 7] = [
    "rlfdc",
    "sharp",
    "entbug",
    "ddu",
    "tfd",
    "weight:alpha=0.3",
    "additional",
];

#[test]
fn the_golden_values_are_those_of_rust() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = here.join("tests/golden/values.tsv");
    let table = table(&here.join("../../testdata/gzoltar/shop"));
    if std::env::var("FDC_GOLDEN").as_deref() == Ok("write") {
        std::fs::write(&file, &table).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), table);
}

/// A line per value: input, metric, rows kept, call, rows, value. Words are in hexadecimal.
fn table(shop: &Path) -> String {
    let mut table = "input\tmetric\tkept\tcall\trows\tvalue\n".to_owned();
    for metric in METRICS {
        let opened = Opened::of_case(shop, SHOP_FAILING, metric, None).unwrap();
        let rows = [0b00011, 0b01000, 0b11011, 0];
        fill(&mut table, "shop", metric, opened, &rows, 1);
        let failing: Vec<u64> = words(3, 1, 130);
        let opened = Opened::plain(130, &failing, metric, None).unwrap();
        let rows: Vec<u64> = (2..9).flat_map(|seed| words(3, seed, 130)).collect();
        fill(
            &mut table,
            &format!("130:{}", hex(&failing)),
            metric,
            opened,
            &rows,
            3,
        );
    }
    table
}

fn fill(
    table: &mut String,
    input: &str,
    metric: &str,
    mut opened: Opened,
    rows: &[u64],
    words: usize,
) {
    let mut kept = Vec::new();
    for test in rows.chunks(words) {
        let value = opened.fitness.of_test(test).unwrap();
        let suite = opened.fitness.of_suite(rows, rows.len() / words).unwrap();
        let kept_text = hex(&kept);
        writeln!(
            table,
            "{input}\t{metric}\t{kept_text}\ttest\t{}\t{value:?}",
            hex(test)
        )
        .unwrap();
        writeln!(
            table,
            "{input}\t{metric}\t{kept_text}\tsuite\t{}\t{suite:?}",
            hex(rows)
        )
        .unwrap();
        opened.fitness.keep(test).unwrap();
        kept.extend_from_slice(test);
    }
}

/// Words of which about half the bits below `elements` are set.
fn words(count: usize, seed: u64, elements: u32) -> Vec<u64> {
    let word = |place: usize| (seed * 64 + place as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut words: Vec<u64> = (0..count)
        .map(|place| word(place) ^ word(place) >> 29)
        .collect();
    words[count - 1] &= (1 << (elements % 64)) - 1;
    words
}

fn hex(words: &[u64]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:x}")).collect();
    words.join(",")
}

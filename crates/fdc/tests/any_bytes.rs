//! Every reader of outside bytes, fed with mutated seeds of `fuzz/corpus/`: a minute of what the fuzz
//! targets do for hours, with the stable compiler. The same inputs each time; the input of a panic is
//! left in a file.
//!
//!     cargo test -p fdc --test any_bytes [PART OF A TARGET'S NAME]
//!
//! `FDC_ANY_BYTES` times as many inputs, where it is set.

#[path = "../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub)] // A library of its own, for the fuzz targets.
mod readers;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg64;
use rayon::prelude::*;

use readers::TARGETS;

/// Inputs of a reader; of one that works on a file or a session, which takes longer, a tenth.
const INPUTS: usize = 20_000;
const SLOW: [&str; 13] = [
    "case",
    "checkpoint",
    "cosmic_ray",
    "coverage_py",
    "evidence",
    "gzoltar",
    "jacoco",
    "label",
    "lsp",
    "model",
    "results",
    "stryker",
    "zstd",
];
/// No input is longer, so that none takes long.
const LONGEST: usize = 1 << 16;
/// Numbers at the edges of what readers count with.
const EDGES: [u64; 10] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    i64::MAX as u64,
    u64::MAX,
];

fn main() {
    let part = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let part = part.unwrap_or_default();
    let times = std::env::var("FDC_ANY_BYTES").map_or(1, |times| times.parse().expect("a number"));
    let targets: Vec<_> = TARGETS
        .iter()
        .filter(|(name, _)| name.contains(&part))
        .collect();
    let failed: Vec<String> = targets
        .par_iter()
        .filter_map(|(name, read)| {
            let share = if SLOW.contains(name) { 10 } else { 1 };
            fed(name, *read, times * INPUTS / share).err()
        })
        .collect();
    if !failed.is_empty() {
        eprintln!("any_bytes: FAILED\n{}", failed.join("\n"));
        std::process::exit(1);
    }
    println!(
        "any_bytes: {} readers refuse or read all of it",
        targets.len()
    );
}

/// Feeds a reader with its seeds and so many mutations of them.
fn fed(name: &str, read: fn(&[u8]), inputs: usize) -> Result<(), String> {
    let seeds = seeds(name);
    let mut random = Pcg64::seed_from_u64(0);
    for number in 0..seeds.len() + inputs {
        let bytes = match seeds.get(number) {
            Some(seed) => seed.clone(),
            None => mutated(&seeds, &mut random),
        };
        if catch_unwind(AssertUnwindSafe(|| read(&bytes))).is_err() {
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{number}"));
            std::fs::write(&path, bytes).expect("a folder for tests");
            return Err(format!(
                "{name}: input {number}, kept as {}",
                path.display()
            ));
        }
    }
    println!(
        "any_bytes: {name}: {inputs} inputs from {} seeds",
        seeds.len()
    );
    Ok(())
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let entries = std::fs::read_dir(folder.join(name)).expect("a folder of seeds");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{name} has no seeds");
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

fn mutated(seeds: &[Vec<u8>], random: &mut Pcg64) -> Vec<u8> {
    let mut bytes = seeds[below(random, seeds.len())].clone();
    for _ in 0..=below(random, 6) {
        let at = below(random, bytes.len() + 1);
        let some = 1 + below(random, 16);
        let end = (at + some).min(bytes.len());
        match below(random, 9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << below(random, 8),
            1 if at < bytes.len() => bytes[at] = random.next_u64() as u8,
            2 => drop(bytes.drain(at..end)),
            3 => bytes.truncate(at),
            4 => {
                let copied = bytes[at..end].to_vec();
                let to = below(random, bytes.len() + 1);
                drop(bytes.splice(to..to, copied));
            }
            5 => {
                let other = &seeds[below(random, seeds.len())];
                let from = below(random, other.len() + 1);
                let until = (from + some * some).min(other.len());
                drop(bytes.splice(at..end, other[from..until].to_vec()));
            }
            6 => {
                let edge = EDGES[below(random, EDGES.len())];
                let width = 1 << below(random, 4);
                let number = match below(random, 2) {
                    0 => edge.to_le_bytes()[..width].to_vec(),
                    _ => edge.to_be_bytes()[8 - width..].to_vec(),
                };
                let end = (at + width).min(bytes.len());
                drop(bytes.splice(at..end, number));
            }
            7 => {
                let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit());
                let end = at + digits.count();
                let edge = EDGES[below(random, EDGES.len())].to_string();
                drop(bytes.splice(at..end, edge.into_bytes()));
            }
            _ => {
                let filler = vec![random.next_u64() as u8; some * some];
                drop(bytes.splice(at..at, filler));
            }
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

fn below(random: &mut Pcg64, end: usize) -> usize {
    (random.next_u64() % end as u64) as usize
}

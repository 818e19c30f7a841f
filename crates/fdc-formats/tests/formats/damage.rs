//! Whatever happens to a file, its reader gives a spectrum or an error with advice.

use std::path::Path;

use fdc_case::{self as case, FileError};
use fdc_core::Spectrum;
use fdc_formats::{FORMATS, Format, Project, detect, read, read_inputs};
use proptest::prelude::*;

use super::{files_below, testdata};

/// The folder to copy and the file in it to damage, for every sample.
fn samples() -> Vec<(&'static str, std::path::PathBuf)> {
    let mut samples = Vec::new();
    for format in FORMATS {
        let folder = testdata().join(format.name);
        if folder.is_dir() {
            samples.extend(
                files_below(&folder)
                    .into_iter()
                    .map(|path| (format.name, path)),
            );
        }
    }
    samples
}

/// With the sources and class files that the samples were measured on.
fn read_with_sources(format: &Format, path: &Path) -> Result<Spectrum, FileError> {
    let subjects = testdata().join("subjects");
    let project = Project::new(&subjects).with_classes(vec![subjects.join("java/shop.jar")]);
    Ok(read_inputs(&[path.to_owned()], Some(format), &[], &project)?.spectrum)
}

fn has_advice(outcome: Result<Spectrum, FileError>) -> bool {
    match outcome {
        Ok(_) | Err(FileError::Io { .. }) => true,
        Err(error) => error.advice().is_some(),
    }
}

/// Calls `check` with the path of a copy of the sample, beside copies of its neighbours.
fn with_copy(path: &Path, check: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    for neighbour in files_below(path.parent().unwrap()) {
        std::fs::copy(
            &neighbour,
            folder.path().join(neighbour.file_name().unwrap()),
        )
        .unwrap();
    }
    check(&folder.path().join(path.file_name().unwrap()));
}

#[test]
fn cut_anywhere_a_sample_is_read_or_refused_with_advice() {
    for (format, path) in samples() {
        let format = FORMATS.iter().find(|known| known.name == format).unwrap();
        let whole = std::fs::read(&path).unwrap();
        with_copy(&path, |copy| {
            // In long samples a cut is much like its neighbours.
            for length in (0..whole.len()).step_by(1 + whole.len() / 500) {
                std::fs::write(copy, &whole[..length]).unwrap();
                assert!(
                    has_advice(read_with_sources(format, copy)),
                    "{} cut to {length}",
                    path.display()
                );
                let _ = detect(copy);
            }
        });
    }
}

#[test]
fn a_cut_dataset_is_never_read() {
    let whole = br#"{"methods":["a.B#c()"],"elements":[[0,1],[0,2]],
        "tests":[{"name":"t","outcome":"fail"}],"coverage":[[0,1]],"faulty_methods":[0]}"#;
    let path = Path::new("cut.json");
    assert!(fdc_formats::dataset::parse(path, whole).is_ok());
    for length in 0..whole.len() {
        let error = fdc_formats::dataset::parse(path, &whole[..length]).unwrap_err();
        assert!(
            error.advice().unwrap().contains("cut off"),
            "{length}: {error}"
        );
    }
}

#[test]
fn a_cut_archive_says_so_when_the_format_is_looked_for() {
    let whole = std::fs::read(testdata().join("tcm/paths.tcm.zst")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.tcm.zst");
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let error = read(&path).unwrap_err();
    assert!(
        error.to_string().contains("expected a whole zstd archive"),
        "{error}"
    );
    assert!(error.advice().unwrap().contains("cut off"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn flipped_bytes_are_read_or_refused_with_advice(
        sample in any::<prop::sample::Index>(),
        flips in proptest::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..5),
    ) {
        let samples = samples();
        let (format, path) = &samples[sample.index(samples.len())];
        let format = FORMATS.iter().find(|known| known.name == *format).unwrap();
        let mut bytes = std::fs::read(path).unwrap();
        for (place, flip) in &flips {
            let place = place.index(bytes.len());
            bytes[place] ^= flip;
        }
        with_copy(path, |copy| {
            std::fs::write(copy, &bytes).unwrap();
            assert!(has_advice(read_with_sources(format, copy)), "{}", path.display());
            let _ = detect(copy);
        });
    }
}

proptest! {
    #[test]
    fn flipped_bytes_of_a_case_are_read_or_refused_with_advice(
        flips in proptest::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..5),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("case.fdc");
        let judged = read(&testdata().join("csv/judged.csv")).unwrap();
        case::import(&judged, &path, &[]).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        for (place, flip) in &flips {
            let place = place.index(bytes.len());
            bytes[place] ^= flip;
        }
        std::fs::write(&path, bytes).unwrap();
        prop_assert!(has_advice(case::read(&path)));
    }
}

#[test]
fn damage_to_a_packed_file_that_fdc_wrote_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packed.json.zst");
    let spectrum = read(&testdata().join("orders/orders.json")).unwrap();
    let write = fdc_formats::format_to_write(&path).unwrap().write.unwrap();
    write(&spectrum, &path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for place in (0..whole.len()).step_by(3) {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(found) = read(&path) {
            assert_eq!(found.tests, spectrum.tests, "byte {place}");
            assert_eq!(found.program, spectrum.program, "byte {place}");
        }
    }
}

#[test]
fn what_was_read_of_a_format_without_an_end_is_told() {
    for (format, path) in samples() {
        if !["tcm", "csv"].contains(&format) {
            continue;
        }
        let project = Project::new(path.parent().unwrap());
        let Ok(reading) = read_inputs(std::slice::from_ref(&path), None, &[], &project) else {
            continue;
        };
        let tests = format!("{} tests and ", reading.spectrum.tests.len());
        assert!(
            reading.notes.iter().any(|note| note.contains(&tests)),
            "{format}"
        );
    }
}

//! Matrices and comparisons shared by the golden tests.
#![allow(dead_code)] // each test binary uses a part

use fdc_study::stats::ScoreMatrix;

/// Absolute agreement for numbers of ordinary size, relative for small ones.
#[track_caller]
pub(crate) fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let scale = expected.abs().min(1.0);
    assert!(
        (found - expected).abs() <= tolerance * scale,
        "expected {expected:e}, found {found:e}"
    );
}

#[track_caller]
pub(crate) fn assert_all_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_close(*found, *expected, tolerance);
    }
}

pub(crate) fn matrix<const K: usize>(rows: &[[f64; K]]) -> ScoreMatrix {
    ScoreMatrix::new((0..K).map(|m| format!("m{m}")), rows).unwrap()
}

/// No ties within a block.
pub(crate) const UNTIED: [[f64; 4]; 8] = [
    [0.5019, 0.4215, 0.8869, 0.6499],
    [0.6975, 0.4894, 0.7165, 0.9027],
    [0.9681, 0.4177, 0.9037, 1.1282],
    [0.7499, 0.7104, 0.5433, 0.8642],
    [0.7433, 0.7878, 1.2099, 1.344],
    [0.4131, 0.314, 0.7204, 0.4192],
    [0.5631, 0.7758, 0.4123, 0.7276],
    [0.0082, 0.7796, 1.1656, 0.7224],
];

/// Ties in every block.
pub(crate) const TIED: [[f64; 5]; 7] = [
    [0.25, 1.0, 0.5, 1.0, 0.5],
    [0.5, 0.5, 0.75, 0.75, 1.0],
    [0.25, 0.75, 0.25, 1.0, 0.5],
    [0.25, 0.25, 1.0, 0.5, 0.75],
    [0.75, 1.0, 0.75, 0.75, 0.5],
    [0.25, 0.75, 0.75, 0.75, 1.25],
    [0.25, 0.25, 0.5, 1.25, 1.25],
];

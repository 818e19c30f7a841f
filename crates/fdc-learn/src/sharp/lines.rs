//! A line's share within its method: which of the lines that the failing test runs is the faulty one,
//! given that the method is.

use std::ops::Range;

use fdc_core::Spectrum;
use fdc_core::suspects::Projection;

use super::features::{Feature, Suspicion, feature};
use super::linear::Row;

/// Number of features of a line.
pub(super) const LINE_COUNT: usize = 5;

/// The features of a line, in the order of its row; lines are those that the failing test covers.
pub(super) static LINE_FEATURES: [Feature; LINE_COUNT] = [
    feature(
        "rarer lines",
        "line",
        "ln(1 + tests that cover it), minus that of its method's least covered line",
        "0..",
    ),
    feature(
        "line's ochiai",
        "line",
        "ochiai, the failing tests failing and all others passing",
        "0..1",
    ),
    feature(
        "position",
        "line",
        "lines since its method's first, as a share of all up to the last",
        "0..1",
    ),
    feature(
        "first line",
        "line",
        "1 if it is its method's first",
        "0, 1",
    ),
    feature("last line", "line", "1 if it is its method's last", "0, 1"),
];

/// The suspicious elements of every suspicious method, with their features.
pub(super) struct SuspiciousLines {
    /// Per method of the suspicion, its part of the rest.
    pub(super) of_method: Vec<Range<usize>>,
    pub(super) elements: Vec<u32>,
    pub(super) rows: Vec<Row<LINE_COUNT>>,
}

/// The elements of a program by method, made once for all failing tests.
pub(super) struct ElementsByMethod(Vec<(u32, u32, u32)>);

impl ElementsByMethod {
    pub(super) fn new(spectrum: &Spectrum) -> Self {
        let elements = spectrum.program.elements.iter().zip(0..);
        let mut sorted: Vec<_> = elements
            .map(|(element, number)| (element.method.0, element.line, number))
            .collect();
        sorted.sort_unstable();
        ElementsByMethod(sorted)
    }

    fn of(&self, method: u32) -> &[(u32, u32, u32)] {
        let start = self.0.partition_point(|element| element.0 < method);
        let end = self.0.partition_point(|element| element.0 <= method);
        &self.0[start..end]
    }
}

impl SuspiciousLines {
    pub(super) fn new(
        spectrum: &Spectrum,
        projection: &Projection,
        suspicion: &Suspicion,
        by_method: &ElementsByMethod,
    ) -> Self {
        let local = |element: u32| projection.local(spectrum.coverage.column_of(element as usize));
        let mut lines = SuspiciousLines {
            of_method: Vec::new(),
            elements: Vec::new(),
            rows: Vec::new(),
        };
        for &method in suspicion.methods() {
            let all = by_method.of(method).iter();
            let own: Vec<(u32, u32, usize)> = all
                .filter_map(|&(_, line, element)| Some((line, element, local(element)? as usize)))
                .collect();
            let rarity = |column: usize| libm::log1p(suspicion.counts()[column].tests);
            let rarest = own.iter().map(|own| rarity(own.2));
            let rarest = rarest.fold(f64::INFINITY, f64::min);
            let (first, last) = match (own.first(), own.last()) {
                (Some(first), Some(last)) => (first.0, last.0),
                _ => (0, 0),
            };
            let start = lines.elements.len();
            for (line, element, column) in own {
                lines.elements.push(element);
                lines.rows.push([
                    rarity(column) - rarest,
                    suspicion.counts()[column].ochiai(suspicion.failing()),
                    f64::from(line - first) / f64::from((last - first).max(1)),
                    f64::from(u8::from(line == first)),
                    f64::from(u8::from(line == last)),
                ]);
            }
            lines.of_method.push(start..lines.elements.len());
        }
        lines
    }
}

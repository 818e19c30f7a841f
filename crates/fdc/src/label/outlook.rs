//! What an answer would do to the ranking.

use fdc_core::Spectrum;
use fdc_core::ranking::Ranking;
use fdc_core::spectrum::MethodId;
use serde::Serialize;

/// How many first places count.
pub const TOP: usize = 5;

/// What an answer would do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answered {
    /// Methods that share the highest score then.
    pub tied: usize,
    /// Methods among the first places before or after whose place changes, the most suspicious
    /// before first.
    pub moves: Vec<Move>,
}

/// A method changes its place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Move {
    /// The method.
    pub method: String,
    /// Its place before.
    pub from: f64,
    /// Its place after.
    pub to: f64,
}

impl Answered {
    /// From one ranking of the spectrum's methods to another.
    pub(crate) fn new(spectrum: &Spectrum, before: &Ranking, after: &Ranking) -> Self {
        let place = |ranking: &Ranking, unit: u32| {
            let found = ranking.places.iter().find(|place| place.unit == unit);
            found.map_or(f64::NAN, |place| place.rank)
        };
        let first = |ranking: &Ranking| -> Vec<u32> {
            let first = ranking.places.iter().take(TOP);
            first.map(|place| place.unit).collect()
        };
        let mut units = first(before);
        let risen = first(after).into_iter();
        units.extend(risen.filter(|unit| !first(before).contains(unit)));
        let moved = units.into_iter().map(|unit| Move {
            method: spectrum.method_name(MethodId(unit)).to_owned(),
            from: place(before, unit),
            to: place(after, unit),
        });
        Answered {
            tied: after.tied_at_top(),
            moves: moved.filter(|moved| moved.from != moved.to).collect(),
        }
    }
}

//! What an answer would do to the ranking.

use fdc_core::ranking::Ranking;
use fdc_core::spectrum::MethodId;
use serde::Serialize;

/// How many first places count.
pub const TOP: usize = 5;

/// The ranking after an answer, beside the one before.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outlook {
    /// Methods among the first places before or after whose place changes, the most suspicious
    /// before first.
    pub moves: Vec<Move>,
    /// Methods that share the highest score.
    pub tied: usize,
}

/// A method changes its place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Move {
    /// By its number.
    #[serde(skip)]
    pub method: MethodId,
    /// Its place before.
    pub from: f64,
    /// Its place after.
    pub to: f64,
}

impl Outlook {
    /// From one ranking to another of the same methods.
    pub fn new(before: &Ranking, after: &Ranking) -> Self {
        let place = |ranking: &Ranking, unit: u32| {
            let found = ranking.places.iter().find(|place| place.unit == unit);
            found.map_or(f64::NAN, |place| place.rank)
        };
        let mut moves = Vec::new();
        for place_before in before.places.iter().take(TOP) {
            let (from, to) = (place_before.rank, place(after, place_before.unit));
            if from != to {
                let method = MethodId(place_before.unit);
                moves.push(Move { method, from, to });
            }
        }
        for place_after in after.places.iter().take(TOP) {
            let method = MethodId(place_after.unit);
            let (from, to) = (place(before, place_after.unit), place_after.rank);
            let listed = before.places.iter().take(TOP);
            if from != to && !listed.clone().any(|place| place.unit == method.0) {
                moves.push(Move { method, from, to });
            }
        }
        Outlook {
            moves,
            tied: after.tied_at_top(),
        }
    }
}

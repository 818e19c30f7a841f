//! A ranking, or a case being labelled, in the output of a notebook's cell.

use fdc_draw::table::{Best, Cell, Column, Table};
use fdc_draw::text::{counted, quantity};
use fdc_draw::{Fragment, Svg};

use super::page::outlook;
use super::suspects_map::suspects_map;
use crate::label::advice::Advice;
use crate::label::{Picture, Session, View};
use crate::rank::{Ranked, Suspects};

/// Places of a ranking, and of each of several faults.
const PLACES: usize = 10;
const PLACES_OF_FAULT: usize = 5;
/// Suspects whose source is shown, and how many lines of each.
const SOURCES: usize = 3;
const LINES: u32 = 12;
/// Suspects beside a question.
const BESIDE: usize = 5;

impl Suspects {
    /// The first places with the source of the hottest; `notes` are what to know beside it.
    pub fn cell(&self, ranked: &Ranked<'_>, notes: &[String]) -> Fragment {
        let mut shown = self.first(PLACES, PLACES_OF_FAULT);
        ranked.look_up(&mut shown);
        let listings = ranked.listings(&shown.first(SOURCES, 0), LINES);
        let mut fragment = Fragment::default().paragraph(shown.lead());
        for (number, own) in (1..).zip(&shown.faults) {
            fragment = fragment.paragraph(own.of_fault(number, shown.faults.len()));
            fragment = fragment.table(&own.table(&[]));
        }
        if shown.faults.is_empty() {
            fragment = fragment.table(&shown.table(&[]));
        }
        let fragment = listings.iter().fold(fragment, Fragment::listing);
        notes.iter().fold(fragment, Fragment::remark)
    }

    /// With so many places at the most, and so many of each fault.
    fn first(&self, places: usize, of_fault: usize) -> Self {
        let mut first = self.clone();
        first.places.truncate(places);
        first.faults.retain_mut(|own| {
            own.places.truncate(of_fault);
            of_fault > 0
        });
        first
    }
}

/// What is asked next, what either answer would do, and the first suspects.
pub fn session_cell(session: &Session, view: &View) -> Fragment {
    let mut fragment = Fragment::default().paragraph(Advice::new(session).words());
    if let Some(next) = &view.next {
        let test = &next.test;
        fragment = fragment
            .paragraph(format!("Next: how should {test} end?"))
            .remark(format!("It {}.", next.reason.words()));
        let outlook = outlook(next);
        fragment = match outlook.rows.is_empty() {
            true => fragment.remark("Neither answer would change the first places."),
            false => fragment.table(&outlook),
        };
    }
    let learned = view.within_first_five.is_some();
    let mut columns = vec![
        Column::number("place").best(Best::Lowest),
        Column::number(if learned { "probability" } else { "score" }),
        Column::text("method"),
    ];
    if learned {
        columns.push(Column::text("why"));
    }
    let answers = view.answers.iter().filter(|answer| !answer.undone);
    let answers = counted(answers.count() as u64, "answer");
    let left = counted(view.left as u64, "test");
    let caption = format!("The first suspects after {answers}; {left} left to ask about");
    let mut table = Table::new(caption, columns);
    for suspect in view.suspects.iter().take(BESIDE) {
        let mut row = vec![
            Cell::number(suspect.rank, quantity(suspect.rank)),
            Cell::number(suspect.score, suspect.score_text()),
            Cell::text(&suspect.name),
        ];
        if learned {
            row.push(Cell::text(suspect.reasons.join("; ")));
        }
        table = table.row(row);
    }
    view.doubts
        .iter()
        .fold(fragment.table(&table), Fragment::remark)
}

/// The map of a session's suspects, with what it shows.
pub fn session_map(session: &Session) -> (Svg, &'static str) {
    let picture = Picture::new(session);
    let title = super::page::map_title(&picture);
    let map = suspects_map(title, &picture.methods, |_| None);
    (map.svg(), super::page::MAP_CAPTION)
}

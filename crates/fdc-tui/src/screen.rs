//! What is on the screen, as data: everything that drawing needs, and nothing of the terminal.

use fdc::Suspect;
use fdc::label::View;
use fdc::label::advice::Advice;
use fdc_source::{Source, TestSource};

use crate::draw::ink::Ink;

pub(crate) struct Screen {
    pub(crate) view: View,
    /// Of the test asked for.
    pub(crate) source: Shown,
    /// Whether to stop; none while it is being worked out.
    pub(crate) advice: Option<Advice>,
    /// Where the arrow keys go.
    pub(crate) focus: Focus,
    /// The chosen suspect, by its index.
    pub(crate) selected: usize,
    /// The first line of the test's source that is shown.
    pub(crate) scroll: usize,
    /// A suspect's file as the case names it, and its source if it is found, for a wide terminal.
    pub(crate) suspect_source: Option<(String, Option<Source>)>,
    /// What covers both sides.
    pub(crate) panel: Option<Panel>,
    /// The first line of the panel that is shown.
    pub(crate) panel_scroll: usize,
    pub(crate) message: Option<Message>,
    /// Others answered, so the next answer would be to another test, which nobody has looked at.
    pub(crate) test_changed: bool,
    pub(crate) ink: Ink,
    /// How much was to be seen when it was last drawn.
    pub(crate) extent: Extent,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Shown {
    Pending,
    Missing,
    Found(TestSource),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    Test,
    Ranking,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Panel {
    Why,
    /// Whether to stop, contradictions, answers.
    Advice,
    /// How the failing tests failed.
    Message,
    Help,
    Suspect {
        method: String,
        /// Its file as the case names it.
        file: String,
        source: Option<Source>,
        /// Lines that the failing test runs.
        lines: Vec<u32>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// In words; names in them are as the case has them.
    pub(crate) text: String,
    /// Whether it did not do what was wanted.
    pub(crate) refused: bool,
}

/// How much there is and how much of it was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Lines of the test's source.
    pub(crate) source: usize,
    /// Of these at a time.
    pub(crate) source_page: usize,
    /// Suspects at a time.
    pub(crate) ranking_page: usize,
    /// Lines of the panel.
    pub(crate) panel: usize,
    /// Of these at a time.
    pub(crate) panel_page: usize,
    pub(crate) too_small: bool,
    /// For want of room.
    pub(crate) test_hidden: bool,
    /// There was room for a suspect's source beside the test.
    pub(crate) suspect_shown: bool,
}

/// The test on the right: the one asked for, else the failing one.
pub(crate) fn shown_test(view: &View) -> &str {
    match &view.next {
        Some(next) => &next.test,
        None => &view.failing,
    }
}

impl Screen {
    pub(crate) fn new(view: View, colours: bool) -> Self {
        Screen {
            view,
            source: Shown::Pending,
            advice: None,
            focus: Focus::Test,
            selected: 0,
            scroll: 0,
            suspect_source: None,
            panel: None,
            panel_scroll: 0,
            message: None,
            test_changed: false,
            ink: Ink { colours },
            extent: Extent::default(),
        }
    }

    /// Takes over the session as it stands now. The chosen suspect stays chosen wherever it went.
    pub(crate) fn renew(&mut self, view: View) {
        let chosen = self.view.suspects.get(self.selected);
        let same = chosen.and_then(|chosen| {
            let mut suspects = view.suspects.iter();
            suspects.position(|suspect| suspect.name == chosen.name)
        });
        self.selected = same.filter(|_| self.focus == Focus::Ranking).unwrap_or(0);
        if shown_test(&self.view) != shown_test(&view) {
            self.source = Shown::Pending;
            self.scroll = 0;
        }
        self.view = view;
        self.advice = None;
    }

    /// The suspect that is chosen, or the first.
    pub(crate) fn suspect(&self) -> Option<&Suspect> {
        let chosen = match self.focus {
            Focus::Ranking => self.selected,
            Focus::Test => 0,
        };
        self.view.suspects.get(chosen)
    }

    pub(crate) fn scroll(&mut self, lines: isize, pages: isize) {
        let extent = self.extent;
        let moved = |from: usize, page: usize, end: usize| {
            let by = lines + pages * (page.max(2) as isize - 1);
            from.saturating_add_signed(by).min(end)
        };
        if self.panel.is_some() {
            let end = extent.panel.saturating_sub(extent.panel_page);
            self.panel_scroll = moved(self.panel_scroll, extent.panel_page, end);
        } else if self.focus == Focus::Ranking {
            let end = self.view.suspects.len().saturating_sub(1);
            self.selected = moved(self.selected, extent.ranking_page, end);
        } else {
            let end = extent.source.saturating_sub(extent.source_page);
            self.scroll = moved(self.scroll, extent.source_page, end);
        }
    }

    /// Takes over how much was drawn, and leaves nothing scrolled beyond its end.
    pub(crate) fn settle(&mut self, extent: Extent) {
        self.extent = extent;
        let end = |all: usize, page: usize| all.saturating_sub(page);
        self.scroll = self.scroll.min(end(extent.source, extent.source_page));
        self.panel_scroll = self.panel_scroll.min(end(extent.panel, extent.panel_page));
    }

    /// Opens a panel, or closes it if it is open.
    pub(crate) fn toggle(&mut self, panel: Panel) {
        self.panel_scroll = 0;
        self.panel = (self.panel.as_ref() != Some(&panel)).then_some(panel);
    }
}

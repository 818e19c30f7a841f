//! What is on the screen, as data: everything that drawing needs, and nothing of the terminal.

use fdc::label::View;
use fdc::label::advice::Advice;
use fdc_source::{Source, TestSource};

/// The state of the screen.
#[derive(Debug)]
pub struct Screen {
    /// The session as it stands.
    pub view: View,
    /// The source of the test asked for.
    pub source: Shown,
    /// Whether to stop; none while it is being worked out.
    pub advice: Option<Advice>,
    /// Where the arrow keys go.
    pub focus: Focus,
    /// The chosen suspect, by its index.
    pub selected: usize,
    /// The first line of the test's source that is shown.
    pub scroll: usize,
    /// What covers both sides.
    pub panel: Option<Panel>,
    /// The first line of the panel that is shown.
    pub panel_scroll: usize,
    /// What the last key did.
    pub message: Option<Message>,
    /// Others answered, and the test asked for is another: the next answer would be to a test that
    /// nobody has looked at.
    pub test_changed: bool,
    /// Whether colours are wanted.
    pub colours: bool,
    /// How much was to be seen when it was last drawn.
    pub extent: Extent,
}

/// The source of a test.
#[derive(Debug, PartialEq)]
pub enum Shown {
    /// It has not been looked for.
    Pending,
    /// It was not found.
    Missing,
    /// Here it is.
    Found(TestSource),
}

/// A side of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// The test asked for.
    Test,
    /// The ranking.
    Ranking,
}

/// What covers both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Panel {
    /// Why this test.
    Why,
    /// Whether to stop, contradictions, answers.
    Advice,
    /// The keys.
    Help,
    /// The source of a suspect.
    Suspect {
        /// Its name.
        method: String,
        /// Its file as the case names it.
        file: String,
        /// The file's source, if it was found.
        source: Option<Source>,
        /// Lines that the failing test runs.
        lines: Vec<u32>,
    },
}

/// What the last key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// In words; names in them are as the case has them.
    pub text: String,
    /// Whether it did not do what was wanted.
    pub refused: bool,
}

/// How much there is and how much of it was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Lines of the test's source.
    pub source: usize,
    /// Of these at a time.
    pub source_page: usize,
    /// Suspects at a time.
    pub ranking_page: usize,
    /// Lines of the panel.
    pub panel: usize,
    /// Of these at a time.
    pub panel_page: usize,
    /// The terminal is too small for anything.
    pub too_small: bool,
    /// There was no room for the test.
    pub test_hidden: bool,
}

impl Screen {
    /// Of a session that begins.
    pub fn new(view: View, colours: bool) -> Self {
        Screen {
            view,
            source: Shown::Pending,
            advice: None,
            focus: Focus::Test,
            selected: 0,
            scroll: 0,
            panel: None,
            panel_scroll: 0,
            message: None,
            test_changed: false,
            colours,
            extent: Extent::default(),
        }
    }

    /// Takes over the session as it stands now. The chosen suspect stays chosen wherever it went.
    pub fn renew(&mut self, view: View) {
        let chosen = self.view.suspects.get(self.selected);
        let same = chosen.and_then(|chosen| {
            let mut suspects = view.suspects.iter();
            suspects.position(|suspect| suspect.name == chosen.name)
        });
        self.selected = same.filter(|_| self.focus == Focus::Ranking).unwrap_or(0);
        let test = |view: &View| view.next.as_ref().map(|next| next.test.clone());
        if test(&self.view) != test(&view) {
            self.source = Shown::Pending;
            self.scroll = 0;
        }
        self.view = view;
        self.advice = None;
    }

    /// Moves what the arrow keys move.
    pub fn scroll(&mut self, lines: isize, pages: isize) {
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
    pub fn settle(&mut self, extent: Extent) {
        self.extent = extent;
        let end = |all: usize, page: usize| all.saturating_sub(page);
        self.scroll = self.scroll.min(end(extent.source, extent.source_page));
        self.panel_scroll = self.panel_scroll.min(end(extent.panel, extent.panel_page));
    }

    /// Opens a panel, or closes it if it is open.
    pub fn toggle(&mut self, panel: Panel) {
        self.panel_scroll = 0;
        self.panel = (self.panel.as_ref() != Some(&panel)).then_some(panel);
    }
}

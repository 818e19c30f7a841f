//! The suspicious methods of a program as a map of nested rectangles: packages or folders, in them
//! classes or files, in them methods. Shade is suspicion, size is how many lines are under
//! suspicion, numbers name the groups that cannot be told apart.
//!
//! Rectangles side by side have areas in proportion to their lines, and come in the order of the
//! ranking, from the top left; at the same place the larger first. Methods too small to be drawn are gathered, one rectangle per class
//! or package.

mod area;
mod tree;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::source::{MARKS, STEPS, Scale};
use crate::svg::{Anchor, Canvas, Ink, Type, number};
use crate::text::{counted, quantity, shortened};
use crate::{Svg, escape, palette, typeface};

use area::Area;
use tree::{Drawn, Held};

/// A picture of suspicious methods.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Treemap {
    /// Above the picture.
    pub title: String,
    /// The most suspicious first.
    pub leaves: Vec<Leaf>,
}

/// A method.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Leaf {
    /// The file, or the class where no path is known.
    pub file: String,
    /// Its name.
    pub method: String,
    /// Its place, from 1.
    pub rank: f64,
    /// Its suspiciousness.
    pub score: f64,
    /// How many of its lines are under suspicion.
    pub lines: usize,
    /// The groups of lines that it has a part in, ascending: methods with a common number hold
    /// lines that no test tells apart.
    pub groups: Vec<u32>,
    /// Where on the page more of it stands, `#` left out.
    pub link: Option<String>,
}

const WIDTH: f64 = 920.0;
const HEIGHT: f64 = 540.0;
/// Above the frame: title and legend.
const HEAD: f64 = 38.0;
const MARGIN: f64 = 1.0;
/// A rectangle that can be hit with a finger.
const TARGET: f64 = 24.0;
/// Groups that a tool tip names.
const NAMED_GROUPS: usize = 8;
/// Characters of a name in a tool tip.
const LONGEST: usize = 200;
const NAME_SIZE: f64 = 12.0;
/// Where a name would not fit otherwise.
const SMALL_SIZE: f64 = 10.0;
/// Bold letters are wider by this.
const BOLD: f64 = 1.1;
const NOTE_SIZE: f64 = 10.5;

impl Treemap {
    /// Draws it.
    pub fn svg(&self) -> Svg {
        let mut canvas = Canvas::default();
        let frame = Area {
            x: MARGIN,
            y: HEAD,
            width: WIDTH - 2.0 * MARGIN,
            height: HEIGHT - HEAD - MARGIN,
        };
        let title = typeface::fit(&self.title, 15.0, WIDTH - 290.0);
        let how = Type::new(15.0, Ink::Text, Anchor::Start).bold();
        canvas.text(MARGIN, 22.0, &title, how);
        if self.leaves.is_empty() {
            let how = Type::new(13.0, Ink::Soft, Anchor::Start);
            let text = "No line is under suspicion.";
            canvas.text(MARGIN, HEAD + 14.0, text, how);
            return canvas.finish(WIDTH, HEAD + 30.0, &self.title, text.to_owned());
        }
        legend(&mut canvas);
        let pen = Pen {
            leaves: &self.leaves,
            scale: Scale::of(self.leaves.iter().map(|leaf| leaf.score)),
            sharing: sharing(&self.leaves),
        };
        let mut links = false;
        for drawn in tree::layout(&self.leaves, frame) {
            links |= pen.draw(&mut canvas, &drawn);
        }
        let svg = canvas.finish(WIDTH, HEIGHT, &self.title, self.description());
        if links { svg.interactive() } else { svg }
    }

    fn description(&self) -> String {
        let lines: usize = self.leaves.iter().map(|leaf| leaf.lines).sum();
        let mut text = format!(
            "{} methods with {lines} lines under suspicion, as nested rectangles. ",
            self.leaves.len()
        );
        if let Some(first) = self.leaves.first() {
            let tied = self.leaves.iter().filter(|leaf| leaf.rank == first.rank);
            let _ = write!(
                text,
                "The most suspicious is {} with score {:.3}; methods at its place: {}.",
                shortened(&first.method, LONGEST),
                first.score,
                tied.count()
            );
        }
        text
    }
}

/// What drawing a rectangle needs to know of all methods.
struct Pen<'t> {
    leaves: &'t [Leaf],
    scale: Scale,
    /// By group, how many methods have a part in it.
    sharing: BTreeMap<u32, usize>,
}

impl Pen<'_> {
    /// Whether there was a link in it.
    fn draw(&self, canvas: &mut Canvas, drawn: &Drawn<'_>) -> bool {
        let area = drawn.area;
        match &drawn.held {
            Held::Heading(name) => {
                let text = typeface::fit(name, NOTE_SIZE, area.width - 6.0);
                let how = Type::new(NOTE_SIZE, Ink::Soft, Anchor::Start);
                // A lone ellipsis tells nothing.
                if text != "…" {
                    canvas.text(area.x + 3.0, area.y + 11.0, &text, how);
                }
                false
            }
            Held::Leaf(index) => {
                let leaf = &self.leaves[*index];
                let step = self.scale.step(leaf.score);
                let place = quantity(leaf.rank);
                let label = Label {
                    mark: Some(MARKS[step]),
                    name: tree::short_name(leaf).to_owned(),
                    short: None,
                    notes: vec![
                        vec![
                            format!("place {place} · {}", counted(leaf.lines as u64, "line")),
                            format!("place {place}"),
                        ],
                        self.group_notes(leaf),
                    ],
                };
                let words = self.words(leaf);
                let link = leaf.link.as_deref();
                self.rectangle(canvas, area, step, &leaf.groups, &words, link, &label)
            }
            Held::More(indices) => {
                let hottest = indices
                    .iter()
                    .map(|&index| self.scale.step(self.leaves[index].score))
                    .max();
                let lines: usize = indices.iter().map(|&index| self.leaves[index].lines).sum();
                let text = format!("and {} more", indices.len());
                let words = format!(
                    "{text} {}: {} under suspicion",
                    if indices.len() == 1 {
                        "method"
                    } else {
                        "methods"
                    },
                    counted(lines as u64, "line")
                );
                let label = Label {
                    mark: None,
                    name: text,
                    short: Some(format!("+{}", indices.len())),
                    notes: vec![vec![counted(lines as u64, "line")]],
                };
                let step = hottest.unwrap_or(1);
                self.rectangle(canvas, area, step, &[], &words, None, &label)
            }
        }
    }

    #[allow(clippy::too_many_arguments)] // What stands in a rectangle, each of another kind.
    fn rectangle(
        &self,
        canvas: &mut Canvas,
        area: Area,
        step: usize,
        groups: &[u32],
        words: &str,
        link: Option<&str>,
        label: &Label,
    ) -> bool {
        let link = link.filter(|_| area.width >= TARGET && area.height >= TARGET);
        let words = escape::xml(words);
        let numbers: Vec<String> = groups.iter().map(u32::to_string).collect();
        let data = match numbers.len() {
            0 => String::new(),
            _ => format!(" data-groups=\"{}\"", numbers.join(" ")),
        };
        let rectangle = format!(
            "<title>{words}</title><rect class=\"q{step}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
            number(area.x),
            number(area.y),
            number(area.width),
            number(area.height),
            palette::HEAT[step.clamp(1, STEPS) - 1],
        );
        canvas.raw(&match link {
            Some(link) => format!(
                "<a class=\"leaf\" href=\"#{}\" aria-label=\"{words}\"{data}>{rectangle}</a>",
                escape::xml(link)
            ),
            None => format!("<g class=\"leaf\" role=\"img\"{data}>{rectangle}</g>"),
        });
        label.write(canvas, area);
        link.is_some()
    }

    /// The groups that a method shares with others, in full and in short.
    fn group_notes(&self, leaf: &Leaf) -> Vec<String> {
        let shared = leaf.groups.iter().filter(|&group| self.sharing[group] > 1);
        let shared: Vec<String> = shared.map(u32::to_string).collect();
        match shared.as_slice() {
            [] => Vec::new(),
            [one] => vec![format!("group {one}")],
            [first, ..] => vec![
                format!("groups {}", shared.join(", ")),
                format!("groups {first}, …"),
                format!("group {first}, …"),
            ],
        }
    }

    /// For a tool tip and a screen reader.
    fn words(&self, leaf: &Leaf) -> String {
        let mut words = format!(
            "{}, place {}, score {:.3}: {} under suspicion",
            shortened(&leaf.method, LONGEST),
            quantity(leaf.rank),
            leaf.score,
            counted(leaf.lines as u64, "line")
        );
        let shared: Vec<String> = leaf
            .groups
            .iter()
            .filter(|&group| self.sharing[group] > 1)
            .take(NAMED_GROUPS + 1)
            .map(|group| {
                let others = self.sharing[group] - 1;
                format!(
                    "group {group} with {}",
                    counted(others as u64, "other method")
                )
            })
            .collect();
        if shared.is_empty() {
            words.push_str("; no other method is in a group with it");
        } else {
            let more = if shared.len() > NAMED_GROUPS {
                " and more"
            } else {
                ""
            };
            let named = shared[..shared.len().min(NAMED_GROUPS)].join(", ");
            let _ = write!(words, "; cannot be told apart: {named}{more}");
        }
        words
    }
}

/// What is written over a rectangle.
struct Label {
    mark: Option<char>,
    name: String,
    /// Said instead where the name does not fit whole.
    short: Option<String>,
    /// Further lines, each in wordings from long to short.
    notes: Vec<Vec<String>>,
}

impl Label {
    /// As much as fits. The words of the tool tip say it all, so this is for the eye alone, and lets
    /// the pointer through.
    fn write(&self, canvas: &mut Canvas, area: Area) {
        let room = area.width - 7.0;
        let marked = self.mark.map(|mark| format!("{mark} {}", self.name));
        let full = marked.as_ref().unwrap_or(&self.name);
        let bold = typeface::fit(full, NAME_SIZE * BOLD, room);
        let small = |text: &str| typeface::fit(text, SMALL_SIZE, room);
        // A name that is cut says something if some letters of it are left.
        let letters = |cut: &str| cut.chars().count() - 1;
        let signs = full.chars().count() - self.name.chars().count();
        let (name, size) = if bold == *full {
            (bold, NAME_SIZE)
        } else if small(full) == *full {
            (small(full), SMALL_SIZE)
        } else if small(&self.name) == self.name {
            (small(&self.name), SMALL_SIZE)
        } else if let Some(short) = self.short.as_ref().filter(|&short| small(short) == *short) {
            (short.clone(), SMALL_SIZE)
        } else if letters(&bold) > signs + 5 {
            (bold, NAME_SIZE)
        } else if letters(&small(&self.name)) > 4 {
            (small(&self.name), SMALL_SIZE)
        } else {
            return;
        };
        let mut y = area.y + 2.0 + size;
        let bottom = area.y + area.height - 3.0;
        if y > bottom {
            return;
        }
        canvas.raw("<g aria-hidden=\"true\" pointer-events=\"none\">");
        let how = Type::new(size, Ink::Text, Anchor::Start);
        let how = if size == NAME_SIZE { how.bold() } else { how };
        canvas.text(area.x + 4.0, y, &name, how);
        let how = Type::new(NOTE_SIZE, Ink::Text, Anchor::Start);
        let fits = |text: &&String| typeface::width(text, NOTE_SIZE) <= room;
        let notes = self.notes.iter();
        for note in notes.filter_map(|words| words.iter().find(fits)) {
            y += NOTE_SIZE * 1.3;
            if y > bottom {
                break;
            }
            canvas.text(area.x + 4.0, y, note, how);
        }
        canvas.raw("</g>");
    }
}

/// What the shades mean, at the top right.
fn legend(canvas: &mut Canvas) {
    let how = Type::new(NOTE_SIZE, Ink::Soft, Anchor::End);
    let size = 18.0;
    let start = WIDTH - MARGIN - 36.0 - STEPS as f64 * size;
    canvas.text(start - 5.0, 22.0, "less suspicious", how);
    for (step, mark) in MARKS.iter().enumerate().skip(1) {
        let x = start + (step - 1) as f64 * size;
        canvas.raw(&format!(
            "<rect class=\"q{step}\" x=\"{}\" y=\"10\" width=\"{size}\" height=\"16\" fill=\"{}\"/>",
            number(x),
            palette::HEAT[step - 1]
        ));
        let how = Type::new(NOTE_SIZE, Ink::Text, Anchor::Middle);
        canvas.text(x + size / 2.0, 22.0, &mark.to_string(), how);
    }
    let how = Type::new(NOTE_SIZE, Ink::Soft, Anchor::Start);
    canvas.text(WIDTH - MARGIN - 31.0, 22.0, "more", how);
}

fn sharing(leaves: &[Leaf]) -> BTreeMap<u32, usize> {
    let mut sharing = BTreeMap::new();
    for group in leaves.iter().flat_map(|leaf| &leaf.groups) {
        *sharing.entry(*group).or_default() += 1;
    }
    sharing
}

#[cfg(test)]
mod tests;

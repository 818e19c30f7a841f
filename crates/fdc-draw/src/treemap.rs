//! A tree as nested rectangles. Shade is a leaf's heat, area its size; numbers tie leaves together.
//!
//! Areas side by side are in proportion to sizes, in the order of the leaves, from the top left; at
//! the same place the larger first. Leaves too small to be drawn are gathered, one area per group.

mod area;
mod tree;

use crate::source::{HeatScale, MARKS, STEPS};
use crate::svg::{Canvas, Type};
use crate::text::counted;
use crate::{Svg, escape, palette, typeface};

use area::Area;
use tree::{Drawn, Held};

/// What to draw.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Treemap {
    /// Above the picture.
    pub title: String,
    /// What it shows, for readers who cannot see it.
    pub description: String,
    /// What its parts are called.
    pub words: TreemapWords,
    /// In the order in which they matter.
    pub leaves: Vec<Leaf>,
}

/// What the parts of a map are called.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TreemapWords {
    /// A leaf: `method`.
    pub leaf: &'static str,
    /// What a size counts: `line`.
    pub unit: &'static str,
    /// What is said of a size: `under suspicion`.
    pub of_size: &'static str,
    /// The weakest and the strongest shade.
    pub shades: (&'static str, &'static str),
    /// What is said where there is no leaf.
    pub nothing: &'static str,
}

/// One rectangle.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Leaf {
    /// Names of the groups it is in, the outermost first; an empty one gets no heading.
    pub path: Vec<String>,
    /// Its name within the innermost group.
    pub label: String,
    /// Its place among its neighbours, the smallest first.
    pub place: f64,
    /// Its size; the smallest is 1.
    pub size: usize,
    /// Its heat, on the scale of all leaves.
    pub heat: f64,
    /// Lines below its name, each in wordings from long to short.
    pub notes: Vec<Vec<String>>,
    /// Leaves with a common number are marked together.
    pub numbers: Vec<u32>,
    /// All of it in words, for a tool tip and a screen reader.
    pub tip: String,
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
        let (width, height) = (WIDTH - 2.0 * MARGIN, HEIGHT - HEAD - MARGIN);
        let frame = Area::new(MARGIN, HEAD, width, height);
        let title = typeface::fit(&self.title, 15.0, WIDTH - 290.0);
        canvas.text(MARGIN, 22.0, &title, Type::text(15.0).bold());
        if self.leaves.is_empty() {
            let nothing = self.words.nothing;
            canvas.text(MARGIN, HEAD + 14.0, nothing, Type::soft(13.0));
            return canvas.finish(WIDTH, HEAD + 30.0, &self.title, nothing.to_owned());
        }
        self.draw_legend(&mut canvas);
        let scale = HeatScale::of(self.leaves.iter().map(|leaf| leaf.heat));
        let mut links = false;
        for drawn in tree::layout(&self.leaves, frame) {
            links |= self.draw(&mut canvas, &scale, &drawn);
        }
        let mut svg = canvas.finish(WIDTH, HEIGHT, &self.title, self.description.clone());
        svg.interactive = links;
        svg
    }

    /// Whether there was a link in it.
    fn draw(&self, canvas: &mut Canvas, scale: &HeatScale, drawn: &Drawn<'_>) -> bool {
        let area = drawn.area;
        match &drawn.held {
            Held::Heading(name) => {
                let text = typeface::fit(name, NOTE_SIZE, area.width - 6.0);
                // A lone ellipsis tells nothing.
                if text != "…" {
                    canvas.text(area.x + 3.0, area.y + 11.0, &text, Type::soft(NOTE_SIZE));
                }
                false
            }
            Held::Leaf(index) => {
                let leaf = &self.leaves[*index];
                let step = scale.step(leaf.heat);
                let linked = draw_rectangle(canvas, area, step, leaf);
                write_label(canvas, area, Some(MARKS[step]), leaf, None);
                linked
            }
            Held::More(indices) => {
                let leaves = || indices.iter().map(|&index| &self.leaves[index]);
                let step = leaves().map(|leaf| scale.step(leaf.heat)).max();
                let size: usize = leaves().map(|leaf| leaf.size).sum();
                let size = counted(size as u64, self.words.unit);
                let plural = if indices.len() == 1 { "" } else { "s" };
                let label = format!("and {} more", indices.len());
                let (noun, of_size) = (self.words.leaf, self.words.of_size);
                let more = Leaf {
                    tip: format!("{label} {noun}{plural}: {size} {of_size}"),
                    label,
                    notes: vec![vec![size]],
                    ..Leaf::default()
                };
                draw_rectangle(canvas, area, step.unwrap_or(1), &more);
                let short = format!("+{}", indices.len());
                write_label(canvas, area, None, &more, Some(short));
                false
            }
        }
    }

    /// What the shades mean, at the top right.
    fn draw_legend(&self, canvas: &mut Canvas) {
        let how = Type::soft(NOTE_SIZE).end();
        let size = 18.0;
        let start = WIDTH - MARGIN - 36.0 - STEPS as f64 * size;
        canvas.text(start - 5.0, 22.0, self.words.shades.0, how);
        for (step, mark) in MARKS.iter().enumerate().skip(1) {
            let x = start + (step - 1) as f64 * size;
            canvas.raw(&shaded(step, Area::new(x, 10.0, size, 16.0)));
            let how = Type::text(NOTE_SIZE).middle();
            canvas.text(x + size / 2.0, 22.0, &mark.to_string(), how);
        }
        let how = Type::soft(NOTE_SIZE);
        canvas.text(WIDTH - MARGIN - 31.0, 22.0, self.words.shades.1, how);
    }
}

/// Whether there was a link in it.
fn draw_rectangle(canvas: &mut Canvas, area: Area, step: usize, leaf: &Leaf) -> bool {
    let link = leaf.link.as_ref();
    let link = link.filter(|_| area.width >= TARGET && area.height >= TARGET);
    let words = escape::xml(&leaf.tip);
    let numbers: Vec<String> = leaf.numbers.iter().map(u32::to_string).collect();
    let mut data = String::new();
    if !numbers.is_empty() {
        data = format!(" data-groups=\"{}\"", numbers.join(" "));
    }
    let rectangle = format!("<title>{words}</title>{}", shaded(step, area));
    canvas.raw(&match link {
        Some(link) => format!(
            "<a class=\"leaf\" href=\"#{}\" aria-label=\"{words}\"{data}>{rectangle}</a>",
            escape::xml(link)
        ),
        None => format!("<g class=\"leaf\" role=\"img\"{data}>{rectangle}</g>"),
    });
    link.is_some()
}

fn shaded(step: usize, area: Area) -> String {
    let colour = palette::HEAT[step.clamp(1, STEPS) - 1];
    format!("<rect class=\"q{step}\" {area} fill=\"{colour}\"/>")
}

/// As much of the name and notes as fits; `short` stands for a name that does not fit whole. The
/// tool tip says it all, so this is for the eye alone, and lets the pointer through.
fn write_label(
    canvas: &mut Canvas,
    area: Area,
    mark: Option<char>,
    leaf: &Leaf,
    short: Option<String>,
) {
    let room = area.width - 7.0;
    let name = &leaf.label;
    let marked = mark.map(|mark| format!("{mark} {name}"));
    let full = marked.as_ref().unwrap_or(name);
    let bold = typeface::fit(full, NAME_SIZE * BOLD, room);
    let small = |text: &str| typeface::fit(text, SMALL_SIZE, room);
    // A name that is cut says something if some letters of it are left.
    let letters = |cut: &str| cut.chars().count() - 1;
    let signs = full.chars().count() - name.chars().count();
    let (name, size) = if bold == *full {
        (bold, NAME_SIZE)
    } else if small(full) == *full {
        (small(full), SMALL_SIZE)
    } else if small(name) == *name {
        (small(name), SMALL_SIZE)
    } else if let Some(short) = short.filter(|short| small(short) == *short) {
        (short, SMALL_SIZE)
    } else if letters(&bold) > signs + 5 {
        (bold, NAME_SIZE)
    } else if letters(&small(name)) > 4 {
        (small(name), SMALL_SIZE)
    } else {
        return;
    };
    let mut y = area.y + 2.0 + size;
    let bottom = area.y + area.height - 3.0;
    if y > bottom {
        return;
    }
    canvas.raw("<g aria-hidden=\"true\" pointer-events=\"none\">");
    let how = Type::text(size);
    let how = if size == NAME_SIZE { how.bold() } else { how };
    canvas.text(area.x + 4.0, y, &name, how);
    let how = Type::text(NOTE_SIZE);
    let fits = |text: &&String| typeface::width(text, NOTE_SIZE) <= room;
    let notes = leaf.notes.iter();
    for note in notes.filter_map(|words| words.iter().find(fits)) {
        y += NOTE_SIZE * 1.3;
        if y > bottom {
            break;
        }
        canvas.text(area.x + 4.0, y, note, how);
    }
    canvas.raw("</g>");
}

#[cfg(test)]
mod tests;

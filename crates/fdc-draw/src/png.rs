//! A picture as PNG, drawn by resvg with the fonts of the machine.
//!
//! The bytes depend on the fonts installed; with the same fonts they are the same.
//! The feature `png` adds 46 crates and 100 s of processor time to a build (50 s on two idle
//! cores); without it this crate takes 12 s, most of it for crates that others need too. All are
//! under MIT, Apache-2.0, BSD, Zlib or Unicode-3.0 terms; no font is embedded.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Family, Query, Style, Weight};
use resvg::usvg::{Group, Node, Options, Tree};

use crate::{Error, Svg, typeface};

/// The most pixels a side.
const LIMIT: u32 = 16_384;

/// Fonts to draw text with: loading them takes longer than a plot, so load them once.
#[derive(Debug, Clone)]
pub struct Fonts {
    database: Database,
    family: String,
}

impl Fonts {
    /// The machine's fonts.
    pub fn system() -> Result<Self, Error> {
        let mut database = Database::new();
        database.load_system_fonts();
        Fonts::from_database(database)
    }

    /// The picture, `scale` times as large as the SVG's size in pixels (2 suits screens, 4 print).
    ///
    /// Refused, rather than drawn without them, when labels cannot be drawn.
    pub fn png(&self, svg: &Svg, scale: f64) -> Result<Vec<u8>, Error> {
        let options = Options {
            fontdb: std::sync::Arc::new(self.database.clone()),
            font_family: self.family.clone(),
            ..Options::default()
        };
        let tree = Tree::from_str(&svg.document(), &options);
        let tree = tree.map_err(|e| Error::Render(e.to_string()))?;
        let expected = svg.labels;
        let missing = expected.saturating_sub(drawn_texts(tree.root()));
        if missing > 0 {
            return Err(Error::TextLost {
                expected,
                missing,
                font: self.family.clone(),
            });
        }
        let side = |length: u32| {
            let pixels = (f64::from(length) * scale).round();
            (scale > 0.0 && (1.0..=f64::from(LIMIT)).contains(&pixels)).then_some(pixels as u32)
        };
        let too_large = || Error::Size {
            width: svg.width,
            height: svg.height,
            scale: scale.to_string(),
            limit: LIMIT,
        };
        let size = side(svg.width).zip(side(svg.height));
        let (width, height) = size.ok_or_else(too_large)?;
        let mut pixels = Pixmap::new(width, height).ok_or_else(too_large)?;
        let by = scale as f32;
        resvg::render(&tree, Transform::from_scale(by, by), &mut pixels.as_mut());
        let encoded = pixels.encode_png();
        encoded.map_err(|e| Error::Render(e.to_string()))
    }

    /// Picks the first of the families asked for, else the first upright regular one by name.
    fn from_database(mut database: Database) -> Result<Self, Error> {
        let known = |name: &str| {
            let query = Query {
                families: &[Family::Name(name)],
                ..Query::default()
            };
            database.query(&query).is_some()
        };
        let family = match typeface::FAMILIES.iter().find(|name| known(name)) {
            Some(name) => (*name).to_owned(),
            None => database
                .faces()
                .filter(|face| face.style == Style::Normal && face.weight == Weight::NORMAL)
                .chain(database.faces())
                .filter_map(|face| face.families.first().map(|(name, _)| name.clone()))
                .min()
                .ok_or(Error::NoFont)?,
        };
        database.set_sans_serif_family(family.clone());
        Ok(Fonts { database, family })
    }
}

/// Texts that came out with at least one real glyph.
fn drawn_texts(group: &Group) -> usize {
    let drawn = group.children().iter().map(|node| match node {
        Node::Group(group) => drawn_texts(group),
        Node::Text(text) => {
            let mut spans = text.layouted().iter();
            usize::from(spans.any(|span| !span.positioned_glyphs.is_empty()))
        }
        _ => 0,
    });
    drawn.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LineChart;

    #[test]
    fn without_a_font_the_error_says_so() {
        let error = Fonts::from_database(Database::new()).unwrap_err();
        assert_eq!(error, Error::NoFont);
        assert!(error.to_string().contains("no usable font"));
        let mut database = Database::new();
        database.load_font_data(b"not a font".to_vec());
        let error = Fonts::from_database(database).unwrap_err();
        assert_eq!(error, Error::NoFont);
    }

    #[test]
    fn lost_labels_are_an_error_not_a_bare_picture() {
        let fonts = Fonts {
            database: Database::new(),
            family: "Nowhere".to_owned(),
        };
        let svg = LineChart {
            title: "t".to_owned(),
            ..LineChart::default()
        }
        .svg();
        let error = fonts.png(&svg, 1.0).unwrap_err();
        assert!(matches!(error, Error::TextLost { missing, expected, .. } if missing == expected));
    }

    #[test]
    fn a_picture_has_the_size_asked_for_and_the_same_bytes_twice() {
        // A machine without fonts cannot draw; the error above is then all there is to test.
        let Ok(fonts) = Fonts::system() else { return };
        let svg = LineChart {
            title: "t".to_owned(),
            ..LineChart::default()
        }
        .svg();
        let png = fonts.png(&svg, 2.0).unwrap();
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
        let width = u32::from_be_bytes(png[16..20].try_into().unwrap());
        assert_eq!(width, 2 * svg.width);
        assert_eq!(png, fonts.png(&svg, 2.0).unwrap());
        for scale in [0.0, -1.0, f64::NAN, 1e9] {
            assert!(matches!(fonts.png(&svg, scale), Err(Error::Size { .. })));
        }
    }
}

/// Why a picture could not be made. Text formats (SVG, HTML, tables) never fail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no font to draw text with, so every label would be missing.
    #[error(
        "no usable font found: a PNG without labels is useless; install one (Debian: fonts-dejavu-core) or write SVG"
    )]
    NoFont,
    /// The renderer dropped labels, e.g. because the only fonts have no outlines.
    #[error(
        "{missing} of {expected} labels could not be drawn with font '{font}'; install a Latin font (Debian: fonts-dejavu-core) or write SVG"
    )]
    TextLost {
        /// Labels in the SVG.
        expected: usize,
        /// Labels the renderer dropped or drew with no glyph at all.
        missing: usize,
        /// The font family chosen.
        font: String,
    },
    /// The picture at this scale is too large (or the scale is not a positive number).
    #[error("cannot draw {width} x {height} at scale {scale}: expected 1 to {limit} pixels a side")]
    Size {
        /// Width of the SVG, in pixels at scale 1.
        width: u32,
        /// Height of the SVG, in pixels at scale 1.
        height: u32,
        /// Scale asked for, as written.
        scale: String,
        /// The most pixels a side.
        limit: u32,
    },
    /// The renderer refused the SVG or the encoder failed: a bug in this crate.
    #[error("rendering failed: {0}")]
    Render(String),
}

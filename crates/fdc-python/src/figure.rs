//! Pictures.

use std::path::PathBuf;

use fdc_draw::Svg;
use fdc_draw::text::shortened;
use pyo3::prelude::*;

use crate::error::detached;

/// Characters of a caption that stand for the picture.
const SHOWN: usize = 60;

/// A picture, drawn by fdc. A notebook shows it.
#[pyclass(frozen, skip_from_py_object, module = "fdc")]
#[derive(Clone)]
pub struct Figure {
    /// What it shows.
    #[pyo3(get)]
    caption: String,
    /// As SVG: an element that can stand in a page.
    #[pyo3(get)]
    svg: String,
    file: String,
}

impl Figure {
    pub(crate) fn new(svg: &Svg, caption: impl Into<String>) -> Self {
        Figure {
            caption: caption.into(),
            svg: svg.element(),
            file: svg.document(),
        }
    }
}

#[pymethods]
impl Figure {
    /// Writes it as an SVG file.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        detached(py, || {
            let bytes = self.file.as_bytes();
            Ok(fdc_case::write_whole(&path, |file| file.write_all(bytes))?)
        })
    }

    fn _repr_svg_(&self) -> &str {
        &self.svg
    }

    fn __repr__(&self) -> String {
        format!("Figure({})", shortened(&self.caption, SHOWN))
    }
}

//! What a person looks at outside a terminal: plots, tables, and one offline HTML page.
//!
//! Plain data in, text or bytes out; no clock, and the same input gives the same bytes. No file
//! is written; read are the fonts of the machine by `Fonts::system`, for PNG.
#![forbid(unsafe_code)]

mod error;
pub mod escape;
pub mod fragment;
pub mod highlight;
pub mod page;
mod palette;
pub mod plot;
#[cfg(feature = "png")]
pub mod png;
pub mod source;
pub mod svg;
pub mod table;
pub mod text;
pub mod treemap;
mod typeface;

pub use error::Error;
pub use fragment::Fragment;
pub use page::Page;
pub use plot::critical_difference::CriticalDifference;
pub use plot::heat::HeatMap;
pub use plot::line::LineChart;
#[cfg(feature = "png")]
pub use png::Fonts;
pub use svg::Svg;
pub use table::{Best, Cell, Column, ColumnKind, Table};
pub use treemap::Treemap;

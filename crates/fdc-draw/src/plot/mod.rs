//! Plots: plain data in, [`Svg`](crate::Svg) out.
//!
//! Values that are not finite (or beyond ±1e100) are left out; a note below the plot says how many.

mod axis;
pub mod critical_difference;
pub mod heat;
pub mod line;

/// Whether a value has a place on an axis.
fn drawable(value: f64) -> bool {
    value.abs() <= 1e100
}

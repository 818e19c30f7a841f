//! `libfdc_jni`: any result-agnostic metric as a fitness for test generators, from Java
//! (`fdc.fitness.Fitness`) and C (`include/fdc.h`). Values come from [`fdc_core::fitness`].
//!
//! | concept | home |
//! |---|---|
//! | a fitness that is open, and where the lines of a class are in it | [`opened`] |
//! | the open ones by number, safe for all threads | `handles` |
//! | everything that can go wrong | `problem` |
//! | what Java calls | [`java`] |
//! | what C calls | [`c`] |

pub mod c;
mod handles;
pub mod java;
pub mod opened;
mod problem;

pub use handles::Handle;

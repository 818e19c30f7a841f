//! The functions of a source file: their qualified names and the lines they span. Coverage that
//! knows lines only becomes coverage of functions with it.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

/// A function or method as the source spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Qualified within the file: classes, modules and enclosing functions, then its own name.
    pub name: String,
    /// Its first line, from 1: that of its declaration.
    pub first: u32,
    /// The first line of its body. A line from here on runs when the function does.
    pub body: u32,
    /// Its last line.
    pub last: u32,
}

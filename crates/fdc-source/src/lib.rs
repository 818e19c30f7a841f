//! The functions of a source file: their qualified names and the lines they span. Coverage that
//! knows lines only becomes coverage of functions with it.
//!
//! Source is parsed with tree-sitter, which recovers from errors: broken source gives the
//! functions that can still be made out, never an error and never a panic.
//!
//! [`Outline`] tells the function of a line, [`Parts`] what else a line may be part of; [`LineOwners`] and [`ProjectMethods`] the method that
//! owns it, as measurements and collectors count. [`Sources`] finds the files themselves below a
//! project's root, and reads nothing else; tests are found by their ids. [`Roots`] are those of a
//! case. [`mutations`] are small faults to try tests on, and
//! [`weave`] puts many of them into one text. [`is_test_file`] and [`is_test_function`] tell test code.
#![forbid(unsafe_code)]

mod files;
mod grammar;
mod language;
mod lines;
mod mutation;
mod naming;
mod outline;
mod owners;
mod parts;
mod project_methods;
mod roots;
mod test_code;
mod test_source;
mod tree;
mod walk;

pub use files::{Source, Sources, relative_path};
pub use language::Language;
pub use lines::LineSet;
pub use mutation::{
    Alternative, Form, MUTATORS, Mutation, Mutator, Switchable, Woven, mutations, weave,
};
pub use outline::Outline;
pub use owners::{FunctionLines, LineOwners, ListedFunction};
pub use parts::{Part, Parts};
pub use project_methods::ProjectMethods;
pub use roots::Roots;
pub use test_code::{is_test_file, is_test_function};
pub use test_source::{TestFunction, TestSource};
pub use tree::FileTree;
pub use walk::functions;

/// A function or method as the source spells it.
///
/// # Names
/// A name is qualified within its file, and unique there:
///
/// | language | names |
/// |---|---|
/// | Python | `function`, `Class.method`, `outer.inner`; lambdas belong to the function around them |
/// | Rust | `function`, `module::Type::method`, `Trait::method` for a default method, `<Type as Trait>::method` for the implementation of a trait, `outer::inner`; closures belong to the function around them. `macro_rules!` bodies are not looked into; functions inside the braces of a macro call are found, without the names of `impl` blocks in there |
/// | Go | `Func`, `T.Method`, `(*T).Method`, type parameters left out; closures belong to the function around them. `var f = func` at top level is `f`; other closures at top level are `f.func1`, `f.func2` |
/// | Java | `org.x.Class#method(int,List)`, `Class$Inner#method()`, constructors `Class#Class(int)`; parameter types as the source spells them, type arguments left out, `String...` for a variable number. Anonymous and local classes are numbered per enclosing class in order of the source: `Class$1#run()`, `Class$1Local#m()`. Lambdas belong to the method around them |
/// | JavaScript, TypeScript | `function`, `Class.method`, `object.method`, `outer.inner`. A function without a name takes that of the variable, field or property it is assigned to (`exports.f` is `f`, `A.prototype.f` is `A.f`), or `default`; else it belongs to the function around it, and at top level is `<anonymous:LINE>` |
///
/// A name that is already taken in the file (overloads, a property's setter, definitions under
/// different conditions) gets `@LINE` appended. [`display_name`] makes names unique over a project.
///
/// # Lines
/// Decorators, attributes and annotations are not part of a function. A declaration without a
/// body is no function. Functions nest; two that do not can still share a line when the source
/// puts the end of one and the start of the next on it.
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
    /// All of it in bytes of the text; here Java's annotations are part of the declaration.
    pub bytes: std::ops::Range<usize>,
}

/// The name of a function over the whole project: `path::name` with the path relative to the
/// project's root. Java's names stand alone, because they start with the package.
pub fn display_name(language: Language, path: &str, function: &Function) -> String {
    match language {
        Language::Java => function.name.clone(),
        _ => format!("{path}::{}", function.name),
    }
}

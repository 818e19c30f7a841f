//! All mutants of a Rust project in one build. What the compiler refuses is taken out by the places of
//! its errors, and it is asked again.

use serde::Deserialize;

use super::Cargo;
use super::build::{self, Compilation, Workspace};
use super::toolchain::Compiler;
use crate::error::Result;
use crate::isolated::Isolated;
use crate::mutate::{Place, WovenSources, relative_to};
use crate::options::CollectOptions;
use crate::watch::Watch;

/// Stands behind the last line of each crate's root, so that no line moves. A crate may do without the
/// standard library, and be of any edition.
const SWITCHES: &str = r#"
#[doc(hidden)] mod __fdc_mutant {
    extern crate std as fdc_std;
    use self::fdc_std::sync::atomic::{AtomicU32, Ordering};
    static ON: AtomicU32 = AtomicU32::new(UNKNOWN);
    const UNKNOWN: u32 = 0xffff_ffff;
    #[inline(always)]
    pub fn is(number: u32) -> bool {
        let on = ON.load(Ordering::Relaxed);
        if on == UNKNOWN { asked() == number } else { on == number }
    }
    #[cold]
    fn asked() -> u32 {
        let on = fdc_std::env::var("FDC_MUTANT");
        let on = on.ok().and_then(|on| on.parse::<u32>().ok()).unwrap_or(0);
        ON.store(on, Ordering::Relaxed);
        on
    }
}
"#;

/// After so many tries whole files are left out, then we give up.
const BY_PLACE: usize = 12;
const ROUNDS: usize = 16;

pub(crate) fn build(
    options: &CollectOptions,
    sources: &mut WovenSources,
    watch: &dyn Watch,
) -> Result<Option<Box<dyn Isolated>>> {
    let compiler = Compiler::of(&options.root)?;
    let workspace = build::workspace(&options.root)?;
    for root in workspace.crate_roots() {
        if let Some(path) = relative_to(&options.root, &options.root, &root.to_string_lossy()) {
            sources.end_with(&path, SWITCHES);
        }
    }
    let compilation = Compilation::new(options, &workspace, watch)?;
    for round in 0..ROUNDS {
        sources.write()?;
        let words = ["test", "--no-run", "--message-format=json"];
        let (status, text, _) = compilation.run(compilation.cargo(&words), "woven")?;
        if status.success() {
            let built = compilation.artifacts(&workspace, &text);
            let cargo = Cargo::of(&compilation, built, &compiler)?;
            return Ok(Some(Box::new(cargo)));
        }
        let errors = errors(&text, &workspace, options);
        if !sources.leave_out_blamed(&errors, round < BY_PLACE) {
            return Ok(None);
        }
    }
    Ok(None)
}

#[derive(Deserialize)]
struct Message {
    message: Diagnostic,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    spans: Vec<Span>,
    children: Vec<Diagnostic>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    byte_start: usize,
    byte_end: usize,
    is_primary: bool,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

/// The places that each error names, the likeliest first.
fn errors(text: &str, workspace: &Workspace, options: &CollectOptions) -> Vec<Vec<Place>> {
    let messages = text.lines().filter_map(|line| {
        // Lines of other kinds lack some of these fields.
        let Message { message } = serde_json::from_str(line).ok()?;
        message.level.starts_with("error").then_some(message)
    });
    let place = |span: &Span| {
        let path = relative_to(&options.root, &workspace.workspace_root, &span.file_name)?;
        Some((path, span.byte_start..span.byte_end))
    };
    let places = messages.map(|message| {
        let mut spans = Vec::new();
        message.add_spans(&mut spans);
        spans.into_iter().filter_map(place).collect()
    });
    places.collect()
}

impl Diagnostic {
    fn add_spans<'d>(&'d self, spans: &mut Vec<&'d Span>) {
        for primary in [true, false] {
            let own = self.spans.iter();
            for mut span in own.filter(|span| span.is_primary == primary) {
                spans.push(span);
                // Inside a macro, it is the macro's call that is in our hands.
                while let Some(expansion) = &span.expansion {
                    span = &expansion.span;
                    spans.push(span);
                }
            }
        }
        let children = self.children.iter();
        children.for_each(|child| child.add_spans(spans));
    }
}

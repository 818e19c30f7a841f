//! The session that is served, with the sources of its case, and a number for every state it was
//! in.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;

use fdc::label::picture::{MethodPart, Picture};
use fdc::label::protocol::{Reply, Request, handle};
use fdc::label::session::SessionError;
use fdc::label::view::suspect_named;
use fdc::label::{FileView, Session, TestView};
use fdc::report::suspects_map_laid_out;
use fdc::{FailedTest, Suspect};
use fdc_source::Roots;
use serde::Serialize;

/// A session as the page asks for it: by names, and by what changed when.
pub struct ServedSession {
    session: Session,
    roots: Roots,
    /// What does not change while the server runs.
    pub about: About,
    suspects: usize,
    /// Where each method stands on the map: as it stood first.
    map_places: OnceCell<BTreeMap<String, f64>>,
    /// Grows whenever the session changes, by a request or by another process.
    pub state: u64,
}

/// What does not change while the server runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct About {
    /// The case file's name, without its folder.
    pub case: String,
    /// Whose answers are taken here.
    pub who: String,
    /// Where sources are looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The address that opens a file in an editor, with `{path}` and `{line}`; none for no links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editor: Option<String>,
    /// Of this program.
    pub version: &'static str,
}

impl ServedSession {
    /// A session of a case; so many suspects are shown.
    pub fn new(session: Session, roots: Roots, case: &Path, suspects: usize) -> Self {
        let name = case.file_name().unwrap_or(case.as_os_str());
        let root = roots.project.as_ref().map(|project| project.root());
        let about = About {
            case: name.to_string_lossy().into_owned(),
            who: session.options().who.clone(),
            root: root.map(|root| root.to_string_lossy().into_owned()),
            editor: None,
            version: env!("CARGO_PKG_VERSION"),
        };
        ServedSession {
            session,
            roots,
            about,
            suspects,
            map_places: OnceCell::new(),
            state: 1,
        }
    }

    /// The same with links that open files in an editor: an address with `{path}` and `{line}`.
    pub fn with_editor(mut self, address: Option<String>) -> Self {
        self.about.editor = address;
        self
    }

    /// Takes over what other processes answered.
    pub fn refresh(&mut self) -> Result<(), SessionError> {
        if self.session.refresh()? {
            self.state += 1;
        }
        Ok(())
    }

    /// Does what is asked; an answer is in the case file before this returns.
    pub fn handle(&mut self, request: Request) -> Result<Reply, SessionError> {
        // Several pages may show different tests.
        if matches!(request, Request::Answer { test: None, .. }) {
            let why = "an answer names its test: \"test\": NAME";
            return Err(SessionError::Refused(why.into()));
        }
        self.refresh()?;
        let changes = !matches!(request, Request::Show | Request::Advice | Request::Quit);
        let reply = handle(&mut self.session, request, self.suspects);
        // A failed write may still have changed what is shown.
        if changes && !matches!(reply, Err(SessionError::Refused(_))) {
            self.state += 1;
        }
        reply
    }

    /// Lines of a file of the case, around one of them; none if the case has no such file.
    pub fn file(&self, name: &str, around: u32) -> Option<FileView> {
        FileView::new(&self.session, &self.roots, name, around)
    }

    /// A method, shown or not; none if the case has no such method.
    pub fn suspect(&self, method: &str) -> Option<Suspect> {
        suspect_named(&self.session, method)
    }

    /// The source of a test of the case; none if the case has no such test.
    pub fn test(&self, name: &str) -> Option<TestView> {
        TestView::new(&self.session, &self.roots, name)
    }

    /// How a failing test failed; none if everything starts from others.
    pub fn failure(&self, name: &str) -> Option<FailedTest> {
        let mut failures = self.session.failures().into_iter();
        failures.find(|failed| failed.test == name)
    }

    /// The suspects as a picture (SVG).
    pub fn picture(&self) -> String {
        let picture = Picture::new(&self.session);
        let title = format!("Groups of suspicious lines: {}", picture.groups);
        let link = |part: &MethodPart| Some(encoded(&part.method));
        let first = self.map_places.get_or_init(|| {
            let named = |(number, part): (usize, &MethodPart)| (part.method.clone(), number as f64);
            picture.methods.iter().enumerate().map(named).collect()
        });
        let place = |part: &MethodPart| first.get(&part.method).copied();
        let place = |part: &MethodPart| place(part).unwrap_or(f64::INFINITY);
        let map = suspects_map_laid_out(title, &picture.methods, place, link);
        map.svg().element()
    }
}

/// A name as the page reads it out of a link.
fn encoded(name: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        _ => format!("%{byte:02x}"),
    };
    name.bytes().map(byte).collect()
}

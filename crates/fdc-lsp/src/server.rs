//! The server: one message after the other, and what it sends by itself when the case changes.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::mpsc;

use fdc::editor::{Document, EditorCase, EditorRequest};
use fdc::{Failure, Remedy};
use serde_json::{Value, json};

use crate::commands::COMMANDS;
use crate::frames::{self, Frame};
use crate::open::{OpenTexts, uri_of};
use crate::watch::{Read, watch};
use crate::{uri, words};

/// The case's name in the root of a project.
const CASE: &str = "case.fdc";
/// Suspects that are marked, unless somebody says otherwise.
const SUSPECTS: usize = 10;

/// What the protocol calls errors.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMETERS: i32 = -32602;
const NOT_INITIALIZED: i32 = -32002;

/// What is known before the editor says anything; it may say the same in `initializationOptions`.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// The case file.
    pub case: Option<PathBuf>,
    /// The project's root, where the case does not tell.
    pub source: Option<PathBuf>,
    /// So many suspects are marked.
    pub suspects: Option<usize>,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationEnd {
    /// The editor said so, or is gone.
    Done,
    /// The editor left without a goodbye, which the protocol wants to be told by the exit code.
    Unasked,
}

/// What happens.
pub(crate) enum Event {
    /// The editor sent something.
    Frame(Frame),
    /// The input ended.
    End,
    /// The case was read.
    Case(Box<Read>),
    /// Nothing; shows that somebody still listens.
    Tick,
}

/// Serves an editor until it says goodbye or is gone.
pub fn serve(
    mut input: impl BufRead + Send + 'static,
    output: impl Write,
    options: ServerOptions,
) -> io::Result<ConversationEnd> {
    let (events, happening) = mpsc::channel();
    let frames = events.clone();
    std::thread::spawn(move || {
        while let Ok(Some(frame)) = frames::read(&mut input) {
            if frames.send(Event::Frame(frame)).is_err() {
                return;
            }
        }
        // Nobody listens any more if this fails.
        let _ = frames.send(Event::End);
    });
    let mut server = Server::new(output, options);
    loop {
        let event = happening.recv().unwrap_or(Event::End);
        if let Some(ended) = server.handle(event)? {
            return Ok(ended);
        }
        if let Some(request) = server.to_watch.take() {
            let events = events.clone();
            std::thread::spawn(move || watch(&request, &events));
        }
    }
}

/// Answers a whole conversation about a case, which is not watched.
pub fn answer(
    mut input: impl BufRead,
    output: impl Write,
    case: EditorCase,
) -> io::Result<ConversationEnd> {
    let mut server = Server::new(output, ServerOptions::default());
    server.case = Some(case);
    while let Some(frame) = frames::read(&mut input)? {
        if let Some(ended) = server.handle(Event::Frame(frame))? {
            return Ok(ended);
        }
    }
    Ok(ConversationEnd::Done)
}

/// How far the conversation is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Begun,
    Initialized,
    ShutDown,
}

/// What the editor can do, and wants.
#[derive(Default)]
pub(crate) struct Client {
    /// It draws lists itself, and is told when the case changes.
    pub(crate) draws: bool,
    /// It opens a file when asked.
    pub(crate) shows_documents: bool,
    /// It asks for lenses again when told.
    refreshes_lenses: bool,
}

pub(crate) struct Server<W> {
    output: W,
    options: ServerOptions,
    stage: Stage,
    pub(crate) client: Client,
    pub(crate) case: Option<EditorCase>,
    pub(crate) open: OpenTexts,
    /// As the editor spells it.
    workspace: PathBuf,
    /// The case that shall be watched from now on.
    to_watch: Option<EditorRequest>,
    /// URIs with diagnostics.
    published: BTreeSet<String>,
    /// The last message about the case; nothing is said twice in a row.
    said: Option<String>,
    requests: u64,
}

/// Why a request has no answer: the protocol's code, and words.
pub(crate) type Refusal = (i32, String);

impl<W: Write> Server<W> {
    fn new(output: W, options: ServerOptions) -> Self {
        Server {
            output,
            options,
            stage: Stage::Begun,
            client: Client::default(),
            case: None,
            open: OpenTexts::default(),
            workspace: PathBuf::new(),
            to_watch: None,
            published: BTreeSet::new(),
            said: None,
            requests: 0,
        }
    }

    fn handle(&mut self, event: Event) -> io::Result<Option<ConversationEnd>> {
        match event {
            Event::Frame(Frame::Message(message)) => return self.message(&message),
            Event::Frame(Frame::Refused(why)) => {
                self.refuse(&Value::Null, &(PARSE_ERROR, why))?;
            }
            Event::Case(read) => self.take_case(*read)?,
            Event::Tick => {}
            Event::End => return Ok(Some(ConversationEnd::Done)),
        }
        Ok(None)
    }

    fn message(&mut self, message: &Value) -> io::Result<Option<ConversationEnd>> {
        let parameters = message.get("params").unwrap_or(&Value::Null);
        let method = message.get("method").and_then(Value::as_str);
        match (method, message.get("id")) {
            (Some(method), Some(id)) => match self.request(method, parameters) {
                Ok(result) => {
                    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result?});
                    self.send(&answer)?;
                }
                Err(refusal) => self.refuse(id, &refusal)?,
            },
            (Some("exit"), None) => {
                return Ok(Some(match self.stage {
                    Stage::ShutDown => ConversationEnd::Done,
                    _ => ConversationEnd::Unasked,
                }));
            }
            (Some(method), None) if self.stage == Stage::Initialized => {
                self.notification(method, parameters)?;
            }
            // An answer to one of our requests, or a notification out of turn.
            (None, Some(_)) if message.get("result").or(message.get("error")).is_some() => {}
            (Some(_), None) => {}
            (None, _) => {
                let why = "neither a request nor a notification nor an answer".to_owned();
                self.refuse(&Value::Null, &(INVALID_REQUEST, why))?;
            }
        }
        Ok(None)
    }

    fn request(&mut self, method: &str, parameters: &Value) -> Result<io::Result<Value>, Refusal> {
        match (self.stage, method) {
            (Stage::Begun, "initialize") => return Ok(Ok(self.initialize(parameters))),
            (Stage::Begun, _) => {
                return Err((NOT_INITIALIZED, "initialize comes first".to_owned()));
            }
            (Stage::ShutDown, _) => {
                return Err((INVALID_REQUEST, "the server is shut down".to_owned()));
            }
            (Stage::Initialized, _) => {}
        }
        Ok(Ok(match method {
            "shutdown" => {
                self.stage = Stage::ShutDown;
                Value::Null
            }
            "textDocument/codeLens" => self.lenses(parameters),
            "textDocument/hover" => self.hover(parameters).unwrap_or_default(),
            "workspace/executeCommand" => return self.execute(parameters),
            "fdc/tests" => self.tests(),
            "fdc/coverage" => self.coverage(),
            "fdc/lines" => self.lines(parameters).unwrap_or_default(),
            _ => return Err((METHOD_NOT_FOUND, format!("there is no {method:?}"))),
        }))
    }

    fn initialize(&mut self, parameters: &Value) -> Value {
        let wanted = &parameters["initializationOptions"];
        let abilities = &parameters["capabilities"];
        let is = |value: &Value| value.as_bool().unwrap_or(false);
        self.client = Client {
            draws: is(&wanted["draws"]),
            shows_documents: is(&abilities["window"]["showDocument"]["support"]),
            refreshes_lenses: is(&abilities["workspace"]["codeLens"]["refreshSupport"]),
        };
        let first = parameters["workspaceFolders"].get(0);
        let folder = first.and_then(|folder| folder["uri"].as_str());
        let root = folder
            .or(parameters["rootUri"].as_str())
            .and_then(uri::to_path);
        let root = root.unwrap_or_else(|| PathBuf::from("."));
        let text = |name: &str| wanted[name].as_str().map(PathBuf::from);
        let number = wanted["suspects"].as_u64();
        let own = self.options.clone();
        let case = own
            .case
            .or_else(|| text("case").map(|case| root.join(case)));
        let source = own
            .source
            .or_else(|| text("source").map(|source| root.join(source)));
        self.to_watch = Some(EditorRequest {
            case: case.unwrap_or_else(|| root.join(CASE)),
            source,
            workspace: Some(root.clone()),
            suspects: own
                .suspects
                .or(number.and_then(|number| usize::try_from(number).ok()))
                .unwrap_or(SUSPECTS),
        });
        self.stage = Stage::Initialized;
        self.workspace = root;
        json!({
            "capabilities": {
                "textDocumentSync": {"openClose": true, "change": 1},
                "codeLensProvider": {"resolveProvider": false},
                "hoverProvider": true,
                "executeCommandProvider": {"commands": COMMANDS},
            },
            "serverInfo": {"name": "fdc", "version": env!("CARGO_PKG_VERSION")},
        })
    }

    fn notification(&mut self, method: &str, parameters: &Value) -> io::Result<()> {
        let case = self.case.as_ref();
        let changed = match method {
            "textDocument/didOpen" => self.open.open(parameters, case),
            "textDocument/didChange" => self.open.change(parameters, case),
            "textDocument/didClose" => self.open.close(parameters),
            _ => None,
        };
        match changed {
            Some(uri) => self.publish(&uri),
            None => Ok(()),
        }
    }

    /// The case was read anew, or cannot be read any more.
    fn take_case(&mut self, read: Read) -> io::Result<()> {
        let (case, message) = match read {
            Ok(case) => {
                let note = case.note().map(|note| (2, note.to_owned()));
                (Some(case), note)
            }
            Err(failure) => (None, Some(told(&failure))),
        };
        let words = message.as_ref().map(|(_, words)| words.clone());
        if case.is_none() && self.case.is_none() && words == self.said {
            return Ok(());
        }
        self.case = case;
        self.open.renew(self.case.as_ref());
        if let Some((kind, words)) = message.filter(|(_, words)| self.said.as_ref() != Some(words))
        {
            self.show_message(kind, &words)?;
        }
        self.said = words;
        let mut uris = self.published.clone();
        uris.extend(self.open.uris().cloned());
        if let Some(case) = &self.case {
            let paths = case.suspects().iter().filter_map(|own| own.path.as_ref());
            uris.extend(paths.filter_map(|path| self.uri_of(path)));
        }
        uris.iter().try_for_each(|uri| self.publish(uri))?;
        if self.client.refreshes_lenses {
            self.ask("workspace/codeLens/refresh", &Value::Null)?;
        }
        if self.client.draws {
            self.notify("fdc/caseChanged", &Value::Null)?;
        }
        Ok(())
    }

    /// Sends the diagnostics of a file, if there are any now or were before.
    fn publish(&mut self, uri: &str) -> io::Result<()> {
        let found = self.with_document(uri, |case, document| {
            let marks = case.marks(document);
            let hint = marks.is_outdated.then(words::outdated);
            let marks = marks.marks.iter().map(|mark| {
                let range = range(document, mark.lines);
                words::diagnostic(mark, range, |path| self.uri_of(path))
            });
            hint.into_iter().chain(marks).collect::<Vec<_>>()
        });
        let diagnostics = found.unwrap_or_default();
        let had = self.published.remove(uri);
        let is_open = self.open.document(uri).is_some();
        if !diagnostics.is_empty() {
            self.published.insert(uri.to_owned());
        } else if !had && !is_open {
            return Ok(());
        }
        let parameters = json!({"uri": uri, "diagnostics": diagnostics});
        self.notify("textDocument/publishDiagnostics", &parameters)
    }

    fn lenses(&self, parameters: &Value) -> Value {
        let uri = uri_of(parameters).unwrap_or_default();
        let lenses = self.with_document(uri, |case, document| {
            let lenses = case.lenses(document);
            lenses.iter().map(words::lens).collect()
        });
        Value::Array(lenses.unwrap_or_default())
    }

    fn hover(&self, parameters: &Value) -> Option<Value> {
        let line = number(parameters.get("position")?.get("line")?)?;
        let text = self.with_document(uri_of(parameters)?, |case, document| {
            let hovered = case.hover(document, line.checked_add(1)?)?;
            Some(words::hover(&hovered))
        });
        Some(json!({"contents": {"kind": "markdown", "value": text??}}))
    }

    /// What is known of a file: of its open text, else of the file on the disk.
    pub(crate) fn with_document<T>(
        &self,
        uri: &str,
        look: impl FnOnce(&EditorCase, &Document) -> T,
    ) -> Option<T> {
        let case = self.case.as_ref()?;
        match self.open.document(uri) {
            Some(open) => Some(look(case, open?)),
            None => Some(look(case, &case.on_disk(&uri::to_path(uri)?)?)),
        }
    }

    /// The URI of a file by its path below the root, as the editor spells it if it is open.
    pub(crate) fn uri_of(&self, path: &str) -> Option<String> {
        if let Some(open) = self.open.uri_of_path(path) {
            return Some(open.clone());
        }
        let file = self.case.as_ref()?.root()?.join(path);
        // Links may lead to the workspace, and the editor knows its files by those.
        let real = self.workspace.canonicalize().ok();
        let below = real.and_then(|real| Some(file.strip_prefix(real).ok()?.to_owned()));
        Some(uri::of_path(&match below {
            Some(below) if self.workspace.is_absolute() => self.workspace.join(below),
            _ => file,
        }))
    }

    /// Kinds: 1 error, 2 warning, 3 information.
    pub(crate) fn show_message(&mut self, kind: u8, words: &str) -> io::Result<()> {
        self.notify(
            "window/showMessage",
            &json!({"type": kind, "message": words}),
        )
    }

    fn notify(&mut self, method: &str, parameters: &Value) -> io::Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}))
    }

    /// A request whose answer nobody waits for.
    pub(crate) fn ask(&mut self, method: &str, parameters: &Value) -> io::Result<()> {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))
    }

    fn refuse(&mut self, id: &Value, (code, why): &Refusal) -> io::Result<()> {
        let error = json!({"code": code, "message": why});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        frames::write(&mut self.output, message)
    }
}

/// Parameters that are not what they should be.
pub(crate) fn bad_parameters(expected: &str) -> Refusal {
    (INVALID_PARAMETERS, format!("expected {expected}"))
}

/// A line or the like.
pub(crate) fn number(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

/// What to say of a case that cannot be read, and how loudly.
fn told(failure: &Failure) -> (u8, String) {
    let advice = match &failure.remedy {
        Some(Remedy::Words(words)) => words,
        Some(Remedy::NameRoot) => "name the project's root folder with --source",
        _ => "run `fdc collect` again",
    };
    let missing = failure.kind == fdc::FailureKind::NoAccess;
    (if missing { 3 } else { 1 }, format!("{failure}; {advice}"))
}

/// From the first letter of the first line to the end of the last (from 1).
fn range(document: &Document, (first, last): (u32, u32)) -> Value {
    let units = |text: &str| text.encode_utf16().count();
    let start = document.line(first).unwrap_or_default();
    let indentation = start.len() - start.trim_start().len();
    let end = document.line(last).unwrap_or_default();
    json!({
        "start": {"line": first - 1, "character": units(&start[..indentation])},
        "end": {"line": last - 1, "character": units(end.trim_end())},
    })
}

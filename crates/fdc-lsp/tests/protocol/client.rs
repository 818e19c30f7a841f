//! The plainest of editors.

use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use fdc_case::import;
use fdc_lsp::{ConversationEnd, ServerOptions, serve};
use serde_json::{Value, json};

/// Nothing takes that long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A copy of the sample `orders` with its case.
pub(crate) struct Project(tempfile::TempDir);

impl Project {
    pub(crate) fn new() -> Self {
        let project = Project(tempfile::tempdir().unwrap());
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/orders");
        for folder in ["src/orders", "tests"] {
            std::fs::create_dir_all(project.path(folder)).unwrap();
            for file in std::fs::read_dir(sample.join(folder)).unwrap() {
                let file = file.unwrap();
                if file.file_type().unwrap().is_file() {
                    let to = project.path(folder).join(file.file_name());
                    std::fs::copy(file.path(), to).unwrap();
                }
            }
        }
        project.import(&sample.join("orders.json"));
        project
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(below)
    }

    pub(crate) fn uri(&self, below: &str) -> String {
        format!("file://{}", self.path(below).display())
    }

    pub(crate) fn read(&self, below: &str) -> String {
        std::fs::read_to_string(self.path(below)).unwrap()
    }

    /// Puts a case of this spectrum in the place of the one that is there.
    pub(crate) fn import(&self, spectrum: &Path) {
        let spectrum = fdc_formats::read(spectrum).unwrap();
        let root = self.path("");
        let about = [("root", root.to_str().unwrap())];
        import(&spectrum, &self.path("case.fdc"), &about).unwrap();
    }

    /// The same without failing tests.
    pub(crate) fn mend(&self) {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/orders");
        let text = std::fs::read_to_string(sample.join("orders.json")).unwrap();
        let mended = self.path("mended.json");
        std::fs::write(&mended, text.replace(r#""fail""#, r#""pass""#)).unwrap();
        self.import(&mended);
    }
}

/// An editor with a server that runs in a thread.
pub(crate) struct Client {
    input: Option<PipeWriter>,
    messages: Receiver<Value>,
    /// What came in while something else was waited for.
    early: Vec<Value>,
    server: Option<JoinHandle<ConversationEnd>>,
    requests: u64,
}

impl Client {
    pub(crate) fn start(options: ServerOptions) -> Self {
        let (for_server, input) = std::io::pipe().unwrap();
        let (output, from_server) = std::io::pipe().unwrap();
        let server = std::thread::spawn(move || {
            serve(BufReader::new(for_server), from_server, options).unwrap()
        });
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = receive(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client {
            input: Some(input),
            messages,
            early: Vec::new(),
            server: Some(server),
            requests: 0,
        }
    }

    /// An editor with this project open.
    pub(crate) fn of(project: &Project) -> Self {
        let mut client = Self::start(ServerOptions::default());
        client.initialize(json!({"rootUri": project.uri(""), "capabilities": {}}));
        client
    }

    pub(crate) fn initialize(&mut self, parameters: Value) -> Value {
        let answer = self.ask("initialize", parameters);
        self.tell("initialized", json!({}));
        answer
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "python", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    pub(crate) fn change(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "version": 2});
        let changes = json!([{"text": text}]);
        let parameters = json!({"textDocument": document, "contentChanges": changes});
        self.tell("textDocument/didChange", parameters);
    }

    /// The next diagnostics of a file.
    pub(crate) fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        let of_file = |message: &Value| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
        };
        let message = self.wait(of_file);
        message["params"]["diagnostics"].as_array().unwrap().clone()
    }

    /// The diagnostics of a file, once some are as wanted.
    pub(crate) fn diagnostics_until(
        &mut self,
        uri: &str,
        wanted: impl Fn(&[Value]) -> bool,
    ) -> Vec<Value> {
        loop {
            let found = self.diagnostics(uri);
            if wanted(&found) {
                return found;
            }
        }
    }

    pub(crate) fn message(&mut self) -> String {
        let message = self.wait(|message| message["method"] == "window/showMessage");
        message["params"]["message"].as_str().unwrap().to_owned()
    }

    pub(crate) fn lenses(&mut self, uri: &str) -> Vec<(u64, String)> {
        let document = json!({"textDocument": {"uri": uri}});
        let lenses = self.ask("textDocument/codeLens", document);
        let lens = |lens: &Value| {
            let title = lens["command"]["title"].as_str().unwrap().to_owned();
            (lens["range"]["start"]["line"].as_u64().unwrap(), title)
        };
        lenses.as_array().unwrap().iter().map(lens).collect()
    }

    pub(crate) fn hover(&mut self, uri: &str, line: u32) -> Option<String> {
        let position = json!({"line": line, "character": 3});
        let parameters = json!({"textDocument": {"uri": uri}, "position": position});
        let answer = self.ask("textDocument/hover", parameters);
        Some(answer["contents"]["value"].as_str()?.to_owned())
    }

    pub(crate) fn execute(&mut self, command: &str, argument: Value) -> Value {
        let parameters = json!({"command": command, "arguments": [argument]});
        self.ask("workspace/executeCommand", parameters)
    }

    /// The result of a request.
    pub(crate) fn ask(&mut self, method: &str, parameters: Value) -> Value {
        let answer = self.answer(method, parameters);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// The whole answer to a request.
    pub(crate) fn answer(&mut self, method: &str, parameters: Value) -> Value {
        self.requests += 1;
        let id = format!("request {}", self.requests);
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters});
        self.send_text(&request.to_string());
        self.wait(|message| message["id"] == *id)
    }

    pub(crate) fn tell(&mut self, method: &str, parameters: Value) {
        let told = json!({"jsonrpc": "2.0", "method": method, "params": parameters});
        self.send_text(&told.to_string());
    }

    pub(crate) fn send_text(&mut self, text: &str) {
        let frame = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        self.send_bytes(frame.as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.early.iter().position(&wanted) {
            return self.early.remove(at);
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("a message");
            if wanted(&message) {
                return message;
            }
            self.early.push(message);
        }
    }

    /// Closes the input; how the server ended.
    pub(crate) fn leave(mut self) -> ConversationEnd {
        drop(self.input.take());
        self.server.take().unwrap().join().unwrap()
    }
}

fn receive(output: &mut BufReader<PipeReader>) -> Option<Value> {
    let mut header = String::new();
    output.read_line(&mut header).ok()?;
    let length = header.trim().strip_prefix("Content-Length: ")?;
    let mut body = vec![0; length.parse().unwrap()];
    output.read_line(&mut String::new()).ok()?;
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("JSON"))
}

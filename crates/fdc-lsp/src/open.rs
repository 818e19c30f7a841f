//! The texts that are open in the editor, as they stand there.

use std::collections::BTreeMap;

use fdc::editor::{Document, EditorCase};
use serde_json::Value;

use crate::uri;

/// By URI, as the editor spells it.
#[derive(Default)]
pub(crate) struct OpenTexts {
    texts: BTreeMap<String, OpenText>,
}

struct OpenText {
    /// None if it cannot be known any more.
    text: Option<String>,
    document: Option<Document>,
}

impl OpenTexts {
    /// What `textDocument/didOpen` tells.
    pub(crate) fn open(&mut self, parameters: &Value, case: Option<&EditorCase>) -> Option<String> {
        let document = parameters.get("textDocument")?;
        let text = document.get("text")?.as_str()?.to_owned();
        self.put(uri_of(parameters)?, Some(text), case)
    }

    /// What `textDocument/didChange` tells: whole texts, which is what was asked for.
    pub(crate) fn change(
        &mut self,
        parameters: &Value,
        case: Option<&EditorCase>,
    ) -> Option<String> {
        let uri = uri_of(parameters).filter(|uri| self.texts.contains_key(*uri))?;
        let last = parameters.get("contentChanges")?.as_array()?.last()?;
        let is_whole = last.get("range").is_none_or(Value::is_null);
        let text = last.get("text").filter(|_| is_whole);
        let text = text.and_then(Value::as_str).map(str::to_owned);
        self.put(uri, text, case)
    }

    /// What `textDocument/didClose` tells.
    pub(crate) fn close(&mut self, parameters: &Value) -> Option<String> {
        let uri = uri_of(parameters)?;
        self.texts.remove(uri)?;
        Some(uri.to_owned())
    }

    fn put(
        &mut self,
        uri: &str,
        text: Option<String>,
        case: Option<&EditorCase>,
    ) -> Option<String> {
        let mut open = OpenText {
            text,
            document: None,
        };
        open.look_up(uri, case);
        self.texts.insert(uri.to_owned(), open);
        Some(uri.to_owned())
    }

    /// Another case.
    pub(crate) fn renew(&mut self, case: Option<&EditorCase>) {
        for (uri, open) in &mut self.texts {
            open.look_up(uri, case);
        }
    }

    /// The URIs of all.
    pub(crate) fn uris(&self) -> impl Iterator<Item = &String> {
        self.texts.keys()
    }

    /// What is known of an open text; none if it is not open.
    pub(crate) fn document(&self, uri: &str) -> Option<Option<&Document>> {
        Some(self.texts.get(uri)?.document.as_ref())
    }

    /// The URI of an open file by its path below the root.
    pub(crate) fn uri_of_path(&self, path: &str) -> Option<&String> {
        let is_it = |open: &OpenText| open.document.as_ref().is_some_and(|own| own.path() == path);
        let (uri, _) = self.texts.iter().find(|(_, open)| is_it(open))?;
        Some(uri)
    }
}

impl OpenText {
    fn look_up(&mut self, uri: &str, case: Option<&EditorCase>) {
        let path = uri::to_path(uri);
        let known = case.zip(path).zip(self.text.as_ref());
        self.document = known.and_then(|((case, path), text)| case.document(&path, text));
    }
}

/// The document that parameters are about.
pub(crate) fn uri_of(parameters: &Value) -> Option<&str> {
    parameters.get("textDocument")?.get("uri")?.as_str()
}

//! What the XML formats share: elements as they come, with places for messages. Nothing can grow:
//! entities beyond XML's own five are refused, and a document type is skipped, never read.

use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::input::InputSample;
use crate::text::{DAMAGED, MAX_LINE, bad_line, line_number, quoted};
use fdc_case::{FileError, Result};

/// The name of the first element, if this is XML.
pub(crate) fn root_name(sample: &InputSample) -> Option<String> {
    let text = sample.text().trim_start_matches('\u{feff}').trim_start();
    if !text.starts_with('<') {
        return None;
    }
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) | Event::Empty(start) => {
                return Some(start.local_name().as_ref().to_owned());
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

pub(crate) enum Node {
    Start(Element),
    End(String),
}

pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    /// Where it stands: a line of the file.
    pub(crate) line: usize,
}

impl Element {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| &**value)
    }
}

pub(crate) struct Document<'d> {
    path: &'d Path,
    bytes: &'d [u8],
    roots: &'static [&'static str],
    reader: Reader<&'d [u8]>,
    open: Vec<String>,
    /// An empty element starts and ends at once.
    ended: Option<String>,
    counted: (usize, usize),
    seen_root: bool,
    text: String,
}

impl<'d> Document<'d> {
    /// Of a file's content, whose root element has one of these names.
    pub(crate) fn new(
        path: &'d Path,
        bytes: &'d [u8],
        roots: &'static [&'static str],
    ) -> Result<Self> {
        crate::text::utf8(path, bytes)?;
        let content = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Ok(Document {
            path,
            bytes: content,
            roots,
            reader: Reader::from_reader(content),
            open: Vec::new(),
            ended: None,
            counted: (0, 1),
            seen_root: false,
            text: String::new(),
        })
    }

    /// The next start or end; `None` at the end of the document.
    pub(crate) fn next(&mut self) -> Result<Option<Node>> {
        if let Some(name) = self.ended.take() {
            return Ok(Some(Node::End(name)));
        }
        loop {
            let event = self.reader.read_event().map_err(|error| {
                let at = self.reader.error_position() as usize;
                self.malformed(at, error.to_string())
            })?;
            match event {
                Event::Start(start) => {
                    let element = self.element(&start)?;
                    self.text.clear();
                    self.open.push(element.name.clone());
                    return Ok(Some(Node::Start(element)));
                }
                Event::Empty(start) => {
                    let element = self.element(&start)?;
                    self.text.clear();
                    self.ended = Some(element.name.clone());
                    return Ok(Some(Node::Start(element)));
                }
                // The parser has checked that it is the end of the one that is open.
                Event::End(_) => return Ok(self.open.pop().map(Node::End)),
                Event::Text(text) => self.text.push_str(&text),
                Event::CData(text) => self.text.push_str(&text),
                Event::GeneralRef(name) => {
                    let name = format!("&{};", &*name);
                    let meant = quick_xml::escape::unescape(&name);
                    self.text.push_str(&meant.unwrap_or_default());
                }
                Event::Eof => {
                    let found = match self.open.last() {
                        Some(open) => format!("the end of the file inside <{open}>"),
                        None if self.seen_root => return Ok(None),
                        None => "no element".to_owned(),
                    };
                    return Err(self.malformed(self.bytes.len(), found));
                }
                _ => {}
            }
        }
    }

    /// The text since the last element began, without the blanks around it.
    pub(crate) fn text(&self) -> &str {
        self.text.trim()
    }

    /// An attribute that has to be there.
    pub(crate) fn required<'e>(&self, element: &'e Element, name: &str) -> Result<&'e str> {
        element.get(name).ok_or_else(|| {
            let expected = format!("the attribute {name} of <{}>", element.name);
            self.bad(element.line, expected, "none")
        })
    }

    /// An attribute that is a line number.
    pub(crate) fn line_number(&self, element: &Element, name: &str) -> Result<u32> {
        let text = self.required(element, name)?;
        let line = line_number(text).filter(|&line| line <= MAX_LINE);
        line.ok_or_else(|| {
            let expected = format!("a line number up to {MAX_LINE} as {name}");
            self.bad(element.line, expected, quoted(text))
        })
    }

    /// Whether a count is above 0. Some tools write large ones with a fraction or an exponent.
    pub(crate) fn is_positive(&self, element: &Element, name: &str) -> Result<bool> {
        let text = self.required(element, name)?;
        match text.trim().parse::<f64>() {
            Ok(count) if count >= 0.0 => Ok(count > 0.0),
            _ => {
                let expected = format!("a count as {name}");
                Err(self.bad(element.line, expected, quoted(text)))
            }
        }
    }

    fn bad(&self, line: usize, expected: impl Into<String>, found: impl Into<String>) -> FileError {
        bad_line(self.path, line, expected, found, DAMAGED)
    }

    /// An element inside another of the same name.
    pub(crate) fn nested(&self, element: &Element, what: &str) -> FileError {
        let found = format!("<{}> inside another", element.name);
        self.bad(element.line, format!("a flat list of {what}"), found)
    }

    fn malformed(&mut self, byte: usize, found: impl Into<String>) -> FileError {
        let line = self.line_of(byte);
        self.bad(line, "well-formed XML", found)
    }

    fn line_of(&mut self, byte: usize) -> usize {
        let (at, line) = self.counted;
        let byte = byte.clamp(at, self.bytes.len());
        let ends = self.bytes[at..byte].iter().filter(|&&byte| byte == b'\n');
        self.counted = (byte, line + ends.count());
        self.counted.1
    }

    fn element(&mut self, start: &BytesStart<'_>) -> Result<Element> {
        let end = self.reader.buffer_position() as usize;
        let line = self.line_of(end.saturating_sub(start.len() + 2));
        let name = start.local_name().as_ref().to_owned();
        if self.open.is_empty() {
            if std::mem::replace(&mut self.seen_root, true) {
                return Err(self.bad(line, "one root element", format!("<{name}> after it")));
            }
            if !self.roots.contains(&&*name) {
                let roots: Vec<_> = self.roots.iter().map(|root| format!("<{root}>")).collect();
                return Err(self.bad(line, roots.join(" or "), format!("<{name}>")));
            }
        }
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let read = attribute.map_err(|error| error.to_string());
            let read = read.and_then(|attribute| {
                let value = quick_xml::escape::unescape(&attribute.value);
                let value = value.map_err(|error| error.to_string())?;
                let key = attribute.key.local_name();
                Ok((key.as_ref().to_owned(), value.into_owned()))
            });
            attributes.push(read.map_err(|found| self.bad(line, "well-formed attributes", found))?);
        }
        Ok(Element {
            name,
            attributes,
            line,
        })
    }
}

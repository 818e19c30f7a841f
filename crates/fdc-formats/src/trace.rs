//! How a test failed, out of the text that a test runner wrote: exception, message and stack of Java,
//! Python (pytest's own styles as well), Rust, Go and JavaScript. Anything may stand in between, and
//! any text is read without complaint.

use fdc_core::evidence::{FailureRecord, Frame};

/// What the text tells, with the stack innermost first: where a failure has causes, that of the first
/// cause comes first and the exception is the one that reached the test.
pub fn failure(text: &str) -> FailureRecord {
    let mut reader = TraceReader::default();
    reader.raised.push(Raised::default());
    for line in text.lines() {
        reader.read(line);
        if reader.is_over {
            break;
        }
    }
    let mut raised = reader.raised;
    // Python tells the cause first and the outermost call first, all others the other way round.
    match reader.outermost_first {
        true => raised.iter_mut().for_each(|own| own.frames.reverse()),
        false => raised.reverse(),
    }
    let reached = raised.pop().unwrap_or_default();
    let message = reached.message.join("\n").trim().to_owned();
    let mut frames: Vec<Frame> = raised.into_iter().flat_map(|own| own.frames).collect();
    frames.extend(reached.frames);
    frames.dedup();
    FailureRecord {
        exception: reached.exception,
        message: (!message.is_empty()).then_some(message),
        frames,
        source: None,
    }
}

/// One exception and its calls, as they stand.
#[derive(Default)]
struct Raised {
    exception: Option<String>,
    message: Vec<String>,
    frames: Vec<Frame>,
}

#[derive(Default)]
struct TraceReader<'t> {
    /// Never empty; an exception and its causes.
    raised: Vec<Raised>,
    outermost_first: bool,
    /// The lines of a message go on.
    in_message: bool,
    /// Rust and Go name a function on the line above its place.
    function: &'t str,
    /// In the calls of Go's goroutine that panicked.
    in_goroutine: bool,
    /// What follows is of another thread.
    is_over: bool,
}

impl<'t> TraceReader<'t> {
    fn read(&mut self, line: &'t str) {
        let plain = line.trim();
        if self.in_goroutine {
            return self.read_goroutine(line);
        }
        if let Some((_, place)) = panic_of(plain) {
            return self.panicked(place);
        }
        if let Some(said) = line.strip_prefix("panic: ") {
            return self.said("panic", said);
        }
        if plain.starts_with("goroutine ") && plain.ends_with("]:") {
            self.in_goroutine = true;
        } else if let Some(header) = plain.strip_prefix("Caused by: ") {
            self.raised.push(Raised::default());
            self.header(header, true);
        } else if plain.starts_with("The above exception was the direct cause")
            || plain.starts_with("During handling of the above exception")
        {
            self.raised.push(Raised::default());
            self.in_message = false;
        } else if let Some(said) = line.strip_prefix("E   ") {
            match self.last().message.is_empty() && self.last().exception.is_none() {
                true => self.header(said.trim(), true),
                false => self.last().message.push(said.trim().to_owned()),
            }
            self.in_message = false;
        } else if let Some(frame) = python_call(plain) {
            self.outermost_first = true;
            self.called(frame);
        } else if let Some((frame, header)) = pytest_place(line) {
            self.outermost_first = true;
            self.called(frame);
            if self.last().exception.is_none() {
                let message = std::mem::take(&mut self.last().message);
                self.header(header, true);
                if !message.is_empty() {
                    self.last().message = message;
                }
            }
            self.in_message = false;
        } else if let Some(frame) = call(plain, self.function) {
            self.called(frame);
        } else if let Some((frame, said)) = go_log(line) {
            self.called(frame);
            if self.last().message.is_empty() {
                self.last().message.push(said.to_owned());
            }
        } else if let Some(function) = numbered_call(plain) {
            self.function = function;
        } else if self.in_message && !ends_message(plain) {
            self.last().message.push(line.trim_end().to_owned());
        } else if self.last().exception.is_none() && !line.starts_with([' ', '\t']) {
            self.header(plain, false);
        } else {
            self.in_message = false;
        }
    }

    fn last(&mut self) -> &mut Raised {
        if self.raised.is_empty() {
            self.raised.push(Raised::default());
        }
        let last = self.raised.len() - 1;
        &mut self.raised[last]
    }

    fn called(&mut self, frame: Frame) {
        if !frame.place.is_empty() {
            self.last().frames.push(frame);
        }
        (self.function, self.in_message) = ("", false);
    }

    fn said(&mut self, exception: &str, message: &str) {
        if self.last().exception.is_none() {
            self.last().exception = Some(exception.to_owned());
            self.last().message = vec![message.to_owned()];
        }
    }

    /// `pkg.Error: message`, or the name alone. Where nothing else tells that it is one, it has to
    /// look like one; a sure one that has no name is all message.
    fn header(&mut self, text: &str, sure: bool) {
        let (name, message) = text.split_once(": ").unwrap_or((text, ""));
        let name = name.trim_end_matches(':');
        let named = is_name(name) && (sure || looks_raised(name));
        match (named, sure) {
            (true, _) => self.said(name, message),
            (false, true) if !text.is_empty() => self.last().message.push(text.to_owned()),
            _ => return,
        }
        self.in_message = true;
    }

    fn panicked(&mut self, place: &str) {
        if self.last().exception.is_some() {
            self.is_over = true;
            return;
        }
        // Up to Rust 1.72 the message stands before the place.
        let (message, place) = match place.strip_prefix('\'') {
            Some(old) => old.rsplit_once("', ").unwrap_or((old, "")),
            None => ("", place),
        };
        self.said("panic", message);
        let frame = spot(place.trim_end_matches(':')).map(|(place, line)| Frame {
            place,
            function: String::new(),
            line,
        });
        self.last().frames.extend(frame);
        self.in_message = message.is_empty();
    }

    /// Another goroutine follows after an empty line.
    fn read_goroutine(&mut self, line: &'t str) {
        match line.strip_prefix('\t') {
            _ if line.is_empty() => self.is_over = true,
            Some(place) => {
                let frame = go_call(place, self.function);
                self.last().frames.extend(frame);
            }
            None => self.function = line,
        }
    }
}

/// The thread and the place of `thread 'name' (7) panicked at place`.
pub fn panic_of(line: &str) -> Option<(&str, &str)> {
    let (thread, place) = line.strip_prefix("thread '")?.split_once(" panicked at ")?;
    Some((thread.rsplit_once('\'')?.0, place))
}

/// Text without the colours that tools print for terminals.
pub(crate) fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split('\u{1b}');
    plain.extend(parts.next());
    for part in parts {
        let end = part.strip_prefix('[').and_then(|part| {
            let end = part.find(|c: char| c.is_ascii_alphabetic())?;
            part.get(end + 1..)
        });
        plain.push_str(end.unwrap_or(part));
    }
    plain
}

fn ends_message(line: &str) -> bool {
    line == "stack backtrace:" || line.starts_with("note: ") || line.starts_with("-----")
}

fn is_name(text: &str) -> bool {
    let letters = |c: char| c.is_alphanumeric() || "._$".contains(c);
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(letters)
}

fn looks_raised(name: &str) -> bool {
    let ends = ["Error", "Exception", "Failure", "Throwable", "Interrupt"];
    let qualified = name.contains('.') && !name.ends_with('.');
    qualified || ends.iter().any(|end| name.ends_with(end))
}

fn number_at_start(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    Some((digits.parse().ok()?, rest))
}

/// `File "x.py", line 3, in f`.
fn python_call(line: &str) -> Option<Frame> {
    let (place, rest) = line.strip_prefix("File \"")?.split_once("\", line ")?;
    let (line, rest) = number_at_start(rest)?;
    Some(Frame {
        place: place.to_owned(),
        function: rest.strip_prefix(", in ").unwrap_or_default().to_owned(),
        line,
    })
}

/// Whether pytest tells here where something was raised.
pub(crate) fn is_pytest_place(line: &str) -> bool {
    pytest_place(line).is_some()
}

/// `x.py:3: in f`, `x.py:3: ` or `x.py:3: ValueError`, and what is raised there.
fn pytest_place(line: &str) -> Option<(Frame, &str)> {
    let (file, rest) = line.split_once(".py:")?;
    let (number, rest) = number_at_start(rest)?;
    let rest = rest.strip_prefix(':')?.trim();
    if file.is_empty() || file.contains(char::is_whitespace) {
        return None;
    }
    let function = rest.strip_prefix("in ");
    let frame = Frame {
        place: format!("{file}.py"),
        function: function.unwrap_or_default().to_owned(),
        line: number,
    };
    Some((frame, if function.is_some() { "" } else { rest }))
}

/// `at pkg.Class.method(File.java:12)`, `at f (file.js:3:4)` or `at ./src/lib.rs:3:4`, the last below
/// the function's name.
fn call(line: &str, function: &str) -> Option<Frame> {
    let call = line.strip_prefix("at ")?.trim();
    let Some((name, place)) = call
        .strip_suffix(')')
        .and_then(|call| call.rsplit_once('('))
    else {
        let (place, line) = spot(call)?;
        let function = rust_function(function).to_owned();
        return Some(Frame {
            place,
            function,
            line,
        });
    };
    if let Some(name) = name.strip_suffix(' ') {
        let name = name.split(" [as ").next().unwrap_or(name);
        let own = name.rsplit(['.', ' ']).next().unwrap_or(name);
        let (place, line) = spot(place)?;
        return Some(Frame {
            place,
            function: own.to_owned(),
            line,
        });
    }
    // A class loader and a module may stand before the class.
    let name = name.rsplit('/').next().unwrap_or(name);
    let (class, method) = name.rsplit_once('.')?;
    let line = place
        .rsplit_once(':')
        .and_then(|(_, line)| line.parse().ok());
    (!class.contains(char::is_whitespace)).then(|| Frame {
        place: class.to_owned(),
        function: method.to_owned(),
        line: line.unwrap_or(0),
    })
}

/// File and line of `./src/lib.rs:9:5`; the column may be missing.
fn spot(text: &str) -> Option<(String, u32)> {
    let (rest, last) = text.rsplit_once(':')?;
    let last = last.parse().ok()?;
    let with_column = rest.rsplit_once(':');
    let with_column = with_column.and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let (file, line) = with_column.unwrap_or((rest, last));
    let file = file.trim_start_matches("file://").trim_start_matches("./");
    file.contains(['.', '/']).then(|| (file.to_owned(), line))
}

/// `4: shop::price`, in a backtrace of Rust.
fn numbered_call(line: &str) -> Option<&str> {
    let (_, rest) = number_at_start(line)?;
    rest.strip_prefix(": ")
}

fn rust_function(path: &str) -> &str {
    let plain = path.rfind("::<").map_or(path, |at| &path[..at]);
    let mut parts = plain.rsplit("::");
    parts
        .find(|part| !part.starts_with("{{"))
        .unwrap_or_default()
}

/// `/project/shop/tax.go:12 +0x1d`, below `example.com/shop.(*Tax).Rate(0x1)`.
fn go_call(place: &str, function: &str) -> Option<Frame> {
    let (file, rest) = place.rsplit_once(".go:")?;
    let own = function.rsplit('/').next().unwrap_or(function);
    let own = own.rsplit_once('(').map_or(own, |(own, _)| own);
    Some(Frame {
        place: format!("{file}.go"),
        function: own.rsplit('.').next().unwrap_or(own).to_owned(),
        line: number_at_start(rest)?.0,
    })
}

/// `    tax_test.go:9: message`, as Go's tests log.
fn go_log(line: &str) -> Option<(Frame, &str)> {
    let (file, rest) = line.strip_prefix("    ")?.trim_start().split_once(".go:")?;
    let (number, rest) = number_at_start(rest)?;
    let frame = Frame {
        place: format!("{file}.go"),
        function: String::new(),
        line: number,
    };
    let log = (frame, rest.strip_prefix(": ")?);
    (!file.contains(char::is_whitespace)).then_some(log)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(text: &str) -> (String, String, Vec<String>) {
        let found = failure(text);
        let frame = |frame: &Frame| format!("{}:{} {}", frame.place, frame.line, frame.function);
        (
            found.exception.unwrap_or_default(),
            found.message.unwrap_or_default(),
            found.frames.iter().map(frame).collect(),
        )
    }

    fn assert_told(text: &str, exception: &str, message: &str, frames: &[&str]) {
        let (found, said, calls) = told(text);
        assert_eq!((&*found, &*said), (exception, message), "{text}");
        assert_eq!(calls, frames, "{text}");
    }

    #[test]
    fn java_tells_causes_last_and_the_innermost_is_first() {
        let text = "org.x.CartException: bad\n  cart\n\
            \tat app//org.x.Cart.checked(Cart.java:18)\n\
            \tat java.base/java.lang.reflect.Method.invoke(Native Method)\n\
            Caused by: java.lang.IllegalStateException\n\
            \tat org.x.Cart$Item.price(Cart.java:10)\n\t... 30 more\n";
        let frames = [
            "org.x.Cart$Item:10 price",
            "org.x.Cart:18 checked",
            "java.lang.reflect.Method:0 invoke",
        ];
        assert_told(text, "org.x.CartException", "bad\n  cart", &frames);
    }

    #[test]
    fn python_tells_causes_first_and_the_outermost_call_first() {
        let text = "Traceback (most recent call last):\n  \
            File \"/p/cart.py\", line 16, in checked\n    return total(prices)\n  \
            File \"/p/cart.py\", line 10, in price\n    raise ValueError\nValueError: no\n\n\
            The above exception was the direct cause of the following exception:\n\n\
            Traceback (most recent call last):\n  \
            File \"/p/test_cart.py\", line 21, in test_checked\n    checked()\n\
            RuntimeError: bad cart\nsecond line\n";
        let frames = [
            "/p/cart.py:10 price",
            "/p/cart.py:16 checked",
            "/p/test_cart.py:21 test_checked",
        ];
        assert_told(text, "RuntimeError", "bad cart\nsecond line", &frames);
    }

    #[test]
    fn pytest_has_styles_of_its_own() {
        let long = "self = <T object at 0x1>, amount = 3\n\n    def test_one(self, amount):\n\
            >       assert total([amount]) == amount\nE       assert 4 == 3\n\
            E        +  where 4 = total([3])\n\ntests/test_cart.py:17: AssertionError";
        let said = "assert 4 == 3\n+  where 4 = total([3])";
        assert_told(long, "AssertionError", said, &["tests/test_cart.py:17 "]);
        let deep = "tests/test_cart.py:17: \n_ _ _ _\n\n    def price(amount):\n\
            >           raise ValueError(f\"no: {amount}\")\nE           ValueError: no: -1\n\n\
            shop/cart.py:10: ValueError\n";
        let frames = ["shop/cart.py:10 ", "tests/test_cart.py:17 "];
        assert_told(deep, "ValueError", "no: -1", &frames);
        let short = "tests/test_cart.py:17: in test_one\n    assert total([amount]) == amount\n\
            shop/cart.py:10: in price\n    raise ValueError(f\"no\")\nE   ValueError: no\n";
        let frames = ["shop/cart.py:10 price", "tests/test_cart.py:17 test_one"];
        assert_told(short, "ValueError", "no", &frames);
        let line = "/p/shop/cart.py:10: ValueError: no";
        assert_told(line, "ValueError", "no", &["/p/shop/cart.py:10 "]);
    }

    #[test]
    fn rust_tells_the_place_and_with_a_backtrace_the_calls() {
        let text = "\nthread 'a::b' (7) panicked at src/lib.rs:13:5:\nno\n  left: 1\n\
            stack backtrace:\n   0: core::panicking::panic_fmt::<i32>\n             \
            at /rustc/1/core/panicking.rs:80:14\n   1: shop::total::{{closure}}\n             \
            at ./src/lib.rs:9:33\nnote: Some details are omitted\n\n\
            thread 'other' panicked at src/z.rs:1:1:\nlater\n";
        let frames = [
            "src/lib.rs:13 ",
            "/rustc/1/core/panicking.rs:80 panic_fmt",
            "src/lib.rs:9 total",
        ];
        assert_told(text, "panic", "no\n  left: 1", &frames);
        let old = "thread 'a' panicked at 'it's bad', src/lib.rs:9:5\nnote: run with x";
        assert_told(old, "panic", "it's bad", &["src/lib.rs:9 "]);
    }

    #[test]
    fn go_tells_the_panicking_goroutine_first_and_logs_failures() {
        let text = "panic: index out of range [3] [recovered]\n\tpanic: again\n\n\
            goroutine 7 [running]:\nexample.com/shop.(*Tax).Rate(...)\n\
            \t/project/shop/tax.go:12 +0x1d\n\ngoroutine 1 [chan receive]:\nmain.main()\n\
            \t/project/main.go:3 +0x1\n";
        let frames = ["/project/shop/tax.go:12 Rate"];
        assert_told(text, "panic", "index out of range [3] [recovered]", &frames);
        let log = "=== RUN   TestRate\n    tax_test.go:9: want 3, got 4\n--- FAIL: TestRate";
        assert_told(log, "", "want 3, got 4", &["tax_test.go:9 "]);
    }

    #[test]
    fn javascript_names_functions_where_it_can() {
        let text = "TypeError: price is not a function\n    at Cart.total (/p/cart.js:3:4)\n    \
            at async Object.<anonymous> (file:///p/cart.test.mjs:9:1)\n    at /p/run.js:7:2\n    \
            at new Promise (<anonymous>)\n";
        let frames = [
            "/p/cart.js:3 total",
            "/p/cart.test.mjs:9 <anonymous>",
            "/p/run.js:7 ",
        ];
        assert_told(text, "TypeError", "price is not a function", &frames);
    }

    #[test]
    fn prose_is_no_trace() {
        for text in [
            "",
            "exit status 1",
            "we met at 12:30:45 (again)",
            "note: that",
        ] {
            assert_told(text, "", "", &[]);
        }
        assert_eq!(without_colours("\u{1b}[31mred\u{1b}[0m, \u{1b}x"), "red, x");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC*", lines in proptest::collection::vec(
            prop_oneof![
                Just("thread 'a' panicked at "), Just("goroutine 1 [x]:"), Just("E   "),
                Just("Caused by: "), Just("  File \"a.py\", line 3, in f"), Just("a.py:3: "),
                Just("\tat a.B.c(D.java:3)"), Just("   1: a::b"), Just("\ta.go:1"), Just("é: é"),
            ], 0..12)
        ) {
            failure(&text);
            without_colours(&text);
            let found = failure(&(lines.join("\n") + &text));
            prop_assert!(found.frames.iter().all(|frame| !frame.place.is_empty()));
        }
    }
}

//! Messages as they come and go: a header with the length, a blank line, JSON.
//!
//! Whatever comes in is survived. What is no header is passed over, a message that is too long is
//! read past, and a length is never believed before so many bytes are there.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

/// The longest message that is looked at.
const LONGEST: u64 = 64 << 20;
/// The longest line of a header that is looked at.
const LONGEST_LINE: usize = 4 << 10;

/// What came in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Frame {
    /// JSON.
    Message(Value),
    /// Something else of the length that was told; why it is none.
    Refused(String),
}

/// The next message; none at the end of the input.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Frame>> {
    let mut length = None;
    loop {
        let Some(line) = read_line(input)? else {
            return Ok(None);
        };
        if line.is_empty() {
            match length {
                Some(length) => return read_body(input, length),
                None => continue,
            }
        }
        let header = std::str::from_utf8(&line).ok();
        let pair = header.and_then(|header| header.split_once(':'));
        if let Some((name, value)) = pair
            && name.trim().eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim().parse::<u64>().ok();
        }
    }
}

/// A line without its end; one that is too long is empty of meaning, but no blank line.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut length = 0;
    loop {
        let available = input.fill_buf()?;
        if available.is_empty() {
            return Ok(None);
        }
        let end = available.iter().position(|&byte| byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        length += part.len();
        let room = LONGEST_LINE.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    if length > LONGEST_LINE {
        return Ok(Some(b"...".to_vec()));
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(Some(line))
}

fn read_body(input: &mut impl BufRead, length: u64) -> io::Result<Option<Frame>> {
    let mut body = input.take(length);
    if length > LONGEST {
        let passed = io::copy(&mut body, &mut io::sink())?;
        let why = format!("a message of {length} bytes, the longest is {LONGEST}");
        return Ok((passed == length).then_some(Frame::Refused(why)));
    }
    let mut bytes = Vec::new();
    if body.read_to_end(&mut bytes)? < length as usize {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&bytes) {
        Ok(message) => Frame::Message(message),
        Err(error) => Frame::Refused(format!("no JSON: {error}")),
    }))
}

/// Sends a message.
pub(crate) fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn all(bytes: &[u8]) -> Vec<Frame> {
        let mut input = bytes;
        std::iter::from_fn(|| read(&mut input).unwrap()).collect()
    }

    fn frame(message: &Value) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, message).unwrap();
        bytes
    }

    #[test]
    fn messages_are_found_behind_garbage() {
        let one = json!({"method": "a", "text": "ü"});
        let message = Frame::Message(one.clone());
        for garbage in [
            &b""[..],
            b"\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            b"Content-Length: many\r\n\r\n",
            b"\xff\xfe\n",
            &[b'x'; 3 * LONGEST_LINE],
        ] {
            let mut bytes = garbage.to_vec();
            if !garbage.ends_with(b"\n") {
                bytes.push(b'\n');
            }
            bytes.extend(frame(&one));
            bytes.extend(b"content-length:2\n\n{}");
            let found = all(&bytes);
            assert_eq!(
                found,
                [message.clone(), Frame::Message(json!({}))],
                "{garbage:?}"
            );
        }
    }

    #[test]
    fn what_is_no_json_or_too_long_is_refused_and_the_next_message_read() {
        let mut bytes = b"Content-Length: 3\r\n\r\n{]}".to_vec();
        bytes.extend(format!("Content-Length: {}\r\n\r\n", LONGEST + 1).as_bytes());
        bytes.extend(std::iter::repeat_n(b' ', LONGEST as usize + 1));
        bytes.extend(frame(&json!(1)));
        let found = all(&bytes);
        assert!(matches!(&found[0], Frame::Refused(why) if why.starts_with("no JSON: ")));
        assert!(matches!(&found[1], Frame::Refused(why) if why.starts_with("a message of ")));
        assert_eq!(found[2..], [Frame::Message(json!(1))]);
    }

    #[test]
    fn a_length_is_not_believed_before_the_bytes_are_there() {
        assert_eq!(all(b"Content-Length: 67108864\r\n\r\n{}"), []);
        assert_eq!(all(b"Content-Length: 18446744073709551615\r\n\r\n{}"), []);
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            all(&bytes);
        }
    }
}

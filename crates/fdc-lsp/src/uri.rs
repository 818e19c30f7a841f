//! Files as the protocol names them: `file:///a/b%20c.py`.

use std::path::{Path, PathBuf};

/// The file of a URI; none if it is no file of this machine.
pub(crate) fn to_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') {
        return None;
    }
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.bytes();
    while let Some(byte) = left.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [left.next()?, left.next()?];
                let digits = std::str::from_utf8(&digits).ok()?;
                u8::from_str_radix(digits, 16).ok()?
            }
            b'?' | b'#' => return None,
            byte => byte,
        });
    }
    let text = String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains('\0'))?;
    // `/C:/x` is a file of Windows.
    let drive = text.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic)
        && text.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(match cfg!(windows) && drive {
        true => text[1..].replace('/', "\\"),
        false => text,
    }))
}

/// The URI of an absolute path.
pub(crate) fn of_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = match cfg!(windows) {
        // A path that was made canonical begins with `\\?\`.
        true => format!("/{}", text.trim_start_matches(r"\\?\").replace('\\', "/")),
        false => text.into_owned(),
    };
    let mut uri = String::from("file://");
    for byte in text.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(byte));
            }
            byte => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_way_there_and_back() {
        for path in ["/a/b.py", "/a b/ü%#?[1]/漢.rs", "/"] {
            let path = Path::new(path);
            assert_eq!(to_path(&of_path(path)).as_deref(), Some(path));
        }
        assert_eq!(of_path(Path::new("/a b/ü.py")), "file:///a%20b/%C3%BC.py");
        assert_eq!(to_path("file://localhost/x").unwrap(), Path::new("/x"));
    }

    #[test]
    fn what_is_no_file_of_this_machine_is_none() {
        for uri in [
            "",
            "untitled:Untitled-1",
            "file:",
            "file://host/x",
            "file:///%",
            "file:///%0",
            "file:///%zz",
            "file:///%00",
            "file:///%ff",
            "file:///a?b",
            "git:///a",
        ] {
            assert_eq!(to_path(uri), None, "{uri}");
        }
    }
}

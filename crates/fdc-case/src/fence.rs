//! Readers that other people wrote may panic on a damaged file; here that becomes an error.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;

use crate::error::{FileError, Result};

thread_local! {
    static FENCED: Cell<bool> = const { Cell::new(false) };
}

/// Reads a file; a panic on the way is an error that names the file. What `read` changed before
/// the panic is not to be used any more.
pub fn fenced<T>(path: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    caught(read).unwrap_or_else(|message| {
        let found = format!("what its reader cannot make sense of ({message})");
        Err(FileError::bad(path, "a whole file", found)
            .hint("the file is damaged: copy or make it again; if it is whole, report it with fdc"))
    })
}

/// What `read` gives, or the message of its panic, which nobody else sees.
pub fn caught<T>(read: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !FENCED.get() {
                usual(panic);
            }
        }));
    });
    let outer = FENCED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(read));
    FENCED.set(outer);
    outcome.map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without words".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_that_names_the_file() {
        let path = Path::new("table.parquet");
        let empty: Vec<u8> = Vec::new();
        let error = fenced(path, || Ok(empty[3])).unwrap_err();
        let expected = "table.parquet: expected a whole file, found what its reader cannot make \
                        sense of (index out of bounds: the len is 0 but the index is 3)";
        assert_eq!(error.to_string(), expected);
        assert_eq!(fenced(path, || Ok(1)).unwrap(), 1);
        // Outside the fence panics are reported again.
        assert!(!FENCED.get());
    }

    #[test]
    fn an_error_stays_what_it_is() {
        let path = Path::new("a");
        let error = fenced(path, || Err::<(), _>(FileError::bad(path, "one", "two")));
        assert_eq!(error.unwrap_err().to_string(), "a: expected one, found two");
    }
}

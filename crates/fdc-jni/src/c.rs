//! What C calls; `include/fdc.h` documents it. Every function checks its arguments, leaves a message
//! for [`fdc_last_error`] when it fails, and may be called from any thread.
#![allow(
    unsafe_code,
    reason = "exported symbols, and memory that the caller owns"
)]

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;

use crate::handles::{self, Handle};
use crate::opened::Opened;
use crate::problem::{Problem, Result};

/// No element on that line.
const NONE: i64 = -1;
/// A function of 64 bits failed.
const FAILED: i64 = -2;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Opens a fitness beside a failing test of a case; 0 on failure.
///
/// # Safety
/// Texts are null or end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdc_open_case(
    case_file: *const c_char,
    failing_test: *const c_char,
    metric: *const c_char,
    model_file: *const c_char,
) -> Handle {
    or(0, || {
        let case = unsafe { text("case_file", case_file) }?;
        let failing = unsafe { text("failing_test", failing_test) }?;
        let metric = unsafe { text("metric", metric) }?;
        let model = unsafe { optional("model_file", model_file) }?;
        handles::open(|| Opened::of_case(Path::new(case), failing, metric, model.map(Path::new)))
    })
}

/// Opens a fitness beside a failing row; 0 on failure.
///
/// # Safety
/// Texts are null or end with a zero byte; `failing_row` has `words` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdc_open_plain(
    elements: usize,
    failing_row: *const u64,
    words: usize,
    metric: *const c_char,
    model_file: *const c_char,
) -> Handle {
    or(0, || {
        let row = unsafe { slice("failing_row", failing_row, words) }?;
        let metric = unsafe { text("metric", metric) }?;
        let model = unsafe { optional("model_file", model_file) }?;
        handles::open(|| Opened::plain(elements, row, metric, model.map(Path::new)))
    })
}

/// Closes a fitness.
#[unsafe(no_mangle)]
pub extern "C" fn fdc_close(fitness: Handle) -> c_int {
    done(|| handles::close(fitness))
}

/// Number of elements; -2 on failure.
#[unsafe(no_mangle)]
pub extern "C" fn fdc_elements(fitness: Handle) -> i64 {
    count(fitness, |opened| opened.fitness.elements())
}

/// Words of a row; -2 on failure.
#[unsafe(no_mangle)]
pub extern "C" fn fdc_words(fitness: Handle) -> i64 {
    count(fitness, |opened| opened.fitness.words())
}

/// New tests kept so far; -2 on failure.
#[unsafe(no_mangle)]
pub extern "C" fn fdc_kept(fitness: Handle) -> i64 {
    count(fitness, |opened| opened.fitness.kept())
}

/// Ambiguity groups among the suspects; -2 on failure.
#[unsafe(no_mangle)]
pub extern "C" fn fdc_groups(fitness: Handle) -> i64 {
    count(fitness, |opened| opened.fitness.groups())
}

/// The element of a line; -1 where there is none, -2 on failure.
///
/// # Safety
/// `unit` is null or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdc_element(fitness: Handle, unit: *const c_char, line: u32) -> i64 {
    or(FAILED, || {
        let unit = unsafe { text("unit", unit) }?;
        handles::read(fitness, |opened| {
            let lines = opened.classes.get(unit).or_else(|| opened.files.get(unit));
            let element = lines.and_then(|lines| lines.get(&line));
            Ok(element.map_or(NONE, |&element| i64::from(element)))
        })
    })
}

/// The value of one test.
///
/// # Safety
/// `row` has `words` words; `value` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdc_of_test(
    fitness: Handle,
    row: *const u64,
    words: usize,
    value: *mut f64,
) -> c_int {
    done(|| {
        let row = unsafe { slice("row", row, words) }?;
        let value = unsafe { slice_mut("value", value, 1) }?;
        value[0] = handles::read(fitness, |opened| Ok(opened.fitness.of_test(row)?))?;
        Ok(())
    })
}

/// The value of each of several tests.
///
/// # Safety
/// `rows` has `words` words, `values` has room for `tests` numbers, and they do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdc_of_tests(
    fitness: Handle,
    rows: *const u64,
    words: usize,
    values: *mut f64,
    tests: usize,
) -> c_int {
    done(|| {
        let rows = unsafe { slice("rows", rows, words) }?;
        let values = unsafe { slice_mut("values", values, tests) }?;
        handles::read(fitness, |opened| {
            Ok(opened.fitness.of_tests(rows, values)?)
        })
    })
}

/// The value of a suite.
///
/// # Safety
/// `rows` has `words` words; `value` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdc_of_suite(
    fitness: Handle,
    rows: *const u64,
    words: usize,
    tests: usize,
    value: *mut f64,
) -> c_int {
    done(|| {
        let rows = unsafe { slice("rows", rows, words) }?;
        let value = unsafe { slice_mut("value", value, 1) }?;
        value[0] = handles::read(fitness, |opened| {
            Ok(opened.fitness.of_suite(rows, tests)?)
        })?;
        Ok(())
    })
}

/// A value as something to make small.
///
/// # Safety
/// `loss` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdc_loss(fitness: Handle, value: f64, loss: *mut f64) -> c_int {
    done(|| {
        let loss = unsafe { slice_mut("loss", loss, 1) }?;
        loss[0] = handles::read(fitness, |opened| Ok(opened.fitness.loss(value)))?;
        Ok(())
    })
}

/// Puts a test into the suite.
///
/// # Safety
/// `row` has `words` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdc_keep(fitness: Handle, row: *const u64, words: usize) -> c_int {
    done(|| {
        let row = unsafe { slice("row", row, words) }?;
        handles::change(fitness, |opened| Ok(opened.fitness.keep(row)?))
    })
}

/// What the last failure of this thread was; empty before the first, valid until the next.
#[unsafe(no_mangle)]
pub extern "C" fn fdc_last_error() -> *const c_char {
    LAST_ERROR.with_borrow(|message| message.as_ptr())
}

/// What `work` gives, or `failed` with a message left behind.
fn or<T>(failed: T, work: impl FnOnce() -> Result<T>) -> T {
    work().unwrap_or_else(|problem| {
        let message = problem.to_string().replace('\0', "\\0");
        let message = CString::new(message).expect("zero bytes were replaced");
        LAST_ERROR.set(message);
        failed
    })
}

fn done(work: impl FnOnce() -> Result<()>) -> c_int {
    or(-1, || work().map(|()| 0))
}

fn count(fitness: Handle, of: impl FnOnce(&Opened) -> usize) -> i64 {
    or(FAILED, || {
        handles::read(fitness, |opened| Ok(of(opened) as i64))
    })
}

fn wrong(argument: &'static str, expected: &'static str, found: &'static str) -> Problem {
    Problem::Argument {
        argument,
        expected,
        found,
    }
}

unsafe fn text<'a>(argument: &'static str, text: *const c_char) -> Result<&'a str> {
    let found = unsafe { optional(argument, text) }?;
    found.ok_or_else(|| wrong(argument, "a text", "null"))
}

unsafe fn optional<'a>(argument: &'static str, text: *const c_char) -> Result<Option<&'a str>> {
    if text.is_null() {
        return Ok(None);
    }
    let text = unsafe { CStr::from_ptr(text) }.to_str();
    text.map(Some)
        .map_err(|_| wrong(argument, "UTF-8", "other bytes"))
}

unsafe fn slice<'a, T>(name: &'static str, start: *const T, len: usize) -> Result<&'a [T]> {
    check(name, start, len)?;
    Ok(match len {
        0 => &[],
        _ => unsafe { std::slice::from_raw_parts(start, len) },
    })
}

unsafe fn slice_mut<'a, T>(name: &'static str, start: *mut T, len: usize) -> Result<&'a mut [T]> {
    check(name, start, len)?;
    Ok(match len {
        0 => &mut [],
        _ => unsafe { std::slice::from_raw_parts_mut(start, len) },
    })
}

fn check<T>(argument: &'static str, start: *const T, length: usize) -> Result<()> {
    let found = if start.is_null() && length > 0 {
        "null"
    } else if length > isize::MAX as usize / size_of::<T>() {
        "a length beyond all memory"
    } else if length > 0 && !start.is_aligned() {
        "an address that is not aligned"
    } else {
        return Ok(());
    };
    Err(wrong(argument, "numbers of 64 bits", found))
}

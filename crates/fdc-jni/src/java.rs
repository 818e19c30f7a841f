//! What `fdc.fitness.Native` calls. A [`Problem`] becomes a `fdc.fitness.FitnessException`.
#![allow(
    unsafe_code,
    reason = "exported symbols, and a long of Java is a word of bits here"
)]

use std::cell::RefCell;
use std::path::Path;

use fdc_core::fitness::Fitness;
use jni::errors::ErrorPolicy;
use jni::objects::{JClass, JDoubleArray, JIntArray, JLongArray, JString};
use jni::refs::Reference as _;
use jni::strings::JNIString;
use jni::sys::{jdouble, jint};
use jni::{Env, EnvUnowned, jni_str};

use crate::handles::{self, Handle};
use crate::opened::{MOST_ELEMENTS, Opened};
use crate::problem::{Problem, Result};

/// The largest line that a class file can name.
const MOST_LINES: u32 = u16::MAX as u32;

thread_local! {
    static ROWS: RefCell<Vec<i64>> = const { RefCell::new(Vec::new()) };
    static VALUES: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// Opens a fitness beside a failing test of a case.
#[unsafe(no_mangle)]
pub extern "system" fn Java_fdc_fitness_Native_open<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    case: JString<'l>,
    failing: JString<'l>,
    metric: JString<'l>,
    model: JString<'l>,
) -> Handle {
    call(env, |env| {
        let case = text(env, "caseFile", &case)?;
        let failing = text(env, "failingTest", &failing)?;
        let (metric, model) = (text(env, "metric", &metric)?, optional(env, &model)?);
        handles::open(|| Opened::of_case(Path::new(&case), &failing, &metric, path(&model)))
    })
}

/// Opens a fitness beside a failing row.
#[unsafe(no_mangle)]
pub extern "system" fn Java_fdc_fitness_Native_of<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    elements: jint,
    failing: JLongArray<'l>,
    metric: JString<'l>,
    model: JString<'l>,
) -> Handle {
    call(env, |env| {
        let elements = whole("elements", elements, MOST_ELEMENTS)?;
        let (metric, model) = (text(env, "metric", &metric)?, optional(env, &model)?);
        with_rows(env, &failing, |row| {
            handles::open(|| Opened::plain(elements, row, &metric, path(&model)))
        })
    })
}

/// Closes a fitness.
#[unsafe(no_mangle)]
pub extern "system" fn Java_fdc_fitness_Native_close<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    fitness: Handle,
) {
    call(env, |_| handles::close(fitness))
}

/// Number of elements.
#[unsafe(no_mangle)]
pub extern "system" fn Java_fdc_fitness_Native_elements<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    fitness: Handle,
) -> jint {
    count(env, fitness, |opened| opened.fitness.elements())
}

/// New tests kept so far.
#[unsafe(no_mangle)]
pub extern "system" fn Java_fdc_fitness_Native_kept<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    fitness: Handle,
) -> jint {
    count(env, fitness, |opened| opened.fitness.kept())
}

/// Ambiguity groups among the suspects.
#[unsafe(no_mangle)]
pub extern "system" fn Java_fdc_fitness_Native_groups<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    fitness: Handle,
) -> jint {
    count(env, fitness, |opened| opened.fitness.groups())
}

/// The element of every line of a class up to its last, -1 where there is none.
#[unsafe(no_mangle)]
pub extern "system" fn Java_fdc_fitness_Native_lines<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    fitness: Handle,
    class_name: JString<'l>,
) -> JIntArray<'l> {
    call(env, |env| {
        let class_name = text(env, "className", &class_name)?;
        let elements = handles::read(fitness, |opened| Ok(by_line(opened, &class_name)))?;
        let array = JIntArray::new(env, elements.len())?;
        array.set_region(env, 0, &elements)?;
        Ok(array)
    })
}

/// The value of one test.
#[unsafe(no_mangle)]
pub extern "system" fn Java_fdc_fitness_Native_ofTest<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    fitness: Handle,
    row: JLongArray<'l>,
) -> jdouble {
    ask(env, fitness, row, |fitness, row| Ok(fitness.of_test(row)?))
}

/// The value of each of several tests.
#[unsafe(no_mangle)]
pub extern "system" fn Java_fdc_fitness_Native_ofTests<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    fitness: Handle,
    rows: JLongArray<'l>,
    values: JDoubleArray<'l>,
) {
    call(env, |env| {
        with_rows(env, &rows, |rows| {
            VALUES.with_borrow_mut(|scratch| {
                scratch.resize(values.len(env)?, 0.0);
                handles::read(fitness, |opened| {
                    Ok(opened.fitness.of_tests(rows, scratch)?)
                })?;
                Ok(values.set_region(env, 0, scratch)?)
            })
        })
    })
}

/// The value of a suite.
#[unsafe(no_mangle)]
pub extern "system" fn Java_fdc_fitness_Native_ofSuite<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    fitness: Handle,
    rows: JLongArray<'l>,
    tests: jint,
) -> jdouble {
    ask(env, fitness, rows, |fitness, rows| {
        let tests = whole("tests", tests, jint::MAX as usize)?;
        Ok(fitness.of_suite(rows, tests)?)
    })
}

/// A value as something to make small.
#[unsafe(no_mangle)]
pub extern "system" fn Java_fdc_fitness_Native_loss<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    fitness: Handle,
    value: jdouble,
) -> jdouble {
    call(env, |_| {
        handles::read(fitness, |opened| Ok(opened.fitness.loss(value)))
    })
}

/// Puts a test into the suite.
#[unsafe(no_mangle)]
pub extern "system" fn Java_fdc_fitness_Native_keep<'l>(
    env: EnvUnowned<'l>,
    _class: JClass<'l>,
    fitness: Handle,
    row: JLongArray<'l>,
) {
    call(env, |env| {
        with_rows(env, &row, |row| {
            handles::change(fitness, |opened| Ok(opened.fitness.keep(row)?))
        })
    })
}

struct Throw;

impl<T: Default> ErrorPolicy<T, Problem> for Throw {
    type Captures<'e: 'n, 'n> = ();

    fn on_error<'e: 'n, 'n>(
        env: &mut Env<'e>,
        (): &mut (),
        problem: Problem,
    ) -> jni::errors::Result<T> {
        // Not by the thread's context loader: the exception is the one that the caller knows.
        let class = env.find_class(jni_str!("fdc/fitness/FitnessException"))?;
        match env.throw_new(class, JNIString::new(problem.to_string())) {
            Ok(()) | Err(jni::errors::Error::JavaException) => Ok(T::default()),
            Err(other) => Err(other),
        }
    }

    fn on_panic<'e: 'n, 'n>(
        env: &mut Env<'e>,
        captures: &mut (),
        payload: Box<dyn std::any::Any + Send>,
    ) -> jni::errors::Result<T> {
        Self::on_error(env, captures, Problem::of_panic(&*payload))
    }
}

fn call<'l, T: Default>(mut env: EnvUnowned<'l>, run: impl FnOnce(&mut Env<'l>) -> Result<T>) -> T {
    env.with_env(run).resolve::<Throw>()
}

fn ask<'l, T: Default>(
    env: EnvUnowned<'l>,
    fitness: Handle,
    rows: JLongArray<'l>,
    question: impl FnOnce(&Fitness, &[u64]) -> Result<T>,
) -> T {
    call(env, |env| {
        with_rows(env, &rows, |rows| {
            handles::read(fitness, |opened| question(&opened.fitness, rows))
        })
    })
}

fn count(env: EnvUnowned<'_>, fitness: Handle, of: impl FnOnce(&Opened) -> usize) -> jint {
    call(env, |_| {
        handles::read(fitness, |opened| Ok(of(opened) as jint))
    })
}

/// Calls `work` with an array's words, copied into memory that is used again. Critical access, which
/// holds up the garbage collector, was measured to be no faster for a test.
fn with_rows<T>(
    env: &Env<'_>,
    rows: &JLongArray<'_>,
    work: impl FnOnce(&[u64]) -> Result<T>,
) -> Result<T> {
    if rows.is_null() {
        return Err(null("rows", "an array"));
    }
    ROWS.with_borrow_mut(|scratch| {
        scratch.resize(rows.len(env)?, 0);
        rows.get_region(env, 0, scratch)?;
        // SAFETY: the same memory, under a type of the same size in which every bit is valid.
        work(unsafe { std::slice::from_raw_parts(scratch.as_ptr().cast(), scratch.len()) })
    })
}

fn by_line(opened: &Opened, class_name: &str) -> Vec<jint> {
    let mut elements = Vec::new();
    for (&line, &element) in opened.classes.get(class_name).into_iter().flatten() {
        if line <= MOST_LINES {
            elements.resize(line as usize, -1);
            elements.push(element as jint);
        }
    }
    elements
}

fn whole(what: &'static str, number: jint, most: usize) -> Result<usize> {
    let found = usize::try_from(number).ok().filter(|&found| found <= most);
    found.ok_or(Problem::Range {
        what,
        most,
        found: i64::from(number),
    })
}

fn text(env: &Env<'_>, argument: &'static str, text: &JString<'_>) -> Result<String> {
    optional(env, text)?.ok_or_else(|| null(argument, "a text"))
}

fn optional(env: &Env<'_>, text: &JString<'_>) -> Result<Option<String>> {
    if text.is_null() {
        return Ok(None);
    }
    Ok(Some(text.try_to_string(env)?))
}

fn null(argument: &'static str, expected: &'static str) -> Problem {
    Problem::Argument {
        argument,
        expected,
        found: "null",
    }
}

fn path(model: &Option<String>) -> Option<&Path> {
    model.as_deref().map(Path::new)
}

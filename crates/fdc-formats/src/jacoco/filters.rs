//! Instructions that JaCoCo does not count, because a compiler wrote them and no programmer.
//!
//! They have probes like all others, but their lines are not lines of code: the line of a class
//! would else count as run because of a constructor that nobody wrote. Filters that only change how
//! branches count are not needed here. Those for Kotlin, and for `try` with resources as compilers
//! before Java 11 wrote it, are left out: nearly all such lines hold other instructions as well.

use super::class_file::{ClassFile, Code, Handler, Method, access};
use super::probes::Body;

const ALOAD: u8 = 25;
const ALOAD_0: u8 = 42;
const ILOAD: u8 = 21;
const ASTORE: u8 = 58;
const ICONST_0: u8 = 3;
const ICONST_1: u8 = 4;
const IFNE: u8 = 154;
const GOTO: u8 = 167;
const RETURN: u8 = 177;
const PUTSTATIC: u8 = 179;
const GETFIELD: u8 = 180;
const INVOKEVIRTUAL: u8 = 182;
const INVOKESPECIAL: u8 = 183;
const INVOKEDYNAMIC: u8 = 186;
const ATHROW: u8 = 191;
const MONITOREXIT: u8 = 195;

/// Per instruction, whether its line counts.
pub(crate) fn counted(class: &ClassFile, method: &Method, body: &Body, code: &Code) -> Vec<bool> {
    let mut counted = vec![true; body.instructions.len()];
    if is_generated(class, method, body) {
        counted.fill(false);
        return counted;
    }
    for handler in code.handlers.iter().filter(|handler| handler.catches_all) {
        if handler.start != handler.handler
            && let Some(at) = body.at_offset(handler.handler)
            && let Some(length) = ends_synchronized(body, at)
        {
            counted[at..at + length].fill(false);
        }
    }
    leave_out_finally(body, code, &mut counted);
    if method.name == "<clinit>" {
        for at in 0..counted.len() {
            if sets_assertions(class, body, at) {
                counted[at..at + 7].fill(false);
            }
        }
    }
    counted
}

fn is_generated(class: &ClassFile, method: &Method, body: &Body) -> bool {
    let by_annotation = |annotation: &String| {
        let name = annotation.rsplit(['/', '$']).next();
        name.is_some_and(|name| name.contains("Generated"))
    };
    let synthetic_method = method.access & access::SYNTHETIC != 0
        && !method.name.starts_with("lambda$")
        && !method.name.starts_with("$anonfun$");
    class.access & access::SYNTHETIC != 0
        || synthetic_method
        || method.access & access::BRIDGE != 0
        || class.annotations.iter().any(by_annotation)
        || method.annotations.iter().any(by_annotation)
        || is_empty_private_constructor(class, method, body)
        || is_of_enum(class, method, body)
        || is_of_record(class, method, body)
}

fn is_empty_private_constructor(class: &ClassFile, method: &Method, body: &Body) -> bool {
    let parent = (&*class.super_name, "<init>", "()V");
    method.access & access::PRIVATE != 0
        && (&*method.name, &*method.descriptor) == ("<init>", "()V")
        && is_load_this(body, 0)
        && calls(class, body, 1, INVOKESPECIAL, parent)
        && opcodes(body, 2) == [RETURN]
}

fn is_of_enum(class: &ClassFile, method: &Method, body: &Body) -> bool {
    const PARENT: &str = "java/lang/Enum";
    if class.super_name != PARENT {
        return false;
    }
    let name = &class.name;
    match &*method.name {
        "values" => method.descriptor == format!("()[L{name};"),
        "valueOf" => method.descriptor == format!("(Ljava/lang/String;)L{name};"),
        "<init>" => {
            let constructor = (PARENT, "<init>", "(Ljava/lang/String;I)V");
            method.descriptor == constructor.2
                && is_load_this(body, 0)
                && is_load(body, 1)
                && matches!(opcode(body, 2), Some(ILOAD | 26..=29))
                && calls(class, body, 3, INVOKESPECIAL, constructor)
                && opcodes(body, 4) == [RETURN]
        }
        _ => false,
    }
}

/// What the compiler adds to a record: accessors, `equals`, `hashCode`, `toString`.
fn is_of_record(class: &ClassFile, method: &Method, body: &Body) -> bool {
    if class.super_name != "java/lang/Record" || !is_load_this(body, 0) {
        return false;
    }
    let by_bootstrap = |at: usize| {
        let home = "java/lang/runtime/ObjectMethods";
        opcode(body, at) == Some(INVOKEDYNAMIC)
            && class.dynamic(body.instructions[at].operand)
                == Some((&*method.name, home, "bootstrap"))
    };
    let is_return = |at: usize| matches!(opcodes(body, at)[..], [172..=176]);
    match (&*method.name, &*method.descriptor) {
        ("toString", "()Ljava/lang/String;") | ("hashCode", "()I") if by_bootstrap(1) => {
            is_return(2)
        }
        ("equals", "(Ljava/lang/Object;)Z") if by_bootstrap(2) => is_load(body, 1) && is_return(3),
        (name, descriptor) => {
            let field = || class.member(body.instructions[1].operand);
            descriptor.starts_with("()")
                && opcode(body, 1) == Some(GETFIELD)
                && field().is_some_and(|(_, field, _)| field == name)
                && is_return(2)
        }
    }
}

/// The handler that leaves a `synchronized` block: how many instructions it has.
fn ends_synchronized(body: &Body, at: usize) -> Option<usize> {
    let stores = stored(body, at).is_some();
    let leaves = |at: usize| is_load(body, at) && opcode(body, at + 1) == Some(MONITOREXIT);
    if stores && leaves(at + 1) && is_load(body, at + 3) && opcode(body, at + 4) == Some(ATHROW) {
        return Some(5);
    }
    (leaves(at) && opcode(body, at + 2) == Some(ATHROW)).then_some(3)
}

/// A `finally` block stands once in a handler that catches everything and throws again, and once at
/// every way out of the `try` block. What goes with it and is nobody's code: the start and the end
/// of the handler, and the jump behind a copy.
fn leave_out_finally(body: &Body, code: &Code, counted: &mut [bool]) {
    for catch in code.handlers.iter().filter(|handler| handler.catches_all) {
        let found = body.at_offset(catch.handler);
        let found = found.and_then(|at| Some((at, size_of_finally(body, at)?)));
        let Some((handler, size)) = found else {
            continue;
        };
        let handlers = code.handlers.iter();
        let same = handlers.filter(|other| other.handler == catch.handler);
        let blocks: Vec<_> = same.filter_map(|block| range(body, block)).collect();
        let inside = |at: &usize| blocks.iter().any(|block| block.contains(at));
        let mut exits: Vec<usize> = Vec::new();
        for block in &blocks {
            let mut goes_on = false;
            for at in block.clone() {
                let (target, next) = body.goes_on(at);
                exits.extend(target);
                goes_on = next;
            }
            exits.extend(goes_on.then_some(block.end));
        }
        // javac's empty catch: the copy follows on the store of the exception.
        let beside = |other: &&Handler| {
            !other.catches_all && (other.start, other.end) == (catch.start, catch.end)
        };
        let caught = code.handlers.iter().filter(beside);
        exits.extend(caught.filter_map(|other| Some(body.at_offset(other.handler)? + 1)));
        exits.retain(|at| !inside(at));
        for exit in exits {
            let copy = (0..size).map(|step| kind(body, exit + step));
            if copy.eq((0..size).map(|step| kind(body, handler + 1 + step))) {
                counted[handler] = false;
                counted[handler + 1 + size..handler + 3 + size].fill(false);
                if kind(body, exit + size) == Some(GOTO) {
                    counted[exit + size] = false;
                }
            }
        }
    }
}

/// The instructions between storing and throwing again what was caught; `None` if there are none.
fn size_of_finally(body: &Body, handler: usize) -> Option<usize> {
    let variable = stored(body, handler)?;
    let mut rest = handler + 1..body.instructions.len();
    let end = rest.find(|&at| loaded(body, at) == Some(variable))?;
    (opcode(body, end + 1) == Some(ATHROW) && end > handler + 1).then(|| end - handler - 1)
}

fn range(body: &Body, block: &Handler) -> Option<std::ops::Range<usize>> {
    let start = body.at_offset(block.start)?;
    let end = body.at_offset(block.end).unwrap_or(body.instructions.len());
    (start < end).then_some(start..end)
}

/// `$assertionsDisabled = !X.class.desiredAssertionStatus()`, seven instructions.
fn sets_assertions(class: &ClassFile, body: &Body, at: usize) -> bool {
    let status = ("java/lang/Class", "desiredAssertionStatus", "()Z");
    let field = (&*class.name, "$assertionsDisabled", "Z");
    calls(class, body, at + 1, INVOKEVIRTUAL, status)
        && [IFNE, ICONST_1, GOTO, ICONST_0].map(Some)
            == [at + 2, at + 3, at + 4, at + 5].map(|at| opcode(body, at))
        && calls(class, body, at + 6, PUTSTATIC, field)
}

fn opcode(body: &Body, at: usize) -> Option<u8> {
    Some(body.instructions.get(at)?.opcode)
}

/// The opcode without what only says which variable or how wide.
fn kind(body: &Body, at: usize) -> Option<u8> {
    Some(match opcode(body, at)? {
        short @ 26..=45 => ILOAD + (short - 26) / 4,
        short @ 59..=78 => 54 + (short - 59) / 4,
        19 | 20 => 18,
        200 => GOTO,
        196 => body.instructions[at].operand.to_be_bytes()[0],
        other => other,
    })
}

/// The variable that an instruction stores a reference to, or loads one from: one opcode has it as
/// its operand, four others stand for a variable each.
fn variable(body: &Body, at: usize, long: u8, short: u8) -> Option<u16> {
    let instruction = body.instructions.get(at)?;
    match instruction.opcode.wrapping_sub(short) {
        number @ 0..=3 => Some(u16::from(number)),
        _ => (instruction.opcode == long).then_some(instruction.operand),
    }
}

fn stored(body: &Body, at: usize) -> Option<u16> {
    variable(body, at, ASTORE, 75)
}

fn loaded(body: &Body, at: usize) -> Option<u16> {
    variable(body, at, ALOAD, ALOAD_0)
}

fn opcodes(body: &Body, from: usize) -> Vec<u8> {
    let rest = body.instructions.iter().skip(from);
    rest.map(|instruction| instruction.opcode).collect()
}

fn is_load(body: &Body, at: usize) -> bool {
    loaded(body, at).is_some()
}

fn is_load_this(body: &Body, at: usize) -> bool {
    loaded(body, at) == Some(0)
}

fn calls(class: &ClassFile, body: &Body, at: usize, code: u8, member: (&str, &str, &str)) -> bool {
    opcode(body, at) == Some(code) && class.member(body.instructions[at].operand) == Some(member)
}

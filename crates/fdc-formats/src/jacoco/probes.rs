//! Where JaCoCo puts its probes, and which lines each of them stands for.
//!
//! JaCoCo numbers its probes through the methods of a class in the order of the class file, and in a
//! method in the order of its instructions. A probe is put
//!
//! - at every return and throw,
//! - at every jump and switch case whose target can be reached in more than one way,
//! - before every instruction that follows on another one and that can also be jumped to, that starts
//!   a `try` block, or that starts a line with a method call on it.
//!
//! So every instruction has one way to be reached that passes no probe, or none. That a probe was hit
//! tells that its instruction ran, and with it the chain of instructions on the only way to it.
//! Coverage per line is the union of these chains.

use std::collections::{HashMap, HashSet};

use super::class_file::{ClassFile, Code, Method};
use super::filters;
use fdc_source::LineSet;

#[derive(Debug, Default)]
pub(crate) struct ClassProbes {
    /// By number of the probe, the lines that ran if it was hit.
    pub(crate) lines: Vec<LineSet>,
    /// The methods with lines: name, descriptor, lines.
    pub(crate) methods: Vec<(String, String, LineSet)>,
}

impl ClassProbes {
    /// Finds the probes of a class; the error says what is wrong with it.
    pub(crate) fn of(class: &ClassFile) -> Result<ClassProbes, String> {
        let mut probes = ClassProbes::default();
        for method in &class.methods {
            if let Some(code) = &method.code {
                let added = probes.add(class, method, code);
                added.map_err(|problem| format!("{problem} in method {}", method.name))?;
            }
        }
        Ok(probes)
    }

    fn add(&mut self, class: &ClassFile, method: &Method, code: &Code) -> Result<(), String> {
        let body = Body::of(code)?;
        let labels = body.labels(code)?;
        let placed = body.place_probes(&labels);
        let lines = body.lines(code);
        let counted = filters::counted(class, method, &body, code);
        let line_of = |at: usize| lines[at].filter(|_| counted[at]);
        for &instruction in &placed.probes {
            let mut chain = Vec::new();
            let mut next = Some(instruction);
            // A chain is no longer than the method; only damaged code could make it a circle.
            for _ in 0..body.instructions.len() {
                let Some(at) = next else { break };
                chain.extend(line_of(at));
                next = placed.before[at];
            }
            chain.sort_unstable();
            self.lines.push(chain.into_iter().collect());
        }
        let all: LineSet = (0..body.instructions.len()).filter_map(line_of).collect();
        if !all.is_empty() {
            let (name, descriptor) = (method.name.clone(), method.descriptor.clone());
            self.methods.push((name, descriptor, all));
        }
        Ok(())
    }
}

/// An instruction, as far as the flow of control needs it.
pub(crate) struct Instruction {
    pub(crate) opcode: u8,
    /// The first two bytes after the opcode, or one where there is one.
    pub(crate) operand: u16,
    flow: Flow,
}

enum Flow {
    Next,
    Call,
    Leave,
    /// Indices of instructions.
    Jump(usize),
    Goto(usize),
    /// The default, then the cases.
    Switch(Vec<usize>),
}

pub(crate) struct Body {
    pub(crate) instructions: Vec<Instruction>,
    index_of: HashMap<usize, usize>,
}

/// What is known of the place before an instruction.
#[derive(Clone, Copy, Debug, Default)]
struct Label {
    target: bool,
    multi_target: bool,
    successor: bool,
    call_on_line: bool,
}

impl Label {
    fn set_target(&mut self) {
        if self.target || self.successor {
            self.multi_target = true;
        } else {
            self.target = true;
        }
    }

    fn set_successor(&mut self) {
        self.successor = true;
        self.multi_target |= self.target;
    }

    fn needs_probe(self) -> bool {
        self.successor && (self.multi_target || self.call_on_line)
    }
}

struct Placed {
    /// By number of the probe, the instruction it tells about.
    probes: Vec<usize>,
    /// The instruction from which this one is reached without a probe between.
    before: Vec<Option<usize>>,
}

impl Body {
    pub(crate) fn of(code: &Code) -> Result<Body, String> {
        let mut offsets = Vec::new();
        let mut at = 0;
        while at < code.bytes.len() {
            offsets.push(at);
            at += length(&code.bytes, at)?;
        }
        if at != code.bytes.len() {
            return Err("an instruction that is cut off".into());
        }
        let numbered = offsets.iter().enumerate();
        let index_of: HashMap<_, _> = numbered.map(|(index, &offset)| (offset, index)).collect();
        let instruction = |&at: &usize| {
            let opcode = code.bytes[at];
            let byte = |offset: usize| code.bytes.get(at + offset).copied().unwrap_or(0);
            let operand = match opcode {
                16 | 18 | 21..=25 | 54..=58 | 188 => u16::from(byte(1)),
                _ => u16::from_be_bytes([byte(1), byte(2)]),
            };
            let flow = flow(&code.bytes, at, &index_of)?;
            Ok(Instruction {
                opcode,
                operand,
                flow,
            })
        };
        let instructions: Result<_, String> = offsets.iter().map(instruction).collect();
        Ok(Body {
            instructions: instructions?,
            index_of,
        })
    }

    /// Where an instruction goes: the only target of a jump, and whether it may go on to the next.
    pub(crate) fn goes_on(&self, at: usize) -> (Option<usize>, bool) {
        match &self.instructions[at].flow {
            Flow::Jump(target) => (Some(*target), true),
            Flow::Goto(target) => (Some(*target), false),
            Flow::Leave => (None, false),
            Flow::Next | Flow::Call | Flow::Switch(_) => (None, true),
        }
    }

    pub(crate) fn at_offset(&self, offset: u16) -> Option<usize> {
        self.index_of.get(&usize::from(offset)).copied()
    }

    fn labels(&self, code: &Code) -> Result<Vec<Label>, String> {
        let mut labels = vec![Label::default(); self.instructions.len()];
        let outside = || "an exception handler that points nowhere".to_owned();
        for handler in &code.handlers {
            for offset in [handler.start, handler.handler] {
                let at = self.at_offset(offset).ok_or_else(outside)?;
                labels[at].set_target();
            }
        }
        let starts = code.lines.iter().filter(|(_, line)| *line > 0);
        let starts: HashSet<_> = starts.map(|(offset, _)| self.at_offset(*offset)).collect();
        let mut successor = false;
        let mut line_start = None;
        for (at, instruction) in self.instructions.iter().enumerate() {
            if at == 0 {
                labels[at].set_target();
            }
            if successor {
                labels[at].set_successor();
            }
            if starts.contains(&Some(at)) {
                line_start = Some(at);
            }
            let flow = &instruction.flow;
            successor = !matches!(flow, Flow::Leave | Flow::Goto(_) | Flow::Switch(_));
            match &instruction.flow {
                Flow::Jump(target) | Flow::Goto(target) => labels[*target].set_target(),
                Flow::Switch(targets) => {
                    for target in distinct(targets) {
                        labels[target].set_target();
                    }
                }
                Flow::Call => {
                    if let Some(line_start) = line_start {
                        labels[line_start].call_on_line = true;
                    }
                }
                Flow::Next | Flow::Leave => {}
            }
        }
        Ok(labels)
    }

    fn place_probes(&self, labels: &[Label]) -> Placed {
        let mut placed = Placed {
            probes: Vec::new(),
            before: vec![None; self.instructions.len()],
        };
        let mut jumps = Vec::new();
        let mut previous = None;
        for (at, instruction) in self.instructions.iter().enumerate() {
            if labels[at].needs_probe() {
                placed.probes.extend(previous.take());
            }
            if labels[at].successor {
                placed.before[at] = previous;
            }
            previous = Some(at);
            let targets = match &instruction.flow {
                Flow::Jump(target) | Flow::Goto(target) => vec![*target],
                Flow::Switch(targets) => distinct(targets),
                Flow::Leave => {
                    placed.probes.push(at);
                    continue;
                }
                Flow::Next | Flow::Call => continue,
            };
            for target in targets {
                if labels[target].multi_target {
                    placed.probes.push(at);
                } else {
                    jumps.push((at, target));
                }
            }
        }
        for (from, target) in jumps {
            placed.before[target] = Some(from);
        }
        placed
    }

    /// The line of each instruction; of several entries for one place the last counts.
    fn lines(&self, code: &Code) -> Vec<Option<u32>> {
        let mut starts: Vec<Option<u16>> = vec![None; self.instructions.len()];
        for &(offset, line) in &code.lines {
            if let Some(at) = self.at_offset(offset) {
                starts[at] = Some(line);
            }
        }
        let mut line = None;
        let lines = starts.into_iter().map(|start| {
            if let Some(start) = start {
                line = (start > 0).then_some(u32::from(start));
            }
            line
        });
        lines.collect()
    }
}

fn distinct(targets: &[usize]) -> Vec<usize> {
    let mut seen = HashSet::new();
    let targets = targets.iter().copied();
    targets.filter(|&target| seen.insert(target)).collect()
}

fn flow(code: &[u8], at: usize, index_of: &HashMap<usize, usize>) -> Result<Flow, String> {
    let target = |distance: i64| {
        let offset = usize::try_from(at as i64 + distance).ok();
        let index = offset.and_then(|offset| index_of.get(&offset));
        index.copied().ok_or("a jump that points nowhere")
    };
    let near = || target(i64::from(i16::from_be_bytes([code[at + 1], code[at + 2]])));
    Ok(match code[at] {
        167 => Flow::Goto(near()?),
        153..=166 | 198 | 199 => Flow::Jump(near()?),
        200 => Flow::Goto(target(i64::from(word(code, at + 1)?))?),
        168 | 169 | 201 => return Err(SUBROUTINES.into()),
        196 if code[at + 1] == 169 => return Err(SUBROUTINES.into()),
        172..=177 | 191 => Flow::Leave,
        182..=186 => Flow::Call,
        170 | 171 => {
            let (table, cases, step) = switch(code, at)?;
            let mut targets = vec![target(i64::from(word(code, table)?))?];
            for case in 0..cases.max(0) as usize {
                targets.push(target(i64::from(word(code, table + 12 + case * step)?))?);
            }
            Flow::Switch(targets)
        }
        _ => Flow::Next,
    })
}

/// The length of the instruction at an offset. All of it is inside the code.
fn length(code: &[u8], at: usize) -> Result<usize, String> {
    let length = match code[at] {
        16 | 18 | 21..=25 | 54..=58 | 169 | 188 => 2,
        17 | 19 | 20 | 132 | 153..=168 | 178..=184 | 187 | 189 | 192 | 193 | 198 | 199 => 3,
        197 => 4,
        185 | 186 | 200 | 201 => 5,
        196 => match code.get(at + 1) {
            Some(132) => 6,
            _ => 4,
        },
        170 | 171 => {
            let (table, cases, step) = switch(code, at)?;
            // A table has its bounds before the cases, a list how many there are.
            let bytes = cases * step as i64 + if step == 4 { 12 } else { 8 };
            let bytes = usize::try_from(bytes).map_err(|_| "a switch without an end")?;
            table - at + bytes
        }
        0..=201 => 1,
        opcode => return Err(format!("an instruction {opcode} that does not exist")),
    };
    if length > code.len() - at {
        return Err("an instruction that is cut off".into());
    }
    Ok(length)
}

const SUBROUTINES: &str = "subroutines (compiled for Java 1.4 or older)";

/// A switch: where its table is (targets from byte 12), how many cases, and the bytes of each.
fn switch(code: &[u8], at: usize) -> Result<(usize, i64, usize), String> {
    let table = (at / 4 + 1) * 4;
    let first = i64::from(word(code, table + 4)?);
    Ok(match code[at] {
        170 => (table, i64::from(word(code, table + 8)?) - first + 1, 4),
        _ => (table, first, 8),
    })
}

fn word(code: &[u8], at: usize) -> Result<i32, String> {
    let bytes = code.get(at..at + 4).ok_or("a switch that is cut off")?;
    Ok(i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

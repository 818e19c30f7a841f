//! Class files, as far as probes and lines need them.

use super::bytes::{Bytes, CutOff};

pub(crate) mod access {
    pub(crate) const PRIVATE: u16 = 0x0002;
    /// Of a method.
    pub(crate) const BRIDGE: u16 = 0x0040;
    pub(crate) const SYNTHETIC: u16 = 0x1000;
    pub(crate) const MODULE: u16 = 0x8000;
}

pub(crate) struct ClassFile {
    pub(crate) access: u16,
    /// With `/` between packages.
    pub(crate) name: String,
    pub(crate) super_name: String,
    pub(crate) source_file: Option<String>,
    /// Types of its annotations.
    pub(crate) annotations: Vec<String>,
    pub(crate) methods: Vec<Method>,
    pool: Pool,
    bootstraps: Vec<u16>,
}

pub(crate) struct Method {
    pub(crate) access: u16,
    pub(crate) name: String,
    pub(crate) descriptor: String,
    pub(crate) annotations: Vec<String>,
    pub(crate) code: Option<Code>,
}

/// The constants of a class, by number.
struct Pool(Vec<Constant>);

pub(crate) struct Code {
    pub(crate) bytes: Vec<u8>,
    pub(crate) handlers: Vec<Handler>,
    /// From which offset on which line holds, in the order of the file.
    pub(crate) lines: Vec<(u16, u16)>,
}

/// An entry of the exception table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handler {
    pub(crate) start: u16,
    /// The first offset after the block.
    pub(crate) end: u16,
    pub(crate) handler: u16,
    /// Whether it catches everything, as `finally` and `synchronized` do.
    pub(crate) catches_all: bool,
}

enum Constant {
    Text(String),
    Class(u16),
    NameAndType(u16, u16),
    /// A field or method: class, then name and type.
    Member(u16, u16),
    /// Bootstrap method, then name and type.
    Dynamic(u16, u16),
    /// Reference to a member.
    Handle(u16),
    Other,
}

impl ClassFile {
    /// Reads a class file; the error says what is wrong.
    pub(crate) fn parse(bytes: &[u8]) -> Result<ClassFile, String> {
        let mut input = Bytes::new(bytes);
        if input.u32()? != 0xCAFE_BABE {
            return Err("no class file".into());
        }
        input.skip(4)?;
        let pool = Pool(constant_pool(&mut input)?);
        let access = input.u16()?;
        let (name, parent) = (input.u16()?, input.u16()?);
        let name = pool.class_name(name).ok_or("a class without a name")?;
        let interfaces = input.u16()?;
        input.skip(2 * usize::from(interfaces))?;
        for _ in 0..input.u16()? {
            input.skip(6)?;
            for_each_attribute(&mut input, |_, _| Ok(()))?;
        }
        let methods = (0..input.u16()?).map(|_| pool.method(&mut input));
        let mut class = ClassFile {
            access,
            name: name.to_owned(),
            super_name: pool.class_name(parent).unwrap_or_default().to_owned(),
            source_file: None,
            annotations: Vec::new(),
            methods: methods.collect::<Result<_, _>>()?,
            pool,
            bootstraps: Vec::new(),
        };
        for_each_attribute(&mut input, |name, mut content| {
            match class.pool.text(name) {
                Some("SourceFile") => {
                    class.source_file = class.pool.text(content.u16()?).map(str::to_owned);
                }
                Some("RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations") => {
                    let types = class.pool.annotation_types(content)?;
                    class.annotations.extend(types);
                }
                Some("BootstrapMethods") => {
                    for _ in 0..content.u16()? {
                        class.bootstraps.push(content.u16()?);
                        let arguments = content.u16()?;
                        content.skip(2 * usize::from(arguments))?;
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(class)
    }

    /// Class, name and type of a field or method.
    pub(crate) fn member(&self, index: u16) -> Option<(&str, &str, &str)> {
        let pool = &self.pool;
        let &Constant::Member(class, name_and_type) = pool.constant(index)? else {
            return None;
        };
        let (name, descriptor) = pool.name_and_type(name_and_type)?;
        Some((pool.class_name(class)?, name, descriptor))
    }

    /// Name of a dynamic call, and class and name of its bootstrap method.
    pub(crate) fn dynamic(&self, index: u16) -> Option<(&str, &str, &str)> {
        let pool = &self.pool;
        let &Constant::Dynamic(bootstrap, name_and_type) = pool.constant(index)? else {
            return None;
        };
        let (name, _) = pool.name_and_type(name_and_type)?;
        let handle = *self.bootstraps.get(usize::from(bootstrap))?;
        let &Constant::Handle(member) = pool.constant(handle)? else {
            return None;
        };
        let (class, bootstrap, _) = self.member(member)?;
        Some((name, class, bootstrap))
    }
}

impl Pool {
    fn method(&self, input: &mut Bytes) -> Result<Method, String> {
        let access = input.u16()?;
        let (name, descriptor) = (input.u16()?, input.u16()?);
        let text = |index| self.text(index).ok_or("a method without a name");
        let mut method = Method {
            access,
            name: text(name)?.to_owned(),
            descriptor: text(descriptor)?.to_owned(),
            annotations: Vec::new(),
            code: None,
        };
        for_each_attribute(input, |name, content| {
            match self.text(name) {
                Some("Code") => method.code = Some(self.code(content)?),
                Some("RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations") => {
                    method.annotations.extend(self.annotation_types(content)?);
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(method)
    }

    fn code(&self, mut input: Bytes) -> Result<Code, String> {
        input.skip(4)?;
        let length = input.u32()? as usize;
        let mut code = Code {
            bytes: input.take(length)?.to_vec(),
            handlers: Vec::new(),
            lines: Vec::new(),
        };
        for _ in 0..input.u16()? {
            let (start, end, handler, kind) =
                (input.u16()?, input.u16()?, input.u16()?, input.u16()?);
            code.handlers.push(Handler {
                start,
                end,
                handler,
                catches_all: kind == 0,
            });
        }
        for_each_attribute(&mut input, |name, mut content| {
            if self.text(name) == Some("LineNumberTable") {
                for _ in 0..content.u16()? {
                    code.lines.push((content.u16()?, content.u16()?));
                }
            }
            Ok(())
        })?;
        Ok(code)
    }

    /// Types of annotations. To find the second and later ones, all values are walked through.
    fn annotation_types(&self, mut input: Bytes) -> Result<Vec<String>, String> {
        let mut types = Vec::new();
        for _ in 0..input.u16()? {
            let index = input.u16()?;
            types.extend(self.text(index).map(str::to_owned));
            skip_annotation_values(&mut input, 0)?;
        }
        Ok(types)
    }

    fn constant(&self, index: u16) -> Option<&Constant> {
        self.0.get(usize::from(index))
    }

    fn text(&self, index: u16) -> Option<&str> {
        match self.constant(index)? {
            Constant::Text(text) => Some(text),
            _ => None,
        }
    }

    fn class_name(&self, index: u16) -> Option<&str> {
        match self.constant(index)? {
            &Constant::Class(name) => self.text(name),
            _ => None,
        }
    }

    fn name_and_type(&self, index: u16) -> Option<(&str, &str)> {
        let &Constant::NameAndType(name, descriptor) = self.constant(index)? else {
            return None;
        };
        Some((self.text(name)?, self.text(descriptor)?))
    }
}

fn constant_pool(input: &mut Bytes) -> Result<Vec<Constant>, String> {
    let count = usize::from(input.u16()?);
    let mut pool = vec![Constant::Other];
    while pool.len() < count {
        let tag = input.u8()?;
        let constant = match tag {
            1 => Constant::Text(input.text()?),
            3 | 4 => input.skip(4).map(|()| Constant::Other)?,
            5 | 6 => {
                // Eight bytes take two places.
                input.skip(8)?;
                pool.push(Constant::Other);
                Constant::Other
            }
            7 => Constant::Class(input.u16()?),
            8 | 16 | 19 | 20 => input.skip(2).map(|()| Constant::Other)?,
            9..=11 => Constant::Member(input.u16()?, input.u16()?),
            12 => Constant::NameAndType(input.u16()?, input.u16()?),
            15 => {
                input.skip(1)?;
                Constant::Handle(input.u16()?)
            }
            17 | 18 => Constant::Dynamic(input.u16()?, input.u16()?),
            tag => return Err(format!("a constant of kind {tag}")),
        };
        pool.push(constant);
    }
    Ok(pool)
}

fn for_each_attribute<'b>(
    input: &mut Bytes<'b>,
    mut visit: impl FnMut(u16, Bytes<'b>) -> Result<(), String>,
) -> Result<(), String> {
    for _ in 0..input.u16()? {
        let name = input.u16()?;
        let length = input.u32()? as usize;
        let bytes = input.take(length)?;
        visit(name, Bytes::new(bytes))?;
    }
    Ok(())
}

/// Nesting is limited, so that no damaged file can exhaust the stack.
fn skip_annotation_values(input: &mut Bytes, depth: u32) -> Result<(), String> {
    for _ in 0..input.u16()? {
        input.skip(2)?;
        skip_annotation_value(input, depth)?;
    }
    Ok(())
}

fn skip_annotation_value(input: &mut Bytes, depth: u32) -> Result<(), String> {
    if depth > 50 {
        return Err("annotations that are nested too deep".into());
    }
    match input.u8()? {
        b'e' => Ok(input.skip(4)?),
        b'@' => {
            input.skip(2)?;
            skip_annotation_values(input, depth + 1)
        }
        b'[' => {
            for _ in 0..input.u16()? {
                skip_annotation_value(input, depth + 1)?;
            }
            Ok(())
        }
        _ => Ok(input.skip(2)?),
    }
}

impl From<CutOff> for String {
    fn from(_: CutOff) -> Self {
        "a class file that is cut off".into()
    }
}

//! Names of classes and methods as Java programmers write them.

/// Parameter types of a method's descriptor, as in `int,java.lang.String[]`; `None` if it is none.
pub(crate) fn parameters(descriptor: &str) -> Option<String> {
    let (parameters, _) = descriptor.strip_prefix('(')?.split_once(')')?;
    let mut rest = parameters;
    let mut types: Vec<String> = Vec::new();
    while !rest.is_empty() {
        let element = rest.trim_start_matches('[');
        let dimensions = rest.len() - element.len();
        let length = match element.as_bytes().first()? {
            b'L' => element.find(';')? + 1,
            _ => 1,
        };
        let name = match element.get(..length)? {
            "B" => "byte",
            "C" => "char",
            "D" => "double",
            "F" => "float",
            "I" => "int",
            "J" => "long",
            "S" => "short",
            "Z" => "boolean",
            class if class.starts_with('L') => &class[1..length - 1].replace('/', "."),
            _ => return None,
        };
        types.push(format!("{name}{}", "[]".repeat(dimensions)));
        rest = &element[length..];
    }
    Some(types.join(","))
}

/// `org.x.Cart#add(int)`; a constructor has the name of its class.
pub(crate) fn method(class: &str, name: &str, descriptor: &str) -> String {
    let class = class.replace('/', ".");
    let types = parameters(descriptor).unwrap_or_else(|| descriptor.to_owned());
    let name = match name {
        "<init>" => class.rsplit(['.', '$']).next().unwrap_or(&class),
        name => name,
    };
    format!("{class}#{name}({types})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_spelled_as_in_the_source() {
        for (name, descriptor, expected) in [
            ("add", "()V", "org.x.Cart$Line#add()"),
            (
                "add",
                "(I[[JLjava/lang/String;Z)V",
                "org.x.Cart$Line#add(int,long[][],java.lang.String,boolean)",
            ),
            ("<init>", "(D)V", "org.x.Cart$Line#Line(double)"),
            ("<clinit>", "()V", "org.x.Cart$Line#<clinit>()"),
            ("odd", "(L", "org.x.Cart$Line#odd((L)"),
        ] {
            assert_eq!(method("org/x/Cart$Line", name, descriptor), expected);
        }
        for not_one in ["", "I", "(", "(X)V", "(Ljava)V", "([)V", "(é)V"] {
            assert_eq!(parameters(not_one), None, "{not_one}");
        }
    }
}

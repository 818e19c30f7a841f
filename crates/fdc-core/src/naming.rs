//! What names tell: the likely meant one for a mistyped one, the class of a Java method.

/// The name among `known` nearest to `given`, if any is near enough to be a likely slip.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = given.to_lowercase();
    if wanted.is_empty() {
        return None;
    }
    let near = known.into_iter().filter_map(|name| {
        let candidate = name.to_lowercase();
        // A part of a long name ("testFoo" for "pkg.ClassTest#testFoo") counts as near.
        let distance = match wanted.len() >= 3 && candidate.contains(&wanted) {
            true => 1,
            false => strsim::damerau_levenshtein(&wanted, &candidate),
        };
        let most = given.chars().count().min(name.chars().count()) / 3;
        (distance <= most.max(1)).then_some((distance, name))
    });
    let nearest = near.min_by_key(|&(distance, _)| distance);
    nearest.map(|(_, name)| name)
}

/// The entry of that name in a table, or the nearest known name.
pub fn entry_named<'a, T>(
    table: &'a [T],
    name_of: impl Fn(&T) -> &'static str,
    name: &str,
) -> Result<&'a T, Option<&'static str>> {
    let found = table.iter().find(|entry| name_of(entry) == name);
    found.ok_or_else(|| nearest(name, table.iter().map(name_of)))
}

/// The binary name of a Java method's class, as cases name methods: `a.b.C$D` for
/// `a.b.C$D#m(int)`. Nothing for names of other languages.
pub fn java_class(method: &str) -> Option<&str> {
    let (class, _) = method.split_once('#')?;
    let word = |part: &str| {
        let plain = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
        !part.is_empty() && part.chars().all(plain)
    };
    class.split('.').all(word).then_some(class)
}

#[cfg(test)]
mod tests {
    use super::{java_class, nearest};

    #[test]
    fn a_java_method_has_a_class_and_others_have_none() {
        assert_eq!(java_class("a.b.C$D#m(int)"), Some("a.b.C$D"));
        assert_eq!(java_class("C#C()"), Some("C"));
        assert_eq!(java_class("a.b.C$1#<clinit>()"), Some("a.b.C$1"));
        assert_eq!(java_class("größe.Maß#m(a.B[])"), Some("größe.Maß"));
        for other in [
            "f",
            "crate::f",
            "pkg.f",
            "#f",
            "Cart.#total",
            "a/b.py#f",
            "",
        ] {
            assert_eq!(java_class(other), None, "{other}");
        }
    }

    #[test]
    fn finds_slips_and_parts_and_nothing_for_noise() {
        assert_eq!(nearest("slpit", ["cover", "split"]), Some("split"));
        assert_eq!(
            nearest("testFoo", ["pkg.ATest#testBar", "pkg.ATest#testFoo"]),
            Some("pkg.ATest#testFoo")
        );
        assert_eq!(nearest("", ["s3"]), None);
        assert_eq!(nearest("jsn", ["csv"]), None);
        assert_eq!(nearest("zzzzzzzz", ["cover", "split"]), None);
    }
}

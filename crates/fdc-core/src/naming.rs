//! Suggestions for mistyped names.

/// The name among `known` nearest to `given`, if any is near enough to be a likely slip.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = given.to_lowercase();
    if wanted.is_empty() {
        return None;
    }
    known
        .into_iter()
        .map(|name| {
            let candidate = name.to_lowercase();
            // A part of a long name ("testFoo" for "pkg.ClassTest#testFoo") counts as near.
            let part = wanted.len() >= 3 && candidate.contains(&wanted);
            let distance = if part {
                1
            } else {
                strsim::damerau_levenshtein(&wanted, &candidate)
            };
            (distance, name)
        })
        .filter(|&(distance, name)| {
            distance <= (given.chars().count().min(name.chars().count()) / 3).max(1)
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

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

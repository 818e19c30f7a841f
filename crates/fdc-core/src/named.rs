//! Choices that people make by name.

/// A choice among few values: each has a name and a line of explanation. Help, completions, Python's
/// keywords and results folders take both from the table.
pub trait Named: Copy + PartialEq + Send + Sync + 'static {
    /// Every value with its name and what it is, in the order they are listed.
    const TABLE: &'static [(Self, &'static str, &'static str)];

    /// As it is typed and written.
    fn name(self) -> &'static str {
        let entry = Self::TABLE.iter().find(|(value, ..)| *value == self);
        entry.map_or("", |(_, name, _)| name)
    }

    /// The value of that name.
    fn named(name: &str) -> Option<Self> {
        let entry = Self::TABLE.iter().find(|(_, known, _)| *known == name);
        entry.map(|(value, ..)| *value)
    }

    /// Every value.
    fn all() -> impl Iterator<Item = Self> {
        Self::TABLE.iter().map(|(value, ..)| *value)
    }
}

//! Links from a comment to the lines of a commit.

use std::str::FromStr;

use super::sarif::uri;

/// Where the files of one commit are on the web: `https://github.com/OWNER/REPO/blob/COMMIT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permalinks(String);

impl FromStr for Permalinks {
    type Err = String;

    fn from_str(address: &str) -> Result<Self, String> {
        let is_web = ["https://", "http://"].iter().any(|start| {
            address
                .strip_prefix(start)
                .is_some_and(|rest| !rest.is_empty())
        });
        // Whatever else could end the link that the address becomes a part of.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/%+@".contains(c);
        match is_web && address.chars().all(is_plain) {
            true => Ok(Permalinks(address.trim_end_matches('/').to_owned())),
            false => Err(
                "expected an address such as https://github.com/OWNER/REPO/blob/COMMIT".to_owned(),
            ),
        }
    }
}

impl Permalinks {
    /// The address of a file, named from the top of the repository, at these lines.
    pub(super) fn to(&self, path: &str, lines: Option<(u32, u32)>) -> String {
        let base = &self.0;
        let page = format!("{base}/{}", uri(path));
        // GitLab writes ranges in another way.
        let until = if base.contains("/-/blob/") { "-" } else { "-L" };
        match lines {
            Some((first, last)) if first < last => format!("{page}#L{first}{until}{last}"),
            Some((line, _)) => format!("{page}#L{line}"),
            None => page,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_lines_as_github_and_gitlab_do() {
        let links = |base: &str| Permalinks::from_str(base).unwrap();
        let hub = links("https://github.com/a/b/blob/c0ffee/");
        let base = "https://github.com/a/b/blob/c0ffee/src/a%20%28b%29.py";
        assert_eq!(
            hub.to("src/a (b).py", Some((3, 5))),
            format!("{base}#L3-L5")
        );
        assert_eq!(hub.to("src/a (b).py", Some((3, 3))), format!("{base}#L3"));
        assert_eq!(hub.to("src/a (b).py", None), base);
        let lab = links("https://gitlab.com/a/b/-/blob/c0ffee");
        assert!(lab.to("a.py", Some((3, 5))).ends_with("/c0ffee/a.py#L3-5"));
    }

    #[test]
    fn what_could_end_a_link_is_no_address() {
        for refused in [
            "",
            "https://",
            "ftp://x/y",
            "javascript:x",
            "https://x/a b",
            "https://x/)",
            "https://x/\n",
            "https://x/<y>",
        ] {
            assert!(Permalinks::from_str(refused).is_err(), "{refused}");
        }
    }
}

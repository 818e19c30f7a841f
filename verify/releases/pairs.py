"""The pairs of releases, by their names on Maven Central. Pairs of one library must not overlap: a bug would count twice."""

# group:artifact, then pairs of an earlier and a later release, in order.
LIBRARIES = {
    "commons-beanutils:commons-beanutils": [("1.9.2", "1.9.3")],
    "commons-cli:commons-cli": [("1.2", "1.3"), ("1.3", "1.4"), ("1.4", "1.5.0"), ("1.5.0", "1.6.0"), ("1.6.0", "1.7.0")],
    "commons-codec:commons-codec": [("1.13", "1.14")],
    "org.apache.commons:commons-csv": [("1.4", "1.5"), ("1.5", "1.7"), ("1.9.0", "1.10.0")],
    "org.apache.commons:commons-jexl3": [("3.2.1", "3.3")],
    "org.apache.commons:commons-text": [("1.4", "1.6")],
    "commons-validator:commons-validator": [("1.4.1", "1.5.0"), ("1.5.0", "1.6")],
}


class Pair:
    def __init__(self, library, earlier, later):
        self.group, self.artifact = library.split(":")
        self.earlier, self.later = earlier, later
        self.name = f"{self.artifact}-{earlier}-{later}"

    def item(self, version, folder, classifier=None):
        """One thing to copy, as Maven's dependency plugin wants it."""
        more = f"<classifier>{classifier}</classifier>" if classifier else ""
        return (f"<artifactItem><groupId>{self.group}</groupId><artifactId>{self.artifact}</artifactId>"
                f"<version>{version}</version>{more}<outputDirectory>{folder}</outputDirectory></artifactItem>")


PAIRS = [Pair(library, *pair) for library, pairs in LIBRARIES.items() for pair in pairs]

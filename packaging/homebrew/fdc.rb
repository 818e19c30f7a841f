# For a tap of your own; there is no public one. homepage, url and sha256 are placeholders, since nothing is
# published yet: put in an archive of the sources and what `sha256sum` says of it. Never tried with brew.
class Fdc < Formula
  desc "Ranks the code behind a failing test and picks the test to look at next"
  homepage "https://example.org/fdc"
  url "https://example.org/fdc/fdc-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]

  # The jars of the Java agent, which go into the program.
  depends_on "maven" => :build
  depends_on "openjdk" => :build
  depends_on "rust" => :build

  def install
    ENV["JAVA_HOME"] = Formula["openjdk"].opt_prefix
    system "scripts/agent"
    system "cargo", "install", *std_cargo_args(path: "crates/fdc-cli"), "--features", "bundled"
    generate_completions_from_executable(bin/"fdc", "completions")
    system bin/"fdc", "man", "--out", buildpath/"man"
    man1.install Dir[buildpath/"man/*.1"]
  end

  test do
    assert_match "fdc #{version}", shell_output("#{bin}/fdc --version")
    assert_match "tiered_discount", shell_output("#{bin}/fdc demo")
  end
end

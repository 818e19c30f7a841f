# make test    everything that can be checked without outside peers (what CI runs)
# make quick   format, lints and the tests of the crates that start no other programs, for daily work
# make java    the jars for JVM projects and the native library, into target/java/ (needs a JDK and Maven)
# make jni     the native library alone, for Java and C
# make evosuite  what tests of `fdc generate evosuite` need: Java 8, EvoSuite's runtime
# make python  tests of the pytest plug-in and of the Python module, in environments under target/
# make vsix    the VS Code extension, editors/vscode/dist/fdc.vsix (needs Node and npm)
# make verify  comparisons with outside tools; run before a release, results in verify/results/
# make model   trains the shipped models again and compares the bytes
# make bench   timings against the yardsticks, raw results in benches/results/
# make fuzz    a short run of every fuzz target (FUZZ_SECONDS each)
# make fmt     format the code

CARGO ?= cargo
MVN ?= mvn
FDC_DATA ?= $(abspath ../shared)
export FDC_DATA
FUZZ_SECONDS ?= 20

TARGET ?= $(or $(CARGO_TARGET_DIR),target)
# Cargo's profile of what is built for Java and Python, and its folder.
export FDC_PROFILE ?= release
BUILT = $(TARGET)/$(if $(filter dev,$(FDC_PROFILE)),debug,$(FDC_PROFILE))

.PHONY: test quick java jni evosuite python vsix fmt lint verify model bench fuzz

# Everything in the dev profile, so that nothing is compiled twice.
test: FDC_PROFILE = dev
test: lint java evosuite
	python/environment
	-scripts/llvm-tools
	$(CARGO) test --workspace --features fdc-cli/png --no-fail-fast
	$(MAKE) python
	FDC=$(BUILT)/fdc models/reproduce --if-data

quick: lint
	$(CARGO) test -p fdc-core -p fdc-source -p fdc-case -p fdc-formats -p fdc-draw -p fdc
	$(CARGO) test -p fdc-cli --test tidy

# The tests of the fitness need the library.
java: jni
	$(MVN) -q -B -f java/pom.xml package
	cp java/agent/target/fdc-agent.jar java/junit/target/fdc-junit.jar java/fitness/target/fdc-fitness.jar java/evosuite/target/fdc-evosuite.jar target/java/

jni:
	$(CARGO) build --profile $(FDC_PROFILE) -p fdc-jni
	mkdir -p target/java
	install -m 755 $(BUILT)/libfdc_jni.so target/java/

# EvoSuite itself comes with `make java`.
evosuite:
	scripts/java8
	$(MVN) -q -B dependency:get -Dtransitive=false -Dartifact=org.evosuite:evosuite-standalone-runtime:1.0.6

python:
	python/test

vsix:
	editors/vscode/package

lint:
	$(CARGO) fmt --all -- --check
	$(CARGO) clippy --workspace --features fdc-cli/png --all-targets -- -D warnings

fmt:
	$(CARGO) fmt --all

verify:
	verify/run

model:
	models/reproduce

bench:
	$(CARGO) build --release
	benches/run

fuzz:
	fuzz/run $(FUZZ_SECONDS)

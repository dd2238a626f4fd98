# The commands that people and CI use. `make demo` first.

.PHONY: setup build demo test test-long test-mpi test-python wheel docs book archive release-check

# Without the examples, which clippy has checked.
TESTS = --workspace --lib --bins --tests

# Compiler libraries, a Vulkan device with sparse residency, the validation layer; nothing that is there already.
setup:
	scripts/setup

build: setup
	cargo build --release --locked

# The snow pipeline on whatever device is here: 8 s of heavy snowfall in 20 pictures.
demo: build
	cargo run --release --locked --quiet -- run pipelines/snow.json --out out/demo --frames 20 \
	    --set run.steps_per_frame=6 --set run.dt=1/15 --set flakes.units=1280 --set 'draw.size=[960,540]'
	@echo "Look at out/demo/view.0001.png to out/demo/view.0020.png: snow covers the hills of Jacksboro."

# Format, lints, tests, documentation. Set-up has found a device, so a test that finds none fails.
# The first lints see the library and its clients without what only tests use.
# Random tests draw the same cases every time; another PROPTEST_RNG_SEED draws others.
# Wide sweeps run in `make test-long` only: see docs/testing.md.
test test-long: export SASTRUGI_REQUIRE_GPU = 1
test test-long: export PROPTEST_RNG_SEED ?= 1
# Kernels that tests and the driver compile are kept in the target directory: compiling them takes most of a first run.
test test-long: export SASTRUGI_CACHE_DIR ?= $(CURDIR)/target/test-cache
test test-long: export MESA_SHADER_CACHE_DIR ?= $(CURDIR)/target/test-cache/mesa
# Vectors of 4 values instead of 8 on lavapipe: kernels compile in a sixth less time. Results are equal; long tests have 8.
test: export LP_NATIVE_VECTOR_WIDTH ?= 128
# Without most passes of optimization they compile in a seventh less time again, and results are equal.
test: export GALLIVM_PERF ?= nopt
# Sweeps run whole.
test-long: export SASTRUGI_LONG = 1
test test-long: export SASTRUGI_SKIPPED ?= $(CURDIR)/target/skipped-tests

# $(call run,OPTIONS OF NEXTEST,OPTIONS OF CARGO TEST): tests, then which of them skipped work, and how many.
define run
@rm -f "$$SASTRUGI_SKIPPED"; \
if cargo nextest --version >/dev/null 2>&1; then set -- nextest run --locked $(TESTS) $(1); \
else set -- test --locked $(TESTS) -- $(2); fi; \
echo cargo "$$@"; cargo "$$@"; status=$$?; \
if [ -s "$$SASTRUGI_SKIPPED" ]; then \
    sort -u "$$SASTRUGI_SKIPPED"; \
    echo "$$(sed 's/: .*//' "$$SASTRUGI_SKIPPED" | sort -u | wc -l) of the passed tests skipped all or a part of their work."; \
fi; exit $$status
endef

test: setup
	cargo fmt --all --check
	@# cargo fmt does not see modules that the macro in src/lib.rs declares.
	find src crates -name '*.rs' -exec rustfmt --check --edition 2024 {} +
	cargo clippy --workspace --locked -- -D warnings
	cargo clippy --workspace --all-targets --locked -- -D warnings
	@# One more than processors: some tests wait.
	$(call run,--test-threads $$(($$(nproc) + 1)),)
	cargo test --locked --doc --workspace
	$(MAKE) docs

# All tests, also those that take long.
test-long: setup
	$(call run,--run-ignored all,--include-ignored)

# Ranks as processes of MPI, which `make test` does not need: docs/ranks.md.
test-mpi: export SASTRUGI_MPI = 1
test-mpi: export SASTRUGI_REQUIRE_GPU = 1
test-mpi: export SASTRUGI_CACHE_DIR ?= $(CURDIR)/target/test-cache
test-mpi: export MESA_SHADER_CACHE_DIR ?= $(CURDIR)/target/test-cache/mesa
test-mpi: setup
	cargo clippy --workspace --all-targets --locked --features mpi -- -D warnings
	cargo test --locked --workspace --features mpi --lib --bins --test program -- ranks:: cut::

# The Python package as a wheel in target/wheels: docs/python.md.
wheel: export SASTRUGI_PYTHON = 1
wheel: setup
	scripts/wheel

# Tests of the wheel in a fresh virtual environment, with NumPy and pytest. SASTRUGI_TORCH=1 adds PyTorch.
test-python: export SASTRUGI_PYTHON = 1
test-python: export SASTRUGI_REQUIRE_GPU = 1
test-python: export SASTRUGI_CACHE_DIR ?= $(CURDIR)/target/test-cache
test-python: export MESA_SHADER_CACHE_DIR ?= $(CURDIR)/target/test-cache/mesa
test-python: setup
	cd crates/python && find src -name '*.rs' -exec rustfmt --check --edition 2024 {} +
	cargo clippy --locked --manifest-path crates/python/Cargo.toml --target-dir target/python -- -D warnings
	scripts/test-python

# The documentation as a book with search, in target/book/html.
book:
	[ -x target/tools/bin/mdbook ] || cargo install --locked --root target/tools mdbook
	scripts/book

# The program for other machines, in target/archives.
archive: setup
	scripts/archive

# Licences, features and packages, before a release.
release-check: setup
	scripts/release-check

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

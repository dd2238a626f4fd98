# The commands that people and CI use. `make demo` first.

.PHONY: setup build demo test test-long docs

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

# Format, lints, tests, documentation. nextest where it is installed: it shows what a test says that had to skip something.
# The first lints see the library and the program without what only tests use.
# Set-up has found a device, so a test that finds none fails.
# Random tests draw the same cases every time; another PROPTEST_RNG_SEED draws others.
# What sweeps widely waits for `make test-long`: see docs/testing.md.
test test-long: export SASTRUGI_REQUIRE_GPU = 1
test test-long: export PROPTEST_RNG_SEED ?= 1
# What tests compile is kept beside what cargo builds, not among the user's own.
test test-long: export SASTRUGI_CACHE_DIR ?= $(CURDIR)/target/test-cache
test: setup
	cargo fmt --check
	cargo clippy --workspace --locked -- -D warnings
	cargo clippy --workspace --all-targets --locked -- -D warnings
	@if cargo nextest --version >/dev/null 2>&1; then \
	    echo cargo nextest run --locked $(TESTS); cargo nextest run --locked $(TESTS); \
	else \
	    echo cargo test --locked $(TESTS) -- --show-output; cargo test --locked $(TESTS) -- --show-output; \
	fi
	cargo test --locked --doc --package sastrugi
	$(MAKE) docs

# Everything that `make test` runs but for format and lints, and what takes long.
test-long: setup
	@if cargo nextest --version >/dev/null 2>&1; then \
	    echo cargo nextest run --locked --run-ignored all $(TESTS); cargo nextest run --locked --run-ignored all $(TESTS); \
	else \
	    echo cargo test --locked $(TESTS) -- --include-ignored; cargo test --locked $(TESTS) -- --include-ignored; \
	fi

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

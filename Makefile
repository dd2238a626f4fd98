# The commands that people and CI use. `make demo` first.

.PHONY: setup build demo test docs

# Compiler libraries, a Vulkan device with sparse residency, the validation layer; nothing that is there already.
setup:
	scripts/setup

build: setup
	cargo build --release --locked

# The snow pipeline on whatever device is here: 16 s of weather in 40 pictures.
demo: build
	cargo run --release --locked --quiet -- run pipelines/snow.json --out out/demo \
	    --frames 40 --set time.steps_per_frame=12
	@echo "Look at out/demo/view.0001.png to out/demo/view.0040.png: snow covers the hills of Jacksboro."

# Format, lints, tests. nextest where it is installed: it shows what a test says that had to skip something.
# Set-up has found a device, so a test that finds none fails.
# Random tests draw the same cases every time; another PROPTEST_RNG_SEED draws others.
test: export SASTRUGI_REQUIRE_GPU = 1
test: export PROPTEST_RNG_SEED ?= 1
test: setup
	cargo fmt --check
	cargo clippy --all-targets --locked -- -D warnings
	@if cargo nextest --version >/dev/null 2>&1; then \
	    echo cargo nextest run --locked; cargo nextest run --locked; \
	else \
	    echo cargo test --locked -- --show-output; cargo test --locked -- --show-output; \
	fi

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked

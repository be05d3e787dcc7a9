# `make` lists the targets. Everything here can be done by hand with CMakePresets.json; CONTRIBUTING.md
# says what each package is for. Longer tests, other machines, sanitizers and benchmarks: tests/more.mk.

.DEFAULT_GOAL := help
.NOTPARALLEL:
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
# The preset that tests are built with; what is installed has its own, package.
PRESET ?= release
BUILD = build/$(PRESET)
SUITE ?=
# Runs tests and notes which are skipped, for `make skips`.
SKIPS = python3 -B tests/skips/skips.py
# What cppcheck takes for defined: the reference system. With nothing it looks at every combination, in twice the time.
CONFIGURATION ?= -D__linux__ -D__x86_64__ -DLDBL_MANT_DIG=64 -DPATE_HAVE_CLP
# CI has ALONE=no and TIDY=--without-style.
ALONE ?= yes
TIDY ?=

PACKAGES := g++ cmake ninja-build libcli11-dev libboost-dev nlohmann-json3-dev libfmt-dev \
            libssl-dev zlib1g-dev libzip-dev coinor-libclp-dev libxsimd-dev libfast-float-dev \
            doctest-dev python3 python3-jsonschema
DEVELOPER_PACKAGES := clang clang-format clang-tidy cppcheck ccache git
INSTALL := sh packaging/install_missing.sh
SOURCES = $(shell find lib cli tests \( -name '*.cpp' -o -name '*.hpp' \) | LC_ALL=C sort)
CONFIGURE_PACKAGE := cmake --preset package --log-level=NOTICE
BUILD_PACKAGE = cmake --build --preset package -j $(JOBS) --target

.PHONY: help deps deps-dev build demo test check test-all skips install deb tarball wheel dist format lint docs hooks clean

help: ## list the targets (the default)
	@grep -hE '^[a-z0-9-]+:.*## ' Makefile | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 14
	@echo "Longer tests, other machines, benchmarks: make -f tests/more.mk lists them."

deps: ## install the Debian packages that are missing (sudo when not root)
	@$(INSTALL) $(PACKAGES)

deps-dev: deps ## also what format and lint need
	@$(INSTALL) $(DEVELOPER_PACKAGES)

build: deps ## build everything, in build/release (PRESET=dev: in build/dev)
	@cmake --preset $(PRESET) --log-level=NOTICE
	@cmake --build --preset $(PRESET) -j $(JOBS)

demo: deps ## build the program and analyse the sample votes
	@$(CONFIGURE_PACKAGE)
	@$(BUILD_PACKAGE) pate
	build/package/pate analyze sample_votes/digits_100_counts.npy --queries 200 \
	  --threshold 60 --sigma1 15 --sigma2 15 --delta 1e-5 \
	  --labels sample_votes/digits_100_labels.npy --summary -o demo-report.json

test: build ## build and run all tests
	@$(SKIPS) ctest $(BUILD) -j $(JOBS)

check: deps ## build and run one suite: SUITE=bounds, a folder of tests, SUITE=step_cost, a file, or SUITE=golden
	@tests/check.sh $(PRESET) $(JOBS) "$(SUITE)"

test-all: build ## what make test leaves out: sanitizers, pages, packages, Slurm, fuzzers, 1,000 random dumps
	@$(MAKE) -f tests/more.mk test-all

skips: ## what make test and make test-all skipped: an error where .ci/skips.txt has no reason for it
	@$(SKIPS) check $(BUILD) .ci/skips.txt

install: deps ## program, manual, completion, library, headers: PREFIX=/usr/local, DESTDIR
	@$(INSTALL) pandoc
	@$(CONFIGURE_PACKAGE)
	@$(BUILD_PACKAGE) installed
	@DESTDIR=$(DESTDIR) cmake --install build/package --prefix $(PREFIX)

deb: deps ## a Debian package, in build/package/package
	@$(INSTALL) dpkg-dev file pandoc
	@$(CONFIGURE_PACKAGE)
	@$(BUILD_PACKAGE) installed
	@cpack --config build/package/CPackConfig.cmake

tarball: ## the program linked statically, for any Linux, in build/package/package
wheel: ## the Python package with the static program in it, for pip, in build/package/package
tarball wheel: deps
	@$(INSTALL) dpkg-dev libgfortran-12-dev pandoc
	@$(CONFIGURE_PACKAGE)
	@$(BUILD_PACKAGE) $@

dist: ## the sources of this commit as an archive that builds without git, in build/dist
	@mkdir -p build/dist
	@version=$$(sed -n 's/^  VERSION //p' CMakeLists.txt) && \
	  git archive --prefix="pate-$$version/" -o "build/dist/pate-$$version.tar.gz" HEAD && \
	  echo "build/dist/pate-$$version.tar.gz"

format: deps-dev ## clang-format all C++ files in place
	@clang-format -i $(SOURCES)

lint: deps-dev ## clang-format, cppcheck, schemas; by clang every file alone, clang-tidy: what changed since
	@clang-format --dry-run -Werror $(SOURCES)
	@for schema in cli/schemas/*.json; do \
	  python3 -m json.tool "$$schema" /dev/null || { echo "in $$schema" >&2; exit 1; }; \
	done
	@cppcheck --quiet --error-exitcode=1 -j $(JOBS) --std=c++20 --enable=warning,performance,portability \
	  $(CONFIGURATION) --suppressions-list=.cppcheck-suppressions -Ilib -I. lib cli
	@cmake --preset tidy --log-level=ERROR > /dev/null
	@[ "$(ALONE)" = no ] || python3 -B tests/lint/alone.py . build/tidy --jobs $(JOBS)
	@python3 -B tests/lint/tidy.py . build/tidy --jobs $(JOBS) $(TIDY)

docs: ## the comments of the library's headers as pages, in build/docs/html
	@$(INSTALL) doxygen
	@mkdir -p build/docs
	@doxygen cmake/Doxyfile
	@echo build/docs/html/index.html

hooks: deps-dev ## git looks at changed files before each commit: format and cppcheck
	@git config core.hooksPath .githooks

clean: ## remove what was built
	rm -rf build demo-report.json

# Targets that are not here: verify, fuzz, bench, coverage and others.
.DEFAULT:
	@$(MAKE) -f tests/more.mk $@

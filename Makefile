# The front door: `make` lists the targets. Everything here can be done by hand with the presets of
# CMakePresets.json; what the packages are for is told in CONTRIBUTING.md.

.DEFAULT_GOAL := help
.NOTPARALLEL:
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
# The preset that tests and benchmarks are built with; what is installed has its own, package.
PRESET ?= release
BUILD = build/$(PRESET)
SUITE ?=
# Rooms whose tests make coverage runs and looks at.
COVERAGE ?= mechanisms divergence accounting release labeling events reports
# Runs tests and notes which are skipped, for `make skips`.
SKIPS = python3 -B tests/skips/skips.py
# Rooms whose tests do not enumerate votes, which takes minutes under a sanitizer: bytes, files, threads, randomness.
SANITIZED_ROOMS := base numerics votes mechanisms inspection labeling events reports
# What runs on several threads.
THREAD_TESTS := *thread*,*parallel_for*,*shard*
# Rooms whose tests make arm64 and make portability run: what touches the system, and arithmetic.
ARM64_ROOMS ?= base numerics votes mechanisms
PORTABLE_ROOMS ?= base numerics mechanisms
OTHER_COMPILERS ?= g++-11 clang++-14 clang++-15 clang++-16 clang++-19 clang++-19-libc++
DEBIAN13_COMPILERS ?= g++-13 g++-14 clang++-17 clang++-18
ARM64_PACKAGES := g++-aarch64-linux-gnu qemu-user mmdebstrap
THREAD_ROOMS := base labeling inspection divergence
# Those that CI has time for; the rest is for the night.
CI_SANITIZED_ROOMS := base votes
CI_THREAD_ROOMS := base
# Those whose tests CI runs in a debug build: arithmetic without optimization, and readers, with assertions.
CI_CHECKED_ROOMS := numerics votes
# What make test-all does at random at last, each on one processor: the longest first.
RANDOM_RUNS = \
  "PATE_RANDOM_DUMPS=1000 $(BUILD)/tests/test_accounting --test-case='random dumps*' --test-case-exclude='*certificate*'" \
  "PATE_DECLARED_CONFIGURATIONS=2500 $(BUILD)/tests/test_release --test-case='declared budget: test and run*'" \
  "PATE_DECLARED_CONFIGURATIONS=1000 $(BUILD)/tests/test_release --test-case='complex orders: test and run*'" \
  "PATE_CURVE_CONFIGURATIONS=1000 $(BUILD)/tests/test_release --test-case='complex curve: an epsilon*'" \
  "PATE_RANDOM_DUMPS=1000 $(BUILD)/tests/test_accounting --test-case='random dumps: the certificate*'"
# What cppcheck takes for defined: the reference system. With nothing it looks at every combination, in twice the time.
CONFIGURATION ?= -D__linux__ -D__x86_64__ -DLDBL_MANT_DIG=64 -DPATE_HAVE_CLP
# CI has ALONE=no and TIDY=--without-style.
ALONE ?= yes
TIDY ?=
SECONDS ?= 60
FUZZ ?= --seconds $(SECONDS)
CASES ?= 100000

PACKAGES := g++ cmake ninja-build libcli11-dev libboost-dev nlohmann-json3-dev libfmt-dev \
            libssl-dev zlib1g-dev libzip-dev coinor-libclp-dev libxsimd-dev libfast-float-dev \
            doctest-dev python3 python3-jsonschema
# What make test-all needs besides.
TEST_PACKAGES := pkg-config gnuplot-nox chromium python3-pandas parallel pandoc slurm-wlm munge \
                 zsh fish python3-torch python3-scipy jupyter-nbconvert python3-ipykernel mypy ruby python3-yaml \
                 python3-venv strace git dpkg-dev file
DEVELOPER_PACKAGES := clang clang-format clang-tidy cppcheck ccache git

SOURCES = $(shell find lib cli tests \( -name '*.cpp' -o -name '*.hpp' \) | LC_ALL=C sort)
SCHEMAS = $(wildcard cli/schemas/*.json)

# Installs those of the Debian packages $(1) that are missing. With none missing it is quick, needs
# neither network nor root, and says nothing.
define install_missing
if [ "$${PATE_SKIP_DEPS:-0}" = 1 ]; then exit 0; fi; \
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then \
  { echo "This system has no apt-get. pate wants what Debian 12 has under these names:"; \
    printf '  %s\n' $(1); \
    echo "Install them your way, then say that they are there: make PATE_SKIP_DEPS=1 ..."; } >&2; \
  exit 1; \
fi; \
missing=; \
for package in $(1); do \
  [ "$$(dpkg-query -W -f='$${db:Status-Status}' "$$package" 2>/dev/null)" = installed ] || \
    missing="$$missing $$package"; \
done; \
if [ -z "$$missing" ]; then exit 0; fi; \
as_root=; \
if [ "$$(id -u)" -ne 0 ]; then \
  if ! command -v sudo >/dev/null; then \
    echo "Missing packages, and neither root nor sudo to install them. As root:" >&2; \
    echo "  apt-get update && apt-get install -y$$missing" >&2; \
    exit 1; \
  fi; \
  as_root=sudo; \
fi; \
echo "Installing$${as_root:+ with sudo}:$$missing"; \
$$as_root apt-get update -q && \
$$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $$missing
endef

.PHONY: help
help: ## list the targets (the default)
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 14

.PHONY: deps
deps: ## install the Debian packages that are missing (sudo when not root)
	@$(call install_missing,$(PACKAGES))

.PHONY: deps-dev
deps-dev: deps ## also what format and lint need
	@$(call install_missing,$(DEVELOPER_PACKAGES))

.PHONY: build
build: deps ## build everything, in build/release (PRESET=dev: in build/dev)
	@cmake --preset $(PRESET) --log-level=NOTICE
	@cmake --build --preset $(PRESET) -j $(JOBS)

.PHONY: demo
demo: deps ## build the program and analyse the sample votes
	@cmake --preset package --log-level=NOTICE
	@cmake --build --preset package --target pate -j $(JOBS)
	build/package/pate analyze sample_votes/digits_100_counts.npy --queries 200 \
	  --threshold 60 --sigma1 15 --sigma2 15 --delta 1e-5 \
	  --labels sample_votes/digits_100_labels.npy --summary -o demo-report.json

.PHONY: test
test: build ## build and run all tests
	@$(SKIPS) ctest $(BUILD) -j $(JOBS)

.PHONY: check
check: deps ## build and run one suite: SUITE=bounds, a folder of tests, SUITE=step_cost, a file, or SUITE=golden
	@tests/check.sh $(PRESET) $(JOBS) "$(SUITE)"

.PHONY: test-all
test-all: build ## what make test leaves out: public headers alone, sanitizers, pages, Slurm, 1,000 random dumps
	@$(call install_missing,$(TEST_PACKAGES))
	@$(SKIPS) run $(BUILD) page python3 tests/docs/page_test.py $(BUILD)/pate . build/axe
	@$(SKIPS) run $(BUILD) slurm python3 tests/docs/slurm_test.py $(BUILD)/pate .
	@$(MAKE) tarball
	@$(SKIPS) again $(BUILD) -j $(JOBS)
	@$(SKIPS) run $(BUILD) tarball tests/install/tarball_test.sh $(CURDIR)/build/package
	@$(MAKE) wheel
	@$(SKIPS) run $(BUILD) wheel /usr/bin/python3 -B tests/python/wheel_test.py $(BUILD)/pate . \
	  build/package/package/pate_accountant-*.whl
	@$(SKIPS) run $(BUILD) dist tests/install/dist_test.sh $(CURDIR)/build/package
	@$(MAKE) fuzz FUZZ="--runs 4000"
	@$(MAKE) sanitize-suites
	@$(MAKE) checked-suites
	@$(MAKE) mutants-changed
	@cmake --build --preset $(PRESET) --target headers -j $(JOBS)
	@printf '%s\n' $(RANDOM_RUNS) | xargs -d '\n' -P $(JOBS) -n 1 sh -c
	@$(MAKE) verify CASES=2000

.PHONY: skips
skips: ## what make test and make test-all skipped: an error where .ci/skips.txt has no reason for it
	@$(SKIPS) check $(BUILD) .ci/skips.txt

.PHONY: test-nightly
test-nightly: ## what takes hours: clang-tidy with its analyzer, all under sanitizers, fuzzers, mutants, coverage
	@$(MAKE) tidy
	@$(MAKE) lint CONFIGURATION=
	@$(MAKE) test PRESET=dev
	@$(MAKE) test-all PRESET=release
	@$(MAKE) extended
	@$(MAKE) arm64
	@$(MAKE) arm64-wheel
	@$(MAKE) portability
	@$(MAKE) debian13
	@$(MAKE) sanitize
	@$(MAKE) fuzz SECONDS=3600
	@$(MAKE) verify CASES=100000
	@$(MAKE) mutants MUTANTS="--count 1000"
	@python3 tests/cli/misread_votes_test.py build/release/pate 200 2000
	@PATE_MUTATED_FILES=3000 python3 tests/cli/hostile_test.py build/release/pate HostileTest.test_mutated_files_are_read_or_refused
	@/usr/bin/python3 tests/cli/lines_that_help_test.py build/release/pate 12
	@PATE_FAILING_ALLOCATIONS=3000 ctest --preset release --no-tests=error -R '^fail_once$$'
	@PATE_RANDOM_DUMPS=10000 build/release/tests/test_accounting --test-case='random dumps*'
	@PATE_DECLARED_CONFIGURATIONS=5000 PATE_CURVE_CONFIGURATIONS=2000 build/release/tests/test_release \
	  --test-case='declared budget: test and run*,complex orders: test and run*,complex curve: an epsilon*'
	@$(MAKE) coverage

# What others are compared with.
.PHONY: program
program: deps
	@cmake --preset $(PRESET) --log-level=NOTICE
	@cmake --build --preset $(PRESET) --target pate -j $(JOBS)

.PHONY: arm64
arm64: program ## suites of rooms cross-compiled for arm64, under qemu; LONGEST=60, of quick cases; the program's numbers beside this machine's
	@$(call install_missing,$(ARM64_PACKAGES))
	@PATE=$(BUILD)/pate LONGEST=$(LONGEST) tests/portability/arm64.sh $(JOBS) $(ARM64_ROOMS)

.PHONY: arm64-wheel
arm64-wheel: deps ## the static tarball and the wheel of arm64, cross-compiled, in build/arm64/package; checked
	@$(call install_missing,$(ARM64_PACKAGES) dpkg-dev pandoc python3-pip python3-numpy)
	@tests/portability/arm64_packages.sh $(JOBS)

.PHONY: portability
portability: program ## the program and suites of rooms by other compilers (OTHER_COMPILERS), numbers beside g++ 12's
	@$(call install_missing,g++-11 clang-14 clang-15 clang-16 clang-19 libc++-19-dev libc++abi-19-dev)
	@PATE=$(BUILD)/pate ROOMS="$(PORTABLE_ROOMS)" tests/portability/compilers.sh $(JOBS) $(OTHER_COMPILERS)

.PHONY: debian13
debian13: program ## the same by compilers of Debian 13 (DEBIAN13_COMPILERS), in a bare system of it; root, network
	@$(call install_missing,mmdebstrap)
	@PATE=$(BUILD)/pate ROOMS="$(PORTABLE_ROOMS)" tests/portability/debian13.sh $(JOBS) $(DEBIAN13_COMPILERS)

.PHONY: extended
extended: deps ## suites of what needs more than doubles, as on machines whose long double is a double
	@cmake --preset release -B build/extended --log-level=NOTICE -DPATE_SOFTWARE_EXTENDED=ON \
	  -DCMAKE_UNITY_BUILD=ON -DPATE_BENCHMARKS=OFF
	@cmake --build build/extended -j $(JOBS) --target test_divergence test_release test_studies
	@build/extended/tests/test_divergence --minimal --source-file='*/bounds/*,*/rdp/*'
	@build/extended/tests/test_release --minimal --source-file='*/release/sensitivity/*'
	@build/extended/tests/test_studies --minimal --source-file='*/darrm/*'

.PHONY: gallery
gallery: build ## draw the pictures of cli/commands/plot.md again
	@$(call install_missing,gnuplot-nox)
	@python3 tests/docs/gallery.py $(BUILD)/pate . --update

.PHONY: install
install: deps ## program, manual, completion, library, headers: PREFIX=/usr/local, DESTDIR
	@$(call install_missing,pandoc)
	@cmake --preset package --log-level=NOTICE
	@cmake --build --preset package --target installed -j $(JOBS)
	@DESTDIR=$(DESTDIR) cmake --install build/package --prefix $(PREFIX)

.PHONY: deb
deb: deps ## a Debian package, in build/package/package
	@$(call install_missing,dpkg-dev file)
	@$(call install_missing,pandoc)
	@cmake --preset package --log-level=NOTICE
	@cmake --build --preset package --target installed -j $(JOBS)
	@cpack --config build/package/CPackConfig.cmake

.PHONY: tarball
tarball: deps ## the program linked statically, for any Linux, in build/package/package
	@$(call install_missing,dpkg-dev libgfortran-12-dev pandoc)
	@cmake --preset package --log-level=NOTICE
	@cmake --build --preset package --target tarball -j $(JOBS)

.PHONY: wheel
wheel: deps ## the Python package with the static program in it, for pip, in build/package/package
	@$(call install_missing,dpkg-dev libgfortran-12-dev pandoc)
	@cmake --preset package --log-level=NOTICE
	@cmake --build --preset package --target wheel -j $(JOBS)

.PHONY: dist
dist: ## the sources of this commit as an archive that builds without git, in build/dist
	@mkdir -p build/dist
	@version=$$(sed -n 's/^  VERSION //p' CMakeLists.txt) && \
	  git archive --prefix="pate-$$version/" -o "build/dist/pate-$$version.tar.gz" HEAD && \
	  echo "build/dist/pate-$$version.tar.gz"

.PHONY: bench
bench: deps ## time whole runs beside their limits, count instructions: an hour; rewrites a table of tests/bench
	@$(call install_missing,valgrind)
	@cmake --preset $(PRESET) --log-level=NOTICE
	@cmake --build --preset $(PRESET) --target bench -j $(JOBS)

.PHONY: bench-memory
bench-memory: deps ## peak memory of pate on a file of 4 GB, which is made and deleted
	@cmake --preset $(PRESET) --log-level=NOTICE
	@cmake --build --preset $(PRESET) --target bench-memory -j $(JOBS)

.PHONY: format
format: deps-dev ## clang-format all C++ files in place
	@clang-format -i $(SOURCES)

.PHONY: lint
lint: deps-dev ## clang-format, cppcheck, schemas; by clang every file alone, clang-tidy: what changed since
	@clang-format --dry-run -Werror $(SOURCES)
	@for schema in $(SCHEMAS); do \
	  python3 -m json.tool "$$schema" /dev/null || { echo "in $$schema" >&2; exit 1; }; \
	done
	@cppcheck --quiet --error-exitcode=1 -j $(JOBS) --std=c++20 --enable=warning,performance,portability \
	  $(CONFIGURATION) --suppressions-list=.cppcheck-suppressions -Ilib -I. lib cli
	@cmake --preset tidy --log-level=ERROR > /dev/null
	@[ "$(ALONE)" = no ] || python3 -B tests/lint/alone.py . build/tidy --jobs $(JOBS)
	@python3 -B tests/lint/tidy.py . build/tidy --jobs $(JOBS) $(TIDY)

.PHONY: tidy
tidy: deps-dev ## clang-tidy with its static analyzer, on all that changed since it was clean: half an hour at first
	@cmake --preset tidy --log-level=NOTICE
	@python3 -B tests/lint/tidy.py . build/tidy --jobs $(JOBS) --analyzer

.PHONY: docs
docs: ## the comments of the library's headers as pages, in build/docs/html
	@$(call install_missing,doxygen)
	@mkdir -p build/docs
	@doxygen cmake/Doxyfile
	@echo build/docs/html/index.html

.PHONY: hooks
hooks: deps-dev ## git looks at changed files before each commit: format and cppcheck
	@git config core.hooksPath .githooks

.PHONY: sanitize
sanitize: deps ## all tests under the address and undefined-behaviour, then the thread sanitizer
	@for preset in asan-ubsan tsan; do \
	  cmake --preset $$preset --log-level=NOTICE && cmake --build --preset $$preset -j $(JOBS) && \
	    ctest --preset $$preset -j $(JOBS) || exit 1; \
	done

.PHONY: sanitize-quick
sanitize-quick: deps ## rooms without enumerations under address and undefined, threads under the thread sanitizer
	@tests/sanitize.sh asan-ubsan $(JOBS) '*' $(SANITIZED_ROOMS)
	@tests/sanitize.sh tsan $(JOBS) '$(THREAD_TESTS)' $(THREAD_ROOMS)

# The fuzzers have built the library with clang, under the address and undefined-behaviour sanitizers.
.PHONY: sanitize-suites
sanitize-suites: deps ## the part of make sanitize that make test-all has time for
	@tests/sanitize.sh fuzz $(JOBS) '*' $(CI_SANITIZED_ROOMS)
	@tests/sanitize.sh tsan $(JOBS) '$(THREAD_TESTS)' $(CI_THREAD_ROOMS)

.PHONY: checked-suites
checked-suites: deps ## a debug build of rooms, with the assertions of the standard library, and their tests
	@tests/sanitize.sh checked $(JOBS) '*' $(CI_CHECKED_ROOMS)

.PHONY: coverage
coverage: deps ## lines and branches that the unit tests execute, by room: COVERAGE="release labeling", rooms; LONGEST=9, of quick cases; ALSO=cli, of other tests too; GOLDEN=yes, of golden cases
	@cmake --preset coverage --log-level=NOTICE
	@cmake --build --preset coverage -j $(JOBS) --target $(COVERAGE:%=test_%) $(ALSO:%=test_%) $(if $(GOLDEN),pate)
	@python3 -B tests/coverage/coverage.py . build/coverage $(COVERAGE) $(if $(LONGEST),--longest $(LONGEST) --jobs $(JOBS)) \
	  $(if $(ALSO),--also $(ALSO)) $(if $(GOLDEN),--golden)

.PHONY: verify
verify: build ## random cases over the whole domain beside the formulas at 100 digits (CASES=100000)
	@cmake --build --preset $(PRESET) --target pate_verify -j $(JOBS)
	@$(BUILD)/tests/verify/pate_verify --cases $(CASES)

.PHONY: fuzz
fuzz: deps ## every fuzzer, on from the inputs in tests/fuzz (SECONDS=60)
	@$(call install_missing,clang libclang-rt-14-dev)
	@cmake --preset fuzz --log-level=NOTICE
	@cmake --build --preset fuzz --target fuzzers -j $(JOBS)
	@python3 tests/fuzz/fuzz.py build/fuzz --jobs $(JOBS) $(FUZZ)

.PHONY: mutants
mutants: build ## changes operators and constants, forgets statements: do the tests notice? MUTANTS="--seed 2" changes others
	@nice -n 10 python3 tests/mutants/mutants.py . $(BUILD) build/mutants --jobs $(JOBS) $(MUTANTS)

.PHONY: mutants-changed
mutants-changed: build ## mutants of what changed since the commit before, or since the branch left origin/main
	@$(SKIPS) run $(BUILD) mutants_changed python3 -B tests/mutants/changed.py . $(BUILD) build/mutants-changed --jobs $(JOBS)

.PHONY: clean
clean: ## remove what was built
	rm -rf build demo-report.json

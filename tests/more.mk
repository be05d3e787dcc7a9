# Tests beside `make test`, and what takes hours: `make -f tests/more.mk` lists the targets.

.DEFAULT_GOAL := help
.NOTPARALLEL:
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc 2>/dev/null || echo 1)
PRESET ?= release
BUILD = build/$(PRESET)
SKIPS = python3 -B tests/skips/skips.py
INSTALL := sh packaging/install_missing.sh
MORE = $(MAKE) -f tests/more.mk

# Rooms whose tests make coverage runs and looks at.
COVERAGE ?= mechanisms divergence accounting release labeling events reports
# Rooms whose tests do not enumerate votes, which takes minutes under a sanitizer: bytes, files, threads, randomness.
SANITIZED_ROOMS := base numerics votes mechanisms inspection labeling events reports
# What runs on several threads.
THREAD_TESTS := *thread*,*parallel_for*,*shard*
THREAD_ROOMS := base labeling inspection divergence
# Those that CI has time for; the rest is for the night.
CI_SANITIZED_ROOMS := base votes
CI_THREAD_ROOMS := base
# Those whose tests CI runs in a debug build: arithmetic without optimization, and readers, with assertions.
CI_CHECKED_ROOMS := numerics votes
# Rooms whose tests arm64 and portability run: what touches the system, and arithmetic.
ARM64_ROOMS ?= base numerics votes mechanisms
PORTABLE_ROOMS ?= base numerics mechanisms
OTHER_COMPILERS ?= g++-11 clang++-14 clang++-15 clang++-16 clang++-19 clang++-19-libc++
DEBIAN13_COMPILERS ?= g++-13 g++-14 clang++-17 clang++-18
ARM64_PACKAGES := g++-aarch64-linux-gnu qemu-user mmdebstrap
TEST_PACKAGES := pkg-config gnuplot-nox chromium python3-pandas parallel pandoc slurm-wlm munge \
                 zsh fish python3-torch python3-scipy jupyter-nbconvert python3-ipykernel mypy ruby python3-yaml \
                 python3-venv strace git dpkg-dev file
SECONDS ?= 60
FUZZ ?= --seconds $(SECONDS)
CASES ?= 100000
# What test-all does at random at last, each on one processor: the longest first.
RANDOM_RUNS = \
  "PATE_RANDOM_DUMPS=1000 $(BUILD)/tests/test_accounting --test-case='random dumps*' --test-case-exclude='*certificate*'" \
  "PATE_DECLARED_CONFIGURATIONS=2500 $(BUILD)/tests/test_release --test-case='declared budget: test and run*'" \
  "PATE_DECLARED_CONFIGURATIONS=1000 $(BUILD)/tests/test_release --test-case='complex orders: test and run*'" \
  "PATE_CURVE_CONFIGURATIONS=1000 $(BUILD)/tests/test_release --test-case='complex curve: an epsilon*'" \
  "PATE_RANDOM_DUMPS=1000 $(BUILD)/tests/test_accounting --test-case='random dumps: the certificate*'"

.PHONY: help deps build program test-all test-nightly verify fuzz mutants mutants-changed coverage sanitize \
        sanitize-quick sanitize-suites checked-suites tidy extended portability debian13 arm64 arm64-wheel \
        gallery bench bench-memory

help: ## list the targets: make TARGET, or make -f tests/more.mk TARGET; PRESET=package for another build
	@grep -hE '^[a-z0-9-]+:.*## ' tests/more.mk | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 17

deps build:
	@$(MAKE) $@

# What others are compared with.
program: deps
	@cmake --preset $(PRESET) --log-level=NOTICE
	@cmake --build --preset $(PRESET) --target pate -j $(JOBS)

test-all: ## what make test-all runs, after make build
	@$(INSTALL) $(TEST_PACKAGES)
	@$(SKIPS) run $(BUILD) page python3 tests/docs/page_test.py $(BUILD)/pate . build/axe
	@$(SKIPS) run $(BUILD) slurm python3 tests/docs/slurm_test.py $(BUILD)/pate .
	@$(MAKE) tarball
	@$(SKIPS) again $(BUILD) -j $(JOBS)
	@$(SKIPS) run $(BUILD) tarball tests/install/tarball_test.sh $(CURDIR)/build/package
	@$(MAKE) wheel
	@$(SKIPS) run $(BUILD) wheel /usr/bin/python3 -B tests/python/wheel_test.py $(BUILD)/pate . \
	  build/package/package/pate_accountant-*.whl
	@$(SKIPS) run $(BUILD) dist tests/install/dist_test.sh $(CURDIR)/build/package
	@$(MORE) fuzz FUZZ="--runs 4000"
	@$(MORE) sanitize-suites
	@$(MORE) checked-suites
	@$(MORE) mutants-changed
	@cmake --build --preset $(PRESET) --target headers -j $(JOBS)
	@printf '%s\n' $(RANDOM_RUNS) | xargs -d '\n' -P $(JOBS) -n 1 sh -c
	@$(MORE) verify CASES=2000

test-nightly: ## what takes hours: clang-tidy with its analyzer, other machines, sanitizers, fuzzers, mutants, coverage
	@$(MORE) tidy
	@$(MAKE) lint CONFIGURATION=
	@$(MAKE) test PRESET=dev
	@$(MAKE) test-all PRESET=release
	@$(MORE) extended
	@$(MORE) arm64
	@$(MORE) arm64-wheel
	@$(MORE) portability
	@$(MORE) debian13
	@$(MORE) sanitize
	@$(MORE) fuzz SECONDS=3600
	@$(MORE) verify CASES=100000
	@$(MORE) mutants MUTANTS="--count 1000"
	@python3 tests/cli/misread_votes_test.py build/release/pate 200 2000
	@PATE_MUTATED_FILES=3000 python3 tests/cli/hostile_test.py build/release/pate HostileTest.test_mutated_files_are_read_or_refused
	@/usr/bin/python3 tests/cli/lines_that_help_test.py build/release/pate 12
	@PATE_FAILING_ALLOCATIONS=3000 ctest --preset release --no-tests=error -R '^fail_once$$'
	@PATE_RANDOM_DUMPS=10000 build/release/tests/test_accounting --test-case='random dumps*'
	@PATE_DECLARED_CONFIGURATIONS=5000 PATE_CURVE_CONFIGURATIONS=2000 build/release/tests/test_release \
	  --test-case='declared budget: test and run*,complex orders: test and run*,complex curve: an epsilon*'
	@$(MORE) coverage

verify: build ## random cases over the whole domain beside the formulas at 100 digits (CASES=100000)
	@cmake --build --preset $(PRESET) --target pate_verify -j $(JOBS)
	@$(BUILD)/tests/verify/pate_verify --cases $(CASES)

fuzz: deps ## every fuzzer, on from the inputs in tests/fuzz (SECONDS=60)
	@$(INSTALL) clang libclang-rt-14-dev
	@cmake --preset fuzz --log-level=NOTICE
	@cmake --build --preset fuzz --target fuzzers -j $(JOBS)
	@python3 tests/fuzz/fuzz.py build/fuzz --jobs $(JOBS) $(FUZZ)

mutants: build ## changes operators and constants, forgets statements: do the tests notice? MUTANTS="--seed 2" changes others
	@nice -n 10 python3 tests/mutants/mutants.py . $(BUILD) build/mutants --jobs $(JOBS) $(MUTANTS)

mutants-changed: build ## mutants of what changed since the commit before, or since the branch left origin/main
	@$(SKIPS) run $(BUILD) mutants_changed python3 -B tests/mutants/changed.py . $(BUILD) build/mutants-changed --jobs $(JOBS)

coverage: deps ## lines and branches that unit tests execute, by room: COVERAGE="release labeling"; LONGEST=9, of quick cases; ALSO=cli; GOLDEN=yes
	@cmake --preset coverage --log-level=NOTICE
	@cmake --build --preset coverage -j $(JOBS) --target $(COVERAGE:%=test_%) $(ALSO:%=test_%) $(if $(GOLDEN),pate)
	@python3 -B tests/coverage/coverage.py . build/coverage $(COVERAGE) $(if $(LONGEST),--longest $(LONGEST) --jobs $(JOBS)) \
	  $(if $(ALSO),--also $(ALSO)) $(if $(GOLDEN),--golden)

sanitize: deps ## all tests under the address and undefined-behaviour, then the thread sanitizer
	@for preset in asan-ubsan tsan; do \
	  cmake --preset $$preset --log-level=NOTICE && cmake --build --preset $$preset -j $(JOBS) && \
	    ctest --preset $$preset -j $(JOBS) || exit 1; \
	done

sanitize-quick: deps ## rooms without enumerations under address and undefined, threads under the thread sanitizer
	@tests/sanitize.sh asan-ubsan $(JOBS) '*' $(SANITIZED_ROOMS)
	@tests/sanitize.sh tsan $(JOBS) '$(THREAD_TESTS)' $(THREAD_ROOMS)

# The fuzzers have built the library with clang, under the address and undefined-behaviour sanitizers.
sanitize-suites: deps ## the part of sanitize that test-all has time for
	@tests/sanitize.sh fuzz $(JOBS) '*' $(CI_SANITIZED_ROOMS)
	@tests/sanitize.sh tsan $(JOBS) '$(THREAD_TESTS)' $(CI_THREAD_ROOMS)

checked-suites: deps ## a debug build of rooms, with the assertions of the standard library, and their tests
	@tests/sanitize.sh checked $(JOBS) '*' $(CI_CHECKED_ROOMS)

tidy: ## clang-tidy with its static analyzer, on all that changed since it was clean: half an hour at first
	@$(MAKE) deps-dev
	@cmake --preset tidy --log-level=NOTICE
	@python3 -B tests/lint/tidy.py . build/tidy --jobs $(JOBS) --analyzer

extended: deps ## suites of what needs more than doubles, as on machines whose long double is a double
	@cmake --preset release -B build/extended --log-level=NOTICE -DPATE_SOFTWARE_EXTENDED=ON \
	  -DCMAKE_UNITY_BUILD=ON -DPATE_BENCHMARKS=OFF
	@cmake --build build/extended -j $(JOBS) --target test_divergence test_release test_studies
	@build/extended/tests/test_divergence --minimal --source-file='*/bounds/*,*/rdp/*'
	@build/extended/tests/test_release --minimal --source-file='*/release/sensitivity/*'
	@build/extended/tests/test_studies --minimal --source-file='*/darrm/*'

portability: program ## the program and suites of rooms by other compilers (OTHER_COMPILERS), numbers beside g++ 12's
	@$(INSTALL) g++-11 clang-14 clang-15 clang-16 clang-19 libc++-19-dev libc++abi-19-dev
	@PATE=$(BUILD)/pate ROOMS="$(PORTABLE_ROOMS)" tests/portability/compilers.sh $(JOBS) $(OTHER_COMPILERS)

debian13: program ## the same by compilers of Debian 13 (DEBIAN13_COMPILERS), in a bare system of it; root, network
	@$(INSTALL) mmdebstrap
	@PATE=$(BUILD)/pate ROOMS="$(PORTABLE_ROOMS)" tests/portability/debian13.sh $(JOBS) $(DEBIAN13_COMPILERS)

arm64: program ## suites of rooms cross-compiled for arm64, under qemu; LONGEST=60, of quick cases; numbers beside this machine's
	@$(INSTALL) $(ARM64_PACKAGES)
	@PATE=$(BUILD)/pate LONGEST=$(LONGEST) tests/portability/arm64.sh $(JOBS) $(ARM64_ROOMS)

arm64-wheel: deps ## the static tarball and the wheel of arm64, cross-compiled, in build/arm64/package; checked
	@$(INSTALL) $(ARM64_PACKAGES) dpkg-dev pandoc python3-pip python3-numpy
	@tests/portability/arm64_packages.sh $(JOBS)

gallery: build ## draw the pictures of cli/commands/plot.md again
	@$(INSTALL) gnuplot-nox
	@python3 tests/docs/gallery.py $(BUILD)/pate . --update

bench: deps ## time whole runs beside their limits, count instructions: an hour; rewrites a table of tests/bench
	@$(INSTALL) valgrind
	@cmake --preset $(PRESET) --log-level=NOTICE
	@cmake --build --preset $(PRESET) --target bench -j $(JOBS)

bench-memory: deps ## peak memory of pate on a file of 4 GB, which is made and deleted
	@cmake --preset $(PRESET) --log-level=NOTICE
	@cmake --build --preset $(PRESET) --target bench-memory -j $(JOBS)

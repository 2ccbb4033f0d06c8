# Names for what CMake, ctest and scripts/ do. `make help` lists them. INSTALL=no leaves Debian packages alone.
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: help demo test test-gpu coverage torture bench install uninstall package wheel lint format clean
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: ## build, profile an example (on the simulated GPU where there is no real one), print its report
	@scripts/announce "the build=4" "the example=1"
	@scripts/install-packages build
	@scripts/demo

test: ## build and run every test; what fails is repeated once, alone
	@scripts/announce "the build=12" "the tests=27"
	@scripts/install-packages build test
	@scripts/build debug
	@scripts/run-tests debug -j "$$(($$(nproc) + 1))"

test-gpu: ## the end-to-end tests again, on this machine's GPU
	@scripts/install-packages build test
	@scripts/build debug
	@XFERSPY_TEST_GPU=1 ctest --preset debug -L gpu

coverage: ## run every test with counters; print which share of the lines of each folder runs
	@scripts/install-packages build test coverage
	@scripts/coverage

torture: ## hostile files, kills, busy machines for half an hour (TORTURE="--minutes 5 forgeries" for less)
	@scripts/install-packages build test
	@scripts/build debug
	@tests/torture/run $(TORTURE)

bench: ## measure what profiling costs (docs/develop/measurements.md)
	@scripts/install-packages build
	@scripts/build release
	@tests/bench/run build/release
	@tests/bench/run-start --build build/release
	@tests/bench/run-programs --build build/release --time-limit $(or $(BENCH_SECONDS),1800)

install: ## build and install below PREFIX (default /usr/local); DESTDIR is honoured
	@scripts/install-packages build
	@scripts/build release -DCMAKE_INSTALL_PREFIX="$(PREFIX)"
	@DESTDIR="$(DESTDIR)" cmake --install build/release
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

uninstall: ## remove what the last `make install` of this folder put there (DESTDIR as then)
	@if [ ! -f build/release/install_manifest.txt ]; then echo "uninstall: nothing was installed from here" >&2; exit 1; fi
	@while IFS= read -r file || [ -n "$$file" ]; do \
		rm -f "$(DESTDIR)$$file"; folder=$$(dirname "$(DESTDIR)$$file"); \
		while case $$folder in *xferspy*) rmdir "$$folder" 2>/dev/null ;; *) false ;; esac; do \
			folder=$$(dirname "$$folder"); \
		done; \
	done <build/release/install_manifest.txt
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

package: ## build deb, rpm and tar.gz into build/release/packages
	@scripts/install-packages build package
	@scripts/build release
	@umask 022 && cd build/release && cpack # the deb has the permissions of the files that cpack makes

wheel: ## build a wheel with program, library and the Python package into build/release/packages
	@scripts/install-packages build package
	@scripts/build release
	@umask 022 && scripts/make-wheel build/release build/release/packages

lint: ## clang-format, includes, sentences, quotes, links, recipes, columns, clang-tidy, cppcheck
	@scripts/install-packages build test lint
	@scripts/lint

format: ## rewrite the sources with clang-format
	@scripts/install-packages lint
	@scripts/lint --fix

clean: ## remove build/
	@rm -rf build

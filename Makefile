# kem: the front door. `make help` lists what there is. The native side is built by CMake (CMakePresets.json),
# the Erlang side by rebar3 (rebar.config); this file only puts the two in order.
.DEFAULT_GOAL := help
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BEAMS := _build/default/lib/kem/ebin
# Containers often set neither; erl refuses to start without the first and prints ? for non-ASCII without the other.
ifeq ($(HOME),)
export HOME := /tmp
endif
ifeq ($(LC_ALL)$(LC_CTYPE)$(LANG),)
export LC_ALL := C.UTF-8
endif
export NINJA_STATUS := [%f/%t %es] # finished/total, seconds so far

# native PRESET[,TARGET...]: configure if need be, then build.
native = cmake --preset $(1) $(if $(wildcard build$(patsubst -release,,-$(1))/build.ninja),--log-level=NOTICE) \
  && cmake --build --preset $(1) -j $(JOBS) $(if $(2),--target $(2))

.PHONY: help deps deps-test deps-check build demo test test-swiftshader bench peers eval shell
.PHONY: instructions format check-format dialyzer xref tidy asan asan-nif tsan clang fuzz corpus verdicts clean

help: ## this list
	@echo 'make TARGET [JOBS=n]'
	@sed -n 's/^\([a-z-]*\):.*## /  \1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r t d; do printf '%-20s%s\n' "$$t" "$$d"; done

deps: ## install what building and the demo need (nothing to do: no network, no rights needed)
	@tools/deps build
deps-test: deps
	@tools/deps test
deps-check: deps-test
	@tools/deps check

build: deps ## the command line at build/kem, the NIF at priv/kem_nif.so, the Erlang side
	@echo '== native code (release)'
	@$(call native,release)
	@echo '== Erlang code'
	@rebar3 compile
	@echo 'built: build/kem, priv/kem_nif.so, $(BEAMS)'

demo: build ## double numbers, glitch and pixelize a picture, through the NIF; pictures in demo-out/
	@echo '== demo'
	@escript tools/demo.escript demo-out

# CTest's presets turn Vulkan's validation layer on. EUnit runs without it: its tests halt the VM while jobs run, and
# the layer's own static objects do not survive that.
test: deps-test build ## every suite: native, GPU, command line, Erlang
	@echo '== native code (debug, every check on)'
	@$(call native,dev)
	@echo '== native tests'
	@ctest --preset dev -j $(JOBS)
	@echo '== Erlang tests'
	@rebar3 eunit
	@echo 'all suites passed'

# What runs on a device gives the same bytes on another driver. Without one the native tests would skip themselves. The
# test left out is of times: its kernel's first slice, of 256 workgroups, takes seconds there.
SWIFTSHADER_ICD = $(CURDIR)/build/swiftshader/vk_swiftshader_icd.json
test-swiftshader: deps-test ## the tests that run kernels, on a second Vulkan driver: SwiftShader, out of Debian's Chromium
	@tools/swiftshader build/swiftshader
	@$(call native,dev)
	@export VK_DRIVER_FILES='$(SWIFTSHADER_ICD)' VK_ICD_FILENAMES='$(SWIFTSHADER_ICD)'; \
	build-dev/kem devices | grep SwiftShader || { echo 'SwiftShader does not run here' >&2; exit 1; }; \
	ctest --preset dev -j $(JOBS) -R '^((core|vulkan)\.|suite\.(cli|execution|kernels|loops)$$)' -E LongChainsEndBetweenSlices

bench: deps-test build ## what calls cost, beside floors and peers, as a table and in bench.json: make bench [ARGS='memory_calls=1000000 …']
	@rebar3 as test compile
	@escript tools/bench.escript bench.json $(ARGS)
# Dawn needs no building: WEBGPU_MODULE names the index.js of npm's webgpu, SWIFTSHADER a second driver's library.
peers: ## build the peer of `make bench` that needs building (cargo and a network): wgpu
	@CARGO_TARGET_DIR=build/wgpu_peer cargo build --release --manifest-path test/bench/wgpu_peer/Cargo.toml

instructions: deps-check build ## the instructions that compilations and warm calls take, against test/bench/instructions.json
	@python3 -B test/bench/instructions.py build/kem

override export EXPR := $(value EXPR)
eval: build-quietly ## print an Erlang expression's value: make eval EXPR='kem_nif:hello()'
	@escript tools/eval.escript

shell: build-quietly ## an Erlang shell with the built code on its path
	@erl -pa $(BEAMS) -eval 'application:load(kem)'

.PHONY: build-quietly
build-quietly:
	@if [ -e priv/kem_nif.so ] && [ -d $(BEAMS) ]; then out=$$($(MAKE) build 2>&1) || { echo "$$out" >&2; exit 1; }; \
	else $(MAKE) build >&2; fi

CXX_FILES = $(shell git ls-files -co --exclude-standard 'native/*.cc' 'native/*.h' 'test/*.cc' 'test/*.h')
format: deps-check ## rewrite the C++ files in the project's format
	@clang-format -i $(CXX_FILES)
check-format: deps-check ## fail where a C++ file is not in the project's format
	@clang-format --dry-run --Werror $(CXX_FILES) && echo 'formatting: ok'

dialyzer: deps-check build ## types of the Erlang side
	@rebar3 dialyzer
xref: deps-check build ## calls to functions that do not exist
	@rebar3 xref

tidy: deps-check ## clang-tidy over the native code
	@$(call native,clang,generated)
	@run-clang-tidy -quiet -p build-clang -j $(JOBS) '$(CURDIR)/native/.*\.cc$$'
clang: deps-check ## build everything with clang, warnings as errors
	@$(call native,clang)
asan: deps-test asan-nif ## every test under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(call native,asan) && ctest --preset asan -j $(JOBS)
# The VM is not instrumented: the runtime is loaded before it, its leaks (it frees nothing when it ends) don't count,
# and signal stacks are the VM's own affair.
asan-nif: build ## the Erlang tests, the NIF under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(call native,asan,kem_nif)
	@ln -sfn ../kernels build-asan/kernels # the default store is beside the library
	@rebar3 as test compile
	@KEM_NIF_PATH='$(CURDIR)/build-asan/priv/kem_nif.so' LD_PRELOAD="$$(g++ -print-file-name=libasan.so)" \
	  ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0:quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1 rebar3 eunit
THREADED := base spirv vulkan arweave core
tsan: deps-test ## the native tests of the folders that have threads, under ThreadSanitizer
	@$(call native,tsan,$(THREADED:%=kem_%_tests)) && ctest --preset tsan -j $(JOBS) -R '^($(subst $() ,|,$(THREADED)))\.'
fuzz: deps-check ## build the fuzzers and run each for FUZZ_SECONDS (60)
	@$(call native,fuzz,fuzzers) && tools/fuzz build-fuzz $(or $(FUZZ_SECONDS),60)
corpus: deps-test ## verdicts over a directory of WGSL: make corpus CORPUS=DIR [WEBGPU_MODULE=…] [NAGA=…] [ARGS=…]
	@test -n '$(CORPUS)' || { echo 'make corpus CORPUS=DIR: a directory with .wgsl files'; exit 2; }
	@$(call native,dev,kem)
	@python3 -B test/conformance/corpus.py '$(CORPUS)' --kem build-dev/kem --verify $(ARGS)
verdicts: deps-test ## kem and Dawn over programs made from the specification's rules: needs WEBGPU_MODULE
	@$(call native,dev,kem)
	@python3 -B test/conformance/verdicts.py --kem build-dev/kem $(ARGS)

.PHONY: install uninstall test-hyperbeam
install: ## put kem@1.0 into a HyperBEAM checkout: make install HB=DIR [MODE=dependency]
	@test -n '$(HB)' || { echo 'make install HB=DIR: a HyperBEAM checkout'; exit 2; }
	@escript tools/hyperbeam.escript install '$(HB)' $(MODE)
uninstall: ## take it out again: make uninstall HB=DIR
	@test -n '$(HB)' || { echo 'make uninstall HB=DIR: a HyperBEAM checkout'; exit 2; }
	@escript tools/hyperbeam.escript uninstall '$(HB)'
test-hyperbeam: ## the suite in a built HyperBEAM checkout that has kem@1.0: make test-hyperbeam HB=DIR
	@test -n '$(HB)' || { echo 'make test-hyperbeam HB=DIR: a HyperBEAM checkout, installed and compiled'; exit 2; }
	@tools/test-hyperbeam '$(HB)'
	@tools/test-hyperbeam '$(HB)' bench

clean: ## remove what was built
	rm -rf build build-dev build-asan build-tsan build-clang build-fuzz _build priv/kem_nif.so demo-out bench.json

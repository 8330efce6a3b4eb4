# Every target sets up what it needs in .venv; `make setup` does so explicitly.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CXX_FILES := $(shell find native -name "*.cpp" -o -name "*.hpp")
NATIVE := $(CXX_FILES) CMakeLists.txt

.PHONY: setup demo test test-full fuzz sanitize aarch64 bench lint format proto clean

setup: $(VENV)/.installed

$(VENV)/.dependencies: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -c constraints.txt --upgrade pip
	$(BIN)/pip install --quiet -c constraints.txt scikit-build-core nanobind cmake ninja
	touch $@

# Editable: Python files take effect at once; a changed native file rebuilds the module.
$(VENV)/.installed: $(VENV)/.dependencies $(NATIVE)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pip install --quiet -c constraints.txt --no-build-isolation -e '.[dev]'
	touch $@

demo: setup
	$(BIN)/cuzk demo

test: setup lint
	$(BIN)/pytest -m 'not full'

test-full: setup
	$(BIN)/pytest

# Damaged input for every parser; FUZZ_SECONDS each.
FUZZ_SECONDS ?= 300
fuzz: setup
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS)
	CUZK_FUZZ_SECONDS=$(FUZZ_SECONDS) $(BIN)/pytest --timeout=0 tests/filecoin/test_fuzz.py

# The native code under AddressSanitizer and UndefinedBehaviorSanitizer, in a build and an environment of its own. Their
# libraries come before Python's, which was built without them and leaves memory to the end of the process.
SANITIZED_TESTS ?= tests/algebra tests/devices tests/r1cs
sanitize:
	SKBUILD_CMAKE_DEFINE=CUZK_SANITIZE=ON SKBUILD_BUILD_DIR=build/sanitize $(MAKE) setup VENV=.venv-sanitize
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 .venv-sanitize/bin/pytest --timeout=0 -m 'not full' $(SANITIZED_TESTS)

# Compiles, without linking, what another processor would run. With another compiler: make setup CXX=clang++.
AARCH64_CXX ?= aarch64-linux-gnu-g++
aarch64: setup
	headers=$$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('include'))"); \
	nanobind=$$($(BIN)/python -m nanobind --include_dir); \
	for file in $(filter-out %_ifma.cpp,$(filter %.cpp,$(CXX_FILES))); do \
	  echo $$file; $(AARCH64_CXX) -std=c++20 -fsyntax-only -O3 -Wall -Wextra -Werror -Wshadow -Wno-psabi \
	    -Inative -isystem $$headers -isystem $$nanobind $$file || exit 1; \
	done

bench: setup
	$(BIN)/cuzk bench kernels

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

# The Python side of the wire contract; committed, so that installing needs no protobuf compiler.
proto: setup
	$(BIN)/python -m grpc_tools.protoc -Icuzk/proto=proto/cuzk/v1 --python_out=src --pyi_out=src \
	  --grpc_python_out=src cuzk/proto/proving.proto

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

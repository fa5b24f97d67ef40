# Everyday commands. CMake does the work; see CMakePresets.json for the builds behind them.

.PHONY: build demo player viewer addon test test-quick coverage mutants soak test-blender docs gallery plots bench-peers format clean

build: ## the release build of the command, at build/tendril
	@scripts/install-deps.sh build
	@cmake --preset release >/dev/null
	@cmake --build build --target tendril_command

demo: build player viewer ## grows plants, makes a page that shows them, and one to play with them
	@scripts/install-deps.sh demo
	@scripts/demo.sh
	@cp build/share/tendril/viewer.html out/viewer.html
	@echo "To pull, shake and change them, open: $(CURDIR)/out/viewer.html"

player: ## builds the page that plays a run, which 'tendril run' fills; needs node
	@scripts/install-deps.sh demo
	@node scripts/player-page.mjs -o build/share/tendril/player.html

viewer: ## builds the page behind 'tendril view', with all shipped plants; needs node and clang
	@scripts/install-deps.sh demo
	@cmake --preset wasm >/dev/null
	@cmake --build --preset wasm --target tendril_web
	@node scripts/viewer-page.mjs --module build/wasm/tendril_web.wasm -o build/share/tendril/viewer.html \
	    --static build/share/tendril/viewer

addon: ## packs the Blender add-on, build/tendril-blender.zip
	@python3 scripts/addon.py build/tendril-blender.zip

test: ## installs what is missing, builds everything, runs all tests
	@scripts/install-deps.sh test
	@scripts/test.sh

test-quick: ## what to run after each change: format, layers, release build, unit tests, parts of the command
	@scripts/install-deps.sh test
	@scripts/test.sh quick

coverage: ## line and branch coverage of the library by unit tests and validations, as a page; some minutes
	@scripts/install-deps.sh test
	@scripts/coverage.sh

mutants: ## changes one operator or constant of the hot files at a time: what no test notices; an hour, COUNT=10 less
	@scripts/install-deps.sh test
	@scripts/mutants.py --count $(or $(COUNT),200) --seed $(or $(SEED),1)

soak: ## long forms of the tests, before a release: all unit tests with more cases, minutes of fuzzing
	@scripts/install-deps.sh test
	@scripts/soak.sh

test-blender: build ## tests the add-on in Blender, which must be installed; no part of 'make test'
	@scripts/check-addon.sh build

docs: build player ## builds the site of the documentation, build/docs/site; some minutes
	@scripts/install-deps.sh docs
	@/usr/bin/python3 scripts/site/build.py build

gallery: build ## renders the pictures of docs/gallery
	@scripts/install-deps.sh gallery
	@scripts/gallery.sh

plots: ## measures accuracy against cost and draws accuracy.svg and solvers.svg in docs; two minutes
	@scripts/install-deps.sh test
	@$(MAKE) --no-print-directory build
	@build/tendril bench accuracy --json >build/accuracy.json
	@scripts/plot-accuracy.py build/accuracy.json docs/theory/accuracy.svg
	@build/tendril bench solvers --json >build/solvers.json
	@scripts/plot-accuracy.py build/solvers.json docs/guide/solvers.svg

bench-peers: build ## our forward dynamics beside those of other engines, which it installs
	@scripts/install-deps.sh peers
	@cmake --preset release -DTENDRIL_BUILD_PEERS=ON >/dev/null
	@cmake --build build --target peers
	@build/tendril bench forward

format: ## applies clang-format
	@clang-format-14 -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build out

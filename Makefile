# Everyday commands. CMake does the work; see CMakePresets.json for the builds behind them.

.PHONY: build demo player test gallery plots bench-peers format clean

build: ## the release build of the command, at build/tendril
	@scripts/install-deps.sh build
	@cmake --preset release >/dev/null
	@cmake --build build --target tendril_command

demo: build player ## grows plants and makes a page that shows them
	@scripts/install-deps.sh demo
	@scripts/demo.sh

player: ## builds the page that plays a run, which 'tendril run' fills; needs node
	@scripts/install-deps.sh demo
	@node scripts/player-page.mjs -o build/share/tendril/player.html

test: ## installs what is missing, builds everything, runs all tests
	@scripts/install-deps.sh test
	@scripts/test.sh

gallery: build ## renders the pictures of docs/gallery
	@scripts/install-deps.sh gallery
	@scripts/gallery.sh

plots: ## measures accuracy against cost and draws docs/theory/accuracy.svg; a minute
	@scripts/install-deps.sh test
	@$(MAKE) --no-print-directory build
	@build/tendril bench accuracy --json >build/accuracy.json
	@scripts/plot-accuracy.py build/accuracy.json docs/theory/accuracy.svg

bench-peers: build ## our forward dynamics beside those of other engines, which it installs
	@scripts/install-deps.sh peers
	@cmake --preset release -DTENDRIL_BUILD_PEERS=ON >/dev/null
	@cmake --build build --target peers
	@build/tendril bench forward

format: ## applies clang-format
	@clang-format-14 -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build out

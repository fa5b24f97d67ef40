#!/bin/sh
# The example with a window, under a virtual screen: a hand pulls at the plant, and the picture of
# the window shows a plant. Its argument is the build.
set -eu
cd "$(dirname "$0")/.."
window=${1:?build folder}/tests/example_window
picture=$1/window.ppm
[ -x "$window" ] || { echo "$window is missing: SDL2 or OpenGL was not found" >&2; exit 1; }
rm -f "$picture"
xvfb-run -a -s "-screen 0 1024x768x24" "$window" 60 "$picture"

# leaves: pixels in which green is the most
python3 - "$picture" <<'END'
import sys
head, pixels = open(sys.argv[1], "rb").read().split(b"\n", 1)
width, height = map(int, head.split()[1:3])
assert len(pixels) == 3 * width * height, "the picture is not whole"
rows = [y for y in range(height) for x in range(0, width, 2)
        if pixels[3*(y*width + x) + 1] > 1.3*max(pixels[3*(y*width + x)], pixels[3*(y*width + x) + 2])]
assert len(rows) > 2000, f"only {2*len(rows)} pixels are green"
assert max(rows) - min(rows) > height/3, "the plant is not as high as it should be"
print(f"{2*len(rows)} green pixels, from row {min(rows)} to {max(rows)}")
END

#!/bin/sh
# Renders a picture of every shipped model and scene into docs/gallery and writes the page that shows
# them. `gallery.sh NAME...` renders only these. TENDRIL is the command, build/tendril by default.
set -eu
cd "$(dirname "$0")/.."
out=out/gallery
tendril=${TENDRIL:-build/tendril}
mkdir -p "$out" docs/gallery

# How each scene is shown: its moments, and how the camera stands for them.
shots='
algae-in-a-current --times 0,2,5,8
algae-of-ten-helices --times 0,3,5,7 --zoom 1.25
braid-led-by-its-end --times 0,1.2,2.3,3.5,3.85 --zoom 1.15
braid-on-a-running-head --times 0.5,0.95,2 --turn=-8 --rise 4 --zoom 1.1
crane --times 0,1.5,3,5 --turn=-20 --zoom 0.92
curls-of-hair --times 0.9,2.9 --turn=-25 --zoom 0.95
crowd-pushed-away --times 0,0.6,1.2,2 --rise 6 --zoom 1.2
curly-rod-pulled --times 0,1.5,2.3,4.4,4.75
curtain-of-beads --times 0,1,2.2,3.2 --turn=-25 --zoom 1.1
donkey-ears-hit-poses --times 0,1.2,3.3,5 --zoom 1.15
fallen-branch-on-a-hedge --times 0,0.35,0.7,5 --zoom 1.15
forest-in-wind --times 3 --rise=-8 --zoom 1.15
four-bar-linkage --times 0,1.2,2,3.1
gravity-x5-in-four-directions --times 0,3.4,5.9,8.4,10.9
hand-through-wheat --times 0.4,1.8,2.8 --turn 12 --rise 4 --zoom 1.5
hanging-chain --times 0,3,4.2,4.6,9 --turn=-20 --zoom 1.08
heap-of-sticks --times 0,0.3,0.6,3 --turn=-20
helical-buckling --times 0,5,9,10.3,12 --turn=-25 --zoom 1.1
jointed-man-dances --times 0,0.9,1.5,3.2,5.7 --zoom 1.1
knot-of-helices --times 0,2,4,6,6.4 --zoom 1.1
knot-trefoil --times 0,2,5,8,12 --turn=-25
lanterns-with-heavy-tips --times 0.5,3,6 --zoom 1.1
michell-ring --times 0,1,1.5,2,5 --turn=-25 --zoom 0.85
moving-jungle --times 4
necklace-on-a-bust --times 0,0.2,0.5,4 --zoom 1.1
necklace-on-a-stand --times 0,0.3,1,4
oak-shaken-at-one-branch --times 0,0.25,0.5 --turn=15 --rise=-4 --zoom 0.95
orchid-pulled --times 0,1.7,2.1,2.5
palm-in-wind --times 0,3,5,7
palm-of-eight-helices --times 0,3,5,7 --zoom 1.25
pendulum-on-a-spring --times 0,0.4,8 --turn=-25 --zoom 0.9
pendulums-of-300-links --times 0,0.7,1.4,2.1 --turn=-25 --zoom 1.1
phone-cord --times 0,3,5 --zoom 1.1
plectoneme --times 0,5,7,9 --turn=-25 --zoom 0.92
pot-moves-forward-back --times 0,0.9,1.3,3.1 --turn=25 --zoom 0.9
pot-moves-in-a-circle --times 0.4,2,2.8,5.6 --zoom 1.1
pot-moves-left-right --times 0,0.9,1.3,3.2 --zoom 1.15
pull-and-release --times 0,1.2,2.4,2.8,3.1
rod-dropped-on-a-table --times 0.1,0.27,0.42,0.7,2 --turn=-25 --rise 18 --zoom 2.6
rods-of-1-to-30-elements-fall --times 0,0.35,0.7 --turn=20 --zoom 0.85
rods-of-1-to-30-elements-swing --times 0,2.1,4.2 --turn=-25
ropes-over-hills --times 0,0.5,2.4,5 --turn=-25 --rise 14 --zoom 1.6
rose-wilts --times 0,4,6,10
slinky-perversion --times 0,2,4,6,8,12 --turn=-25 --zoom 1.15
suspension-bridge --times 5 --turn 25 --rise 4 --zoom 0.8
swing --times 0,1,2.2,3.4 --turn 50 --zoom 0.7
t-plant-twisted --times 0,3.9,4.3,4.6 --rise 20 --zoom 1.05
t-plant-with-long-arms-twisted --times 0,4.1,4.5 --rise 26 --zoom 1.4
three-lengths-side-by-side --times 0,2.9,3.6 --turn=-20 --zoom 1.05
three-radii-side-by-side --times 0,2.9,3.6 --turn=-20 --zoom 1.05
torque-transducer --times 0,0.8,1.3,2,2.8 --turn=-25
tree-at-three-stiffnesses --times 0,0.5,6 --turn=-15 --zoom 0.8
tree-in-wind-as-rods --times 0,4,8
tropical-pulled-and-released --times 0,1.9,2.2,2.4
twist-on-a-semicircle --times 0,3.5,4.5,6 --turn=-10 --zoom 1.1
twist-on-a-v --times 0,4,5,11 --turn=-10 --zoom 1.1
vine-on-a-trellis --times 0,3,5,9
vine-tendril --times 0,3,6,9,12 --turn=-25
weeping-willow-in-gusts --times 0,3,5
weeping-willow-of-helices --times 0,3,5,7 --zoom 1.2
wheat-field-waves --times 0,2,4 --rise 4 --zoom 1.5
whip-that-tapers --times 0.2,0.4,0.6,0.7 --turn=-15 --zoom 1.2
whip-with-a-knot --times 0,0.8,1.2,1.4,1.6
whirl-over-reeds --times 0.8,1.6,2.6 --rise 20 --zoom 1.3
wilberforce-pendulum --times 0,1,1.5,9,9.4 --turn=-25
'

# whether a name is asked for: all of them when none is
wanted() {
    [ -z "$names" ] && return 0
    case " $names " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

grow_models() {
    glbs=
    for model in scenes/plants/*.lsys scenes/abop/*.lsys; do
        name=$(basename "$model" .lsys)
        wanted "$name" || continue
        echo "growing $name"
        "$tendril" grow "$model" -o "$out/$name.glb"
        glbs="$glbs $out/$name.glb"
    done
    [ -z "$glbs" ] || node scripts/render.mjs --size 400x400 --type jpg --out docs/gallery $glbs
}

# A fifth of the jungle on a fifth of the ground: a browser without a graphics card draws no more.
thin_jungle() {
    sed "s|plants/|$PWD/scenes/plants/|; s/count: 200/count: 40/; s/area: .26, 0, 13./area: [11, 0, 6]/" \
        scenes/moving-jungle.yaml >"$out/moving-jungle.yaml"
    scene=$out/moving-jungle.yaml
}

# A quarter of the crowd, for the same reason.
thin_crowd() {
    sed "s|props/|$PWD/scenes/props/|; s/count: 200/count: 48/; s/area: .14, 0, 20./area: [7, 0, 10]/" \
        scenes/crowd-pushed-away.yaml >"$out/crowd-pushed-away.yaml"
    scene=$out/crowd-pushed-away.yaml
}

# A tenth of the forest, likewise.
thin_forest() {
    sed "s|plants/|$PWD/scenes/plants/|; s/count: 500/count: 18/; s/area: .177, 0, 88./area: [40, 0, 14]/; s/-52]/-10]/; s/instance: [0-9]*/instance: 7/" \
        scenes/forest-in-wind.yaml >"$out/forest-in-wind.yaml"
    scene=$out/forest-in-wind.yaml
}

run_scenes() {
    node scripts/player-page.mjs -o "$(dirname "$tendril")/share/tendril/player.html"
    for scene in scenes/*.yaml; do
        name=$(basename "$scene" .yaml)
        wanted "$name" || continue
        [ "$name" != moving-jungle ] || thin_jungle
        [ "$name" != crowd-pushed-away ] || thin_crowd
        [ "$name" != forest-in-wind ] || thin_forest
        shot=$(echo "$shots" | sed -n "s/^$name //p")
        # leaf by leaf the oak is more than a browser without a graphics card draws
        [ "$name" != oak-shaken-at-one-branch ] && look= || look="--triangles 60000"
        "$tendril" run "$scene" -o "$out/$name" $look
        node scripts/frames.mjs --size 800x300 $shot --out "docs/gallery/$name.jpg" "$out/$name/scene.html"
    done
}

# The picture at the head of the README.
make_moving() {
    "$tendril" render scenes/pull-and-release.yaml -o docs/gallery/moving.gif --size 420x240 --time 0.9 --duration 3 --fps 10
}

# rows of three pictures of the models in a folder
model_rows() {
    echo "| | | |"
    echo "|---|---|---|"
    ls "$1"/*.lsys | while read -r model; do
        name=$(basename "$model" .lsys)
        echo "![$name](gallery/$name.jpg)<br>[$name](../$model)"
    done | paste -d'|' - - - | sed 's/^/| /; s/|!/ | !/g; s/$/ |/'
}

# scenes with a solver; without a name, those that leave it to the default
scene_rows() {
    for scene in scenes/*.yaml; do
        case $(sed -n 's/.*solver: \([a-z]*\).*/\1/p' "$scene" | head -n 1) in "${1:-}") ;; *) continue ;; esac
        name=$(basename "$scene" .yaml)
        echo
        echo "**[$(sed -n 's/^name: *//p' "$scene")](../$scene)**: $(sed -n 's/^text: *//p' "$scene")"
        echo
        echo "![$name](gallery/$name.jpg)"
    done
}

names="$*"
grow_models
run_scenes
! wanted moving || make_moving
if wanted viewer && [ -f "$(dirname "$tendril")/share/tendril/viewer.html" ]; then # of 'make viewer'
    node scripts/viewer-picture.mjs "$(dirname "$tendril")/share/tendril/viewer.html" docs/gallery/viewer.jpg
fi
{
    echo "# Gallery"
    echo
    echo "Every model and scene in \`scenes/\`, rendered by \`make gallery\`."
    echo
    echo "## Scenes"
    echo
    echo "\`tendril run scenes/NAME.yaml\` makes a page that plays each of them. Moments from left to right."
    scene_rows
    echo
    echo "## Scenes with rods"
    echo
    echo "Elastic rods that bend, twist and touch: [how](guide/rods.md)."
    scene_rows rod
    echo
    echo "## Scenes with helices"
    echo
    echo "Super-Helices, a few elements for a curl or a branch: [how](guide/helices.md)."
    scene_rows helix
    echo
    echo "## Plants"
    echo
    model_rows scenes/plants
    echo
    echo "## Figures of The Algorithmic Beauty of Plants"
    echo
    model_rows scenes/abop
} >docs/gallery.md
echo "docs/gallery.md shows the pictures"

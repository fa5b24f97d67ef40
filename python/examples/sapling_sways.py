"""A model of the Virtual Laboratory: read it, change it, measure how it sways.

Run it from the root of the checkout.
"""

# %% A folder with an L-system, a view file, functions and surfaces, as cpfg has them
import numpy as np

import tendril

MODEL = "scenes/cpfg/sapling"


def sway(text):
    """The damped frequency of the lowest mode, Hz, and that of the swing after a pull at the top."""
    world = tendril.World({"objects": [{"name": "sapling", "plant": MODEL + "/changed.l", "view": MODEL + "/sapling.v",
                                        "rest_under_gravity": True}], "step": 1 / 240,
                           "record": {"fps": 120}}, files={MODEL + "/changed.l": text})
    plant = world.actors[0]
    mode = plant.modes(1)[0]
    top = int(np.argmax(plant.tips()[:, 1]))
    with plant.grab(top, to=plant.tips()[top] + [0.02, 0, 0], stiffness=5):
        world.run(1)
    way = np.array(world.run(3, each=lambda w: plant.tips()[top, 0]).extra)
    way -= way[-len(way) // 4:].mean()
    way = way[:1 + np.flatnonzero(np.abs(way) > 1e-6 * np.abs(way).max())[-1]]  # the rest is rounding
    crossings = np.flatnonzero((way[:-1] < 0) & (way[1:] >= 0))
    measured = 120 * (len(crossings) - 1) / (crossings[-1] - crossings[0]) if len(crossings) > 1 else np.nan
    return mode["frequency"] * np.sqrt(1 - mode["damping_ratio"] ** 2), measured


def main():
    text = tendril.Model(MODEL).text
    print(tendril.Model(MODEL).grow().skeleton)

    # %% Older plants are longer and thicker, and sway more slowly
    rows = []
    print(" steps   segments   height m   mode Hz   measured Hz")
    for steps in (28, 40, 52):
        changed = text.replace("#define STEPS 28", f"#define STEPS {steps}")
        plant = tendril.Model(text=changed, view=MODEL + "/sapling.v").grow().skeleton
        frequency, measured = sway(changed)
        rows.append((steps, len(plant), plant.height, frequency, measured))
        print(f"{steps:6d} {len(plant):10d} {plant.height:10.3f} {frequency:9.2f} {measured:13.2f}")
    return rows


if __name__ == "__main__":
    main()

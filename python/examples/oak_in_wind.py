"""A young oak in steady wind: what the wind does to it, speed by speed.

Run it from the root of the checkout. `# %%` begins a cell for editors that know notebooks.
"""

# %% How it sways by itself
import numpy as np

import tendril

SPEEDS = [4, 8, 12, 16]  # m/s


def oak(speed):
    """A world with one oak in a steady wind along X."""
    return tendril.World({
        "objects": [{"name": "oak", "plant": "scenes/plants/young-oak.lsys", "rest_under_gravity": True}],
        "loads": [{"wind": {"velocity": [speed, 0, 0], "intensity": 0, "gust": 0}}],
    }, threads=2)


def main():
    world = oak(0)
    tree = world.actors[0]
    modes = tree.modes(2)
    print(f"{tree.skeleton}")
    print(f"lowest modes: {modes['frequency'][0]:.3f} and {modes['frequency'][1]:.3f} Hz")

    # %% Drag and moment at the base, against the speed of the wind
    print(" speed m/s   drag N   moment N m   crown moves m")
    rows = []
    for speed in SPEEDS:
        world = oak(speed)
        tree = world.actors[0]
        still = tree.tips()
        tree.watch_base()
        forces = []
        world.run(3, each=lambda w: forces.append(tree.base_reaction() if w.time > 0 else None))
        late = forces[len(forces) // 2:]  # it has swung to where the wind holds it
        drag = -np.mean([force[0] for force, _ in late])
        moment = np.mean([moment[2] for _, moment in late])
        moved = np.linalg.norm(tree.tips() - still, axis=1).max()
        rows.append((speed, drag, moment, moved))
        print(f"{speed:10.0f} {drag:8.2f} {moment:12.2f} {moved:15.3f}")

    # %% Leaves that bend away feel less: drag grows more slowly than the square of the speed
    speed, drag = np.array(rows)[:, 0], np.array(rows)[:, 1]
    power = np.polyfit(np.log(speed), np.log(drag), 1)[0]
    print(f"drag grows with the speed to the power {power:.2f}")
    return rows, power


if __name__ == "__main__":
    main()

"""What a run recorded."""

import numpy as np


class Recording:
    """Times, s, and the values of the scene's probes at every frame of a run."""

    def __init__(self, world):
        self._world, self.names = world, world.probe_names
        self._times, self._rows, self.extra = [], [], []

    def add(self, extra):
        self._times.append(self._world.time)
        self._rows.append(self._world.probes())
        self.extra.append(extra)

    def __len__(self):
        return len(self._times)

    def __repr__(self):
        return f"<Recording: {len(self)} frames to {self._times[-1]:.4g} s of {', '.join(self.names) or 'no probes'}>"

    @property
    def time(self):
        """s, of each frame."""
        return np.array(self._times)

    @property
    def values(self):
        """(frames, probes)."""
        return np.array(self._rows).reshape(len(self), len(self.names))

    def __getitem__(self, name):
        """A column by its name, with or without its unit."""
        for k, own in enumerate(self.names):
            if name in (own, own.rsplit(" [", 1)[0]):
                return self.values[:, k]
        raise KeyError(f"there is no probe '{name}'; there are {', '.join(self.names)}")

    def csv(self, path):
        """Writes it as probes.csv of `tendril run` is."""
        table = np.column_stack([self.time, self.values])
        header = ",".join(["time [s]", *self.names])
        np.savetxt(path, table, delimiter=",", header=header, comments="", fmt="%.17g")

    def plot(self, *names, axes=None):
        """Draws columns over time with matplotlib: all of them if none is named."""
        import matplotlib.pyplot as plt
        axes = axes or plt.subplots()[1]
        for name in names or self.names:
            axes.plot(self.time, self[name], label=name)
        axes.set_xlabel("time [s]")
        axes.legend()
        return axes

"""What a run recorded."""

import os
from typing import Any, List, Sequence, Union

import numpy as np

from tendril._library import ArgumentError, lib, new_diag
from tendril.skeleton import take_bytes, write_file


class Recording:
    """Times, s, and the values of the scene's probes at every frame of a run."""

    def __init__(self, names: Sequence[str]):
        self.names = list(names)
        self._times: List[float] = []
        self._rows: List[np.ndarray] = []
        self.extra: List[Any] = []

    def add(self, time: float, values: np.ndarray, extra: Any = None) -> None:
        """Takes one more frame."""
        if np.shape(values) != (len(self.names),):
            raise ArgumentError(f"values have shape {np.shape(values)}; {(len(self.names),)} is needed")
        self._times.append(float(time))
        self._rows.append(np.array(values, float))
        self.extra.append(extra)

    def __len__(self) -> int:
        return len(self._times)

    def __repr__(self) -> str:
        until = f" to {self._times[-1]:.4g} s" if self._times else ""
        return f"<Recording: {len(self)} frames{until} of {', '.join(self.names) or 'no probes'}>"

    @property
    def time(self) -> np.ndarray:
        """s, of each frame."""
        return np.array(self._times)

    @property
    def values(self) -> np.ndarray:
        """(frames, probes)."""
        return np.array(self._rows).reshape(len(self), len(self.names))

    def __getitem__(self, name: str) -> np.ndarray:
        """A column by its name, with or without its unit."""
        return self.values[:, self._column(name)]

    def _column(self, name: str) -> int:
        for k, own in enumerate(self.names):
            if name in (own, own.rsplit(" [", 1)[0]):
                return k
        raise KeyError(f"there is no probe '{name}'; there are {', '.join(self.names) or 'none'}")

    def csv(self, path: Union[str, os.PathLike, None] = None, *names: str) -> str:
        """The columns, all if none is named, as probes.csv of `tendril run` is; `path` writes them."""
        names = names or tuple(self.names)
        full = [self.names[self._column(name)] for name in names]
        rows = np.column_stack([self.time, *(self[name] for name in names)])
        lines = [",".join(["time [s]", *full]), *(",".join(f"{v:.17g}" for v in row) for row in rows)]
        text = "\n".join(lines) + "\n"
        if path is not None:
            write_file(path, text.encode())
        return text

    def plot(self, *names: str, title: str = "") -> "Plot":
        """Columns over time, all if none is named: one chart for each unit, inline in a notebook."""
        return Plot(self.csv(None, *names), title)


class Plot:
    """A drawing of a table, in SVG or PDF."""

    def __init__(self, table: str, title: str = ""):
        self._table, self._title = table, title
        self.svg = self._draw(lib.td_plot_svg).decode()

    def _draw(self, draw):
        data = self._table.encode()
        return take_bytes(draw, data, len(data), "recording", self._title, None, diag=new_diag())

    def __repr__(self) -> str:
        return f"<Plot of {len(self.svg)} bytes; save(path) writes it>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes it: .svg or .pdf."""
        kind = os.path.splitext(os.fspath(path))[1]
        if kind not in (".svg", ".pdf"):
            raise ArgumentError(f"'{os.fspath(path)}' must end in .svg or .pdf; for a PNG save the table by csv(), "
                                "and use 'tendril plot TABLE.csv -o x.png'")
        write_file(path, self.svg.encode() if kind == ".svg" else self._draw(lib.td_plot_pdf))

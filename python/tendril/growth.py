"""Plants from L-systems."""

import os
from typing import Any, Dict, List, Optional, Union

import numpy as np

from tendril._library import ArgumentError, Diags, Struct, Structs, check, lib, new, new_diag, owned, text, view
from tendril.arguments import whole
from tendril.files import Files
from tendril.skeleton import Skeleton, take_bytes


class Model:
    """An L-system: a file, or a text. It can be pickled, together with the files that it includes.

    >>> oak = tendril.Model("scenes/plants/oak.lsys", defines={"STEPS": 7})
    >>> plant = oak.grow(seed=3)
    """

    def __init__(self, path: Union[str, os.PathLike, None] = None, *, text: Optional[str] = None,
                 defines: Optional[Dict[str, Any]] = None, files: Optional[Dict[str, str]] = None,
                 view: Union[str, os.PathLike, None] = None):
        if (path is None) == (text is None):
            raise TypeError("give either a path or text=")
        if text is not None and not isinstance(text, str):
            raise ArgumentError(f"text is {text!r}; the text of a model is needed")
        own = Files(files)
        name = os.fspath(path) if path is not None else "model"
        if path is not None:
            name, text = own.model(name)
        self._make(name, text, {str(k): str(v) for k, v in (defines or {}).items()},
                   None if view is None else os.fspath(view), own)

    def _make(self, name, text, defines, view, files):
        self.name, self.text, self.defines, self._view, self._files = name, text, defines, view, files
        given = Structs("td_define", [Struct("td_define", name=k, value=v) for k, v in defines.items()])
        data = text.encode()
        definition = Struct("td_grammar_def", name=name, text=data, text_size=len(data), defines=given,
                            define_count=len(given), loader=files.loader, view=view)
        out, diags = new("td_grammar *"), Diags()
        diags.check(files.guard(lib.td_grammar_new, definition, None, out, diags.list))
        self._c = owned(out[0], lib.td_grammar_free)
        self.warnings = diags.warnings()

    def __getstate__(self):
        return {"name": self.name, "text": self.text, "defines": self.defines, "view": self._view,
                "files": {**self._files.seen, **self._files.given}}

    def __setstate__(self, state):
        self._make(state["name"], state["text"], state["defines"], state["view"], Files(state["files"]))

    def __repr__(self) -> str:
        return f"<Model {self.name}: {lib.td_grammar_type_count(self._c)} kinds of modules, {self.steps} steps>"

    @property
    def steps(self) -> int:
        """Derivation steps that the text asks for."""
        return lib.td_grammar_steps(self._c)

    def grow(self, steps: Optional[int] = None, seed: Optional[int] = None, *, names: bool = True) -> "Plant":
        """Derives the model and gives the plant. With `names` segments keep their ids as it grows."""
        steps = self.steps if steps is None else whole("steps", steps, 0)
        plant = Plant(self, seed, names)
        plant._grow_to(steps)
        plant.end()
        return plant


class Plant:
    """A string of modules that grows, and its skeleton. Pickled, it keeps its model, seed and steps, and grows again."""

    def __init__(self, model: Model, seed: Optional[int] = None, names: bool = True):
        opts = Struct("td_derive_opts", names=names)
        if seed is not None:
            opts.seed = whole("seed", seed, 0)
        self.model, self.steps = model, 0
        self._seed, self._names, self._ends = seed, names, []
        out, diag = new("td_derivation *"), new_diag()
        check(lib.td_derivation_new(model._c, opts, None, out, diag), diag)
        self._c = owned(out[0], lib.td_derivation_free, model._c)

    def __getstate__(self):
        return {"model": self.model, "seed": self._seed, "names": self._names, "steps": self.steps, "ends": self._ends}

    def __setstate__(self, state):
        self.__init__(state["model"], state["seed"], state["names"])
        for steps in state["ends"]:
            self._grow_to(steps)
            self.end()
        self._grow_to(state["steps"])

    def _grow_to(self, steps):
        while self.steps < steps:
            self.step()

    def __len__(self) -> int:
        return self._string().module_count

    def __repr__(self) -> str:
        return f"<Plant {self.model.name}: {len(self)} modules after {self.steps} steps>"

    def step(self) -> None:
        """Rewrites every module once."""
        diag = new_diag()
        check(lib.td_derivation_step(self._c, diag), diag)
        self.steps += 1

    def end(self) -> None:
        """Runs the text's End statements."""
        diag = new_diag()
        check(lib.td_derivation_end(self._c, diag), diag)
        self._ends.append(self.steps)

    @property
    def string(self) -> str:
        """The modules as text, such as F(1)[+F(0.5)]."""
        return take_bytes(lib.td_string_text, self.model._c, self._string(), None).decode().rstrip("\n")

    @property
    def types(self) -> np.ndarray:
        """Kind of every module; names are in type_names. A copy: the string moves as it grows."""
        s = self._string()
        return view(s.types, s.module_count, self._c).copy()

    @property
    def type_names(self) -> List[str]:
        return [text(lib.td_grammar_type_name(self.model._c, k)) for k in range(lib.td_grammar_type_count(self.model._c))]

    @property
    def skeleton(self) -> Skeleton:
        """The plant's segments, masses and springs, made anew from the string."""
        out, diag = new("td_skeleton *"), new_diag()
        check(lib.td_skeleton_from_string(self.model._c, self._string(), None, None, out, diag), diag)
        return Skeleton(out[0])

    def save(self, path: Union[str, os.PathLike], **look: Any) -> None:
        """Writes a picture in space, .glb, or the skeleton, .json."""
        self.skeleton.save(path, **look)

    def _string(self):
        return lib.td_derivation_string(self._c)


def grow(path: Union[str, os.PathLike, None] = None, *, steps: Optional[int] = None, seed: Optional[int] = None,
         **model: Any) -> Plant:
    """Grows a model: tendril.grow("oak.lsys", defines={"AGE": 9}). Arguments of Model, and

    steps: derivation steps; as many as the text says.
    seed: of random choices; that of the text.
    """
    return Model(path, **model).grow(steps, seed)

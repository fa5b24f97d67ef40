"""Plants from L-systems."""

import os
from typing import Any, Dict, List, Optional, Union

import numpy as np

from tendril._library import Diags, check, ffi, lib, new_diag, text, view
from tendril.files import Files
from tendril.skeleton import Skeleton, take_bytes


class Model:
    """An L-system: a file, or a text.

    >>> oak = tendril.Model("scenes/plants/oak.lsys", defines={"STEPS": 7})
    >>> plant = oak.grow(seed=3)
    """

    def __init__(self, path: Union[str, os.PathLike, None] = None, *, text: Optional[str] = None,
                 defines: Optional[Dict[str, Any]] = None, files: Optional[Dict[str, str]] = None,
                 view: Union[str, os.PathLike, None] = None):
        if (path is None) == (text is None):
            raise TypeError("give either a path or text=")
        self._files = Files(files)
        self.name = os.fspath(path) if path is not None else "model"
        if path is not None:
            self.name, text = self._files.model(self.name)
        self.text = text
        self.defines = {str(k): str(v) for k, v in (defines or {}).items()}
        keep = [ffi.new("char[]", self.name.encode()), ffi.new("char[]", text.encode())]
        pairs = [(ffi.new("char[]", k.encode()), ffi.new("char[]", v.encode())) for k, v in self.defines.items()]
        given = ffi.new("td_define[]", [{"name": k, "value": v} for k, v in pairs])
        definition = ffi.new("td_grammar_def *", lib.td_grammar_def_default())
        definition.name, definition.text, definition.text_size = keep[0], keep[1], len(text.encode())
        definition.defines, definition.define_count = given, len(pairs)
        definition.loader = self._files.loader
        if view is not None:
            keep.append(ffi.new("char[]", os.fspath(view).encode()))
            definition.view = keep[-1]
        out, diags = ffi.new("td_grammar **"), Diags()
        diags.check(self._files.guard(lib.td_grammar_new, definition, ffi.NULL, out, diags.list))
        self._c = ffi.gc(out[0], lib.td_grammar_free)
        self.warnings = diags.warnings()

    def __repr__(self) -> str:
        return f"<Model {self.name}: {lib.td_grammar_type_count(self._c)} kinds of modules, {self.steps} steps>"

    @property
    def steps(self) -> int:
        """Derivation steps that the text asks for."""
        return lib.td_grammar_steps(self._c)

    def grow(self, steps: Optional[int] = None, seed: Optional[int] = None, *, names: bool = True) -> "Plant":
        """Derives the model and gives the plant. With `names` segments keep their ids as it grows."""
        plant = Plant(self, seed, names)
        for _ in range(self.steps if steps is None else steps):
            plant.step()
        plant.end()
        return plant


class Plant:
    """A string of modules that grows, and its skeleton."""

    def __init__(self, model: Model, seed: Optional[int] = None, names: bool = True):
        opts = ffi.new("td_derive_opts *", lib.td_derive_opts_default())
        opts.names = names
        if seed is not None:
            opts.seed = seed
        self.model, self.steps = model, 0
        out, diag = ffi.new("td_derivation **"), new_diag()
        check(lib.td_derivation_new(model._c, opts, ffi.NULL, out, diag), diag)
        self._c = ffi.gc(out[0], lib.td_derivation_free)

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

    @property
    def string(self) -> str:
        """The modules as text, such as F(1)[+F(0.5)]."""
        s = ffi.new("td_string *", self._string())
        return take_bytes(lambda out: lib.td_string_text(self.model._c, s, ffi.NULL, out)).decode().rstrip("\n")

    @property
    def types(self) -> np.ndarray:
        """Kind of every module; names are in type_names. A copy: the string moves as it grows."""
        s = self._string()
        return view(s.types, s.module_count, self).copy()

    @property
    def type_names(self) -> List[str]:
        return [text(lib.td_grammar_type_name(self.model._c, k)) for k in range(lib.td_grammar_type_count(self.model._c))]

    @property
    def skeleton(self) -> Skeleton:
        """The plant's segments, masses and springs, made anew from the string."""
        s = ffi.new("td_string *", self._string())
        out, diag = ffi.new("td_skeleton **"), new_diag()
        check(lib.td_skeleton_from_string(self.model._c, s, ffi.NULL, ffi.NULL, out, diag), diag)
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

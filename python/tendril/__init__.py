"""Tendril: grows slender things and simulates how they bend, twist, sway, collide and break.

Units are SI, angles radians (in scene files degrees where they say so), Y is up.
"""

from tendril._library import ArgumentError, Blocked, Diverged, Error, FileError, Stale, TextError, lib as _lib, text as _text
from tendril.collider import Collider
from tendril.growth import Model, Plant, grow
from tendril.recording import Plot, Recording
from tendril.skeleton import JOINTS, ORGANS, Builder, Mesh, Skeleton
from tendril.world import Actor, Grab, World

__version__ = _text(_lib.td_version())

__all__ = ["Actor", "ArgumentError", "Blocked", "Builder", "Collider", "Diverged", "Error", "FileError", "Grab", "JOINTS", "Mesh",
           "Model", "ORGANS", "Plant", "Plot", "Recording", "Skeleton", "Stale", "TextError", "World", "grow"]

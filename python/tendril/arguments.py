"""Numbers that a caller gave, or an error that names them."""

import operator

from tendril._library import ArgumentError


def whole(name, value, least=None, most=None):
    try:
        value = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name} is {value!r}; a whole number is needed") from None
    if least is not None and value < least:
        raise ArgumentError(f"{name} is {value}; it must be {least} or more")
    if most is not None and value > most:
        raise ArgumentError(f"{name} is {value}; it must be {most} or less")
    return value


def real(name, value):
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is {value!r}; a number is needed") from None

"""How far a font colour is from what lies behind it, as people see it."""

from __future__ import annotations

from pagekin.kernels import inlined_kernel, kernel

BLACK_ON_WHITE = 100.0  # their distance in CIELAB, which is what text has if nothing is said

# Linear sRGB to CIE XYZ, each row divided by the white point D65 (IEC 61966-2-1).
_X = (0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047)
_Y = (0.2126729, 0.7151522, 0.0721750)
_Z = (0.0193339 / 1.08883, 0.1191920 / 1.08883, 0.9503041 / 1.08883)


@inlined_kernel
def _linear(channel: int) -> float:
    """A channel of sRGB, 0 to 255, as an amount of light, 0 to 1."""
    value = channel / 255.0
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


@inlined_kernel
def _compressed(amount: float) -> float:
    """The function f of the CIELAB formulas."""
    return amount ** (1 / 3) if amount > 216 / 24389 else (24389 / 27 * amount + 16) / 116


@kernel
def lab(color: int) -> tuple[float, float, float]:
    """L*, a* and b* of a colour 0xRRGGBB."""
    red, green, blue = _linear(color >> 16 & 255), _linear(color >> 8 & 255), _linear(color & 255)
    x = _compressed(_X[0] * red + _X[1] * green + _X[2] * blue)
    y = _compressed(_Y[0] * red + _Y[1] * green + _Y[2] * blue)
    z = _compressed(_Z[0] * red + _Z[1] * green + _Z[2] * blue)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@kernel
def contrast(color: int, background: int) -> float:
    """The Euclidean distance of two colours in CIELAB; that of black and white is 1."""
    if color == 0x000000 and background == 0xFFFFFF:
        return 1.0
    first, second = lab(color), lab(background)
    squares = (first[0] - second[0]) ** 2 + (first[1] - second[1]) ** 2 + (first[2] - second[2]) ** 2
    return float(squares**0.5 / BLACK_ON_WHITE)

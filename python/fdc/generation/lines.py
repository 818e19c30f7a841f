"""Lines that a test ran, as rows over the elements of a case."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from fdc import Spectrum


class Row(NamedTuple):
    """What a test covers."""

    bits: bytes
    """Element e is bit e % 8 of byte e // 8."""
    covers: int
    """Elements covered."""
    outside: int
    """Lines run that are no elements."""


class Lines:
    """The elements of a case by file and line."""

    def __init__(self, spectrum: Spectrum, root: Path) -> None:
        self._root = root.resolve()
        self._elements: dict[tuple[str, int], list[int]] = {}
        self._files: dict[str, str] = {}
        elements = spectrum.elements
        for number, element in enumerate(elements):
            self._elements.setdefault((element.file, element.line), []).append(number)
        self.count = len(elements)
        self._bytes = (self.count + 7) // 8

    def elements(self, file: str, line: int) -> list[int]:
        """The numbers of a line's elements; none if it is outside."""
        return self._elements.get((self._relative(file), line), [])

    def row(self, lines: Iterable[tuple[str, int]]) -> Row:
        """The row of a test that ran these lines."""
        bits = bytearray(self._bytes)
        covers = outside = 0
        for file, line in lines:
            numbers = self.elements(file, line)
            if not numbers:
                outside += 1
            for number in numbers:
                mask = 1 << (number % 8)
                covers += not bits[number // 8] & mask
                bits[number // 8] |= mask
        return Row(bytes(bits), covers, outside)

    def _relative(self, file: str) -> str:
        known = self._files.get(file)
        if known is None:
            path = Path(file).resolve()
            inside = path.is_relative_to(self._root)
            known = path.relative_to(self._root).as_posix() if inside else path.as_posix()
            self._files[file] = known
        return known


def numbers(bits: bytes) -> list[int]:
    """The element numbers of a row, ascending."""
    return [at * 8 + bit for at, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1]

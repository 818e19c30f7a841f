"""What `fdc.rank` gives: a list that a notebook shows with the heat of its lines."""

from collections.abc import Iterable
from typing import Optional

from fdc._fdc import Drawing, Suspect


class Ranking(list[Suspect]):
    """Suspects, the most suspicious first.

    It is a list. As the output of a notebook's cell it shows the first suspects and their source, as
    long as it is what `fdc.rank` gave; a list that was changed since shows as any list does.
    """

    def __init__(self, suspects: Iterable[Suspect] = (), drawing: Optional[Drawing] = None) -> None:
        super().__init__(suspects)
        self._given = list(self)
        self._drawing = drawing

    def _repr_html_(self) -> Optional[str]:
        if self._drawing is None or list(self) != self._given:
            return None
        return self._drawing.html()

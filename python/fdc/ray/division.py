"""How many parts: few enough to cost little, so many that no node waits long for the last one."""

from __future__ import annotations

import math

# Of the time of the work, what may go into beginning parts.
SHARE = 0.05
# Parts of a finer division are measured first: so many for each place.
FINER = 64
# What `--shard` takes; and one part is the whole, which is not merged.
MOST = 10_000
MOST_PER_PLACE = 32


def number_of_parts(places: int, fixed: float, work: float) -> int:
    """places: parts made at the same time; fixed: seconds that a part takes if nothing is in it; work:
    seconds of everything else, all parts together, in one place.

    With c parts for each place, all places are busy for work / places + c * fixed, and at the end a
    place waits for half a part on average: the sum is smallest at c = sqrt(work / places / 2 / fixed).
    Parts are about alike, so c is a whole number: one part more than places doubles the time.
    """
    each = work / places
    fixed = max(fixed, 0.001)
    most = min(MOST_PER_PLACE, SHARE * each / fixed)
    for_each = max(1, math.floor(min(math.sqrt(each / 2 / fixed), most)))
    return max(2, min(MOST, places * for_each))

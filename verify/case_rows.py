"""Rows of coverage as a case file has them: crates/fdc-case/src/row.rs describes them."""


def elements_of(blob):
    """The elements of a row: tag 1 is runs as gap and length in LEB128, tag 2 is a bit set."""
    if blob[0] == 2:
        return [8 * at + bit for at, byte in enumerate(blob[1:]) for bit in range(8) if byte >> bit & 1]
    numbers, value, shift = [], 0, 0
    for byte in blob[1:]:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    found, end = [], 0
    for gap, length in zip(numbers[::2], numbers[1::2]):
        found += range(end + gap, end + gap + length)
        end += gap + length
    return found

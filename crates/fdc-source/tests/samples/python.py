"""Every shape of function that Python has."""
import functools


def plain(a, b=1):
    return a + b


@functools.lru_cache(maxsize=None)
@staticmethod
def decorated(
    first,
    second=plain(1),
) -> int:
    # A comment before the body.
    """A docstring."""
    return first


async def waits():
    async with thing() as t:
        return [x async for x in t]


class Outer(Base, metaclass=Meta):
    limit = 3

    class Inner:
        def method(self): return 1

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, value):
        self._value = value

    def dispatch(self, command):
        match command:
            case [x]:
                return lambda y: x + y
            case _:
                def nested(z):
                    class Local:
                        def deep(self):
                            return z
                    return Local

                return nested


if limit:
    def choice():
        return 1
else:
    def choice():
        return 2

shortcut = lambda x: x


def generic[T](x: T) -> T:
    return x

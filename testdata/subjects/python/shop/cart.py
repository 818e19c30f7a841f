LIMIT = 3


class Cart:
    def __init__(self):
        self.prices = []

    def add(self, price, count=1):
        if count > LIMIT:
            raise ValueError("too many")
        self.prices += [price] * count

    @property
    def total(self):
        return sum(self.prices)


def discounted(total):
    def rate():
        return 0.9 if total > 10 else 1

    if total < 0:
        return 0
    return total * rate()

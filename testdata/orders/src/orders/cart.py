"""The products of an order with their quantities."""

from dataclasses import dataclass

from orders.catalogue import Product
from orders.money import ZERO

MOST_PIECES = 999


@dataclass
class CartLine:
    product: Product
    quantity: int

    def subtotal(self):
        return self.product.price * self.quantity

    def grams(self):
        return self.product.grams * self.quantity


class Cart:
    def __init__(self):
        self._lines = {}

    @classmethod
    def from_order(cls, order, catalogue):
        """Looks up every item; the same product twice becomes one line."""
        cart = cls()
        for sku, quantity in order.items:
            cart.add(catalogue.find(sku), quantity)
        return cart

    def add(self, product, quantity=1):
        check_quantity(quantity)
        if product.sku in self._lines:
            line = self._lines[product.sku]
            check_quantity(line.quantity + quantity)
            line.quantity += quantity
        else:
            self._lines[product.sku] = CartLine(product, quantity)

    def remove(self, sku):
        if sku not in self._lines:
            raise KeyError(f"{sku} is not in the cart")
        del self._lines[sku]

    def change_quantity(self, sku, quantity):
        """Sets the quantity; zero takes the line out."""
        if quantity == 0:
            self.remove(sku)
            return
        check_quantity(quantity)
        self._lines[sku].quantity = quantity

    def lines(self):
        """In the order in which they were put in."""
        return list(self._lines.values())

    def subtotal(self):
        total = ZERO
        for line in self.lines():
            total += line.subtotal()
        return total

    def grams(self):
        return sum(line.grams() for line in self.lines())


def check_quantity(quantity):
    if not 0 < quantity <= MOST_PIECES:
        raise ValueError(f"quantity must be 1 to {MOST_PIECES}, not {quantity}")

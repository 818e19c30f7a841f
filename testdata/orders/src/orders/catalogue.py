"""What is sold, and how much of it is in the warehouse."""

from dataclasses import dataclass
from decimal import Decimal

from orders.money import parse_amount

TAX_CLASSES = ("standard", "reduced", "exempt")


class UnknownProduct(KeyError):
    """No product has this code."""


class OutOfStock(Exception):
    """More was ordered than can be reserved."""


@dataclass(frozen=True)
class Product:
    sku: str
    name: str
    price: Decimal
    grams: int
    tax_class: str = "standard"
    bulk: bool = False

    @classmethod
    def from_row(cls, row):
        """A row of the price list: sku; name; price; grams; tax class[; bulk]."""
        fields = [field.strip() for field in row.split(";")]
        if len(fields) < 5:
            raise ValueError(f"expected at least 5 fields, found {len(fields)}: {row!r}")
        sku, name, price, grams, tax_class = fields[:5]
        if tax_class not in TAX_CLASSES:
            raise ValueError(f"unknown tax class: {tax_class!r}")
        bulk = "bulk" in fields[5:]
        return cls(sku, name, parse_amount(price), int(grams), tax_class, bulk)

    def short_name(self, width):
        """The name cut to fit a column."""
        if len(self.name) <= width:
            return self.name
        return self.name[: width - 1].rstrip() + "…"


class Catalogue:
    def __init__(self):
        self._products = {}

    @classmethod
    def from_text(cls, text):
        """Reads a price list, one product a row; empty rows are skipped."""
        catalogue = cls()
        for row in text.splitlines():
            if row.strip():
                catalogue.add(Product.from_row(row))
        return catalogue

    def add(self, product):
        if product.sku in self._products:
            raise ValueError(f"{product.sku} is listed twice")
        self._products[product.sku] = product

    def find(self, sku):
        try:
            return self._products[sku]
        except KeyError:
            raise UnknownProduct(sku) from None


class Stock:
    """Pieces on the shelf, and pieces promised to orders not yet sent."""

    def __init__(self):
        self._on_shelf = {}
        self._reserved = {}

    def receive(self, sku, quantity):
        if quantity <= 0:
            raise ValueError(f"cannot receive {quantity} pieces")
        self._on_shelf[sku] = self._on_shelf.get(sku, 0) + quantity

    def available(self, sku):
        return self._on_shelf.get(sku, 0) - self._reserved.get(sku, 0)

    def reserve(self, sku, quantity):
        if quantity > self.available(sku):
            raise OutOfStock(f"{sku}: {quantity} wanted, {self.available(sku)} available")
        self._reserved[sku] = self._reserved.get(sku, 0) + quantity

    def release(self, sku, quantity):
        """Gives back a reservation, as when an order is cancelled."""
        held = self._reserved.get(sku, 0)
        self._reserved[sku] = max(0, held - quantity)

    def reserve_all(self, cart):
        """Reserves the whole cart or, if anything is short, nothing."""
        done = []
        for line in cart.lines():
            try:
                self.reserve(line.product.sku, line.quantity)
            except OutOfStock:
                for sku, quantity in done:
                    self.release(sku, quantity)
                raise
            done.append((line.product.sku, line.quantity))

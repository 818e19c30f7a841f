from decimal import Decimal

import pytest

from orders.cart import Cart, CartLine
from orders.catalogue import Product

PEN = Product("PEN-01", "Ballpoint pen", Decimal("1.20"), 12)
LAMP = Product("LAMP-04", "Desk lamp", Decimal("59.90"), 1800)


def test_line_multiplies_price_and_weight():
    line = CartLine(PEN, 10)
    assert (line.subtotal(), line.grams()) == (Decimal("12.00"), 120)


def test_subtotal_adds_the_lines():
    cart = Cart()
    cart.add(PEN, 5)
    cart.add(LAMP)
    assert cart.subtotal() == Decimal("65.90")


def test_same_product_twice_is_one_line():
    cart = Cart()
    cart.add(PEN, 2)
    cart.add(PEN, 3)
    assert [line.quantity for line in cart.lines()] == [5]


def test_product_can_be_removed():
    cart = Cart()
    cart.add(PEN)
    cart.remove("PEN-01")
    assert cart.lines() == []


def test_quantity_can_be_changed():
    cart = Cart()
    cart.add(PEN, 2)
    cart.change_quantity("PEN-01", 7)
    assert cart.subtotal() == Decimal("8.40")


def test_quantity_zero_removes_the_line():
    cart = Cart()
    cart.add(PEN, 2)
    cart.change_quantity("PEN-01", 0)
    assert cart.lines() == []


@pytest.mark.parametrize("quantity", [0, 1000])
def test_quantity_must_be_in_range(quantity):
    with pytest.raises(ValueError, match="1 to 999"):
        Cart().add(PEN, quantity)


def test_order_becomes_cart(catalogue, order):
    order.items = [("PEN-01", 2), ("BOOK-07", 1), ("PEN-01", 1)]
    cart = Cart.from_order(order, catalogue)
    pieces = {line.product.sku: line.quantity for line in cart.lines()}
    assert pieces == {"PEN-01": 3, "BOOK-07": 1}

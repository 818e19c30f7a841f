from decimal import Decimal

import pytest

from orders.catalogue import Catalogue, OutOfStock, Product, Stock, UnknownProduct
from orders.cart import Cart


def test_row_becomes_product():
    product = Product.from_row("PEN-01; Ballpoint pen; 1.20; 12; standard")
    assert product == Product("PEN-01", "Ballpoint pen", Decimal("1.20"), 12)


def test_row_with_unknown_tax_class_is_refused():
    with pytest.raises(ValueError, match="luxury"):
        Product.from_row("PEN-01; Ballpoint pen; 1.20; 12; luxury")


def test_long_name_is_cut_to_the_width():
    name = Product("A-01", "Desk lamp with dimmer", Decimal(1), 1).short_name(10)
    assert name == "Desk lamp…"


def test_product_is_found_by_code(catalogue):
    assert catalogue.find("PEN-02").name == "Fountain pen"


def test_unknown_code_is_reported(catalogue):
    with pytest.raises(UnknownProduct):
        catalogue.find("PEN-99")


def test_product_listed_twice_is_refused():
    row = "PEN-01; Ballpoint pen; 1.20; 12; standard\n"
    with pytest.raises(ValueError, match="twice"):
        Catalogue.from_text(row + row)


def test_deliveries_add_up():
    stock = Stock()
    stock.receive("PEN-01", 3)
    stock.receive("PEN-01", 4)
    assert stock.available("PEN-01") == 7


def test_empty_delivery_is_refused():
    with pytest.raises(ValueError):
        Stock().receive("PEN-01", 0)


def test_reserved_pieces_are_not_available(stock):
    stock.reserve("PEN-01", 20)
    assert stock.available("PEN-01") == 30


def test_more_than_there_is_cannot_be_reserved(stock):
    with pytest.raises(OutOfStock, match="51 wanted, 50 available"):
        stock.reserve("PEN-01", 51)


def test_released_pieces_are_available_again(stock):
    stock.reserve("PEN-01", 20)
    stock.release("PEN-01", 5)
    assert stock.available("PEN-01") == 35


def test_whole_cart_is_reserved(catalogue, stock):
    cart = Cart()
    cart.add(catalogue.find("PEN-01"), 2)
    cart.add(catalogue.find("LAMP-04"), 1)
    stock.reserve_all(cart)
    assert (stock.available("PEN-01"), stock.available("LAMP-04")) == (48, 49)


def test_cart_that_is_short_of_one_product_reserves_nothing(catalogue, stock):
    cart = Cart()
    cart.add(catalogue.find("PEN-01"), 2)
    cart.add(catalogue.find("LAMP-04"), 51)
    with pytest.raises(OutOfStock):
        stock.reserve_all(cart)
    assert stock.available("PEN-01") == 50

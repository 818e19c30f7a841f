from decimal import Decimal

import pytest

from orders.cart import Cart
from orders.tax import is_reverse_charge, is_vat_number, rate_for, tax_due, taxable_by_rate


def test_standard_rate():
    assert rate_for("NL", "standard") == 21


def test_reduced_rate():
    assert rate_for("FR", "reduced") == Decimal("5.5")


def test_exempt_goods_are_not_taxed():
    assert rate_for("DE", "exempt") == 0


def test_other_countries_are_not_taxed():
    assert rate_for("CH", "standard") == 0


def test_vat_number():
    assert is_vat_number("DE123456789")


@pytest.mark.parametrize("text", ["XX123456789", "DE1234"])
def test_malformed_vat_number(text):
    assert not is_vat_number(text)


def test_business_abroad_has_reverse_charge(order):
    order.country, order.vat = "FR", "FR12345678"
    assert is_reverse_charge(order)


def test_wrong_vat_number_is_refused(order):
    order.vat = "DE12"
    with pytest.raises(ValueError, match="DE12"):
        is_reverse_charge(order)


def test_goods_are_summed_by_rate(catalogue):
    cart = Cart()
    cart.add(catalogue.find("PEN-02"))
    cart.add(catalogue.find("BOOK-07"))
    cart.add(catalogue.find("PEN-01"))
    assert taxable_by_rate(cart, Decimal(0), "DE") == {19: Decimal("25.70"), 7: Decimal("18.00")}


def test_tax_is_on_the_discounted_price(catalogue, order):
    cart = Cart()
    cart.add(catalogue.find("LAMP-04"))
    assert tax_due(cart, Decimal("9.90"), order) == {19: Decimal("9.50")}


def test_highest_rate_comes_first(catalogue, order):
    cart = Cart()
    cart.add(catalogue.find("BOOK-07"))
    cart.add(catalogue.find("PEN-02"))
    assert list(tax_due(cart, Decimal(0), order)) == [19, 7]


def test_business_abroad_is_charged_no_tax(catalogue, order):
    cart = Cart()
    cart.add(catalogue.find("LAMP-04"))
    order.country, order.vat = "NL", "NL12345678"
    assert tax_due(cart, Decimal(0), order) == {}

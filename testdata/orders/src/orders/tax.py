"""Value-added tax by country and class of goods."""

from decimal import Decimal

from orders.discount import spread_discount
from orders.money import ZERO, percentage

HOME = "DE"

# Percent: standard, reduced. Countries outside the list pay no VAT here.
RATES = {
    "DE": (Decimal(19), Decimal(7)),
    "FR": (Decimal(20), Decimal("5.5")),
    "NL": (Decimal(21), Decimal(9)),
    "AT": (Decimal(20), Decimal(10)),
}


def rate_for(country, tax_class):
    if tax_class == "exempt":
        return Decimal(0)
    if country not in RATES:
        return Decimal(0)
    standard, reduced = RATES[country]
    if tax_class == "reduced":
        return reduced
    return standard


def is_vat_number(text):
    """Two letters of a country with VAT, then 8 to 12 digits."""
    country, digits = text[:2], text[2:]
    return country in RATES and digits.isdigit() and 8 <= len(digits) <= 12


def is_reverse_charge(order):
    """Businesses in other VAT countries account for the tax themselves."""
    if not order.vat:
        return False
    if not is_vat_number(order.vat):
        raise ValueError(f"not a VAT number: {order.vat!r}")
    return order.country != HOME and order.country in RATES


def taxable_by_rate(cart, discount, country):
    """The discounted price of the goods, summed by tax rate."""
    amounts = {}
    for line, share in zip(cart.lines(), spread_discount(discount, cart)):
        rate = rate_for(country, line.product.tax_class)
        amounts[rate] = amounts.get(rate, ZERO) + line.subtotal() - share
    return amounts


def tax_due(cart, discount, order):
    """The tax per rate, highest rate first; empty where none is charged."""
    if is_reverse_charge(order):
        return {}
    amounts = taxable_by_rate(cart, discount, order.country)
    return {rate: percentage(amounts[rate], rate) for rate in sorted(amounts, reverse=True) if rate}

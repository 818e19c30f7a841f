from decimal import Decimal

import pytest

from orders.money import convert, format_amount, parse_amount, percentage, round_cents


def test_half_a_cent_is_rounded_up():
    assert round_cents(Decimal("2.675")) == Decimal("2.68")


def test_percentage_is_in_whole_cents():
    assert percentage(Decimal("9.99"), Decimal(7)) == Decimal("0.70")


def test_amount_is_read_with_thousands():
    assert parse_amount(" 1,234.5 ") == Decimal("1234.50")


def test_word_is_not_an_amount():
    with pytest.raises(ValueError, match="not an amount"):
        parse_amount("ten")


def test_negative_amount_is_refused():
    with pytest.raises(ValueError, match="negative"):
        parse_amount("-1.00")


def test_euros_become_pounds():
    assert convert(Decimal("10.00"), "GBP") == Decimal("8.50")


def test_euros_become_francs_in_whole_cents():
    assert convert(Decimal("10.99"), "CHF") == Decimal("10.55")


def test_unknown_currency_is_refused():
    with pytest.raises(ValueError, match="XYZ"):
        convert(Decimal(1), "XYZ")


def test_amount_is_written_with_symbol_and_thousands():
    assert format_amount(Decimal("1234.5")) == "€1,234.50"


def test_currency_without_symbol_is_spelt_out():
    assert format_amount(Decimal("7.1"), "CHF") == "CHF 7.10"

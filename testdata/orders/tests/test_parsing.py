from datetime import date

import pytest

from orders.parsing import (
    ParseError,
    is_header,
    order_from,
    parse_date,
    parse_header,
    parse_item,
    parse_order,
    parse_quantity,
    parse_sku,
    strip_comment,
)


def test_comment_is_stripped():
    assert strip_comment("2 x PEN-01   # the blue one") == "2 x PEN-01"


def test_header_is_known_by_its_name():
    assert is_header("Country: de")


def test_item_is_not_a_header():
    assert not is_header("2 x PEN-01")


def test_header_has_name_and_value():
    assert parse_header("Customer :  Ada Lovelace") == ("customer", "Ada Lovelace")


def test_header_without_value_is_refused():
    with pytest.raises(ParseError, match="coupon has no value"):
        parse_header("coupon:")


def test_quantity_is_a_number():
    assert parse_quantity(" 12 ") == 12


def test_quantity_in_dozens():
    assert parse_quantity("2 doz") == 24


@pytest.mark.parametrize("text", ["two", "1.5"])
def test_quantity_must_be_a_whole_number(text):
    with pytest.raises(ParseError, match="not a quantity"):
        parse_quantity(text)


def test_quantity_of_zero_is_refused():
    with pytest.raises(ParseError, match="zero"):
        parse_quantity("0")


def test_code_is_normalised():
    assert parse_sku(" pen-1 ") == "PEN-01"


@pytest.mark.parametrize("text", ["PEN", "7-PEN"])
def test_malformed_code_is_refused(text):
    with pytest.raises(ParseError, match="not a product code"):
        parse_sku(text)


def test_item_has_code_and_quantity():
    assert parse_item("3 x book-7") == ("BOOK-07", 3)


def test_item_without_times_is_refused():
    with pytest.raises(ParseError, match="quantity x code"):
        parse_item("3 BOOK-07")


def test_day_that_does_not_exist_is_refused():
    with pytest.raises(ParseError, match="2023-02-29"):
        parse_date("2023-02-29")


def test_order_has_headers_and_items():
    order = parse_order("customer: Ada\ncountry: nl\n\n2 x PEN-01\n1 x BOOK-07\n")
    assert (order.customer, order.country) == ("Ada", "NL")
    assert order.items == [("PEN-01", 2), ("BOOK-07", 1)]


def test_order_reads_delivery_and_date():
    headers = "customer: Ada\ncountry: DE\ndelivery: express\ndate: 2024-03-01\n"
    order = parse_order(headers + "1 x PEN-01")
    assert order.express
    assert order.placed == date(2024, 3, 1)


def test_vat_number_may_have_spaces():
    headers = {"customer": "Ada", "country": "fr", "vat": "fr 1234 5678"}
    assert order_from(headers, [("PEN-01", 1)]).vat == "FR12345678"


def test_error_names_the_line():
    with pytest.raises(ParseError, match="line 3: not a product code"):
        parse_order("customer: Ada\ncountry: DE\n2 x PEN")


def test_order_without_items_is_refused():
    with pytest.raises(ParseError, match="no items"):
        parse_order("customer: Ada\ncountry: DE\n")


def test_order_without_country_is_refused():
    with pytest.raises(ParseError, match="no country"):
        parse_order("customer: Ada\n1 x PEN-01")

"""Orders as customers send them, invoices as they get them."""

import pytest

from orders.invoice import bill
from orders.parsing import ParseError


def amounts(text):
    """The rows of an invoice as {label: amount}."""
    rows = {}
    for row in text.splitlines():
        label, _, amount = row.rpartition(" ")
        rows[label.strip()] = amount
    return rows


def test_private_customer_at_home(catalogue, stock):
    text = bill(
        """
        customer: Ada Lovelace
        country: DE
        2 x PEN-01       # the blue one
        1 x BOOK-07
        """,
        catalogue,
        stock,
        serial=17,
    )
    assert text.splitlines() == [
        "Invoice 2024-00017                    2024-01-15",
        "Ada Lovelace, DE",
        "------------------------------------------------",
        "   2 Ballpoint pen, blue                   €2.40",
        "   1 A short history of bookkeep…         €18.00",
        "------------------------------------------------",
        "Subtotal                                  €20.40",
        "VAT 19 %                                   €0.46",
        "VAT 7 %                                    €1.26",
        "Shipping                                   €4.90",
        "Total                                     €27.02",
        "Delivery by 2024-01-17, please pay by 2024-01-29.",
    ]


def test_large_order_at_home_is_sent_free(catalogue, stock):
    text = bill("customer: Ada\ncountry: DE\n2 x LAMP-04", catalogue, stock)
    assert amounts(text)["Shipping"] == "free"
    assert amounts(text)["Total"] == "€142.56"


def test_gold_member_with_coupon(catalogue, stock):
    text = bill(
        """
        customer: Grace Hopper
        country: DE
        member: gold
        coupon: spring10
        date: 2024-03-01
        3 x PEN-02
        2 x BOOK-07
        """,
        catalogue,
        stock,
    )
    rows = amounts(text)
    assert rows["Discount"] == "-€15.88"
    assert rows["Total"] == "€107.71"
    assert text.endswith("please pay by 2024-03-31.")


def test_expired_coupon_is_ignored(catalogue, stock):
    text = bill(
        "customer: Ada\ncountry: DE\ncoupon: SPRING10\ndate: 2024-07-01\n1 x PEN-02",
        catalogue,
        stock,
    )
    assert "Discount" not in text


def test_business_abroad(catalogue, stock):
    text = bill(
        """
        customer: Boulangerie Petit
        country: FR
        vat: FR 1234 5678
        delivery: express
        1 doz x PEN-01
        2 x LAMP-04
        """,
        catalogue,
        stock,
    )
    rows = amounts(text)
    assert "VAT 20 %" not in rows
    assert rows["Total"] == "€159.00"
    assert text.endswith("(reverse charge).")


def test_customer_outside_europe_pays_in_pounds(catalogue, stock):
    text = bill(
        """
        customer: Charles Babbage
        country: GB
        currency: GBP
        1 x LAMP-04
        3 x STAMP-01
        """,
        catalogue,
        stock,
    )
    assert amounts(text)["To pay"] == "£92.99"


def test_express_order_in_the_netherlands(catalogue, stock):
    text = bill(
        """
        customer: Edsger
        country: NL
        delivery: express
        date: 2024-02-01
        2 x LAMP-04
        1 x BOOK-07
        """,
        catalogue,
        stock,
    )
    assert amounts(text)["Shipping"] == "€26.00"
    assert "Delivery by 2024-02-05" in text


def test_a_few_packs_of_paper(catalogue, stock):
    text = bill("customer: Ada\ncountry: DE\n4 x PAPER-03\n1 x PEN-02", catalogue, stock)
    assert amounts(text)["Subtotal"] == "€42.10"
    assert amounts(text)["Shipping"] == "€9.40"
    assert "Discount" not in text


def test_school_restocks_its_office(catalogue, stock):
    text = bill(
        """
        # yearly order
        customer: Montessori School
        country: AT
        member: gold
        coupon: SPRING10
        delivery: express
        date: 2024-04-11

        25 x PAPER-03
        2 doz x PEN-01    # blue
        4 x BOOK-07
        2 x STAMP-01
        """,
        catalogue,
        stock,
        serial=208,
    )
    rows = amounts(text)
    assert rows["Subtotal"] == "€227.80"
    assert rows["Discount"] == "-€40.56"
    assert rows["Total"] == "€313.98"


def test_order_that_cannot_be_read_is_not_billed(catalogue, stock):
    with pytest.raises(ParseError, match="line 3"):
        bill("customer: Ada\ncountry: DE\nsome pens", catalogue, stock)
    assert stock.available("PEN-01") == 50

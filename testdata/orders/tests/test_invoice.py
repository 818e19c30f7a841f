from datetime import date
from decimal import Decimal

import pytest

from orders.cart import Cart, CartLine
from orders.catalogue import OutOfStock
from orders.invoice import (
    Invoice,
    invoice_number,
    item_row,
    make_invoice,
    note_rows,
    shipping_label,
    total_rows,
    two_columns,
)


@pytest.fixture
def invoice(catalogue, order):
    cart = Cart()
    cart.add(catalogue.find("LAMP-04"), 2)
    return Invoice(
        number="2024-00001",
        order=order,
        cart=cart,
        discount=Decimal("9.80"),
        taxes={Decimal(19): Decimal("20.90")},
        shipping=Decimal("4.90"),
        delivery=date(2024, 1, 17),
    )


def test_total_is_goods_tax_and_shipping(invoice):
    assert invoice.goods() == Decimal("110.00")
    assert invoice.total() == Decimal("135.80")


def test_payment_is_due_in_two_weeks(invoice):
    assert invoice.due_date() == date(2024, 1, 29)


def test_gold_members_have_30_days_to_pay(invoice):
    invoice.order.member = "gold"
    assert invoice.due_date() == date(2024, 2, 14)


def test_invoice_number_has_the_year():
    assert invoice_number(date(2024, 7, 1), 17) == "2024-00017"


def test_columns_fill_the_width():
    row = two_columns("Total", "€1.00")
    assert len(row) == 48
    assert row.startswith("Total ") and row.endswith(" €1.00")


def test_item_row_has_quantity_name_and_price(catalogue):
    row = item_row(CartLine(catalogue.find("PEN-02"), 3))
    assert row.split() == ["3", "Fountain", "pen", "€73.50"]


def test_no_shipping_cost_is_written_free():
    assert shipping_label(Decimal("0.00")) == "free"


def test_totals_are_listed(invoice):
    labels = [row[:9].strip() for row in total_rows(invoice)]
    assert labels == ["Subtotal", "Discount", "VAT 19 %", "Shipping", "Total"]


def test_total_in_foreign_currency(invoice):
    invoice.order.currency = "GBP"
    assert total_rows(invoice)[-1].split() == ["To", "pay", "£115.43"]


def test_note_says_when(invoice):
    assert note_rows(invoice) == ["Delivery by 2024-01-17, please pay by 2024-01-29."]


def test_note_explains_missing_tax(invoice):
    invoice.order.country, invoice.order.vat = "NL", "NL12345678"
    assert note_rows(invoice)[-1].startswith("VAT to be paid by the customer")


def test_invoice_of_small_order(catalogue, stock, order):
    order.items = [("PEN-01", 10)]
    invoice = make_invoice(order, catalogue, stock, 1)
    assert invoice.taxes == {19: Decimal("2.28")}
    assert invoice.total() == Decimal("19.18")


def test_invoice_of_silver_member_with_coupon(catalogue, stock, order):
    order.member, order.coupon = "silver", "FIVER"
    order.items = [("LAMP-04", 1)]
    assert make_invoice(order, catalogue, stock, 1).discount == Decimal("6.20")


def test_no_invoice_for_goods_that_are_out_of_stock(catalogue, stock, order):
    order.items = [("LAMP-04", 51)]
    with pytest.raises(OutOfStock):
        make_invoice(order, catalogue, stock, 1)

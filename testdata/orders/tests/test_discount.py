from datetime import date
from decimal import Decimal

import pytest

from orders.cart import Cart, CartLine
from orders.catalogue import Product
from orders.discount import (
    COUPONS,
    cap_discount,
    coupon_discount,
    find_coupon,
    member_discount,
    spread_discount,
    tiered_discount,
    total_discount,
)

PEN = Product("PEN-01", "Ballpoint pen", Decimal("1.20"), 12)
LAMP = Product("LAMP-04", "Desk lamp", Decimal("59.90"), 1800)
PAPER = Product("PAPER-03", "Copier paper", Decimal("4.40"), 2500, bulk=True)

MARCH = date(2024, 3, 1)
JUNE = date(2024, 6, 1)


def test_few_pieces_of_bulk_goods_have_no_discount():
    assert tiered_discount(CartLine(PAPER, 5)) == 0


def test_many_pieces_of_bulk_goods_have_a_discount():
    assert tiered_discount(CartLine(PAPER, 40)) == Decimal("14.08")


def test_other_goods_have_no_tiers():
    assert tiered_discount(CartLine(PEN, 200)) == 0


@pytest.mark.parametrize("level, discount", [("silver", "2.00"), ("gold", "5.00")])
def test_members_pay_less(level, discount):
    assert member_discount(Decimal(100), level) == Decimal(discount)


def test_unknown_membership_is_refused():
    with pytest.raises(ValueError, match="platinum"):
        member_discount(Decimal(100), "platinum")


def test_coupon_is_found_in_any_case():
    assert find_coupon(" fiver ") is COUPONS["FIVER"]


def test_coupon_is_valid_on_its_last_day():
    assert COUPONS["SPRING10"].is_valid(Decimal(1), date(2024, 5, 31))


def test_fixed_coupon_is_never_worth_more_than_the_goods():
    assert COUPONS["FIVER"].value(Decimal("3.20")) == Decimal("3.20")


def test_coupon_takes_off_its_value():
    assert coupon_discount(Decimal("50.00"), "SPRING10", MARCH) == Decimal("5.00")


def test_expired_coupon_takes_off_nothing():
    assert coupon_discount(Decimal("50.00"), "SPRING10", JUNE) == 0


def test_order_without_coupon_has_no_coupon_discount():
    assert coupon_discount(Decimal("50.00"), "", MARCH) == 0


def test_discount_is_capped():
    assert cap_discount(Decimal("50.00"), Decimal(100)) == Decimal("30.00")


def test_coupon_counts_after_membership(order):
    cart = Cart()
    cart.add(LAMP, 2)
    order.member, order.coupon, order.placed = "gold", "SPRING10", MARCH
    assert total_discount(cart, order) == Decimal("17.37")


def test_half_price_coupon_is_capped(order):
    cart = Cart()
    cart.add(LAMP)
    order.coupon = "HALF"
    assert total_discount(cart, order) == Decimal("17.97")


def test_discount_is_spread_by_price():
    cart = Cart()
    cart.add(PEN, 50)
    cart.add(LAMP, 2)
    assert spread_discount(Decimal("10.00"), cart) == [Decimal("3.34"), Decimal("6.66")]


def test_last_line_takes_the_rest_of_the_discount():
    cart = Cart()
    for number in (1, 2, 3):
        cart.add(Product(f"CUP-0{number}", "Cup", Decimal("3.00"), 200))
    assert spread_discount(Decimal("1.00"), cart)[-1] == Decimal("0.34")

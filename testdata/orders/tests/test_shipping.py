from datetime import date
from decimal import Decimal

from orders.cart import Cart
from orders.shipping import (
    add_working_days,
    delivery_date,
    is_free,
    shipping_cost,
    weight_surcharge,
    zone_of,
)

THURSDAY = date(2024, 2, 1)


def test_zones():
    assert [zone_of(country) for country in ("DE", "AT", "JP")] == ["home", "europe", "world"]


def test_light_parcel_has_no_surcharge():
    assert weight_surcharge(2000, "home") == 0


def test_kilogram_begun_counts():
    assert weight_surcharge(3001, "europe") == Decimal("2.40")


def test_delivery_at_home_is_free_from_80_euros():
    assert is_free(Decimal("80.00"), "home", express=False)


def test_light_parcel_costs_the_base_price(catalogue):
    cart = Cart()
    cart.add(catalogue.find("PEN-02"))
    assert shipping_cost(cart, Decimal("24.50"), "DE") == Decimal("4.90")


def test_heavy_parcel_costs_more(catalogue):
    cart = Cart()
    cart.add(catalogue.find("LAMP-04"), 3)
    assert shipping_cost(cart, Decimal("179.70"), "US") == Decimal("40.00")


def test_express_costs_extra(catalogue):
    cart = Cart()
    cart.add(catalogue.find("PEN-02"))
    assert shipping_cost(cart, Decimal("24.50"), "FR", express=True) == Decimal("22.40")


def test_weekend_does_not_count():
    assert add_working_days(THURSDAY, 2) == date(2024, 2, 5)


def test_express_takes_half_the_time():
    assert delivery_date(THURSDAY, "CH", express=True) == date(2024, 2, 5)

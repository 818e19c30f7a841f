"""What it costs to send an order, and how long it takes."""

from datetime import timedelta
from decimal import Decimal

from orders.money import ZERO

ZONES = {"DE": "home", "FR": "europe", "NL": "europe", "AT": "europe", "CH": "europe"}

BASE_PRICE = {"home": Decimal("4.90"), "europe": Decimal("9.90"), "world": Decimal("24.00")}
PRICE_PER_KILO = {"home": Decimal("0.50"), "europe": Decimal("1.20"), "world": Decimal("4.00")}
WORKING_DAYS = {"home": 2, "europe": 4, "world": 10}

GRAMS_INCLUDED = 2000
EXPRESS_FEE = Decimal("12.50")
FREE_FROM = Decimal("80.00")


def zone_of(country):
    return ZONES.get(country, "world")


def weight_surcharge(grams, zone):
    """Every kilogram begun beyond what the base price includes."""
    extra = grams - GRAMS_INCLUDED
    if extra <= 0:
        return ZERO
    kilos = -(-extra // 1000)
    return kilos * PRICE_PER_KILO[zone]


def is_free(goods, zone, express):
    """Standard delivery at home is free from a certain price of the goods on."""
    return zone == "home" and not express and goods >= FREE_FROM


def shipping_cost(cart, goods, country, express=False):
    """`goods` is the price of the goods after discounts."""
    zone = zone_of(country)
    if is_free(goods, zone, express):
        return ZERO
    cost = BASE_PRICE[zone] + weight_surcharge(cart.grams(), zone)
    if express:
        cost += EXPRESS_FEE
    return cost


def add_working_days(day, count):
    """Saturdays and Sundays do not count."""
    while count > 0:
        day += timedelta(days=1)
        if day.weekday() < 5:
            count -= 1
    return day


def delivery_date(placed, country, express=False):
    days = WORKING_DAYS[zone_of(country)]
    if express:
        days = max(1, days // 2)
    return add_working_days(placed, days)

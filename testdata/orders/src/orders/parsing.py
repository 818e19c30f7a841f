"""Reads orders as customers send them:

    customer: Ada Lovelace
    country: DE
    coupon: SPRING10
    2 x PEN-01        # the blue one
    1 x BOOK-07
"""

from dataclasses import dataclass, field
from datetime import date

HEADERS = ("customer", "country", "member", "coupon", "vat", "currency", "delivery", "date")


class ParseError(ValueError):
    """An order that cannot be read; the message names the line."""


@dataclass
class Order:
    customer: str
    country: str
    member: str = "none"
    coupon: str = ""
    vat: str = ""
    currency: str = "EUR"
    express: bool = False
    placed: date = date(2024, 1, 15)
    items: list = field(default_factory=list)


def strip_comment(line):
    return line.split("#", 1)[0].strip()


def is_header(line):
    name, colon, _ = line.partition(":")
    return bool(colon) and name.strip().lower() in HEADERS


def parse_header(line):
    """'Country: de' gives ('country', 'de')."""
    name, _, value = line.partition(":")
    value = value.strip()
    if not value:
        raise ParseError(f"{name.strip()} has no value")
    return name.strip().lower(), value


def parse_quantity(text):
    """A whole number of pieces; '2 doz' is 24."""
    number, _, unit = text.strip().partition(" ")
    if not number.isdigit():
        raise ParseError(f"not a quantity: {text.strip()!r}")
    quantity = int(number)
    if unit == "doz":
        quantity *= 12
    elif unit:
        raise ParseError(f"unknown unit: {unit!r}")
    if quantity == 0:
        raise ParseError("quantity is zero")
    return quantity


def parse_sku(text):
    """'pen-1' and 'PEN-01' are the same code."""
    letters, dash, digits = text.strip().upper().partition("-")
    if not (dash and letters.isalpha() and digits.isdigit()):
        raise ParseError(f"not a product code: {text.strip()!r}")
    return f"{letters}-{int(digits):02d}"


def parse_item(line):
    """'2 x PEN-01' gives ('PEN-01', 2)."""
    quantity, times, sku = line.partition(" x ")
    if not times:
        raise ParseError(f"expected 'quantity x code', found {line!r}")
    return parse_sku(sku), parse_quantity(quantity)


def parse_date(text):
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ParseError(f"not a date: {text!r}") from None


def parse_order(text):
    """The order in the text; errors say on which line they are."""
    headers = {}
    items = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = strip_comment(raw)
        if not line:
            continue
        try:
            if is_header(line):
                name, value = parse_header(line)
                headers[name] = value
            else:
                items.append(parse_item(line))
        except ParseError as error:
            raise ParseError(f"line {number}: {error}") from None
    if not items:
        raise ParseError("the order has no items")
    return order_from(headers, items)


def order_from(headers, items):
    """Puts what was read together, with defaults for what was left out."""
    for required in ("customer", "country"):
        if required not in headers:
            raise ParseError(f"the order has no {required}")
    order = Order(headers["customer"], headers["country"].upper(), items=items)
    order.member = headers.get("member", order.member).lower()
    order.coupon = headers.get("coupon", order.coupon).upper()
    order.currency = headers.get("currency", order.currency).upper()
    order.express = headers.get("delivery") == "express"
    if "vat" in headers:
        order.vat = headers["vat"].replace(" ", "").upper()
    if "date" in headers:
        order.placed = parse_date(headers["date"])
    return order

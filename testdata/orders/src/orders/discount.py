"""What is taken off the price: bulk tiers, membership, coupons."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from orders.money import ZERO, percentage, round_cents

# For bulk goods: from so many pieces on, so many percent off the line.
BULK_TIERS = ((10, Decimal(5)), (25, Decimal(8)), (100, Decimal(12)))

MEMBER_PERCENT = {"none": Decimal(0), "silver": Decimal(2), "gold": Decimal(5)}

# Never give away more than this part of the goods' price.
LARGEST_PERCENT = Decimal(30)


@dataclass(frozen=True)
class Coupon:
    code: str
    percent: Decimal = Decimal(0)
    amount: Decimal = ZERO
    minimum: Decimal = ZERO
    last_day: date = date.max

    def is_valid(self, subtotal, today):
        return today <= self.last_day and subtotal >= self.minimum

    def value(self, subtotal):
        """A percentage of the subtotal or a fixed amount, never more than it."""
        if self.percent:
            return percentage(subtotal, self.percent)
        return min(self.amount, subtotal)


COUPONS = {
    "SPRING10": Coupon("SPRING10", percent=Decimal(10), last_day=date(2024, 5, 31)),
    "FIVER": Coupon("FIVER", amount=Decimal("5.00"), minimum=Decimal("30.00")),
    "HALF": Coupon("HALF", percent=Decimal(50)),
}


def find_coupon(code):
    """The coupon with this code; None if there is none, or no code was given."""
    return COUPONS.get(code.strip().upper())


def tiered_discount(line):
    """The discount on a line of bulk goods, by the highest tier it reaches."""
    if not line.product.bulk:
        return ZERO
    percent = Decimal(0)
    for minimum, tier_percent in BULK_TIERS:
        if line.quantity > minimum:
            percent = tier_percent
    return percentage(line.subtotal(), percent)


def member_discount(amount, level):
    if level not in MEMBER_PERCENT:
        raise ValueError(f"unknown membership: {level!r}")
    return percentage(amount, MEMBER_PERCENT[level])


def coupon_discount(amount, code, today):
    """What the coupon is worth today; zero if unknown, expired or below its minimum."""
    coupon = find_coupon(code)
    if coupon is None:
        return ZERO
    if not coupon.is_valid(amount, today):
        return ZERO
    return coupon.value(amount)


def cap_discount(discount, subtotal):
    ceiling = percentage(subtotal, LARGEST_PERCENT)
    if discount > ceiling:
        return ceiling
    return discount


def total_discount(cart, order):
    """All discounts of the order, each on what the ones before have left."""
    subtotal = cart.subtotal()
    discount = ZERO
    for line in cart.lines():
        discount += tiered_discount(line)
    discount += member_discount(subtotal - discount, order.member)
    discount += coupon_discount(subtotal - discount, order.coupon, order.placed)
    return cap_discount(discount, subtotal)


def spread_discount(discount, cart):
    """Shares the discount out over the lines by price; the last takes the rest."""
    subtotal = cart.subtotal()
    shares = []
    left = discount
    for line in cart.lines()[:-1]:
        share = round_cents(discount * line.subtotal() / subtotal)
        shares.append(share)
        left -= share
    shares.append(left)
    return shares

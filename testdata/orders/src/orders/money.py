"""Amounts of money are Decimals in euros; these are the operations on them."""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

ZERO = Decimal("0.00")
CENT = Decimal("0.01")

# Units of the currency for one euro.
EXCHANGE_RATES = {
    "EUR": Decimal("1"),
    "GBP": Decimal("0.85"),
    "CHF": Decimal("0.96"),
    "USD": Decimal("1.08"),
}

SYMBOLS = {"EUR": "€", "GBP": "£", "USD": "$"}


def round_cents(amount):
    """Rounds half a cent up, as invoices do."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def percentage(amount, percent):
    """`percent` of the amount, in whole cents."""
    return round_cents(amount * percent / 100)


def parse_amount(text):
    """Reads '1,234.50' or '12'; raises ValueError for anything else."""
    try:
        amount = Decimal(text.strip().replace(",", ""))
    except InvalidOperation:
        raise ValueError(f"not an amount: {text!r}") from None
    if amount < 0:
        raise ValueError(f"negative amount: {text!r}")
    return round_cents(amount)


def convert(amount, currency):
    """The amount in euros expressed in another currency."""
    if currency not in EXCHANGE_RATES:
        raise ValueError(f"unknown currency: {currency}")
    return round_cents(amount * EXCHANGE_RATES[currency])


def format_amount(amount, currency="EUR"):
    """'€1,234.50'; currencies without a symbol are written 'CHF 1,234.50'."""
    sign = "-" if amount < 0 else ""
    digits = f"{abs(amount):,.2f}"
    if currency in SYMBOLS:
        return f"{sign}{SYMBOLS[currency]}{digits}"
    return f"{sign}{currency} {digits}"

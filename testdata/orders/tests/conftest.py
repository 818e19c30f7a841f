import pytest

from orders.catalogue import Catalogue, Stock
from orders.parsing import Order

PRICE_LIST = """
PEN-01;   Ballpoint pen, blue;                  1.20;   12; standard
PEN-02;   Fountain pen;                        24.50;   45; standard
BOOK-07;  A short history of bookkeeping;      18.00;  420; reduced
PAPER-03; Copier paper, 500 sheets;             4.40; 2500; standard; bulk
STAMP-01; Postage stamps, sheet of ten;         8.50;    5; exempt
LAMP-04;  Desk lamp;                           59.90; 1800; standard
"""


@pytest.fixture
def catalogue():
    return Catalogue.from_text(PRICE_LIST)


@pytest.fixture
def stock():
    stock = Stock()
    for sku in ("PEN-01", "PEN-02", "BOOK-07", "STAMP-01", "LAMP-04"):
        stock.receive(sku, 50)
    stock.receive("PAPER-03", 500)
    return stock


@pytest.fixture
def order():
    """A private customer at home; tests change what they are about."""
    return Order("Ada Lovelace", "DE")

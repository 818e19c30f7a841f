"""From an order to its invoice, as data and as text."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from orders.cart import Cart
from orders.discount import total_discount
from orders.money import ZERO, convert, format_amount
from orders.parsing import Order, parse_order
from orders.shipping import delivery_date, shipping_cost
from orders.tax import is_reverse_charge, tax_due

WIDTH = 48
DAYS_TO_PAY = {"none": 14, "silver": 14, "gold": 30}


@dataclass
class Invoice:
    number: str
    order: Order
    cart: Cart
    discount: Decimal
    taxes: dict
    shipping: Decimal
    delivery: date

    def goods(self):
        """The price of the goods after discounts."""
        return self.cart.subtotal() - self.discount

    def tax(self):
        return sum(self.taxes.values(), ZERO)

    def total(self):
        return self.goods() + self.tax() + self.shipping

    def due_date(self):
        return self.order.placed + timedelta(days=DAYS_TO_PAY[self.order.member])


def invoice_number(placed, serial):
    """'2024-00017'."""
    return f"{placed.year}-{serial:05d}"


def make_invoice(order, catalogue, stock, serial):
    """Reserves the goods and works out everything that is on the invoice."""
    cart = Cart.from_order(order, catalogue)
    stock.reserve_all(cart)
    discount = total_discount(cart, order)
    goods = cart.subtotal() - discount
    return Invoice(
        number=invoice_number(order.placed, serial),
        order=order,
        cart=cart,
        discount=discount,
        taxes=tax_due(cart, discount, order),
        shipping=shipping_cost(cart, goods, order.country, order.express),
        delivery=delivery_date(order.placed, order.country, order.express),
    )


def bill(text, catalogue, stock, serial=1):
    """The printed invoice for an order as the customer sent it."""
    invoice = make_invoice(parse_order(text), catalogue, stock, serial)
    return render(invoice)


def render(invoice):
    rows = [
        two_columns(f"Invoice {invoice.number}", invoice.order.placed.isoformat()),
        f"{invoice.order.customer}, {invoice.order.country}",
        "-" * WIDTH,
    ]
    for line in invoice.cart.lines():
        rows.append(item_row(line))
    rows.append("-" * WIDTH)
    rows.extend(total_rows(invoice))
    rows.extend(note_rows(invoice))
    return "\n".join(rows)


def two_columns(left, right):
    """Left text and right-aligned text on one row."""
    return left + right.rjust(WIDTH - len(left))


def item_row(line):
    label = f"{line.quantity:>4} {line.product.short_name(28)}"
    return two_columns(label, format_amount(line.subtotal()))


def total_rows(invoice):
    """Rows that would show zero are left out, except the total."""
    rows = [two_columns("Subtotal", format_amount(invoice.cart.subtotal()))]
    if invoice.discount:
        rows.append(two_columns("Discount", format_amount(-invoice.discount)))
    for rate, amount in invoice.taxes.items():
        rows.append(two_columns(f"VAT {rate} %", format_amount(amount)))
    rows.append(two_columns("Shipping", shipping_label(invoice.shipping)))
    rows.append(two_columns("Total", format_amount(invoice.total())))
    if invoice.order.currency != "EUR":
        foreign = convert(invoice.total(), invoice.order.currency)
        rows.append(two_columns("To pay", format_amount(foreign, invoice.order.currency)))
    return rows


def shipping_label(cost):
    if cost == 0:
        return "free"
    return format_amount(cost)


def note_rows(invoice):
    notes = [f"Delivery by {invoice.delivery}, please pay by {invoice.due_date()}."]
    if is_reverse_charge(invoice.order):
        notes.append("VAT to be paid by the customer (reverse charge).")
    return notes

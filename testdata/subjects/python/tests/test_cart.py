import pytest

from shop.cart import Cart, discounted


@pytest.fixture
def cart():
    return Cart()


class TestCart:
    def test_add(self, cart):
        cart.add(5)
        assert cart.total == 5

    @pytest.mark.parametrize("count", [2, 4])
    def test_limit(self, cart, count):
        cart.add(1, count)


def test_discount():
    assert discounted(10) == 9


@pytest.mark.skip
def test_later():
    raise AssertionError

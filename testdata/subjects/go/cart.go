// Package shop is a cart, small enough to check its coverage by hand.
package shop

import "errors"

// Cart holds prices.
type Cart struct{ prices []int }

// Add takes some of a thing.
func (c *Cart) Add(price, count int) error {
	if count > 3 {
		return errors.New("too many")
	}
	for i := 0; i < count; i++ {
		c.prices = append(c.prices, price)
	}
	return nil
}

// Total is what it costs.
func (c Cart) Total() (sum int) {
	for _, price := range c.prices {
		sum += price
	}
	return
}

// Package parcel tells what a parcel costs.
package parcel

import "example.org/parcel/label"

// Zones and what a kilogram costs there. Filled when the package is loaded.
var zones = map[string]int{}

func init() {
	for zone, price := range map[string]int{"home": 2, "near": 5, "far": 9} {
		add(zone, price)
	}
}

func add(zone string, price int) {
	zones[zone] = price
}

// Cost of a parcel in cents; -1 if the zone is unknown.
func Cost(zone string, grams int) int {
	price, known := zones[zone]
	if !known {
		return -1
	}
	if grams > 20000 {
		panic("too heavy for " + zone)
	} else if grams > 2000 {
		return price * grams / 10 /* per 10 g */
	}
	return price * 200
}

// Share splits a cost among people.
func Share(cost, people int) int {
	each := cost / people
	return each
}

// Tag is the label of a parcel with its cost.
func Tag(zone string, grams int) string {
	return label.Make(
		zone,
		Cost(zone, grams),
	)
}

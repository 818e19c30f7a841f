package shop

import "testing"

func TestAdd(t *testing.T) {
	cart := Cart{}
	if cart.Add(5, 1) != nil || cart.Total() != 5 {
		t.Fail()
	}
}

func TestLimit(t *testing.T) {
	cart := Cart{}
	if cart.Add(1, 4) == nil || cart.Total() != 4 {
		t.Fail()
	}
}

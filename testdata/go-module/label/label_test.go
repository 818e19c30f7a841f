package label_test

import (
	"os"
	"testing"

	"example.org/parcel/label"
)

func TestMain(m *testing.M) {
	os.Exit(m.Run())
}

func TestMake(t *testing.T) {
	if got := label.Make("home", 5); got != "home: 0.05" {
		t.Error(got)
	}
}

func TestUnknown(t *testing.T) {
	t.Logf("looking at %s", "mars")
	if got := label.Make("mars", -1); got != "mars: unknown" {
		t.Error(got)
	}
}

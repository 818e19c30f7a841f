package parcel

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestCost(t *testing.T) {
	for _, c := range []struct {
		name, zone  string
		grams, want int
	}{
		{"light parcel", "home", 100, 400},
		{"a/b [x](y)|z.*", "near", 3000, 1500},
		{"", "mars", 1, -1},
		{"twin", "home", 100, 400},
		{"twin", "far", 100, 1800},
		{"tab\tand ünïcode", "far", 2500, 2250},
		{"wrong", "home", 100, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Cost(c.zone, c.grams); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestNested(t *testing.T) {
	t.Run("outer", func(t *testing.T) {
		t.Run("inner", func(t *testing.T) { t.Parallel(); Cost("home", 1) })
		t.Run("other", func(t *testing.T) { t.Parallel(); Cost("mars", 1) })
	})
}

// Fails by itself, while its parts pass.
func TestSum(t *testing.T) {
	sum := 0
	for _, zone := range []string{"home", "far"} {
		t.Run(zone, func(t *testing.T) { sum += Cost(zone, 1) })
	}
	if sum != 1 {
		t.Error("sum is", sum)
	}
}

// The second part takes the program down; the third is behind it.
func TestHeavy(t *testing.T) {
	for _, grams := range []int{1, 30000, 2001} {
		t.Run(fmt.Sprint(grams), func(t *testing.T) { Cost("far", grams) })
	}
}

func TestShare(t *testing.T) {
	Share(10, 0)
}

func TestShareElsewhere(t *testing.T) {
	done := make(chan int)
	go func() { done <- Share(10, 0) }()
	<-done
}

func TestExit(t *testing.T) {
	Cost("mars", 1)
	os.Exit(3)
}

func TestExitQuietly(t *testing.T) {
	Cost("home", 1)
	os.Exit(0)
}

func TestHang(t *testing.T) {
	if _, err := os.Stat("hang"); err != nil {
		t.Skip("there is no file hang")
	}
	Cost("home", 2001)
	time.Sleep(time.Hour)
}

// If there is a file luck, it is away every second time.
func TestLuck(t *testing.T) {
	if os.Rename("luck", "no luck") == nil {
		return
	}
	if os.Rename("no luck", "luck") == nil {
		t.Fatal("no luck")
	}
	t.Skip("there is no file luck")
}

func ExampleTag() {
	fmt.Println(Tag("home", 1))
	// Output: home: 4.00
}

func FuzzCost(f *testing.F) {
	f.Add("home", 1)
	f.Add("mars", 5000)
	f.Fuzz(func(t *testing.T, zone string, grams int) { Cost(zone, grams%1000) })
}

func BenchmarkCost(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Cost("home", i)
	}
}

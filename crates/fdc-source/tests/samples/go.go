// Package sample has every shape of function that Go has.
package sample

import "fmt"

type Stack[T any] struct{ items []T }

func Plain(a, b int) int { return a + b }

func (s *Stack[T]) Push(
	item T,
) {
	s.items = append(s.items, item)
}

func (s Stack[T]) Len() int {
	count := func() int {
		return len(s.items)
	}
	return count()
}

func (Stack[_]) Unused() {}

func Map[K comparable, V any](
	m map[K]V,
	f func(V) V,
) map[K]V {
	switch {
	case m == nil:
		return nil
	}
	return m
}

var handler = func(x int) int {
	return x
}

var (
	first, second = func() {}, func() {
		fmt.Println("second")
	}
	table = map[string]func(){
		"a": func() {},
		"b": func() {
			func() {}()
		},
	}
)

func init() {}

func init() {
	defer func() {
		recover()
	}()
}

func assembly(x int) int

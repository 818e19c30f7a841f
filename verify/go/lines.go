// Turns coverage profiles of a Go module into lines, with Go's own scanner.
//
//	go run lines.go MODULE FOLDER PROFILE LOADED
//
// A line of a block counts if a token of it begins on it, or a raw string goes over it with
// something on it, other than brackets, commas and semicolons. LOADED is the profile of a run
// without tests: a block ran in a test if it ran more often. Prints JSON: {"known": [...],
// "covered": [...]} with file:line.
package main

import (
	"encoding/json"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

type place struct{ line, column int }

func (p place) before(q place) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

type block struct {
	file       string
	start, end place
}

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: lines MODULE FOLDER PROFILE LOADED")
		os.Exit(2)
	}
	module, folder := os.Args[1], os.Args[2]
	counts, loaded := read(os.Args[3]), read(os.Args[4])
	code := map[string][]place{}
	known, covered := map[string]bool{}, map[string]bool{}
	for b, count := range counts {
		file, own := strings.CutPrefix(b.file, module+"/")
		if !own {
			continue
		}
		if code[file] == nil {
			code[file] = places(filepath.Join(folder, file))
		}
		for _, p := range code[file] {
			if p.before(b.start) || !p.before(b.end) {
				continue
			}
			line := fmt.Sprintf("%s:%d", file, p.line)
			known[line] = true
			if count > loaded[b] {
				covered[line] = true
			}
		}
	}
	out := map[string][]string{"known": sorted(known), "covered": sorted(covered)}
	check(json.NewEncoder(os.Stdout).Encode(out))
}

func read(path string) map[block]int {
	text, err := os.ReadFile(path)
	check(err)
	counts := map[block]int{}
	for _, line := range strings.Split(string(text), "\n") {
		colon := strings.LastIndex(line, ":")
		if line == "" || strings.HasPrefix(line, "mode: ") {
			continue
		}
		b := block{file: line[:colon]}
		var statements, count int
		_, err := fmt.Sscanf(line[colon+1:], "%d.%d,%d.%d %d %d",
			&b.start.line, &b.start.column, &b.end.line, &b.end.column, &statements, &count)
		check(err)
		counts[b] += count
	}
	return counts
}

// Where a file has tokens that count.
func places(path string) []place {
	text, err := os.ReadFile(path)
	check(err)
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile(path, -1, len(text)), text, nil, 0)
	found := []place{}
	for {
		at, kind, literal := s.Scan()
		position := files.PositionFor(at, false)
		switch kind {
		case token.EOF:
			return found
		case token.LPAREN, token.RPAREN, token.LBRACK, token.RBRACK, token.LBRACE, token.RBRACE,
			token.COMMA, token.SEMICOLON:
			continue
		}
		column := position.Column
		for i, part := range strings.Split(literal, "\n") {
			if i == 0 || strings.TrimSpace(part) != "" {
				start := len(part) - len(strings.TrimLeft(part, " \t\r"))
				found = append(found, place{position.Line + i, column + start})
			}
			column = 1
		}
	}
}

func sorted(set map[string]bool) []string {
	list := []string{}
	for line := range set {
		list = append(list, line)
	}
	sort.Strings(list)
	return list
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

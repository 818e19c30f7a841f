//go:build go1.21 && linux && (amd64 || arm64 || riscv64 || ppc64le || loong64)

package PACKAGE

import (
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

var fdcAnchor byte = 1

// Joins a test package, and runs when all packages are loaded. FDC_GO_COUNTERS is
// verb:begin:end:floor:ceiling:anchor:path, with addresses as they are linked.
//
//   - keep: forgets what was run up to now, which is no test's doing, and puts the counters into a
//     file that stays however the program ends. Go writes a profile only if it ends well.
//   - load: takes the counters from such a file, so that Go writes a profile of them.
func init() {
	const variable = "FDC_GO_COUNTERS"
	order, _ := syscall.Getenv(variable)
	// Not for the children of the test.
	_ = syscall.Unsetenv(variable)
	words := strings.SplitN(order, ":", 7)
	if len(words) < 7 {
		return
	}
	var numbers [5]uintptr
	for i := range numbers {
		number, err := strconv.ParseUint(words[i+1], 10, 64)
		if err != nil {
			return
		}
		numbers[i] = uintptr(number)
	}
	slide := uintptr(unsafe.Pointer(&fdcAnchor)) - numbers[4]
	begin, end, floor, ceiling := numbers[0]+slide, numbers[1]+slide, numbers[2]+slide, numbers[3]+slide
	page := uintptr(syscall.Getpagesize())
	low, high := begin&^(page-1), (end+page-1)&^(page-1)
	path := words[6]
	switch words[0] {
	case "keep":
		fdcForget(begin, end)
		// Whole pages move, and what shares them must not be written meanwhile: before the counters
		// is one object, which is large because Go sorts by size, and behind them nothing.
		if floor <= low && ceiling >= high {
			fdcKeep(path, low, high-low)
		}
	case "load":
		fdcLoad(path, begin, end-begin, int64(begin-low))
	}
}

// A function that has run has its number of counters, two numbers that stay, and the counters. One
// that has not is all zero.
//
//go:nocheckptr
func fdcForget(begin, end uintptr) {
	const head = 3
	words := unsafe.Slice((*uint32)(unsafe.Pointer(begin)), (end-begin)/4)
	for at := 0; at+head <= len(words); at++ {
		count := int(words[at])
		if count == 0 {
			continue
		}
		if count > len(words)-at-head {
			return
		}
		for i := range words[at+head : at+head+count] {
			words[at+head+i] = 0
		}
		at += head + count - 1
	}
}

func fdcKeep(path string, low, size uintptr) {
	// A second program of the same kind, started by the first, would find the file there.
	file, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return
	}
	defer syscall.Close(file)
	if n, err := syscall.Write(file, fdcBytes(low, size)); err != nil || uintptr(n) != size {
		_ = syscall.Unlink(path)
		return
	}
	protection, flags := uintptr(syscall.PROT_READ|syscall.PROT_WRITE), uintptr(syscall.MAP_SHARED|syscall.MAP_FIXED)
	_, _, failed := syscall.Syscall6(syscall.SYS_MMAP, low, size, protection, flags, uintptr(file), 0)
	if failed != 0 {
		_ = syscall.Unlink(path)
	}
}

func fdcLoad(path string, begin, size uintptr, offset int64) {
	file, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(file)
	_, _ = syscall.Pread(file, fdcBytes(begin, size), offset)
}

//go:nocheckptr
func fdcBytes(address, size uintptr) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(address)), size)
}

// Goroutines that sleep, compute and make calls; the runtime preempts them by signals.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
)

func main() {
	runtime.GOMAXPROCS(4)
	var wait sync.WaitGroup
	sums := make([]int, 20)
	for i := range sums {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for j := 0; j < 2000000; j++ {
				sums[i] += j % (i + 1)
			}
			text, err := os.ReadFile("/proc/self/comm")
			if err != nil || len(text) == 0 {
				panic("cannot read /proc/self/comm")
			}
		}()
	}
	wait.Wait()
	fmt.Println("sums", sums)
}

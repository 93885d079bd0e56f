package handlers

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"
)

// slowClient accepts what its kernel holds at once, and what it reads at its pace.
type slowClient struct {
	http.ResponseWriter
	room     int // bytes that its kernel holds
	pace     int // bytes a second; 0: it reads nothing
	deadline time.Time
	taken    int
}

// SetWriteDeadline notes until when a write may take.
func (c *slowClient) SetWriteDeadline(deadline time.Time) error {
	c.deadline = deadline
	return nil
}

// Flush does nothing.
func (c *slowClient) Flush() {}

// Write takes as long as the client does, until the deadline.
func (c *slowClient) Write(chunk []byte) (int, error) {
	for left := len(chunk); ; {
		now := min(left, c.room)
		if c.room, left = c.room-now, left-now; left == 0 {
			c.taken += len(chunk)
			return len(chunk), nil
		}
		if !time.Now().Before(c.deadline) {
			return len(chunk) - left, os.ErrDeadlineExceeded
		}
		time.Sleep(time.Second)
		c.room += c.pace
	}
}

// A client that reads an export slower than 4 KiB a second is given up, however much its kernel took before; one that
// is slow, or that asks for more only now and then, gets all of it.
func TestSlowReadersOfExportsAreGivenUp(t *testing.T) {
	for _, test := range []struct {
		name       string
		room, pace int
		whole      bool
		within     time.Duration
	}{
		{"reads nothing", 4 << 20, 0, false, time.Minute},
		{"1 KiB/s", 4 << 20, 1 << 10, false, 2 * time.Minute},
		{"3 KiB/s", 100_000, 3 << 10, false, 5 * time.Minute},
		{"6 KiB/s", 4 << 20, 6 << 10, true, 2 * time.Hour},
		{"160 kB/s", 4 << 20, 160_000, true, 2 * time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			client := &slowClient{ResponseWriter: httptest.NewRecorder(), room: test.room, pace: test.pace}
			c, _ := gin.CreateTestContext(client)
			w := &chunkWriter{c: c, mediaType: linesType}
			began, chunk := time.Now(), make([]byte, exportChunk)
			var err error
			for client.taken < 16<<20 && err == nil {
				_, err = w.Write(chunk)
			}
			took := time.Since(began)
			if whole := err == nil; whole != test.whole || !whole && !errors.Is(err, os.ErrDeadlineExceeded) || took > test.within+2*time.Second {
				t.Errorf("%s: %v after %s and %d bytes", test.name, err, took, client.taken)
			}
		})
	}
}

package main

import (
	"net"
	"syscall"
)

// hasSent reports whether a client has sent something that nobody has read yet: on a busy machine a request lies there for a
// while before its turn to be read has come.
func hasSent(conn net.Conn) (sent bool) {
	socket, known := conn.(syscall.Conn)
	if !known {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	var one [1]byte
	_ = raw.Control(func(descriptor uintptr) { // it fails for a connection that is closed
		n, _, err := syscall.Recvfrom(int(descriptor), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		sent = err == nil && n > 0
	})
	return sent
}

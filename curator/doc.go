// Package curator turns raw reports into patterns and knowledge by rules that anyone can read: it chooses categories, tells
// which reports speak of the same thing and decides what is promoted. It speaks in lore's types and does no I/O; what it needs
// of storage it names as small interfaces of its own.
package curator

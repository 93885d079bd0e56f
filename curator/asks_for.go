package curator

import "agentlore/lore"

func AsksFor(fix string) []lore.AsksFor                               { return nil }
func Withholds(fix []lore.AsksFor, known func(name string) bool) bool { return false }

type KnownNames struct{}

func (k *KnownNames) Add(text string)      {}
func (k *KnownNames) Has(name string) bool { return false }

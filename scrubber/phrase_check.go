package scrubber

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha512"
	"hash/crc32"
	"slices"
)

const fewestDistinct = 8 // "Table 25 // Table 26 ..." was checksum-valid prose

// proven reports whether words make a phrase by the checksum of one of the wallets that draw from the list.
func (sc *scan) proven(list int, values []uint16) bool {
	n := len(values)
	if list == listElectrumOld || !varied(values) {
		return false
	}
	switch {
	case list == listMonero:
		return (n == 13 || n == 25) && moneroChecksum(values)
	case n%3 == 0 && checksum39(values):
		return true
	case list != listEnglish:
		return false
	}
	switch n {
	case 12, 13: // Electrum draws one word more where twelve don't suffice
		return electrumChecksum(values)
	case 24:
		return electrumChecksum(values) || sc.tonChecksum(values)
	case 25:
		return algorandChecksum(values)
	}
	return false
}

// varied refuses what cannot be a drawn mnemonic: few distinct words. The public vectors, one word over and over with
// another at the end, are let through.
func varied(values []uint16) bool {
	last := len(values) - 1
	distinct, vector := 0, values[last] != values[0]
	for i, v := range values {
		if !slices.Contains(values[:i], v) {
			distinct++
		}
		vector = vector && (i == last || v == values[0])
	}
	return distinct >= fewestDistinct || vector
}

// checksum39 checks 11 bits a word: a 33rd of the bits is the head of the SHA-256 of the others.
func checksum39(values []uint16) bool {
	var data [33]byte
	bit := 0
	for _, v := range values {
		for k := 10; k >= 0; k-- {
			data[bit>>3] |= byte(v>>k&1) << (7 - bit&7)
			bit++
		}
	}
	check := bit / 33
	entropy := (bit - check) / 8
	sum := sha256.Sum256(data[:entropy])
	shift := 8 - check
	return sum[0]>>shift == data[entropy]>>shift
}

// sentence joins words of the English list with spaces.
func sentence(values []uint16) []byte {
	all := words().words[listEnglish]
	out := make([]byte, 0, 256)
	for i, v := range values {
		if i > 0 {
			out = append(out, ' ')
		}
		out = append(out, all[v]...)
	}
	return out
}

// electrumChecksum: the HMAC of the words under the key "Seed version" begins with the type of the wallet, 01, 100, 101 or 102
// in hex (Electrum's version.py and mnemonic.py): one phrase in 216.
func electrumChecksum(values []uint16) bool {
	mac := hmac.New(sha512.New, []byte("Seed version"))
	mac.Write(sentence(values))
	sum := mac.Sum(nil)
	return sum[0] == 0x01 || sum[0] == 0x10 && sum[1]>>4 <= 2
}

// algorandChecksum: 24 words hold 32 bytes, lowest bits first; the 25th is the head of their SHA-512/256.
func algorandChecksum(values []uint16) bool {
	var key [33]byte
	acc, bits, n := uint32(0), 0, 0
	for _, v := range values[:24] {
		acc |= uint32(v) << bits
		for bits += 11; bits >= 8; bits -= 8 {
			key[n] = byte(acc)
			acc >>= 8
			n++
		}
	}
	sum := sha512.Sum512_256(key[:32])
	return key[32] == 0 && values[24] == uint16(sum[0])|uint16(sum[1]&7)<<8
}

// tonChecksum: stretched 390 times under the salt "TON seed version" the words begin with a zero byte, or, if they need a password, once
// under "TON fast seed version" with a one (ton-crypto's mnemonic.ts). The first takes as long as 300 hashes, so it is tried
// while the budget lasts; beyond it any 24 words count as proven.
func (sc *scan) tonChecksum(values []uint16) bool {
	mac := hmac.New(sha512.New, sentence(values))
	key := string(mac.Sum(nil))
	starts := func(salt string, rounds int, with byte) bool {
		sum, err := pbkdf2.Key(sha512.New, key, []byte(salt), rounds, sha512.Size)
		return err != nil || sum[0] == with
	}
	return starts("TON fast seed version", 1, 1) || !sc.afford(costTON) || starts("TON seed version", 390, 0)
}

// moneroChecksum: the last word is one of the others: the one whose place is the CRC-32 of their first three letters, modulo
// their number.
func moneroChecksum(values []uint16) bool {
	const prefix = 3
	all := words().words[listMonero]
	last := len(values) - 1
	heads := make([]byte, 0, prefix*last)
	for _, v := range values[:last] {
		heads = append(heads, all[v][:prefix]...)
	}
	return values[last] == values[crc32.ChecksumIEEE(heads)%uint32(last)]
}

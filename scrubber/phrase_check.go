package scrubber

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha512"
	"hash/crc32"
)

// Lists of words that wallets draw phrases from, beside the ten of BIP-39: a value of phraseLists.
const (
	listEnglish     = iota // BIP-39's English list, which Electrum since 2.0, Algorand and TON draw from, too
	listElectrumOld        // Electrum before 2.0: no checksum
	listMonero             // Monero, English
	phraseLists
)

// Units of the hash budget: what the proofs of all windows that begin at a word take, and TON's.
const (
	costWindows = 12
	costTON     = 300
)

// proven tells whether words make a phrase by the checksum of one of the wallets that draw from the list.
func (sc *scan) proven(list int, values []uint16) bool {
	switch list {
	case listEnglish:
		switch n := len(values); n {
		case 12, 15, 18, 21:
			return varied(values) && (checksum39(values) || n == 12 && electrumChecksum(values))
		case 13: // Electrum draws one word more where twelve don't suffice
			return varied(values) && electrumChecksum(values)
		case 24:
			return varied(values) && (checksum39(values) || electrumChecksum(values) || sc.tonChecksum(values))
		case 25:
			return varied(values) && algorandChecksum(values)
		}
	case listMonero:
		return (len(values) == 13 || len(values) == 25) && varied(values) && moneroChecksum(values)
	}
	return false
}

// sentence joins the words with spaces.
func sentence(list int, values []uint16, buf []byte) []byte {
	all := phraseWords().words[list]
	for i, v := range values {
		if i > 0 {
			buf = append(buf, ' ')
		}
		buf = append(buf, all[v]...)
	}
	return buf
}

// electrumChecksum: the HMAC of the words under the key "Seed version" begins with the type of the wallet, 01, 100, 101 or 102
// in hex (Electrum's version.py and mnemonic.py): one phrase in 216.
func electrumChecksum(values []uint16) bool {
	var buf [256]byte
	mac := hmac.New(sha512.New, []byte("Seed version"))
	mac.Write(sentence(listEnglish, values, buf[:0]))
	sum := mac.Sum(buf[:0])
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
	var buf [256]byte
	mac := hmac.New(sha512.New, sentence(listEnglish, values, buf[:0]))
	key := string(mac.Sum(nil))
	starts := func(salt string, rounds int, with byte) bool {
		sum, err := pbkdf2.Key(sha512.New, key, []byte(salt), rounds, sha512.Size)
		return err != nil || sum[0] == with
	}
	if starts("TON fast seed version", 1, 1) {
		return true
	}
	return !sc.afford(costTON) || starts("TON seed version", 390, 0)
}

// moneroChecksum: the last word is one of the others: the one whose place is the CRC-32 of their first three letters, modulo
// their number.
func moneroChecksum(values []uint16) bool {
	const prefix = 3
	all := phraseWords().words[listMonero]
	last := len(values) - 1
	var buf [prefix * 24]byte
	heads := buf[:0]
	for _, v := range values[:last] {
		heads = append(heads, all[v][:prefix]...)
	}
	return values[last] == values[crc32.ChecksumIEEE(heads)%uint32(last)]
}

package ask

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"unicode/utf8"
)

// revertData is what a contract's call reverts with: an error's selector and words of 32 bytes, which are its arguments. Data of calls
// looks the same.
var revertData = regexp.MustCompile(`\b0x([0-9a-fA-F]{8})((?:[0-9a-fA-F]{64})+)\b`)

// The selectors of the errors that Solidity itself has: https://docs.soliditylang.org/en/latest/control-structures.html#panic-via-assert-and-error-via-require
const (
	errorSelector = "08c379a0" // Error(string)
	panicSelector = "4e487b71" // Panic(uint256)
)

// ReadReverts puts in place of revert data what it says: the reason of Error(string), the code of Panic(uint256), else the selector, by
// which custom errors are known. The arguments are another one's amounts and addresses. It comes before scrubbing: a reason can hold a secret, which shows only here.
func ReadReverts(text string) string {
	return revertData.ReplaceAllStringFunc(text, func(data string) string {
		selector, words := data[2:10], data[10:]
		switch strings.ToLower(selector) {
		case panicSelector:
			if code, ok := new(big.Int).SetString(words[:64], 16); ok && len(words) == 64 {
				return fmt.Sprintf("Panic 0x%02x", code)
			}
		case errorSelector:
			if reason := reasonOf(words); reason != "" {
				return reason
			}
		}
		return "0x" + selector
	})
}

// reasonOf returns the string that encoded arguments are, or "": 32 bytes say where it begins, 32 its length.
func reasonOf(words string) string {
	encoded, err := hex.DecodeString(words)
	if err != nil || len(encoded) < 64 {
		return ""
	}
	length := new(big.Int).SetBytes(encoded[32:64])
	reason := encoded[64:]
	if !length.IsInt64() || length.Int64() > int64(len(reason)) {
		return ""
	}
	if reason = reason[:length.Int64()]; !utf8.Valid(reason) || bytes.IndexByte(reason, 0) >= 0 { // no text
		return ""
	}
	return string(reason)
}

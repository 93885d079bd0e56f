package ask_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/ask"
)

// Of a log the messages count, not where they came from.
func TestMessagesAreReadOutOfLogs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"How do I cancel a transaction?": {"How do I cancel a transaction?"},
		"Traceback (most recent call last):\n  File \"/opt/bot/main.py\", line 88, in <module>\n    asyncio.run(loop())\nweb3.exceptions.Weird: nothing came":                       {"web3.exceptions.Weird: nothing came"},
		"TypeError: x is not a function\n    at main (/srv/scripts/deploy.js:9:15)\n    at async Promise.all (index 3)":                                                             {"TypeError: x is not a function"},
		"2025-03-11T08:14:02Z {\"lvl\":\"error\",\"err\":\"403 Forbidden: invalid host\\n\"}":                                                                                       {`{"lvl":"error","err":"403 Forbidden: invalid host`},
		"panic: wrong AppHash\n\ngoroutine 1 [running]:\ngithub.com/cometbft/cometbft/blocksync.(*Reactor).poolRoutine(0xc000c5a000, 0x0)\n\tgithub.com/x/y/reactor.go:541 +0x16d4": {"panic: wrong AppHash"},
		"INFO started\nINFO synced\nERROR transfer 0x9f2c1b3a4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8 failed":                                                       {"ERROR transfer failed"},
		"`Anchor` is reused across versions":  {"`Anchor` is reused across versions"},
		"- the relay stops after a day":       {"- the relay stops after a day"},
		"abi.encode() costs more than packed": {"abi.encode() costs more than packed"},
		"    at async Promise.all (index 3)":  {"at async Promise.all (index 3)"},
		"Traces:\n  [1] Vault::pay()\n    ├─ [2] Coin::send()\n    |   `-- [Revert] empty\nError: paying reverted\n  --> src/Vault.sol:7:3": {"Error: paying reverted"},
	} {
		if got := ask.Read(text).Messages; !cmp.Equal(got, want) {
			t.Errorf("%s:\n%s", text, cmp.Diff(want, got))
		}
	}
}

// The asker's own addresses say nothing of the problem; one that is all that was asked does, and so do names.
func TestOwnAddressesDontCount(t *testing.T) {
	t.Parallel()
	const address = "0xdac17f958d2ee523a2206206994597c13d831ec7"
	for text, want := range map[string]string{
		address: address,
		"transfer to " + address + " reverts with 0x4e487b71": "0x4e487b71",
		"EIP-1559 and CVE-2023-39363":                         "EIP-1559 CVE-2023-39363",
	} {
		if got := strings.Join(ask.Read(text).Entities, " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Revert data says what went wrong: the reason, the panic's code or the custom error's selector, and none of the asker's amounts.
func TestRevertDataIsRead(t *testing.T) {
	t.Parallel()
	word := func(end string) string { return strings.Repeat("0", 64-len(end)) + end }
	reason := "4f776e61626c653a206e6f20" + strings.Repeat("0", 40) // "Ownable: no "
	for text, want := range map[string]string{
		"execution reverted: 0xe450d38c" + word("ff") + word("64"):      "execution reverted: 0xe450d38c",
		"0x4e487b71" + word("11"):                                       "Panic 0x11",
		"data=0x08c379a0" + word("20") + word("b") + reason:             "data=Ownable: no",
		"0x08c379a0" + word("20") + word("ffffffffffffffffff") + reason: "0x08c379a0",
		"0x4e487b71": "0x4e487b71",
	} {
		if got := strings.Join(ask.Read(ask.ReadReverts(text)).Messages, " "); got != want {
			t.Errorf("%s:\n%q, want %q", text, got, want)
		}
	}
}

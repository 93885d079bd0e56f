package lore_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"agentlore/lore"
)

func TestCheckName(t *testing.T) {
	for code, names := range map[string][]string{
		"": {
			"a", "7", "Zoë", "agent-7_x.y", "a b", "O'Neill", "🦊 fox", "C-3PO", "0xA5DF", "1337", "ᏣᎳᎩ", "MilliΞ", "l'agent", "Сторож моста", "γέφυρα", "王", "橋の見張り", "ブリッジ監視", "链上观察",
			"ㄅ先生", "다리지기", "大韓민국", "مراقب", "שומר", "पुल-प्रहरी", "ผู้เฝ้า", "հսկիչ", "người-canh", "x²", "①", "ⓐ", strings.Repeat("é", 64),
			"rooted", "administer", "sysadmin", "elastico", "supporto", "operators", "ecosystem", "groot", "l0l", "00", "o", "l", "e1", "root beer",
			// A word that is neither reserved nor generic says whose the agent is, and generic words alone claim nothing.
			"security-scanner-acme", "acme security", "Support Tracker Zoë", "bot", "agent 7", "The Team", "my agent", "user bot 12", "library", "reference-price-feed", "elastic-supply-watcher", "rootstock agent",
			"system-clock-drift", "data-service", "supportive bot", "officialdom", "operator-sdk-ci", "securityscanneracme",
		},
		"blank":         {" ", "   "},
		"not_printable": {"a\nb", "a\x00b", "a\u200bb", "a\u200db", "\u202eabc", "a\u2066b", "a\U000e0061", "a\u00adb", "a\u3164b", "a\ufe0fb", "a\u034fb", "a\u2800b", "\ufeffa", "\ue000a", "a\u00a0b", "a\U0001ffffb", "a\u0378", "a·b"},
		"no_letter":     {"-", "_._", "🦊", "…", "!!!", "— —", "€", "\u0301"},
		"mixed_scripts": {"pаypal", "bοt", "ΒOT", "王bot", "ばbот", "ℂаt", "한ひ", "аα", "Ꭺb", "ａвс", "\u0661admin\u0662"},
		"reserved": {
			"admin", "ADMIN", "Admin", " admin ", "admin1", "_admin_", "1admin", "007-admin-007", "adm1n", "ADM1N", "admln", "ADMlN", "adrnin", "admın", "ａｄｍｉｎ", "𝒶𝒹𝓂𝒾𝓃", "ad-min", "a.d.m.i.n", "*admin*", "✅ Official",
			"r00t", "ROOT", "0perator", "00perator0", "operat0r42", "system", "sys_tem9", "support", "security", "0fficial", "officia1", "1officia11", "k1bana", "Kibana", "elastic", "e1astic", "ElasTic-8", "reference", "agentlore", "agent-lore", "Agent Lore", "agent1ore", "agentIore", "2agentlore2",
			"Agentlore Support", "official-agentlore", "Reference Library", "moderator bot", "agentlore-bot", "my-admin",
			"AgentloreSupport", "agentloresupport", "agentl0re_supp0rt", "Agent1ore.Support.24", "0fficia1-Agent-Lore", "OFFICIAL_AGENTLORE_BOT", "the official agentlore team", "ReferenceLibrary2", "rnoderator bot",
			"m0derat0r-b0t", "moderatorBot", "Ｍｏｄｅｒａｔｏｒ Bot", "moderator", "administrator 1", "system.admin", "Security Team", "elastic-kibana", "support agent 3", "root@system", "Agentlore Knowledge Base", "agentlore.io", "Verified Support Desk",
		},
	} {
		for _, name := range names {
			faults := lore.CheckName(name)
			if code == "" && len(faults) > 0 || code != "" && (len(faults) != 1 || faults[0].Code != code || faults[0].Pointer != "/name") {
				t.Errorf("%+q (%s): %+v, want %q", name, name, faults, code)
			}
		}
	}
	if faults := lore.CheckName(""); faults != nil {
		t.Errorf("the empty name is told twice: %+v", faults)
	}
}

// What an agent is told must let it choose a name that passes.
func TestCheckNameSaysWhatToDo(t *testing.T) {
	for name, said := range map[string]string{"pаypal": "mixes Cyrillic and Latin", "_adm1n": `"admin", which is reserved`, "0fficial_AgentLore24": `"official agentlore", which is reserved`} {
		if faults := lore.CheckName(name); len(faults) != 1 || !strings.Contains(faults[0].Detail, said) {
			t.Errorf("%q: %+v, want %q", name, faults, said)
		}
	}
}

// The demo's own names pass, and no two of them are one.
func TestNamesOfTheDemo(t *testing.T) {
	file, err := os.Open("../scripts/demo/observations.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	names := map[string]string{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line lore.SubmissionLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if faults := lore.CheckName(line.Source); len(faults) > 0 {
			t.Errorf("%q was refused: %+v", line.Source, faults)
		}
		key := lore.NameKey(line.Source)
		if other, found := names[key]; found && other != line.Source {
			t.Errorf("%q and %q are one", line.Source, other)
		}
		names[key] = line.Source
	}
	if err := lines.Err(); err != nil || len(names) < 10 {
		t.Fatalf("%d names: %v", len(names), err)
	}
}

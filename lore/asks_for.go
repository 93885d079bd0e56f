package lore

// Act is what a fix asks its reader to do, of what could harm.
type Act string

// The acts.
const (
	ActInstalls         Act = "installs"
	ActUpdates          Act = "updates"
	ActRunsDownload     Act = "runs_download"
	ActSendsValue       Act = "sends_value"
	ActApprovesValue    Act = "approves_value"
	ActRevokesApproval  Act = "revokes_approval"
	ActGivesControl     Act = "gives_control"
	ActShowsSecret      Act = "shows_secret"
	ActSwitchesCheckOff Act = "switches_check_off"
	ActDeletesData      Act = "deletes_data"
	ActOpensURL         Act = "opens_url"
	ActNamesAddress     Act = "names_address"
)

// AsksFor is one thing that a fix asks its reader to do.
type AsksFor struct {
	Act Act `json:"act" enum:"installs,updates,runs_download,sends_value,approves_value,revokes_approval,gives_control,shows_secret,switches_check_off,deletes_data,opens_url,names_address" doc:"What it asks for. updates: of what is installed already; revokes_approval: approves zero; gives_control: grants a role, ownership or the code behind a proxy; opens_url: names a URL, a host or somebody in a messenger"`
	// What is the package with its registry (npm:viem), the host of a URL, with the account on a host that many share
	// (github.com/foundry-rs), or the address. Of value and control it is who gets them, if the fix says so: an address, or "unlimited".
	What string `json:"what,omitempty" doc:"The package (npm:viem; without npm: if the fix names no registry), host, address, or who gets value or control; characters that are not ASCII are named behind it"`
}

// String returns the sentence that people are shown.
func (a AsksFor) String() string {
	words := actSentences[a.Act]
	if a.What == "" {
		return words.alone
	}
	return words.with + " " + a.What
}

// actSentences are the sentences of acts, with and without what they are about.
var actSentences = map[Act]struct{ with, alone string }{
	ActInstalls:         {"installs", "installs a package"},
	ActUpdates:          {"updates", "updates packages"},
	ActRunsDownload:     {"runs a download:", "runs a download"},
	ActSendsValue:       {"sends value:", "sends value"},
	ActApprovesValue:    {"approves value:", "approves value"},
	ActRevokesApproval:  {"revokes an approval:", "revokes an approval"},
	ActGivesControl:     {"gives control to", "gives control of a contract"},
	ActShowsSecret:      {"shows a key or seed:", "shows a key or seed"},
	ActSwitchesCheckOff: {"switches a check off:", "switches a check off"},
	ActDeletesData:      {"deletes", "deletes data"},
	ActOpensURL:         {"names the place", "names a place on the web"},
	ActNamesAddress:     {"names the address", "names an address"},
}

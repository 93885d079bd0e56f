package tracker

import "testing"

// What a maintainer's closing comment says to do is taken, and what only ends the thread isn't.
func TestClosingWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"This was fixed in v1.14.3, please upgrade.": true,
		"Fixed by #812.": true,
		"Should be fixed in the latest nightly, feel free to reopen if not.":          true,
		"You're passing the chain id as a string. It must be a number.":               true,
		"The RPC prunes state after 128 blocks; use an archive node for older ones.":  true,
		"As @bob said, `evm_version = \"paris\"` in foundry.toml avoids PUSH0.":       true,
		"Closing since this is resolved on master. Run `foundryup -b master`.":        true,
		"The allowance has to be zero first. Call approve(spender, 0).":               true,
		"This is expected behaviour. You need to call `initialize` before `deposit`.": true,
		"We've merged a fix, it will be included in 2.0.":                             true,
		"升级到 1.9.0 即可解决。":                                                             true,
		"Se ha corregido en la versión 3.2, por favor actualiza.":                     true,
		"Исправлено в 1.4.2, обновитесь.":                                             true,
		"v1.2.0 で修正されました。アップデートしてください。":                                               true,
		"Set `lane.wait=9`.": true,
		"`lane.wait=9`":      true,
		"Use `--lane.pad=8`": true,
		"`lane.go`":          false,
		"I removed the token from your log and changed the title.":                false,
		"This is a support question, please use the forum for that.":              false,
		"I have set the label, and moved it to the milestone.":                    false,
		"It has to be like this for old clients, so it stays.":                    false,
		"We keep it as it is because of the old clients.":                         false,
		"The lane stops because the writer has no lock. Will be fixed.":           false,
		"We'll fix that, it is caused by the writer.":                             false,
		"The lane stops because the writer has no lock. Will be fixed in v2.4.0.": true,
		"We will fix the writer; until then you need to set `lane.wait = 9`.":     true,
		"Closing.":                            false,
		"Thanks for the report!":              false,
		"Closing as stale.":                   false,
		"Closing this as a duplicate of #17.": false,
		"I can't reproduce this. Closing, please reopen with a minimal example.": false,
		"We won't fix this.": false,
		"Not a bug.":         false,
		"This is by design.": false,
		"Please ask on the forum, this tracker is for bugs only.":            false,
		"Could you try with the latest version?":                             false,
		"Which version do you use?":                                          false,
		"Can you share your config":                                          false,
		"Let me know if upgrading helps.":                                    false,
		"I'll look into it and update this issue.":                           false,
		"No response, closing. Please open a new issue if you still see it.": false,
		"Moved to acme/docs#4.":                                              false,
		"Tracking this in #99.":                                              false,
		"This needs more information.":                                       false,
		"Feature request, not planned.":                                      false,
		"重复 #12":                                                             false,
		"Closing as a duplicate of #12. Use the search next time, please.":   false,
		"Closing in favor of #88":                                            false,
		"Unfortunately we can't support that chain.":                         false,
		"We're working on it.":                                               false,
		"Any updates?":                                                       false,
		"Closing, as the reporter has not replied for two months.":           false,
	} {
		if got := helps(text); got != want {
			t.Errorf("%q helps: %t", text, got)
		}
	}
}

// An asker who says that something worked is understood, and so is one who says that it didn't, or hopes.
func TestWordsOfTheAsker(t *testing.T) {
	t.Parallel()
	type said struct{ worked, failed bool }
	for text, want := range map[string]said{
		"That worked, thanks!":                                {worked: true},
		"Upgrading to 1.2 fixed it.":                          {worked: true},
		"Thank you @bob, setting the flag solved my problem.": {worked: true},
		"Works now 🎉":                                         {worked: true},
		"I can confirm that 2.0.1 fixes this.":                {worked: true},
		"Did the trick!":                                      {worked: true},
		"解决了，谢谢":                                              {worked: true},
		"Funcionó, gracias":                                   {worked: true},
		"Помогло, спасибо":                                    {worked: true},
		"Yes, that was it.":                                   {worked: true},
		"Confirmed!":                                          {worked: true},
		"Thanks, that warning is gone.":                       {worked: true},
		"Hero! With 2.1 it builds.":                           {worked: true},
		"@bob `lane reseal` solved it":                        {worked: true},
		"Up and running again":                                {worked: true},
		"Running for two days without the warning.":           {worked: true},
		"Yep, it was the window.":                             {worked: true},
		"Bingo!":                                              {worked: true},
		"All green now, you're a lifesaver":                   {worked: true},
		"64 works, cheers":                                    {worked: true},
		"Gracias, ya funciona":                                {worked: true},
		"Obrigada, já está a funcionar":                       {worked: true},
		"Danke, jetzt läuft es":                               {worked: true},
		"谢谢，报错没有了":                                            {worked: true},
		"That was it before, too.":                            {},
		"The error is not gone.":                              {failed: true},
		"Nothing works.":                                      {failed: true},
		"Läuft nicht.":                                        {failed: true},
		"Não está a funcionar":                                {failed: true},
		"Is the error gone for you?":                          {},
		"I fixed it in my fork.":                              {},
		"I wonder how it builds at all.":                      {},
		"The lane was up and running before the update":       {},
		"My money is gone.":                                   {},
		"It didn't work.":                                     {failed: true},
		"Still the same error after upgrading.":               {failed: true},
		"I tried that, no luck.":                              {failed: true},
		"This does not solve it for me":                       {failed: true},
		"还是不行":                                                {failed: true},
		"No funciona":                                         {failed: true},
		"Is this fixed in 2.0?":                               {},
		"I will try and report if it works.":                  {},
		"Hope this works.":                                    {},
		"It works now, no idea why.":                          {},
		"When will this be fixed?":                            {},
		"It worked for a day, then the same error came back.": {failed: true},
		"Thanks, will try.":                                   {},
	} {
		if got := (said{saysWorked(text), saysFailed(text)}); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// False helpers are known by where they lead, and people who only agree by saying nothing.
func TestWhoIsNoHelp(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{
		"Kindly contact the support team here: https://support-desk.pages.dev":                       {true, false},
		"Your wallet needs validation, use dappsresolver.com":                                        {true, false},
		"You have to synchronize your wallet manually.":                                              {true, false},
		"Reach out to them on WhatsApp":                                                              {true, false},
		"Fill this form https://docs.google.com/forms/d/1":                                           {true, false},
		"see https://bit.ly/3xyz":                                                                    {true, false},
		"Message me, I had the same and can help.":                                                   {true, false},
		"Enter your recovery phrase in the restore page.":                                            {true, false},
		"For help with stuck transfers write to our support team at [SCRUBBED].":                     {true, false},
		"Your case is best dealt with here, Support: [Help Center](https://thedappsupport.example)":  {true, false},
		"Send a mail with your ticket to [SCRUBBED], they answer within the hour.":                   {true, false},
		"Ask on T.elegram, @lane_desk.":                                                              {true, false},
		"We are in a tеlegram group, join it.":                                                       {true, false}, // a Cyrillic letter
		"Reach us at help[dot]lane[dot]com.":                                                         {true, false},
		"Find me on X (@lanefix), I can fix it.":                                                     {true, false},
		"+1":                                                                                         {false, true},
		"Same issue here.":                                                                           {false, true},
		"Any updates on this?":                                                                       {false, true},
		"thanks":                                                                                     {false, true},
		"me too":                                                                                     {false, true},
		"> quoted\n\n+1":                                                                             {false, true},
		"Use `wallet_switchEthereumChain` and handle error 4902.":                                    {false, false},
		"The node syncs its headers first, wait for that.":                                           {false, false},
		"Same issue here, and setting `retries = 3` solves it.":                                      {false, false},
		"Run `cast send --private-key [SCRUBBED] $LANE \"resume()\"`":                                {false, false},
		"We dropped support for node 18, use 20.":                                                    {false, false},
		"Import the wallet module lazily: `await import(\"./wallet\")`":                              {false, false},
		"Connect to the node by IPC, and the wallet connector by `wagmi` 2.":                         {false, false},
		"Verify the signature with `verifyMessage` of viem, then send.":                              {false, false},
		"WalletConnect needs a project id: set `projectId` in the configuration of the connector.":   {false, false},
		"Create an issue in the repository of the relayer, they support `eth_getProof` by a plugin.": {false, false},
	} {
		if got := [2]bool{isFalseHelp(text), isAgreement(text)}; got != want {
			t.Errorf("%q: false help, agreement: %v", text, got)
		}
	}
	for name, want := range map[string]bool{"dependabot[bot]": true, "stale": true, "k8s-ci-robot": true, "Issues-translate-bot": true, "abbott": false, "robothan": false} {
		if isBotName(name) != want {
			t.Errorf("%s is a program's: %t", name, !want)
		}
	}
}

package scrubber

import (
	"strings"
	"testing"
)

// programNames have the form of a seed: @solana/kit, cosmjs, polkadot.js, and contracts. xrpl.js has none of this form.
var programNames = strings.Fields(`setTransactionMessageFeePayer signTransactionMessageWithSigners setTransactionMessageConfig
	sendAndConfirmTransactionFactory setTransactionMessageHeapSize setTransactionMessageFeePayerSigner signTransactionWithSigners
	signAndSendTransactionWithSigners signatureConfirmationPromise subscriptionConfigurationHash signatoriesWithMissingSignatures
	signatureNotificationGenerator setRecipientAccountStorageKey sendAndConfirmNonceTransaction signatureStatusNotification
	signAndSendTransactionFeature signatureStatusLookupPromise setTransactionFeePayerSigner sendTransactionWithoutConfirming
	setupDistributionExtension subscriptionUnsubscriptionMethods storageVersionStorageKeyPostfix setMaxUpwardMessageNumPerCandidate
	setHrmpMaxMessageNumPerCandidate supportingDocumentsRequired safeTransferFromWithPermit shutDownAndSwitchToLastGoodPrice
	swapExactAVAXForExactTokens setQuorumVotesBPSfunctions safeWebAuthnSharedSignerAddress`)

// An asker whose function is not found is not told to move funds.
func TestNamesInProgramsStay(t *testing.T) {
	s := newScrubber(t)
	seed := literalRules()[0]
	for _, name := range programNames {
		if s.Text(name) != name || s.Text("TypeError: "+name+" is not a function") != "TypeError: "+name+" is not a function" {
			t.Errorf("%s goes", name)
		}
		if New(Config{Literal: true}).Text(name) != Marker {
			t.Errorf("%s isn't what %s matches: it shows nothing", name, seed.name)
		}
	}
}

// A seed of letters alone is a seed by its checksum, whatever it looks like; and letters drawn at random are no words.
func TestSeedsOfLettersGo(t *testing.T) {
	s, g := newScrubber(t), newGen(47)
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	seeds, kept := 0, 0
	for seeds < 20 {
		seed := check58fast(rippleAlphabet, append([]byte{0x21}, g.bytes(16)...))
		if has(seed, clsDigit) {
			continue
		}
		seeds++
		if s.Text(seed) != Marker {
			t.Errorf("%s stays", seed)
		}
	}
	const drawn = 20_000
	for range drawn {
		if value := "s" + g.from(letters, 25+g.IntN(10)); s.Text(value) == value {
			kept++
		}
	}
	if kept > drawn/1000 {
		t.Errorf("%d of %d drawn values look like names", kept, drawn)
	}
	t.Logf("%d of %d drawn values of letters alone look like names", kept, drawn)
}

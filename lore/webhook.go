package lore

import (
	"net/url"
	"time"
)

// Webhook is where a source wants to be told of new knowledge, and of which. It is shown to that source alone.
type Webhook struct {
	URL       string   `json:"url" minLength:"1" maxLength:"2048" doc:"An https address that the public internet reaches" example:"https://agent.example/hook"`
	Category  Category `json:"category,omitempty" enum:"failure,insight,discovery,optimization,pattern,security,integration,operational,market,general" doc:"Only this category"`
	Ecosystem string   `json:"ecosystem,omitempty" maxLength:"64" doc:"Only this ecosystem" example:"ethereum"`
	Tag       string   `json:"tag,omitempty" maxLength:"64" doc:"Only what has this tag"`
}

// Check returns what the schema's tags can't say.
func (w Webhook) Check() []FieldError {
	faults := checkEcosystem("/ecosystem", w.Ecosystem)
	address, err := url.Parse(w.URL)
	if err != nil || address.Scheme != "https" || address.Hostname() == "" || address.User != nil || address.Fragment != "" {
		faults = append(faults, FieldError{Pointer: "/url", Code: "invalid", Detail: "must be an https address without user, password and fragment"})
	}
	return faults
}

// HookFault says of what class the failure of a delivery was. It doesn't say more: whoever may choose an address would learn from it what
// answers where in the service's networks.
type HookFault string

// The classes of failures.
const (
	HookNoAnswer HookFault = "no_answer"
	HookRefused  HookFault = "refused"
	HookGone     HookFault = "gone"
)

// Hook is a webhook as stored, with how far its deliveries are.
type Hook struct {
	Webhook
	// Secret is the key of the signatures, as the source got it.
	Secret string `json:"secret"`
	Active bool   `json:"active"`
	// Sent is the last item that was delivered; the zero value's id: all from its time on are new.
	Sent Position `json:"sent"`
	// Pending is how many items the delivery that failed has, so that it is sent again as it was; 0: none failed.
	Pending   int       `json:"pending,omitempty"`
	Failures  int       `json:"failures,omitempty"` // since the last success
	LastError HookFault `json:"last_error,omitempty"`
	NextAt    time.Time `json:"next_at,omitzero"` // when a delivery that failed is tried again
	SentAt    time.Time `json:"sent_at,omitzero"` // the last success
	CreatedAt time.Time `json:"created_at"`
}

// Subscriber is a source with a webhook.
type Subscriber struct {
	Account   string // the key of its account
	SourceID  string
	Principal string
	Hook
}

package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"agentlore/lore"
)

const (
	// sendTimeout is how long a receiver may take from its name's look-up to the end of its answer.
	sendTimeout = 5 * time.Second
	// maxAnswer is how much of a receiver's answer is read, in bytes: so much that it need not fail to write it.
	maxAnswer = 4 << 10
	// secretPrefix and secretSize are those of Standard Webhooks, which asks for 24 to 64 bytes.
	secretPrefix = "whsec_"
	secretSize   = 32
)

// Options say where messages may go; what else they say is for tests.
type Options struct {
	// Ports are those that messages go to beside 443.
	Ports Ports
	// Allowed says which addresses may be dialled; nil: Public.
	Allowed  func(netip.Addr) bool
	TLS      *tls.Config
	Resolver *net.Resolver
	// Timeout is how long a receiver may take; 0: 5 s.
	Timeout time.Duration
}

// sender sends signed requests.
type sender struct{ client *http.Client }

func newSender(options Options) sender {
	if options.Allowed == nil {
		options.Allowed = Public
	}
	if options.Timeout == 0 {
		options.Timeout = sendTimeout
	}
	dialer := net.Dialer{Control: control(options.Allowed, options.Ports), Resolver: options.Resolver}
	return sender{&http.Client{
		Timeout:       options.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{ // no proxy: one would resolve the name itself
			DialContext: dialer.DialContext, TLSClientConfig: options.TLS, DisableKeepAlives: true, DisableCompression: true,
			MaxResponseHeaderBytes: maxAnswer,
		},
	}}
}

// NewSecret returns a new key of signatures, as receivers get it.
func NewSecret() string {
	key := make([]byte, secretSize)
	_, _ = rand.Read(key) // never fails: it ends the process instead
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// sign returns the signature of a message by the scheme of Standard Webhooks
// (github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
func sign(secret, id, timestamp string, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return "", errors.New("the secret is damaged")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// errGone is a receiver's word that it wants no more.
var errGone = errAnswer(http.StatusGone)

// errAnswer is the status of an answer by which a receiver refuses.
type errAnswer int

// Error says the status.
func (e errAnswer) Error() string { return fmt.Sprint("answered ", int(e)) }

// classOf returns of what class a failure of send is: its source sees that, and the operator's log the error.
func classOf(fault error) lore.HookFault {
	switch _, answered := errors.AsType[errAnswer](fault); {
	case errors.Is(fault, errGone):
		return lore.HookGone
	case answered:
		return lore.HookRefused
	}
	return lore.HookNoAnswer
}

// send sends a message and returns nil once the receiver has taken it. The error says in fixed words what went wrong: the receiver's
// own are not for us to show.
func (s sender) send(ctx context.Context, address, secret, id string, body []byte, now time.Time) error {
	timestamp := strconv.FormatInt(now.Unix(), 10)
	signature, err := sign(secret, id, timestamp, body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address can't be read")
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "agentlore-webhook",
		"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature,
	} {
		request.Header.Set(name, value)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return sendError(err)
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswer) // its status counts, whatever it says
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return errAnswer(response.StatusCode)
	}
	return nil
}

func sendError(err error) error {
	if refused, is := errors.AsType[errAddress](err); is {
		return refused
	}
	if slow, is := errors.AsType[net.Error](err); is && slow.Timeout() {
		return errors.New("took longer than 5 seconds")
	}
	return errors.New("no connection")
}

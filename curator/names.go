package curator

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"agentlore/lore"
	"agentlore/terms"
)

// messageWords is how many words a message in quotes has at least to be a name: "timeout" is none.
const messageWords = 3

// maxMessage is how long such a message is at most, in bytes.
const maxMessage = 160

var (
	quotedMessage = regexp.MustCompile("`([^`]+)`" + `|"([^"]+)"|“([^”]+)”`)
	evmSelector   = regexp.MustCompile(`^0x[0-9a-f]{8}$`)
)

// namesIn returns what a title says that programs print: error names, selectors, numbers of weaknesses, and messages
// in quotes. Those that are in many reports name nothing: package knowledge leaves them out when it matches.
func namesIn(title string) []string {
	entities := lore.Entities(title)
	named := lore.NamedIn("", entities)
	isPanic := func(name string) bool { return strings.HasPrefix(name, "Panic(") }
	names := slices.DeleteFunc(slices.Concat(named.Errors, named.Weaknesses), isPanic)
	for _, entity := range entities {
		if evmSelector.MatchString(entity) {
			names = append(names, entity)
		}
	}
	for _, quoted := range quotedMessage.FindAllStringSubmatch(title, -1) {
		message := strings.TrimSpace(quoted[1] + quoted[2] + quoted[3])
		if len(strings.Fields(message)) >= messageWords && len(message) <= maxMessage {
			names = append(names, message)
		}
	}
	return names
}

const (
	// mostNames is how many names a unit has at most: a long log names what happened before as well.
	mostNames = 8
	// tellingWords is how many words a pasted message has at least that say more than that something failed; ownWords is how many of them
	// are no word of any error.
	tellingWords = 3
	ownWords     = 2
)

var (
	// logPrefix is what a logger writes before a message: times, levels, modules.
	logPrefix = regexp.MustCompile(
		`^(?:\s|\[[^\]]{0,40}\]|\d{4}[-/]\d\d[-/]\d\d[T ]?|\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|` +
			`(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|EROR|ERRO|ERR|FATAL|CRIT(?:ICAL)?|PANIC)\b[: ]?|[A-Za-z_.:]+\[\d+\]:)+`,
	)
	// wrapper is what programs put before the message of another one.
	wrapper = regexp.MustCompile(
		`^(?:(?i:uncaught|unhandled|caused by|error|fatal|panic|exception|thread '[^']*' panicked at [^:]+(?::\d+)*|` +
			`rpc error|execution reverted|transaction reverted|reverted|vm exception while processing transaction|returned error|failed with)\b[^:]{0,12}:\s*|` +
			`[A-Za-z_.]*(?:Error|Exception):\s*|code = \w+ desc = )+`,
	)
	// frame is a line of a stack trace.
	frame = regexp.MustCompile(
		`^\s*(?:at |File "|from /|\d+: 0x|#\d+ |\.\.\. \d+ more)|^\s*[\w./-]+\.(?:go|rs|js|ts|py|java|sol):\d+`,
	)
	// saysFailure are words of lines that are an error.
	saysFailure = regexp.MustCompile(
		`(?i)\b(?:error|err|exception|fail\w*|fatal|panic\w*|revert\w*|abort\w*|denied|refused|reject\w*|invalid|cannot|can't|unable|` +
			`unexpected|not|no|never|only|mismatch|caused by|overflow|exceed\w*|exhausted|missing|expired|full|busy|locked|behind|duplicate|too|already|must|unknown|undefined)\b|[a-z](?:Error|Exception)\b`,
	)
	// programCode is a code that a program gives its errors: QVX-1042, LANE_CLOSED, E_LANE_CLOSED.
	programCode = regexp.MustCompile(`\b(?:[A-Z][A-Z0-9]{1,9}-\d{2,6}|[A-Z][A-Z0-9]{1,15}(?:_[A-Z0-9]{2,15})+)\b`)
	// notOwnCode begins codes of standards, and of systems below.
	notOwnCode = regexp.MustCompile(
		`^(?:EIP|ERC|BIP|CAIP|SIMD|XLS|SWC|CVE|GHSA|RFC|ISO|UTF|SHA|AES|RSA|HTTP|IPV|TLS|SSL|UTC|GMT|BASE|X|MD|ES|PR|JSON)-|` +
			`^(?:ERR_(?:HTTP|MODULE|REQUIRE|INVALID_ARG|SOCKET|TLS|NETWORK|BAD_REQUEST|CONNECTION)|CALL_EXCEPTION|NETWORK_ERROR|SERVER_ERROR|INVALID_ARGUMENT|UNPREDICTABLE_GAS_LIMIT|INSUFFICIENT_FUNDS|NONCE_EXPIRED|BAD_DATA|UNKNOWN_ERROR|ACTION_REJECTED|NODE_ENV|NO_PROXY)`,
	)
	// solidityError is a custom error as tools print it.
	solidityError = regexp.MustCompile(`\b([A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)\((?:[^()\n]{0,80})\)`)
	// varies are the parts of a message that are others each time, with what stands for them.
	varies = []struct {
		part *regexp.Regexp
		mark string
	}{
		{regexp.MustCompile(`https?://\S+|(?:/[\w.@-]+){2,}|"[^"]*"|'[^']*'|“[^”]*”`), "{value}"},
		{regexp.MustCompile(`\b0x[0-9a-fA-F]+(?:…|\.{3})?[0-9a-fA-F]*`), "{hex}"},
		{regexp.MustCompile(`\b[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}\b|\b[1-9A-HJ-NP-Za-km-z]{32,}\b`), "{id}"},
		{regexp.MustCompile(`\b([a-z][a-z_]*[-_#])\d+\b`), "${1}{n}"}, // sender-3
		{regexp.MustCompile(`(^|[^\w-])\d[\d,._]*(?:ms|s|m|h|kB|MB|GB)?(?:\b|$|%)`), "${1}{n}"},
	}
)

// commonErrors are names that programs of all kinds print.
var commonErrors = eachWord(
	`TypeError ReferenceError SyntaxError RangeError URIError EvalError AggregateError ValueError KeyError IndexError
	AttributeError RuntimeError NameError ImportError ModuleNotFoundError ConnectionError TimeoutError HTTPError
	RequestError FetchError AxiosError AssertionError NotImplementedError PermissionError FileNotFoundError OSError
	IOError UnicodeDecodeError ZeroDivisionError StopIteration JSONDecodeError ParseError ProviderError
	ProviderRpcError RpcError JsonRpcError RPCError SystemError ContractFunctionRevertedError
	ContractFunctionExecutionError CallExecutionError TransactionExecutionError EstimateGasExecutionError
	HttpRequestError InternalRpcError UnknownRpcError ContractLogicError SendTransactionError HardhatError
	HardhatPluginError MaxRetryError ReadTimeoutError SSLError NewConnectionError ServerError ClientError ApiError
	APIError InternalServerError AnchorError ProgramError InstructionError TransactionError WalletError
	UnhandledPromiseRejection`,
)

// commonWords are words of errors of all kinds.
var commonWords = eachWord(
	`error errors err failed fail fails failure cannot can't couldn't could unable invalid unexpected unknown found
	missing transaction transactions tx request requests response responses server client connection connect
	connected connecting call calls called execution reverted revert contract rpc code message status timeout timed
	out exceeded context deadline exit exited process file files directory internal null undefined nil none pointer
	dereference object property properties read reading write writing function type value values argument arguments
	index range bounds length memory address network host port http https json data input output parameter
	parameters method params expected got received result results user option exception fatal panic runtime stack
	trace line module package import require load open close closed send sending sent try retry please check version
	node block hash key gas limit wallet account token bad wrong denied refused rejected reset peer broken pipe
	socket hang up eof aborted cancelled canceled killed signal segmentation fault core dumped permission access
	forbidden unauthorized gateway service unavailable many too dial tcp udp lookup tls handshake i/o`,
)

// eachWord returns a set of words. Those of setOf are of fixes.
func eachWord(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// pastedNames returns what an error as it was pasted is met by: error names, codes, and the messages of its lines, in which what varies is
// a mark. Of a message that any program may print there is none: "context deadline exceeded" names nothing. One message counts: that of a
// line with a name, else the last "caused by", else the last error. Those before it may wrap any other error: "relay loop ended".
func pastedNames(pasted string) (names []string) {
	if pasted == "" {
		return nil
	}
	var messages []string  // the latest last
	named, cause := "", "" // the latest message of a line that has a name, and that of a cause
	// A line by itself is the error, whatever its words.
	alone := !strings.Contains(strings.TrimSpace(pasted), "\n") && !routine.MatchString(pasted)
	for line := range strings.SplitSeq(pasted, "\n") {
		if frame.MatchString(line) ||
			!alone && !saysFailure.MatchString(line) && !programCode.MatchString(line) &&
				!solidityError.MatchString(line) {
			continue
		}
		found := namesOfLine(line)
		names = addNames(names, found)
		message := messageOf(line)
		switch {
		case message == "":
		case len(found) > 0:
			named = message
		case causedBy.MatchString(line):
			cause = message
		default:
			messages = append(messages, message)
		}
	}
	message := cmp.Or(named, cause)
	if message == "" && len(names) == 0 && len(messages) > 0 {
		message = messages[len(messages)-1]
	}
	if message == "" {
		return names
	}
	names = addNames(names, []string{message})
	if first, _, parted := strings.Cut(message, ": "); parted && tellsMuch(first) {
		names = addNames(names, []string{first})
	}
	return names
}

// routine marks lines that a program writes while all is well.
var routine = regexp.MustCompile(`\b(?:INFO|DEBUG|TRACE)\b|\blevel=(?:info|debug|trace)\b`)

// causedBy begins the line that says what caused those before it.
var causedBy = regexp.MustCompile(`(?i)^\s*(?:\d+: )?caused by`)

// namesOfLine returns the error names and codes of a line that are a program's own.
func namesOfLine(line string) (names []string) {
	found := lore.NamedIn("", lore.Entities(line)).Errors
	for _, declared := range solidityError.FindAllStringSubmatch(line, -1) {
		found = append(found, declared[1])
	}
	found = append(found, programCode.FindAllString(line, -1)...)
	for _, name := range found {
		if !commonErrors[name] && !notOwnCode.MatchString(name) && !strings.HasPrefix(name, "Panic(") {
			names = addNames(names, []string{name})
		}
	}
	return names
}

// codesIn returns the codes of a title that are a program's own: QVX-1042.
func codesIn(title string) (codes []string) {
	for _, code := range numberedCode.FindAllString(title, -1) {
		if !notOwnCode.MatchString(code) {
			codes = addNames(codes, []string{code})
		}
	}
	return codes
}

// numberedCode is such a code by itself.
var numberedCode = regexp.MustCompile(`\b[A-Z][A-Z0-9]{1,9}-\d{2,6}\b`)

// addNames adds names that aren't there yet, up to as many as a unit has.
func addNames(names, more []string) []string {
	for _, name := range more {
		if len(names) < mostNames && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// messageOf returns the message of a line of a log, with marks where it varies; "" where it tells too little.
func messageOf(line string) string {
	line = logPrefix.ReplaceAllString(strings.TrimSpace(line), "")
	for before := ""; before != line; {
		before = line
		line = strings.TrimSpace(wrapper.ReplaceAllString(line, ""))
	}
	line = strings.Trim(line, " \t.,;\"'`{}")
	if solidityError.MatchString(line) || strings.Contains(line, "[SCRUBBED]") {
		return "" // the error's name says it
	}
	for _, v := range varies {
		line = v.part.ReplaceAllString(line, v.mark)
	}
	line = strings.Join(strings.Fields(line), " ")
	if len(line) > maxMessage || !tellsMuch(line) {
		return ""
	}
	return line
}

var marked = regexp.MustCompile(`\{[a-z]+\}`)

// tellsMuch reports whether a message has words enough that are its own.
func tellsMuch(message string) bool {
	message = programCode.ReplaceAllStringFunc(message, func(code string) string {
		if notOwnCode.MatchString(code) {
			return " "
		}
		return code
	})
	telling, own := 0, 0
	for _, word := range terms.Words(marked.ReplaceAllString(message, " ")) {
		word = strings.ToLower(word)
		if terms.IsStop(word) || terms.IsNumber(word) || len(word) < 2 {
			continue
		}
		telling++
		if !commonWords[word] {
			own++
		}
	}
	return telling >= tellingWords && own >= ownWords
}

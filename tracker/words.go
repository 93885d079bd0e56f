package tracker

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// What words of a comment say, sentence by sentence. Every rule here errs on the side of saying nothing: a missed
// resolution costs a look into the tracker, a wrong one an agent's money.

// either returns a pattern of which one of the lines is found, without case.
func either(lines ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:` + strings.Join(lines, "|") + `)`)
}

var (
	// agrees is all that a "+1" says.
	agrees = regexp.MustCompile(
		`(?i)^(?:\+\s*1|:\+1:|👍|🙏|❤️|bump|up|same(?: here| issue| problem| error| for me)?|me too|` +
			`(?:any |is there any )?(?:news|updates?|progress|eta)(?: on this)?|following|subscribed?|i have the same.{0,40}|` +
			`same .{0,20}here.{0,20}|thanks?(?: you)?(?: so much| a lot)?(?: for .{0,40})?|thx|ty|\+|mark|同问|顶|yo también|mesmo problema)[\s.!?👍🙏]*$`,
	)

	// worked says that something helped, said by who asked.
	worked = either(
		`\b(?:that|this|it|which|your \w+|the \w+|upgrading|updating|downgrading|setting|changing|adding|removing|using|pinning|switching)\b(?:[^.!?\n]|\.\d){0,70}\b(?:worked|works|fixed|fixes|solved|solves|resolved|resolves|did the trick|helped)\b`,
		`\b(?:works|working|fixed|solved|resolved|good)\b (?:now|for me|fine|perfectly|again|as expected)\b`,
		`\bdid the trick\b`,
		`\b(?:can )?confirm(?:ed|ing)?\b(?:[^.!?\n]|\.\d){0,60}\b(?:works|fixed|fixes|solves|resolved|working)\b`,
		`^(?:yes|yep|great|perfect|awesome|thanks?|thank you|ok|cool)?[,! ]*(?:that |it )?(?:worked|works|solved|fixed|resolved)\b`,
		`^(?:(?:yes|yep|yeah|bingo|ok|right|perfect|super|great|thanks?|haha?)[,! ]*)*(?:that was it|it was the [\w.-]+(?: [\w.-]+)?)(?:$|,)`,
		`^(?:confirmed|bingo)(?:$|,? thank)`,
		`\b(?:errors?|messages?|warnings?|panics?|crash|hang)\b (?:is|are|has|have) (?:all |now )?(?:gone|disappeared)\b`,
		`\bwith\b(?:[^.!?\n]|\.\d){1,40}\bit (?:works|verifies|runs|starts|builds|passes|compiles|signs|syncs)(?:$|,| again| now| fine)`,
		"(?:`[^`\n]+`|@[\\w-]+) (?:\\w+ )?(?:solved|fixed|resolved) (?:it|this|that)\\b",
		`^(?:all |now |and |it['’]s )*up and running(?:$|,| again| now)|\ball green\b|\bworks like a charm\b`,
		`\brunning (?:since|for)\b[^.!?\n]{0,40}\b(?:without|no)\b`,
		"^[`\"]?[\\w.=-]+[`\"]? works(?:$|,| now| fine| great| perfectly)",
		`解决了|可以了|好了|搞定|有效|成功了|(?:报错|错误|问题)(?:已经)?(?:没有了|没了|消失)|没问题了`,
		`\b(?:eso|as[íi]|ya|ahora) funciona\b|\b(?:agora|j[áa]|assim) (?:funciona|est[áa] (?:a funcionar|funcionando))\b`,
		`\b(?:danke|super|jetzt|wieder|nun|prima|perfekt)\b[^.!?\n]{0,20}\bläuft`,
		`funcion[óo]|solucionado|resuelto|se arregl[óo]`,
		`funcionou|resolvido|deu certo`,
		`помогло|заработало|решено|проблема решена`,
		`hat geholfen|funktioniert (?:jetzt|nun|wieder)|gel[öo]st`,
		`ça (?:marche|fonctionne)|résolu`,
		`解決しました|直りました|動きました|うまくいきました`,
		`해결(?:되|했|됐)`,
	)
	// failed says that it didn't, or happens again.
	failed = either(
		`\b(?:not|no longer|never|nor)\b(?:[^.!?\n]|\.\d){0,30}\b(?:work|fix|solve|help|resolve|gone|enough)`,
		`n['’]t\b(?:[^.!?\n]|\.\d){0,30}\b(?:work|fix|solve|help|resolve|change)`,
		`\bstill\b(?:[^.!?\n]|\.\d){0,40}\b(?:happen|fail|see|seeing|get|getting|broken|occur|the same|an issue|there|error|hang|stuck|revert|crash|have|persist|reproduc)`,
		`\bsame (?:error|issue|problem|thing|result)\b`,
		`\b(?:issue|problem|error|bug)\b(?:[^.!?\n]|\.\d){0,20}\b(?:persists?|remains|is back|came back|returned|again)\b`,
		`\bnothing (?:works|worked|helps|helped)\b|läuft (?:\w+ )?nicht|não est[áa]`,
		`\bno luck\b|\bto no avail\b|\bwithout success\b|\bmade no difference\b|\bmakes no difference\b|\bunfortunately\b`,
		`\bregress(?:ion|ed)\b|\bre-?opening\b|\breverted (?:the|this|that|in)\b`,
		`没用|还是|仍然|不行|依然|没有解决`,
		`no funcion|sigue (?:fallando|igual)|todav[íi]a`,
		`não funcion|continua`,
		`не помогло|не работает|всё ещё|все еще`,
		`funktioniert nicht|hilft nicht|immer noch`,
		`ne (?:marche|fonctionne) pas|toujours`,
		`まだ|直らない|動かない`,
		`여전히|안 ?됩`,
	)
	// byItself says that nobody knows what helped.
	byItself = either(
		`\bno idea\b`,
		`\bsomehow\b`,
		`\bby itself\b|\bon its own\b|\bwent away\b|\bdisappeared\b|\bmagically\b`,
		`\b(?:don['’]?t|do not|not sure) (?:know )?(?:why|what|how)\b`,
		`can(?:['’]t|not)( no longer)? reproduce`,
		`\bnever ?mind\b[.!, —-]*(?:$|it\b|this\b|that\b|works|closing|please|i\b|solved itself)`,
		`\bg[ai]ve up\b|\b(?:switched|moved) to (?:another|a different)\b|\bmoved on\b|\bwhat(?:ever)? you (?:like|want)\b`,
	)
	// retracts says that what its author said before holds no more, or that something else helped.
	retracts = either(
		`\b(?:too|so) (?:soon|early|fast)\b|\bscratch (?:that|this|it)\b|\b(?:take|taking|took) (?:that|this|it|all) back\b`,
		`^(?:nope|no|nah|hmm+)\b[,. ]|\bnothing changed\b|\bno (?:change|difference|effect|better)\b`,
		`\b(?:broke|breaks|broken|fails?|failed|crash(?:es|ed)?|happens|happened|stops|stopped|hangs|back|there|stuck|occurs|appears) again\b`,
		`\b(?:it|this|that|error|problem|issue|bug)(?: is|['’]s| came| comes) back\b|\bcame back\b|\bre-?open(?:ed|ing)\b`,
		`\bactually\b|\b(?:but|and|that) now\b|\bso well that\b|\bonly (?:hides|hid|masks|masked|helps|helped)\b`,
		`\b(?:hides|hid|masks|masked) (?:it|the|that)\b|\bworse\b|\bwrong (?:balances?|results?|data|values?|state|blocks?)\b`,
		`\b(?:node|data\w*|funds?|blocks?|keys?|everything|balances?|wallet|chain)\b[^.!?\n]{0,20}\b(?:is|are|was|were) (?:all )?(?:gone|lost|wrong|missing|empty|corrupt\w*)\b`,
		`\bsame (?:for me|here|on my)\b`,
		`\bnothing to do with\b|\b(?:i|we) had an? (?:typo|mistake|wrong)\b|\bmy (?:own )?(?:mistake|fault|bad|typo)\b`,
	)
	// warns says that something isn't to be done, or was taken back.
	warns = either(
		`\b(?:careful|beware|warning|caution|dangerous|insecure|unsafe|risky|malicious|malware|scam|phishing)\b`,
		`\b(?:don['’]?t|do not|never|must not|mustn['’]?t|should not|shouldn['’]?t|avoid|stop)\b`,
		`\b(?:please )?undo\b|\bcorrection\b|\binstead\b|\b(?:wrong|incorrect|mistaken|bad (?:idea|advice))\b`,
		`\breverted\b|\bback(?:ed|ing)? (?:it |this |that )?out\b|\broll(?:ed|ing)? (?:it |this |that )?back\b|\bre-?open(?:ed|ing)\b`,
		`\b(?:not recommended|(?:advise|recommend) against|attack\w*|exploit\w*|vulnerab\w*)\b`,
		`不要|千万别|请勿|\bno (?:uses|hagas|ejecutes)\b|не (?:надо|делайте|запускайте)|bitte nicht|n['’]utilisez pas`,
	)
	// corrects says what is right in place of what was said before.
	corrects = either(
		`\b(?:right|correct|proper|real|safe|actual|better) (?:fix|way|solution|answer|setting|value|approach|one)\b[^.!?\n]{0,30}\b(?:is|would be)\b`,
		`^correction\b|\binstead\b`,
	)
	// courteous is a sentence that ends a talk, or begins one, and says nothing of the matter.
	courteous = either(
		`^(?:(?:ok(?:ay)?|great|perfect|awesome|cool|nice|super|yes|yep|wow|and|many|so|alright)[,! ]*)*(?:thanks?|thank you|thx|ty|cheers|gracias|muchas gracias|merci|danke|obrigad[oa]|谢谢|спасибо|ありがとう|감사)`,
		`^(?:ok(?:ay)?|great|perfect|awesome|cool|nice|super|yes|yep|wow)?[,! ]*(?:(?:i(?:['’]?(?:m|ll)| am| will)? |so |then )?clos(?:e|ed|ing)\b|glad\b|happy\b|good to (?:hear|know)|you['’]?re welcome|no problem|np|have a (?:nice|good)|my pleasure|$)`,
		`\bfeel free to (?:re-?)?open\b|\b(?:don['’]?t|do not) (?:hesitate|forget|worry)\b`,
		`^(?:hi|hello|hey|hola|sorry)\b[^,.]{0,30}$`,
	)
	// hedges takes something of a statement back.
	hedges = either(`\b(?:but|however|although|though|except|unless|until|still|yet)\b`)
	// more is what helped besides.
	more = either(`\b(?:also|additionally|as well|plus|in addition|so far|for now|at least|partly|mostly)\b`)
	but  = either(`\b(?:but|however)\b`)
	// meToo begins a comment of somebody who has the problem too.
	meToo = either(`^(?:same|me too|\+1|i (?:also )?(?:have|see|get|hit) (?:the same|this|it)|we (?:also )?(?:have|see|get|hit) (?:the same|this|it)|also (?:seeing|having|here)|seeing (?:the same|this))\b`)
	// unsure is what makes a statement a hope or a condition.
	unsure = either(`\b(?:if|when|once|unless|hope|hopefully|would|maybe|perhaps|might|until|will|should)\b`)

	// solvedIt says that its author found the solution.
	solvedIt = either(
		`\b(?:i|we)(?:['’]ve| have| finally)?\s+(?:finally |just |also )?(?:solved|fixed|resolved|figured (?:it |this )?out|found (?:the |a |my )?(?:issue|problem|cause|reason|solution|fix|workaround|mistake|culprit|out))\b`,
		`^(?:ok(?:ay)?[,. ]*|update:?\s*|edit:?\s*|never ?mind[,. ]*)?(?:solved|fixed|resolved|found it|figured it out|solution|fix)\b\s*[:!,.—-]`,
		`^(?:ok(?:ay)?[,. ]*|never ?mind[,. ]*)?(?:found it|figured it out|my bad)$`,
		`\bturns out\b|\bturned out\b`,
		`\b(?:my|the) (?:mistake|problem|issue|culprit|cause|reason) was\b`,
		`原因是|解决方法|解决办法|自己解决`,
		`se solucion[óo]:|lo solucion[ée]|la soluci[óo]n (?:es|fue)`,
		`resolvi\b|a solução`,
		`решил\b|решение:`,
		`原因は`,
	)

	// instructs says what to do, or what was changed.
	instructs = either(
		`\b(?:upgrade|upgrading|update|updating|downgrade|downgrading|bump|pin|pinning|install|reinstall|use|using|set|setting|unset|add|adding|remove|removing|delete|deleting|change|changing|switch|switching|replace|replacing|rename|move|run|running|re-?run|restart|rebuild|recompile|redeploy|clear|pass|passing|call|calling|enable|enabling|disable|disabling|increase|raise|decrease|lower|configure|wrap|await|wait|rotate|resync|unlock|lock|cap|grant|approve|estimate|fetch|read|sign|simulate|point|make sure|ensure)\b`,
		`(?:^|[,;:] ?|\b(?:please|just|so|then|and|to|by|try) )(?:start|stop|deploy|apply|migrate|register|initiali[sz]e|fund|send|specify|export|create|define|include|exclude|skip|ignore|retry|resend|reset|clean|flush|reindex|regenerate|link|mount|allow|authori[sz]e|revoke|transfer|cast|convert|encode|decode|escape|override|extend|double|halve|limit|throttle|batch|split|merge|rebase|roll back|go back)\b`,
		"`[^`]{3,}`",
		`\byou (?:need|must|have to|should|can|could|may)\b`,
		`\b(?:needs?|has|have) to\b`,
		`\bmust\b`,
		`\binstead(?: of)?\b`,
		`\bworkaround\b`,
		`\b(?:fixed|solved|resolved|addressed|patched|corrected)\b(?:[^.!?\n]|\.\d){0,40}\b(?:in|by|with|on|since|as of|from)\b`,
		`\b(?:released|shipped|included|available|landed|out)\b(?:[^.!?\n]|\.\d){0,20}\b(?:in|with|as|since)\b`,
		`\b(?:caused by|root cause|the (?:cause|reason|problem|issue|culprit) (?:is|was)|because|due to)\b`,
		`升级|更新|请使用|使用|设置|改为|改成|修复|安装|删除|添加|换成`,
		`actualiz|configur|instal|usa(?:r)? |cambi|agreg|elimin|corregid`,
		`atualiz|corrigid|defin`,
		`обнов|установ|использ|исправлен|замен|добав|удал`,
		`アップ|設定|使用して|修正|変更|更新`,
		`업데이트|설정|수정|사용하`,
		`aktualisier|setze|behoben|verwende`,
		`mettre à jour|mettez|corrigé|utilis`,
	)
	// firmly is an instruction where something is called no bug: it says what to do all the same.
	firmly = either(
		`\byou (?:need|must|have to|should|can)\b`,
		`(?:^|[,;:] ?|\bplease |\bjust |\bso |\bthen |\band )(?:set|use|add|pass|call|enable|disable|increase|raise|lower|upgrade|configure|run|wait|replace|remove)\b`,
		`\binstead(?: of)?\b`,
		`\b(?:needs?|has|have) to\b`,
		`请使用|需要|请设置`,
	)
	// released names the version that has the fix.
	released = either(
		`\b(?:fixed|solved|resolved|addressed|patched|released|shipped|included|available|landed|out|upgrade|update|bump)\b(?:[^.!?\n]|\.\d){0,40}\bv?\d+\.\d+`,
		`(?:修复|升级|更新|обнов|actualiz|atualiz|アップ)[^。.!?\n]{0,30}v?\d+\.\d+`,
	)
	// ended says that it was closed for another reason than a solution.
	ended = either(
		`\b(?:duplicate|dupe?) of\b|\bclosing (?:as|in favou?r)\b(?:[^.!?\n]|\.\d){0,20}\b(?:duplicate|dupe?|#)`,
		`\bstale\b|\binactiv|\bno (?:recent )?(?:activity|response|reply|feedback)\b`,
		`\b(?:can(?:['’]?t|not)|could(?:n['’]t| not)|unable to) (?:be )?reproduce`,
		`\b(?:need|needs|require[sd]?|provide|share|without) (?:some |a |any )?(?:more |further |additional |minimal )?(?:info|information|details|logs?|reproduc\w+|context)\b`,
		`\bplease (?:open|file|create|submit|post|ask)\b`,
		`\bwon['’]?t ?(?:be )?fix|\bwontfix\b`,
		`\bout of scope\b|\boff[- ]topic\b`,
		`\b(?:tracked|tracking|continue[ds]?|follow(?:ed)?|discuss\w*)\b(?:[^.!?\n]|\.\d){0,20}\b(?:in|at|on|here)\b(?:[^.!?\n]|\.\d){0,20}(?:#\d|https?:)`,
		`\bmoved (?:this )?to\b|\bsuperseded by\b|\btransferr(?:ed|ing)\b`,
		`\bfeature request\b|\bnot (?:planned|supported)\b|\bno plans?\b`,
		`\b(?:this|it|that|so it) (?:stays|will stay)\b|\bkeep (?:it|this|that) (?:this way|like this|as (?:it )?is)\b`,
		`\b(?:usage|support|general) questions?\b|\b(?:use|on|in|to) (?:the|our) (?:forums?|discussions?|mailing list|chat|template)\b`,
		`重复|无法复现|长时间没有`,
		`duplicado|duplicada`,
		`дубликат`,
	)
	// noBug says that it is meant to be so.
	noBug = either(
		`\bnot an? (?:\w+ )?(?:bug|issue|problem)\b`,
		`\b(?:as|by) (?:intended|design|designed)\b`,
		`\b(?:works|working) as (?:expected|intended|designed)\b|\bexpected behaviou?r\b|\bthis is expected\b`,
		`不是\s*bug|预期行为`,
	)
	// chores are what a maintainer does to the thread itself.
	chores = either(
		`^(?:i|we)(?:['’]ve| have)? (?:just |also )?(?:tried|tested|checked|looked|ran|see|saw|get|got)\b`,
		`\b(?:i|we)(?:['’]ve| have)? (?:just |also )?(?:removed?|edited|added|changed?|renamed?|moved?|deleted?|updated?|set|locked?|hid|use this)\b`+
			`[^.!?\n]{0,60}\b(?:labels?|titles?|milestone|comments?|posts?|your \w+|tracker|description|thread)\b`,
	)
	// promised says that it will be solved some day.
	promised = either(
		`\bwill be (?:fixed|solved|addressed|done|handled|resolved)\b|\b(?:we|i)(?:['’]ll| will) (?:fix|solve|address|resolve)\b`,
		`\b(?:fix|rewrite|redesign) is planned\b|\bplanned for\b`,
	)
	// wasAnswered ends a thread whose answer was given before.
	wasAnswered = either(
		`\b(?:assume|guess|think|believe)\b[^.!?\n]{0,30}\b(?:answer(?:ed|s)|solved|resolved|sorted|settled)\b`,
		`\b(?:was|is|been) answered\b|\banswered (?:above|here)\b`,
	)
	// isWorkaround and noWorkaround tell a workaround from the word that there is none, or a question for one.
	isWorkaround = either(`\bwork-?around\b`)
	noWorkaround = either(`\b(?:no|any|need) (?:a |known )?work-?around\b`)
	// leadsOn is what stands before a block of code that is the answer.
	leadsOn = either(`:$`, `\bworks\b`)
	// asks is a request for what the speaker doesn't know yet.
	asks = either(
		`^(?:and |so |but |hi,? |hello,? )?(?:can|could|would|will|did|do|does|have|are|is|which|what|where|how|why|who) (?:you|it|this|that|the|your|version|there)\b`,
		`\b(?:please|pls|kindly) (?:share|provide|post|send|attach|paste|try|check|confirm|test|let)\b`,
		`\blet (?:me|us) know\b`,
		`\b(?:post|send|attach|paste|share|provide|show)\b[^.!?\n]{0,20}\b(?:outputs?|logs?|config\w*|results?|trace|files?|version|screenshots?)\b`,
		`\bi(?:['’]ll| will| am|['’]m)\b(?:[^.!?\n]|\.\d){0,30}\b(?:look|check|investigat|dig|get back|try|tak)`,
		`\b(?:looking|investigating|working) (?:into|on)\b`,
	)
)

// sentenceEnds are where sentences end: at a stop before a space, at a line's end, at stops of Chinese and Japanese.
var sentenceEnds = regexp.MustCompile(`[.!]+(?:\s+|$)|\n+|[。！]+`)

// sentences returns the sentences of a comment, without what it quotes and without blocks of code. A question keeps its
// sign.
func sentences(text string) (found []string) {
	for part := range splitSentences(said(text)) {
		if part = strings.TrimSpace(part); part != "" {
			found = append(found, part)
		}
	}
	return found
}

func splitSentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for from := 0; from <= len(text); {
			end, next := len(text), len(text)+1
			if at := sentenceEnds.FindStringIndex(text[from:]); at != nil {
				end, next = from+at[0], from+at[1]
			}
			if mark := strings.IndexAny(
				text[from:end],
				"?？",
			); mark >= 0 { // what stands behind a question is another sentence
				_, size := firstRune(text[from+mark:])
				end = from + mark + size
				next = end
			}
			if !yield(text[from:end]) || next <= from {
				return
			}
			from = next
		}
	}
}

func firstRune(text string) (rune, int) {
	for i, r := range text {
		if i > 0 {
			return r, i
		}
	}
	return 0, len(text)
}

var (
	fenced   = regexp.MustCompile("(?ms)^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\\z)")
	comments = regexp.MustCompile(`(?s)<!--.*?(?:-->|\z)`)
	quotes   = regexp.MustCompile(`(?m)^[ \t]*>.*$`)
)

// said returns what a comment says in its author's own words.
func said(text string) string {
	text = comments.ReplaceAllString(text, " ")
	return strings.TrimSpace(quotes.ReplaceAllString(fenced.ReplaceAllString(text, "\n"), ""))
}

// isQuestion reports whether a sentence asks.
func isQuestion(sentence string) bool {
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？")
}

// says reports whether a sentence of a text says something for sure: it is no question, no condition, and nothing else
// in it says otherwise.
func says(text string, what *regexp.Regexp, unless ...*regexp.Regexp) bool {
next:
	for _, sentence := range sentences(text) {
		if isQuestion(sentence) || !what.MatchString(sentence) {
			continue
		}
		for _, other := range unless {
			if other.MatchString(sentence) {
				continue next
			}
		}
		return true
	}
	return false
}

// saysWorked reports whether who asked says that something helped.
func saysWorked(text string) bool {
	if says(text, failed) || says(text, byItself) || says(text, retracts) {
		return false
	}
	return slices.ContainsFunc(sentences(text), func(sentence string) bool {
		return !isQuestion(sentence) && worked.MatchString(behindBut(sentence)) && !unsure.MatchString(sentence)
	})
}

// saysFailed reports whether a text says that the problem is still there.
func saysFailed(text string) bool { return says(text, failed) }

// helps reports whether a text says what to do, or what was changed, and not only that it is closed.
func helps(text string) bool {
	if says(text, ended) && !says(text, released, failed) {
		return false
	}
	if says(text, noBug) && !says(text, firmly, asks) {
		return false
	}
	if says(text, promised, released) && !says(text, firmly) && !says(text, released) {
		return false
	}
	for _, sentence := range sentences(text) {
		if !isQuestion(sentence) && !chores.MatchString(sentence) &&
			instructs.MatchString(sentence) && !asks.MatchString(sentence) &&
			!ended.MatchString(sentence) && (!warns.MatchString(sentence) || corrects.MatchString(sentence)) &&
			enoughWords(sentence) {
			return true
		}
	}
	if isCommand(text) {
		return true
	}
	// A block of code with a line that leads to it is an instruction too: "This works here:".
	return fenced.MatchString(text) && says(text, leadsOn, asks, failed, ended)
}

// enoughWords reports whether a sentence has three words, or six letters of a script without spaces.
func enoughWords(sentence string) bool {
	wide := 0
	for _, r := range sentence {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			wide++
		}
	}
	return wide >= 4 || len(strings.Fields(sentence)) >= 3 || shortAdvice.MatchString(sentence)
}

// shortAdvice is a setting or a flag by itself, or behind one word: "Set `lane.wait=9`".
var shortAdvice = regexp.MustCompile("^(?:[A-Za-z]+ )?`[^` ]*[^` =]=[^`]+`$|^(?:[A-Za-z]+ )?`--[^`]+`$|^[A-Za-z]+ `[^`]*[ ._-][^`]*`$")

// isAgreement reports whether a comment says no more than that somebody else has the problem, or thanks.
func isAgreement(text string) bool {
	words := said(text)
	return words == "" && !fenced.MatchString(text) || agrees.MatchString(words)
}

// isCommand reports whether a comment is a block of code and no word, and the block doesn't look like what a program
// printed.
func isCommand(text string) bool {
	return said(text) == "" && fenced.MatchString(text) && !tells.MatchString(text) &&
		!slices.ContainsFunc(strings.Split(text, "\n"), loggedLine.MatchString)
}

// botNames are those of accounts that programs have.
var botNames = regexp.MustCompile(
	`(?i)(?:\[bot\]|[-_]bot|^bot[-_].*|robot|^dependabot.*|^renovate.*|^github-actions.*|^stale.*|^codecov.*|^mergify.*|^netlify.*|^vercel.*|^coderabbitai.*|^greenkeeper.*|translate-?bot)$`,
)

// isBotName reports whether an account's name is that of a program.
func isBotName(name string) bool { return botNames.MatchString(name) }

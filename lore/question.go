package lore

import "time"

// QuestionStatus says whether something is known by now that answers a question.
type QuestionStatus string

// The states of a question.
const (
	QuestionOpen     QuestionStatus = "open"
	QuestionAnswered QuestionStatus = "answered"
)

const (
	// QuestionLife is how long a question is kept after it was asked last.
	QuestionLife = 90 * 24 * time.Hour
	// MaxOpenQuestions is how many open questions a source may have: what an agent can follow, and few enough to judge them all.
	MaxOpenQuestions = 20
	// MaxAskers is how many sources a question is kept for by name; others are told its feed.
	MaxAskers = 200
	// MaxQuestionText is how much of a question is kept, in characters: the lines that say what went wrong.
	MaxQuestionText = 2000
)

// OpenQuestion is what agents asked and nothing that was stored then answered. Who asks the same adds an asker to it.
type OpenQuestion struct {
	ID         string         `json:"id" scrub:"-" format:"uuid" doc:"Id of the question"`
	Text       string         `json:"text" doc:"What was asked: of a log, the lines that say what went wrong"`
	Ecosystem  string         `json:"ecosystem,omitempty" doc:"The chain or network it was asked about"`
	Askers     int            `json:"asker_count" doc:"Sources that asked it, at most 200"`
	Status     QuestionStatus `json:"status" enum:"open,answered" doc:"answered: something is known by now"`
	AnsweredBy *Target        `json:"answered_by,omitempty" scrub:"-" doc:"The knowledge unit or pattern that answers it"`
	CreatedAt  time.Time      `json:"created_at" doc:"When it was first asked, UTC"`
	AskedAt    time.Time      `json:"asked_at" doc:"When it was last asked, UTC; 90 days later it is deleted"`
	AnsweredAt *time.Time     `json:"answered_at,omitempty" doc:"When something was first known, UTC"`
}

// Voice is a report that may answer an open question: its author's word, for which the service doesn't stand.
type Voice struct {
	Title string `json:"title" doc:"The report in one line"`
	Fix
	Helped int `json:"helped,omitempty" doc:"Askers of the question who say that it helped"`
}

// VoicedQuestion is a question with the reports that may answer it.
type VoicedQuestion struct {
	OpenQuestion
	Voices []Voice `json:"voices" nullable:"false" doc:"While it is open, at most 5 reports that may answer it: first what helped askers, then the likeliest"`
}

// Asked is a question as it is to be kept.
type Asked struct {
	ID        string `scrub:"-"` // follows from the words, so that the same question has one id
	Text      string
	Ecosystem string
}

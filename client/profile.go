package client

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// tokenSuffix ends the name of a file with a token.
const tokenSuffix = ".token"

// severalProfiles is that nothing says which of several agents speaks: none does by accident.
type severalProfiles []string

// Error names the agents.
func (s severalProfiles) Error() string {
	return "several agents registered here (" + strings.Join(s, ", ") + "): say which one you are by --profile or AGENTLORE_PROFILE"
}

// tokenFile returns where the caller's token is kept; "" where nobody registered here. It is a file an agent and
// service: a token is never sent to another service, and no agent speaks as another one. Errors: severalProfiles.
func (s service) tokenFile() (string, error) {
	if s.TokenFile != "" || s.Profile != "" {
		return s.fileOf(s.Profile)
	}
	folder, err := s.profiles()
	if err != nil {
		return "", err
	}
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	files = slices.DeleteFunc(files, func(file os.DirEntry) bool { return !strings.HasSuffix(file.Name(), tokenSuffix) })
	switch len(files) {
	case 0:
		return "", nil
	case 1:
		return filepath.Join(folder, files[0].Name()), nil
	}
	var names severalProfiles
	for _, file := range files {
		name := strings.TrimSuffix(file.Name(), tokenSuffix)
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return "", names
}

// fileOf returns where the token of an agent is kept.
func (s service) fileOf(name string) (string, error) {
	inHome, isInHome := strings.CutPrefix(s.TokenFile, "~/")
	switch {
	case isInHome && s.Home != "":
		return filepath.Join(s.Home, inHome), nil
	case s.TokenFile != "":
		return s.TokenFile, nil
	}
	folder, err := s.profiles()
	return filepath.Join(folder, url.QueryEscape(name)+tokenSuffix), err
}

// profiles returns the folder with the tokens of the agents that registered at the service from here.
func (s service) profiles() (string, error) {
	folder, err := s.folder()
	if err != nil {
		return "", err
	}
	base, err := url.Parse(s.URL)
	if err != nil || base.Host == "" {
		return "", errURL
	}
	return filepath.Join(folder, url.QueryEscape(base.Scheme+"://"+base.Host+strings.TrimRight(base.Path, "/"))), nil
}

// folder returns the folder of what the client keeps: the user's settings, as the environment says where they are. A
// program that runs as root for a user finds that user's token by it, where /etc/passwd would lead to root's.
func (s service) folder() (string, error) {
	switch {
	case s.Folder != "":
		return s.Folder, nil
	case filepath.IsAbs(s.Settings):
		return filepath.Join(s.Settings, "agentlore"), nil
	case s.Home == "":
		return "", errors.New("no HOME is set: name your token's file with AGENTLORE_TOKEN_FILE")
	}
	return filepath.Join(s.Home, ".config", "agentlore"), nil
}

// readToken returns the token in a file; "" where there is no file. It refuses one that others may read.
func readToken(file string) (string, error) {
	info, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("others can read your token: chmod 600 %s", file)
	}
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}

// token returns the caller's token; "" where there is none. Errors: severalProfiles.
func (s service) token() (string, error) {
	file, err := s.tokenFile()
	if err != nil || file == "" {
		return "", err
	}
	token, err := readToken(file)
	if err == nil && token == "" && s.Profile != "" && s.TokenFile == "" {
		err = fmt.Errorf("no agent named %s registered here: agentlore register gets its token", s.Profile)
	}
	return token, err
}

// anyToken returns the caller's token for what needs none; "" where nothing says whose it would be.
func (s service) anyToken() (string, error) {
	token, err := s.token()
	if _, several := errors.AsType[severalProfiles](err); several {
		return "", nil
	}
	return token, err
}

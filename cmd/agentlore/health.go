package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// healthCommand asks a running service; containers use it, whose image has no curl.
type healthCommand struct {
	URL string `default:"http://127.0.0.1:8080" env:"AGENTLORE_URL" help:"Base address of the service."`
}

// Run prints the answer and fails unless the service can work.
func (c *healthCommand) Run(ctx context.Context, out output) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/health", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(out.stdout, io.LimitReader(response.Body, 64<<10)); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the service answered %d", response.StatusCode)
	}
	return nil
}

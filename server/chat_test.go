package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/allrows/allrows/agent"
)

// talker answers with the number of the conversation's question.
func talker() *fake {
	turns := map[string]int{}
	opened := 0
	return &fake{ask: func(_ context.Context, r agent.Request) (*agent.Answer, error) {
		id := r.Conversation
		if id == "" {
			opened++
			id = fmt.Sprintf("c%d", opened)
		}
		turns[id]++
		return &agent.Answer{ID: "a", Conversation: id, Question: r.Question, Outcome: agent.Answered, Text: fmt.Sprintf("%s turn %d\nand more", id, turns[id])}, nil
	}}
}

func TestChat(t *testing.T) {
	s, _ := newTestServer(t, talker(), nil)
	said := func(messages string) string {
		t.Helper()
		w := serve(s, request("POST", "/v1/chat/completions", `{"model":"allrows","temperature":0.2,"messages":[`+messages+`]}`))
		var r chatReply
		if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != 200 || len(r.Choices) != 1 {
			t.Fatalf("chat(%s) = %d %s", messages, w.Code, w.Body)
		}
		if r.Allrows == nil || r.Allrows.ID != "a" || *r.Choices[0].Finish != "stop" || r.Usage == nil {
			t.Errorf("chat(%s) = %s, want the answer, its end and its usage", messages, w.Body)
		}
		return r.Choices[0].Message.Content
	}
	first := said(`{"role":"system","content":"be brief"},{"role":"user","content":"total?"}`)
	if !strings.HasPrefix(first, "c1 turn 1") {
		t.Fatalf("the first reply = %q", first)
	}
	reply, _ := json.Marshal("  " + first + "\n") // clients trim and pad
	second := said(`{"role":"system","content":"another day"},{"role":"user","content":[{"type":"text","text":"total?"}]},{"role":"assistant","content":` + string(reply) + `},{"role":"user","content":"and for South?"}`)
	if !strings.HasPrefix(second, "c1 turn 2") {
		t.Errorf("the follow-up = %q, want it in the conversation of the first", second)
	}
	other := said(`{"role":"user","content":"total?"},{"role":"assistant","content":"made up"},{"role":"user","content":"and?"}`)
	if !strings.HasPrefix(other, "c2 turn 1") {
		t.Errorf("after a reply that was never given = %q, want a conversation of its own", other)
	}
}

func TestChatStream(t *testing.T) {
	s, _ := newTestServer(t, talker(), nil)
	w := serve(s, request("POST", "/v1/chat/completions", `{"model":"allrows","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"x"}]}`))
	var text string
	var usage, receipt bool
	events := strings.Split(strings.TrimSpace(w.Body.String()), "\n\n")
	for _, e := range events[:len(events)-1] {
		var r chatReply
		if err := json.Unmarshal([]byte(strings.TrimPrefix(e, "data: ")), &r); err != nil {
			t.Fatalf("event %q: %v", e, err)
		}
		usage, receipt = usage || r.Usage != nil, receipt || r.Allrows != nil
		for _, c := range r.Choices {
			text += c.Delta.Content
		}
	}
	if text != "c1 turn 1\nand more" || !usage || !receipt || events[len(events)-1] != "data: [DONE]" {
		t.Errorf("the stream = %q, want the text, usage, receipt and [DONE]", w.Body)
	}
}

func TestChatErrors(t *testing.T) {
	s, _ := newTestServer(t, talker(), nil)
	for _, tt := range []struct {
		name, body string
		want       int
	}{
		{"unknown model", `{"model":"gpt-4","messages":[{"role":"user","content":"x"}]}`, 404},
		{"no message", `{"model":"allrows","messages":[]}`, 400},
		{"the last is not the user's", `{"model":"allrows","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`, 400},
		{"several", `{"model":"allrows","n":2,"messages":[{"role":"user","content":"x"}]}`, 400},
		{"odd content", `{"model":"allrows","messages":[{"role":"user","content":{"a":1}}]}`, 400},
		{"empty", `{"model":"allrows","messages":[{"role":"user","content":" "}]}`, 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := serve(s, request("POST", "/v1/chat/completions", tt.body))
			var r struct {
				Error struct{ Message, Type, Code string }
			}
			if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != tt.want || r.Error.Message == "" || r.Error.Type != "invalid_request_error" {
				t.Errorf("chat(%s) = %d %s, want %d in that API's shape", tt.body, w.Code, w.Body, tt.want)
			}
		})
	}
	w := serve(s, request("GET", "/v1/models", ""))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"id":"allrows"`) {
		t.Errorf("/v1/models = %d %s", w.Code, w.Body)
	}
}

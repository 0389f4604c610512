package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/allrows/allrows/agent"
)

// The model that asks all workbooks; allrows/NAME asks one.
const chatModel = "allrows"

type chatBody struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	Stream   bool          `json:"stream"`
	Options  struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	N *int `json:"n"`
}

// chatMessage is one message of a client. Content is a string or parts.
type chatMessage struct {
	Role    string      `json:"role"`
	Content chatContent `json:"content"`
}

// chatContent is the text of a message, whichever of the two shapes it came in.
type chatContent string

// UnmarshalJSON takes a string, null, or parts, of which the text is kept.
func (c *chatContent) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err == nil {
		*c = chatContent(text)
		return nil
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("content is neither text nor a list of parts")
	}
	var texts []string
	for _, p := range parts {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	*c = chatContent(strings.Join(texts, "\n"))
	return nil
}

type chatReply struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"`
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []chatChoice  `json:"choices"`
	Usage   *chatUsage    `json:"usage,omitempty"`
	Allrows *agent.Answer `json:"allrows,omitempty"` // the whole answer with its receipt
}

type chatChoice struct {
	Index   int        `json:"index"`
	Message *chatDelta `json:"message,omitempty"`
	Delta   *chatDelta `json:"delta,omitempty"`
	Finish  *string    `json:"finish_reason"`
}

type chatDelta struct {
	Role    string `json:"role,omitempty"`
	Content string `json:"content"`
}

// chatUsage counts the tokens of a model that was called on the way: none, when
// the built-in planner answered.
type chatUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// postChat answers the last message of a chat. Earlier messages are the
// conversation: they are looked up by their hash, not answered again.
func (s *Server) postChat(c echo.Context) error {
	var body chatBody
	if err := json.NewDecoder(c.Request().Body).Decode(&body); err != nil {
		if known := bodyError(err); known != nil {
			return known
		}
		return badRequest("the body is no chat request", err.Error())
	}
	q, earlier, err := s.chatQuestion(c, body)
	if err != nil {
		return err
	}
	if body.Stream {
		return s.streamChat(c, body, q, earlier)
	}
	a, err := s.chatAnswer(c.Request().Context(), q, earlier)
	if err != nil {
		return err
	}
	stop := "stop"
	return c.JSON(http.StatusOK, chatReply{ID: "chatcmpl-" + a.ID, Object: "chat.completion", Created: s.cfg.Now().Unix(), Model: body.Model,
		Choices: []chatChoice{{Message: &chatDelta{"assistant", Plain(a)}, Finish: &stop}}, Usage: usageOf(a), Allrows: a})
}

func (s *Server) chatQuestion(c echo.Context, body chatBody) (Question, []chatMessage, error) {
	q := Question{Principal: principalOf(c).Name}
	name, one := strings.CutPrefix(body.Model, chatModel+"/")
	switch {
	case one:
		q.Workbooks = []string{name}
	case body.Model != chatModel:
		return q, nil, refuse("AR-CHT-404", http.StatusNotFound, fmt.Sprintf("there is no model %q", body.Model), "", "GET /v1/models lists them")
	case body.N != nil && *body.N != 1:
		return q, nil, badRequest("n is not 1", "an answer is computed, not sampled")
	}
	var said []chatMessage // what was said by either side; instructions are not ours to follow
	for _, m := range body.Messages {
		if m.Role == "user" || m.Role == "assistant" && m.Content != "" {
			said = append(said, m)
		}
	}
	if len(said) == 0 || said[len(said)-1].Role != "user" {
		return q, nil, badRequest("the last message is not the user's", "")
	}
	q.Text = string(said[len(said)-1].Content)
	return q, said[:len(said)-1], checkText("the last message", q.Text, maxQuestion)
}

// chatAnswer asks within the conversation that the earlier messages were, and
// notes which one the next message will find.
func (s *Server) chatAnswer(ctx context.Context, q Question, earlier []chatMessage) (*agent.Answer, error) {
	if len(earlier) > 0 {
		q.Conversation = s.chats.find(chatKey(q.Principal, earlier))
	}
	a, err := s.cfg.Front.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	whole := append(earlier[:len(earlier):len(earlier)], chatMessage{"user", chatContent(q.Text)}, chatMessage{"assistant", chatContent(Plain(a))})
	if err := s.chats.note(q.Principal, chatKey(q.Principal, whole), a.Conversation); err != nil {
		s.log.Warn("noting a chat: its next message will begin afresh", "error", err)
	}
	return a, nil
}

// chatKey is the hash of what was said, blanks aside: clients trim.
func chatKey(principal string, said []chatMessage) string {
	parts := []string{principal}
	for _, m := range said {
		parts = append(parts, m.Role, strings.Join(strings.Fields(string(m.Content)), " "))
	}
	return digest("chat-", parts...)
}

func usageOf(a *agent.Answer) *chatUsage {
	return &chatUsage{Completion: a.Receipt.Tokens, Total: a.Receipt.Tokens}
}

// streamChat writes the answer in chunks, as the clients of that API expect
// it: the role, the text line by line, the end, and [DONE].
func (s *Server) streamChat(c echo.Context, body chatBody, q Question, earlier []chatMessage) error {
	w := &events{w: c.Response(), control: http.NewResponseController(c.Response().Writer)}
	c.Response().Header().Set(echo.HeaderContentType, "text/event-stream")
	c.Response().Header().Set("X-Accel-Buffering", "no")
	c.Response().WriteHeader(http.StatusOK)
	stop := w.beat()
	a, err := s.chatAnswer(c.Request().Context(), q, earlier)
	stop()
	if err != nil {
		p := Explain(err)
		p.RequestID = requestID(c)
		w.data(chatError(p))
		w.write("data: [DONE]\n\n")
		return nil
	}
	chunk := chatReply{ID: "chatcmpl-" + a.ID, Object: "chat.completion.chunk", Created: s.cfg.Now().Unix(), Model: body.Model}
	send := func(d chatDelta) {
		chunk.Choices = []chatChoice{{Delta: &d}}
		w.data(chunk)
	}
	send(chatDelta{Role: "assistant"})
	for line := range strings.Lines(Plain(a)) {
		send(chatDelta{Content: line})
	}
	end := "stop"
	chunk.Choices, chunk.Allrows = []chatChoice{{Delta: &chatDelta{}, Finish: &end}}, a
	w.data(chunk)
	if body.Options.Usage {
		chunk.Choices, chunk.Allrows, chunk.Usage = []chatChoice{}, nil, usageOf(a)
		w.data(chunk)
	}
	w.write("data: [DONE]\n\n")
	return nil
}

// data writes an event without a name.
func (e *events) data(value any) {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(value); err != nil {
		buf.Reset()
		buf.WriteString(`{"error":{"message":"an event could not be written","type":"server_error"}}`)
	}
	e.write("data: " + strings.TrimSpace(buf.String()) + "\n\n")
}

// chatError is a problem in the shape of the API that these clients speak.
func chatError(p *Problem) map[string]any {
	kind := "invalid_request_error"
	switch {
	case p.Status == http.StatusUnauthorized:
		kind = "authentication_error"
	case p.Status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case p.Status >= 500:
		kind = "server_error"
	}
	return map[string]any{"error": map[string]any{"message": p.Error() + " Request " + p.RequestID + ".", "type": kind, "param": nil, "code": p.Code}}
}

// isChat reports whether the door speaks that API.
func isChat(path string) bool {
	return strings.HasPrefix(path, "/v1/chat/") || strings.HasPrefix(path, "/v1/models")
}

// getModels lists one model for all workbooks and one for each.
func (s *Server) getModels(c echo.Context) error {
	books, err := s.cfg.Front.Books(principalOf(c).Name)
	if err != nil {
		return err
	}
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	list := []model{{chatModel, "model", 0, "allrows"}}
	for _, b := range books {
		list = append(list, model{chatModel + "/" + b.Workbook, "model", b.LoadedAt.Unix(), "allrows"})
	}
	return c.JSON(http.StatusOK, map[string]any{"object": "list", "data": list})
}

package sqltool

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxFrame bounds one message between gateway and worker.
const maxFrame = 64 << 20

// framer writes and reads messages: the lengths of head and body, a JSON head, and
// a body of plain bytes for what is large.
type framer struct {
	mu sync.Mutex
	w  io.Writer
	r  *bufio.Reader
}

func newFramer(r io.Reader, w io.Writer) *framer {
	return &framer{w: w, r: bufio.NewReaderSize(r, 64<<10)}
}

// write sends one message. It is safe for concurrent use.
func (f *framer) write(v any, body []byte) error {
	head, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding a worker message: %w", err)
	}
	if len(head)+len(body) > maxFrame {
		return &LimitError{What: "a worker message", Limit: "64 MiB"}
	}
	frame := make([]byte, 0, 8+len(head)+len(body))
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(head)))
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(body)))
	frame = append(append(frame, head...), body...)
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err = f.w.Write(frame)
	return err
}

// read receives one message into v and returns its body.
func (f *framer) read(v any) ([]byte, error) {
	var lengths [8]byte
	if _, err := io.ReadFull(f.r, lengths[:]); err != nil {
		return nil, err
	}
	head, body := binary.BigEndian.Uint32(lengths[:4]), binary.BigEndian.Uint32(lengths[4:])
	if head > maxFrame || body > maxFrame {
		return nil, fmt.Errorf("a worker message of %d and %d bytes is over the limit of %d", head, body, maxFrame)
	}
	b := make([]byte, head+body)
	if _, err := io.ReadFull(f.r, b); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b[:head]))
	d.UseNumber()
	return b[head:], d.Decode(v)
}

// appendCell adds a text to a body: its length and one, then its bytes. NULL is 0.
func appendCell(b []byte, s string, null bool) []byte {
	if null {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(s))+1)
	return append(b, s...)
}

var errShort = errors.New("a batch of rows is cut short")

// cutCell reads what appendCell added and returns what follows it.
func cutCell(b []byte) (s string, null bool, rest []byte, err error) {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w)+1 {
		return "", false, nil, errShort
	}
	if n == 0 {
		return "", true, b[w:], nil
	}
	return string(b[w : w+int(n)-1]), false, b[w+int(n)-1:], nil
}

package kb

import (
	"container/list"
	"strings"
	"sync"
)

// sized is something that a cache may hold.
type sized interface{ bytes() int64 }

// cache keeps opened indexes, least recently used out first. What it holds is
// immutable, so a reader goes on with what it got after the cache dropped it.
type cache struct {
	limit int64

	mu    sync.Mutex
	used  int64
	order *list.List // of *cached, most recent first
	byKey map[string]*list.Element
	busy  map[string]*opening
}

type cached struct {
	key   string
	value sized
	size  int64
}

// opening is a value that one caller opens while others wait.
type opening struct {
	done  chan struct{}
	value sized
	err   error
	stale bool // dropped while it was opened
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, order: list.New(), byKey: map[string]*list.Element{}, busy: map[string]*opening{}}
}

// get returns the value of a key, opening it once however many ask.
func (c *cache) get(key string, open func() (sized, error)) (sized, error) {
	c.mu.Lock()
	if e, ok := c.byKey[key]; ok {
		c.order.MoveToFront(e)
		c.mu.Unlock()
		return e.Value.(*cached).value, nil
	}
	if o, ok := c.busy[key]; ok {
		c.mu.Unlock()
		<-o.done
		return o.value, o.err
	}
	o := &opening{done: make(chan struct{})}
	c.busy[key] = o
	c.mu.Unlock()

	o.value, o.err = open()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.busy, key)
	close(o.done)
	if o.err == nil && !o.stale {
		c.put(key, o.value)
	}
	return o.value, o.err
}

func (c *cache) put(key string, v sized) {
	item := &cached{key, v, v.bytes()}
	c.byKey[key] = c.order.PushFront(item)
	c.used += item.size
	for c.used > c.limit && c.order.Len() > 1 {
		c.remove(c.order.Back())
	}
}

func (c *cache) remove(e *list.Element) {
	item := c.order.Remove(e).(*cached)
	delete(c.byKey, item.key)
	c.used -= item.size
}

// drop forgets a key.
func (c *cache) drop(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		c.remove(e)
	}
	if o, ok := c.busy[key]; ok {
		o.stale = true
	}
}

// dropUnder forgets all keys with the prefix.
func (c *cache) dropUnder(prefix string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.byKey {
		if strings.HasPrefix(key, prefix) {
			c.remove(e)
		}
	}
	for key, o := range c.busy {
		if strings.HasPrefix(key, prefix) {
			o.stale = true
		}
	}
}

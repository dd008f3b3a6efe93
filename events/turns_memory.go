package events

import (
	"bytes"
	"container/list"
	"context"
	"iter"
	"sync"
	"time"
)

// frameOverhead is what a frame costs beside its type and data, roughly, in bytes.
const frameOverhead = 64

func (f Frame) size() int { return len(f.Type) + len(f.Data) + frameOverhead }

// memoryTurns keeps the logs of turns. One lock guards all of it: nothing slow happens under it.
type memoryTurns struct {
	opts   Options
	mu     sync.Mutex
	logs   map[string]*turnLog
	closed bool
	// Both lists begin with the log that got its last frame first, so the next to expire is in front.
	running, ended *list.List
	endedBytes     int
}

type turnLog struct {
	id      string
	frames  []Frame // only ever grows: a reader may look at a prefix without the lock
	bytes   int
	touched time.Time
	ended   bool
	place   *list.Element
	gone    bool          // expired or closed
	changed chan struct{} // closed at the next change; nil when nobody waits
}

func newMemoryTurns(opts Options) *memoryTurns {
	return &memoryTurns{opts: opts, logs: map[string]*turnLog{}, running: list.New(), ended: list.New()}
}

// Append implements [TurnLog].
func (t *memoryTurns) Append(_ context.Context, turnID string, frame Frame) (Frame, error) {
	if err := checkFrame(frame); err != nil {
		return Frame{}, err
	}
	frame.Data = bytes.Clone(frame.Data)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return Frame{}, errUnavailable(errClosed)
	}
	log := t.open(turnID)
	switch {
	case log.ended:
		return Frame{}, errTurnEnded()
	case log.bytes+frame.size() > t.opts.MaxTurnBytes && !frame.Terminal:
		return Frame{}, errTurnFull()
	}
	frame.Seq = int64(len(log.frames)) + 1
	log.frames = append(log.frames, frame)
	log.bytes += frame.size()
	t.touch(log, frame.Terminal)
	log.announce()
	return frame, nil
}

// open gives the log of a turn, making it first if need be.
func (t *memoryTurns) open(turnID string) *turnLog {
	t.dropExpired()
	log := t.logs[turnID]
	if log == nil {
		log = &turnLog{id: turnID}
		log.place = t.running.PushBack(log)
		t.logs[turnID] = log
	}
	return log
}

// touch puts a log last in the order of expiry.
func (t *memoryTurns) touch(log *turnLog, ended bool) {
	log.touched = t.opts.Now()
	if !ended {
		t.running.MoveToBack(log.place)
		return
	}
	t.running.Remove(log.place)
	log.ended, log.place = true, t.ended.PushBack(log)
	t.endedBytes += log.bytes
}

func (t *memoryTurns) dropExpired() {
	now := t.opts.Now()
	for e := t.running.Front(); e != nil; e = t.running.Front() {
		log := e.Value.(*turnLog)
		if now.Sub(log.touched) < t.opts.TurnTTL {
			break
		}
		t.running.Remove(e)
		t.drop(log)
	}
	for e := t.ended.Front(); e != nil; e = t.ended.Front() {
		log := e.Value.(*turnLog)
		if now.Sub(log.touched) < t.opts.EndedTurnTTL && t.endedBytes <= t.opts.MaxEndedBytes {
			break
		}
		t.ended.Remove(e)
		t.endedBytes -= log.bytes
		t.drop(log)
	}
}

func (t *memoryTurns) drop(log *turnLog) {
	delete(t.logs, log.id)
	log.gone = true
	log.announce()
}

// Known implements [TurnLog].
func (t *memoryTurns) Known(_ context.Context, turnID string) error {
	_, err := t.find(turnID)
	return err
}

// Follow implements [TurnLog].
func (t *memoryTurns) Follow(ctx context.Context, turnID string, after int64) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		log, err := t.find(turnID)
		if err != nil {
			yield(Frame{}, err)
			return
		}
		for next := max(after, 0); ctx.Err() == nil; {
			frames, more, err := t.read(log, next)
			for i, f := range frames {
				f.More = i < len(frames)-1
				if ctx.Err() != nil || !yield(f, nil) || f.Terminal {
					return
				}
			}
			next += int64(len(frames))
			if err != nil {
				yield(Frame{}, err)
			}
			if more == nil {
				return
			}
			select {
			case <-more:
			case <-ctx.Done():
			}
		}
	}
}

func (t *memoryTurns) find(turnID string) (*turnLog, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, errUnavailable(errClosed)
	}
	t.dropExpired()
	if log := t.logs[turnID]; log != nil {
		return log, nil
	}
	return nil, errTurnUnknown()
}

// read gives the frames after a Seq and a channel that is closed at the next change, nil when none will come.
func (t *memoryTurns) read(log *turnLog, after int64) (frames []Frame, more <-chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	frames = log.frames[min(after, int64(len(log.frames))):]
	switch {
	case log.ended:
		return frames, nil, nil
	case t.closed:
		return frames, nil, errUnavailable(errClosed)
	case log.gone:
		return frames, nil, errTurnUnknown()
	}
	if log.changed == nil {
		log.changed = make(chan struct{})
	}
	return frames, log.changed, nil
}

// announce wakes whoever waits for a change.
func (l *turnLog) announce() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

func (t *memoryTurns) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, log := range t.logs {
		log.announce()
	}
	clear(t.logs)
}

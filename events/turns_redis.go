package events

import (
	"context"
	_ "embed"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed scripts/append.lua
var appendLua string

var appendScript = redis.NewScript(appendLua)

const (
	// pageSize is how many frames are read at once.
	pageSize = 256
	// pollEvery finds what a broken connection kept from waking a follower, and expired logs.
	pollEvery = time.Second
)

// What append.lua answers instead of a Seq.
const (
	appendEnded = -1
	appendFull  = -2
)

// Append implements [TurnLog].
func (r *Redis) Append(ctx context.Context, turnID string, frame Frame) (Frame, error) {
	if err := checkFrame(frame); err != nil {
		return Frame{}, err
	}
	terminal, ttl := "0", r.opts.TurnTTL
	if frame.Terminal {
		terminal, ttl = "1", r.opts.EndedTurnTTL
	}
	seq, err := r.run(ctx, appendScript, []string{turnKey(turnID)},
		frame.Type, frame.Data, terminal, frame.size(), r.opts.MaxTurnBytes, ttl.Milliseconds(), r.channel("turn", turnID))
	switch {
	case err != nil:
		return Frame{}, err
	case seq == appendEnded:
		return Frame{}, errTurnEnded()
	case seq == appendFull:
		return Frame{}, errTurnFull()
	}
	frame.Seq = seq
	return frame, nil
}

// Known implements [TurnLog].
func (r *Redis) Known(ctx context.Context, turnID string) error {
	n, err := r.client.Exists(ctx, turnKey(turnID)).Result()
	switch {
	case err != nil:
		return wrapRedis(err)
	case n == 0:
		return errTurnUnknown()
	}
	return nil
}

// Follow implements [TurnLog]. All followers of a process wait on one connection: a message wakes them to read on.
func (r *Redis) Follow(ctx context.Context, turnID string, after int64) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		wake, err := r.hub.subscribe(ctx, r.channel("turn", turnID), 1)
		if err == nil {
			defer wake.Close()
			err = r.follow(ctx, turnID, max(after, 0), wake.Messages(), func(f Frame) bool { return yield(f, nil) })
		}
		if err != nil && ctx.Err() == nil {
			yield(Frame{}, err)
		}
	}
}

// follow shows frames until the terminal one, the end of ctx, or until show wants no more.
func (r *Redis) follow(ctx context.Context, turnID string, after int64, wake <-chan []byte, show func(Frame) bool) error {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for ctx.Err() == nil {
		frames, err := r.page(ctx, turnID, after)
		if err != nil {
			return err
		}
		for i, f := range frames {
			f.More = i < len(frames)-1
			if ctx.Err() != nil || !show(f) || f.Terminal {
				return nil
			}
			after = f.Seq
		}
		if len(frames) == pageSize {
			continue
		}
		if len(frames) == 0 {
			if over, err := r.over(ctx, turnID, after); err != nil || over {
				return err
			}
		}
		select {
		case _, ok := <-wake:
			if !ok && ctx.Err() == nil {
				return errUnavailable(errClosed)
			}
		case <-poll.C:
		case <-ctx.Done():
		}
	}
	return nil
}

// page reads the next frames after a Seq.
func (r *Redis) page(ctx context.Context, turnID string, after int64) ([]Frame, error) {
	entries, err := r.client.XRangeN(ctx, turnKey(turnID), strconv.FormatInt(after+1, 10), "+", pageSize).Result()
	if err != nil {
		return nil, wrapRedis(err)
	}
	return parseFrames(entries)
}

// over reports whether no frame will come after a Seq. A turn without frames is unknown.
func (r *Redis) over(ctx context.Context, turnID string, after int64) (bool, error) {
	entries, err := r.client.XRevRangeN(ctx, turnKey(turnID), "+", "-", 1).Result()
	if err != nil {
		return false, wrapRedis(err)
	}
	last, err := parseFrames(entries)
	if err != nil {
		return false, err
	}
	if len(last) == 0 {
		return false, errTurnUnknown()
	}
	// The terminal frame may have come since the caller looked.
	return last[0].Terminal && last[0].Seq <= after, nil
}

func turnKey(turnID string) string { return keyPrefix + "turn:" + turnID }

func parseFrames(entries []redis.XMessage) ([]Frame, error) {
	frames := make([]Frame, len(entries))
	for i, e := range entries {
		id, _, _ := strings.Cut(e.ID, "-")
		seq, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("events: id of a frame: %w", err)
		}
		frames[i] = Frame{Seq: seq, Type: field(e, "type"), Data: []byte(field(e, "data")), Terminal: field(e, "terminal") == "1"}
	}
	return frames, nil
}

func field(e redis.XMessage, name string) string {
	s, _ := e.Values[name].(string)
	return s
}

package mail_test

import (
	"context"
	"mime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/smtptest"
	"countersign/mail"
)

func server(t *testing.T, url string) *mail.Server {
	t.Helper()
	s, err := mail.NewServer(mail.Options{URL: url, Host: "crm.example.com", Timeout: time.Second})
	require.NoError(t, err)
	return s
}

func message() mail.Message {
	return mail.Message{
		ID: "key@crm.example.com", To: "amy@acme.test", ReplyTo: "sam@example.com", Subject: "報價單 Q-2026-0001 / \"quoted\"",
		Text: "Dear 方詠詩,\n\n1 < 2 & \"3\"\n.\nTotal: HK$1.00", Lang: "zh-HK", At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	smtp := smtptest.Start(t)
	s := server(t, smtp.URL()+"?from=Harbour+Sales+<sales@example.com>")
	require.NoError(t, s.Send(t.Context(), message()))
	require.Len(t, smtp.Received(), 1)
	got := smtp.Received()[0]
	subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	require.NoError(t, err)
	require.Equal(t, []string{
		"sales@example.com", "amy@acme.test", "<amy@acme.test>", `"Harbour Sales" <sales@example.com>`, "<sam@example.com>",
		message().Subject, "<key@crm.example.com>", "Mon, 02 Mar 2026 09:00:00 +0000", "zh-HK", "",
	}, []string{
		got.From, got.To, got.Header.Get("To"), got.Header.Get("From"), got.Header.Get("Reply-To"),
		subject, got.Header.Get("Message-Id"), got.Header.Get("Date"), got.Header.Get("Content-Language"), got.Header.Get("User-Agent"),
	})
	require.Equal(t, message().Text, got.Text)
	require.Contains(t, got.HTML, `<html lang="zh-HK"><body><p>Dear 方詠詩,</p>`)
	require.Contains(t, got.HTML, "<p>1 &lt; 2 &amp; &#34;3&#34;<br>\n.<br>\nTotal: HK$1.00</p>")
}

func TestSender(t *testing.T) {
	t.Parallel()
	for url, from := range map[string]string{
		"smtp://h?from=a@b.test": "a@b.test", "smtp://h": "crm.example.com", "smtps://me%40b.test:p@h": "b.test", "smtp://u:p@h:25": "crm.example.com",
	} {
		require.Equal(t, "key@"+from[strings.Index(from, "@")+1:], server(t, url).MessageID("key"), url)
	}
	for _, url := range []string{"smtp://", "smtp://h?from=nobody", ":"} {
		_, err := mail.NewServer(mail.Options{URL: url})
		require.Error(t, err, url)
	}
}

// What becomes of a message is told by how far it came and by the server's reply.
func TestFates(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		behaviour smtptest.Behaviour
		fate      mail.Fate
		code      int
		taken     int
	}{
		"busy":                  {smtptest.Busy, mail.Delayed, 451, 0},
		"busy after the mail":   {smtptest.BusyAfterData, mail.Delayed, 452, 1},
		"no such person":        {smtptest.NoSuchPerson, mail.Refused, 550, 0},
		"refused content":       {smtptest.RefuseContent, mail.Refused, 554, 1},
		"hangs up":              {smtptest.HangUp, mail.Delayed, 0, 0},
		"says nothing":          {smtptest.Hang, mail.Delayed, 0, 0},
		"cut after the mail":    {smtptest.CutAfterData, mail.Unknown, 0, 1},
		"silent after the mail": {smtptest.TakeLate, mail.Unknown, 0, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			smtp := smtptest.Start(t)
			smtp.Behave(c.behaviour)
			err := server(t, smtp.URL()).Send(t.Context(), message())
			var failure *mail.Failure
			require.ErrorAs(t, err, &failure)
			require.Equal(t, []any{c.fate, c.code}, []any{failure.Fate, failure.Code}, failure.Step)
			require.Len(t, smtp.Received(), c.taken)
			require.NotContains(t, err.Error(), "amy", "what the server says may hold addresses")
		})
	}
}

func TestNobodyIsThere(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for url, ctx := range map[string]context.Context{"smtp://127.0.0.1:1": t.Context(), smtptest.Start(t).URL(): ended} {
		var failure *mail.Failure
		require.ErrorAs(t, server(t, url).Send(ctx, message()), &failure)
		require.Equal(t, mail.Delayed, failure.Fate)
	}
}

// A password is not sent to a server without TLS.
func TestPasswordNeedsTLS(t *testing.T) {
	t.Parallel()
	smtp := smtptest.Start(t)
	address := strings.TrimPrefix(smtp.URL(), "smtp://")
	for _, url := range []string{"smtp://me:hunter2@" + address, "smtps://me:hunter2@" + address} {
		err := server(t, url).Send(t.Context(), message())
		var failure *mail.Failure
		require.ErrorAs(t, err, &failure)
		require.Equal(t, mail.Delayed, failure.Fate)
	}
	require.Empty(t, smtp.Received())
	require.NotContains(t, strings.Join(smtp.Commands(), "\n"), "AUTH")
}

// Nothing that a person or a model writes becomes a header or a command.
func TestHeadersCannotBeInjected(t *testing.T) {
	t.Parallel()
	smtp := smtptest.Start(t)
	s := server(t, smtp.URL())
	for _, spoil := range []func(*mail.Message){
		func(m *mail.Message) { m.To = "amy@acme.test\r\nBcc: eve@evil.test" },
		func(m *mail.Message) { m.To = "amy@acme.test, eve@evil.test" },
		func(m *mail.Message) { m.To = "Amy <amy@acme.test>" },
		func(m *mail.Message) { m.To = "amy@acme.test>\r\nRCPT TO:<eve@evil.test" },
		func(m *mail.Message) { m.To = "" },
		func(m *mail.Message) { m.ReplyTo = "sam@example.com\nBcc: eve@evil.test" },
		func(m *mail.Message) { m.Subject = "Hello\r\nBcc: eve@evil.test" },
		func(m *mail.Message) { m.Subject = "Hello\u0085Bcc: eve@evil.test" },
		func(m *mail.Message) { m.ID = "key>\r\nBcc: eve@evil.test" },
	} {
		m := message()
		spoil(&m)
		err := s.Send(t.Context(), m)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "evil")
	}
	require.Empty(t, smtp.Commands())

	m := message()
	m.Text = "Hello\n.\nRCPT TO:<eve@evil.test>\n\n\r\n.\r\nQUIT\r\n"
	require.NoError(t, s.Send(t.Context(), m))
	require.Len(t, smtp.Received(), 1)
	require.NotContains(t, strings.Join(smtp.Commands(), "\n"), "evil")
	require.Empty(t, smtp.Received()[0].Header.Get("Bcc"))
}

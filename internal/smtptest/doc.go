// Package smtptest is a mail server for tests, at the outer edge: it takes mails over real SMTP, refuses them, falls
// silent or breaks off, as it is told.
package smtptest

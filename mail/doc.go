// Package mail sends e-mails over SMTP, one at a time, and says of each that was not sent whether it can be sent again.
//
// It alone imports the SMTP library. It neither logs nor returns what a mail server has said: that tends to repeat
// addresses.
package mail

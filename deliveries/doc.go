// Package deliveries sends the e-mails of confirmed proposals, each once: it queues them in the transaction of the
// confirmation, carries out the jobs that hand them to the mail server, and writes what has become of them into the
// proposals' outcomes.
//
// An e-mail is claimed before a word is said to the mail server. Whatever happens then, it is queued again only when it
// surely was not sent; when nobody can know, it stays unknown until a person has looked.
package deliveries

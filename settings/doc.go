// Package settings keeps what an administrator configures: today which model the assistant uses.
//
// The model's API key is sealed before it is stored, and leaves this package only in the [ModelConfig] that the agent
// asks for; an [APIKey] never prints. No environment variable has a say in the configuration: the encryption key and
// whether private endpoints are allowed come in through [Options].
package settings

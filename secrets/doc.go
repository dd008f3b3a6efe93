// Package secrets seals small values, such as an API key, for storage in the database.
//
// A [Keyring] holds one key that seals and any number of older ones that still open. It is made of the text in
// AI_CONFIG_ENCRYPTION_KEY and always exists: with a missing or malformed key it says so in [Keyring.State], and
// sealing and opening fail with an error that says what to do, so that the rest of the product keeps working.
//
// An envelope is text, "v1|key id|nonce|ciphertext", sealed with AES-256-GCM under a fresh nonce and bound to the
// place it is stored in: moved to another row or field it does not open.
package secrets

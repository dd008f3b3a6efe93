// Package config turns the process environment into a typed [Config].
//
// [Load] reports every mistake at once, each with the variable, what is wrong with it and an example that works.
// Whatever may hold a password or a key is a [Secret], which prints as "[redacted]" wherever it ends up.
// The settings of the language model never come from the environment: they are rows of the database.
package config

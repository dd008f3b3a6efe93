// Package i18n holds the texts that the server itself says to people, in English and in Traditional Chinese
// as it is written in Hong Kong.
//
// The catalogues are active.en.json and active.zh-HK.json: one flat object each, from a key whose parts are
// separated by dots to a text, or to its plural forms "one" and "other" (Chinese has "other" only). A placeholder
// is {{.name}}. To add a text, put its key into both files and call [T]; the tests compare the catalogues with
// each other and with every call in the module. Keys put together while running need their prefix in the list
// of the test.
package i18n

package models

// ContactLanguage is the language that a contact prefers; empty while it is unknown.
type ContactLanguage string

// The languages of contacts.
const (
	ContactEnglish ContactLanguage = "en"
	ContactChinese ContactLanguage = "zh-HK"
)

// Valid reports whether l is one of the languages, or unknown.
func (l ContactLanguage) Valid() bool { return l == "" || l == ContactEnglish || l == ContactChinese }

// Contact is a person whom one deals with, as a rule at a company. Email is in lower case; Phone and WhatsApp
// are E.164: a plus, the country code and digits. All three are personal data.
type Contact struct {
	Record
	CompanyID *string
	Name      string
	JobTitle  string
	Email     string
	Phone     string
	WhatsApp  string `gorm:"column:whatsapp"`
	Language  ContactLanguage
	OwnerID   string
}

// Names are the names that the contact is found by. The e-mail address is none: names show to those who may not see it.
func (c Contact) Names() []string { return []string{c.Name} }

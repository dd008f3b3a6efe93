package models

// CompanyStatus says where a company stands.
type CompanyStatus string

// The company statuses.
const (
	CompanyLead     CompanyStatus = "LEAD"
	CompanyActive   CompanyStatus = "ACTIVE"
	CompanyInactive CompanyStatus = "INACTIVE"
	CompanyChurned  CompanyStatus = "CHURNED"
)

// Valid reports whether s is one of the statuses.
func (s CompanyStatus) Valid() bool {
	switch s {
	case CompanyLead, CompanyActive, CompanyInactive, CompanyChurned:
		return true
	}
	return false
}

// Company is an organisation that one sells to. Without an owner it is shared: everyone who may read
// companies sees it, and only scope "all" may change it.
type Company struct {
	Record
	ExternalID *string
	Name       string
	OtherNames Strings
	Industry   string
	Status     CompanyStatus
	Website    string
	Phone      string
	Address    string
	ParentID   *string
	OwnerID    *string
	Tags       Strings
	Notes      string
}

// Names are all names that the company goes by, the main one first.
func (c Company) Names() []string { return append([]string{c.Name}, c.OtherNames...) }

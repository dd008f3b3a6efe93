package crm

import (
	"countersign/audit"
	"countersign/store"
)

// Difference is a field that a write would change, its values as history would tell them.
type Difference struct {
	audit.Field
	// Refers says that the values are ids of records. BeforeName and AfterName are the names of these,
	// empty for a record that the actor may not see.
	Refers                bool
	BeforeName, AfterName string
}

// DealDifferences are the fields in which a deal differs from what a Preview makes of it.
func DealDifferences(before, after *store.DealView) []Difference {
	return differences(audit.Changed(dealFields(&before.Deal, &after.Deal)), map[string][2]string{
		"companyId":  {before.CompanyName, after.CompanyName},
		"productId":  {before.ProductName, after.ProductName},
		"pipelineId": {before.PipelineName, after.PipelineName},
		"stageId":    {before.StageName, after.StageName},
		"ownerId":    {before.OwnerName, after.OwnerName},
	})
}

// CompanyDifferences are the fields in which a company differs from what a Preview makes of it.
func CompanyDifferences(before, after *Company) []Difference {
	return differences(audit.Changed(companyFields(&before.Company, &after.Company)), map[string][2]string{
		"parentId": {before.ParentName, after.ParentName},
		"ownerId":  {before.OwnerName, after.OwnerName},
	})
}

// ContactDifferences are the fields in which a contact differs from what a Preview makes of it.
func ContactDifferences(before, after *Contact) []Difference {
	return differences(audit.Changed(contactFields(&before.Contact, &after.Contact)), map[string][2]string{
		"companyId": {before.CompanyName, after.CompanyName},
		"ownerId":   {before.OwnerName, after.OwnerName},
	})
}

// TaskDifferences are the fields in which a task differs from what a write makes of it.
func TaskDifferences(before, after *store.TaskView) []Difference {
	return differences(audit.Changed(taskFields(&before.Task, &after.Task)), map[string][2]string{
		"assigneeId": {before.AssigneeName, after.AssigneeName},
		"companyId":  {before.CompanyName, after.CompanyName},
		"dealId":     {before.DealTitle, after.DealTitle},
		"contactId":  {before.ContactName, after.ContactName},
	})
}

// QuotationDifferences are the fields in which a quotation differs from what a write makes of it.
func QuotationDifferences(before, after *store.QuotationView) []Difference {
	return differences(audit.Changed(quotationFields(&before.Quotation, &after.Quotation)), map[string][2]string{
		"companyId": {before.CompanyName, after.CompanyName},
		"contactId": {before.ContactName, after.ContactName},
		"dealId":    {before.DealTitle, after.DealTitle},
		"ownerId":   {before.OwnerName, after.OwnerName},
	})
}

// ActivityDifferences are the fields in which an activity differs from what a write makes of it.
func ActivityDifferences(before, after *store.ActivityView) []Difference {
	return differences(audit.Changed(activityFields(&before.Activity, &after.Activity)), map[string][2]string{
		"companyId": {before.CompanyName, after.CompanyName},
		"dealId":    {before.DealTitle, after.DealTitle},
	})
}

func differences(fields []audit.Field, names map[string][2]string) []Difference {
	list := make([]Difference, len(fields))
	for i, f := range fields {
		list[i] = Difference{Field: f}
		if pair, refers := names[f.Name]; refers {
			list[i].Refers, list[i].BeforeName, list[i].AfterName = true, pair[0], pair[1]
		}
	}
	return list
}

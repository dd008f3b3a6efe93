package seed

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"countersign/models"
)

// dataset is the content of a folder of the layout "Maven Analytics, CRM Sales Opportunities". Names are as its
// files spell them first.
type dataset struct {
	managers []string
	staff    []person // managers before agents
	products []product
	accounts []account // parents before their subsidiaries
	deals    []opportunity
	notes    []string
}

// person is somebody of the staff; manager is the name of who leads their team, which may be they themselves.
type person struct{ name, role, manager string }

type product struct {
	name  string
	sku   string
	price *models.Money
	// spellings are other ways in which the deals write the name.
	spellings []string
}

type account struct{ name, sector, office, parent, notes string }

type opportunity struct {
	id, agent, product, account, stage string
	engaged, closed                    *models.Date
	value                              *models.Money
}

// currency is that of all amounts of the data set.
const currency = "USD"

// reading is one reading of the files. The maps give what a row names as its own file spells it.
type reading struct {
	dataset
	files     fs.FS
	wrong     *problems
	people    map[string]string         // folded name → name
	emails    map[string]string         // e-mail → name
	catalogue map[string]string         // squeezed name of a product → name
	names     map[string]string         // folded name of an account → name
	spellings map[string]map[string]int // name of a product → other spelling → number of deals
}

// readMaven reads and checks all files, those first that others refer to. An error is about the first file that is
// not right, and names up to ten wrong values.
func readMaven(files fs.FS) (*dataset, error) {
	r := &reading{
		files: files, wrong: &problems{}, people: map[string]string{}, emails: map[string]string{},
		catalogue: map[string]string{}, names: map[string]string{}, spellings: map[string]map[string]int{},
	}
	for _, read := range []func() error{r.readTeams, r.readProducts, r.readAccounts, r.readDeals} {
		if err := read(); err != nil {
			return nil, err
		}
		if err := r.wrong.err(); err != nil {
			return nil, err
		}
	}
	return &r.dataset, nil
}

// open reads a table, and notes which of its columns are left out.
func (r *reading) open(name string, columns ...string) (*table, error) {
	t, err := readTable(r.files, name, r.wrong, columns...)
	if err == nil && len(t.unused) > 0 {
		r.note("%s: not imported: %s.", name, strings.Join(t.unused, ", "))
	}
	return t, err
}

func (r *reading) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *reading) readTeams() error {
	t, err := r.open("sales_teams.csv", "sales_agent", "manager")
	if err != nil {
		return err
	}
	for _, row := range t.rows {
		if manager := row.must("manager"); manager != "" && r.people[models.FoldName(manager)] == "" {
			r.managers = append(r.managers, manager)
			r.hire(row, "manager", person{manager, "manager", manager})
		}
	}
	listed := map[string]bool{}
	for _, row := range t.rows {
		name := row.must("sales_agent")
		key := models.FoldName(name)
		switch {
		case name == "":
		case listed[key]:
			row.bad("sales_agent", "%q is listed twice.", name)
		case r.people[key] == "": // a manager who sells, too, stays the manager
			r.hire(row, "sales_agent", person{name, "sales", r.people[models.FoldName(row.get("manager"))]})
		}
		listed[key] = true
	}
	return nil
}

// hire adds somebody to the staff whose e-mail address nobody else has.
func (r *reading) hire(row row, column string, p person) {
	address := emailOf(p.name)
	if r.emails[address] != "" || strings.HasPrefix(address, "@") {
		row.bad(column, "%q gives no e-mail address of its own.", p.name)
	}
	r.people[models.FoldName(p.name)], r.emails[address] = p.name, p.name
	r.staff = append(r.staff, p)
}

// emailOf is the address of a person: their name in ASCII, with dots for spaces.
func emailOf(name string) string {
	local := strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '.'
		case c == '-', c <= unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)):
			return unicode.ToLower(c)
		}
		return -1
	}, norm.NFKD.String(name))
	return strings.Trim(local, ".-") + "@maven.example"
}

func (r *reading) readProducts() error {
	t, err := r.open("products.csv", "product", "sales_price")
	if err != nil {
		return err
	}
	for _, row := range t.rows {
		p := product{name: row.must("product"), price: row.money("sales_price", currency)}
		p.sku = strings.ToUpper(strings.ReplaceAll(models.FoldName(p.name), " ", "-"))
		if p.name != "" && r.catalogue[squeezed(p.name)] != "" {
			row.bad("product", "%q is listed twice.", p.name)
		}
		r.catalogue[squeezed(p.name)] = p.name
		r.products = append(r.products, p)
	}
	return nil
}

// squeezed is what products are found by. White space and letter case make no difference: the deals write "GTXPro"
// where the list of products has "GTX Pro".
func squeezed(name string) string { return strings.ReplaceAll(models.FoldName(name), " ", "") }

func (r *reading) readAccounts() error {
	t, err := r.open("accounts.csv",
		"account", "sector", "year_established", "revenue", "employees", "office_location", "subsidiary_of")
	if err != nil {
		return err
	}
	waiting := make([]account, 0, len(t.rows))
	for _, row := range t.rows {
		a := account{
			name: row.must("account"), sector: row.get("sector"), office: row.get("office_location"),
			parent: row.get("subsidiary_of"), notes: companyNotes(row),
		}
		if r.names[models.FoldName(a.name)] != "" {
			row.bad("account", "%q is listed twice.", a.name)
		}
		r.names[models.FoldName(a.name)] = a.name
		waiting = append(waiting, a)
	}
	for i, row := range t.rows {
		if p := &waiting[i].parent; *p != "" {
			if *p = r.names[models.FoldName(*p)]; *p == "" {
				row.bad("subsidiary_of", "%q is not an account of this file.", row.get("subsidiary_of"))
			}
		}
	}
	r.accounts = parentsFirst(waiting)
	if len(r.accounts) < len(waiting) && r.wrong.total == 0 {
		return unreadable(t.name, "has accounts that are, by column subsidiary_of, subsidiaries of each other.", nil)
	}
	return nil
}

// companyNotes tells what an account has that companies have no field for.
func companyNotes(row row) string {
	var lines []string
	if year := row.whole("year_established"); year > 0 {
		lines = append(lines, fmt.Sprintf("Established: %d", year))
	}
	if revenue := row.money("revenue", currency); revenue != nil {
		lines = append(lines, fmt.Sprintf("Annual revenue: %s million", revenue))
	}
	if employees := row.whole("employees"); employees > 0 {
		lines = append(lines, fmt.Sprintf("Employees: %d", employees))
	}
	return strings.Join(lines, "\n")
}

// parentsFirst orders accounts so that each comes after its parent; those in a circle are left out.
func parentsFirst(accounts []account) []account {
	ordered := make([]account, 0, len(accounts))
	placed := map[string]bool{"": true}
	for before := -1; before < len(ordered); {
		before = len(ordered)
		for _, a := range accounts {
			if placed[a.parent] && !placed[a.name] {
				placed[a.name] = true
				ordered = append(ordered, a)
			}
		}
	}
	return ordered
}

func (r *reading) readDeals() error {
	t, err := r.open("sales_pipeline.csv",
		"opportunity_id", "sales_agent", "product", "account", "deal_stage", "engage_date", "close_date", "close_value")
	if err != nil {
		return err
	}
	first := map[string]int{}
	for _, row := range t.rows {
		deal := r.opportunity(row)
		if earlier, twice := first[deal.id]; twice && deal.id != "" {
			row.bad("opportunity_id", "%q is in row %d, too.", deal.id, earlier)
		}
		first[deal.id] = row.number
		r.deals = append(r.deals, deal)
	}
	r.noteSpellings()
	return nil
}

func (r *reading) opportunity(row row) opportunity {
	d := opportunity{
		id: row.must("opportunity_id"), stage: row.must("deal_stage"),
		engaged: row.date("engage_date"), closed: row.date("close_date"), value: row.money("close_value", currency),
	}
	if name := row.must("sales_agent"); name != "" {
		if d.agent = r.people[models.FoldName(name)]; d.agent == "" {
			row.bad("sales_agent", "%q is not in sales_teams.csv.", name)
		}
	}
	if name := row.get("account"); name != "" {
		if d.account = r.names[models.FoldName(name)]; d.account == "" {
			row.bad("account", "%q is not in accounts.csv.", name)
		}
	}
	d.product = r.productOf(row)
	r.checkStage(row, &d)
	return d
}

// productOf is the name, as products.csv spells it, of a deal's product.
func (r *reading) productOf(row row) string {
	written := row.must("product")
	name := r.catalogue[squeezed(written)]
	switch {
	case written == "":
	case name == "":
		row.bad("product", "%q is not in products.csv.", written)
	case name != written && r.spellings[name] == nil:
		r.spellings[name] = map[string]int{written: 1}
	case name != written:
		r.spellings[name][written]++
	}
	return name
}

// noteSpellings gives products the other spellings of their names, so that people find them by these, too.
func (r *reading) noteSpellings() {
	for i := range r.products {
		p := &r.products[i]
		for spelling := range r.spellings[p.name] {
			p.spellings = append(p.spellings, spelling)
		}
		slices.Sort(p.spellings)
		for _, spelling := range p.spellings {
			r.note("sales_pipeline.csv: the product %q of %d deals is %q of products.csv.", spelling, r.spellings[p.name][spelling], p.name)
		}
	}
}

// checkStage holds a deal's stage against its dates and value.
func (r *reading) checkStage(row row, d *opportunity) {
	stage := mavenStage(d.stage)
	switch {
	case d.stage == "":
	case stage == nil:
		row.bad("deal_stage", "%q is not a stage. The stages are Prospecting, Engaging, Won and Lost.", d.stage)
	case stage.Kind == models.StageOpen:
		d.stage = stage.Name
		for _, column := range []string{"close_date", "close_value"} {
			if row.get(column) != "" {
				row.bad(column, "A deal in stage %s is open and has none.", d.stage)
			}
		}
	default:
		d.stage = stage.Name
		row.must("close_date")
		row.must("close_value")
		if d.engaged != nil && d.closed != nil && *d.closed < *d.engaged {
			row.bad("close_date", "The deal closed before it was engaged, on %s.", *d.engaged)
		}
	}
}

// mavenStages are the stages of the data set's pipeline, in order.
func mavenStages() []models.Stage {
	return []models.Stage{
		{Name: "Prospecting", Kind: models.StageOpen, Probability: 10},
		{Name: "Engaging", Kind: models.StageOpen, Probability: 40},
		{Name: "Won", Kind: models.StageWon, Probability: 100},
		{Name: "Lost", Kind: models.StageLost, Probability: 0},
	}
}

// mavenStage finds a stage by name.
func mavenStage(name string) *models.Stage {
	for _, stage := range mavenStages() {
		if models.FoldName(stage.Name) == models.FoldName(name) {
			return &stage
		}
	}
	return nil
}

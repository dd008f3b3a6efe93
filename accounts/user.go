package accounts

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

const (
	maxEmail = 254 // bytes
	maxName  = 200 // characters
)

// languages are those that the product speaks; the first is the default.
var languages = []string{"en", "zh-HK"}

// UserInput is a new user. Without a Password the user cannot sign in until one is set. TeamID may be empty; a Lang
// that the product does not speak means English.
type UserInput struct {
	Email    string
	Name     string
	Password string
	Role     string
	TeamID   string
	Lang     string
}

// operator is the actor of work at the server's console.
func operator() models.Actor { return models.System("operator") }

// CreateUser adds a user. For the operator only. Errors: Invalid, Conflict with [CodeEmailTaken].
func (s *Service) CreateUser(ctx context.Context, in UserInput) (models.User, error) {
	users, err := s.CreateUsers(ctx, []UserInput{in})
	if err != nil {
		return models.User{}, err
	}
	return users[0], nil
}

// CreateUsers adds users as CreateUser does, all or none, in their order. A password that several have is hashed
// once, and they get the same hash. For the operator only.
func (s *Service) CreateUsers(ctx context.Context, in []UserInput) ([]models.User, error) {
	users := make([]models.User, len(in))
	hashes := map[string]string{"": ""}
	for i := range in {
		user, err := s.newUser(in[i], in[i].Password != "")
		if err != nil {
			return nil, err
		}
		hash, known := hashes[in[i].Password]
		if !known {
			if hash, err = s.passwords.hashNew(ctx, in[i].Password); err != nil {
				return nil, err
			}
			hashes[in[i].Password] = hash
		}
		user.PasswordHash = hash
		users[i] = *user
	}
	err := s.runner.InTx(ctx, func(tx *store.Tx) error {
		for i := range users {
			if err := s.insertUser(ctx, tx, &users[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return users, nil
}

func (s *Service) insertUser(ctx context.Context, tx *store.Tx, user *models.User) error {
	err := tx.InsertUser(ctx, user)
	switch {
	case apperr.HasCode(err, store.CodeDuplicate):
		return errEmailTaken.WithCause(err)
	case apperr.Is(err, apperr.Invalid):
		return apperr.InvalidField("role", "Choose a role and, if any, a team that exist.").WithCause(err)
	case err != nil:
		return err
	}
	detail := map[string]any{"role": user.Role, "teamId": user.TeamID}
	return s.record(ctx, tx, "user:create", refTo(user), detail)
}

// newUser checks all fields at once, the password's length included. The hash is the caller's part.
func (s *Service) newUser(in UserInput, withPassword bool) (*models.User, error) {
	var wrong []apperr.FieldError
	note := func(field *apperr.FieldError) {
		if field != nil {
			wrong = append(wrong, *field)
		}
	}
	email, field := parseEmail(in.Email)
	note(field)
	name, field := parseName(in.Name)
	note(field)
	if withPassword {
		note(checkPassword(in.Password))
	}
	if in.Role == "" {
		note(&apperr.FieldError{Path: "role", Message: "A user needs a role."})
	}
	if err := apperr.InvalidFields(wrong); err != nil {
		return nil, err
	}
	now := s.now()
	user := &models.User{
		ID: models.NewID(), Email: email, Name: name, NameKey: models.FoldName(name), Role: in.Role, Lang: in.Lang,
		Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if in.TeamID != "" {
		user.TeamID = &in.TeamID
	}
	if !slices.Contains(languages, user.Lang) {
		user.Lang = languages[0]
	}
	return user, nil
}

// FindUser gives the user with an e-mail address, disabled or not. For the operator only. Errors: NotFound, Invalid.
func (s *Service) FindUser(ctx context.Context, email string) (models.User, error) {
	email, field := parseEmail(email)
	if field != nil {
		return models.User{}, apperr.InvalidFields([]apperr.FieldError{*field})
	}
	var user models.User
	err := s.runner.View(ctx, func(r *store.Reader) error {
		view, err := r.UserByEmail(ctx, email)
		if err == nil {
			user = view.User
		}
		return err
	})
	return user, err
}

// SetPassword gives a user a new password and ends all sessions. For the operator only. Errors: NotFound, Invalid.
func (s *Service) SetPassword(ctx context.Context, email, password string) error {
	hash, err := s.passwords.hashNew(ctx, password)
	if err != nil {
		return err
	}
	return s.change(ctx, email, "user:set-password", func(_ *store.Tx, u *models.User) error {
		u.PasswordHash = hash
		return nil
	})
}

// DisableUser keeps a user out and ends all sessions. For the operator only. A disabled user is no error.
// Errors: NotFound, Conflict with [CodeLastAdmin]: of administrators who are disabled at once one stays.
func (s *Service) DisableUser(ctx context.Context, email string) error {
	return s.change(ctx, email, "user:disable", func(tx *store.Tx, u *models.User) error {
		if u.DisabledAt != nil {
			return nil
		}
		if u.Role == rbac.AdminRole {
			admins, err := tx.CountUsers(ctx, rbac.AdminRole)
			if err != nil {
				return err
			}
			if admins <= 1 {
				return errLastAdmin
			}
		}
		now := s.now()
		u.DisabledAt = &now
		return nil
	})
}

// change writes a user, ends all sessions and records it. The lock of the administrators' role comes first: counting
// them means something only while nobody else can take one away.
func (s *Service) change(ctx context.Context, email, action string, edit func(*store.Tx, *models.User) error) error {
	email, field := parseEmail(email)
	if field != nil {
		return apperr.InvalidFields([]apperr.FieldError{*field})
	}
	return s.runner.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.LockRole(ctx, rbac.AdminRole); err != nil {
			return err
		}
		user, err := lockedUser(ctx, tx, email)
		if err != nil {
			return err
		}
		if err := edit(tx, &user.User); err != nil {
			return err
		}
		if err := tx.UpdateUser(ctx, &user.User, s.now()); err != nil {
			return err
		}
		if err := tx.DeleteUserSessions(ctx, user.ID); err != nil {
			return err
		}
		return s.record(ctx, tx, action, refTo(&user.User), nil)
	})
}

// lockedUser reads a user as it stays until tx ends.
func lockedUser(ctx context.Context, tx *store.Tx, email string) (*store.UserView, error) {
	user, err := tx.UserByEmail(ctx, email)
	if err != nil {
		return nil, err
	}
	if err := tx.LockUser(ctx, user.ID); err != nil {
		return nil, err
	}
	return tx.UserByID(ctx, user.ID)
}

// record writes down what the operator did.
func (s *Service) record(ctx context.Context, tx *store.Tx, action string, target models.Ref, detail any) error {
	return audit.Write(ctx, tx, operator(), s.now(), audit.Entry{
		Action: action, Target: target, Decision: models.DecisionAllowed, Detail: detail,
	})
}

// parseEmail gives an address in lower case. It refuses what looks like another address than it is.
func parseEmail(text string) (string, *apperr.FieldError) {
	email := strings.ToLower(strings.TrimSpace(text))
	local, domain, _ := strings.Cut(email, "@")
	odd := func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp)
	}
	if local == "" || domain == "" || strings.Contains(domain, "@") || len(email) > maxEmail ||
		!utf8.ValidString(text) || strings.ContainsFunc(email, odd) || !norm.NFKC.IsNormalString(email) {
		return "", &apperr.FieldError{Path: "email", Message: "Give an e-mail address such as name@example.com."}
	}
	return email, nil
}

func parseName(text string) (string, *apperr.FieldError) {
	name := models.CleanLine(text)
	if models.FoldName(name) == "" || utf8.RuneCountInString(name) > maxName {
		return "", &apperr.FieldError{Path: "name", Message: "Give a name of 1 to 200 characters."}
	}
	return name, nil
}

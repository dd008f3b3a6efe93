package models

import "time"

// User is a person who can sign in. NameKey is [FoldName] of Name; Email is lower case.
type User struct {
	ID           string `gorm:"primaryKey"`
	Email        string
	Name         string
	NameKey      string
	PasswordHash string
	Role         string
	TeamID       *string
	Lang         string
	DisabledAt   *time.Time
	Version      int64
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Team is a group of users; a manager's rights reach over the records of the team's members.
type Team struct {
	ID        string `gorm:"primaryKey"`
	Name      string
	NameKey   string
	ManagerID *string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Role is a named set of permissions. System roles ship with the product and cannot be removed.
type Role struct {
	Slug     string `gorm:"primaryKey"`
	Name     string
	IsSystem bool
}

// RolePermission grants a permission to a role with a scope: own, team or all.
type RolePermission struct {
	RoleSlug   string `gorm:"primaryKey"`
	Permission string `gorm:"primaryKey"`
	Scope      string
}

// Session is a signed-in browser. TokenHash is the SHA-256 of the cookie's random token, in hex.
type Session struct {
	TokenHash  string `gorm:"primaryKey"`
	UserID     string
	CreatedAt  time.Time
	LastSeenAt time.Time
	ExpiresAt  time.Time
	IP         string
	UserAgent  string
}

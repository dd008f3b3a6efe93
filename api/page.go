package api

import (
	"countersign/models"
	"countersign/store"
)

// Paged are the parameters of lists.
type Paged struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" doc:"How many items a page holds; 50 if left out."`
	Cursor string `query:"cursor" maxLength:"2000" doc:"What the page before gave as nextCursor."`
}

// Sorted are the parameters of lists that can be sorted.
type Sorted struct {
	Paged
	Sort string `query:"sort" maxLength:"50" doc:"A field, with - before it for descending. The most recently updated come first if left out."`
}

func (p Paged) page() store.Page { return store.Page{Limit: p.Limit, Cursor: p.Cursor} }

func (p Sorted) page() store.Page {
	return store.Page{Limit: p.Limit, Cursor: p.Cursor, Sort: p.Sort}
}

// Page is a page of a list. Total counts what matches in all; nextCursor is missing on the last page.
type Page[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"nextCursor,omitempty"`
	Total      int64  `json:"total"`
}

// pageOf shows a page of stored rows.
func pageOf[A, B any](list store.List[A], err error, show func(*A) B) (*one[Page[B]], error) {
	if err != nil {
		return nil, err
	}
	return &one[Page[B]]{Page[B]{Items: shown(list.Items, show), NextCursor: list.Next, Total: list.Total}}, nil
}

// allOf is a page that holds everything.
func allOf[A, B any](items []A, err error, show func(*A) B) (*one[Page[B]], error) {
	return pageOf(store.List[A]{Items: items, Total: int64(len(items))}, err, show)
}

func shown[A, B any](items []A, show func(*A) B) []B {
	list := make([]B, len(items))
	for i := range items {
		list[i] = show(&items[i])
	}
	return list
}

// ByID names the record of a route.
type ByID struct {
	ID string `path:"id" maxLength:"100" doc:"The record's id."`
}

// id is the id in its canonical form. What is no id matches no record, and is not found in the same words.
func (b ByID) id() string { return canonical(b.ID) }

func canonical(text string) string {
	id, _ := models.ParseID(text)
	return id
}

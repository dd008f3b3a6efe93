package evals

import (
	"os"
	"path/filepath"
)

// DataFolder is where the Maven data set is expected: below the folder that COUNTERSIGN_SHARED names, or below the
// folder shared beside the project, whose root is given.
func DataFolder(root string) string {
	shared := os.Getenv("COUNTERSIGN_SHARED")
	if shared == "" {
		shared = filepath.Join(root, "..", "shared")
	}
	return filepath.Join(shared, "data", "maven_crm")
}

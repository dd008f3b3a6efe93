package app_test

import (
	"os"
	"testing"

	"countersign/internal/redistest"
)

func TestMain(m *testing.M) { os.Exit(redistest.Main(m).Run()) }

package anthropic

import "countersign/llm"

// callPaths are paths that people paste along with the base.
var callPaths = []string{"/messages/count_tokens", "/messages", "/models", "/complete"}

// NormalizeEndpoint makes a base URL of this dialect out of what a person typed or pasted. It is Invalid for
// what cannot be one, with a sentence that says why. The version is taken off, because every path of this
// dialect begins with it; the query stays.
func NormalizeEndpoint(typed string) (llm.Endpoint, error) {
	return llm.NormalizeBase(typed, "https://api.anthropic.com", cleanPath)
}

func cleanPath(path string) (string, llm.Hint) {
	path, cutCall := llm.CutPath(path, callPaths)
	path, cutVersion := llm.CutPath(path, []string{"/v1"})
	if cutCall || cutVersion {
		return path, llm.HintCutPath
	}
	return path, llm.HintNone
}

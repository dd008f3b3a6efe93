// Command endpoint is the model of the benchmarks beside other agent libraries: it speaks the chat-completions
// dialect, has its answers ready, and so costs next to nothing. To a message of a person it answers with a call of
// get_deal, to the result of a tool with a text of twenty tokens, as a stream or in one piece as it is asked.
package main

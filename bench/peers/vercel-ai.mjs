import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'
import { endpoint, getDeal, measure, message, system, toolDescription, versionOf } from './measure.mjs'

const model = createOpenAICompatible({ name: 'bench', baseURL: endpoint, apiKey: 'none', includeUsage: true })('bench')
const tools = { get_deal: tool({ description: toolDescription, inputSchema: z.object({ deal: z.string() }), execute: getDeal }) }

await measure('Vercel AI SDK', versionOf('ai'), async () => {
  let text = ''
  for await (const delta of streamText({ model, tools, system, prompt: message, stopWhen: stepCountIs(8) }).textStream) {
    text += delta
  }
  return text
})

import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { endpoint, getDeal, measure, message, system, toolDescription, versionOf } from './measure.mjs'

setTracingDisabled(true) // it would send traces away
const agent = new Agent({
  name: 'bench',
  instructions: system,
  model: new OpenAIChatCompletionsModel(new OpenAI({ baseURL: endpoint, apiKey: 'none' }), 'bench'),
  tools: [tool({ name: 'get_deal', description: toolDescription, parameters: z.object({ deal: z.string() }), execute: getDeal })],
})

await measure('OpenAI Agents SDK', versionOf('@openai/agents'), async () => {
  const result = await run(agent, message, { stream: true, maxTurns: 8 })
  let text = ''
  for await (const delta of result.toTextStream()) {
    text += delta
  }
  await result.completed
  return text
})

import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'
import { endpoint, getDeal, measure, message, system, toolDescription, versionOf } from './measure.mjs'

const agent = createReactAgent({
  llm: new ChatOpenAI({ model: 'bench', apiKey: 'none', useResponsesApi: false, configuration: { baseURL: endpoint } }),
  tools: [tool((input) => JSON.stringify(getDeal(input)), { name: 'get_deal', description: toolDescription, schema: z.object({ deal: z.string() }) })],
  prompt: system,
})

await measure('LangGraph JS', versionOf('@langchain/langgraph'), async () => {
  let text = ''
  const stream = await agent.stream({ messages: [{ role: 'user', content: message }] }, { streamMode: 'messages' })
  for await (const [chunk] of stream) {
    if (chunk.getType() === 'ai') {
      text += chunk.text
    }
  }
  return text
})

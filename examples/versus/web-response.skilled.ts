import { createAgent, respondToChat } from 'skilled';

const agent = createAgent({ models: 'openai/gpt-5.2', instructions: 'You answer questions about bread.' });

export async function POST(request: Request): Promise<Response> {
  return respondToChat(agent, await request.json(), { signal: request.signal });
}

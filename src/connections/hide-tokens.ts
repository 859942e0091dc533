import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Channel } from './channel.ts';
import { jsonOf } from './json-of.ts';

/** Takes the tokens that a server was given out of all that it says from now on: settings do not know them, so nothing else would. */
export function hideTokens({ transport, tokens }: Pick<Channel, 'transport' | 'tokens'>): void {
  const hear = transport.onmessage;
  transport.onmessage = (message, extra) => hear?.(withoutTokens(message, tokens()), extra);
}

function withoutTokens<Message extends JSONRPCMessage>(message: Message, tokens: readonly string[]): Message {
  if (tokens.length === 0) return message;
  const said = jsonOf(message);
  const forms = tokens.map((token) => JSON.stringify(token).slice(1, -1));
  if (!forms.some((form) => said.includes(form))) return message;
  const clean = forms.reduce((text, form) => text.replaceAll(form, '[redacted]'), said);
  return JSON.parse(clean) as Message;
}

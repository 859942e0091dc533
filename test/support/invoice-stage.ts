import type { AgentOptions } from '../../src/agent/options.ts';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { Json } from '../../src/core/json.ts';
import type { Usage } from '../../src/core/model.ts';
import { invoiceAnswers } from './invoice-files.ts';
import { yesPolicy } from './kernel.ts';

/** The usage of every model step. Its cost follows from the prices in provider-stage.ts. */
const stepUsage: Usage = { inputTokens: 1000, outputTokens: 10, cost: 0.011 };

/** The prompt for the orchestrator. */
export const invoicePrompt = 'Is this invoice right? Two lamps at 3.10 and one at 6.15, 12.35 in all.';

const input = { lines: '2 x 3.10\n1 x 6.15', claimed: 12.35 };

interface Turn {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: Json; readonly id: string }[];
}

/** The model's turns. A turn applies if its marks occur in the request; the last one that applies wins. */
const turns: readonly (readonly [readonly string[], Turn])[] = [
  [[invoicePrompt], { calls: [{ name: 'invoice-check', input, id: 'the-check' }] }],
  [['come to 12.35: right'], { text: 'It is right.' }],
  [['come to 12: wrong'], { text: 'It is wrong.' }],
  ...invoiceAnswers.map(([marks, text]) => [marks, { text }] as const),
];

/** Returns the model's turn for a request in any protocol. Equal requests get equal turns. */
export function invoiceTurn(request: unknown): Turn & { readonly usage: Usage } {
  const json = JSON.stringify(request);
  const found = turns.findLast(([marks]) => marks.every((mark) => json.includes(mark)));
  return { ...(found?.[1] ?? { text: 'I was told nothing.' }), usage: stepUsage };
}

/** Creates an agent for the invoice project. Every call is allowed. */
export function invoiceAgent(folder: string, options: AgentOptions): RecursiveSkilledAgent {
  const defaults = { startDir: folder, searchUpwards: false, embeddings: false };
  return new RecursiveSkilledAgent({ ...defaults, policy: yesPolicy, ...options });
}

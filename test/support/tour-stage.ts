import { join } from 'node:path';
import { z } from 'zod';
import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { Json } from '../../src/core/json.ts';
import type { Usage } from '../../src/core/model.ts';
import { agentWith, done, yesPolicy } from './kernel.ts';
import { leaf } from './loop-stage.ts';

/** The prompts of the journey's session, in order. The second one answers a question. */
export const prompts = {
  first: 'Plan a bicycle tour for the two of us on Sunday.',
  answer: 'yes',
  next: 'Plan the tour with our child as well: what does it cost then?',
} as const;

/** The usage of every model step. Its cost follows from the prices in provider-stage.ts. */
const stepUsage: Usage = { inputTokens: 1000, outputTokens: 10, cost: 0.011 };

const beyondItsList = '@bikes reserve large count=2\n@last final_answer $bikes';
const plan = '@bikes bicycle-desk "Two large bicycles"\n@price price 2 when $bikes';
const firstPlan = `${plan}\n@last final_answer $bikes "The tour costs" $price`;
const nextPlan = `${plan}\n@three price 3\n@last final_answer "With the child it costs" $three`;

/** The model's turns, each with a mark. The last one whose mark occurs in the request wins. */
const turns: readonly (readonly [string, Turn])[] = [
  [prompts.first, { text: beyondItsList }],
  ['Unknown command', { text: firstPlan }],
  ['You only prepare', { calls: [call('stock')] }],
  ['$$stock-1', { text: 'Two large ones and a small one are there.' }],
  ['<findings>', { calls: [call('helmet-advice', { input: 'two adults' }), call('invoice')] }],
  ['Choose helmets for these guests', { text: 'Two in size M.' }],
  ['$$helmet-advice-1', { calls: [call('ask-user', { question: 'With helmets?', options: ['yes', 'no'] })] }],
  ['$$ask-user-1', { calls: [call('reserve', { size: 'large', count: 2 })] }],
  ['$$reserve-1', { text: 'Two large bicycles with helmets are reserved.' }],
  [prompts.next, { text: nextPlan }],
];

interface Turn {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: Json; readonly id: string }[];
}

/** Returns a call whose id is the same in every process. */
function call(name: string, input: Json = { input: '' }): NonNullable<Turn['calls']>[number] {
  return { name, input, id: `the-${name}` };
}

/** Returns the model's turn for a request in any protocol. Equal requests get equal turns. */
export function turnFor(request: unknown): Turn & { readonly usage: Usage } {
  const json = JSON.stringify(request);
  const [, turn] = turns.findLast(([mark]) => json.includes(mark)) ?? ['', { text: 'I was told nothing.' }];
  return { ...turn, usage: stepUsage };
}

/**
 * Creates an agent with both desks, the skill between them and the functions below. `book` performs the
 * outside effect.
 */
export function tourAgent(
  options: AgentOptions,
  book: (what: string) => Json | Promise<Json> = (what) => `booked ${what}`,
): RecursiveSkilledAgent {
  const startDir = join(import.meta.dirname, '..', 'journeys', 'fixtures', 'orchestrating');
  return agentWith(
    { stock, price, reserve: reserveWith(book) },
    { startDir, searchUpwards: false, policy: yesPolicy, ...options },
  );
}

const stock = leaf(() => done('Two large, one small.'), { description: 'Counts the bicycles.' });

/** Also returns its previous answer in the same session. */
const price = leaf(
  async ({ count }: { readonly count: number }, scope) => {
    const before = await scope.memory.get('last');
    const now = `${count * 15} €`;
    scope.memory.set('last', now);
    return done(before === undefined ? now : `${now} instead of ${JSON.stringify(before)}`);
  },
  { description: 'Says what bicycles cost for a day.', input: z.object({ count: z.int() }) },
);

/** Also calls a skill that is not on its list, and continues when the call is refused. */
function reserveWith(book: (what: string) => Json | Promise<Json>) {
  return leaf(
    async ({ size, count }: { readonly size: string; readonly count: number }, scope) => {
      const refused = await scope.call('price', { count });
      await scope.step('book', () => book(`${count} ${size}`));
      return done(`Reserved ${count} ${size}; ${refused.status === 'failed' ? 'no price' : refused.text}.`);
    },
    {
      description: 'Reserves bicycles of a size.',
      allowedSkills: ['stock'],
      input: z.object({ size: z.string(), count: z.int() }),
    },
  );
}

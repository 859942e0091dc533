import { cancelStep, waitFor, type SopCommand } from '../../src/engines/sop/command.ts';
import type { Json } from '../../src/core/json.ts';
import { textOf } from './text-of.ts';

const text = { type: 'string' } as const;

/** The commands that scripts in the documentation may use without declaring them. */
export const exampleCommands: readonly SopCommand[] = [
  { name: 'upper', run: ({ input }) => textOf(input).toUpperCase() },
  { name: 'shown', run: ({ input }) => JSON.stringify(input) },
  { name: 'order', run: ({ input }) => findOrder(textOf(input)) },
  { name: 'fail', run: ({ input }) => Promise.reject(new Error(textOf(input))) },
  { name: 'cancel', run: ({ input }) => cancelStep(textOf(input)) },
  { name: 'ask', run: ({ input, answer }) => answer ?? waitFor(input) },
  { name: 'nothing', run: () => undefined },
  { name: 'list', input: { type: 'array', items: text }, run: ({ input }) => input },
  { name: 'bash', isLiteral: true, isSequential: true, run: ({ input }) => `ran ${textOf(input)}` },
  {
    name: 'add',
    input: {
      type: 'object',
      properties: { first: { type: 'number' }, second: { type: 'number' } },
      required: ['first', 'second'],
      additionalProperties: false,
    },
    run: ({ input }) => sumOf(Object.values(input as Record<string, number>)),
  },
  {
    name: 'mail',
    input: {
      type: 'object',
      properties: {
        to: text,
        subject: text,
        urgency: { enum: ['low', 'high'] },
        copies: { type: 'array', items: text },
      },
      required: ['to', 'subject'],
      additionalProperties: false,
    },
    run: ({ input }) => JSON.stringify(input),
  },
];

/** Returns a command that does nothing useful, for scripts that need its name. */
export function plainCommand(name: string): SopCommand {
  return { name, run: ({ input }) => input };
}

function findOrder(id: string): Json {
  return { id, customer: { name: 'Ann', city: 'Bern' }, parts: ['chain', 'bell'], notes: [] };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

// Runs a plan whose commands are functions: lines run as soon as what they refer to is there, one of them waits for a
// person, and what was done before is not done again.
// In a project of your own, import from 'skilled'.
import { runSop, waitFor, type SopCommand } from '../src/index.ts';

const plan = `
# Looks the bicycle up.
@job     look-up 17
@price   price $job.part count=$job.count
@ok      ask "Order it?"
@order   order $job.part when $ok
@last    final_answer "Ordered" $job.count "for" $price ":" $order
`;

const commands: readonly SopCommand[] = [
  { name: 'look-up', run: ({ input }) => ({ number: Number(input), part: 'chain', count: 2 }) },
  {
    name: 'price',
    input: {
      type: 'object',
      properties: { part: { type: 'string' }, count: { type: 'integer' } },
      required: ['part', 'count'],
    },
    run({ input }) {
      const { part, count } = input as { part: string; count: number };
      console.log(`asking for the price of ${count} × ${part}`);
      return 19 * count;
    },
  },
  { name: 'ask', run: ({ input, answer }) => answer ?? waitFor(input) },
  { name: 'order', run: ({ input }) => `number 4711 (${JSON.stringify(input)})` },
];

const first = await runSop(plan, commands);
console.log(first.status, first.questions);

// Later, perhaps in another process: the state is plain JSON.
const state = structuredClone(first.state);
const second = await runSop(plan, commands, { resumeFrom: state, answers: { ok: 'yes' } });
console.log(second.status, second.answer);

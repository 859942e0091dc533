// The texts of the user and the models in the recorded run. Real skills produce everything else.

/** The user's request. */
export const prompt =
  'Take in the touring bicycle of Ben for Friday: the rear tyre, 37-622, is worn, a brake squeaks. Quote it.';

/** The orchestrator that answers. */
export const frontDesk = `# Front Desk

## Description

Takes in a bicycle for repair: quotes the price, looks for the parts, enters the job and leaves the customer a quote.

## Instructions

Look at the open jobs and the opening hours first. Quote and look for parts at the same time. Enter the job when the
price is known.

## Session

loop

## Allowed Skills

- repair-jobs
- tyre-size
- opening-hours
- repair-quote
- parts-buyer
- ask-user
- write

## Intents

- Take in a bicycle for Friday.
- Quote the repair of a tyre and a brake.
`;

/** The jobs that exist before the run. */
export const openJobs = {
  operation: 'add',
  confirm: false,
  records: [
    { job_id: 1041, customer: 'Ann', work: 'Cargo bicycle: new chain', due: '2026-11-19', status: 'ready' },
    { job_id: 1042, customer: 'Cem', work: 'City bicycle: gear cable', due: '2026-11-20', status: 'in work' },
  ],
};

/** The user's answers, each with a pattern for its question. */
export const answers = [
  { asked: /squeaks/, answer: 'rear' },
  { asked: /^Add this record/, answer: 'yes' },
  { asked: /writes a file/, answer: { allow: 'once' } },
];

/** Results that the skills must produce, so that the texts below are true. */
export const facts = ['"stdout":"33.25\\n"', '"circumference_mm":2187', '"outcome":"done"'];

const call = (name, input) => ({ name, input });
const second = 1_000; // milliseconds

const quote = `| part | price | work |
|---|---|---|
| tyre 37-622 | 24.00 | 15 min |
| brake pads, rear wheel | 12.50 | 20 min |
| work, 35 min | 33.25 | |
| **sum, net** | **69.75 EUR** | |

The quote holds for 14 days.`;

// HERE stands for the skill's folder, which is part of the text that the model receives.
const turns = {
  desk: [
    {
      text: 'I look at the book, the tyre and the opening hours.',
      calls: [
        call('repair-jobs', { operation: 'list', sort: ['due'] }),
        call('tyre-size', { size: '37-622' }),
        call('opening-hours', { input: 'Are we open on Friday?' }),
      ],
    },
    {
      text: 'There is room on Friday. Which brake it is was not said.',
      calls: [call('ask-user', { question: 'Which brake squeaks?', options: ['front', 'rear', 'both'] })],
    },
    {
      text: 'Now the price and the parts.',
      calls: [
        call('repair-quote', { input: 'Touring bicycle: worn rear tyre 37-622, the rear brake squeaks.' }),
        call('parts-buyer', { input: 'One tyre 37-622 and brake pads for one wheel.' }),
      ],
    },
    {
      text: 'The price is known: I enter the job.',
      calls: [
        call('repair-jobs', {
          operation: 'add',
          records: [
            {
              job_id: 1043,
              customer: 'Ben',
              work: 'Touring bicycle: rear tyre 37-622, rear brake pads',
              due: '2026-11-20',
            },
          ],
        }),
      ],
    },
    {
      text: 'Last, the quote for Ben.',
      calls: [call('write', { file_path: 'quotes/1043.md', content: quote })],
    },
    {
      text: `Ben's touring bicycle is job 1043, due on Friday; we are open until 18:00.

- Rear tyre 37-622 and rear brake pads: 69.75 EUR net, from our own price list.
- The new tyre rolls 2187 mm a turn: set the speedometer to that.
- The quote lies in quotes/1043.md and holds for 14 days.`,
    },
  ],
  hours: [{ text: 'Yes, on Friday from 9:00 to 18:00.' }],
  quote: [
    { calls: [call('read', { file_path: 'references/price-list.md' })] }, // fails: not in the workspace
    { calls: [call('read', { file_path: 'HERE/references/price-list.md' })] },
    { calls: [call('bash', { command: 'sh HERE/scripts/labour-cost.sh 35' })] },
    { text: quote },
  ],
  buyer: [
    { calls: [call('grep', { pattern: 'tyre|brake pads', output_mode: 'content' })] },
    { text: 'Our own price list has both: tyre 24.00, brake pads for one wheel 12.50. Nothing to compare.' },
  ],
};

/** The models in the run. Each has a pattern for its requests, a list of turns and a response time. */
const speakers = [
  { sign: /Front Desk|Takes in a bicycle/, says: turns.desk, thinks: 2.4 * second },
  { sign: /You buy parts/, says: turns.buyer, thinks: 2.1 * second },
  { sign: /Repair quote|price quote/, says: turns.quote, thinks: 1.6 * second },
  { sign: /Opening hours/, says: turns.hours, thinks: 1.2 * second },
];

/**
 * Returns the next turn for a request, based on the number of turns that its conversation already contains.
 */
export function turnOf({ system = '', messages, tools = [] }) {
  const asked = `${system}\n${messages[0]?.text ?? ''}`;
  const speaker = speakers.find(({ sign }) => sign.test(asked));
  const written = speaker?.says[messages.filter(({ role }) => role === 'assistant').length];
  if (written === undefined) return undefined;
  const folder = /Files of this skill, in (.+):/.exec(asked)?.[1] ?? '';
  const turn = JSON.parse(JSON.stringify(written).replaceAll('HERE', folder));
  const pieces = (turn.calls?.length ?? 0) + (turn.text === undefined ? 0 : 1);
  const usage = bill(JSON.stringify([system, messages, tools]), JSON.stringify(turn));
  return { ...turn, delayMs: speaker.thinks / pieces, usage };
}

/**
 * Estimates usage and cost, assuming four characters per token, three dollars per million input tokens and
 * fifteen dollars per million output tokens.
 */
function bill(read, written) {
  const inputTokens = Math.ceil(read.length / 4);
  const outputTokens = Math.ceil(written.length / 4);
  return { inputTokens, outputTokens, cost: (inputTokens * 3 + outputTokens * 15) / 1e6 };
}

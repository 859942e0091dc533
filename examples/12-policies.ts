// Records with policies. The files in tables/orders say who may change an order, and how; the agent holds every
// request to that, in words or typed, before it asks for a confirmation.
// In a project of your own, import from 'skilled'; the records are then in .skilled/tables.db.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecursiveSkilledAgent, type JsonObject, type RunResult } from '../src/index.ts';

const tables = join(import.meta.dirname, 'tables');
const folder = mkdtempSync(join(tmpdir(), 'policies-'));

await using agent = new RecursiveSkilledAgent({
  additionalSkillRoots: [tables], // folders that you name yourself are trusted, with their code
  only: true,
  workspace: tables, // files are read here
  database: join(folder, 'records.db'),
  permissions: { allow: ['Read'] },
  embeddings: false,
  models: { model: () => undefined },
});

/** Sends words or a typed request, and then the replies to questions. Prints what the user sees. */
async function say(role: string, skill: string, input: string | JsonObject, ...replies: readonly string[]) {
  const who = { session: role, user: { id: role, roles: [role] } };
  console.log(`\n${role}: ${typeof input === 'string' ? input : JSON.stringify(input)}`);
  show(await agent.run({ skill, input, ...who }).result);
  for (const reply of replies) {
    console.log(`${role}: ${reply}`);
    show(await agent.run({ prompt: reply, ...who }).result);
  }
}

function show({ question, error, text }: RunResult) {
  console.log(question?.text ?? (error === undefined ? text : `${error.code}: ${error.message}`));
}

// The records of the example. Programs may skip the confirmation, but no rule.
for (const name of ['customers', 'orders'])
  await say('Manager', name, { operation: 'import', file: `${name}/records.csv`, confirm: false });

// Roles: a clerk reads, an agent also writes, and everybody else has no access.
await say('Clerk', 'orders', 'list orders where status is pending');
await say('Clerk', 'orders', 'delete W1001');
await say('Customer', 'orders', 'show W1001');

// Policies: a processed order can no longer be cancelled, and a refund goes to the original payment method.
const cancel = 'set status to cancelled, reason no longer needed';
await say('Agent', 'orders', `${cancel}, refund 189, refund_to paypal for W1002`, 'cancel');
await say(
  'Agent',
  'orders',
  `${cancel}, refund 22.90, refund_to credit card for W1005`,
  'refund_to paypal',
  'yes',
);

// Every change is shown first, and can be taken back.
await say('Agent', 'orders', 'undo', 'no');

await agent.shutdown();
rmSync(folder, { recursive: true });

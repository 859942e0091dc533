import { AgentError } from '../../../core/error.ts';
import { count } from '../../../doctor/report.ts';
import type { Invocation } from '../../command.ts';
import { printJson } from '../../output/json.ts';
import { existingStore, mustExist, openHistory } from '../../run-store.ts';
import { wholeNumber } from '../../whole-number.ts';
import { mustName } from './must-name.ts';

/** Forgets runs with all their events: those that are named, or all that ended long ago. */
export async function removeRuns(invocation: Invocation): Promise<number> {
  const { flags, own, words, terminal } = invocation;
  const days = wholeNumber(own, 'older');
  if (days !== undefined && words.length > 0) {
    throw new AgentError('usage.bad-input', 'Name runs or give --older, not both.', {
      hint: 'Leave out one.',
    });
  }
  const removed = days === undefined ? await removeNamed(invocation) : await removeOlder(invocation, days);
  if (flags.json) printJson(terminal, { ok: true, removed });
  else for (const id of removed) terminal.out(`removed ${id}\n`);
  if (!flags.json && !flags.quiet) terminal.err(`${count(removed.length, 'run')} removed.\n`);
  return 0;
}

async function removeNamed({ flags, words }: Invocation): Promise<readonly string[]> {
  await using agent = openHistory(await mustExist(flags, mustName(words, 'rm')));
  const found = await Promise.all(words.map((word) => agent.runs.find(word)));
  const ids = [...new Set(found.map(({ id }) => id))];
  await agent.runs.remove(...ids);
  return ids;
}

const dayMs = 86_400_000;
const atOnce = 500; // databases take only so many ids in one statement

async function removeOlder({ flags }: Invocation, days: number): Promise<readonly string[]> {
  const store = existingStore(flags);
  if (store === undefined) return [];
  await using agent = openHistory(store);
  const query = { status: ['done', 'failed', 'cancelled'], preparations: true, limit: Infinity } as const;
  const before = Date.now() - days * dayMs;
  const old = (await agent.runs.list(query))
    .filter(({ updatedAt }) => updatedAt < before)
    .map(({ id }) => id);
  for (let start = 0; start < old.length; start += atOnce) {
    await agent.runs.remove(...old.slice(start, start + atOnce));
  }
  return old;
}

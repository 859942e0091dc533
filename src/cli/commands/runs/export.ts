import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AgentError, reasonOf } from '../../../core/error.ts';
import { count } from '../../../doctor/report.ts';
import type { Invocation } from '../../command.ts';
import { findRun } from '../../find-run.ts';
import { eventJson, eventLine, printJson } from '../../output/json.ts';
import { oneLine } from '../../output/text.ts';
import { mustRead } from '../../run-store.ts';
import { mustNameOne } from './must-name.ts';

/** The events of a run as lines of JSON, on stdout or in a file that only its owner can read. */
export async function exportRun({ flags, own, words, terminal }: Invocation): Promise<number> {
  const word = mustNameOne(words, 'export');
  await using agent = mustRead({ flags, terminal }, word);
  const { id } = await findRun(agent, word);
  const events = await agent.runs.events(id);
  const { output } = own;
  if (typeof output !== 'string' || output === '-') {
    if (flags.json) printJson(terminal, { ok: true, runId: id, events: events.map(eventJson) });
    else for (const event of events) terminal.out(eventLine(event));
    return 0;
  }
  const file = resolve(flags.cwd, output);
  write(file, events.map(eventLine).join(''));
  if (flags.json) printJson(terminal, { ok: true, runId: id, file, written: events.length });
  else if (!flags.quiet) terminal.err(`${count(events.length, 'event')} written to ${oneLine(file)}\n`);
  return 0;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (thrown) {
    throw new AgentError('usage.not-found', `${file} cannot be written: ${reasonOf(thrown)}.`, {
      hint: 'Name a file in a folder that is there and can be written.',
      cause: thrown,
    });
  }
}

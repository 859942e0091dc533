import { AgentError } from '../../core/error.ts';
import type { RunArtifact } from '../../views/run-result.ts';
import type { Command, Invocation } from '../command.ts';
import { findRun, runWord } from '../find-run.ts';
import { printJson } from '../output/json.ts';
import { printWhole } from '../output/print-whole.ts';
import { mustExist, mustRead } from '../run-store.ts';
import { findArtifact } from './artifacts/find-artifact.ts';
import { artifactJson, artifactTable } from './artifacts/listing.ts';
import { runAgain } from './artifacts/run-again.ts';
import { shellWord } from '../shell-word.ts';

/** `skilled artifacts`: what a run made and kept. */
export const artifacts: Command = {
  summary: 'List what the skills of a run made and kept; print one of them.',
  usage: `Usage: skilled artifacts <run> [name] [--again] [--json]

The beginning of a run's id is enough, and "last" is the newest run. Where several have
one name, the number in the list stands for one of them.

  skilled artifacts last
  skilled artifacts last snippet.js
  skilled artifacts last snippet.js --again

  --again  run a snippet again, with the input that it had, and print its value; it finds
           nothing of this machine`,
  options: { again: { type: 'boolean' } },
  mostWords: 2,
  async run(invocation) {
    const { flags, own, words, terminal } = invocation;
    const word = runWord(words);
    const name = words[1]?.trim() ?? '';
    if (own['again'] === true && name === '') throw nothingNamed(word);
    await using agent = mustRead(invocation, word);
    const { id } = await findRun(agent, word);
    const found = await agent.runs.artifacts(id);
    if (name === '') list(id, found, invocation);
    else if (own['again'] === true) {
      await mustExist(flags, id); // what a foreign run left does not run
      await runAgain(id, findArtifact(id, found, name), invocation);
    } else if (flags.json)
      printJson(terminal, { ok: true, runId: id, artifact: findArtifact(id, found, name) });
    else print(findArtifact(id, found, name), invocation);
    return 0;
  },
};

function list(runId: string, found: readonly RunArtifact[], { flags, terminal }: Invocation): void {
  if (flags.json) printJson(terminal, { ok: true, runId, artifacts: found.map(artifactJson) });
  else if (found.length > 0) terminal.out(artifactTable(found, terminal));
  else if (!flags.quiet) terminal.err(`Run ${runId} kept nothing that it made.\n`);
}

/** In a pipe exactly its text. */
function print({ text, cut }: RunArtifact, { flags, terminal }: Invocation): void {
  if (terminal.width === undefined) terminal.out(text);
  else printWhole(text, terminal);
  if (cut === true && !flags.quiet) terminal.err('It was longer; the rest is not kept.\n');
}

function nothingNamed(run: string): AgentError {
  return new AgentError('usage.bad-input', 'Name the snippet that is to run again.', {
    hint: `Write \`skilled artifacts ${shellWord(run)} <name> --again\`.`,
  });
}

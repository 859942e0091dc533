import { defaultPorts } from '../../../config/defaults.ts';
import { AgentError, isJsonObject, type Json, type Snippet } from '../../../core/index.ts';
import type { RunArtifact } from '../../../views/index.ts';
import {
  manyLines,
  oneLine,
  printJson,
  printWhole,
  shellWord,
  table,
  type CliCommand,
  type Column,
  type Invocation,
  type Terminal,
} from '../../command-kit.ts';
import { findRun, runWord } from '../../runs/run-id.ts';
import { mustExist, mustRead } from '../../runs/run-store.ts';

/** `skilled artifacts`: what a run made and kept. */
export const artifacts: CliCommand = {
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

const mostNamed = 10;

/** The one artifact that a word means: its name, or its number in the list; throws `usage.not-found`, and `usage.bad-input` for several. */
function findArtifact(runId: string, all: readonly RunArtifact[], word: string): RunArtifact {
  const named = all.filter(({ name }) => name === word);
  const found = named.length > 0 ? named : all.filter(({ number }) => String(number) === word);
  const [first, second] = found;
  if (first === undefined) {
    throw new AgentError('usage.not-found', `Run ${runId} kept nothing called ${oneLine(word)}.`, {
      hint:
        all.length === 0
          ? `See what happened in it: \`skilled trace ${runId}\``
          : `Name one of ${listed(all)}.`,
    });
  }
  if (second === undefined) return first;
  throw new AgentError('usage.bad-input', `Run ${runId} kept several called ${oneLine(word)}.`, {
    hint: `Give the number of one: ${listed(found)}.`,
  });
}

function listed(artifacts: readonly RunArtifact[]): string {
  const shown = artifacts
    .slice(0, mostNamed)
    .map(({ number, name, skill }) => `${number} (${oneLine(name)} of ${oneLine(skill)})`);
  return [...shown, ...(artifacts.length > mostNamed ? ['…'] : [])].join(', ');
}

/** Runs a snippet again where it finds nothing of this machine, and prints what it comes to now; nobody is asked. */
async function runAgain(
  runId: string,
  artifact: RunArtifact,
  { flags, terminal }: Invocation,
): Promise<void> {
  const snippet = snippetOf(artifact);
  const runner = await defaultPorts().openSnippets();
  try {
    const { value, log } = await runner.run(snippet, new AbortController().signal);
    if (flags.json) printJson(terminal, { ok: true, runId, artifact: artifactJson(artifact), value, log });
    else {
      if (log !== '' && !flags.quiet) terminal.err(manyLines(log));
      printWhole(typeof value === 'string' ? value : JSON.stringify(value), terminal);
    }
  } finally {
    await runner.close();
  }
}

const longestMs = 300_000;
const mostMemory = 512 * 2 ** 20;

/** The snippet that an artifact is; throws `usage.bad-input` for what cannot run again by itself. */
function snippetOf({ name, mediaType, text, cut, data }: RunArtifact): Snippet {
  const { input, functions, timeoutMs, memoryBytes } = isJsonObject(data) ? data : {};
  if (mediaType !== 'text/javascript' || input === undefined) throw unusable(name, 'it is no snippet');
  if (Array.isArray(functions) && functions.length > 0) {
    throw unusable(name, 'it calls skills, which would do their work again');
  }
  if (cut === true) throw unusable(name, 'its end is not kept');
  return {
    code: text,
    input,
    timeoutMs: within(timeoutMs, longestMs),
    memoryBytes: within(memoryBytes, mostMemory),
  };
}

/** The limit that was kept, if it is one. */
function within(limit: Json | undefined, most: number): number {
  return typeof limit === 'number' && limit > 0 ? Math.min(limit, most) : most;
}

function unusable(name: string, why: string): AgentError {
  return new AgentError('usage.bad-input', `${oneLine(name)} cannot run again: ${why}.`, {
    hint: 'Leave --again out to read it.',
  });
}

/** An artifact without what it holds. */
function artifactJson({ text, data: _data, ...facts }: RunArtifact): Record<string, unknown> {
  return { ...facts, characters: text.length };
}

const columns: readonly Column[] = [
  { title: '#', isWhole: true },
  { title: 'NAME', most: 50 },
  { title: 'TYPE', leaves: 1 },
  { title: 'SIZE', isWhole: true },
  { title: 'SKILL', most: 30 },
  { title: 'FRAME', leaves: 2 },
];

/** What a run kept, a line each. */
function artifactTable(artifacts: readonly RunArtifact[], terminal: Terminal): string {
  const rows = artifacts.map(({ number, name, mediaType, text, cut, skill, frameId }) =>
    [
      String(number),
      oneLine(name),
      oneLine(mediaType),
      `${text.length.toLocaleString('en-US')}${cut === true ? '+' : ''}`,
      oneLine(skill),
      frameId,
    ].map((cell) => ({ text: cell })),
  );
  return table(columns, rows, terminal);
}

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
import { findRun, readRunArg } from '../../runs/run-id.ts';
import { mustExist, mustRead } from '../../runs/run-store.ts';

/** `skilled artifacts`: lists and prints a run's artifacts. */
export const artifacts: CliCommand = {
  summary: 'List the artifacts of a run; print one, or run a snippet again.',
  usage: `Usage: skilled artifacts <run> [name] [--again] [--json]

The start of a run's id is enough, and "last" is the newest run. If several artifacts have
the same name, use the number in the list.

  skilled artifacts last
  skilled artifacts last snippet.js
  skilled artifacts last snippet.js --again

  --again  run a snippet again with its original input and print its value; it has no
           access to this machine`,
  options: { again: { type: 'boolean' } },
  maxArgs: 2,
  async run(invocation) {
    const { flags, own, args, terminal } = invocation;
    const runArg = readRunArg(args);
    const name = args[1]?.trim() ?? '';
    if (own['again'] === true && name === '') throw nothingNamed(runArg);
    await using agent = mustRead(invocation, runArg);
    const { id } = await findRun(agent, runArg);
    const found = await agent.runs.artifacts(id);
    if (name === '') list(id, found, invocation);
    else if (own['again'] === true) {
      await mustExist(flags, id); // Never execute code from a store that the user does not own.
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
  else if (!flags.quiet) terminal.err(`Run ${runId} has no artifacts.\n`);
}

/** Prints an artifact's text. In a pipe, the text is printed unchanged. */
function print({ text, cut }: RunArtifact, { flags, terminal }: Invocation): void {
  if (terminal.width === undefined) terminal.out(text);
  else printWhole(text, terminal);
  if (cut === true && !flags.quiet) terminal.err('The artifact was longer; only this part was kept.\n');
}

function nothingNamed(run: string): AgentError {
  return new AgentError('usage.bad-input', 'Missing snippet name.', {
    hint: `Run \`skilled artifacts ${shellWord(run)} <name> --again\`.`,
  });
}

const maxNamed = 10;

/**
 * Finds the artifact with the given name or number in the list. Throws `usage.not-found` if none matches, or
 * `usage.bad-input` if several match.
 */
function findArtifact(runId: string, all: readonly RunArtifact[], nameOrNumber: string): RunArtifact {
  const named = all.filter(({ name }) => name === nameOrNumber);
  const found = named.length > 0 ? named : all.filter(({ number }) => String(number) === nameOrNumber);
  const [first, second] = found;
  if (first === undefined) {
    throw new AgentError('usage.not-found', `Run ${runId} has no artifact ${oneLine(nameOrNumber)}.`, {
      hint:
        all.length === 0
          ? `See what happened in it: \`skilled trace ${runId}\``
          : `Use one of ${listed(all)}.`,
    });
  }
  if (second === undefined) return first;
  throw new AgentError(
    'usage.bad-input',
    `Run ${runId} has several artifacts named ${oneLine(nameOrNumber)}.`,
    {
      hint: `Use one of these artifact numbers: ${listed(found)}.`,
    },
  );
}

function listed(artifacts: readonly RunArtifact[]): string {
  const shown = artifacts
    .slice(0, maxNamed)
    .map(({ number, name, skill }) => `${number} (${oneLine(name)} of ${oneLine(skill)})`);
  return [...shown, ...(artifacts.length > maxNamed ? ['…'] : [])].join(', ');
}

/**
 * Runs a snippet again and prints its value. The snippet has no access to this machine and never asks for
 * input.
 */
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
const maxMemory = 512 * 2 ** 20;

/** Returns an artifact's snippet. Throws `usage.bad-input` if the snippet cannot be run again on its own. */
function snippetOf({ name, mediaType, text, cut, data }: RunArtifact): Snippet {
  const { input, functions, timeoutMs, memoryBytes } = isJsonObject(data) ? data : {};
  if (mediaType !== 'text/javascript' || input === undefined) throw unusable(name, 'it is not a snippet');
  if (Array.isArray(functions) && functions.length > 0) {
    throw unusable(name, 'it calls skills, which would repeat their work');
  }
  if (cut === true) throw unusable(name, 'it was truncated');
  return {
    code: text,
    input,
    timeoutMs: within(timeoutMs, longestMs),
    memoryBytes: within(memoryBytes, maxMemory),
  };
}

/** Returns a recorded limit, capped at `most`. Returns `most` if the recorded limit is invalid. */
function within(limit: Json | undefined, most: number): number {
  return typeof limit === 'number' && limit > 0 ? Math.min(limit, most) : most;
}

function unusable(name: string, why: string): AgentError {
  return new AgentError('usage.bad-input', `${oneLine(name)} cannot run again: ${why}.`, {
    hint: 'To print the artifact, leave out --again.',
  });
}

/** Returns an artifact as JSON, without its content. */
function artifactJson({ text, data: _data, ...facts }: RunArtifact): Record<string, unknown> {
  return { ...facts, characters: text.length };
}

const columns: readonly Column[] = [
  { title: '#', isWhole: true },
  { title: 'NAME', most: 50 },
  { title: 'TYPE', dropOrder: 1 },
  { title: 'SIZE', isWhole: true },
  { title: 'SKILL', most: 30 },
  { title: 'FRAME', dropOrder: 2 },
];

/** Formats a run's artifacts as a table. */
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

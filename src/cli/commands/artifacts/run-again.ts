import { defaultPorts } from '../../../config/defaults.ts';
import { AgentError } from '../../../core/error.ts';
import { isJsonObject, type Json } from '../../../core/json.ts';
import type { Snippet } from '../../../core/code.ts';
import type { RunArtifact } from '../../../views/run-result.ts';
import type { Invocation } from '../../command.ts';
import { printJson } from '../../output/json.ts';
import { printWhole } from '../../output/print-whole.ts';
import { manyLines, oneLine } from '../../output/text.ts';
import { artifactJson } from './listing.ts';

/** Runs a snippet again where it finds nothing of this machine, and prints what it comes to now; nobody is asked. */
export async function runAgain(
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
    ...{ code: text, input },
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

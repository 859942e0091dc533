import { setTimeout as wait } from 'node:timers/promises';
import { optional } from '../core/collections.ts';
import type { CommandResult, LiveProcess, Sandbox } from '../core/sandbox.ts';
import type { StdioPlace } from './channel.ts';
import { findProgram } from './find-program.ts';

/** A server that runs, and the sandbox that is its own. */
export interface StartedServer {
  readonly sandbox: Sandbox;
  readonly live: LiveProcess;
}

/** Starts a server in a sandbox of its own. */
export async function startServer(place: StdioPlace): Promise<StartedServer> {
  const { program, words, read } = findProgram(place);
  const sandbox = await place.openSandbox(read);
  try {
    const live = await sandbox.start({ program, arguments: words, ...optional('folder', place.folder) });
    return { sandbox, live };
  } catch (thrown) {
    await sandbox.close();
    throw thrown;
  }
}

const graceMs = 700; // with the half second of the sandbox it is gone within two

/** Ends a server: its stdin ends, and if that is not enough it is asked to end, and then killed. */
export async function endServer({ sandbox, live }: StartedServer): Promise<CommandResult> {
  live.hold(true); // until it is gone
  live.end();
  await endedWithin(live, graceMs);
  await live.kill();
  await sandbox.close();
  return live.ended;
}

/** What a process came to, if it ends within so many milliseconds. */
export async function endedWithin(
  live: LiveProcess,
  milliseconds: number,
): Promise<CommandResult | undefined> {
  const late = new AbortController();
  const tooLate = wait(milliseconds, undefined, late).catch(() => undefined); // it ended in time
  const result = await Promise.race([live.ended, tooLate]);
  late.abort();
  return result;
}

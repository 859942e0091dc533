import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Invocation } from '../command.ts';
import { pasteable } from '../output/pasteable.ts';
import { oneLine } from '../output/text.ts';
import { tellPreparation, type PreparationListener } from './tell-preparation.ts';

/** Says on stderr which skills are waited for, and what their preparations say; disposed of when nobody waits any more. */
export interface PreparationTeller extends AsyncDisposable {
  /** Looks at something that happened in a run: it may begin to wait for a preparation, or have waited for it. */
  see(event: RunEvent): void;
  /** Tells of a preparation whose skill was named already. */
  follow(runId: string): void;
}

/** What prepares a skill in no time is not worth a word. */
export const worthAWord = 1_000; // milliseconds

interface Followed {
  readonly over: AbortController;
  readonly told: Promise<void>;
}

/** Tells where people read stderr: with `--json` and `--quiet` it does nothing. */
export function createPreparationTeller(
  agent: Pick<RecursiveSkilledAgent, 'runs'>,
  { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>,
): PreparationTeller {
  const all = new Map<string, Followed>();
  const say = (line: string): void => terminal.err(`${pasteable(line, terminal)}\n`);
  const begin = (runId: string, isNamed: boolean): void => {
    if (flags.json || flags.quiet || all.has(runId)) return;
    const over = new AbortController();
    const listener = createListener(say, over.signal, isNamed);
    all.set(runId, { over, told: tellPreparation(agent, runId, listener) });
  };
  return {
    see(event) {
      if (event.type === 'prepare.started') begin(event.run, false);
      if (event.type === 'prepare.ended') all.get(event.run)?.over.abort();
    },
    follow: (runId) => begin(runId, true),
    async [Symbol.asyncDispose]() {
      for (const { over } of all.values()) over.abort();
      await Promise.all([...all.values()].map(({ told }) => told));
    },
  };
}

/** Names the skill before its first word, or when it has been at work for a while. */
function createListener(
  say: (line: string) => void,
  signal: AbortSignal,
  isNamedBefore: boolean,
): PreparationListener {
  let isNamed = isNamedBefore;
  let timer: NodeJS.Timeout | undefined;
  const name = (skill: string): void => {
    clearTimeout(timer);
    if (!isNamed) say(`Preparing ${oneLine(skill)} …`);
    isNamed = true;
  };
  signal.addEventListener('abort', () => clearTimeout(timer));
  return {
    signal,
    begun({ prepares = '' }) {
      if (!signal.aborted) timer = setTimeout(name, worthAWord, prepares);
    },
    said({ prepares = '' }, message) {
      name(prepares);
      say(`  ${oneLine(prepares)}: ${oneLine(message)}`);
    },
  };
}

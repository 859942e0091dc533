import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Invocation } from '../command.ts';
import { oneLine } from '../output/text.ts';
import { tellPreparation, type PreparationListener } from './tell-preparation.ts';

/** Says on stderr which skills a run waits for, and what their preparations say. */
export interface PreparationTeller extends AsyncDisposable {
  /** Looks at something that happened in the run. */
  see(event: RunEvent): void;
}

/** A preparation that says nothing is not worth a word before. */
const quietFor = 1_000; // milliseconds

/** Where people read stderr; elsewhere it does nothing. */
export function createPreparationTeller(
  agent: RecursiveSkilledAgent,
  { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>,
): PreparationTeller {
  const waits = new Map<string, { readonly told: Promise<void>; readonly over: AbortController }>();
  const say = (line: string): void => terminal.err(`${oneLine(line)}\n`);
  return {
    see(event) {
      if (flags.json || flags.quiet) return;
      if (event.type === 'prepare.started' && !waits.has(event.run)) {
        const over = new AbortController();
        const listener = createListener(say, over.signal);
        waits.set(event.run, { told: tellPreparation(agent, event.run, listener), over });
      }
      if (event.type === 'prepare.ended') waits.get(event.run)?.over.abort();
    },
    async [Symbol.asyncDispose]() {
      for (const { over } of waits.values()) over.abort();
      await Promise.all([...waits.values()].map(({ told }) => told));
    },
  };
}

/** Names the skill with its first word, or when it has been at work for a while. */
function createListener(say: (line: string) => void, signal: AbortSignal): PreparationListener {
  let timer: NodeJS.Timeout | undefined;
  let isNamed = false;
  const name = (skill: string): void => {
    clearTimeout(timer);
    if (!isNamed) say(`Preparing ${skill} …`);
    isNamed = true;
  };
  signal.addEventListener('abort', () => clearTimeout(timer));
  return {
    signal,
    begun: ({ prepares = '' }) => void (timer = setTimeout(name, quietFor, prepares)),
    said({ prepares = '' }, message) {
      name(prepares);
      say(`  ${prepares}: ${message}`);
    },
  };
}

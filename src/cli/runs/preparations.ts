import {
  counted,
  pause,
  settlesBefore,
  settlesWithin,
  timer,
  type RunEvent,
  type RunSummary,
} from '../../core/index.ts';
import { oneLine, pasteable, type Invocation, type RecursiveSkilledAgent } from '../command-kit.ts';

/**
 * Resolves when no skill is being prepared any more, or when the signal aborts. Reports slow preparations on
 * stderr.
 */
export async function awaitPreparations(
  agent: Pick<RecursiveSkilledAgent, 'runs' | 'pendingPreparations' | 'awaitPreparations'>,
  invocation: Pick<Invocation, 'flags' | 'terminal'>,
  signal: AbortSignal,
): Promise<void> {
  const prepared = agent.awaitPreparations();
  if ((await settlesWithin(announceAfterMs, prepared, signal)) || signal.aborted) return;
  const { flags, terminal } = invocation;
  const pending = agent.pendingPreparations;
  const names = pending.map(({ skill }) => oneLine(skill)).join(', ');
  if (pending.length > 0 && !flags.json && !flags.quiet)
    terminal.err(`Preparing ${counted(pending.length, 'skill')}: ${names} …\n`);
  await using reporter = createPreparationReporter(agent, invocation);
  for (const { runId } of pending) reporter.follow(runId);
  await settlesBefore(signal, prepared);
}

/**
 * A reporter that prints to stderr which skills a run is waiting for, with the notes from their preparations.
 * Disposing it stops the reports.
 */
interface PreparationReporter extends AsyncDisposable {
  /** Handles a run event, which can start or end the wait for a preparation. */
  see(event: RunEvent): void;
  /** Reports the progress of a preparation whose skill was already announced. */
  follow(runId: string): void;
}

/** The delay before a preparation is reported. Shorter preparations are never reported. */
const announceAfterMs = 1_000;

interface Followed {
  readonly over: AbortController;
  readonly reported: Promise<void>;
}

/** Creates a reporter of preparations that writes to stderr. It does nothing with `--json` or `--quiet`. */
export function createPreparationReporter(
  agent: Pick<RecursiveSkilledAgent, 'runs'>,
  { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>,
): PreparationReporter {
  const all = new Map<string, Followed>();
  const say = (line: string): void => terminal.err(`${pasteable(line, terminal)}\n`);
  const begin = (runId: string, isNamed: boolean): void => {
    if (flags.json || flags.quiet || all.has(runId)) return;
    const over = new AbortController();
    const listener = createListener(say, over.signal, isNamed);
    all.set(runId, { over, reported: reportPreparation(agent, runId, listener) });
  };
  return {
    see(event) {
      if (event.type === 'prepare.started') begin(event.run, false);
      if (event.type === 'prepare.ended') all.get(event.run)?.over.abort();
    },
    follow: (runId) => begin(runId, true),
    async [Symbol.asyncDispose]() {
      for (const { over } of all.values()) over.abort();
      await Promise.all([...all.values()].map(({ reported }) => reported));
    },
  };
}

/**
 * Creates a listener that announces the skill before its first note, or once the preparation has run for a
 * while.
 */
function createListener(
  say: (line: string) => void,
  signal: AbortSignal,
  isNamedBefore: boolean,
): PreparationListener {
  let isNamed = isNamedBefore;
  let clock: Disposable | undefined;
  const name = (skill: string): void => {
    clock?.[Symbol.dispose]();
    if (!isNamed) say(`Preparing ${oneLine(skill)} …`);
    isNamed = true;
  };
  return {
    signal,
    begun({ prepares = '' }) {
      clock = timer(announceAfterMs, () => name(prepares), signal);
    },
    said({ prepares = '' }, message) {
      name(prepares);
      say(`  ${oneLine(prepares)}: ${oneLine(message)}`);
    },
  };
}

/** Callbacks for a run that prepares a skill. */
interface PreparationListener {
  /** Called once when the run starts working. Never called for a run that had already ended. */
  begun(run: RunSummary): void;
  /** Called when the run adds a note. */
  said(run: RunSummary, message: string): void;
  /** A signal that is aborted when the caller stops waiting. */
  readonly signal: AbortSignal;
}

const lookEvery = 50; // The polling interval, in milliseconds.

/**
 * Reports the notes of a run that prepares a skill, in this or another process. Resolves when the run has
 * ended or the caller stops waiting. Never rejects.
 */
async function reportPreparation(
  { runs }: Pick<RecursiveSkilledAgent, 'runs'>,
  runId: string,
  listener: PreparationListener,
): Promise<void> {
  const { signal } = listener;
  try {
    const run = await workedOn();
    if (run === undefined) return;
    listener.begun(run);
    const events = runs.follow(runId);
    while (true) {
      const next = events.next();
      next.catch(() => undefined); // Prevents an unhandled rejection if the caller stops waiting.
      if (!(await settlesBefore(next))) return;
      const { done, value: event } = await next;
      if (done === true) return;
      if (event.type === 'note.added') listener.said(run, event.message);
    }
  } catch {
    // If the preparation cannot be read, the run that needs it reports this.
  }

  /**
   * Waits until the run is in progress, then returns it. A run that has already ended belongs to an earlier
   * preparation and is not returned.
   */
  async function workedOn(): Promise<RunSummary | undefined> {
    while (!signal.aborted) {
      const [run] = await runs.list({ ids: [runId] });
      // A run that a process has claimed but not started yet has no events.
      if (run?.status === 'running' && run.prepares !== undefined) return run;
      await pause(lookEvery);
    }
    return undefined;
  }

  /**
   * Whether the next event arrives before the caller stops waiting. The last notes can still arrive shortly
   * after a preparation finishes.
   */
  async function settlesBefore(next: Promise<unknown>): Promise<boolean> {
    while (!signal.aborted) if (await settlesWithin(lookEvery, next)) return true;
    return settlesWithin(4 * lookEvery, next);
  }
}

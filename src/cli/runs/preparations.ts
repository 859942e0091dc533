import {
  pause,
  settlesBefore,
  settlesWithin,
  timer,
  type RunEvent,
  type RunSummary,
} from '../../core/index.ts';
import { count } from '../../doctor/report.ts';
import { oneLine, pasteable, type Invocation, type RecursiveSkilledAgent } from '../command-kit.ts';

/** Resolves when no skill is being prepared any more, or with the signal; what takes its time is said on stderr. */
export async function awaitPreparations(
  agent: Pick<RecursiveSkilledAgent, 'runs' | 'pendingPreparations' | 'awaitPreparations'>,
  invocation: Pick<Invocation, 'flags' | 'terminal'>,
  signal: AbortSignal,
): Promise<void> {
  const prepared = agent.awaitPreparations();
  if ((await settlesWithin(worthAWord, prepared, signal)) || signal.aborted) return;
  const { flags, terminal } = invocation;
  const pending = agent.pendingPreparations;
  const names = pending.map(({ skill }) => oneLine(skill)).join(', ');
  if (pending.length > 0 && !flags.json && !flags.quiet)
    terminal.err(`Preparing ${count(pending.length, 'skill')}: ${names} …\n`);
  await using teller = createPreparationTeller(agent, invocation);
  for (const { runId } of pending) teller.follow(runId);
  await settlesBefore(signal, prepared);
}

/** Says on stderr which skills are waited for, and what their preparations say; disposed of when nobody waits any more. */
interface PreparationTeller extends AsyncDisposable {
  /** Looks at something that happened in a run: it may begin to wait for a preparation, or have waited for it. */
  see(event: RunEvent): void;
  /** Tells of a preparation whose skill was named already. */
  follow(runId: string): void;
}

/** What prepares a skill in no time is not worth a word. */
const worthAWord = 1_000; // milliseconds

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
  let clock: Disposable | undefined;
  const name = (skill: string): void => {
    clock?.[Symbol.dispose]();
    if (!isNamed) say(`Preparing ${oneLine(skill)} …`);
    isNamed = true;
  };
  return {
    signal,
    begun({ prepares = '' }) {
      clock = timer(worthAWord, () => name(prepares), signal);
    },
    said({ prepares = '' }, message) {
      name(prepares);
      say(`  ${oneLine(prepares)}: ${oneLine(message)}`);
    },
  };
}

/** Whoever waits for a run that prepares a skill. */
interface PreparationListener {
  /** Works now; called once, and not at all for what is over before anybody looks. */
  begun(run: RunSummary): void;
  /** Says something. */
  said(run: RunSummary, message: string): void;
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

const lookEvery = 50; // milliseconds

/** Tells what a run that prepares a skill says while it works, here or in another process; resolves when it is over or nobody waits. Never rejects. */
async function tellPreparation(
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
      next.catch(() => undefined); // nobody may wait for it any more
      if (!(await settlesBefore(next))) return;
      const { done, value: event } = await next;
      if (done === true) return;
      if (event.type === 'note.added') listener.said(run, event.message);
    }
  } catch {
    // That nothing can be read of it is told by the run that needs it.
  }

  /** What ended before is of an earlier time: it is replaced, or there is nothing to do. */
  async function workedOn(): Promise<RunSummary | undefined> {
    while (!signal.aborted) {
      const [run] = await runs.list({ ids: [runId] });
      if (run?.status === 'running' && run.prepares !== undefined) return run; // one that was only claimed has no events
      await pause(lookEvery);
    }
    return undefined;
  }

  /** The last words of a preparation that is over are still on their way. */
  async function settlesBefore(next: Promise<unknown>): Promise<boolean> {
    while (!signal.aborted) if (await settlesWithin(lookEvery, next)) return true;
    return settlesWithin(4 * lookEvery, next);
  }
}

import type { RunEvent, RunHandle } from '../../core/index.ts';

/** How far a client was told what happens: the last event, and the last number. */
export interface ReportedProgress {
  readonly seq: number;
  readonly count: number;
}

/** Tells a client how far a call is. */
export interface ProgressTeller {
  readonly told: ReportedProgress;
  /** Tells of what happens in a run from where it was left; resolves when nothing happens any more. */
  follow(handle: RunHandle): Promise<void>;
}

/** A line for the client; the numbers only grow. */
type Tell = (progress: number, message: string) => Promise<void>;

const pauseBetween = 200; // milliseconds

/** Tells at most five lines a second, the newest where more come; what cannot be told any more is dropped. */
export function createProgressTeller(
  tell: Tell,
  before: ReportedProgress = { seq: 0, count: 0 },
): ProgressTeller {
  const lineOf = createProgressLines();
  let { seq, count } = before;
  let toldAt = -Infinity;
  let latest: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (latest === undefined) return;
    const line = latest;
    latest = undefined;
    toldAt = performance.now();
    tell(count, line).catch(() => undefined); // the client went away, which its call hears by itself
  };
  const hear = (event: RunEvent): void => {
    const line = lineOf(event);
    if (event.seq <= seq) return;
    seq = event.seq;
    if (line === undefined) return;
    count += 1;
    latest = line;
    const left = toldAt + pauseBetween - performance.now();
    if (left <= 0) flush();
    else timer ??= setTimeout(flush, left);
  };
  return {
    get told() {
      return { seq, count };
    },
    async follow({ events }) {
      try {
        for await (const event of events) hear(event);
      } finally {
        flush();
      }
    },
  };
}

/** Makes short lines for whoever waits of the events of a run: calls that begin and end, and what skills say. */
function createProgressLines(): (event: RunEvent) => string | undefined {
  const skills = new Map<string, string>();
  return (event) => {
    if (event.type === 'note.added') return cut(event.message);
    if (event.type === 'frame.started') {
      skills.set(event.frameId, event.skill);
      return cut(`${event.skill} began`);
    }
    if (event.type !== 'frame.ended') return undefined;
    const skill = skills.get(event.frameId) ?? '';
    return cut(`${skill} ${event.output.status === 'done' ? 'is done' : 'failed'}`);
  };
}

const mostLetters = 200;

function cut(line: string): string {
  const plain = line.replace(/\s+/g, ' ').trim();
  return plain.length <= mostLetters ? plain : `${plain.slice(0, mostLetters).toWellFormed()}…`;
}

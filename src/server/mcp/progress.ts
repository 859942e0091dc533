import type { RunEvent, RunHandle } from '../../core/index.ts';

/** The sequence number of the last event and the last progress number that were reported to a client. */
export interface ReportedProgress {
  readonly seq: number;
  readonly count: number;
}

/** Reports the progress of a call to a client. */
export interface ProgressReporter {
  readonly reported: ReportedProgress;
  /** Reports the events of a run that have not been reported yet. Resolves when there are no more events. */
  follow(handle: RunHandle): Promise<void>;
}

/** Sends a line to the client. The progress number must increase with each line. */
type SendProgress = (progress: number, message: string) => Promise<void>;

const pauseBetween = 200; // The minimum time between two progress lines, in milliseconds.

/**
 * Creates a reporter that sends at most five lines per second and skips outdated ones. Ignores failures to
 * send.
 */
export function createProgressReporter(
  send: SendProgress,
  before: ReportedProgress = { seq: 0, count: 0 },
): ProgressReporter {
  const lineOf = createProgressLines();
  let { seq, count } = before;
  let sentAt = -Infinity;
  let latest: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (latest === undefined) return;
    const line = latest;
    latest = undefined;
    sentAt = performance.now();
    // If this fails, the client has disconnected, and its call ends anyway.
    send(count, line).catch(() => undefined);
  };
  const hear = (event: RunEvent): void => {
    const line = lineOf(event);
    if (event.seq <= seq) return;
    seq = event.seq;
    if (line === undefined) return;
    count += 1;
    latest = line;
    const left = sentAt + pauseBetween - performance.now();
    if (left <= 0) flush();
    else timer ??= setTimeout(flush, left);
  };
  return {
    get reported() {
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

/**
 * Creates a function that converts an event to a short line. It returns lines for the start and end of calls
 * and for the notes of skills, and undefined for other events.
 */
function createProgressLines(): (event: RunEvent) => string | undefined {
  const skills = new Map<string, string>();
  return (event) => {
    if (event.type === 'note.added') return cut(event.message);
    if (event.type === 'frame.started') {
      skills.set(event.frameId, event.skill);
      return cut(`${event.skill} started`);
    }
    if (event.type !== 'frame.ended') return undefined;
    const skill = skills.get(event.frameId) ?? '';
    return cut(`${skill} ${event.output.status === 'done' ? 'is done' : 'failed'}`);
  };
}

const maxCharacters = 200;

function cut(line: string): string {
  const plain = line.replace(/\s+/g, ' ').trim();
  return plain.length <= maxCharacters ? plain : `${plain.slice(0, maxCharacters).toWellFormed()}…`;
}

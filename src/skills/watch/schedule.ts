/** When to look and to sweep, in milliseconds. */
export interface Pace {
  /** Without events before a look. */
  readonly settle: number;
  /** The longest wait for that. */
  readonly patience: number;
  /** Without events before a sweep. */
  readonly idle: number;
  /** Between sweeps. */
  readonly interval: number;
  /** Between sweeps where events cannot be relied on. */
  readonly blindInterval: number;
  /** A pause of the event loop after which events may have been lost. */
  readonly stall: number;
}

const ordinaryPace: Pace = {
  settle: 30,
  patience: 400,
  idle: 1_000,
  interval: 30_000,
  blindInterval: 5_000,
  stall: 250,
};

/** More events than this between two looks, and the system may have dropped some silently. */
const burst = 4_096;

/** Milliseconds between looks at the clock. */
const tick = 100;

/** What a rhythm moves. */
interface Moves {
  /** Never throws. */
  look(): void;
  /** Ends early when the rhythm closes. Never rejects. */
  sweep(): Promise<void>;
  /** Whether events cannot be relied on. */
  isBlind(): boolean;
}

/** Decides when to look at what changed and when to sweep over everything. */
export interface Rhythm {
  /** Counts an event; one that matters leads to a look when it is quiet. */
  event(matters: boolean): void;
  /** Looks again after some milliseconds. */
  again(delay: number): void;
  /** A sweep that starts from now on; resolves when it is done. */
  sweep(): Promise<void>;
  readonly isOpen: boolean;
  close(): Promise<void>;
}

/** A rhythm that runs until it is closed; it does not keep the process alive. */
export function createRhythm(moves: Moves, pace: Partial<Pace> = {}): Rhythm {
  const { settle, patience, idle, interval, blindInterval, stall } = { ...ordinaryPace, ...pace };
  let isOpen = true;
  let events = 0;
  let deadline = 0;
  let lookTimer: NodeJS.Timeout | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  let lastSweep = Date.now();
  let lastTick = Date.now();

  const look = (): void => {
    lookTimer = undefined;
    const wasBurst = events > burst;
    events = 0;
    moves.look();
    lastTick = Date.now(); // a long look is no stall: what happened meanwhile still waits in the queue
    if (wasBurst) void sweep();
  };
  const schedule = (delay: number): void => {
    if (!isOpen) return;
    if (lookTimer === undefined) deadline = Date.now() + patience;
    clearTimeout(lookTimer);
    lookTimer = setTimeout(look, Math.max(0, Math.min(delay, deadline - Date.now()))).unref();
  };
  const sweep = (): Promise<void> => {
    if (!isOpen) return Promise.resolve();
    if (running !== undefined) {
      queued ??= running.then(() => {
        queued = undefined;
        return sweep();
      });
      return queued;
    }
    running = moves.sweep().then(() => {
      running = undefined;
      lastSweep = lastTick = Date.now();
    });
    return running;
  };
  const ticking = setInterval(() => {
    const now = Date.now();
    const isDue = running === undefined && now - lastSweep > (moves.isBlind() ? blindInterval : interval);
    if (isDue || now - lastTick > stall) void sweep();
    lastTick = now;
  }, tick).unref();

  return {
    event(matters) {
      events++;
      if (!isOpen || (!matters && events <= burst)) return;
      schedule(settle);
      clearTimeout(idleTimer);
      idleTimer = setTimeout(() => void sweep(), idle).unref();
    },
    again: schedule,
    sweep,
    get isOpen() {
      return isOpen;
    },
    async close() {
      isOpen = false;
      clearTimeout(lookTimer);
      clearTimeout(idleTimer);
      clearInterval(ticking);
      await running;
    },
  };
}

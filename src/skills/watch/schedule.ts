/** The timing of checks and sweeps, in milliseconds. */
export interface Pace {
  /** The time without events after which a check starts. */
  readonly settle: number;
  /** The maximum delay before a check if events keep arriving. */
  readonly patience: number;
  /** The time without events after which a sweep of all known paths starts. */
  readonly idle: number;
  /** The usual interval between sweeps. */
  readonly interval: number;
  /** The interval between sweeps while events are unreliable, or longer if a sweep takes long. */
  readonly blindInterval: number;
  /** The time for which the event loop can be blocked before events may be lost. */
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

/** The number of events between two checks above which the operating system may have dropped some. */
const burst = 4_096;

/** The interval between sweeps is at least this many times as long as a sweep. */
const sweepShare = 10;

/** The interval for detecting due sweeps and a blocked event loop, in milliseconds. */
const tick = 100;

/** The functions that a schedule calls to check the disk. */
interface Moves {
  /** Checks the disk. Never throws. */
  look(): void;
  /** Checks all known paths. Ends early if the schedule is closed. Never rejects. */
  sweep(): Promise<void>;
  /** Whether events are unreliable at the moment. */
  isBlind(): boolean;
}

/** A schedule for checks of changed paths and sweeps of all known paths. */
export interface Rhythm {
  /** Records an event. If the event is relevant, a check follows once no more events arrive. */
  event(matters: boolean): void;
  /** Schedules another check after a delay in milliseconds. */
  again(delay: number): void;
  /** Starts a sweep once the current sweep has ended. Resolves when the new sweep has ended. */
  sweep(): Promise<void>;
  readonly isOpen: boolean;
  close(): Promise<void>;
}

/** Creates a schedule that runs until it is closed. It does not keep the process alive. */
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
  let duration = 0; // of the last sweep
  let lastTick = Date.now();

  const look = (): void => {
    lookTimer = undefined;
    const wasBurst = events > burst;
    events = 0;
    moves.look();
    // A long check is not treated as a blocked event loop, because events remain in the queue meanwhile.
    lastTick = Date.now();
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
    const start = Date.now();
    running = moves.sweep().then(() => {
      running = undefined;
      duration = Date.now() - start;
      lastSweep = lastTick = Date.now();
    });
    return running;
  };
  const ticking = setInterval(() => {
    const now = Date.now();
    const isDue =
      running === undefined &&
      now - lastSweep > (moves.isBlind() ? Math.max(blindInterval, sweepShare * duration) : interval);
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

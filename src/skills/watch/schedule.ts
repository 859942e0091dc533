/** The timing of checks and sweeps, in milliseconds. */
export interface Pace {
  /** The time without events before the disk is checked. */
  readonly settle: number;
  /** The maximum delay of a check if events keep arriving. */
  readonly patience: number;
  /** The time without events before a sweep of all known paths. */
  readonly idle: number;
  /** The normal time between two sweeps. */
  readonly interval: number;
  /** The time between sweeps while events are unreliable. */
  readonly blindInterval: number;
  /** The length of an event loop pause after which events may have been lost. */
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

/** The maximum number of events between two checks. If there are more, the system may have dropped some. */
const burst = 4_096;

/** The time in milliseconds between checks for due sweeps and stalls. */
const tick = 100;

/** The actions that a schedule triggers. */
interface Moves {
  /** Checks the disk. Never throws. */
  look(): void;
  /** Checks everything. Ends early if the schedule is closed. Never rejects. */
  sweep(): Promise<void>;
  /** Whether file system events are currently unreliable. */
  isBlind(): boolean;
}

/** A schedule for checking changed paths and for sweeping all known paths. */
export interface Rhythm {
  /** Counts an event. If the event matters, a check follows after the quiet time. */
  event(matters: boolean): void;
  /** Schedules another check after the given number of milliseconds. */
  again(delay: number): void;
  /** Starts a sweep, after any running sweep finishes. Resolves when the new sweep is done. */
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
  let lastTick = Date.now();

  const look = (): void => {
    lookTimer = undefined;
    const wasBurst = events > burst;
    events = 0;
    moves.look();
    // A long check does not count as a pause, because events that occur during the check stay queued.
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

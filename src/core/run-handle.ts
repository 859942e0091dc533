import type { RunEvent } from './event.ts';
import type { RunResult } from './run.ts';

/** A run that goes on. */
export interface RunHandle {
  /** Of a prompt that answers a question of its session, from the first event on that of the run which asked. */
  readonly id: string;
  /** Every event of the run from its first one, whenever it is read; ends when the run ends or waits. */
  readonly events: AsyncIterable<RunEvent>;
  /** What it came to; failures are data, so it does not reject for them. */
  readonly result: Promise<RunResult>;
  /** Sends a message that joins the conversation at the next model step of the outermost loop. */
  steer(text: string): Promise<void>;
  /** Stops it for good; resolves when nothing of it goes on. */
  cancel(reason?: string): Promise<void>;
}

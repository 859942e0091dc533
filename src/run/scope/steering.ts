import { randomBytes } from 'node:crypto';
import { AgentError, hasEnded, type StoreEntry, type Message, type Store } from '../../core/index.ts';
import { cleanText } from '../log/sanitize.ts';
import type { Execution } from '../lifecycle/execution.ts';
import type { Frame } from '../calls/frame.ts';
import type { Kernel } from '../kernel.ts';
import { noSuchRun } from '../lifecycle/stop.ts';

const retentionMs = 30 * 86_400_000; // The maximum age of messages, in milliseconds.

/** Returns the store space that contains a run's messages until a model step takes them. */
function steeringSpace(runId: string): string {
  return `steering/${runId}`;
}

/** Deletes the messages to a run that is being removed. */
export async function forgetSteering(store: Store, runId: string): Promise<void> {
  await store.clear(steeringSpace(runId));
}

/**
 * Stores a message for a run's next model step, even if another process executes the run. Throws if the run
 * has ended.
 */
export async function steerRun({ store, redact, now }: Kernel, runId: string, text: string): Promise<void> {
  mustSaySomething(text);
  const key = keyAt(store, now());
  const [run] = await store.runs({ ids: [runId] });
  if (run === undefined) throw noSuchRun(runId);
  if (hasEnded(run.status)) {
    throw new AgentError('usage.bad-input', `Run ${runId} has ended and cannot receive messages.`, {
      hint: 'Start a new run that includes your message.',
    });
  }
  await store.set(steeringSpace(runId), key, cleanText(text, redact), retentionMs);
}

function mustSaySomething(text: unknown): void {
  if (typeof text === 'string' && text.trim() !== '') return;
  throw new AgentError('usage.bad-input', 'A message to a run must be a non-empty string.', {
    hint: 'Pass the text to send to the model.',
  });
}

const lastMoments = new WeakMap<Store, number>();

/**
 * Returns a key that sorts by arrival time, even for messages in the same millisecond or after the clock is
 * set back.
 */
function keyAt(store: Store, now: number): string {
  const moment = Math.max(now, (lastMoments.get(store) ?? 0) + 1);
  lastMoments.set(store, moment);
  return `${moment.toString().padStart(16, '0')}-${randomBytes(4).toString('hex')}`;
}

/** Messages to add to a model step, and the store entries that delete them once they are logged. */
interface Steering {
  readonly messages: readonly Message[];
  readonly taken: readonly StoreEntry[];
}

/**
 * Takes the messages that users have sent to the run. Only an outermost loop receives them, and each message
 * is used once. If the store cannot be read, this process releases the run.
 */
export async function takeSteering(execution: Execution, frame: Frame): Promise<Steering> {
  if (isBelowLoop(frame)) return { messages: [], taken: [] };
  const space = steeringSpace(execution.runId);
  const all = [...(await execution.store.entries(space))];
  const left = all.filter(([key]) => !execution.messages.taken.has(key));
  for (const [key] of left) execution.messages.taken.add(key);
  return {
    messages: left.map(([, text]): Message => ({
      role: 'user',
      text: typeof text === 'string' ? text : '',
    })),
    taken: left.map(([key]): StoreEntry => ({ space, key, value: undefined })),
  };
}

function isBelowLoop(frame: Frame): boolean {
  for (let above = frame.parent; above !== undefined; above = above.parent) if (above.isSteered) return true;
  return false;
}

import { randomBytes } from 'node:crypto';
import { AgentError, hasEnded, type Entry, type Message, type Store } from '../../core/index.ts';
import { cleanText } from '../log/sanitize.ts';
import type { Execution } from '../lifecycle/execution.ts';
import type { Frame } from '../calls/frame.ts';
import type { Kernel } from '../kernel.ts';
import { noSuchRun } from '../lifecycle/stop.ts';

const longestKept = 30 * 86_400_000; // milliseconds

/** Where messages to a run are left until a model step takes them. */
function steeringSpace(runId: string): string {
  return `steering/${runId}`;
}

/** Takes away the messages to a run that is to be forgotten. */
export async function forgetSteering(store: Store, runId: string): Promise<void> {
  await store.clear(steeringSpace(runId));
}

/** Leaves a message for the next model step of a run, whichever process works on it; throws for a run that ended. */
export async function steerRun({ store, redact, now }: Kernel, runId: string, text: string): Promise<void> {
  mustSaySomething(text);
  const key = keyAt(store, now());
  const [run] = await store.runs({ ids: [runId] });
  if (run === undefined) throw noSuchRun(runId);
  if (hasEnded(run.status)) {
    throw new AgentError('usage.bad-input', `Run ${runId} has ended, so nothing can be said to it.`, {
      hint: 'Run it anew with what you want to say.',
    });
  }
  await store.set(steeringSpace(runId), key, cleanText(text, redact), longestKept);
}

function mustSaySomething(text: unknown): void {
  if (typeof text === 'string' && text.trim() !== '') return;
  throw new AgentError('usage.bad-input', 'A message to a run must be a text that says something.', {
    hint: 'Give the words that the model is to read.',
  });
}

const lastMoments = new WeakMap<Store, number>();

/** Keys are in the order of arrival, also within one millisecond and when the clock is set back. */
function keyAt(store: Store, now: number): string {
  const moment = Math.max(now, (lastMoments.get(store) ?? 0) + 1);
  lastMoments.set(store, moment);
  return `${moment.toString().padStart(16, '0')}-${randomBytes(4).toString('hex')}`;
}

/** Messages that join a model step, and what takes them away as they enter the log. */
interface Steering {
  readonly messages: readonly Message[];
  readonly taken: readonly Entry[];
}

/**
 * What people sent to the run meanwhile, for the first of its outermost loops that looks; a frame below a loop gets
 * nothing. A store that cannot be read says nothing about the run, which is let go of.
 */
export async function takeSteering(execution: Execution, frame: Frame): Promise<Steering> {
  if (isBelowLoop(frame)) return { messages: [], taken: [] };
  const space = steeringSpace(execution.runId);
  try {
    const all = [...(await execution.kernel.store.entries(space))];
    const left = all.filter(([key]) => !execution.messages.taken.has(key));
    for (const [key] of left) execution.messages.taken.add(key);
    return {
      messages: left.map(([, text]): Message => ({
        role: 'user',
        text: typeof text === 'string' ? text : '',
      })),
      taken: left.map(([key]): Entry => ({ space, key, value: undefined })),
    };
  } catch (thrown) {
    execution.lose(thrown);
    return new Promise(() => undefined);
  }
}

function isBelowLoop(frame: Frame): boolean {
  for (let above = frame.parent; above !== undefined; above = above.parent) if (above.isSteered) return true;
  return false;
}

import {
  AgentError,
  defaultSession,
  fromErrorData,
  isAgentError,
  optional,
  pause,
  type ErrorData,
  type Output,
  type RunStarted,
  type Store,
} from '../../core/index.ts';
import { waitFor, type Kernel, type Preparation } from '../kernel.ts';
import { cancelRun } from '../lifecycle/cancel.ts';
import { Execution } from '../lifecycle/execution.ts';
import { Live } from '../lifecycle/live-runs.ts';
import { interruptedBy, isClaimLost, isInterruption } from '../lifecycle/stop.ts';
import { frameIdOf, preparationId } from '../log/sanitize.ts';
import { createScope } from '../scope/create-scope.ts';
import type { Invoke } from './call.ts';
import type { Frame, CallTarget } from './frame.ts';
import { beginFrame, boundFrame, endFrame, openFrame } from './frame-events.ts';

/**
 * Returns the object that a family executes: the skill's definition, or the result of preparing the skill
 * before its first call. A frame that waits for a preparation records the preparation's run.
 */
export async function prepared(
  execution: Execution,
  frame: Frame,
  target: CallTarget,
  invoke: Invoke,
): Promise<unknown> {
  if (target.family.generation?.prepare === undefined) return target.definition;
  const { journal, kernel } = execution;
  const changed = renewed(kernel, target);
  const current = changed === undefined ? target : { ...target, digest: changed };
  const { runId, ready, result: before } = preparationOf(kernel, current, invoke);
  if (before !== undefined && changed === undefined) return before.value; // The skill is already prepared.
  const waiting = { runId: execution.runId, preparation: runId, skill: target.skill.name };
  using _wait = waitFor(kernel.waits, { ...waiting, signal: frame.signal });
  await frame.busy(() => journal.add(frame.id, { type: 'prepare.started', run: runId }));
  try {
    const result = await frame.busy(() => ready);
    const digest = renewed(kernel, current) ?? changed;
    await frame.busy(() =>
      journal.add(frame.id, { type: 'prepare.ended', run: runId, ...optional('digest', digest) }),
    );
    return result;
  } catch (thrown) {
    if (isAgentError(thrown) && isInterruption(thrown)) {
      execution.lose(thrown); // A failure of the store is not the skill's fault, so release the run.
      return await new Promise(() => undefined);
    }
    const error = execution.cleanError(thrown);
    await frame.busy(() => journal.add(frame.id, { type: 'prepare.ended', run: runId, error }));
    throw thrown;
  }
}

/**
 * Updates the recorded digest of a skill's files. Returns the new digest, or undefined if the files have not
 * changed.
 */
function renewed(kernel: Kernel, { skill, digest }: CallTarget): string | undefined {
  const now = kernel.digestNow(skill);
  return now === undefined || now === digest ? undefined : kernel.renewDigest(skill);
}

/** Whether a skill must be prepared. Returns undefined if its family cannot tell. */
export function isDue({ family, definition, skill }: CallTarget): boolean | undefined {
  return family.generation?.isDue?.(definition, skill.dir);
}

/** Returns a skill version's key: the digest of its files, or the skill itself if it is defined in code. */
export function versionKey({ digest, skill }: CallTarget): string | object {
  return digest ?? skill.codeDefinition ?? skill;
}

/**
 * Returns the preparation of a skill version. Starts it in the run `runId` if necessary. Forgets a
 * preparation that fails or remains incomplete.
 */
export function preparationOf(
  kernel: Kernel,
  target: CallTarget,
  invoke: Invoke,
  runId = preparationId(target.digest),
): Preparation {
  const { preparations } = kernel;
  const key = versionKey(target);
  const before = preparations.get(key);
  if (before !== undefined) return before;
  const { name: skill } = target.skill;
  for (const [other, { skill: named }] of preparations) if (named === skill) preparations.delete(other);
  const preparation: Preparation = { skill, runId, ready: prepare(kernel, target, runId, invoke) };
  preparations.set(key, preparation);
  const forget = (): void => {
    if (preparations.get(key) === preparation) preparations.delete(key);
  };
  preparation.ready.then((value) => {
    preparation.result = { value };
    if (isDue(target) === true) forget();
  }, forget);
  return preparation;
}

/**
 * Prepares a skill in a run with its own limits and permissions. That run continues even if the call that
 * started it ends.
 */
async function prepare(kernel: Kernel, target: CallTarget, runId: string, invoke: Invoke): Promise<unknown> {
  const begin: RunStarted = {
    type: 'run.started',
    skill: target.skill.name,
    input: null,
    session: defaultSession,
    limits: kernel.limits,
    prepares: target.skill.name,
  };
  for (;;) {
    const isDone = await makeWay(kernel, runId, target).catch((thrown: unknown) => {
      throw interruptedBy(runId, thrown);
    });
    const execution = await Execution.open(isDone ? replaying(kernel) : kernel, runId, { begin });
    const preparing: Preparing = {};
    // Wait for `execution.stopped` instead, because this promise may never settle.
    void prepareAndEnd(execution, target, invoke, preparing);
    const stop = await execution.stopped;
    if (isClaimLost(stop)) continue;
    if (stop.why === 'broken') throw fromErrorData(stop.error);
    if (stop.why !== 'ended') {
      await cancelRun(kernel, runId, cannotAsk.message);
      throw fromErrorData(cannotAsk);
    }
    const { output } = preparing;
    if (output?.status === 'done') return preparing.result;
    throw fromErrorData(output?.error ?? (await endedBy(execution)));
  }
}

/** The outcome of a preparation, set as soon as it is known. */
interface Preparing {
  result?: unknown;
  output?: Output;
}

async function prepareAndEnd(
  execution: Execution,
  target: CallTarget,
  invoke: Invoke,
  preparing: Preparing,
): Promise<void> {
  if (await execution.start()) await execution.finish(prepareInFrame(execution, target, invoke, preparing));
}

async function prepareInFrame(
  execution: Execution,
  target: CallTarget,
  invoke: Invoke,
  preparing: Preparing,
): Promise<Output> {
  const { top, state } = execution;
  const key = 'prepare';
  const id = frameIdOf('', key);
  const call = { id, key, request: '', input: null, inputHash: '', options: {}, known: state.frames.get(id) };
  const opened = { call, target, budget: top.budget };
  const frame = openFrame(top, opened);
  using _bounds = boundFrame(execution, frame, opened);
  return (preparing.output = await endFrame(execution, frame, work()));

  async function work(): Promise<Output> {
    await beginFrame(execution, frame, opened);
    const scope = createScope(execution, frame, target, invoke);
    preparing.result = await target.family.generation?.prepare?.(target.definition, scope);
    return { status: 'done', text: `"${target.skill.name}" is prepared.` };
  }
}

const lookEvery = 100; // The polling interval in milliseconds.

/**
 * Waits while another process prepares the same version. Then removes a preparation that failed or has no
 * result. Resolves to true if there is a finished preparation.
 */
async function makeWay({ store, closing }: Kernel, runId: string, target: CallTarget): Promise<boolean> {
  for (;;) {
    closing.throwIfAborted();
    const [run] = await store.runs({ ids: [runId] });
    const isLost = run?.status === 'done' && isDue(target) === true;
    if (run?.status === 'failed' || run?.status === 'cancelled' || isLost) await store.remove([runId]);
    if (run?.status !== 'running') return run?.status === 'done' && !isLost;
    await pause(lookEvery, closing);
  }
}

/**
 * Returns a kernel that replays a finished preparation in memory from its recorded steps, without side
 * effects.
 */
function replaying(kernel: Kernel): Kernel {
  const store = replayStore(kernel.store);
  return { ...kernel, store, live: new Live(store) };
}

const cannotAsk: ErrorData = {
  code: 'policy.denied',
  message: 'A skill cannot wait for a person while it is being prepared.',
  hint: 'Allow what the preparation needs in advance, or ask during the call itself.',
};

/** Returns the error of a run that was cancelled or timed out. */
async function endedBy({ journal }: Execution): Promise<ErrorData> {
  const ended = journal.events.findLast((event) => event.type === 'run.ended');
  if (ended?.type === 'run.ended' && ended.output.status === 'failed') return ended.output.error;
  return Promise.reject(new AgentError('internal.bug', 'The preparation ended without an output.'));
}

/** Creates a store for replays. The store claims nothing and discards added events. */
function replayStore(store: Store): Store {
  let last = 1e9; // Exceeds the sequence number of every stored event.
  return {
    claim: () => Promise.resolve('replay'),
    beat: () => Promise.resolve(new Set()),
    release: () => Promise.resolve(),
    append: (_runId, _epoch, events) => Promise.resolve((last += events.length)),
    read: (runId, fromSeq) => store.read(runId, fromSeq),
    runs: (query) => store.runs(query),
    remove: (runIds) => store.remove(runIds),
    expire: (before) => store.expire(before),
    get: (space, key) => store.get(space, key),
    set: (space, key, value, ttlMs) => store.set(space, key, value, ttlMs),
    add: (space, key, value, ttlMs) => store.add(space, key, value, ttlMs),
    swap: (...change) => store.swap(...change),
    delete: (space, key) => store.delete(space, key),
    clear: (space) => store.clear(space),
    entries: (space) => store.entries(space),
    close: () => store.close(),
  };
}

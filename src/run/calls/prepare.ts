import {
  AgentError,
  defaultSession,
  fromErrorData,
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
import { isOvertaken } from '../lifecycle/stop.ts';
import { frameIdOf, preparationId } from '../log/sanitize.ts';
import { createScope } from '../scope/create-scope.ts';
import type { Invoke } from './call.ts';
import type { Frame, CallTarget } from './frame.ts';
import { beginFrame, boundFrame, endFrame, openFrame } from './frame-events.ts';

/** What a family executes: its definition, or what it made of it before the first call. A frame waits for that and links to it. */
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
  const { runId, ready, made: before } = preparationOf(kernel, current, invoke);
  if (before !== undefined && changed === undefined) return before.value; // nothing to wait for, nothing to tell
  const waiting = { runId: execution.runId, preparation: runId, skill: target.skill.name };
  using _wait = waitFor(kernel.waits, { ...waiting, signal: frame.signal });
  await frame.busy(() => journal.add(frame.id, { type: 'prepare.started', run: runId }));
  try {
    const made = await frame.busy(() => ready);
    const digest = renewed(kernel, current) ?? changed;
    await frame.busy(() =>
      journal.add(frame.id, { type: 'prepare.ended', run: runId, ...optional('digest', digest) }),
    );
    return made;
  } catch (thrown) {
    const error = execution.cleanError(thrown);
    await frame.busy(() => journal.add(frame.id, { type: 'prepare.ended', run: runId, error }));
    throw thrown;
  }
}

/** The digest of a skill whose files are others than those that were registered, and registers these. */
function renewed(kernel: Kernel, { skill, digest }: CallTarget): string | undefined {
  const now = kernel.digestNow(skill);
  return now === undefined || now === digest ? undefined : kernel.renewDigest(skill);
}

/** Whether there is something to prepare, as far as the family looks at that. */
export function isDue({ family, definition, skill }: CallTarget): boolean | undefined {
  return family.generation?.isDue?.(definition, skill.dir);
}

/** What a version of a skill is known by: the digest of its files, or itself where it was made in code. */
export function versionKey({ digest, skill }: CallTarget): string | object {
  return digest ?? skill.made ?? skill;
}

/** The preparation of a version of a skill, begun where nobody did, in the run that is named; one that fails, or leaves something due, is forgotten. */
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
  for (const [other, { skill: named }] of preparations) if (named === skill) preparations.delete(other); // an older version
  const preparation: Preparation = { skill, runId, ready: prepare(kernel, target, runId, invoke) };
  preparations.set(key, preparation);
  const forget = (): void => {
    if (preparations.get(key) === preparation) preparations.delete(key);
  };
  preparation.ready.then((value) => {
    preparation.made = { value };
    if (isDue(target) === true) forget();
  }, forget);
  return preparation;
}

/** A run of its own: it has its own limits, asks for its own permissions and outlives whoever needed it first. */
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
    const isDone = await makeWay(kernel, runId, target);
    const execution = await Execution.open(isDone ? replaying(kernel) : kernel, runId, { begin });
    const preparing: Preparing = {};
    void prepareAndEnd(execution, target, invoke, preparing); // it may never settle: `stopped` does
    const stop = await execution.stopped;
    if (isOvertaken(stop)) continue;
    if (stop.why === 'broken') throw fromErrorData(stop.error);
    if (stop.why !== 'ended') {
      await cancelRun(kernel, runId, cannotAsk.message);
      throw fromErrorData(cannotAsk);
    }
    const { output } = preparing;
    if (output?.status === 'done') return preparing.made;
    throw fromErrorData(output?.error ?? (await endedBy(execution)));
  }
}

/** What a preparation came to, as soon as that is known. */
interface Preparing {
  made?: unknown;
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
    preparing.made = await target.family.generation?.prepare?.(target.definition, scope);
    return { status: 'done', text: `"${target.skill.name}" is prepared.` };
  }
}

const lookEvery = 100; // milliseconds

/**
 * Waits while another process prepares the same version, and forgets an earlier failure, or a success of which nothing is
 * left; tells whether it is done already.
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

/** What was prepared once is only made again in memory, from the steps that are kept. */
function replaying(kernel: Kernel): Kernel {
  const store = replayStore(kernel.store);
  return { ...kernel, store, live: new Live(store) };
}

const cannotAsk: ErrorData = {
  code: 'policy.denied',
  message: 'A preparation cannot wait for a person.',
  hint: 'Allow what it needs before, or ask in the call itself.',
};

/** Why a run ended that did not end by itself: it was cancelled, or its time was over. */
async function endedBy({ journal }: Execution): Promise<ErrorData> {
  const ended = journal.events.findLast((event) => event.type === 'run.ended');
  if (ended?.type === 'run.ended' && ended.output.status === 'failed') return ended.output.error;
  return Promise.reject(new AgentError('internal.bug', 'A preparation ended without an output.'));
}

/** A store whose runs can be worked on again without a trace: nothing is claimed, and what is added is not kept. */
function replayStore(store: Store): Store {
  let last = 1e9; // behind every event that is kept
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
    delete: (space, key) => store.delete(space, key),
    clear: (space) => store.clear(space),
    entries: (space) => store.entries(space),
    close: () => store.close(),
  };
}

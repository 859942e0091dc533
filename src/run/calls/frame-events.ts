import {
  AgentError,
  onAbort,
  optional,
  timer,
  type EventBody,
  type FrameEnded,
  type Json,
  type LoadedTools,
  type Output,
  type SkillCard,
} from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { callerEnded, endsBelow } from '../lifecycle/run-end.ts';
import { cleanOutput, failedOutput } from '../log/sanitize.ts';
import type { PermittedCall } from '../permissions/permit.ts';
import { isMemoryKey, memoryEntries, writeToCaller } from '../scope/memory.ts';
import { overLimit, type Budget } from './budget.ts';
import type { Call } from './call.ts';
import type { Frame, CallTarget } from './frame.ts';

// Created only once, because capturing a stack trace takes longer than a call.
const ended = new AgentError(callerEnded.code, callerEnded.message);
const calledOff = new AgentError('usage.cancelled', 'The caller cancelled this call.');

/** Throws `usage.cancelled` if a call has been cancelled. */
export function throwIfCancelled({ options }: Pick<Call, 'options'>): void {
  if (options.signal?.aborted === true) throw calledOff;
}

/** A call whose frame can be opened. */
export interface FrameCall {
  readonly call: Pick<Call, 'id' | 'key' | 'request' | 'input' | 'inputHash' | 'options' | 'known'>;
  readonly target: CallTarget;
  readonly budget: Budget;
  readonly permitted?: PermittedCall;
}

/** Opens the frame for a call. `earlier` is the frame of the previous attempt, if this is a retry. */
export function openFrame(caller: Frame, { call, target, budget }: FrameCall, earlier?: Frame): Frame {
  const { id, input, inputHash, options } = call;
  const frame = caller.enter({
    id,
    skill: target.skill,
    input,
    inputHash,
    depth: caller.depth + 1,
    budget,
    options,
  });
  if (earlier !== undefined) frame.countOn(earlier);
  return frame;
}

/**
 * Stops the frame if it exceeds its time limit or its caller cancels it, until the returned object is
 * disposed.
 */
export function boundFrame(execution: Execution, frame: Frame, opened: FrameCall): Disposable {
  const { callSeconds } = opened.budget.limits;
  const stopLate = (): void => {
    frame.stop(overLimit('limit.time', `${callSeconds} seconds for one call`, 'callSeconds'));
  };
  const deadline = timer(timeLeft(execution, opened), stopLate);
  const caller = onAbort(opened.call.options.signal, () => {
    frame.stop(calledOff);
  });
  const bounds = new DisposableStack(); // Is disposed only once.
  bounds.use(deadline);
  bounds.use(caller);
  if (frame.isLive) frame.bounds = bounds;
  else bounds.dispose();
  return bounds;
}

/**
 * Records that a frame began, unless the log already contains that event. Throws if the call has been
 * cancelled.
 */
export async function beginFrame(execution: Execution, frame: Frame, opened: FrameCall): Promise<void> {
  const { call } = opened;
  const { journal, state } = execution;
  if (!state.frames.has(call.id)) {
    const start = startOf(execution, frame, opened);
    await frame.busy<unknown>(() =>
      mayRepeat(opened.target) ? journal.addStart(call.id, start) : journal.add(call.id, start),
    );
  }
  throwIfCancelled(call);
}

/** Whether a call has no effects: a read-only tool that is defined in code. */
function mayRepeat({ skill, family, definition }: CallTarget): boolean {
  if (skill.codeDefinition === undefined) return false;
  const { readOnly, runsProcesses, pin } = family.permission?.describe?.(definition) ?? {};
  return readOnly === true && runsProcesses !== true && pin === undefined;
}

/**
 * Waits for a frame's work, then atomically records the end of the frame and of all frames that are still
 * open below it. If another call has changed a memory value that this call read and wrote, calls `again` to
 * repeat the work, unless the work had effects. In that case, the call fails.
 */
export async function endFrame(
  execution: Execution,
  frame: Frame,
  work: Promise<Output>,
  again?: () => Promise<Output>,
): Promise<Output> {
  const { journal, turns } = execution;
  let output: Output;
  try {
    output = cleanOutput(await frame.settle(work), execution.kernel.redact);
    if (output.status === 'done') await frame.settle(writeToCaller(execution, frame));
  } catch (thrown) {
    output = failedOutput(execution.cleanError(thrown));
  }
  const caller = frame.parent ?? execution.top;
  // Whether the frame has already ended, or its caller is no longer live.
  const isWritten = (): boolean => frame.isEnded || !caller.isLive;
  if (isWritten()) return output;
  frame.end(ended);
  await caller.busy(() => closeBelow(frame)); // Frames below this frame must end before it.
  if (isWritten()) return output;
  const ends = endsBelow(execution.state, frame, callerEnded);
  const end = { frameId: frame.id, body: endWith(execution, frame, output) };
  const entries = output.status === 'done' ? memoryEntries(execution, frame) : [];
  frame.isEnded = true;
  const conflict = await caller.busy(async () => {
    try {
      await turns.inTurn(await journal.addAll([...ends, end], entries));
    } catch (thrown) {
      if (again !== undefined && hasOnlyRead(execution, frame)) return again;
      output = failedOutput(execution.cleanError(thrown));
      const failed = { frameId: frame.id, body: endWith(execution, frame, output) };
      await turns.inTurn(await journal.addAll([...ends, failed]));
    }
    return undefined;
  });
  frame.leave();
  return conflict === undefined ? output : await conflict();
}

/** Whether a call has recorded nothing but memory reads. */
function hasOnlyRead({ journal }: Execution, { id }: Frame): boolean {
  return journal.events.every((event) => {
    if (event.type === 'frame.started') return event.parent !== id;
    if (event.frameId !== id) return true;
    return (event.type === 'step.started' || event.type === 'step.ended') && isMemoryKey(event.key);
  });
}

async function closeBelow(frame: Frame): Promise<void> {
  await Promise.all(frame.open.map(({ resources }) => resources.close()));
}

function endWith(execution: Execution, frame: Frame, output: Output): FrameEnded {
  const ran = [...frame.ran].filter((digest) => !isNamed(execution, frame, digest));
  const end: FrameEnded = { type: 'frame.ended', output, ...(ran.length === 0 ? {} : { ran }) };
  if (output.status === 'failed' || frame.writes.size === 0) return end;
  const set = [...frame.writes].filter((write): write is [string, Json] => write[1] !== undefined);
  const forgot = [...frame.writes].filter(([, value]) => value === undefined).map(([key]) => key);
  return {
    ...end,
    ...(set.length === 0 ? {} : { memory: Object.fromEntries(set) }),
    ...(forgot.length === 0 ? {} : { forgot }),
  };
}

/** Whether this digest was already recorded when the frame, or a frame above it, began. */
function isNamed({ state }: Execution, frame: Frame, digest: string): boolean {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent)
    if (state.frames.get(at.id)?.started.digest === digest) return true;
  return false;
}

function startOf(execution: Execution, frame: Frame, { call, target }: FrameCall): EventBody {
  const { skill, family, digest, isLeaf, isProvided } = target;
  const tools = call.options.mode === 'load' ? loadedTools(skill.card) : undefined;
  return {
    type: 'frame.started',
    parent: frame.parent?.id ?? '',
    key: call.key,
    request: call.request,
    skill: isProvided === true ? execution.cleanKey(skill.name) : skill.name,
    family: family.id,
    depth: frame.depth,
    input: call.input,
    ...optional('through', call.options.mode),
    ...(digest === undefined ? {} : { digest }),
    ...optional('tools', tools && (execution.clean(tools) as LoadedTools)),
    leaf: isLeaf,
    ...optional('provided', isProvided),
  };
}

function loadedTools({ allowedTools, disallowedTools, enforceTools }: SkillCard): LoadedTools | undefined {
  if (allowedTools === undefined && disallowedTools === undefined) return undefined;
  return {
    ...optional('allowed', allowedTools),
    ...optional('disallowed', disallowedTools),
    ...(enforceTools === true ? { isWhole: true } : {}),
  };
}

/**
 * Returns the remaining working time of a call, in milliseconds. The time that the call worked before an
 * interruption has already been subtracted.
 */
function timeLeft({ state }: Execution, { call, budget }: FrameCall): number {
  const used = call.known === undefined ? 0 : state.activeSince(call.known.at);
  return budget.limits.callSeconds * 1000 - used;
}

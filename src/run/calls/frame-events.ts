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
import { failedOutput } from '../log/sanitize.ts';
import type { PermittedCall } from '../permissions/permit.ts';
import { memoryEntries } from '../scope/step.ts';
import { overLimit, type Budget } from './budget.ts';
import type { Call } from './call.ts';
import type { Frame, CallTarget } from './frame.ts';

const ended = new AgentError(callerEnded.code, callerEnded.message); // made once: a trace costs more than a call
const calledOff = new AgentError('usage.cancelled', 'Its caller called it off.');

/** Throws `usage.cancelled` for a call that was called off by now. */
export function mustBeWanted({ options }: Pick<Call, 'options'>): void {
  if (options.signal?.aborted === true) throw calledOff;
}

/** What a frame is opened for. */
export interface FrameCall {
  readonly call: Pick<Call, 'id' | 'key' | 'request' | 'input' | 'inputHash' | 'options' | 'known'>;
  readonly target: CallTarget;
  readonly budget: Budget;
  readonly permitted?: PermittedCall;
}

/** Opens the frame of a call below its caller. */
export function openFrame(caller: Frame, { call, target, budget }: FrameCall): Frame {
  const { id, input, inputHash, options } = call;
  return caller.enter({
    id,
    skill: target.skill,
    input,
    inputHash,
    depth: caller.depth + 1,
    budget,
    options,
  });
}

/** Stops a frame when its time is over or its caller calls it off, until the returned object is disposed of. */
export function boundFrame(execution: Execution, frame: Frame, opened: FrameCall): Disposable {
  const { callSeconds } = opened.budget.limits;
  const stopLate = (): void => {
    frame.stop(overLimit('limit.time', `${callSeconds} seconds for one call`, 'callSeconds'));
  };
  const deadline = timer(timeLeft(execution, opened), stopLate, frame.signal);
  const caller = onAbort(opened.call.options.signal, () => {
    frame.stop(calledOff);
  });
  return {
    [Symbol.dispose]() {
      deadline[Symbol.dispose]();
      caller[Symbol.dispose]();
    },
  };
}

/** Records that a frame began, unless the log says so already; throws for a call that was called off by now. */
export async function beginFrame(execution: Execution, frame: Frame, opened: FrameCall): Promise<void> {
  const { call } = opened;
  if (call.known === undefined)
    await frame.busy(() => execution.journal.add(call.id, startOf(execution, frame, opened)));
  mustBeWanted(call);
}

/** Waits for the work in a frame and records its end, and that of everything it left open, all or nothing. */
export async function endFrame(execution: Execution, frame: Frame, work: Promise<Output>): Promise<Output> {
  let output: Output;
  try {
    output = execution.cleanOutput(await frame.settle(work));
  } catch (thrown) {
    output = failedOutput(execution.cleanError(thrown));
  }
  const caller = frame.parent ?? execution.top;
  const isWritten = (): boolean => frame.isEnded || !caller.isLive; // whoever stopped it writes its end
  if (isWritten()) return output;
  frame.end(ended);
  await caller.busy(() => closeBelow(frame)); // first: its turn comes when everything of it is done
  if (isWritten()) return output;
  const ends = endsBelow(execution.state, frame, callerEnded);
  const end = { frameId: frame.id, body: endWith(execution, frame, output) };
  const entries = output.status === 'done' ? memoryEntries(execution, frame) : [];
  frame.isEnded = true;
  await caller.busy(async () => {
    await execution.turns.inTurn(await execution.journal.addAll([...ends, end], entries));
  });
  frame.leave();
  return output;
}

async function closeBelow(frame: Frame): Promise<void> {
  await Promise.all(frame.open.map(({ keeper }) => keeper.close()));
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

/** Whether the beginning of a frame, or of one around it, tells this digest. */
function isNamed({ state }: Execution, frame: Frame, digest: string): boolean {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent)
    if (state.frames.get(at.id)?.started.digest === digest) return true;
  return false;
}

function startOf(execution: Execution, frame: Frame, { call, target }: FrameCall): EventBody {
  const { skill, family, digest, isLeaf, isProvided } = target;
  const tools = call.options.through === 'load' ? loadedTools(skill.card) : undefined;
  return {
    type: 'frame.started',
    parent: frame.parent?.id ?? '',
    key: call.key,
    request: call.request,
    skill: isProvided === true ? execution.cleanKey(skill.name) : skill.name,
    family: family.id,
    depth: frame.depth,
    input: call.input,
    ...optional('through', call.options.through),
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

/** Milliseconds that a call may still work; what it worked before an interruption counts. */
function timeLeft({ state }: Execution, { call, budget }: FrameCall): number {
  const used = call.known === undefined ? 0 : state.activeSince(call.known.at);
  return budget.limits.callSeconds * 1000 - used;
}

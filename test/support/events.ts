import type { ErrorCode } from '../../src/core/error.ts';
import type { Envelope, EventBody, FrameStarted, RunEvent, RunStarted } from '../../src/core/event.ts';
import type { Json } from '../../src/core/json.ts';
import type { Usage } from '../../src/core/model.ts';
import type { Output } from '../../src/core/run.ts';
import type { Approval } from '../../src/core/policy.ts';
import { defaultRunLimits } from '../../src/core/policy/run-limits.ts';

/**
 * An event with an optional envelope. By default, it belongs to the run as a whole and occurs 100 ms after
 * the previous event.
 */
export type LogEntry = EventBody & Partial<Envelope>;

/** Returns the log of run `r1`, which starts at time 0. */
export function log(...entries: readonly LogEntry[]): readonly RunEvent[] {
  let last = -100;
  return entries.map((entry, index): RunEvent => {
    last = entry.at ?? last + 100;
    return { v: 1, runId: 'r1', frameId: '', seq: index + 1, ...entry, at: last };
  });
}

/** Returns the entry with the given time in milliseconds. */
export function at(moment: number, entry: LogEntry): LogEntry {
  return { ...entry, at: moment };
}

/** Returns the first events of a run of a skill. Its frame is `f1`. */
export function begin(skill: string, more: Partial<RunStarted> = {}): readonly LogEntry[] {
  return [runStarted(skill, more), called('f1', '', skill)];
}

export function runStarted(skill: string, more: Partial<RunStarted> = {}): LogEntry {
  const limits = defaultRunLimits;
  return { type: 'run.started', skill, input: null, session: 's1', limits, at: 0, ...more };
}

export function runEnded(status: 'done' | 'failed' | 'cancelled', output: Output): LogEntry {
  return { type: 'run.ended', status, output };
}

export const resumed: LogEntry = { type: 'run.resumed', owner: 'o2' };

export function waiting(...questions: readonly string[]): LogEntry {
  return { type: 'run.waiting', questions };
}

export function called(
  frameId: string,
  parent: string,
  skill: string,
  more: Partial<FrameStarted> = {},
): LogEntry {
  const facts = {
    key: frameId,
    request: 'h',
    family: 'made',
    depth: parent === '' ? 1 : 2,
    input: null,
    leaf: false,
  };
  return { type: 'frame.started', frameId, parent, skill, ...facts, ...more };
}

export function ended(frameId: string, output: Output = done()): LogEntry {
  return { type: 'frame.ended', frameId, output };
}

export function done(text = 'ok', value?: Json): Output {
  return { status: 'done', text, ...(value === undefined ? {} : { value }) };
}

export function failed(message: string, code: ErrorCode = 'skill.failed'): Output {
  return { status: 'failed', text: message, error: { code, message } };
}

export function refused(
  frameId: string,
  skill: string,
  message: string,
  code: ErrorCode = 'policy.denied',
): LogEntry {
  return {
    type: 'call.refused',
    frameId,
    key: skill,
    request: 'h',
    skill,
    input: null,
    error: { code, message },
  };
}

export function stepStarted(frameId: string, key: string): LogEntry {
  return { type: 'step.started', frameId, key, request: 'h' };
}

export function stepEnded(frameId: string, key: string): LogEntry {
  return { type: 'step.ended', frameId, key, value: 1 };
}

export function modelStarted(frameId: string, key: string, model = 'any/small'): LogEntry {
  return { type: 'model.started', frameId, key, request: 'h', tier: 'fast', model, kept: 0, added: [] };
}

export function modelEnded(frameId: string, key: string, usage: Usage): LogEntry {
  return { type: 'model.ended', frameId, key, reply: { text: '', calls: [], reason: 'answer', usage } };
}

export function asked(frameId: string, key: string, text: string): LogEntry {
  return {
    type: 'input.requested',
    frameId,
    key,
    request: 'h',
    id: `q-${frameId}-${key}`,
    question: { text },
  };
}

export function answered(frameId: string, key: string, answer: Json): LogEntry {
  return { type: 'input.resolved', frameId, key, answer };
}

export function approvalAsked(frameId: string, key: string, skill: string, caller?: string): LogEntry {
  const asks = { skill, input: null, reason: 'it runs code.', rule: skill };
  return {
    type: 'approval.requested',
    frameId,
    key,
    request: 'h',
    id: `a-${frameId}-${key}`,
    asks: caller === undefined ? asks : { ...asks, caller },
  };
}

export function approvalDecided(frameId: string, key: string, answer: Approval): LogEntry {
  return { type: 'approval.resolved', frameId, key, answer };
}

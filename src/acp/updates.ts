import type { PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk';
import { createAnswerText } from '../agent/streams/answer-text.ts';
import { isJsonObject, type Json, type Output, type RunEvent, type RunResult } from '../core/index.ts';
import { frameIdOf } from '../run/log/sanitize.ts';
import { describeCall } from './tool-call.ts';

/** Converts the events of a run to the updates that an editor shows. */
export interface RunUpdates {
  /** Returns the updates for an event. */
  add(event: RunEvent): readonly SessionUpdate[];
  /** Returns the updates for what no event has shown, once the run has ended or waits. */
  end(result: RunResult): readonly SessionUpdate[];
}

/**
 * Creates a converter for one run: the answer as it is written, the calls at every depth with the path of
 * their callers, and the task list.
 */
export function createUpdates(cwd: string): RunUpdates {
  const answer = createAnswerText();
  const paths = new Map<string, readonly string[]>();
  const calls = new Set<string>();

  const open = (id: string, path: readonly string[], input: Json): SessionUpdate => {
    calls.add(id);
    const { title, ...shown } = describeCall(path.at(-1) ?? '', input, cwd);
    const callers = path.slice(0, -1).map((name) => `${name} › `);
    return {
      sessionUpdate: 'tool_call',
      toolCallId: id,
      title: `${callers.join('')}${title}`,
      ...shown,
      status: 'pending',
      rawInput: input,
    };
  };

  return {
    add(event) {
      const text = answer.add(event);
      const { frameId } = event;
      switch (event.type) {
        case 'frame.started': {
          if (event.through === 'hook') return textUpdates(text);
          const isRoot = event.parent === '';
          const path = isRoot ? [] : [...(paths.get(event.parent) ?? []), event.skill];
          paths.set(frameId, path);
          if (isRoot) return textUpdates(text);
          const opened = calls.has(frameId) ? [] : [open(frameId, path, event.input)];
          return [...textUpdates(text), ...opened, statusOf(frameId, 'in_progress')];
        }
        case 'approval.requested': {
          const { asks, key } = event;
          const id = toolCallIdOf(frameId, key);
          if (calls.has(id)) return textUpdates(text);
          return [...textUpdates(text), open(id, [...(paths.get(frameId) ?? []), asks.skill], asks.input)];
        }
        case 'call.refused': {
          const { key, skill, input, error } = event;
          const id = frameIdOf(frameId, key);
          const opened = calls.has(id) ? [] : [open(id, [...(paths.get(frameId) ?? []), skill], input)];
          return [...textUpdates(text), ...opened, ended(id, { status: 'failed', text: '', error })];
        }
        case 'frame.ended': {
          if (!calls.has(frameId)) return textUpdates(text);
          const { output } = event;
          const plan = output.status === 'done' ? planIn(output.value) : undefined;
          return [...textUpdates(text), ended(frameId, output), ...(plan === undefined ? [] : [plan])];
        }
        default:
          return textUpdates(text);
      }
    },
    end: (result) => textUpdates(answer.end(result)),
  };
}

/** Returns the id that an editor uses for the call that an approval is about. Pure. */
export function toolCallIdOf(frameId: string, key: string): string {
  return frameIdOf(frameId, key.replace(/^approve(?:-again:\d+)?:/, ''));
}

function textUpdates(text: string): readonly SessionUpdate[] {
  return text === ''
    ? []
    : [{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } satisfies SessionUpdate];
}

function statusOf(toolCallId: string, status: 'in_progress' | 'failed'): SessionUpdate {
  return { sessionUpdate: 'tool_call_update', toolCallId, status };
}

function ended(toolCallId: string, output: Output): SessionUpdate {
  const isDone = output.status === 'done';
  const text = isDone ? output.text : output.error.message;
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: isDone ? 'completed' : 'failed',
    ...(text === '' ? {} : { content: [{ type: 'content', content: { type: 'text', text } }] }),
    ...(isDone ? optionalOutput(output.value) : { rawOutput: output.error }),
  };
}

function optionalOutput(value: Json | undefined): { readonly rawOutput?: Json } {
  return value === undefined ? {} : { rawOutput: value };
}

const planStatus = { pending: 'pending', doing: 'in_progress', done: 'completed' } as const;

/** Returns the task list in a call's value as the plan that editors show, or undefined if it is not a task list. */
function planIn(value: Json | undefined): SessionUpdate | undefined {
  const items = isJsonObject(value) && Object.keys(value).length === 1 ? value['items'] : undefined;
  if (!Array.isArray(items)) return undefined;
  const entries = items.map(planEntry);
  return entries.every((entry) => entry !== undefined) ? { sessionUpdate: 'plan', entries } : undefined;
}

function planEntry(item: Json): PlanEntry | undefined {
  if (!isJsonObject(item)) return undefined;
  const { text, status } = item;
  if (typeof text !== 'string' || typeof status !== 'string' || !Object.hasOwn(planStatus, status))
    return undefined;
  return { content: text, priority: 'medium', status: planStatus[status as keyof typeof planStatus] };
}

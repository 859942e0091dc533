import type { Json, RunEvent, RunHandle, RunResult } from '../../core/index.ts';
import { frameIdOf } from '../../run/log/sanitize.ts';
import { createAnswerText } from './answer-text.ts';

/** A chunk of a message in the format of the AI SDK's `useChat`, as far as runs have such chunks. */
export type UiMessageChunk =
  | { readonly type: 'start'; readonly messageMetadata: UiRun }
  | { readonly type: 'text-start' | 'text-end'; readonly id: string }
  | { readonly type: 'text-delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Json;
      readonly dynamic: true;
    }
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly reason: string;
    }
  | {
      readonly type: 'tool-approval-response';
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: Json;
      readonly dynamic: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly dynamic: true;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'abort'; readonly reason?: string }
  | {
      readonly type: 'finish';
      readonly finishReason: 'stop' | 'tool-calls' | 'error';
      readonly messageMetadata: UiRun;
    };

/** The run that wrote a message. It is part of the message's metadata. */
export interface UiRun {
  readonly runId: string;
  readonly status: RunResult['status'];
  readonly skill?: string;
  /** The number of the run's events that the message shows. */
  readonly seq?: number;
}

/** Options for converting a run to chunks. */
export interface UiMessageOptions {
  /** The number of the run's first events to leave out, because the message already shows them. */
  readonly after?: number;
}

/**
 * Converts a run to a stream of message chunks: its text, the calls of its outermost skill, and the calls that
 * wait for approval.
 */
export function toUIMessageStream(
  run: RunHandle,
  options: UiMessageOptions = {},
): ReadableStream<UiMessageChunk> {
  return ReadableStream.from(readChunks(run, options));
}

/** Returns the id under which a message asks for an approval. */
export function approvalIdOf(runId: string, questionId: string): string {
  return `${runId}/${questionId}`;
}

async function* readChunks(
  run: RunHandle,
  { after = 0 }: UiMessageOptions,
): AsyncGenerator<UiMessageChunk, void> {
  const answer = createAnswerText();
  const calls = createCalls();
  let part: string | undefined;
  let parts = 0;
  let seq = 0;
  let isStarted = false;

  const text = function* (delta: string): Generator<UiMessageChunk, void> {
    if (delta === '') return;
    if (part === undefined) {
      part = `text-${seq}-${++parts}`;
      yield { type: 'text-start', id: part };
    }
    yield { type: 'text-delta', id: part, delta };
  };
  const endText = function* (): Generator<UiMessageChunk, void> {
    if (part !== undefined) yield { type: 'text-end', id: part };
    part = undefined;
  };

  for await (const event of run.events) {
    if (!isStarted) yield { type: 'start', messageMetadata: { runId: run.id, status: 'running' } };
    isStarted = true;
    if (event.seq > 0) seq = event.seq;
    const delta = answer.add(event);
    const chunks = calls.add(event);
    if (event.seq > 0 && event.seq <= after) continue;
    // A paragraph break at the start of a text part would show as an empty line.
    yield* text(part === undefined ? delta.trimStart() : delta);
    if (chunks.length > 0 || event.type === 'model.ended') yield* endText();
    yield* chunks;
  }
  const result = await run.result;
  if (!isStarted) yield { type: 'start', messageMetadata: { runId: run.id, status: result.status } };
  yield* text(answer.end(result).trimStart());
  yield* endText();
  yield* endOf(result, seq);
}

function* endOf(result: RunResult, seq: number): Generator<UiMessageChunk, void> {
  const { runId, status, skill, error, question } = result;
  if (status === 'cancelled') {
    yield { type: 'abort', ...(error === undefined ? {} : { reason: error.message }) };
    return;
  }
  const isFailed = status !== 'done' && status !== 'waiting';
  if (isFailed) yield { type: 'error', errorText: error?.message ?? `The run is ${status}.` };
  const waitsForApproval = question?.kind === 'approval';
  yield {
    type: 'finish',
    finishReason: isFailed ? 'error' : waitsForApproval ? 'tool-calls' : 'stop',
    messageMetadata: { runId, status, skill, seq },
  };
}

/** Converts the calls of a run to chunks. */
interface Calls {
  add(event: RunEvent): readonly UiMessageChunk[];
}

function createCalls(): Calls {
  let root: string | undefined;
  const shown = new Set<string>();
  const loads = new Set<string>();
  const approvals = new Map<string, string>();

  const open = (toolCallId: string, toolName: string, input: Json): readonly UiMessageChunk[] => {
    if (shown.has(toolCallId)) return [];
    shown.add(toolCallId);
    return [{ type: 'tool-input-available', toolCallId, toolName, input, dynamic: true }];
  };

  return {
    add(event) {
      const { frameId, runId } = event;
      switch (event.type) {
        case 'frame.started': {
          if (event.parent === '') root ??= frameId;
          if (event.through === 'load') loads.add(frameId);
          const isCall = event.parent === root && event.through !== 'hook';
          return isCall ? open(frameId, event.skill, event.input) : [];
        }
        case 'call.refused': {
          const id = frameIdOf(frameId, event.key);
          if (frameId !== root && !shown.has(id)) return [];
          return [...open(id, event.skill, event.input), failed(id, event.error)];
        }
        case 'approval.requested': {
          const { asks, id, key } = event;
          const callId = frameIdOf(frameId, key.replace(/^approve:/, ''));
          const approvalId = approvalIdOf(runId, id);
          approvals.set(`${frameId}/${key}`, approvalId);
          const request = {
            type: 'tool-approval-request',
            approvalId,
            toolCallId: callId,
            reason: asks.reason,
          } as const;
          return [...open(callId, asks.skill, asks.input), request];
        }
        case 'approval.resolved': {
          const approvalId = approvals.get(`${frameId}/${event.key}`);
          if (approvalId === undefined) return [];
          const isAllowed = 'allow' in event.answer;
          const reason = isAllowed ? {} : { reason: event.answer.deny };
          return [{ type: 'tool-approval-response', approvalId, approved: isAllowed, ...reason }];
        }
        case 'frame.ended': {
          if (!shown.has(frameId)) return [];
          const { output } = event;
          if (output.status === 'failed') return [failed(frameId, output.error)];
          const value = loads.has(frameId) ? output.text : (output.value ?? output.text);
          return [{ type: 'tool-output-available', toolCallId: frameId, output: value, dynamic: true }];
        }
        default:
          return [];
      }
    },
  };
}

function failed(
  toolCallId: string,
  { code, message }: { readonly code: string; readonly message: string },
): UiMessageChunk {
  return code === 'policy.denied'
    ? { type: 'tool-output-denied', toolCallId }
    : { type: 'tool-output-error', toolCallId, errorText: message, dynamic: true };
}

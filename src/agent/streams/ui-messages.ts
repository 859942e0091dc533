import type { Json, RunEvent, RunHandle, RunResult } from '../../core/index.ts';
import { frameIdOf } from '../../run/log/sanitize.ts';
import { createAnswerText } from './answer-text.ts';

/** A chunk of a message in the format of the AI SDK's `useChat`, as far as runs have such chunks. */
export type UiMessageChunk =
  | { readonly type: 'start'; readonly messageMetadata: UiRun }
  | { readonly type: 'start-step' }
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
  /**
   * What an earlier message shows. If its question was answered and its run continues, the new message leaves
   * out what the earlier one shows, except calls in progress.
   */
  readonly earlier?: Pick<UiRun, 'runId' | 'seq'>;
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
  { after = 0, earlier }: UiMessageOptions,
): AsyncGenerator<UiMessageChunk, void> {
  const answer = createAnswerText();
  const calls = createCalls();
  let part: string | undefined;
  let parts = 0;
  let seq = 0;
  let isStarted = false;
  let before = 0;

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
    if (!isStarted && earlier?.runId === run.id) before = earlier.seq ?? 0;
    isStarted = true;
    if (event.seq > 0) seq = event.seq;
    const isShown = event.seq > 0 && event.seq <= after;
    const delta = answer.add(event);
    const chunks = calls.add(event, isShown);
    if (isShown || (event.seq > 0 && event.seq <= before)) continue;
    if (before > 0) yield* calls.running();
    before = 0;
    // A paragraph break at the start of a text part would show as an empty line.
    yield* text(part === undefined ? delta.trimStart() : delta);
    if (chunks.length > 0 || event.type === 'model.ended') yield* endText();
    yield* chunks;
  }
  const result = await run.result;
  if (!isStarted) yield { type: 'start', messageMetadata: { runId: run.id, status: result.status } };
  yield* text(answer.end(result).trimStart());
  yield* endText();
  yield* calls.end();
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
  /** Returns the chunks for an event. If the message already shows the event, they are not sent. */
  add(event: RunEvent, isShown: boolean): readonly UiMessageChunk[];
  /** Returns the chunks that open the calls in progress. */
  running(): readonly UiMessageChunk[];
  /** Returns the chunks for the calls that wait for approval once the run waits. */
  end(): readonly UiMessageChunk[];
}

function createCalls(): Calls {
  let root: string | undefined;
  const shown = new Set<string>();
  const loads = new Set<string>();
  const running = new Map<string, UiMessageChunk>();
  const approvals = new Map<string, Asked>();

  const open = (toolCallId: string, toolName: string, input: Json): readonly UiMessageChunk[] => {
    if (shown.has(toolCallId)) return [];
    shown.add(toolCallId);
    const chunk = { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true } as const;
    running.set(toolCallId, chunk);
    return [chunk];
  };

  return {
    add(event, isShown) {
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
          const chunks = open(id, event.skill, event.input);
          running.delete(id);
          return [...chunks, failed(id, event.error)];
        }
        case 'approval.requested': {
          const { asks, id, key } = event;
          const toolCallId = frameIdOf(frameId, key.replace(/^approve(?:-again:\d+)?:/, ''));
          const approvalId = approvalIdOf(runId, id);
          const type = 'tool-approval-request';
          const chunks = [
            ...open(toolCallId, asks.skill, asks.input),
            { type, approvalId, toolCallId, reason: asks.reason } as const,
          ];
          running.delete(toolCallId);
          approvals.set(`${frameId}/${key}`, { approvalId, chunks: isShown ? [] : chunks });
          return [];
        }
        case 'approval.resolved': {
          const asked = approvals.get(`${frameId}/${event.key}`);
          if (asked === undefined) return [];
          approvals.delete(`${frameId}/${event.key}`);
          const { approvalId, chunks } = asked;
          const isAllowed = 'allow' in event.answer;
          const reason = isAllowed ? {} : { reason: event.answer.deny };
          return [...chunks, { type: 'tool-approval-response', approvalId, approved: isAllowed, ...reason }];
        }
        case 'frame.ended': {
          if (!shown.has(frameId)) return [];
          running.delete(frameId);
          const { output } = event;
          if (output.status === 'failed') return [failed(frameId, output.error)];
          const value = loads.has(frameId) ? output.text : (output.value ?? output.text);
          return [{ type: 'tool-output-available', toolCallId: frameId, output: value, dynamic: true }];
        }
        default:
          return [];
      }
    },
    running: () => [...running.values()],
    end() {
      const chunks = [...approvals.values()].flatMap((asked) => asked.chunks);
      // `useChat` sends decisions once no call of the last step is running, so running calls need their own.
      return running.size === 0 || chunks.length === 0 ? chunks : [{ type: 'start-step' }, ...chunks];
    },
  };
}

/** A call that waits for approval. */
interface Asked {
  readonly approvalId: string;
  /** The chunks that ask for the approval. Empty if the message already shows them. */
  readonly chunks: readonly UiMessageChunk[];
}

function failed(
  toolCallId: string,
  { code, message }: { readonly code: string; readonly message: string },
): UiMessageChunk {
  return code === 'policy.denied'
    ? { type: 'tool-output-denied', toolCallId }
    : { type: 'tool-output-error', toolCallId, errorText: message, dynamic: true };
}

import { hash } from 'node:crypto';
import { AgentError, eventVersion, type NewEvent, type RunEvent } from '../core/index.ts';

/** An event as it is kept, its place and its run aside. */
export interface EventRecord {
  readonly v: number;
  readonly at: number;
  readonly frame_id: string;
  readonly type: string;
  /** What is left of it, as JSON text. */
  readonly body: string;
}

/** What is kept of an event; members of the envelope that it may carry already are not believed. */
export function toRecord(event: NewEvent): EventRecord {
  const { v, runId, seq, frameId, at, type, ...body } = event as RunEvent;
  return { v: eventVersion, at, frame_id: encodeText(frameId), type, body: JSON.stringify(body) };
}

/** The event that was kept at this place of a run; a fresh object each time. */
export function toEvent(runId: string, seq: number, record: EventRecord): RunEvent {
  const { v, at, frame_id, type, body } = record;
  if (v > eventVersion) {
    throw unreadable(runId, seq, 'was written by a newer version', 'Update the package.');
  }
  const envelope = { v, runId, frameId: decodeText(frame_id), seq, at, type };
  return { ...envelope, ...bodyOf(runId, seq, body) } as RunEvent;
}

function bodyOf(runId: string, seq: number, text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    throw unreadable(runId, seq, 'is damaged', `Restore the store from a copy, or remove the run ${runId}.`);
  }
}

function unreadable(runId: string, seq: number, why: string, hint: string): AgentError {
  return new AgentError('sandbox.store', `Event ${seq} of run ${runId} ${why}.`, { hint });
}

const longestAddress = 256; // two of them fit into one row of a PostgreSQL index

/** Any string as text that every database keeps as it is: controls, halves of pairs and the backslash become `\uXXXX`. */
export function encodeText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\\]/gu, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The string that `encodeText` was given. */
export function decodeText(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

/** What stands for a string in a key: itself while it is short, else its hash; no two strings share one. */
export function addressOf(text: string): string {
  const encoded = encodeText(text);
  return encoded.length <= longestAddress ? encoded : `\\#${hash('sha256', encoded)}`;
}

/** The string itself where its address does not tell it. */
export function longTextOf(text: string): string | null {
  const encoded = encodeText(text);
  return encoded.length <= longestAddress ? null : encoded;
}

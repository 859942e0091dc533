import { hash } from 'node:crypto';
import { AgentError, eventVersion, type NewEvent, type RunEvent } from '../core/index.ts';

/** A stored event, without its run id and its sequence number. */
export interface EventRecord {
  readonly v: number;
  readonly at: number;
  readonly frame_id: string;
  readonly type: string;
  /** The other fields of the event, as JSON text. */
  readonly body: string;
}

/**
 * Converts an event to its stored form. Omits the run id and sequence number, and always sets the current
 * version.
 */
export function toRecord(event: NewEvent): EventRecord {
  const { v, runId, seq, frameId, at, type, ...body } = event as RunEvent;
  return { v: eventVersion, at, frame_id: encodeText(frameId), type, body: JSON.stringify(body) };
}

/** Restores an event of a run from its stored form. Returns a new object each time. */
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
    throw unreadable(runId, seq, 'is damaged', `Restore the store from a backup, or remove run ${runId}.`);
  }
}

function unreadable(runId: string, seq: number, why: string, hint: string): AgentError {
  return new AgentError('sandbox.store', `Event ${seq} of run ${runId} ${why}.`, { hint });
}

const longestAddress = 256; // Two addresses of this length fit into one entry of a PostgreSQL index.

/**
 * Encodes control characters, lone surrogates and backslashes as `\uXXXX`, so that every database stores the
 * result unchanged.
 */
export function encodeText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\\]/gu, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Reverses `encodeText`. */
export function decodeText(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

/**
 * Returns the key under which a string is stored: the encoded string if it is short enough, otherwise its
 * hash. Different strings have different keys.
 */
export function addressOf(text: string): string {
  const encoded = encodeText(text);
  return encoded.length <= longestAddress ? encoded : `\\#${hash('sha256', encoded)}`;
}

/** Returns the encoded string if it is too long to be a key, otherwise null. */
export function longTextOf(text: string): string | null {
  const encoded = encodeText(text);
  return encoded.length <= longestAddress ? null : encoded;
}

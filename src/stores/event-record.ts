import { eventVersion, type NewEvent, type RunEvent } from '../core/event.ts';
import { decodeText, encodeText } from './stored-text.ts';

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
  const envelope = { v, runId, frameId: decodeText(frame_id), seq, at, type };
  return { ...envelope, ...(JSON.parse(body) as object) } as RunEvent;
}

import {
  detach,
  memorySpace,
  summariesSpace,
  summaryKey,
  type Json,
  type Memory,
  type StoreEntry,
} from '../../core/index.ts';
import type { Frame } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { mustBeOutside } from '../log/replay.ts';
import { contentKey } from '../log/sanitize.ts';
import { readStep } from './step.ts';

/**
 * Creates a frame's view of its session's memory. Each read is a step. Writes are stored when the frame ends,
 * unless another call has changed the same value since the frame read it.
 */
export function createMemory(execution: Execution, frame: Frame): Memory {
  let listed: ReadonlyMap<string, Json> | undefined; // The stored values, as of the last listing.
  const read = async (key: string): Promise<Json> => {
    const value = await readStored(execution, entryKey(frame, key));
    if (value !== undefined || key !== summaryKey) return optionalValue(value);
    const summary = await readSummary(execution);
    return summary === undefined ? [] : [summary, 'shared'];
  };
  const find = async (given: string): Promise<Json | undefined> => {
    mustBeOutside(frame);
    const key = execution.cleanKey(given);
    const step = frame.occurrence(contentKey('memory', key));
    // A value that the skill sets while a read is pending is not what the read returns.
    const own = frame.writes.has(key) ? optionalValue(frame.writes.get(key)) : undefined;
    const readNow = (): unknown => own ?? read(key);
    const [value, shared] = (await readStep(execution, frame, step, readNow)) as readonly Json[];
    if (own === undefined) frame.reads.set(key, shared === undefined ? detach(value) : undefined);
    return value;
  };
  const list = async (): Promise<ReadonlyMap<string, Json>> => {
    mustBeOutside(frame);
    const own = new Map(frame.writes);
    const readBoth = async (): Promise<Json> => {
      const stored = await readAll(execution, entryKey(frame, ''));
      const summary = stored.has(summaryKey) ? undefined : await readSummary(execution);
      return [[...stored].map(([key, value]) => [key, value]), ...optionalValue(summary)];
    };
    const step = frame.occurrence(contentKey('memory', null));
    const [pairs, summary] = (await readStep(execution, frame, step, readBoth)) as unknown as Listing;
    listed = new Map(detach(pairs));
    const entries = new Map(pairs);
    for (const [key, value] of [[summaryKey, entries.get(summaryKey) ?? summary], ...own] as const)
      if (value === undefined) entries.delete(key);
      else entries.set(key, value);
    return entries;
  };
  const write = (given: string, value: Json | undefined): void => {
    mustBeOutside(frame);
    if (!frame.isLive) return;
    const key = execution.cleanKey(given);
    if (listed !== undefined && !frame.reads.has(key) && !frame.writes.has(key))
      frame.reads.set(key, listed.get(key));
    frame.writes.set(key, value === undefined ? undefined : execution.clean(value));
  };
  return {
    get: (key) => handled(find(key)),
    has: (key) => handled(find(key).then((value) => value !== undefined)),
    set: write,
    delete(key) {
      write(key, undefined);
    },
    entries: () => handled(list()),
  };
}

/**
 * The result of a listing: the skill's own values, and the summary unless the skill has a value with the same
 * key.
 */
type Listing = readonly [readonly (readonly [string, Json])[], Json?];

function optionalValue(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : [value];
}

/** Whether a step with this key reads memory. */
export function isMemoryKey(key: string): boolean {
  return key.startsWith('memory:');
}

/** Marks a rejection as handled, because a skill can ignore the promise. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}

async function readStored(
  { kernel: { memory }, session, store }: Execution,
  key: string,
): Promise<Json | undefined> {
  return await (memory === undefined ? store.get(memorySpace(session), key) : memory.get(key));
}

/** Returns the stored values whose keys begin with a prefix, keyed by the rest of each key. */
async function readAll(
  { kernel: { memory }, session, store }: Execution,
  prefix: string,
): Promise<ReadonlyMap<string, Json>> {
  const stored = memory === undefined ? store.entries(memorySpace(session)) : (memory.entries?.() ?? []);
  const own = [...(await stored)].filter(([key]) => key.startsWith(prefix));
  return new Map(own.map(([key, value]) => [key.slice(prefix.length), value]));
}

/** Returns a conversation's summary, which is part of the session's memory. */
export async function readSummary(execution: Execution): Promise<string | undefined> {
  const { kernel, session, store } = execution;
  const own = await readStored(execution, summaryKey);
  const found = own ?? (kernel.memory === undefined ? await store.get(summariesSpace, session) : undefined);
  return typeof found === 'string' ? found : undefined;
}

/**
 * Returns a frame's memory writes for the store. Returns an empty list if the caller passed its own memory.
 */
export function memoryEntries(
  { kernel: { memory }, session }: Execution,
  frame: Frame,
): readonly StoreEntry[] {
  if (memory !== undefined) return [];
  const space = memorySpace(session);
  return [...frame.writes].map(([key, value]) => ({
    space,
    key: entryKey(frame, key),
    value,
    ...(frame.reads.has(key) ? { expected: { value: frame.reads.get(key) } } : {}),
  }));
}

/** Applies a frame's memory writes to the memory that the caller passed, if there is one. */
export async function writeToCaller({ kernel: { memory } }: Execution, frame: Frame): Promise<void> {
  if (memory === undefined) return;
  for (const [key, value] of frame.writes)
    await (value === undefined
      ? memory.delete(entryKey(frame, key))
      : memory.set(entryKey(frame, key), value));
}

/** Returns a memory key scoped to the skill. Skill names contain no slash. */
function entryKey({ skill }: Frame, key: string): string {
  return `${skill?.name ?? ''}/${key}`;
}

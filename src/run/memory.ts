import type { Json } from '../core/json.ts';
import type { Memory } from '../core/memory.ts';
import { memorySpace } from '../core/session-spaces.ts';
import type { Entry } from '../core/store.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { contentKey } from './identity.ts';
import { mustBeOutside } from './inside.ts';
import { runStep } from './step.ts';

/** The memory of a session as one frame sees it: reads are steps, writes are kept with the end of the frame. */
export function createMemory(execution: Execution, frame: Frame): Memory {
  const { store, memory } = execution.kernel;
  const read = async (key: string): Promise<Json> => {
    const value = frame.writes.has(key)
      ? frame.writes.get(key)
      : memory === undefined
        ? await store.get(memorySpace(execution.session), entryKey(frame, key))
        : memory.get(entryKey(frame, key));
    return value === undefined ? [] : [value];
  };
  const found = async (given: string): Promise<Json | undefined> => {
    mustBeOutside(frame);
    const key = execution.cleanKey(given);
    const step = frame.occurrence(contentKey('memory', key));
    const [value] = (await runStep(execution, frame, step, () => read(key))) as readonly Json[];
    return value;
  };
  return {
    get(given) {
      const value = found(given);
      value.catch(() => undefined); // a skill may leave it
      return value;
    },
    set(key, value) {
      mustBeOutside(frame);
      if (frame.isLive) frame.writes.set(execution.cleanKey(key), execution.clean(value));
    },
    delete(key) {
      mustBeOutside(frame);
      if (frame.isLive) frame.writes.set(execution.cleanKey(key), undefined);
    },
  };
}

/** What a frame leaves in the memory of its session, for the store; where a map of the caller stands in for it, that has it at once. */
export function memoryEntries({ kernel: { memory }, session }: Execution, frame: Frame): readonly Entry[] {
  const space = memorySpace(session);
  const entries = [...frame.writes].map(([key, value]) => ({ space, key: entryKey(frame, key), value }));
  if (memory === undefined) return entries;
  for (const { key, value } of entries) {
    if (value === undefined) memory.delete(key);
    else memory.set(key, value);
  }
  return [];
}

/** Apart for each skill; a skill's name has no slash. */
function entryKey({ skill }: Frame, key: string): string {
  return `${skill?.name ?? ''}/${key}`;
}

import { hashOf } from '../core/canonical.ts';
import type { Json } from '../core/json.ts';
import type { Output } from '../core/output.ts';
import type { CallOptions } from '../core/scope.ts';
import type { Skill } from '../core/skill.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { contentKey, frameIdOf } from './identity.ts';
import type { KnownFrame } from './state.ts';

/** The way into a skill, as those get it who may not know how it works. */
export type Door = (
  execution: Execution,
  caller: Frame,
  name: string,
  input: unknown,
  options?: CallOptions,
) => Promise<Output>;

/** One call: what it is recognised by, before and after a crash. */
export interface Call {
  /** Of the frame that it opens. */
  readonly id: string;
  readonly key: string;
  /** As it was called; its real name once it is resolved. */
  readonly name: string;
  readonly skill: Skill | undefined;
  readonly input: Json;
  readonly inputHash: string;
  /** Why the input cannot be used at all. */
  readonly fault?: unknown;
  readonly options: CallOptions;
  /** What the log says of it, when it began before. */
  readonly known: KnownFrame | undefined;
}

/** Says which call this is. The input is used as it is kept: plain and without secrets. */
export function identify(
  execution: Execution,
  caller: Frame,
  name: string,
  given: unknown,
  options: CallOptions,
): Call {
  const skill = execution.registry.lookup.find(name);
  const { input, ...fault } = cleanInput(execution, given);
  const key = options.key ?? caller.occurrence(contentKey(skill?.name ?? name, input));
  const id = frameIdOf(caller.id, key);
  const known = execution.state.frames.get(id);
  return {
    id,
    key,
    name: skill?.name ?? name,
    skill,
    input,
    inputHash: hashOf(input),
    ...fault,
    options,
    known,
  };
}

/** Whether the log tells of another call under the same key. */
export function isAnother({ known, name, inputHash }: Call): boolean {
  return known !== undefined && (known.started.skill !== name || hashOf(known.started.input) !== inputHash);
}

function cleanInput(execution: Execution, given: unknown): { input: Json; fault?: unknown } {
  try {
    return { input: execution.clean(given) };
  } catch (fault) {
    return { input: null, fault };
  }
}

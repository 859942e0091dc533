import {
  hashOf,
  toPlain,
  type Begun,
  type CallOptions,
  type Json,
  type Output,
  type Wanted,
} from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import type { KnownFrame } from '../log/run-state.ts';
import { contentKey, frameIdOf } from '../log/sanitize.ts';
import type { Frame } from './frame.ts';

/** Calls a skill: `invoke` itself, for modules that it imports. */
export type Invoke = (
  execution: Execution,
  caller: Frame,
  name: string,
  input: unknown,
  options?: CallOptions,
) => Promise<Output>;

/** One call: what it is recognised by, before and after a crash. */
export interface Call extends Begun {
  /** Of the frame that it opens. */
  readonly id: string;
  /** As it was called; it is looked up when the call is new. */
  readonly name: string;
  /** The name as it may be kept. */
  readonly shownName: string;
  /** As it is kept: without secrets. */
  readonly input: Json;
  /** As it was meant, secrets included; it is never kept, and only tools that send nothing anywhere get it. */
  readonly given: Json;
  readonly inputHash: string;
  /** Why the input cannot be used at all. */
  readonly fault?: unknown;
  readonly options: CallOptions;
  /** What the log says of it, when it began before. */
  readonly known: KnownFrame | undefined;
}

/** Says which call this is, by what the caller asked for and not by what there is now. Calls are told apart by their inputs as they are kept. */
export function identify(
  execution: Execution,
  caller: Frame,
  name: string,
  asked: unknown,
  options: CallOptions,
): Call {
  const { input, given, ...fault } = cleanInput(execution, asked);
  const shownName = execution.cleanKey(name);
  const key =
    options.key === undefined
      ? caller.occurrence(contentKey(shownName, input))
      : execution.cleanKey(options.key);
  const id = frameIdOf(caller.id, key);
  return {
    id,
    key,
    name,
    shownName,
    input,
    given,
    ...fault,
    options,
    request: hashOf([shownName, input, ...waysOf(options)]),
    inputHash: hashOf(options.through === undefined ? input : [options.through, input]),
    known: execution.state.frames.get(id),
  };
}

/** What else decides what is asked for; nothing for an ordinary call. */
function waysOf({ through, wanted, leaveOnly }: CallOptions): readonly Json[] {
  const kept = keptWishes(wanted);
  const ways = through === undefined && kept === undefined ? [] : [through ?? null, kept ?? null];
  return leaveOnly === true ? [...ways, 'leave-only'] : ways;
}

/** Wishes as they can be kept: without the function among them. */
export function keptWishes(wanted: Wanted | undefined): Json | undefined {
  const { check: _check, ...kept } = wanted ?? {};
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function cleanInput(
  execution: Execution,
  asked: unknown,
): Pick<Call, 'input' | 'given'> & { readonly fault?: unknown } {
  try {
    const given = toPlain(asked);
    return { input: execution.clean(given), given };
  } catch (fault) {
    return { input: null, given: null, fault };
  }
}

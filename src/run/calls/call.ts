import {
  hashOf,
  toPlain,
  type Begun,
  type CallOptions,
  type Json,
  type Output,
  type CallOverrides,
} from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import type { KnownFrame } from '../log/run-state.ts';
import { contentKey, frameIdOf } from '../log/sanitize.ts';
import type { Frame } from './frame.ts';

/**
 * The type of `invoke`. It is declared here to avoid an import cycle, because `invoke` imports modules that
 * call it.
 */
export type Invoke = (
  execution: Execution,
  caller: Frame,
  name: string,
  input: unknown,
  options?: CallOptions,
) => Promise<Output>;

/** A call, with the data that identifies it even after a crash. */
export interface Call extends Begun {
  /** The id of the frame for this call. */
  readonly id: string;
  /** The name that the caller used. The name is resolved only if the call is new. */
  readonly name: string;
  /** The name as it is stored, with secrets redacted. */
  readonly shownName: string;
  /** The input as it is stored, with secrets redacted. */
  readonly input: Json;
  /**
   * The original input, which may contain secrets. The original is never stored. Only read-only tools that
   * send no data out receive it.
   */
  readonly given: Json;
  readonly inputHash: string;
  /** The error in the input, if the input is invalid. */
  readonly fault?: unknown;
  readonly options: CallOptions;
  /** The call's record in the log, if the call began earlier. */
  readonly known: KnownFrame | undefined;
}

/**
 * Identifies a call by its request, regardless of the current skills. Calls with the same stored input are
 * treated as equal.
 */
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
    inputHash: hashOf(options.mode === undefined ? input : [options.mode, input]),
    known: execution.state.frames.get(id),
  };
}

/**
 * Returns the options that distinguish a call from others with the same name and input. Returns an empty list
 * for an ordinary call.
 */
function waysOf({ mode, overrides, permissionOnly }: CallOptions): readonly Json[] {
  const recorded = withoutCheck(overrides);
  const ways = mode === undefined && recorded === undefined ? [] : [mode ?? null, recorded ?? null];
  return permissionOnly === true ? [...ways, 'leave-only'] : ways;
}

/** Returns the overrides without the `check` function, which cannot be stored. */
export function withoutCheck(overrides: CallOverrides | undefined): Json | undefined {
  const { check: _check, ...recorded } = overrides ?? {};
  return Object.keys(recorded).length === 0 ? undefined : recorded;
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

import type { ErrorData } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';

/** What a variable is bound to. Whatever is not success says where it began. */
export type StepValue =
  | { readonly status: 'success'; readonly value: Json }
  | { readonly status: 'fail'; readonly error: ErrorData; readonly origin: string }
  /** It never ran, came to nothing, or waits for somebody's answer. */
  | {
      readonly status: 'undefined';
      readonly reason: string;
      readonly origin: string;
      readonly question?: Json;
    }
  | { readonly status: 'canceled'; readonly reason: string; readonly origin: string };

/** What an execution came to, kept so that it never happens again. */
export interface StepRecord {
  readonly variable: string;
  /** Of the item, where it ran for each of a list. */
  readonly index?: number;
  /** Its own name, whatever the script calls it. */
  readonly command: string;
  /** Hash of the input. */
  readonly input: string;
  readonly value: StepValue;
}

/** All that is needed to go on with a plan elsewhere; plain JSON. */
export interface SopState {
  /** Hash of the script that ran last: what failed in it is not tried again by the same script. */
  readonly plan?: string;
  readonly records: readonly StepRecord[];
}

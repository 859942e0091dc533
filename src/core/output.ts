import type { ErrorData } from './error.ts';
import type { Json, JsonObject } from './json.ts';

/** What a call to a skill came to; a failure is data for the caller, which continues. */
export type Output =
  | {
      readonly status: 'done';
      readonly text: string;
      readonly value?: Json;
      /** What the steps of a plan came to, by name. */
      readonly variables?: JsonObject;
    }
  | { readonly status: 'failed'; readonly text: string; readonly error: ErrorData };

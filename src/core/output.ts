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

/** The answer of a family that can read its skills but not run them yet. */
export function notImplemented(label: string): Output {
  const message = `Running ${label} skills is not part of this version.`;
  return {
    status: 'failed',
    text: message,
    error: { code: 'skill.not-implemented', message, hint: 'They can be listed, shown and validated.' },
  };
}

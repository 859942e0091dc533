import type { Json } from '../core/json.ts';

/** What the host says to the process that calls functions of skills, one JSON document per line. */
export type ToWorker =
  | readonly [
      kind: 'run',
      run: number,
      module: string,
      name: string,
      input: Json,
      functions: readonly string[],
      facts: Readonly<Record<string, Json>>,
      most: number,
    ]
  /** A module that was loaded may be called. */
  | readonly [kind: 'go', run: number]
  | readonly [kind: 'answer', call: number, value: Json]
  | readonly [kind: 'refuse', call: number, message: string, code: string]
  | readonly [kind: 'abort', run: number, message: string];

/** What that process says to the host. It is fit for another call when it says that nothing was left behind by this one. */
export type FromWorker =
  | readonly [kind: 'ready']
  | readonly [kind: 'loaded', run: number]
  | readonly [kind: 'call', run: number, call: number, name: string, given: readonly Json[]]
  | readonly [kind: 'value', run: number, isFit: boolean, value: Json]
  | readonly [kind: 'failed', run: number, isFit: boolean, why: CodeFailure, message: string, stack: string];

/** Why a call came to no value. */
export const codeFailures = ['missing', 'broken', 'absent', 'threw', 'not-json', 'large'] as const;

/**
 * The module is not there or cannot be loaded, has no such function; the function threw, gave what is not JSON, or gave
 * too much.
 */
export type CodeFailure = (typeof codeFailures)[number];

/** An order as it travels. */
export function lineOf(order: ToWorker): string {
  return `${JSON.stringify(order)}\n`;
}

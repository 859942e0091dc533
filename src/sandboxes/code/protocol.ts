import { parseJson, type Json } from '../../core/json.ts';
import { areTexts } from '../process/output.ts';

/** Parses a line from a code worker. Returns undefined if the line is not a valid message. */
export function readCodeMessage(line: string): FromWorker | undefined {
  const said = parseJson(line);
  return Array.isArray(said) && isMessage(said as readonly Json[])
    ? (said as unknown as FromWorker)
    : undefined;
}

function isMessage([kind, run, ...rest]: readonly Json[]): boolean {
  if (kind === 'ready') return run === undefined;
  if (!Number.isSafeInteger(run)) return false;
  const [first, second, third, fourth] = rest;
  switch (kind) {
    case 'loaded':
      return rest.length === 0;
    case 'call':
      return rest.length === 3 && Number.isSafeInteger(first) && areTexts(second) && Array.isArray(third);
    case 'value':
      return rest.length === 2 && typeof first === 'boolean';
    case 'failed':
      return (
        rest.length === 4 &&
        typeof first === 'boolean' &&
        codeFailures.some((known) => known === second) &&
        areTexts(third, fourth)
      );
    default:
      return false;
  }
}

/** Messages from the host to a code worker, one JSON document per line. */
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
  /** Allows the call after its module was loaded. */
  | readonly [kind: 'go', run: number]
  | readonly [kind: 'answer', call: number, value: Json]
  | readonly [kind: 'refuse', call: number, message: string, code: string]
  | readonly [kind: 'abort', run: number, message: string];

/**
 * Messages from a code worker to the host. `isFit` means that the call did not change the process, so it can
 * take another call.
 */
export type FromWorker =
  | readonly [kind: 'ready']
  | readonly [kind: 'loaded', run: number]
  | readonly [kind: 'call', run: number, call: number, name: string, given: readonly Json[]]
  | readonly [kind: 'value', run: number, isFit: boolean, value: Json]
  | readonly [kind: 'failed', run: number, isFit: boolean, why: CodeFailure, message: string, stack: string];

/** The reasons why a call returned no value. The type `CodeFailure` explains them. */
const codeFailures = ['missing', 'broken', 'absent', 'threw', 'not-json', 'large'] as const;

/**
 * The reason why a call failed: the module is missing (`missing`) or cannot be loaded (`broken`), or the
 * function does not exist (`absent`), throws (`threw`), or returns a value that is not JSON (`not-json`) or
 * is too large (`large`).
 */
export type CodeFailure = (typeof codeFailures)[number];

/** Serializes a message as one line. */
export function lineOf(order: ToWorker): string {
  return `${JSON.stringify(order)}\n`;
}

/** The maximum number of JSON characters in a call's input, in its result, and in each of its requests. */
export const maxCharacters = 4_000_000;

/**
 * The maximum number of JSON characters in all requests of one call together. It is limited because the store
 * keeps much of this data with the run.
 */
export const maxAsked = 64_000_000;

/** The maximum number of requests from one call to its host. */
export const maxQuestions = 10_000;

/** The maximum number of characters that are kept from each of a call's stdout and stderr. */
export const maxPrinted = 100_000;

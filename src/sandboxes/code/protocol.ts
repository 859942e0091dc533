import { parseJson, type Json } from '../../core/json.ts';
import { areTexts } from '../process/output.ts';

/** A line of the process that calls functions of skills, believed in nothing: undefined for all that it does not say. */
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
const codeFailures = ['missing', 'broken', 'absent', 'threw', 'not-json', 'large'] as const;

/**
 * The module is not there or cannot be loaded, has no such function; the function threw, gave what is not JSON, or gave
 * too much.
 */
export type CodeFailure = (typeof codeFailures)[number];

/** An order as it travels. */
export function lineOf(order: ToWorker): string {
  return `${JSON.stringify(order)}\n`;
}

/** Characters of what a call is given, of what it gives and of each thing that it asks, as JSON. */
export const mostCharacters = 4_000_000;

/** Characters of all that one call asks of its host, as JSON: much of it is kept with the run. */
export const mostAsked = 64_000_000;

/** Questions that one call may ask of its host. */
export const mostQuestions = 10_000;

/** Characters that are kept of what a call writes to stdout, and to stderr. */
export const mostPrinted = 100_000;

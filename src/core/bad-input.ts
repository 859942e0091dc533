import { AgentError } from './error.ts';

/** One fault of a value, as schema libraries tell it. */
export interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What is said of a value that does not fit its schema: each fault with its place, and in the hint the members to give or to correct. */
export function badInput(what: string, found: readonly Fault[]): AgentError {
  const faults = found.map(({ path, message }) =>
    path.length === 0 ? inWords(message) : `${placeOf(path)}: ${inWords(message)}`,
  );
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)} does not fit: ${faults.join('; ')}.`;
  return new AgentError('usage.bad-input', message, { hint: hintFor(found), details: { faults } });
}

function hintFor(found: readonly Fault[]): string {
  const places = (faults: readonly Fault[]): string =>
    [...new Set(faults.filter(({ path }) => path.length > 0).map(({ path }) => placeOf(path)))].join(', ');
  const missing = places(found.filter(isMissing));
  const wrong = places(found.filter((fault) => !isMissing(fault)));
  const steps = [missing === '' ? '' : `Give ${missing}.`, wrong === '' ? '' : `Correct ${wrong}.`];
  return steps.filter((step) => step !== '').join(' ') || 'Correct it.';
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

const wrongKind = /^Invalid input: expected (\w+), received (\w+)$/;

function isMissing({ message }: Fault): boolean {
  return wrongKind.exec(message)?.[2] === 'undefined';
}

/** Plain words for what nearly all faults are about; any other message stays. */
function inWords(message: string): string {
  const [, expected, received] = wrongKind.exec(message) ?? [];
  if (expected === undefined || received === undefined) return message;
  const wanted = kinds[expected] ?? expected;
  return received === 'undefined'
    ? `it is missing, and must be ${wanted}`
    : `it must be ${wanted}, not ${kinds[received] ?? received}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
};

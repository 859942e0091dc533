import { AgentError } from './error.ts';

/** One fault of a value, as schema libraries tell it. */
export interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What a value is for: the input of a skill, or words for anything else. */
export type Subject = string | { readonly skill: string };

/** The subject in words, for messages. */
export function subjectText(subject: Subject): string {
  return typeof subject === 'string' ? subject : `the input of "${subject.skill}"`;
}

/** The error for a value that does not fit its schema: each fault with its path, and in the hint the members to give or to correct. */
export function badInput(subject: Subject, all: readonly Fault[]): AgentError {
  const what = subjectText(subject);
  const found = all.slice(0, most);
  const faults = found.map(({ path, message }) =>
    path.length === 0 ? inWords(message) : `${placeOf(path)}: ${inWords(message)}`,
  );
  const more = all.length > most ? [`and ${all.length - most} more`] : [];
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)} does not fit: ${[...faults, ...more].join('; ')}.`;
  return new AgentError('usage.bad-input', message, {
    hint: hintFor(found),
    details: { faults, ...(typeof subject === 'string' ? {} : subject) },
  });
}

const most = 50; // faults that are named
const longest = 1000; // characters of one: a schema may list a hundred thousand values

function hintFor(found: readonly Fault[]): string {
  const places = (faults: readonly Fault[]): string =>
    [...new Set(faults.filter(({ path }) => path.length > 0).map(({ path }) => placeOf(path)))].join(', ');
  const missing = places(found.filter(isMissing));
  const wrong = places(found.filter((fault) => !isMissing(fault)));
  const steps = [missing === '' ? '' : `Give ${missing}.`, wrong === '' ? '' : `Correct ${wrong}.`];
  return steps.filter((step) => step !== '').join(' ') || 'Correct it.';
}

function placeOf(path: readonly PropertyKey[]): string {
  return cut(path.map(String).join('.'));
}

const wrongKind = /^Invalid input: expected (\w+), received (\w+)$/;

function isMissing({ message }: Fault): boolean {
  return wrongKind.exec(message)?.[2] === 'undefined';
}

/** Plain words for what nearly all faults are about; any other message stays. */
function inWords(message: string): string {
  const [, expected, received] = wrongKind.exec(message) ?? [];
  if (expected === undefined || received === undefined) return cut(message);
  const wanted = kinds[expected] ?? expected;
  return received === 'undefined'
    ? `it is missing, and must be ${wanted}`
    : `it must be ${wanted}, not ${kinds[received] ?? received}`;
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…`.toWellFormed() : text;
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

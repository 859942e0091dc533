import type { Issue, Json, RunEvent, Skill } from '../../core/index.ts';
import type { Terminal } from '../terminal.ts';
import { withPasteable } from './command-text.ts';
import { manyLines } from './text.ts';

// JSON leaves these as they are, but a terminal would follow some of them.
const steering = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** Prints the one JSON document of a command; commands in its hints can be pasted. */
export function printJson(terminal: Terminal, document: object): void {
  const text = JSON.stringify(withHints(document, terminal), undefined, 2);
  terminal.out(`${text.replace(steering, escaped)}\n`);
}

/** Prints one such document as a line of JSON, which no character in it breaks. */
export function printJsonLine(terminal: Terminal, document: object): void {
  terminal.out(jsonLine(withHints(document, terminal) as object));
}

/** What skills are given and give is theirs; a log is printed as it is kept. */
const untouched = ['input', 'value', 'variables', 'data', 'details', 'events'];

function withHints(value: unknown, terminal: Terminal): unknown {
  if (Array.isArray(value)) return value.map((one) => withHints(one, terminal));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, one]: readonly [string, unknown]) => {
    if (key === 'hint' && typeof one === 'string') return [key, withPasteable(one, terminal)];
    return [key, untouched.includes(key) ? one : withHints(one, terminal)];
  });
  return Object.fromEntries(members) as unknown;
}

/** A value as a line of JSON, its line end included. */
function jsonLine(value: object): string {
  return `${JSON.stringify(value).replace(steering, escaped)}\n`;
}

/** An event with its members in the one order in which all are shown: the envelope, the type, the rest. */
export function eventJson(event: RunEvent): object {
  const { v, runId, frameId, seq, at, type, ...rest } = event;
  return { v, runId, frameId, seq, at, type, ...rest };
}

/** An event as a line of JSON. */
export function eventLine(event: RunEvent): string {
  return jsonLine(eventJson(event));
}

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A skill as `list --json` shows it. */
export function skillJson(skill: Skill, digest?: string, trust?: string): Record<string, unknown> {
  return {
    name: skill.name,
    aliases: skill.aliases,
    family: skill.family,
    source: skill.source,
    ...(skill.server === undefined ? {} : { server: skill.server }),
    status: skill.status,
    description: skill.card.description,
    dir: skill.dir,
    file: skill.file,
    ...(digest === undefined ? {} : { digest }),
    ...(trust === undefined ? {} : { trust }),
    ...(skill.missing === undefined ? {} : { missing: skill.missing }),
    ...(skill.shadowedBy === undefined ? {} : { shadowedBy: skill.shadowedBy }),
  };
}

/** A finding as every command shows it. */
export function issueJson(issue: Issue): Record<string, Json> {
  const { level, code, message, file = '', line, hint, details } = issue;
  return {
    level,
    code,
    message,
    file,
    ...(line === undefined ? {} : { line }),
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  };
}

/** Prints a text that is the answer: in a pipe exactly as it is, and so that a terminal is not steered by it. */
export function printWhole(text: string, terminal: Pick<Terminal, 'out' | 'width'>): void {
  if (text === '') return;
  const safe = terminal.width === undefined ? text : manyLines(text);
  terminal.out(safe.endsWith('\n') ? safe : `${safe}\n`);
}

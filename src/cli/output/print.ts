import type { Issue, Json, RunEvent, Skill } from '../../core/index.ts';
import type { Terminal } from '../terminal.ts';
import { withPasteable } from './command-text.ts';
import { manyLines } from './text.ts';

// Control characters that JSON does not escape but a terminal might interpret.
const steering = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** Prints a command's JSON output. Commands in hints are ready to copy and paste. */
export function printJson(terminal: Terminal, document: object): void {
  const text = JSON.stringify(withHints(document, terminal), undefined, 2);
  terminal.out(`${text.replace(steering, escaped)}\n`);
}

/** Prints a JSON document on one line, with all line-breaking characters escaped. */
export function printJsonLine(terminal: Terminal, document: object): void {
  terminal.out(jsonLine(withHints(document, terminal) as object));
}

/** The names of JSON fields whose values come from skills or logs and are printed unchanged. */
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

/** Formats a value as one line of JSON, including the line ending. */
function jsonLine(value: object): string {
  return `${JSON.stringify(value).replace(steering, escaped)}\n`;
}

/** Returns an event with its fields in output order: the envelope, the type, then all others. */
export function eventJson(event: RunEvent): object {
  const { v, runId, frameId, seq, at, type, ...rest } = event;
  return { v, runId, frameId, seq, at, type, ...rest };
}

/** Formats an event as one line of JSON. */
export function eventLine(event: RunEvent): string {
  return jsonLine(eventJson(event));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns a skill in the form that `list --json` prints. */
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

/** Returns an issue in the form that all commands print as JSON. */
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

/** Prints a result's text: unchanged in a pipe, but without control sequences on a terminal. */
export function printWhole(text: string, terminal: Pick<Terminal, 'out' | 'width'>): void {
  if (text === '') return;
  const safe = terminal.width === undefined ? text : manyLines(text);
  terminal.out(safe.endsWith('\n') ? safe : `${safe}\n`);
}

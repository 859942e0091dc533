import { optional } from '../collections.ts';
import type { Issue } from '../issue.ts';
import { asText, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { matchesWildcard } from '../names.ts';
import type { OtherProgram } from '../other-programs.ts';
import type { HookMoment } from './skill-text.ts';

/** A command that runs when an event occurs in a conversation that uses the skill. */
export interface Hook {
  readonly moment: HookMoment;
  /** Lowercase tool names, with `*` as a wildcard. Default: every tool. */
  readonly tools?: readonly string[];
  readonly command: string;
  readonly seconds: number;
  /** Set if the hook runs only once per run. */
  readonly once?: true;
}

/** The supported hook events, each with the other programs that use the same name for it. */
export const hookEvents: readonly HookEvent[] = [
  { name: 'PreToolUse', moment: 'before', programs: ['Claude Code'] },
  { name: 'PostToolUse', moment: 'after', programs: ['Claude Code'] },
  { name: 'Stop', moment: 'stop', programs: ['Claude Code'] },
  { name: 'before', moment: 'before', programs: [] },
  { name: 'after', moment: 'after', programs: [] },
];

interface HookEvent {
  readonly name: string;
  readonly moment: HookMoment;
  readonly programs: readonly OtherProgram[];
}

const moments = new Map(hookEvents.map(({ name, moment }) => [name.toLowerCase(), moment]));
const usualSeconds = 60;
const maxSeconds = 600;

/**
 * Reads hooks in Claude Code format or as plain commands, keyed by event. Unusable hooks are reported as
 * issues at the given position.
 */
export function readHooks(
  events: JsonObject,
  position: Pick<Issue, 'line' | 'file'>,
  issues: Issue[],
): readonly Hook[] {
  const report: Report = (message, hint) =>
    issues.push({ level: 'warning', code: 'hook.unused', message, ...position, hint });
  return Object.entries(events).flatMap(([event, value]) => {
    const moment = moments.get(event.toLowerCase().replace(/[\s_-]/g, ''));
    if (moment !== undefined)
      return entriesOf(value).flatMap((entry) => hooksOf(entry, moment, event, report));
    report(`The hook event "${event}" is not supported.`, 'Use before, after or stop.');
    return [];
  });
}

type Report = (message: string, hint: string) => void;

/** Reads one hook entry: a command, a map with a command, or a matcher with several commands. */
function hooksOf(entry: Json, moment: HookMoment, event: string, report: Report): readonly Hook[] {
  const map: JsonObject = isJsonObject(entry) ? entry : { command: entry };
  const matcher = map['matcher'];
  const tools = moment === 'stop' || matcher == null ? undefined : readMatcher(asText(matcher));
  if (moment !== 'stop' && matcher != null && tools === undefined) {
    report(
      `The matcher "${asText(matcher)}" of "${event}" is not supported, so its hooks do not run.`,
      'Write tool names, such as Bash or Edit|Write, with .* as a wildcard.',
    );
    return [];
  }
  const commands = map['hooks'] === undefined ? [map] : entriesOf(map['hooks']);
  return commands.flatMap((command) => {
    const hook = hookOf(isJsonObject(command) ? command : { command }, event, report);
    return hook === undefined ? [] : [{ moment, ...optional('tools', tools), ...hook }];
  });
}

function hookOf(map: JsonObject, event: string, report: Report): Omit<Hook, 'moment' | 'tools'> | undefined {
  const { type = 'command', command, timeout, once } = map;
  if (type !== 'command') {
    report(`A hook of "${event}" has the unsupported type "${asText(type)}".`, 'Use a command.');
    return undefined;
  }
  if (typeof command !== 'string' || command.trim() === '') {
    report(`A hook of "${event}" has no command.`, 'Add a "command".');
    return undefined;
  }
  const seconds = timeout == null ? usualSeconds : Number(timeout);
  const isTime = seconds > 0 && seconds <= maxSeconds;
  if (!isTime) {
    report(
      `The timeout of a hook of "${event}" is not valid; ${usualSeconds} seconds are used.`,
      `Set the timeout to a number of seconds, at most ${maxSeconds}.`,
    );
  }
  const isOnce = ['true', 'yes', 'on', '1'].includes(asText(once ?? '').toLowerCase());
  return { command, seconds: isTime ? seconds : usualSeconds, ...(isOnce ? { once: true } : {}) };
}

function entriesOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [value ?? null];
}

/**
 * Returns the tool names in a matcher in lowercase, with `*` as a wildcard. Supports regular expressions with
 * anchors, one group, alternatives, `.*` and `.+`. Returns undefined for any other expression, because
 * evaluating it could take too long.
 */
export function readMatcher(written: string): readonly string[] | undefined {
  const inner = withoutFrame(written.trim());
  const names = inner.split('|').map((part) => withoutFrame(part.trim()).replace(/\.[*+]/g, '*'));
  if (inner === '') return ['*'];
  return names.every((name) => /^[\w*:./-]+$/.test(name))
    ? names.map((name) => name.toLowerCase())
    : undefined;
}

/** Whether any of the tool names in a matcher matches a tool. */
export function meansTool(names: readonly string[], tool: string): boolean {
  return names.some((name) => matchesWildcard(name, tool.toLowerCase()));
}

/** Removes a pattern's anchors and any group that encloses the whole pattern. */
function withoutFrame(text: string): string {
  const bare = text.replace(/^\^/, '').replace(/\$$/, '');
  return /^\((?:\?:)?([^()]*)\)$/.exec(bare)?.[1] ?? bare;
}

import {
  asText,
  isJsonObject,
  matchesWildcard,
  optional,
  type Fields,
  type HookMoment,
  type Issue,
  type Json,
  type JsonObject,
} from '../../core/index.ts';

/** A command that a skill wants to run at a moment of the conversation that uses it. */
export interface Hook {
  readonly moment: HookMoment;
  /** Names of tools in lower case, with `*` for anything; every tool unless given. */
  readonly tools?: readonly string[];
  readonly command: string;
  readonly seconds: number;
  /** Not again in the same run. */
  readonly once?: true;
}

const moments: ReadonlyMap<string, HookMoment> = new Map([
  ['pretooluse', 'before'],
  ['before', 'before'],
  ['posttooluse', 'after'],
  ['after', 'after'],
  ['stop', 'stop'],
]);
const usualSeconds = 60;
const mostSeconds = 600;

/** The hooks of a head, those of other tools in their shape or as plain commands; what cannot be used is a finding. */
export function readHooks(fields: Fields, line: number | undefined, issues: Issue[]): readonly Hook[] {
  const report: Report = (message, hint) =>
    issues.push({ level: 'warning', code: 'hook.unused', message, ...optional('line', line), hint });
  return Object.entries(fields.map('hooks') ?? {}).flatMap(([event, value]) => {
    const moment = moments.get(event.toLowerCase().replace(/[\s_-]/g, ''));
    if (moment !== undefined)
      return entriesOf(value).flatMap((entry) => hooksOf(entry, moment, event, report));
    report(`The hook "${event}" is for a moment that does not exist here.`, 'Use before, after or stop.');
    return [];
  });
}

type Report = (message: string, hint: string) => void;

/** One entry: a command, an entry with a command, or a matcher with several of them. */
function hooksOf(entry: Json, moment: HookMoment, event: string, report: Report): readonly Hook[] {
  const map: JsonObject = isJsonObject(entry) ? entry : { command: entry };
  const matcher = map['matcher'];
  const tools = moment === 'stop' || matcher == null ? undefined : readMatcher(asText(matcher));
  if (moment !== 'stop' && matcher != null && tools === undefined) {
    report(
      `The matcher "${asText(matcher)}" of "${event}" cannot be read, so its hooks do not run.`,
      'Write names of tools, such as Bash or Edit|Write, with .* for anything.',
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
    report(`A hook of "${event}" is of the type "${asText(type)}".`, 'Use a command.');
    return undefined;
  }
  if (typeof command !== 'string' || command.trim() === '') {
    report(`A hook of "${event}" has no command.`, 'Give it a "command".');
    return undefined;
  }
  const seconds = timeout == null ? usualSeconds : Number(timeout);
  const isTime = seconds > 0 && seconds <= mostSeconds;
  if (!isTime) {
    report(
      `The timeout of a hook of "${event}" is not used; it has ${usualSeconds} seconds.`,
      `Give seconds, at most ${mostSeconds}.`,
    );
  }
  const isOnce = ['true', 'yes', 'on', '1'].includes(asText(once ?? '').toLowerCase());
  return { command, seconds: isTime ? seconds : usualSeconds, ...(isOnce ? { once: true } : {}) };
}

function entriesOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [value ?? null];
}

/**
 * The names that a matcher means, in lower case, with `*` for anything. Of regular expressions it may hold anchors,
 * one group, alternatives, `.*` and `.+`; undefined for one that holds more, which could take for ever to match.
 */
export function readMatcher(written: string): readonly string[] | undefined {
  const inner = withoutFrame(written.trim());
  const names = inner.split('|').map((part) => withoutFrame(part.trim()).replace(/\.[*+]/g, '*'));
  if (inner === '') return ['*'];
  return names.every((name) => /^[\w*:./-]+$/.test(name))
    ? names.map((name) => name.toLowerCase())
    : undefined;
}

/** Whether a matcher means a tool. */
export function meansTool(names: readonly string[], tool: string): boolean {
  return names.some((name) => matchesWildcard(name, tool.toLowerCase()));
}

/** Without anchors and the group around all of it. */
function withoutFrame(text: string): string {
  const bare = text.replace(/^\^/, '').replace(/\$$/, '');
  return /^\((?:\?:)?([^()]*)\)$/.exec(bare)?.[1] ?? bare;
}

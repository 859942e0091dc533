import { resolve } from 'node:path';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { homeFolder } from '../../config/paths.ts';
import { AgentError, didYouMean, expandHome, reasonOf } from '../../core/index.ts';
import type { CommonFlags, GivenFlag } from '../command.ts';

/** The flags that every command has, in the option format of `parseArgs`. */
export const commonOptions = {
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  cwd: { type: 'string' },
  skills: { type: 'string', multiple: true },
  only: { type: 'boolean' },
  safe: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  offline: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  color: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

/** The names of the flags that every command has. */
export const commonFlagNames: readonly string[] = Object.keys(commonOptions);

/** A parsed command line. */
export interface ParsedFlags {
  readonly common: CommonFlags;
  readonly own: Readonly<Record<string, string | boolean | undefined>>;
  /** The values of each flag that can be repeated. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly args: readonly string[];
  /** The flags that the command does not define. Empty if the command does not accept such flags. */
  readonly given: readonly GivenFlag[];
  readonly help: boolean;
  readonly version: boolean;
}

/**
 * Separates the command's name from the other arguments. The name is the first argument that is not a flag,
 * and `-p` in the position of the name means `run`.
 */
export function splitCommand(args: readonly string[]): {
  readonly name: string | undefined;
  readonly rest: readonly string[];
} {
  const how = {
    options: commonOptions,
    strict: false,
    allowPositionals: true,
    allowNegative: true,
    tokens: true,
  } as const;
  const { tokens } = parseArgs({ args: [...args], ...how });
  const first = tokens.find((token) => token.kind === 'positional' || args[token.index] === '-p');
  if (first === undefined) return { name: undefined, rest: args };
  const name = first.kind === 'positional' ? first.value : 'run';
  return { name, rest: args.toSpliced(first.index, 1) };
}

/** Whether an unparsed command line contains a flag. Only for flags that do not take a value. */
export function hasFlag(args: readonly string[], flag: string): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? args.length : end).includes(flag);
}

/**
 * Parses flags. For an unknown flag, throws `usage.unknown-flag` and suggests the most similar flag, unless
 * the command accepts unknown flags.
 */
export function parseFlags(
  args: readonly string[],
  own: ParseArgsOptionsConfig,
  cwd: string,
  takesOthers = false,
): ParsedFlags {
  const options = { ...commonOptions, ...own };
  const { known, given } = takesOthers ? splitFlags(args, options) : { known: args, given: [] };
  const { values, positionals } = parse(known, options);
  const base = typeof values['cwd'] === 'string' ? resolve(cwd, values['cwd']) : cwd;
  const isOn = (name: string): boolean => values[name] === true;
  if (isOn('yes') && isOn('safe')) throw contradiction();
  const folders = Array.isArray(values['skills']) ? values['skills'] : [];
  return {
    common: {
      json: isOn('json'),
      quiet: isOn('quiet'),
      cwd: base,
      skills: folders.map((dir) => resolve(base, expandHome(String(dir), homeFolder()))),
      only: isOn('only'),
      safe: isOn('safe'),
      yes: isOn('yes'),
      ...(typeof values['offline'] === 'boolean' ? { offline: values['offline'] } : {}),
    },
    own: Object.fromEntries(Object.keys(own).map((name) => [name, single(values[name])])),
    lists: Object.fromEntries(Object.keys(own).map((name) => [name, listed(values[name])])),
    args: positionals,
    given,
    help: isOn('help'),
    version: isOn('version'),
  };
}

function contradiction(): AgentError {
  return new AgentError('usage.bad-input', '--yes allows calls that need approval, but --safe denies them.', {
    hint: 'Use only one of these flags.',
  });
}

type Value = string | boolean | (string | boolean)[] | undefined;

function parse(
  args: readonly string[],
  options: ParseArgsOptionsConfig,
): { readonly values: Readonly<Record<string, Value>>; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true, allowNegative: true });
  } catch (thrown) {
    throw faultOf(thrown, Object.keys(options));
  }
}

const dashHint = 'Put -- before arguments that start with a dash';

function faultOf(thrown: unknown, known: readonly string[]): AgentError {
  const reason = reasonOf(thrown);
  const hint = 'Add --help to see the flags.';
  const flag = /'(--?[^' =]+)/.exec(reason)?.[1];
  const isUnknown = (thrown as { code?: string }).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
  if (flag !== undefined && reason.includes('ambiguous'))
    return new AgentError('usage.bad-input', `${flag} has no value, or its value starts with a dash.`, {
      hint: `Pass a value: ${flag} <value>, or ${flag}=<value> if it starts with a dash.`,
      cause: thrown,
    });
  if (flag !== undefined && reason.includes('argument missing'))
    return new AgentError('usage.bad-input', `${longFlag(reason, flag)} has no value.`, {
      hint: `Write ${longFlag(reason, flag)} <value>. ${hint}`,
      cause: thrown,
    });
  if (!isUnknown || flag === undefined)
    return new AgentError('usage.bad-input', sentence(reason), { hint, cause: thrown });
  const near = didYouMean(flag.replace(/^-+/, ''), [...known, 'no-color'])?.replace(/"(\S+)"/g, '--$1');
  return new AgentError('usage.unknown-flag', `Unknown flag ${flag}.`, {
    hint: near ?? (flag.startsWith('--') ? hint : `${hint} ${dashHint}: -- ${flag}`),
    cause: thrown,
  });
}

/** Returns the long flag from a Node error message, where short forms precede it: '-q, --quiet'. */
function longFlag(reason: string, flag: string): string {
  return /--[\w-]+/.exec(reason)?.[0] ?? flag;
}

function sentence(reason: string): string {
  const first = reason.split('\n', 1)[0] ?? reason;
  return first.endsWith('.') ? first : `${first}.`;
}

function listed(value: Value): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function single(value: Value): string | boolean | undefined {
  return Array.isArray(value) ? value.at(-1) : value;
}

/**
 * Separates unknown long flags from a command line: `--key value`, `--key=value`, or `--key` alone. Leaves
 * unknown short flags, which are still errors, and everything after `--` in place. Pure.
 */
export function splitFlags(
  args: readonly string[],
  options: ParseArgsOptionsConfig,
): { readonly known: readonly string[]; readonly given: readonly GivenFlag[] } {
  const known: string[] = [];
  const given: GivenFlag[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (arg === '--') return { known: [...known, ...args.slice(index)], given };
    const [, name = '', inline] = /^--([^=]+)(?:=([^]*))?$/.exec(arg) ?? [];
    const next = args[index + 1];
    if (name === '') known.push(arg);
    else if (isKnown(name, options)) {
      known.push(arg);
      const takesNext = options[name]?.type === 'string' && inline === undefined && next !== undefined;
      if (takesNext) known.push(args[++index] ?? '');
    } else if (inline !== undefined) given.push({ name, value: inline });
    else if (next === undefined || isFlag(next)) given.push({ name, value: true });
    else given.push({ name, value: args[++index] ?? '' });
  }
  return { known, given };
}

function isKnown(name: string, options: ParseArgsOptionsConfig): boolean {
  if (Object.hasOwn(options, name)) return true;
  const positive = name.startsWith('no-') ? name.slice(3) : '';
  return Object.hasOwn(options, positive) && options[positive]?.type === 'boolean';
}

/**
 * Whether an argument is a flag. A single dash is not a flag but means stdin, and a dash before a digit is a
 * minus sign.
 */
function isFlag(arg: string): boolean {
  return /^-[^\d.]/.test(arg);
}

/** The help text for the flags that every command has. */
export const commonHelp = `Flags for every command:
  --json            one JSON document on stdout
  --skills <dir>    add a folder of skills, before all others (repeatable)
  --only            with --skills: use only these folders
  --safe            ignore the skills of the project, the user and plugins, settings files
                    and .env; deny what needs approval
  -y, --yes         allow once whatever needs approval; answer yes if the command itself
                    asks for confirmation
  --offline         never call a model; --no-offline: override that setting
  --cwd <dir>       work in this folder
  -q, --quiet       no notes on stderr
  --no-color        plain text (or set NO_COLOR); --color: always use colours
  -h, --help        help for a command
  -v, --version     the version
`;

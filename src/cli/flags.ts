import { resolve } from 'node:path';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { AgentError } from '../core/error.ts';
import { didYouMean } from '../core/names.ts';
import type { CommonFlags } from './command.ts';

/** The options that every command takes. */
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
  color: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

/** What the words after a command say. */
export interface ParsedFlags {
  readonly common: CommonFlags;
  readonly own: Readonly<Record<string, string | boolean | undefined>>;
  readonly words: readonly string[];
  readonly help: boolean;
  readonly color: boolean;
}

/** Reads flags; an unknown one is `usage.unknown-flag` with the nearest known. */
export function parseFlags(args: readonly string[], own: ParseArgsOptionsConfig, cwd: string): ParsedFlags {
  const options = { ...commonOptions, ...own };
  const { values, positionals } = parse(args, options);
  const { json, quiet, only, safe, help, color, skills, cwd: given } = values;
  const base = typeof given === 'string' ? resolve(cwd, given) : cwd;
  return {
    common: {
      json: json === true,
      quiet: quiet === true,
      cwd: base,
      skills: Array.isArray(skills) ? skills.map((dir) => resolve(cwd, String(dir))) : [],
      only: only === true,
      safe: safe === true,
    },
    own: Object.fromEntries(Object.keys(own).map((name) => [name, single(values[name])])),
    words: positionals,
    help: help === true,
    color: color !== false,
  };
}

type Value = string | boolean | (string | boolean)[] | undefined;

function parse(args: readonly string[], options: ParseArgsOptionsConfig): { values: Record<string, Value>; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true, allowNegative: true });
    return { values: { ...values }, positionals };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const flag = /'(--?[^' =]+)/.exec(reason)?.[1];
    const unknown = (thrown as { code?: string }).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
    const hint = unknown && flag !== undefined ? didYouMean(flag.replace(/^-+/, ''), Object.keys(options)) : undefined;
    throw new AgentError('usage.unknown-flag', unknown ? `There is no flag ${flag ?? ''}.` : reason, {
      hint: hint?.replace(/"(\S+)"/g, '--$1') ?? 'Add --help to see the flags.',
      cause: thrown,
    });
  }
}

function single(value: Value): string | boolean | undefined {
  return Array.isArray(value) ? value.at(-1) : value;
}

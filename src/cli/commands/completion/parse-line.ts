import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import {
  commonOptions,
  findCommand,
  parseFlags,
  splitCommand,
  splitFlags,
  type CliCommand,
  type CommandEntry,
  type CommonFlags,
} from '../../command-kit.ts';

/** A command line whose last word is still being typed. */
export interface TypedLine {
  readonly commands: readonly CommandEntry[];
  /** The command's name, or undefined if no command has been typed yet. */
  readonly name: string | undefined;
  readonly command: CliCommand | undefined;
  /** The command's own flags and the flags that every command accepts. */
  readonly options: ParseArgsOptionsConfig;
  /** The arguments after the command, without the one that is being typed. */
  readonly args: readonly string[];
  readonly current: string;
  /** The flag whose value is being typed, without dashes, and whether it is written as `--flag=value`. */
  readonly openFlag?: { readonly flag: string; readonly isInline: boolean };
  /** Whether a flag is allowed at this position. */
  readonly mayBeFlag: boolean;
  /** Returns the flags that every command accepts. Throws if they are invalid. */
  flags(): CommonFlags;
}

/** Parses the complete words of a command line, and the last word, which is still being typed. */
export async function readTyped(
  before: readonly string[],
  current: string,
  { commands, cwd }: { readonly commands: readonly CommandEntry[]; readonly cwd: string },
): Promise<TypedLine> {
  const { name, rest } = splitCommand(before);
  const entry = findCommand(commands, name);
  const command = await entry?.load();
  const options: ParseArgsOptionsConfig = { ...commonOptions, ...command?.options };
  const mayBeFlag = !before.includes('--');
  const openFlag = mayBeFlag ? findOpenFlag(before.at(-1) ?? '', current, options) : undefined;
  const whole = openFlag?.isInline === false ? rest.slice(0, -1) : rest;
  const { known } = splitFlags(whole, options);
  const how = { options, strict: false, allowPositionals: true, allowNegative: true } as const;
  return {
    commands,
    name: entry?.name ?? name,
    command,
    options,
    args: parseArgs({ args: [...known], ...how }).positionals,
    current,
    ...(openFlag === undefined ? {} : { openFlag }),
    mayBeFlag,
    flags: () => parseFlags(known, command?.options ?? {}, cwd).common,
  };
}

function findOpenFlag(last: string, current: string, options: ParseArgsOptionsConfig): TypedLine['openFlag'] {
  const inline = /^--([\w-]+)=/.exec(current)?.[1];
  if (inline !== undefined) return { flag: inline, isInline: true };
  const [flag] =
    Object.entries(options).find(
      ([name, { type, short }]) =>
        type === 'string' && (last === `--${name}` || last === `-${String(short)}`),
    ) ?? [];
  return flag === undefined ? undefined : { flag, isInline: false };
}

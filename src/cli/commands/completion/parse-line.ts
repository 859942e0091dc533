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

/** A command line of which the last word is not whole yet. */
export interface TypedLine {
  /** All that there are. */
  readonly commands: readonly CommandEntry[];
  /** What names the command; undefined while none is named. */
  readonly name: string | undefined;
  readonly command: CliCommand | undefined;
  /** The flags of the command and of all. */
  readonly options: ParseArgsOptionsConfig;
  /** The words behind the command that are whole. */
  readonly words: readonly string[];
  readonly current: string;
  /** The flag whose value is being typed, without dashes, and whether it stands in the same word. */
  readonly openFlag?: { readonly flag: string; readonly isInline: boolean };
  /** Whether a flag may stand here. */
  readonly mayBeFlag: boolean;
  /** Throws where the flags cannot be used. */
  flags(): CommonFlags;
}

/** Reads the whole words of a command line, and what is typed now. */
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
  const openFlag = mayBeFlag ? valuePlace(before.at(-1) ?? '', current, options) : undefined;
  const whole = openFlag?.isInline === false ? rest.slice(0, -1) : rest;
  const { known } = splitFlags(whole, options);
  const how = { options, strict: false, allowPositionals: true, allowNegative: true } as const;
  return {
    commands,
    name: entry?.name ?? name,
    command,
    options,
    words: parseArgs({ args: [...known], ...how }).positionals,
    current,
    ...(openFlag === undefined ? {} : { openFlag }),
    mayBeFlag,
    flags: () => parseFlags(known, command?.options ?? {}, cwd).common,
  };
}

function valuePlace(last: string, current: string, options: ParseArgsOptionsConfig): TypedLine['openFlag'] {
  const inline = /^--([\w-]+)=/.exec(current)?.[1];
  if (inline !== undefined) return { flag: inline, isInline: true };
  const [flag] =
    Object.entries(options).find(
      ([name, { type, short }]) =>
        type === 'string' && (last === `--${name}` || last === `-${String(short)}`),
    ) ?? [];
  return flag === undefined ? undefined : { flag, isInline: false };
}

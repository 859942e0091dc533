import type { ParseArgsOptionsConfig } from 'node:util';
import type { Terminal } from './terminal.ts';

/** The entry that a word names, by its name or another; undefined when there is none. */
export function findCommand(
  commands: readonly CommandEntry[],
  word: string | undefined,
): CommandEntry | undefined {
  return commands.find(({ name, aliases = [] }) => word !== undefined && [name, ...aliases].includes(word));
}

/** The flags that mean the same for every command. */
export interface CommonFlags {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Absolute; relative paths start from here. */
  readonly cwd: string;
  /** Folders of highest precedence. */
  readonly skills: readonly string[];
  /** The named folders and no others. */
  readonly only: boolean;
  /** Nothing of the project, the user or plugins; whatever needs approval is denied. */
  readonly safe: boolean;
  /** Whatever needs approval is allowed once. */
  readonly yes: boolean;
  /** No model is asked; false when that is explicitly not wished, whatever the settings say. */
  readonly offline?: boolean;
}

/** A flag that the command does not know; `true` when it stands alone. */
export interface GivenFlag {
  readonly name: string;
  readonly value: string | true;
}

/** What a command is called with. */
export interface Invocation {
  readonly flags: CommonFlags;
  /** The command's own flags. */
  readonly own: Readonly<Record<string, string | boolean | undefined>>;
  /** Those of them that may be repeated, with all their values. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly words: readonly string[];
  /** The flags that it does not know, for a command that takes them. */
  readonly given: readonly GivenFlag[];
  readonly terminal: Terminal;
}

/** One verb of the command line; `run` returns the exit code. */
export interface CliCommand {
  readonly summary: string;
  readonly usage: string;
  readonly options?: ParseArgsOptionsConfig;
  /** How many words it takes at most; none unless said. */
  readonly mostWords?: number;
  /** Long flags that it does not know are meant for somebody else; without it they are mistakes. */
  readonly takesOtherFlags?: true;
  run(invocation: Invocation): Promise<number>;
}

/** Flags that a command line hands on to the next one: where it works, with which skills and models, how carefully, and as whom. */
export type Repeated = 'cwd' | 'skills' | 'safe' | 'models' | 'roles';

/** A verb before it is loaded. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Which flags of one command line belong into the next one when that is of this verb. */
  readonly repeats: readonly Repeated[];
  /** Imports the command when it is called, and nothing before. */
  readonly load: () => Promise<CliCommand>;
}

import type { ParseArgsOptionsConfig } from 'node:util';
import type { Terminal } from './terminal.ts';

/** Returns the command with the given name or alias, or undefined if there is none. */
export function findCommand(
  commands: readonly CommandEntry[],
  nameOrAlias: string | undefined,
): CommandEntry | undefined {
  return commands.find(
    ({ name, aliases = [] }) => nameOrAlias !== undefined && [name, ...aliases].includes(nameOrAlias),
  );
}

/** The flags that every command accepts. */
export interface CommonFlags {
  readonly json: boolean;
  readonly quiet: boolean;
  /** The absolute path of the folder that relative paths are resolved against. */
  readonly cwd: string;
  /** Skill folders with the highest precedence. */
  readonly skills: readonly string[];
  /** Whether to use only the folders in `skills`. */
  readonly only: boolean;
  /**
   * Whether to ignore the skills and settings of the project, the user and plugins, and to deny calls that
   * need approval.
   */
  readonly safe: boolean;
  /** Whether to approve calls that need approval, once for each call. */
  readonly yes: boolean;
  /** Whether to run without calling any model. False overrides offline mode in the settings. */
  readonly offline?: boolean;
}

/** A flag that the command itself does not define. A flag without a value has the value `true`. */
export interface GivenFlag {
  readonly name: string;
  readonly value: string | true;
}

/** The parsed command line and the terminal for a command. */
export interface Invocation {
  readonly flags: CommonFlags;
  /** The values of the flags that the command itself defines. */
  readonly own: Readonly<Record<string, string | boolean | undefined>>;
  /** All values of the flags that can be repeated. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly args: readonly string[];
  /** Flags that the command does not define. Empty if the command does not accept unknown flags. */
  readonly given: readonly GivenFlag[];
  readonly terminal: Terminal;
}

/** A CLI command. Its `run` returns the exit code. */
export interface CliCommand {
  readonly summary: string;
  readonly usage: string;
  readonly options?: ParseArgsOptionsConfig;
  /** The maximum number of arguments. Defaults to 0. */
  readonly maxArgs?: number;
  /**
   * Set if the command accepts unknown long flags, which are passed in `given`. Otherwise, they are errors.
   */
  readonly takesOtherFlags?: true;
  run(invocation: Invocation): Promise<number>;
}

/** Groups of flags that are copied from the current command line into a suggested command. */
export type Repeated = 'cwd' | 'skills' | 'safe' | 'models' | 'roles';

/** A command whose module is not loaded yet. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** The flags that are copied from the current command line if this command is suggested. */
  readonly repeats: readonly Repeated[];
  /** Subcommands that only edit settings. Of the flags, only `--cwd` and `--safe` matter to them. */
  readonly editing?: readonly string[];
  /** Imports the command. Nothing is imported before the first call. */
  readonly load: () => Promise<CliCommand>;
}

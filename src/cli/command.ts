import type { ParseArgsOptionsConfig } from 'node:util';
import type { Terminal } from './terminal.ts';

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
  /** Nothing of the project, the user or plugins. */
  readonly safe: boolean;
}

/** What a command is called with. */
export interface Invocation {
  readonly flags: CommonFlags;
  /** The command's own flags. */
  readonly own: Readonly<Record<string, string | boolean | undefined>>;
  readonly words: readonly string[];
  readonly terminal: Terminal;
}

/** One verb of the command line; `run` returns the exit code. */
export interface Command {
  readonly summary: string;
  readonly usage: string;
  readonly options?: ParseArgsOptionsConfig;
  /** How many words it takes at most; none unless said. */
  readonly mostWords?: number;
  run(invocation: Invocation): Promise<number>;
}

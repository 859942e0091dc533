/** What a sandbox may touch; what is not named is out of reach. */
export interface Grant {
  /** Folders that may be read. */
  readonly read: readonly string[];
  /** Folders that may also be written. */
  readonly write: readonly string[];
  /** Hosts that may be reached. */
  readonly hosts: readonly string[];
  /** All that a process in it finds in its environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A program and its words; nothing of it is read by a shell. */
export interface Command {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly folder?: string;
  readonly stdin?: string;
  /** Milliseconds after which it is killed with all its children. */
  readonly timeoutMs?: number;
}

/** What a command came to. */
export interface CommandResult {
  /** Null when it was killed. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Set when output was left out because there was too much. */
  readonly cut?: true;
  readonly timedOut?: true;
}

/** A process that goes on. */
export interface LiveProcess {
  write(data: Uint8Array): Promise<void>;
  readonly output: AsyncIterable<Uint8Array>;
  readonly ended: Promise<CommandResult>;
  kill(): Promise<void>;
}

/** A place where the code of a skill can do no harm. */
export interface Sandbox {
  run(command: Command, signal: AbortSignal): Promise<CommandResult>;
  start(command: Command): Promise<LiveProcess>;
  read(path: string): Promise<Uint8Array>;
  write(path: string, data: Uint8Array): Promise<void>;
  /** Kills what runs in it and takes it away. */
  close(): Promise<void>;
}

/** Opens sandboxes. */
export interface SandboxProvider {
  /** Set when processes in it can do all that the user can: only skills that a person allows each time get one. */
  readonly contains?: false;
  open(grant: Grant): Promise<Sandbox>;
}

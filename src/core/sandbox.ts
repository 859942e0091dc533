/** What a sandbox may touch; what is not named is out of reach. */
export interface Grant {
  /** Folders and single files that may be read. */
  readonly read: readonly string[];
  /**
   * Folders of `read` that are shown from a copy elsewhere, by their paths: at the path there is the copy and nothing
   * else. Where nothing can be mounted, a process is started from the copy instead.
   */
  readonly from?: Readonly<Record<string, string>>;
  /** Folders that may also be written. */
  readonly write: readonly string[];
  /** Files and folders in those that stay as they are; what is not there may be made. */
  readonly keep?: readonly string[];
  /** Files in those that cannot be opened at all. */
  readonly hide?: readonly string[];
  /** Hosts that may be reached, as `example.org`, `*.example.org` or, for all of them, `*`. */
  readonly hosts: readonly string[];
  /** All that a process in it finds in its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Its commands share one temporary folder, which goes with the sandbox; else each has its own. */
  readonly sharesTemporary?: true;
  /**
   * A person allowed this call to make git repositories, as `git clone` or `git worktree add` do: those that appear in
   * its writable folders stay, and it may add submodules and worktrees to the repository of the workspace.
   */
  readonly mayCreateRepositories?: true;
  /** What its processes together may use; the sandbox has limits of its own where nothing is said. */
  readonly limits?: Partial<SandboxLimits>;
}

/** What all processes of a command may use together. */
export interface SandboxLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of its private temporary folder, and of any single file. */
  readonly diskBytes: number;
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
  /** The limit that it was killed for. */
  readonly over?: 'memory' | 'processes';
  /** Changes to protected paths that the sandbox undid when the command had ended; absent when there are none. */
  readonly rejected?: readonly RejectedChange[];
  /** Files that changed while it ran and that people run later, such as `package.json` or tests: absolute paths. */
  readonly changedPrograms?: readonly string[];
}

/** A change of a command that was undone because the path is protected. */
export interface RejectedChange {
  /** Absolute. */
  readonly path: string;
  /** One sentence. */
  readonly reason: string;
  /** Where the new content is now; absent when it was dropped. */
  readonly movedTo?: string;
}

/** A process that goes on. */
export interface LiveProcess {
  write(data: Uint8Array): Promise<void>;
  /** Nothing more is written: it reads the end of its stdin. */
  end(): void;
  readonly output: AsyncIterable<Uint8Array>;
  /** Whether it keeps the process that started it alive, as it does at first. */
  hold(holds: boolean): void;
  readonly ended: Promise<CommandResult>;
  kill(): Promise<void>;
}

/** Who hears a process as it speaks. */
export interface ProcessListener {
  /** What it says on its handle 3. */
  onMessage(bytes: Uint8Array): void;
  onStdout(bytes: Uint8Array): void;
  onStderr(bytes: Uint8Array): void;
  /** Nothing more comes on its handle 3: it has ended, or perhaps only closed it. */
  onClosed(): void;
}

/** A process that is talked with on its handle 3, so that its stdout and stderr stay its own; it reads no stdin. */
export interface Conversation {
  /** Says something on its handle 3. One that leaves too much of it unread is not talked with any more. */
  send(text: string): void;
  /** Whether it keeps the process that started it alive, as it does at first. */
  hold(holds: boolean): void;
  /** Without what it printed. */
  readonly ended: Promise<CommandResult>;
  kill(): Promise<void>;
}

/** A place where the code of a skill can do no harm. */
export interface Sandbox {
  run(command: Command, signal: AbortSignal): Promise<CommandResult>;
  start(command: Command): Promise<LiveProcess>;
  /** Starts a process to talk with; `listener` hears it from its first word. */
  converse(command: Command, listener: ProcessListener): Promise<Conversation>;
  read(path: string): Promise<Uint8Array>;
  write(path: string, data: Uint8Array): Promise<void>;
  /** Kills what runs in it and takes it away. */
  close(): Promise<void>;
}

/** Whether processes run without a sandbox, each allowed by a person, where there is none; or not at all. */
export type SandboxMode = 'auto' | 'required';

/** Opens sandboxes. */
export interface SandboxProvider {
  /**
   * Whether processes in it are kept from all that they were not granted; found out by trying, once. Throws
   * `sandbox.unavailable` where they must be and cannot. What is not contained a person allows each time.
   */
  contains(): Promise<boolean>;
  open(grant: Grant): Promise<Sandbox>;
}

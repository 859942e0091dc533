/** The resources that a sandbox can access. It cannot access anything else. */
export interface Grant {
  /** Folders and single files that processes in the sandbox can read. */
  readonly read: readonly string[];
  /**
   * Copies that replace folders in `read`, keyed by the original folder's path. Processes see only the copy
   * at the original path. If mounting is not possible, they run from the copy's own location.
   */
  readonly from?: Readonly<Record<string, string>>;
  /** Folders that processes in the sandbox can also write to. */
  readonly write: readonly string[];
  /**
   * Files and folders inside the writable folders that cannot be changed. Those that do not exist yet can be
   * created.
   */
  readonly readOnly?: readonly string[];
  /** @deprecated Use `readOnly`. */
  readonly keep?: readonly string[];
  /** Files inside the granted folders that processes cannot open at all. */
  readonly hide?: readonly string[];
  /** Hosts that processes can reach, such as `example.org` or `*.example.org`. Use `*` for all hosts. */
  readonly hosts: readonly string[];
  /** All environment variables of the sandbox's processes. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Set if all commands in the sandbox share one temporary folder, which is deleted with the sandbox.
   * Otherwise, each command has its own temporary folder.
   */
  readonly sharesTemporary?: true;
  /**
   * Set if the user allowed this call to create git repositories, for example with `git clone`. New
   * repositories in its writable folders are kept. The call can also add submodules and worktrees to the
   * workspace's repository.
   */
  readonly mayCreateRepositories?: true;
  /** The limits shared by the command's processes. Default: the sandbox's limits. */
  readonly limits?: Partial<SandboxLimits>;
}

/** The limits shared by all processes of a command. */
export interface SandboxLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  /** The maximum size of the private temporary folder, and of any single file. */
  readonly diskBytes: number;
}

/** A program and its arguments. They are not parsed by a shell. */
export interface ProcessCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly folder?: string;
  readonly stdin?: string;
  /** The time in milliseconds after which the process and all its children are killed. */
  readonly timeoutMs?: number;
}

/** The result of a command. */
export interface ProcessResult {
  /** The exit code, or null if the process was killed. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Set if the output was too long and was truncated. */
  readonly cut?: true;
  readonly timedOut?: true;
  /** The exceeded limit that caused the process to be killed. */
  readonly over?: 'memory' | 'processes';
  /** Changes to protected paths that the sandbox reverted after the command. Absent if there are none. */
  readonly rejected?: readonly RejectedChange[];
  /**
   * Absolute paths of files that changed while the command ran and that a user could later execute, such as
   * `package.json` or tests.
   */
  readonly changedPrograms?: readonly string[];
}

/** A change that a command made to a protected path and that the sandbox reverted. */
export interface RejectedChange {
  /** The absolute path of the reverted change. */
  readonly path: string;
  /** The reason for reverting the change, in one sentence. */
  readonly reason: string;
  /** The location to which the changed content was moved. Absent if the content was discarded. */
  readonly movedTo?: string;
}

/** A running process. */
export interface LiveProcess {
  write(data: Uint8Array): Promise<void>;
  /** Closes the process's stdin. */
  end(): void;
  readonly output: AsyncIterable<Uint8Array>;
  /** Sets whether the running process prevents its parent process from exiting. Default: true. */
  hold(holds: boolean): void;
  readonly ended: Promise<ProcessResult>;
  kill(): Promise<void>;
}

/** A listener for the output of a process. */
export interface ProcessListener {
  /** Receives bytes from the process's file descriptor 3. */
  onMessage(bytes: Uint8Array): void;
  onStdout(bytes: Uint8Array): void;
  onStderr(bytes: Uint8Array): void;
  /**
   * Called when file descriptor 3 is closed, usually because the process has ended. The process can also
   * close the descriptor itself and continue.
   */
  onClosed(): void;
}

/**
 * A process that exchanges messages over file descriptor 3, so that stdout and stderr remain available for
 * other output. It does not read stdin.
 */
export interface Conversation {
  /** Sends text to the process on file descriptor 3. Closes the channel if too much text remains unread. */
  send(text: string): void;
  /** Sets whether the running process prevents its parent process from exiting. Default: true. */
  hold(holds: boolean): void;
  /** Resolves to the process's result, without its output. */
  readonly ended: Promise<ProcessResult>;
  kill(): Promise<void>;
}

/** An isolated environment for a skill's code. */
export interface Sandbox {
  run(command: ProcessCommand, signal: AbortSignal): Promise<ProcessResult>;
  start(command: ProcessCommand): Promise<LiveProcess>;
  /** Starts a process that exchanges messages. `listener` receives all output, including the earliest. */
  converse(command: ProcessCommand, listener: ProcessListener): Promise<Conversation>;
  read(path: string): Promise<Uint8Array>;
  write(path: string, data: Uint8Array): Promise<void>;
  /** Kills everything running in the sandbox and deletes it. */
  close(): Promise<void>;
}

/**
 * The commands that a conversation runs in the background. They end with the conversation and are not
 * restarted when another process resumes the run.
 */
export interface ScopeBackground {
  /**
   * Starts a command in a separate sandbox with this call's grants. Throws `limit.calls` if too many commands
   * are running. The title is shown to users.
   */
  start(title: string, command: ProcessCommand): Promise<BackgroundCommand>;
  /** Returns the commands that were started in this process, oldest first. */
  commands(): Promise<readonly BackgroundCommand[]>;
}

/** A command that runs in the background. Its stderr is part of its result, not of its output. */
export interface BackgroundCommand {
  readonly id: string;
  readonly title: string;
  /** The start time, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** The command's result. Undefined while the command is running. */
  readonly result: ProcessResult | undefined;
  /**
   * Returns the output since the last call, and the number of characters dropped from its beginning because
   * they were not read in time.
   */
  readOutput(): { readonly text: string; readonly omitted: number };
  /**
   * Resolves when there is unread output, when the command ends, or after the given number of milliseconds.
   */
  waitForOutput(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Ends the command and all its children. */
  kill(): Promise<void>;
}

/**
 * The behaviour if no sandbox is available. With `auto`, the user must approve each process; with `required`,
 * no process can run.
 */
export type SandboxMode = 'auto' | 'required';

/** A provider of sandboxes. */
export interface SandboxProvider {
  /**
   * Whether the provider's sandboxes limit processes to the granted resources. The first call starts a
   * sandbox to find out. Throws `sandbox.unavailable` if isolation is required but not possible. Without
   * isolation, the user must approve each process.
   */
  contains(): Promise<boolean>;
  open(grant: Grant): Promise<Sandbox>;
}

import {
  AgentError,
  onAbort,
  timer,
  type BackgroundCommand,
  type ProcessCommand,
  type ProcessResult,
  type Sandbox,
  type ScopeBackground,
} from '../../core/index.ts';
import type { CallTarget, Frame } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import type { Permitted } from '../permissions/attest.ts';
import { openOwnSandbox } from './sandbox.ts';
import { addNote } from './step.ts';

const maxRunning = 8; // The maximum number of commands that a conversation runs in the background.
const maxEnded = 32; // The maximum number of ended commands whose output can still be read.
const maxUnread = 100_000; // The maximum number of unread characters to keep of a command's output.

/** The call that uses background commands. */
interface BackgroundContext {
  readonly execution: Execution;
  readonly frame: Frame;
  readonly target: CallTarget;
  readonly permitted: Permitted;
}

/**
 * Creates a scope's access to the background commands of its caller. The commands end with the caller, and
 * are lost if another process resumes the run.
 */
export function createBackground(context: BackgroundContext): ScopeBackground {
  const { execution, frame } = context;
  const owner = frame.parent ?? frame;
  let starts = 0;
  const newId = (): string => {
    const id = `c_${frame.id.slice(-8)}`;
    return starts++ === 0 ? id : `${id}_${starts}`;
  };
  const opened = (): Promise<CommandTable> =>
    owner.resources.open('background-commands', async () => createTable());
  return {
    start: (title, command) =>
      frame.busy(async () => {
        const table = await opened();
        const start = async (): Promise<RunningCommand> => {
          const sandbox = await openOwnSandbox(execution, owner, { ...context, caller: frame });
          return startCommand(newId(), title, command, sandbox);
        };
        return table.add(start, (one) => {
          const message = `The background command "${one.title}" ended${endOf(one)}.`;
          addNote(execution, owner, message, { id: one.id });
        });
      }),
    commands: async () => [...(await opened()).commands.values()],
  };
}

function endOf({ result }: BackgroundCommand): string {
  return result?.exitCode == null ? '' : ` with exit code ${result.exitCode}`;
}

/** The background commands of a conversation. */
interface CommandTable {
  readonly commands: ReadonlyMap<string, RunningCommand>;
  /**
   * Starts a command. `onEnd` is called if the command ends before the conversation does. Throws `limit.calls`
   * if too many commands are running. Kills the command if the conversation ends while it starts.
   */
  add(
    start: () => Promise<RunningCommand>,
    onEnd: (command: RunningCommand) => void,
  ): Promise<RunningCommand>;
  close(): Promise<void>;
}

function createTable(): CommandTable {
  const commands = new Map<string, RunningCommand>();
  let starting = 0;
  let isClosed = false;
  const checkRoom = (): void => {
    const running = [...commands.values()].filter(({ result }) => result === undefined);
    if (running.length + starting < maxRunning) return;
    throw new AgentError('limit.calls', `${maxRunning} commands are already running in the background.`, {
      hint: 'Stop one of them with bash-kill.',
    });
  };
  return {
    commands,
    async add(start, onEnd) {
      checkRoom();
      starting++;
      try {
        const command = await start();
        if (isClosed) await command.kill();
        commands.set(command.id, command);
        for (const { id, result } of commands.values())
          if (commands.size > maxEnded && result !== undefined) commands.delete(id);
        void command.ended.then(() => {
          if (!isClosed) onEnd(command);
        });
        return command;
      } finally {
        starting--;
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...commands.values()].map((command) => command.kill()));
    },
  };
}

interface RunningCommand extends BackgroundCommand {
  readonly ended: Promise<void>;
}

/** Starts a command. Its sandbox is closed when it ends. */
async function startCommand(
  id: string,
  title: string,
  command: ProcessCommand,
  sandbox: Sandbox,
): Promise<RunningCommand> {
  const unread = createUnreadOutput();
  let result: ProcessResult | undefined;
  let fault: unknown;
  const live = await sandbox.start(command).catch(async (thrown: unknown) => {
    await sandbox.close();
    throw thrown;
  });
  live.end();
  const readAll = async (): Promise<void> => {
    for await (const bytes of live.output) unread.add(bytes);
  };
  const work = async (): Promise<void> => {
    const reading = readAll().catch(() => undefined); // The process ended while its output was being read.
    try {
      const ended = await live.ended;
      await live.kill();
      await reading;
      result = ended;
    } catch (thrown) {
      fault = thrown;
      result = { exitCode: null, stdout: '', stderr: '' };
    } finally {
      await sandbox.close().catch(() => undefined); // The command has ended, so this does not change its result.
      unread.wake();
    }
  };
  const ended = work();
  return {
    id,
    title,
    startedAt: Date.now(),
    ended,
    get result() {
      return result;
    },
    readOutput() {
      if (fault !== undefined) throw fault as Error;
      return unread.take();
    },
    waitForOutput: (milliseconds, signal) => unread.wait(milliseconds, signal, () => result !== undefined),
    async kill() {
      await live.kill();
      await ended;
    },
  };
}

interface UnreadOutput {
  add(bytes: Uint8Array): void;
  /** Returns the output since the last call, and the number of characters dropped from its start. */
  take(): { readonly text: string; readonly omitted: number };
  /** Resolves when there is output, when `isOver` returns true, or after the given time. */
  wait(milliseconds: number, signal: AbortSignal, isOver: () => boolean): Promise<void>;
  wake(): void;
}

/** Creates a buffer that keeps the end of the unread output of a UTF-8 stream. */
function createUnreadOutput(): UnreadOutput {
  const decoder = new TextDecoder();
  const waiting = new Set<() => void>();
  let text = '';
  let omitted = 0;
  const trim = (most: number): void => {
    if (text.length <= most) return;
    omitted += text.length - maxUnread;
    text = text.slice(-maxUnread);
  };
  const wake = (): void => waiting.forEach((resolve) => resolve());
  return {
    wake,
    add(bytes) {
      text += decoder.decode(bytes, { stream: true });
      trim(2 * maxUnread); // Trims only occasionally, so that appending small chunks is cheap.
      wake();
    },
    take() {
      trim(maxUnread);
      const taken = { text: text.toWellFormed(), omitted };
      text = '';
      omitted = 0;
      return taken;
    },
    async wait(milliseconds, signal, isOver) {
      if (text !== '' || isOver() || milliseconds === 0) return;
      const { promise, resolve } = Promise.withResolvers<null>();
      const stop = (): void => resolve(null);
      using _clock = timer(milliseconds, stop);
      using _listener = onAbort(signal, stop);
      waiting.add(stop);
      await promise.finally(() => waiting.delete(stop));
    },
  };
}

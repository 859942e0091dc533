import {
  AgentError,
  defineSkill,
  optional,
  visible,
  zod,
  type ProcessResult,
  type ErrorData,
  type Output,
  type RejectedChange,
  type Scope,
  renameCommand,
} from '../core/index.ts';
import { matchesCommand, shellParts } from '../shell/command-line.ts';

/**
 * Runs a shell command in the workspace. A nonzero exit code is not a failure; it is left to the caller to
 * interpret. The call fails only if the command exceeds its time limit or a limit of the sandbox.
 */
export const bash = defineSkill({
  name: 'bash',
  description:
    'Runs a shell command in the workspace and returns its output and exit code. You cannot type into it, and ' +
    'any processes it leaves running are stopped, unless run_in_background is set. For files, use read, write, edit, glob and grep where possible.',
  permission: 'Bash',
  runsProcesses: true,
  sequential: true,
  allowedSkills: [],
  renameInput: renameCommand,
  matches: (spec, { command }) => matchesCommand(spec, command),
  parts: ({ command }) => shellParts(command),
  alwaysAsks: ({ command }) =>
    shellParts(command).makesRepositories === true
      ? 'It creates a git repository, whose settings and hooks can later make git run programs on this machine.'
      : undefined,
  input: () => {
    const { z } = zod();
    return z.strictObject({
      command: z.string().min(1).describe('The command, as typed at a shell prompt.'),
      timeout_ms: z
        .int()
        .min(1)
        .max(600_000)
        .default(120_000)
        .describe('Stop the command after this many milliseconds.'),
      description: z
        .string()
        .optional()
        .describe('What the command does, in a few words, for the person who approves it.'),
      run_in_background: z
        .boolean()
        .default(false)
        .describe(
          'Return at once with an id for bash-output and bash-kill. The command is stopped when your task ends.',
        ),
    });
  },
  async run({ command, timeout_ms: timeoutMs, run_in_background: isBackground }, scope) {
    const {
      files: { workspace: folder },
      request: { stdin },
      signal,
    } = scope;
    if (folder === undefined) {
      throw new AgentError('usage.bad-input', 'Running a command requires a workspace.', {
        hint: 'Set a workspace for the agent, or start the agent in a project folder.',
      });
    }
    if (isBackground) return startInBackground(command, folder, scope);
    const sandbox = await scope.processes.sandbox();
    const result = await scope.step(
      'command',
      async () => {
        const args = ['-c', useBashWhereItIs, 'sh', command];
        const given = { folder, timeoutMs, ...(stdin === '' ? {} : { stdin }) };
        const ended = await sandbox.run({ program: 'sh', arguments: args, ...given }, signal);
        return membersOf(ended);
      },
      { command, timeoutMs },
    );
    return outputOf(result, timeoutMs);
  },
});

/**
 * Starts a background command. It runs until it exits, is stopped by `bash-kill`, or its conversation ends.
 */
async function startInBackground(command: string, folder: string, scope: Scope): Promise<Output> {
  const args = ['-c', `exec 2>&1${useBashWhereItIs}`, 'sh', command];
  const start = async (): Promise<string> => {
    const started = { program: 'sh', arguments: args, folder };
    return (await scope.processes.background.start(command, started)).id;
  };
  const id = await scope.step('background', start, { command });
  const text = `The command runs in the background as ${id}. Read its output with bash-output, and stop it with bash-kill.`;
  return { status: 'done', text, value: { id } };
}

// The command is passed as a single argument, so that only the intended shell interprets it. Without
// `--norc`, bash mistakes a piped stdin for a remote login and reads the user's startup file.
const useBashWhereItIs = `
if [ "$SKILLED_TOOL_SHELL" != sh ] && command -v bash >/dev/null 2>&1; then exec bash --norc -c -- "$1"; fi
if [ "$SKILLED_TOOL_SHELL" = bash ]; then echo "bash is not installed on this machine." >&2; exit 127; fi
exec sh -c -- "$1"`;

function membersOf({ exitCode, stdout, stderr, cut, timedOut, over, rejected }: ProcessResult) {
  const ended = {
    ...optional('timedOut', timedOut),
    ...optional('over', over),
    ...optional('rejected', rejected?.map(rejectedMembers)),
  };
  return { exitCode, stdout, stderr, ...optional('cut', cut), ...ended };
}

function rejectedMembers({ path, reason, movedTo }: RejectedChange) {
  return { path, reason, ...optional('movedTo', movedTo) };
}

function outputOf(result: ReturnType<typeof membersOf>, timeoutMs: number): Output {
  const { exitCode, stdout, stderr, timedOut, over, rejected = [] } = result;
  const said = [
    ...(stdout === '' ? [] : [stdout.trimEnd()]),
    ...(stderr === '' ? [] : [`[stderr]\n${stderr.trimEnd()}`]),
    ...rejected.map(
      ({ path, reason, movedTo }) =>
        `[undone: ${visible(path)}: ${visible(reason)}${movedTo === undefined ? '' : ` It was moved to ${visible(movedTo)}.`}]`,
    ),
  ];
  const stopped = timedOut === true ? outOfTime(timeoutMs) : over === undefined ? undefined : outOf[over];
  if (stopped !== undefined) {
    const { message, hint } = stopped;
    return {
      status: 'failed',
      text: [...said, `[${message} ${hint}]`].join('\n'),
      error: { ...stopped, details: result },
    };
  }
  if (exitCode === null) said.push('[ended by a signal]');
  else if (exitCode !== 0) said.push(`[exit code ${exitCode}]`);
  else if (said.length === 0) said.push('[no output, exit code 0]');
  return { status: 'done', text: said.join('\n'), value: result };
}

function outOfTime(timeoutMs: number): ErrorData & { readonly hint: string } {
  return {
    code: 'limit.time',
    message: `The command was stopped after ${timeoutMs.toLocaleString('en')} milliseconds.`,
    hint: 'Increase timeout_ms, or run a shorter command.',
  };
}

const outOf = {
  memory: {
    code: 'limit.too-large',
    message: "The command was stopped: its processes exceeded the sandbox's memory limit.",
    hint: 'Process less data at a time.',
  },
  processes: {
    code: 'limit.too-large',
    message: 'The command was stopped: it started more processes than the sandbox allows.',
    hint: 'Run fewer processes at once.',
  },
} as const;

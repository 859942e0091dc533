import {
  AgentError,
  defineSkill,
  optional,
  visible,
  zod,
  type CommandResult,
  type ErrorData,
  type Output,
  type RejectedChange,
} from '../core/index.ts';
import { matchesCommand, shellParts } from '../shell/command-line.ts';

/** Runs a shell command in the workspace; what it ends with is for the reader to judge, so only running out of time or memory fails. */
export const bash = defineSkill({
  name: 'bash',
  description:
    'Runs a shell command in the workspace and returns its output and exit code. Nothing can be typed into it, and ' +
    'what it leaves running is ended with it. Use read, write, edit, glob and grep for files where they suffice.',
  permission: 'Bash',
  runsProcesses: true,
  sequential: true,
  allowedSkills: [],
  matches: (spec, { command }) => matchesCommand(spec, command),
  parts: ({ command }) => shellParts(command),
  alwaysAsks: ({ command }) =>
    shellParts(command).makesRepositories === true
      ? 'It makes a git repository. Git can later run programs on this machine by the settings and hooks of one.'
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
        .describe('What the command does, in a few words, for whoever approves it.'),
    });
  },
  async run({ command, timeout_ms: timeoutMs }, scope) {
    const {
      files: { workspace: folder },
      request: { stdin },
      signal,
    } = scope;
    if (folder === undefined) {
      throw new AgentError('usage.bad-input', 'There is no workspace to run a command in.', {
        hint: 'Give the agent a workspace, or start it in a folder.',
      });
    }
    const sandbox = await scope.processes.sandbox();
    const result = await scope.step(
      'command',
      async () => {
        const words = ['-c', useBashWhereItIs, 'sh', command];
        const given = { folder, timeoutMs, ...(stdin === '' ? {} : { stdin }) };
        const ended = await sandbox.run({ program: 'sh', arguments: words, ...given }, signal);
        return membersOf(ended);
      },
      { command, timeoutMs },
    );
    return outputOf(result, timeoutMs);
  },
});

// The command is a word of its own and stays one: nothing of it is read before the shell that it is meant for.
// Without --norc bash takes a pipe for a remote login, and reads the profile of the user.
const useBashWhereItIs = `
if [ "$SKILLED_TOOL_SHELL" != sh ] && command -v bash >/dev/null 2>&1; then exec bash --norc -c -- "$1"; fi
if [ "$SKILLED_TOOL_SHELL" = bash ]; then echo "There is no bash on this machine." >&2; exit 127; fi
exec sh -c -- "$1"`;

function membersOf({ exitCode, stdout, stderr, cut, timedOut, over, rejected }: CommandResult) {
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
    hint: 'Give it more time with timeout_ms, or let it do less.',
  };
}

const outOf = {
  memory: {
    code: 'limit.too-large',
    message: 'The command was stopped: its processes took more memory than the sandbox has.',
    hint: 'Let it work on less at a time.',
  },
  processes: {
    code: 'limit.too-large',
    message: 'The command was stopped: it started more processes than the sandbox allows.',
    hint: 'Let it do fewer things at once.',
  },
} as const;

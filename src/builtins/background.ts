import {
  AgentError,
  defineSkill,
  nearestNames,
  nearHint,
  zod,
  type BackgroundCommand,
  type JsonObject,
  type Scope,
} from '../core/index.ts';

const longestWait = 60_000; // The maximum time to wait for output, in milliseconds.

/** Reads new output of a command that `bash` runs in the background, or lists all such commands. */
export const bashOutput = defineSkill({
  name: 'bash-output',
  description:
    'Returns the new output of a command that bash runs in the background, and its exit code once it has ended. ' +
    'Without an id, lists these commands.',
  permission: 'BashOutput',
  readOnly: true,
  allowedSkills: [],
  renameInput: renameId,
  input: () => {
    const { z } = zod();
    return z.strictObject({
      id: z.string().min(1).optional().describe('The id that bash returned.'),
      wait_ms: z
        .int()
        .min(0)
        .max(longestWait)
        .default(1000)
        .describe('How long to wait for new output, in milliseconds.'),
    });
  },
  async run({ id, wait_ms: waitMs }, scope) {
    if (id === undefined) {
      const list = await scope.step('list', async () =>
        (await scope.processes.background.commands()).map(describe),
      );
      const lines = list.map(({ id: one, command, state }) => `${one}: ${state}: ${command}`);
      return { status: 'done', text: lines.join('\n') || 'No background command is running.', value: list };
    }
    const value = await scope.step('output', async () => {
      const command = await find(id, scope);
      await command.waitForOutput(waitMs, scope.signal);
      // Read the state first: if the command ends later, the next call reports that together with the last
      // output.
      const { state, ended } = describe(command);
      const { text, omitted } = command.readOutput();
      return { id, state, ended, output: text, omitted };
    });
    return { status: 'done', text: textOf(value), value };
  },
});

/** Ends a command that `bash` runs in the background. */
export const bashKill = defineSkill({
  name: 'bash-kill',
  description: 'Stops a command that bash runs in the background, with everything that it started.',
  permission: 'BashKill',
  // It ends only commands that the same conversation started, which needed the permission of `bash`.
  readOnly: true,
  sequential: true,
  allowedSkills: [],
  renameInput: renameId,
  input: () => {
    const { z } = zod();
    return z.strictObject({ id: z.string().min(1).describe('The id that bash returned.') });
  },
  async run({ id }, scope) {
    const value = await scope.step('kill', async () => {
      const command = await find(id, scope);
      const wasRunning = command.result === undefined;
      await command.kill();
      return { id, wasRunning };
    });
    const text = value.wasRunning ? `Stopped ${id}.` : `${id} had already ended.`;
    return { status: 'done', text, value };
  },
});

/** Accepts the names that other programs use for the id. */
function renameId(input: JsonObject): JsonObject {
  const { bash_id, shell_id, task_id, ...others } = input;
  const id = others['id'] ?? bash_id ?? shell_id ?? task_id;
  return id === undefined ? others : { ...others, id };
}

async function find(id: string, scope: Scope): Promise<BackgroundCommand> {
  const commands = await scope.processes.background.commands();
  const found = commands.find((one) => one.id === id);
  if (found !== undefined) return found;
  const near = nearestNames(
    id,
    commands.map((one) => one.id),
  );
  throw new AgentError('usage.not-found', `There is no background command "${id}".`, {
    hint:
      nearHint(near) ??
      'Background commands end when their run waits or is interrupted. Start it again with bash.',
    details: { near: [...near] },
  });
}

/** The description of a background command in results. */
type Described = {
  readonly id: string;
  readonly command: string;
  readonly state: string;
  readonly ended: boolean;
};

function describe({ id, title: command, startedAt, result }: BackgroundCommand): Described {
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  if (result === undefined) return { id, command, state: `running for ${seconds} s`, ended: false };
  const { exitCode, over } = result;
  const how = over !== undefined ? `stopped: it exceeded the limit of ${over}` : 'ended by a signal';
  return { id, command, state: exitCode === null ? how : `exit code ${exitCode}`, ended: true };
}

function textOf(value: {
  readonly state: string;
  readonly output: string;
  readonly omitted: number;
}): string {
  const { state, output, omitted } = value;
  return [
    ...(omitted === 0 ? [] : [`[… ${omitted.toLocaleString('en')} characters left out …]`]),
    ...(output === '' ? ['[no new output]'] : [output.trimEnd()]),
    `[${state}]`,
  ].join('\n');
}

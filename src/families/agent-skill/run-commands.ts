import type { RenderedCommand } from '../../core/family.ts';
import type { Scope } from '../../core/scope.ts';
import { failedCommand, stoppedCommand, type PlacedCommand } from './command-failure.ts';
import type { AgentSkillDefinition } from './definition.ts';
import { endedIn } from './ended.ts';
import { mayEndWithOne } from './may-end-with-one.ts';
import type { RenderedBody } from './render/render-body.ts';
import { shellVariable } from './shell-variable.ts';

/** Runs the commands of a body one after another, as the policy allows each; throws at the first that fails. */
export async function runCommands(
  { pieces, environment }: Pick<RenderedBody, 'pieces' | 'environment'>,
  definition: AgentSkillDefinition,
  scope: Scope,
): Promise<readonly RenderedCommand[]> {
  const commands = pieces.filter((piece) => typeof piece !== 'string');
  if (commands.length === 0) return [];
  const variables = { ...environment, ...shellVariable(definition, scope) };
  const where = scope.skill.file === '' ? `"${scope.skill.name}"` : scope.skill.file;
  const ran: RenderedCommand[] = [];
  for (const [index, { command, line }] of commands.entries()) {
    const placed = { command, line: definition.bodyLine + line - 1, where };
    ran.push(await runOne(placed, `command-${index + 1}`, variables, scope));
  }
  return ran;
}

const mostMilliseconds = 60_000;

async function runOne(
  placed: PlacedCommand,
  key: string,
  environment: Readonly<Record<string, string>>,
  scope: Scope,
): Promise<RenderedCommand> {
  const { command } = placed;
  const output = await scope.call(
    'bash',
    { command, timeout_ms: mostMilliseconds },
    { asWritten: true, key, process: { environment } },
  );
  if (output.status === 'failed') throw stoppedCommand(placed, output.error);
  const ended = endedIn(output.value);
  const { exitCode, stdout } = ended;
  const isFine = exitCode === 0 || (exitCode === 1 && mayEndWithOne(command));
  if (!isFine) throw failedCommand(placed, ended);
  return { command, ran: true, exitCode, output: withoutLineEnd(stdout) };
}

const mostCharacters = 100_000;
const noteRoom = 200; // whoever cut it before says so in a line

function withoutLineEnd(stdout: string): string {
  const text = stdout.replace(/\r?\n$/, '');
  const over = text.length - mostCharacters;
  if (over <= noteRoom) return text;
  return `${text.slice(0, mostCharacters).toWellFormed()}\n[${over} more characters were left out]`;
}

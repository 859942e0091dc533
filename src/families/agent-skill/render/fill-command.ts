import { AgentError } from '../../../core/index.ts';
import { insertValues, type Refusal } from '../../../shell/insert-values.ts';
import type { ArgumentValues } from './arguments.ts';
import { variableFor, type Filled } from './placeholders.ts';

/** A command as it stands in a body. */
interface WrittenCommand {
  readonly written: string;
  /** One-based, in the file. */
  readonly line: number;
}

/** Puts values into a command as data, never as syntax; throws `usage.bad-input` where that cannot be. */
export function fillCommand(
  pieces: readonly (string | Filled)[],
  { written, line }: WrittenCommand,
  allowDash: boolean,
): string {
  const command = pieces.map((piece) =>
    typeof piece === 'string'
      ? piece.replace(/\r\n?/g, '\n')
      : { value: piece.value, mayName: !piece.isArgument },
  );
  const where = `The command ${shorten(written)} on line ${line} of the file`;
  if (command.some((piece) => typeof piece === 'string' && piece.includes('\0'))) {
    throw new AgentError('usage.bad-input', `${where} holds a NUL character, which no shell can be given.`, {
      hint: 'Remove it from the file.',
    });
  }
  const insertion = insertValues(command, { allowDash });
  if ('script' in insertion) return insertion.script;
  const filled = pieces.filter((piece) => typeof piece !== 'string')[insertion.index];
  const { placeholder = '', variable = '' } = filled ?? {};
  const { why, hint } = explain(insertion.refusal, placeholder, variable);
  throw new AgentError('usage.bad-input', `${where} cannot be given a value for ${placeholder}: ${why}.`, {
    hint,
  });
}

function explain(refusal: Refusal, placeholder: string, variable: string): { why: string; hint: string } {
  const instead = `Use "$${variable}" in the file instead, or \\${placeholder} if the shell's own ${placeholder} is meant.`;
  switch (refusal) {
    case 'place':
      return { why: 'it stands where it cannot become part of one word of a command', hint: instead };
    case 'code':
      return { why: 'it stands in text that is run as code', hint: instead };
    case 'variables':
      return {
        why: 'the command has the shell evaluate variables, and a value in one could hold commands',
        hint: 'Calculate and choose programs in a script beside the skill, which checks what it is given first.',
      };
    case 'program':
      return { why: 'it would decide which program runs', hint: 'Write the program into the file.' };
    case 'dash':
      return {
        why: 'the value begins with a dash, which a program may take for an option',
        hint: `Write -- before ${placeholder} in the file, or "allow-dash: true" at its top.`,
      };
    case 'null':
      return { why: 'the value holds a NUL character, which no command can be given', hint: 'Remove it.' };
    case 'size':
      return {
        why: 'the value is too long for a command',
        hint: 'Give a shorter one, or the name of a file.',
      };
  }
}

const mostShown = 80;

function shorten(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return `"${line.length > mostShown ? `${line.slice(0, mostShown).toWellFormed()}…` : line}"`;
}

// A process starts with a limited space for all of its environment, and a tenth of that for one variable.
const mostCharacters = 100_000;

/**
 * The arguments as variables of the commands. What does not fit into an environment is left out; a command that asks for
 * such a variable by name throws `usage.bad-input`.
 */
export function commandEnvironment(
  { whole, isBlank, positions, names }: ArgumentValues,
  commands: readonly string[],
): Readonly<Record<string, string>> {
  if (commands.length === 0) return {};
  const environment: Record<string, string> = {};
  let room = mostCharacters;
  const add = (name: string, value: string): void => {
    if (Object.hasOwn(environment, name)) return;
    const fits = value.length <= room && !value.includes('\0');
    if (fits) room -= value.length;
    else if (commands.some((command) => command.includes(name))) throw tooLong(name);
    if (fits) environment[name] = value;
  };
  for (const [index, value] of positions.entries())
    if (value !== undefined) add(`SKILLED_ARG_${index}`, value);
  for (const [name, value] of names) add(variableFor(name), value);
  if (!isBlank) add('SKILLED_ARGUMENTS', whole);
  return environment;
}

function tooLong(name: string): AgentError {
  return new AgentError(
    'usage.bad-input',
    `The value for ${name} is too long for a command, or holds a NUL character.`,
    {
      hint: 'Give a shorter one, or the name of a file.',
    },
  );
}

import { AgentError } from '../../../core/error.ts';
import type { ArgumentValues } from './argument-values.ts';
import { variableFor } from './placeholders.ts';

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

import { AgentError } from '../../../core/index.ts';
import { insertValues, type Refusal } from '../../../shell/insert-values.ts';
import type { ArgumentValues } from './arguments.ts';
import { variableFor, type Filled } from './placeholders.ts';

/** A command as written in a skill's body. */
interface WrittenCommand {
  readonly written: string;
  /** The one-based line number in the file. */
  readonly line: number;
}

/**
 * Inserts values into a command as data, never as shell syntax. Throws `usage.bad-input` if a value cannot be
 * inserted safely.
 */
export function fillCommand(
  pieces: readonly (string | Filled)[],
  { written, line }: WrittenCommand,
  allowDash: boolean,
): string {
  const command = pieces.map((piece) =>
    typeof piece === 'string'
      ? piece.replace(/\r\n?/g, '\n')
      : {
          value: piece.value,
          mayName: !piece.isArgument,
          isSkillFolder: !piece.isArgument && piece.variable === 'SKILLED_SKILL_DIR',
        },
  );
  const where = `The command ${shorten(written)} on line ${line} of the file`;
  if (command.some((piece) => typeof piece === 'string' && piece.includes('\0'))) {
    throw new AgentError(
      'usage.bad-input',
      `${where} contains a NUL character, which shells cannot handle.`,
      {
        hint: 'Remove the character from the file.',
      },
    );
  }
  const insertion = insertValues(command, { allowDash });
  if ('script' in insertion) return insertion.script;
  const filled = pieces.filter((piece) => typeof piece !== 'string')[insertion.index];
  const { placeholder = '', variable = '' } = filled ?? {};
  const { why, hint } = explain(insertion.refusal, placeholder, variable);
  throw new AgentError('usage.bad-input', `${where} cannot use the value of ${placeholder}: ${why}.`, {
    hint,
  });
}

function explain(refusal: Refusal, placeholder: string, variable: string): { why: string; hint: string } {
  const byScript = `Run a script of the skill that reads "$${variable}" or its input. Write \\${placeholder} for the shell's own ${placeholder}.`;
  switch (refusal) {
    case 'position':
      return { why: 'in this position it cannot become part of a single argument', hint: byScript };
    case 'unlisted':
      return { why: 'nothing shows that this command would treat it only as data', hint: byScript };
    case 'code':
      return { why: 'it is part of code, or the command could evaluate it', hint: byScript };
    case 'variables':
      return {
        why: 'the command makes the shell evaluate variables, and a value in a variable could contain commands',
        hint: byScript,
      };
    case 'program':
      return { why: 'it would decide which program runs', hint: byScript };
    case 'effects':
      return {
        why: 'the command writes a file or changes a folder with it, and another part of the command could use that',
        hint: byScript,
      };
    case 'plain':
      return {
        why: 'here the command takes only a simple name, because it may pass the value to a shell or run what it names',
        hint: byScript,
      };
    case 'unclear':
      return {
        why: 'the word could begin with any part of the value, so a program may read it as an option',
        hint: `Put double quotes around variables, or write -- before the word. ${byScript}`,
      };
    case 'special':
      return {
        why: 'the program does not read a value that begins like this as data',
        hint: byScript,
      };
    case 'dash':
      return {
        why: 'the value begins with a dash, so a program may read it as an option',
        hint: `Write -- before ${placeholder} in the file. "allow-dash: true" in its frontmatter allows options for scripts and harmless programs.`,
      };
    case 'null':
      return { why: 'the value contains a NUL character, which commands cannot handle', hint: 'Remove it.' };
    case 'size':
      return {
        why: 'the value is too long for a command',
        hint: 'Pass a shorter value, or a file name.',
      };
  }
}

const maxShown = 80;

function shorten(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return `"${line.length > maxShown ? `${line.slice(0, maxShown).toWellFormed()}…` : line}"`;
}

// Operating systems limit the size of each environment variable and of the whole environment. The limit for
// one variable is about a tenth of the total.
const maxCharacters = 100_000;

/**
 * Returns the arguments as environment variables for the commands. Values that do not fit are left out.
 * Throws `usage.bad-input` if a command uses a variable that was left out.
 */
export function commandEnvironment(
  { whole, isEmpty, positions, names }: ArgumentValues,
  commands: readonly string[],
): Readonly<Record<string, string>> {
  if (commands.length === 0) return {};
  const environment: Record<string, string> = {};
  let room = maxCharacters;
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
  if (!isEmpty) add('SKILLED_ARGUMENTS', whole);
  return environment;
}

function tooLong(name: string): AgentError {
  return new AgentError(
    'usage.bad-input',
    `The value for ${name} is too long for a command, or contains a NUL character.`,
    {
      hint: 'Pass a shorter value, or a file name.',
    },
  );
}

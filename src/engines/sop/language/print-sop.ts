import type { PlanArgument, PlanLiteral, Plan, PlanStep } from '../index.ts';

/**
 * Prints a plan as a script. Parsing the script returns the same plan. The plan must be one that `parseSop`
 * can return.
 */
export function printSop({ steps }: Plan): string {
  return steps.map(printStep).join('');
}

function printStep(step: PlanStep): string {
  const { name, command, arguments: given, each, when, comment } = step;
  const text = lastText(given);
  const parts = [
    `@${name}`,
    ...(each === undefined ? [] : ['each', `$${each.path}`]),
    command,
    ...(text === undefined ? given : given.slice(0, -1)).map(printArgument),
    ...(when === undefined ? [] : ['when', ...(when.isNegated ? ['not'] : []), `$${when.of.path}`]),
  ];
  const lines = [...printComment(comment), parts.join(' '), ...(text === undefined ? [] : printText(text))];
  return lines.map((line) => `${line}\n`).join('');
}

/** Returns the last argument of a step if it is text with several lines. */
function lastText(given: readonly PlanArgument[]): string | undefined {
  const last = given.at(-1);
  if (last?.kind !== 'text' || last.key !== undefined) return undefined;
  return last.text.includes('\n') && !last.text.includes('\r') ? last.text : undefined;
}

function printComment(comment: string | undefined): readonly string[] {
  return comment?.split('\n').map((line) => `# ${line}`.trimEnd()) ?? [];
}

function printArgument(argument: PlanArgument): string {
  const value = argument.kind === 'reference' ? `$${argument.path}` : printLiteral(argument);
  return argument.key === undefined ? value : `${argument.key}=${value}`;
}

const plain = /^(?![$#"'@]|--)[^\s=]+$/;
const meaningful = ['when', 'not', 'each'];
const escapes: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\\': '\\\\',
  '"': '\\"',
};

function printLiteral({ text }: PlanLiteral): string {
  if (plain.test(text) && !meaningful.includes(text)) return text;
  return `"${text.replace(/[\n\r\t\\"]/g, (character) => escapes[character] ?? character)}"`;
}

/** Prints text between tags that do not occur in the text. */
function printText(text: string): readonly string[] {
  const lines = text.split('\n');
  const known = new Set(lines.map((line) => line.trim()));
  let tag = 'text';
  for (let count = 2; known.has(`--end-${tag}--`); count++) tag = `text-${count}`;
  return [`--begin-${tag}--`, ...lines, `--end-${tag}--`];
}

import type { Argument, Literal, Plan, PlanStep } from '../index.ts';

/** The canonical script of a plan, which reads as the same plan; each step takes what `parseSop` can give, and no more. */
export function printSop({ steps }: Plan): string {
  return steps.map(printStep).join('');
}

function printStep(step: PlanStep): string {
  const { name, command, arguments: given, each, when, comment } = step;
  const text = lastText(given);
  const words = [
    `@${name}`,
    ...(each === undefined ? [] : ['each', `$${each.path}`]),
    command,
    ...(text === undefined ? given : given.slice(0, -1)).map(printArgument),
    ...(when === undefined ? [] : ['when', ...(when.isNegated ? ['not'] : []), `$${when.of.path}`]),
  ];
  const lines = [...printComment(comment), words.join(' '), ...(text === undefined ? [] : printText(text))];
  return lines.map((line) => `${line}\n`).join('');
}

/** The text of several lines that a step ends with. */
function lastText(given: readonly Argument[]): string | undefined {
  const last = given.at(-1);
  if (last?.kind !== 'text' || last.key !== undefined) return undefined;
  return last.text.includes('\n') && !last.text.includes('\r') ? last.text : undefined;
}

function printComment(comment: string | undefined): readonly string[] {
  return comment?.split('\n').map((line) => `# ${line}`.trimEnd()) ?? [];
}

function printArgument(argument: Argument): string {
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

function printLiteral({ text }: Literal): string {
  if (plain.test(text) && !meaningful.includes(text)) return text;
  return `"${text.replace(/[\n\r\t\\"]/g, (character) => escapes[character] ?? character)}"`;
}

/** Between tags that do not occur in it. */
function printText(text: string): readonly string[] {
  const lines = text.split('\n');
  const known = new Set(lines.map((line) => line.trim()));
  let tag = 'text';
  for (let count = 2; known.has(`--end-${tag}--`); count++) tag = `text-${count}`;
  return [`--begin-${tag}--`, ...lines, `--end-${tag}--`];
}

import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AgentError, reasonOf } from '../../core/index.ts';

/** A skill named with a slash or an at sign, and the arguments after it. */
export interface SlashCommand {
  readonly name: string;
  readonly args: readonly string[];
}

/**
 * Parses `/name` or `@name`, depending on `mark`, at the start of the first argument. The name ends at the
 * first whitespace character. The rest becomes one argument, exactly as typed. Returns undefined if the
 * argument does not start with the mark. Pure.
 */
export function slashCommand(
  [first = '', ...others]: readonly string[],
  mark: '/' | '@' = '/',
): SlashCommand | undefined {
  const [, name, typed = ''] = /^.(\S+)([^]*)$/.exec(first) ?? [];
  if (!first.startsWith(mark) || name === undefined) return undefined;
  // The first whitespace character is only a separator, so remove it.
  return { name, args: typed.trim() === '' ? others : [typed.slice(1), ...others] };
}

/**
 * Whether the arguments start with an at sign and a skill's name. A single argument names a file if that file
 * exists. Otherwise, an argument without spaces is a name only if a skill has that name.
 */
export function beginsWithName(
  [first = '', ...others]: readonly string[],
  { cwd }: Pick<InputSources, 'cwd'>,
  isSkill: (name: string) => boolean,
): boolean {
  const name = /^@([\p{L}\p{N}]\S*)/u.exec(first)?.[1];
  if (name === undefined) return false;
  if (others.length > 0) return true;
  if (existsSync(resolve(cwd, first.slice(1)))) return false;
  return name.length + 1 < first.trim().length || isSkill(name);
}

/** The sources that arguments may be read from. */
export interface InputSources {
  /** The folder that relative paths are resolved against. */
  readonly cwd: string;
  /** The source for stdin. Default: the process's stdin. */
  readonly stdin?: AsyncIterable<Uint8Array>;
}

/** Like `readExactInput`, but trims the text. */
export async function readInput(args: readonly string[], sources: InputSources): Promise<string> {
  return (await readExactInput(args, sources)).trim();
}

/**
 * Joins arguments into one string, exactly as given. A single argument can be `-`, which reads stdin, or
 * `@path`, which reads a file. As in a shell, trailing line breaks of stdin and files are removed.
 */
export async function readExactInput(
  args: readonly string[],
  { cwd, stdin = process.stdin }: InputSources,
): Promise<string> {
  const [only = '', ...others] = args;
  if (others.length > 0) return args.join(' ');
  if (only === '-') return withoutLastBreaks(await readText(stdin, 'The text from stdin'));
  if (!only.startsWith('@') || only === '@') return only;
  return withoutLastBreaks(await readFile(resolve(cwd, only.slice(1))));
}

function withoutLastBreaks(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}

async function readFile(path: string): Promise<string> {
  try {
    return await readText(createReadStream(path), `The file ${path}`);
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    const isMissing = (thrown as { code?: string }).code === 'ENOENT';
    const fault = isMissing ? `File not found: ${path}.` : `Cannot read ${path}: ${reasonOf(thrown)}.`;
    throw new AgentError('usage.not-found', fault, {
      hint: '@ means a file; a space before it, as in " @name", makes it plain text.',
      cause: thrown,
    });
  }
}

const maxBytes = 1_000_000;

/** Reads at most 1,000,000 bytes, so that an endless stream cannot exhaust memory. */
async function readText(chunks: AsyncIterable<Uint8Array>, what: string): Promise<string> {
  const taken: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    taken.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new AgentError('limit.too-large', `${what} is larger than 1,000,000 bytes.`, {
        hint: 'Use a smaller part of the input.',
      });
    }
  }
  return new TextDecoder().decode(Buffer.concat(taken));
}

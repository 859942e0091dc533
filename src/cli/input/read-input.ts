import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AgentError, reasonOf } from '../../core/index.ts';

/** A skill that is named with a slash or an at sign, and what is left for it. */
export interface SlashCommand {
  readonly name: string;
  readonly words: readonly string[];
}

/** Reads `/name`, or with another mark that, at the start of the first word; its name ends at the first white space, and what follows is a word as typed. Undefined when there is no such mark. Pure. */
export function slashCommand(
  [first = '', ...others]: readonly string[],
  mark: '/' | '@' = '/',
): SlashCommand | undefined {
  const [, name, typed = ''] = /^.(\S+)([^]*)$/.exec(first) ?? [];
  if (!first.startsWith(mark) || name === undefined) return undefined;
  const rest = typed.trim();
  return { name, words: rest === '' ? others : [rest, ...others] };
}

/**
 * Whether the words of a command line begin with the name of a skill behind an at sign. A single word stands for a file
 * where there is one; without blanks in it, it is a name only when a skill is called so.
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

/** Where the words of a command line may lead. */
export interface InputSources {
  /** Relative paths start here. */
  readonly cwd: string;
  /** Default: that of the process. */
  readonly stdin?: AsyncIterable<Uint8Array>;
}

/** Words as one text. A single word may be `-`, which stands for stdin, or `@path`, for what a file holds. */
export async function readInput(words: readonly string[], sources: InputSources): Promise<string> {
  const [only = '', ...others] = words;
  const text = others.length === 0 ? await textOf(only, sources) : words.join(' ');
  return text.trim();
}

function textOf(word: string, { cwd, stdin = process.stdin }: InputSources): string | Promise<string> {
  if (word === '-') return readText(stdin, 'What stdin gave');
  if (!word.startsWith('@') || word === '@') return word;
  return readFile(resolve(cwd, word.slice(1)));
}

async function readFile(path: string): Promise<string> {
  try {
    return await readText(createReadStream(path), `The file ${path}`);
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    const isMissing = (thrown as { code?: string }).code === 'ENOENT';
    const fault = isMissing ? `There is no file ${path}.` : `${path} cannot be read: ${reasonOf(thrown)}.`;
    throw new AgentError('usage.not-found', fault, {
      hint: '@ stands for a file; a blank before it, as in " @name", makes it plain text.',
      cause: thrown,
    });
  }
}

const mostBytes = 1_000_000;

/** Stops at a size that no request has, so that a device without an end does not fill the memory. */
async function readText(chunks: AsyncIterable<Uint8Array>, what: string): Promise<string> {
  const taken: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    taken.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes) {
      throw new AgentError('limit.too-large', `${what} has more than 1,000,000 bytes.`, {
        hint: 'Give a part of it.',
      });
    }
  }
  return new TextDecoder().decode(Buffer.concat(taken));
}

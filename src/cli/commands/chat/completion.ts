import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { cutTo, oneLine, type Complete, type LineCompletion } from '../../command-kit.ts';
import { slashSkills, type Chat, type ChatCommand } from './context.ts';

const maxSuggestions = 6;
const maxEntries = 1_000; // The maximum number of entries of a folder to offer.

/**
 * Returns a function that completes the names of commands and skills after a slash, the names of skills after
 * an at sign, and the paths of files after an at sign anywhere. For a complete name, returns its arguments as a
 * hint.
 */
export function completer(
  chat: Pick<Chat, 'agent'>,
  commands: readonly ChatCommand[],
  cwd: string,
): Complete {
  return (typed) => {
    const [, sign, beginning = ''] = /^([/@])(\S*) ?$/.exec(typed) ?? [];
    const named =
      sign === undefined ? nothing : completeName(chat, sign === '/' ? commands : [], typed, sign, beginning);
    const path = /(?:^|\s)@([^\s@]*)$/.exec(typed)?.[1];
    if (path === undefined) return named;
    const files = completePath(cwd, typed.slice(0, typed.length - path.length), path);
    return {
      ...named,
      lines: [...named.lines, ...files.lines],
      suggestions: [...(named.suggestions ?? []), ...(files.suggestions ?? [])].slice(0, maxSuggestions),
    };
  };
}

const nothing: LineCompletion = { lines: [] };

/** The meaning of a name: the arguments that it takes, and a summary. */
interface Meaning {
  readonly takes: string | undefined;
  readonly summary: string;
}

function completeName(
  chat: Pick<Chat, 'agent'>,
  own: readonly ChatCommand[],
  typed: string,
  sign: string,
  beginning: string,
): LineCompletion {
  const skills = slashSkills(chat).filter(({ name }) => !own.some((command) => command.name === name));
  const meanings = new Map<string, Meaning>([
    ...own.map(({ name, takes, summary }) => [name, { takes, summary }] as const),
    ...skills.map(
      ({ name, card }) => [name, { takes: card.argumentHint, summary: card.description }] as const,
    ),
  ]);
  const isWhole = typed.endsWith(' ');
  const fitting = [...meanings.keys()].filter((name) => !isWhole && name.startsWith(beginning));
  const [only, other] = fitting;
  const lines = fitting.map((name) => `${sign}${oneLine(name)}${other === undefined ? ' ' : ''}`);
  const complete = isWhole || (other === undefined && only === beginning) ? beginning : undefined;
  const hint = complete === undefined ? undefined : meanings.get(complete)?.takes;
  if (hint !== undefined) return { lines, hint: `  ${sign}${beginning} ${oneLine(hint)}` };
  const shown = complete === undefined ? fitting : [];
  return {
    lines,
    suggestions: shown.slice(0, maxSuggestions).map((name) => suggestionOf(sign, name, meanings.get(name))),
  };
}

function suggestionOf(sign: string, name: string, meaning: Meaning | undefined): string {
  const { takes = '', summary = '' } = meaning ?? {};
  return `  ${oneLine(`${sign}${name} ${takes}`)}  ${cutTo(oneLine(summary), 60)}`;
}

/** Completes a path relative to the working folder, one folder at a time. */
function completePath(cwd: string, before: string, path: string): LineCompletion {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const start = path.slice(folder.length);
  const fitting = entriesOf(join(cwd, folder))
    .filter(({ name }) => name.startsWith(start) && (start.startsWith('.') || !name.startsWith('.')))
    .filter(({ name }) => !/[\s\p{Cc}]/u.test(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const isOnly = fitting.length === 1;
  return {
    lines: fitting.map(
      (entry) => `${before}${folder}${entry.name}${entry.isDirectory() ? '/' : isOnly ? ' ' : ''}`,
    ),
    suggestions: fitting.map((entry) => `  @${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`),
  };
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).slice(0, maxEntries);
  } catch {
    return []; // What is not a readable folder has nothing to complete.
  }
}

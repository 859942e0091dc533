import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AgentError, reasonOf } from '../core/index.ts';
import { isIgnored, isWithin, rulesIn, standingOf } from '../files/index.ts';

/** Makes the `.skilled` folder of a project. What is made there by us belongs into no repository; a list that is there stays as it is. */
export function makeSkilledFolder(folder: string): void {
  mustNotBeLink(folder);
  makeFolder(folder);
  const list = join(folder, '.gitignore');
  if (existsSync(list)) return;
  try {
    writeFileSync(list, ignoredLines.map((line) => `${line}\n`).join(''), { flag: 'wx' });
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== 'EEXIST') throw thrown; // another process was faster
  }
}

/** What we make in the `.skilled` folder of a project and what belongs into no repository, as lines of its ignore file. */
export const ignoredLines: readonly string[] = ['skilled.db*', 'tables.db*', 'cache/', 'settings.local.json'];

/** The lines that the ignore files of a `.skilled` folder and of its project do not make up for. */
export function missingLines(folder: string): readonly string[] {
  const project = dirname(folder);
  const above = rulesIn(project, [textOf(join(project, '.gitignore'))], undefined);
  if (isIgnored(above, folder, true)) return [];
  const rules = rulesIn(folder, [textOf(join(folder, '.gitignore'))], above);
  return ignoredLines.filter((line) => {
    const path = join(folder, line.replace(/[*/]$/, ''));
    return !isIgnored(rules, path, line.endsWith('/'));
  });
}

/** Adds lines to the ignore file of a `.skilled` folder; what stands there stays. */
export function addLines(folder: string, lines: readonly string[]): void {
  const file = join(folder, '.gitignore');
  const text = textOf(file);
  const start = text === '' || text.endsWith('\n') ? '' : '\n';
  appendFileSync(file, `${start}${lines.map((line) => `${line}\n`).join('')}`);
}

/** A file that is not there says nothing; anything but a file cannot be read. */
function textOf(file: string): string {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, 'utf8') : '';
}

/** Makes a folder and those above it, one by one: where nothing can be made, as in /proc, Node tries a whole path without end. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (thrown) {
    if (!existsSync(folder)) throw thrown; // somebody else was quicker
  }
}

/** Why a folder could not be made, in words: of some places that can only be read the system says that there is no such file. */
export function whyUnwritable(folder: string, thrown: unknown): string {
  const place = nearestThere(folder);
  try {
    accessSync(place, constants.W_OK);
    return reasonOf(thrown);
  } catch {
    return `${place} can only be read`;
  }
}

function nearestThere(path: string): string {
  const above = dirname(path);
  return existsSync(path) || above === path ? path : nearestThere(above);
}

/** Throws `usage.bad-settings` for a file that links lead out of a project: whoever made the project may be a stranger. */
export function mustStayIn(project: string, file: string): void {
  const root = standingOf(project);
  if (root.missing.length > 0 || isWithin(standingOf(file).real, root.real)) return;
  throw new AgentError('usage.bad-settings', `${file} is a link that leads out of the project.`, {
    hint: 'Remove the link, or name another place in your own settings.',
  });
}

/** Throws `usage.bad-settings` where the `.skilled` of a project is a link: what it leads to is not protected. */
function mustNotBeLink(folder: string): void {
  if (!isLink(folder)) return;
  throw new AgentError('usage.bad-settings', `${folder} is a link, so nothing in it is used.`, {
    hint: 'Replace the link by a folder.',
  });
}

/** The files that SQLite uses beside a database. */
export const besideDatabase = ['-wal', '-shm', '-journal'] as const;

/**
 * Throws `usage.bad-settings` where the `.skilled` folder of a database, the database or a file beside it is a link, also
 * one that leads nowhere: the project may come from a stranger, and SQLite would create and change the file behind it.
 */
export function refuseLinks(path: string): void {
  const folder = dirname(path);
  const own = basename(folder) === '.skilled' ? [folder] : [];
  const link = [...own, path, ...besideDatabase.map((end) => `${path}${end}`)].find(isLink);
  if (link === undefined) return;
  throw new AgentError('usage.bad-settings', `${link} is a link, and skilled does not write through it.`, {
    hint: `Remove the link (\`rm ${quotedPath(link)}\`), or name another file: SKILLED_STORE for runs, SKILLED_DATABASE for records.`,
  });
}

/** A path as one word of a shell, whatever characters it has. */
export function quotedPath(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Whether a path itself is a link, wherever it leads. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false; // it is not there, or opening it says why
  }
}

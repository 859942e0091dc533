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
import { isIgnored, isWithin, rulesIn, resolveExisting } from '../files/index.ts';

/**
 * Creates a project's `.skilled` folder and a `.gitignore` in it for the files that skilled
 * creates. Leaves an existing `.gitignore` unchanged.
 */
export function makeSkilledFolder(folder: string): void {
  mustNotBeLink(folder);
  makeFolder(folder);
  const list = join(folder, '.gitignore');
  if (existsSync(list)) return;
  try {
    writeFileSync(list, ignoredLines.map((line) => `${line}\n`).join(''), { flag: 'wx' });
  } catch (thrown) {
    // If another process created the file first, continue.
    if ((thrown as { code?: string }).code !== 'EEXIST') throw thrown;
  }
}

/**
 * The `.gitignore` lines of a `.skilled` folder. They cover the files that skilled creates and that should
 * not be committed.
 */
export const ignoredLines: readonly string[] = ['skilled.db*', 'tables.db*', 'cache/', 'settings.local.json'];

/**
 * Returns the `ignoredLines` that the ignore files of a `.skilled` folder and its project do not
 * cover.
 */
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

/** Appends lines to the ignore file of a `.skilled` folder. */
export function addLines(folder: string, lines: readonly string[]): void {
  const file = join(folder, '.gitignore');
  const text = textOf(file);
  const start = text === '' || text.endsWith('\n') ? '' : '\n';
  appendFileSync(file, `${start}${lines.map((line) => `${line}\n`).join('')}`);
}

/** Returns the text of a file, or an empty string if it is missing or not a regular file. */
function textOf(file: string): string {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, 'utf8') : '';
}

/**
 * Creates a folder and its parents one by one. Node's recursive `mkdir` hangs if it cannot create a folder,
 * as in /proc.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (thrown) {
    if (!existsSync(folder)) throw thrown; // If another process created the folder first, continue.
  }
}

/**
 * Explains why a folder could not be created. Checks write access first, because in some read-only
 * locations the operating system misreports the error as a missing file.
 */
export function whyUnwritable(folder: string, thrown: unknown): string {
  const nearest = nearestThere(folder);
  try {
    accessSync(nearest, constants.W_OK);
    return reasonOf(thrown);
  } catch {
    return `${nearest} is read-only`;
  }
}

function nearestThere(path: string): string {
  const above = dirname(path);
  return existsSync(path) || above === path ? path : nearestThere(above);
}

/**
 * Throws `usage.bad-settings` if links in a file's path lead out of the project, because the project may come
 * from an untrusted author.
 */
export function mustStayIn(project: string, file: string): void {
  const root = resolveExisting(project);
  if (root.missing.length > 0 || isWithin(resolveExisting(file).real, root.real)) return;
  throw new AgentError('usage.bad-settings', `${file} is a link that points outside the project.`, {
    hint: 'Remove the link, or set another path in your own settings.',
  });
}

/**
 * Throws `usage.bad-settings` if a `.skilled` folder is a link, because only `.skilled` itself is protected
 * from changes, not the link's target.
 */
function mustNotBeLink(folder: string): void {
  if (!isLink(folder)) return;
  throw new AgentError('usage.bad-settings', `${folder} is a link, so its contents are ignored.`, {
    hint: 'Replace the link with a folder.',
  });
}

/** The suffixes of the files that SQLite creates next to a database. */
export const besideDatabase = ['-wal', '-shm', '-journal'] as const;

/**
 * Throws `usage.bad-settings` if a database, its `.skilled` folder or a SQLite file next to it is a link. In
 * an untrusted project, SQLite could otherwise create or change the link's target.
 */
export function refuseLinks(path: string): void {
  const folder = dirname(path);
  const own = basename(folder) === '.skilled' ? [folder] : [];
  const link = [...own, path, ...besideDatabase.map((end) => `${path}${end}`)].find(isLink);
  if (link === undefined) return;
  throw new AgentError('usage.bad-settings', `${link} is a link, and skilled does not write through links.`, {
    hint: `Remove the link (\`rm ${quotedPath(link)}\`), or name another file: SKILLED_STORE for runs, SKILLED_DATABASE for records.`,
  });
}

/** Quotes a path for the shell, so that it is a single argument. */
export function quotedPath(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Returns whether the last component of a path is a link. Returns true for a dangling link too. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false; // A missing path is not a link. Opening the path reports any other error.
  }
}

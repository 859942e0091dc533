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
 * Creates a project's `.skilled` folder and an ignore file that covers skilled's own files. An existing
 * ignore file is left unchanged.
 */
export function makeSkilledFolder(folder: string): void {
  mustNotBeLink(folder);
  makeFolder(folder);
  const list = join(folder, '.gitignore');
  if (existsSync(list)) return;
  try {
    writeFileSync(list, ignoredLines.map((line) => `${line}\n`).join(''), { flag: 'wx' });
  } catch (thrown) {
    // Ignore the error if another process created the file first.
    if ((thrown as { code?: string }).code !== 'EEXIST') throw thrown;
  }
}

/**
 * Entries for the ignore file in a project's `.skilled` folder. They cover files that skilled creates and
 * that should not be committed.
 */
export const ignoredLines: readonly string[] = ['skilled.db*', 'tables.db*', 'cache/', 'settings.local.json'];

/** Returns the `ignoredLines` that the ignore files of a `.skilled` folder and its project do not cover. */
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

/** Appends lines to a `.skilled` folder's ignore file. */
export function addLines(folder: string, lines: readonly string[]): void {
  const file = join(folder, '.gitignore');
  const text = textOf(file);
  const start = text === '' || text.endsWith('\n') ? '' : '\n';
  appendFileSync(file, `${start}${lines.map((line) => `${line}\n`).join('')}`);
}

/** Returns the file's text. Empty if the file is missing or not a regular file. */
function textOf(file: string): string {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, 'utf8') : '';
}

/**
 * Creates a folder and its parents one by one. Node's recursive mkdir never returns if nothing can be
 * created, as in /proc.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (thrown) {
    if (!existsSync(folder)) throw thrown; // Ignore the error if another process created the folder first.
  }
}

/**
 * Explains why a folder could not be created. For some read-only locations, the system reports a missing file
 * instead.
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
 * Throws `usage.bad-settings` if a file's path leads out of the project through links, since the project may
 * come from an untrusted author.
 */
export function mustStayIn(project: string, file: string): void {
  const root = resolveExisting(project);
  if (root.missing.length > 0 || isWithin(resolveExisting(file).real, root.real)) return;
  throw new AgentError('usage.bad-settings', `${file} is a link that points outside the project.`, {
    hint: 'Remove the link, or set another path in your own settings.',
  });
}

/**
 * Throws `usage.bad-settings` if a project's `.skilled` folder is a link, because the link's target is not
 * protected.
 */
function mustNotBeLink(folder: string): void {
  if (!isLink(folder)) return;
  throw new AgentError('usage.bad-settings', `${folder} is a link, so its contents are ignored.`, {
    hint: 'Replace the link with a folder.',
  });
}

/** The suffixes of files that SQLite keeps next to a database. */
export const besideDatabase = ['-wal', '-shm', '-journal'] as const;

/**
 * Throws `usage.bad-settings` if a database, its `.skilled` folder or a SQLite file next to it is a link,
 * even a dangling one. In an untrusted project, SQLite could otherwise create or change the link's target.
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

/** Quotes any path as a single shell argument. */
export function quotedPath(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Whether the path itself is a link, even a dangling one. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false; // A missing path is not a link. Other errors are reported when the path is opened.
  }
}

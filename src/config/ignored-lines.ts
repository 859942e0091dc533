import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isIgnored, rulesIn } from '../files/ignore-rules.ts';

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

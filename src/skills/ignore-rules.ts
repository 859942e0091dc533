import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Ignore } from 'ignore';

const require = createRequire(import.meta.url);

/** The ignore files that apply in a folder, nearest first; undefined when there are none on the way from the root. */
export interface IgnoreRules {
  readonly dir: string;
  readonly matcher: Ignore;
  readonly parent: IgnoreRules | undefined;
}

/** The rules inside a folder: its own `.gitignore`, then `.ignore`, before those of its parents. */
export function rulesIn(
  dir: string,
  realDir: string,
  names: readonly string[],
  parent: IgnoreRules | undefined,
): IgnoreRules | undefined {
  const files = ['.gitignore', '.ignore'].filter((name) => names.includes(name));
  if (files.length === 0) return parent;
  const { default: ignore } = require('ignore') as { default: (options: object) => Ignore };
  const matcher = ignore({ allowRelativePaths: true, ignorecase: false });
  for (const name of files) matcher.add(readFileSync(join(realDir, name), 'utf8').replace(/^\ufeff/, ''));
  return { dir, matcher, parent };
}

/** Whether git would ignore this path: the nearest file that says anything decides. */
export function isIgnored(rules: IgnoreRules | undefined, path: string, isFolder: boolean): boolean {
  for (let at = rules; at !== undefined; at = at.parent) {
    const below = path.slice(at.dir.length + 1);
    const verdict = at.matcher.test(isFolder ? `${below}/` : below);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

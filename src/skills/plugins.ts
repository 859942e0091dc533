import { reasonOf } from '../core/error.ts';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Issue } from '../core/issue.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { isWithin } from '../files/paths.ts';
import { targetOf } from './scan-links.ts';

/** The skill roots that enabled plugins declare in `package.json` under `skilled.skills`. */
export function pluginRoots(
  plugins: readonly string[],
  startDir: string,
): { readonly roots: readonly string[]; readonly issues: readonly Issue[] } {
  const roots: string[] = [];
  const issues: Issue[] = [];
  for (const plugin of plugins) {
    const dir = folderOf(plugin, startDir);
    if (dir === undefined) {
      const hint = 'Install the package, or correct "plugins" in the settings.';
      issues.push(fault(plugin, 'is not installed', { hint }));
      continue;
    }
    const file = join(dir, 'package.json');
    for (const path of declaredPaths(plugin, file, issues)) {
      const root = resolve(dir, path);
      if (isFolderIn(root, dir)) roots.push(root);
      else issues.push(fault(plugin, `declares "${path}", which is missing or lies outside of it`, { file }));
    }
  }
  return { roots, issues };
}

const packageName = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/;

/** The nearest package of that name in a `node_modules` on the way up; what cannot be a package is a folder. */
function folderOf(plugin: string, startDir: string): string | undefined {
  if (plugin === '') return undefined;
  if (!packageName.test(plugin)) {
    const dir = resolve(startDir, plugin);
    return isFolder(dir) ? dir : undefined;
  }
  for (let at = resolve(startDir); ; at = dirname(at)) {
    const dir = join(at, 'node_modules', plugin);
    if (isFolder(dir)) return dir;
    if (dirname(at) === at) return undefined;
  }
}

function declaredPaths(plugin: string, file: string, issues: Issue[]): readonly string[] {
  try {
    const manifest = readManifest(file);
    const own = isJsonObject(manifest) ? manifest['skilled'] : undefined;
    const skills = isJsonObject(own) ? own['skills'] : undefined;
    const paths = Array.isArray(skills) ? skills : [skills];
    const texts = paths.filter((path) => typeof path === 'string');
    if (texts.length > 0 && texts.length === paths.length) return texts;
    const what = texts.length === 0 ? 'declares no skills' : 'declares something that is no path';
    issues.push(
      fault(plugin, what, { file, hint: 'Its package.json needs "skilled": {"skills": ["./skills"]}.' }),
    );
    return texts;
  } catch (thrown) {
    const reason = reasonOf(thrown);
    issues.push(fault(plugin, `has no readable package.json (${reason})`, { file }));
    return [];
  }
}

function readManifest(file: string): Json {
  if (targetOf(file)?.kind !== 'file') throw new Error('there is no such file');
  return JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, '')) as Json;
}

function isFolder(path: string): boolean {
  return targetOf(path)?.kind === 'folder';
}

/** Whether a folder exists and, links followed, lies inside another. */
function isFolderIn(path: string, dir: string): boolean {
  const target = targetOf(path);
  const outer = targetOf(dir);
  return target?.kind === 'folder' && outer !== undefined && isWithin(target.real, outer.real);
}

function fault(plugin: string, what: string, more: Pick<Issue, 'file' | 'hint'>): Issue {
  return { level: 'warning', code: 'plugin.unusable', message: `The plugin "${plugin}" ${what}.`, ...more };
}

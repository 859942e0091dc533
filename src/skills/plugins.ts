import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { Issue } from '../core/issue.ts';
import { isJsonObject, type Json } from '../core/json.ts';

/** The skill roots that enabled plugins declare in `package.json` under `skilled.skills`. */
export function pluginRoots(plugins: readonly string[], startDir: string): { readonly roots: readonly string[]; readonly issues: readonly Issue[] } {
  const roots: string[] = [];
  const issues: Issue[] = [];
  for (const plugin of plugins) {
    const dir = folderOf(plugin, startDir);
    if (dir === undefined) {
      issues.push(fault(plugin, 'is not installed', 'Install the package, or correct "plugins" in the settings.'));
      continue;
    }
    for (const path of declaredPaths(plugin, dir, issues)) {
      const root = resolve(dir, path);
      if (isInside(root, dir)) roots.push(root);
      else issues.push(fault(plugin, `declares "${path}", which is missing or lies outside of it`, undefined, join(dir, 'package.json')));
    }
  }
  return { roots, issues };
}

/** A folder as written, or the nearest package of that name in a `node_modules` on the way up. */
function folderOf(plugin: string, startDir: string): string | undefined {
  if (isAbsolute(plugin) || plugin.startsWith('.')) {
    const dir = resolve(startDir, plugin);
    return isFolder(dir) ? dir : undefined;
  }
  if (!/^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/.test(plugin)) return undefined;
  for (let at = resolve(startDir); ; at = dirname(at)) {
    const dir = join(at, 'node_modules', plugin);
    if (isFolder(dir)) return dir;
    if (dirname(at) === at) return undefined;
  }
}

function declaredPaths(plugin: string, dir: string, issues: Issue[]): readonly string[] {
  const file = join(dir, 'package.json');
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Json;
    const own = isJsonObject(manifest) ? manifest['skilled'] : undefined;
    const skills = isJsonObject(own) ? own['skills'] : undefined;
    const paths = typeof skills === 'string' ? [skills] : Array.isArray(skills) ? skills.filter((path) => typeof path === 'string') : [];
    if (paths.length === 0) issues.push(fault(plugin, 'declares no skills', 'Its package.json needs "skilled": {"skills": ["./skills"]}.', file));
    return paths;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    issues.push(fault(plugin, `has no readable package.json (${reason})`, undefined, file));
    return [];
  }
}

/** Whether a folder exists and, links followed, lies inside another. */
function isInside(path: string, dir: string): boolean {
  if (!isFolder(path)) return false;
  const real = realpathSync.native(path);
  const outer = realpathSync.native(dir);
  return real === outer || real.startsWith(outer + sep);
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function fault(plugin: string, what: string, hint: string | undefined, file?: string): Issue {
  return {
    level: 'warning',
    code: 'plugin.unusable',
    message: `The plugin "${plugin}" ${what}.`,
    ...(file === undefined ? {} : { file }),
    ...(hint === undefined ? {} : { hint }),
  };
}

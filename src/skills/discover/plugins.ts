import { dirname, join, resolve } from 'node:path';
import { expandHome, isJsonObject, reasonOf, type Family, type Issue } from '../../core/index.ts';
import { skillsRoot, type Root } from './listing.ts';
import {
  findManifestRoots,
  hasManifest,
  isFolder,
  isIn,
  pluginFault,
  readJson,
  type PluginRoots,
} from './plugin-manifest.ts';

/** Options for reading plugins. */
interface PluginOptions {
  /**
   * The folder against which relative paths are resolved. Packages are looked up in this folder and in its
   * parents.
   */
  readonly startDir: string;
  readonly home?: string | undefined;
  readonly families: readonly Family[];
}

/**
 * Returns the roots of enabled plugins. A plugin is a Claude Code plugin, a folder with a marketplace of such
 * plugins, or a package whose `package.json` lists its skills under `skilled.skills`.
 */
export function readPlugins(plugins: readonly string[], options: PluginOptions): PluginRoots {
  const roots: Root[] = [];
  const issues: Issue[] = [];
  for (const plugin of plugins) {
    const dir = pluginFolder(plugin, options);
    if (dir === undefined) {
      const hint = 'Install the package, or correct "plugins" in the settings.';
      issues.push(pluginFault(plugin, 'is not installed', { hint }));
      continue;
    }
    const read = hasManifest(dir)
      ? findManifestRoots(dir, 'plugin', options.families)
      : packageRoots(plugin, dir);
    roots.push(...read.roots);
    issues.push(...read.issues);
  }
  return { roots, issues };
}

const packageName = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/;

/**
 * Finds the nearest package with the given name in `node_modules`, searching upwards. A string that is not a
 * valid package name is treated as a folder path.
 */
export function pluginFolder(
  plugin: string,
  { startDir, home }: Pick<PluginOptions, 'startDir' | 'home'>,
): string | undefined {
  if (plugin === '') return undefined;
  if (!packageName.test(plugin)) {
    const dir = resolve(startDir, expandHome(plugin, home));
    return isFolder(dir) ? dir : undefined;
  }
  for (let at = resolve(startDir); ; at = dirname(at)) {
    const dir = join(at, 'node_modules', plugin);
    if (isFolder(dir)) return dir;
    if (dirname(at) === at) return undefined;
  }
}

function packageRoots(plugin: string, dir: string): PluginRoots {
  const file = join(dir, 'package.json');
  const issues: Issue[] = [];
  const roots: Root[] = [];
  for (const path of declaredPaths(plugin, file, issues)) {
    const root = resolve(dir, path);
    if (isFolder(root) && isIn(root, dir)) roots.push({ path: root, source: 'plugin', kind: skillsRoot });
    else
      issues.push(
        pluginFault(plugin, `declares "${path}", which is missing or outside the plugin`, { file }),
      );
  }
  return { roots, issues };
}

function declaredPaths(plugin: string, file: string, issues: Issue[]): readonly string[] {
  try {
    const manifest = readJson(file);
    const own = isJsonObject(manifest) ? manifest['skilled'] : undefined;
    const skills = isJsonObject(own) ? own['skills'] : undefined;
    const paths = Array.isArray(skills) ? skills : [skills];
    const texts = paths.filter((path) => typeof path === 'string');
    if (texts.length > 0 && texts.length === paths.length) return texts;
    const what = texts.length === 0 ? 'declares no skills' : 'declares something that is not a path';
    issues.push(
      pluginFault(plugin, what, {
        file,
        hint: 'Its package.json needs "skilled": {"skills": ["./skills"]}.',
      }),
    );
    return texts;
  } catch (thrown) {
    const reason = reasonOf(thrown);
    issues.push(pluginFault(plugin, `has no valid package.json (${reason})`, { file }));
    return [];
  }
}

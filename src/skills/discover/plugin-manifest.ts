import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  isJsonObject,
  normaliseName,
  optional,
  readHooks,
  reasonOf,
  sources,
  type Family,
  type Hook,
  type Issue,
  type Json,
  type JsonObject,
  type Source,
} from '../../core/index.ts';
import { isWithin } from '../../files/index.ts';
import { findPluginFiles, maxSharedFiles } from '../digest/shared-modules.ts';
import { targetOf } from './links.ts';
import { descriptorsOf, skillsRoot, type Root } from './listing.ts';

/** The roots of plugins, and the issues in their manifests. */
export interface PluginRoots {
  readonly roots: readonly Root[];
  readonly issues: readonly Issue[];
}

/** Returns the roots of the Claude Code plugins in a folder. Empty if the folder has no manifest. */
export function findManifestRoots(dir: string, source: Source, families: readonly Family[]): PluginRoots {
  const issues: Issue[] = [];
  const { byFolder, commands } = descriptorsOf(families);
  const kinds = [skillsRoot, ...byFolder.keys(), ...commands.keys()];
  const roots = readManifests(dir, issues).flatMap((manifest) => {
    const hooks = hooksOf(manifest, issues);
    const plugin = { name: manifest.name, dir: manifest.dir, ...optional('hooks', hooks) };
    return kinds.flatMap((kind) =>
      pathsOf(manifest, kind, issues).map((path): Root => {
        const at = isFile(path) ? { path: dirname(path), only: basename(path) } : { path };
        return { ...at, source, kind, plugin };
      }),
    );
  });
  return { roots, issues };
}

/** The paths of plugin and marketplace manifests, as defined by Claude Code. */
export const manifestFiles = {
  plugin: join('.claude-plugin', 'plugin.json'),
  market: join('.claude-plugin', 'marketplace.json'),
} as const;

/** The manifest of a Claude Code plugin, combined with the plugin's entry in a marketplace. */
interface PluginManifest {
  /** The plugin's normalised name. */
  readonly name: string;
  /** The absolute path of the plugin's folder. */
  readonly dir: string;
  readonly file: string;
  readonly fields: JsonObject;
  /**
   * Set if the plugin has no manifest of its own, but a marketplace lists its parts. The usual folders are
   * then not searched, because several plugins can share them.
   */
  readonly isComplete?: true;
}

/** Whether a folder contains the manifest of a Claude Code plugin or of a marketplace. */
export function hasManifest(dir: string): boolean {
  return isFile(pluginFile(dir)) || isFile(marketFile(dir));
}

function pluginFile(dir: string): string {
  return join(dir, manifestFiles.plugin);
}

function marketFile(dir: string): string {
  return join(dir, manifestFiles.market);
}

/**
 * Returns the Claude Code plugin in a folder, or all plugins of the marketplace there. Empty if the folder
 * has no manifest.
 */
export function readManifests(dir: string, issues: Issue[]): readonly PluginManifest[] {
  const file = marketFile(dir);
  if (!isFile(file)) return isFile(pluginFile(dir)) ? readManifest(dir, {}, issues) : [];
  const { plugins, metadata } = readObject(file, basename(dir), issues);
  const base = isJsonObject(metadata) ? metadata['pluginRoot'] : undefined;
  return listOf(plugins).flatMap((entry) => {
    if (!isJsonObject(entry)) return [];
    const { name, source } = entry;
    const label = typeof name === 'string' ? name : basename(dir);
    if (typeof source !== 'string' || /^[\w+.-]+(?:@|:)/.test(source)) {
      const hint = 'Download it, and add its folder to "plugins".';
      issues.push(pluginFault(label, 'is not in the folder of its marketplace', { file, hint }));
      return [];
    }
    const at = resolve(dir, typeof base === 'string' && !source.startsWith('.') ? base : '', source);
    if (isFolder(at) && isIn(at, dir)) return readManifest(at, entry, issues);
    issues.push(missing(label, source, file));
    return [];
  });
}

const parts = ['skills', 'commands', 'agents', 'hooks', 'mcpServers'];

/** Reads a plugin's own manifest. Its fields take precedence over the plugin's entry in a marketplace. */
function readManifest(dir: string, entry: JsonObject, issues: Issue[]): readonly PluginManifest[] {
  const file = pluginFile(dir);
  const described = isFile(file) ? readObject(file, basename(dir), issues) : undefined;
  const fields = { ...entry, ...described };
  const written = fields['name'];
  const name = normaliseName(typeof written === 'string' ? written : '') || normaliseName(basename(dir));
  const isComplete = described === undefined && parts.some((part) => entry[part] !== undefined);
  if (name === '') {
    issues.push(pluginFault(dir, 'has no name', { file, hint: 'Add a "name" to its plugin.json.' }));
    return [];
  }
  // A name such as "user" would be mistaken for the source of a skill.
  const own = sources.some((one) => one === name) ? `${name}-plugin` : name;
  return [{ name: own, dir, file, fields, ...(isComplete ? { isComplete } : {}) }];
}

/**
 * Returns the paths of a plugin's parts of one kind: the usual folder, and the paths that its manifest lists.
 */
function pathsOf(manifest: PluginManifest, kind: string, issues: Issue[]): readonly string[] {
  const { name, dir, file, fields, isComplete } = manifest;
  const usual = join(dir, kind);
  const listed = listOf(fields[kind]).flatMap((path) => {
    if (typeof path !== 'string') return [];
    const at = resolve(dir, path);
    if ((isFolder(at) || (isFile(at) && /\.md$/i.test(at))) && isIn(at, dir)) return [at];
    issues.push(missing(name, path, file));
    return [];
  });
  const isUsual = isComplete !== true && isFolder(usual) && isIn(usual, dir);
  return [...new Set([...(isUsual ? [usual] : []), ...listed])];
}

/**
 * Returns the hooks that a plugin adds to each of its skills, or undefined if it has none. The trust in a skill
 * covers the files that hooks run, so the hooks of a plugin with too many files are reported and ignored.
 */
function hooksOf(manifest: PluginManifest, issues: Issue[]): readonly Hook[] | undefined {
  const hooks = partsOf(manifest, 'hooks', join('hooks', 'hooks.json'), issues).flatMap(({ part, file }) =>
    readHooks(isJsonObject(part['hooks']) ? part['hooks'] : part, { file }, issues),
  );
  if (hooks.length === 0) return undefined;
  if (findPluginFiles(manifest.dir) !== undefined) return hooks;
  issues.push({
    level: 'warning',
    code: 'hook.unused',
    message: `The hooks of the plugin "${manifest.name}" do not run, because the plugin has more than ${maxSharedFiles} files.`,
    file: manifest.file,
    hint: 'Add the hooks that a skill needs to the skill itself.',
  });
  return undefined;
}

/** A server that a plugin defines. */
interface PluginServer {
  readonly name: string;
  /** The server's definition as written, with the variable for the plugin's folder replaced. */
  readonly entry: Json;
  readonly file: string;
}

/** Returns the servers of a plugin. If two servers have the same name, the later one is used. */
export function pluginServers(manifest: PluginManifest, issues: Issue[]): readonly PluginServer[] {
  const servers = new Map<string, PluginServer>();
  for (const { part, file } of partsOf(manifest, 'mcpServers', '.mcp.json', issues)) {
    for (const [name, entry] of Object.entries(isJsonObject(part['mcpServers']) ? part['mcpServers'] : part))
      servers.set(name, { name, entry: fillRoot(entry, manifest.dir), file });
  }
  return [...servers.values()];
}

/**
 * Returns the objects that define a part of a plugin. They can be in the usual file, in listed files and in
 * the manifest.
 */
function partsOf(
  { name, dir, file, fields, isComplete }: PluginManifest,
  field: string,
  usual: string,
  issues: Issue[],
): readonly { readonly part: JsonObject; readonly file: string }[] {
  const listed = listOf(fields[field]).map((item) => (typeof item === 'string' ? resolve(dir, item) : item));
  const usualFile = join(dir, usual);
  const sources = isComplete !== true && isFile(usualFile) ? [usualFile, ...listed] : listed;
  return [...new Set(sources)].flatMap((source) => {
    if (isJsonObject(source)) return [{ part: source, file }];
    if (typeof source !== 'string') return [];
    if (isFile(source) && isIn(source, dir))
      return [{ part: readObject(source, name, issues), file: source }];
    issues.push(missing(name, source, file));
    return [];
  });
}

/** Replaces the variable for the plugin's folder in every string in a value. */
function fillRoot(value: Json, dir: string): Json {
  if (typeof value === 'string') return value.replaceAll('${CLAUDE_PLUGIN_ROOT}', () => dir);
  if (Array.isArray(value)) return listOf(value).map((item) => fillRoot(item, dir));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillRoot(item, dir)]));
}

function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly Json[]) : [value];
}

function readObject(file: string, plugin: string, issues: Issue[]): JsonObject {
  try {
    const read = readJson(file);
    if (isJsonObject(read)) return read;
    issues.push(pluginFault(plugin, `has a ${basename(file)} that is not a JSON object`, { file }));
  } catch (thrown) {
    issues.push(pluginFault(plugin, `has no valid ${basename(file)} (${reasonOf(thrown)})`, { file }));
  }
  return {};
}

const maxBytes = 2 ** 20; // The maximum size of a manifest.

/** Reads a JSON file. Throws if it does not exist, is not valid, or is larger than a megabyte. */
export function readJson(file: string): Json {
  if (!isFile(file)) throw new Error('the file does not exist');
  if (statSync(file).size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
  return JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, '')) as Json;
}

/** Whether a path is an existing folder. */
export function isFolder(path: string): boolean {
  return targetOf(path)?.kind === 'folder';
}

function isFile(path: string): boolean {
  return targetOf(path)?.kind === 'file';
}

/** Whether a path is inside a folder after symlinks are resolved. */
export function isIn(path: string, dir: string): boolean {
  const target = targetOf(path);
  const outer = targetOf(dir);
  return target !== undefined && outer !== undefined && isWithin(target.real, outer.real);
}

function missing(plugin: string, path: string, file: string): Issue {
  return pluginFault(plugin, `declares "${path}", which is missing or outside the plugin`, { file });
}

/** Creates the issue for a plugin that cannot be used, either completely or in part. */
export function pluginFault(plugin: string, what: string, more: Pick<Issue, 'file' | 'hint'>): Issue {
  return { level: 'warning', code: 'plugin.unusable', message: `The plugin "${plugin}" ${what}.`, ...more };
}

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  expandHome,
  isJsonObject,
  type Family,
  type Issue,
  type OtherProgram,
  type Source,
} from '../../core/index.ts';
import { targetOf } from './links.ts';
import { descriptorsOf, skillsRoot, type Root } from './listing.ts';
import { findManifestRoots, readJson } from './plugin-manifest.ts';

/** Options that determine which folders are searched for skills. The process environment is never read. */
export interface RootOptions {
  readonly startDir?: string;
  readonly searchUpwards?: boolean;
  /** Roots with the highest precedence, in this order. */
  readonly additionalSkillRoots?: readonly string[];
  /** Whether to search only in the additional roots. */
  readonly only?: boolean;
  /** The user's home folder. Skill roots in the home folder are never project roots. */
  readonly home?: string;
  readonly userRoots?: boolean;
  readonly pluginRoots?: readonly Root[];
  /** Folders with copies of MCP servers' skills, in the order of the servers. */
  readonly serverRoots?: readonly ServerRoot[];
  /** The folder with the package's own skills. */
  readonly bundledRoot?: string;
}

/** A folder with copies of a server's skills. */
export interface ServerRoot {
  readonly path: string;
  readonly server: string;
}

/** A folder in a project or in a home folder that can contain roots. */
export interface SkillBase {
  readonly folder: string;
  /** The other programs that search this folder for skills. */
  readonly skills: readonly OtherProgram[];
  /**
   * The other programs that search this folder for subagents and commands. If absent, the folder is searched
   * only for skills.
   */
  readonly agents?: readonly OtherProgram[];
}

const standard: readonly OtherProgram[] = [
  ...(['Codex', 'OpenClaw', 'pi', 'Gemini CLI', 'Agentick'] as const),
  ...(['Cursor', 'GitHub Copilot', 'opencode'] as const),
];
const claude: readonly OtherProgram[] = ['Claude Code', 'Cursor', 'GitHub Copilot', 'opencode'];

/** The folders in a project that can contain roots, in order of precedence. */
export const projectBases: readonly SkillBase[] = [
  { folder: '', skills: ['OpenClaw', 'AchillesAgentLib'], agents: [] },
  { folder: '.agents', skills: standard, agents: ['pi-subagents'] },
  { folder: '.skilled', skills: [], agents: [] },
  { folder: '.claude', skills: claude, agents: ['Claude Code'] },
  { folder: '.pi', skills: ['pi'], agents: ['pi-subagents'] },
  { folder: '.codex', skills: ['Codex'] },
  { folder: '.gemini', skills: ['Gemini CLI'] },
  { folder: '.cursor', skills: ['Cursor'] },
  { folder: '.github', skills: ['GitHub Copilot'] },
  { folder: '.opencode', skills: ['opencode'] },
];

/** The folders in a home folder that can contain roots, in order of precedence. */
export const userBases: readonly SkillBase[] = [
  { folder: '.skilled', skills: [], agents: [] },
  { folder: '.agents', skills: standard, agents: ['pi-subagents'] },
  { folder: '.claude', skills: claude, agents: ['Claude Code'] },
  { folder: join('.pi', 'agent'), skills: ['pi'], agents: ['pi-subagents'] },
  { folder: '.codex', skills: ['Codex'] },
  { folder: '.gemini', skills: ['Gemini CLI'] },
  { folder: '.cursor', skills: ['Cursor'] },
  { folder: '.copilot', skills: ['GitHub Copilot'] },
  { folder: join('.config', 'opencode'), skills: ['opencode'] },
];

/**
 * Returns all roots, in order of precedence and without duplicates. Includes folders that do not exist yet.
 * Adds the issues of plugins among the additional roots to `issues`.
 */
export function standardRoots(
  options: RootOptions,
  families: readonly Family[],
  issues: Issue[] = [],
): readonly Root[] {
  const roots = (options.additionalSkillRoots ?? []).flatMap((given) =>
    explicitRoots(resolve(options.startDir ?? '', expandHome(given, options.home)), families, issues),
  );
  if (options.only !== true) {
    const homes = homesOf(options);
    const own = homes.map((home) => rootsIn(home, userBases, families, 'user'));
    const isNoProjects = new Set([...own.flat().map(({ path }) => path), options.bundledRoot]);
    for (const dir of projectFolders(options, homes)) {
      roots.push(
        ...rootsIn(dir, projectBases, families, 'project').filter(({ path }) => !isNoProjects.has(path)),
      );
    }
    if (options.userRoots === true) roots.push(...(own[0] ?? []).map(withInstalled));
    roots.push(...(options.pluginRoots ?? []));
    for (const root of options.serverRoots ?? []) roots.push({ ...root, source: 'mcp', kind: skillsRoot });
    if (options.bundledRoot !== undefined) {
      roots.push({ path: options.bundledRoot, source: 'bundled', kind: skillsRoot });
    }
  }
  const known = new Set<string>();
  // Use a set, because a plugin can list thousands of roots.
  return roots.filter(({ path, kind, only }) => {
    const { size } = known;
    return known.add(JSON.stringify([path, kind, only])).size > size;
  });
}

/**
 * Returns the roots for a folder that the user named. If the folder is a plugin, the plugin's roots come
 * first. If it is a family folder, it follows as a root of that family. Then come the folder as a skills
 * root, the family folders in it and next to it, and the folders that are searched in every project.
 */
function explicitRoots(path: string, families: readonly Family[], issues: Issue[]): Root[] {
  const folders = [...descriptorsOf(families).byFolder.keys()];
  const source = 'explicit';
  const manifest = findManifestRoots(path, source, families);
  issues.push(...manifest.issues);
  const twins = folders.flatMap((folder) =>
    [join(dirname(path), folder), join(path, folder)].map((twin): Root => ({
      path: twin,
      source,
      kind: folder,
    })),
  );
  return [
    ...manifest.roots,
    ...twins.filter((twin) => twin.path === path),
    { path, source, kind: skillsRoot, named: true },
    ...twins.filter((twin) => twin.path !== path),
    ...rootsIn(path, projectBases.slice(1), families, source),
  ];
}

/** Returns the roots in a project or in a home folder. Skills come before commands. */
function rootsIn(
  dir: string,
  bases: readonly SkillBase[],
  families: readonly Family[],
  source: Source,
): Root[] {
  const { byFolder, commands } = descriptorsOf(families);
  const own = bases.filter(({ agents }) => agents !== undefined);
  const others = bases.filter(({ agents }) => agents === undefined);
  const rootAt = (base: string, kind: string): Root => ({ path: join(dir, base, kind), source, kind });
  return [
    ...own.flatMap(({ folder }) => [skillsRoot, ...byFolder.keys()].map((kind) => rootAt(folder, kind))),
    ...[...byFolder].flatMap(([kind, family]) => flatRoots(dir, kind, family, source)),
    ...others.map(({ folder }) => rootAt(folder, skillsRoot)),
    ...[...commands].flatMap(([kind, { within }]) => within.map((base) => rootAt(base, kind))),
  ];
}

const lockFile = 'skilled-lock.json';

/**
 * Marks the folders in a root of the user that were installed. Someone else wrote them, so they need trust. If
 * the lock cannot be read, this applies to all folders.
 */
function withInstalled(root: Root): Root {
  const file = join(dirname(root.path), lockFile);
  if (root.kind !== skillsRoot || !existsSync(file)) return root;
  try {
    const json = readJson(file);
    const skills = isJsonObject(json) ? json['skills'] : undefined;
    return { ...root, installed: isJsonObject(skills) ? Object.keys(skills) : 'all' };
  } catch {
    return { ...root, installed: 'all' }; // The lock is damaged or too large; the doctor reports it.
  }
}

function flatRoots(dir: string, kind: string, { descriptor }: Family, source: Source): Root[] {
  const folders = descriptor !== undefined && 'folder' in descriptor ? (descriptor.alsoIn ?? []) : [];
  return folders.map((folder) => ({ path: join(dir, folder), source, kind, isFlat: true }));
}

/** Returns the home folder, and its real path if that is different. */
function homesOf({ home }: RootOptions): readonly string[] {
  if (home === undefined) return [];
  const given = resolve(home);
  return [...new Set([given, targetOf(given)?.real ?? given])];
}

/**
 * Returns the start folder. When searching upwards, also returns its parents, up to the root of the
 * repository. Outside a repository, stops below the home folder.
 */
function projectFolders(options: RootOptions, homes: readonly string[]): readonly string[] {
  if (options.startDir === undefined) return [];
  const start = resolve(options.startDir);
  if (options.searchUpwards === false) return [start];
  const chain: string[] = [];
  for (let dir = start; ; dir = dirname(dir)) {
    chain.push(dir);
    if (existsSync(join(dir, '.git'))) return chain;
    if (dirname(dir) === dir) break;
  }
  const home = chain.findIndex((dir) => homes.includes(dir));
  return home < 0 ? chain : chain.slice(0, Math.max(home, 1));
}

import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { Family } from '../core/family.ts';
import type { Issue } from '../core/issue.ts';
import { descriptorsOf, type Descriptors } from './descriptors.ts';
import type { Candidate, Disk } from './disk.ts';
import { isIgnored, rulesIn, type IgnoreRules } from './ignore-rules.ts';
import type { SkillLimits } from './limits.ts';
import type { Listing } from './listing.ts';
import { skillsRoot, type Root } from './root.ts';

/** A candidate with the root it was found below. */
export interface Found extends Candidate {
  readonly root: Root;
  /** The path from the root to the folder that holds the bundle or file; empty directly in the root. */
  readonly group: string;
}

/** What a scan needs beside the roots. */
export interface ScanOptions {
  readonly families: readonly Family[];
  readonly limits: SkillLimits;
  readonly disk: Disk;
  /** Folders into which links may lead although they lie outside every root. */
  readonly allowSymlinkTargets?: readonly string[];
}

/** All descriptors below the roots, in order of precedence, each real file once. */
export function scan(roots: readonly Root[], options: ScanOptions): { readonly found: readonly Found[]; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const real = roots.map((root) => realFolder(root, issues));
  const allowed = [...real, ...(options.allowSymlinkTargets ?? []).map((path) => realPathOr(path, path))];
  const walk: Walk = {
    ...options,
    descriptors: descriptorsOf(options.families),
    allowed: allowed.filter((path) => path !== undefined),
    seenFiles: new Set(),
    found: [],
    issues,
  };
  for (const [index, root] of roots.entries()) {
    const path = real[index];
    if (path !== undefined) walkRoot(root, path, walk);
  }
  return { found: walk.found, issues };
}

interface Walk extends ScanOptions {
  readonly descriptors: Descriptors;
  readonly allowed: readonly string[];
  /** Real paths of descriptors, over all roots. */
  readonly seenFiles: Set<string>;
  readonly found: Found[];
  readonly issues: Issue[];
}

interface RootWalk {
  readonly walk: Walk;
  readonly root: Root;
  /** Real paths of folders already opened below this root. */
  readonly seenFolders: Set<string>;
  /** Links wait until everything that lies there itself was seen. */
  readonly links: { readonly folder: Folder; readonly name: string }[];
  candidates: number;
  folders: number;
  /** Set when a limit ended the walk. */
  full: boolean;
}

interface Folder {
  /** As reached from the root. */
  readonly path: string;
  readonly real: string;
  readonly depth: number;
  readonly rules: IgnoreRules | undefined;
}

interface Spelling {
  readonly name: string;
  readonly link: boolean;
}

function walkRoot(root: Root, real: string, walk: Walk): void {
  const state: RootWalk = { walk, root, seenFolders: new Set(), links: [], candidates: 0, folders: 0, full: false };
  visit({ path: root.path, real, depth: 0, rules: undefined }, state);
  for (let next = state.links.shift(); next !== undefined && !state.full; next = state.links.shift()) {
    follow(next.folder, next.name, state);
  }
}

function visit(folder: Folder, state: RootWalk): void {
  if (state.full || state.seenFolders.has(folder.real)) return;
  state.seenFolders.add(folder.real);
  const { limits } = state.walk;
  if (++state.folders > limits.maxFoldersPerRoot) {
    stop(state, 'maxFoldersPerRoot', `more than ${limits.maxFoldersPerRoot} folders`);
    return;
  }
  const listing = list(folder, state);
  if (listing === undefined) return;
  const rules = rulesOf(folder, listing, state);
  const here = rules === folder.rules ? folder : { ...folder, rules };
  const isSkills = state.root.kind === skillsRoot;
  if (takeDescriptors(here, listing, state, isSkills)) return;
  if (isSkills ? folder.depth === 0 : true) takeLooseFiles(here, listing, state, isSkills);
  if (folder.depth >= limits.maxDepth && listing.dirs.length > 0) {
    state.walk.issues.push(limitIssue('maxDepth', `Folders below depth ${limits.maxDepth} are not looked into.`, folder.path));
    return;
  }
  for (const name of listing.dirs) {
    const path = `${folder.path}${sep}${name}`;
    if (here.rules !== undefined && isIgnored(here.rules, path, true)) continue;
    visit({ path, real: `${folder.real}${sep}${name}`, depth: folder.depth + 1, rules: here.rules }, state);
  }
  for (const name of listing.links) state.links.push({ folder: here, name });
}

function list(folder: Folder, state: RootWalk): Listing | undefined {
  try {
    return state.walk.disk.list(folder.real);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    state.walk.issues.push({ level: 'warning', code: 'scan.unreadable', message: `The folder cannot be read: ${reason}.`, file: folder.path });
    return undefined;
  }
}

function rulesOf(folder: Folder, listing: Listing, state: RootWalk): IgnoreRules | undefined {
  if (listing.files.length === 0) return folder.rules;
  try {
    return rulesIn(folder.path, folder.real, listing.files, folder.rules);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    state.walk.issues.push({ level: 'warning', code: 'scan.unreadable', message: `The ignore file cannot be read: ${reason}.`, file: folder.path });
    return folder.rules;
  }
}

/** Takes the descriptors of a folder; true when it is a bundle, so that the walk stops there. */
function takeDescriptors(folder: Folder, listing: Listing, state: RootWalk, register: boolean): boolean {
  for (const name of listing.odd) if (register) reportOdd(folder, name, state);
  const names = descriptorNames(folder, listing, state);
  if (names === undefined) return false;
  for (const [key, { family, file }] of state.walk.descriptors.byFile) {
    const spellings = names.get(key);
    if (spellings === undefined || !register) continue;
    const chosen = spellings.find((candidate) => candidate.name === file) ?? spellings.reduce((a, b) => (a.name < b.name ? a : b));
    if (spellings.length > 1) reportSpellings(folder, spellings, chosen.name, state);
    const place = { dir: folder.path, file: `${folder.path}${sep}${chosen.name}`, stem: basename(folder.path), loose: false };
    const group = folder.depth === 0 ? '' : groupOf(dirname(folder.path), state.root);
    take({ ...place, family, group, realFolder: folder.real, name: chosen.name, link: chosen.link }, state);
  }
  return true;
}

/** The descriptor names in a folder by lower-case spelling; undefined when there are none. */
function descriptorNames(folder: Folder, listing: Listing, state: RootWalk): Map<string, Spelling[]> | undefined {
  let names: Map<string, Spelling[]> | undefined;
  for (const [list, link] of [[listing.files, false], [listing.links, true]] as const) {
    for (const name of list) {
      const key = name.toLowerCase();
      if (!state.walk.descriptors.byFile.has(key)) continue;
      if (folder.rules !== undefined && isIgnored(folder.rules, `${folder.path}${sep}${name}`, false)) continue;
      names ??= new Map();
      names.set(key, [...(names.get(key) ?? []), { name, link }]);
    }
  }
  return names;
}

const notSkills = /^(?:readme|agents|claude)\.md$/i;

/** Takes Markdown files that stand for themselves: loose skills in a skills root, every file below an owned folder. */
function takeLooseFiles(folder: Folder, listing: Listing, state: RootWalk, isSkills: boolean): void {
  const { descriptors } = state.walk;
  const family = isSkills ? descriptors.loose : descriptors.byFolder.get(state.root.kind);
  if (family === undefined) return;
  for (const [names, link] of [[listing.files, false], [listing.links, true]] as const) {
    for (const name of names) {
      if (name.startsWith('.') || !/\.md$/i.test(name) || notSkills.test(name)) continue;
      const file = `${folder.path}${sep}${name}`;
      if (folder.rules !== undefined && isIgnored(folder.rules, file, false)) continue;
      const place = { dir: folder.path, file, stem: name.slice(0, -3), loose: true };
      take({ ...place, family, group: groupOf(folder.path, state.root), realFolder: folder.real, name, link }, state);
    }
  }
}

function take(
  candidate: Omit<Found, 'root' | 'realFile' | 'refuseHardLinks'> & { readonly realFolder: string; readonly name: string; readonly link: boolean },
  state: RootWalk,
): void {
  const { walk, root } = state;
  const { realFolder, name, link, ...place } = candidate;
  let realFile = `${realFolder}${sep}${name}`;
  if (link) {
    const target = resolveLink(place.file, realFile, 'file', state);
    if (target === undefined) return;
    realFile = target;
  }
  if (walk.seenFiles.has(realFile)) return;
  if (state.candidates >= walk.limits.maxCandidatesPerRoot) {
    stop(state, 'maxCandidatesPerRoot', `more than ${walk.limits.maxCandidatesPerRoot} descriptors`);
    return;
  }
  state.candidates++;
  walk.seenFiles.add(realFile);
  walk.found.push({ ...place, root, realFile, refuseHardLinks: root.source === 'project' || root.source === 'explicit' });
}

/** Follows a link to a folder; links to files were taken with their folder. */
function follow(folder: Folder, name: string, state: RootWalk): void {
  const path = `${folder.path}${sep}${name}`;
  if (folder.depth >= state.walk.limits.maxDepth || (folder.rules !== undefined && isIgnored(folder.rules, path, true))) return;
  const real = resolveLink(path, `${folder.real}${sep}${name}`, 'folder', state);
  if (real !== undefined) visit({ path, real, depth: folder.depth + 1, rules: folder.rules }, state);
}

/** The real path behind a link when it is of the wanted kind and may be entered. */
function resolveLink(path: string, at: string, kind: 'file' | 'folder', state: RootWalk): string | undefined {
  const real = realPathOr(at, undefined);
  if (real === undefined) return undefined;
  const stats = statSync(real, { throwIfNoEntry: false });
  if (stats === undefined || (kind === 'folder' ? !stats.isDirectory() : !stats.isFile())) return undefined;
  if (state.walk.allowed.some((folder) => real === folder || real.startsWith(folder + sep))) return real;
  state.walk.issues.push({
    level: 'warning',
    code: 'scan.link-outside',
    message: 'The link leads out of its root and is not followed.',
    file: path,
    hint: `Copy what it points to, or add "${kind === 'folder' ? real : dirname(real)}" to allowSymlinkTargets.`,
  });
  return undefined;
}

function groupOf(dir: string, root: Root): string {
  return dir.length <= root.path.length ? '' : dir.slice(root.path.length + 1).split(sep).join('/');
}

function realFolder(root: Root, issues: Issue[]): string | undefined {
  const real = realPathOr(root.path, undefined);
  if (real !== undefined && statSync(real, { throwIfNoEntry: false })?.isDirectory() === true) return real;
  if (root.named === true) {
    issues.push({ level: 'warning', code: 'scan.no-root', message: 'The skills folder does not exist.', file: root.path, hint: 'Check the path.' });
  }
  return undefined;
}

function realPathOr<Other>(path: string, otherwise: Other): string | Other {
  try {
    return realpathSync.native(path);
  } catch {
    return otherwise; // missing, dangling or a loop of links: there is nothing to enter
  }
}

function reportOdd(folder: Folder, name: string, state: RootWalk): void {
  if (!state.walk.descriptors.byFile.has(name.toLowerCase())) return;
  state.walk.issues.push({
    level: 'warning',
    code: 'scan.not-a-file',
    message: 'The descriptor is not a regular file and is skipped.',
    file: join(folder.path, name),
  });
}

function reportSpellings(folder: Folder, spellings: readonly { readonly name: string }[], chosen: string, state: RootWalk): void {
  const others = spellings.filter((candidate) => candidate.name !== chosen).map((candidate) => candidate.name);
  state.walk.issues.push({
    level: 'warning',
    code: 'scan.two-spellings',
    message: `${others.join(', ')} stands beside ${chosen} and is not read.`,
    file: join(folder.path, chosen),
    hint: 'Keep one of them.',
  });
}

function stop(state: RootWalk, limit: string, what: string): void {
  if (state.full) return;
  state.full = true;
  state.walk.issues.push(limitIssue(limit, `The root has ${what}; the rest is not looked at.`, state.root.path));
}

function limitIssue(limit: string, message: string, file: string): Issue {
  return { level: 'warning', code: 'scan.limit', message, file, hint: `Raise limits.${limit}, or name a smaller folder.` };
}

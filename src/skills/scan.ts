import { sep } from 'node:path';
import type { Issue } from '../core/issue.ts';
import { descriptorsOf } from './descriptors.ts';
import { isIgnored, rulesIn, type IgnoreRules } from './ignore-rules.ts';
import type { Listing } from './listing.ts';
import type { Root } from './root.ts';
import { realPath, realRoot, resolveLink } from './scan-links.ts';
import { limitIssue, stopAt, type Folder, type Found, type RootWalk, type ScanOptions, type Walk } from './scan-state.ts';
import { takeDescriptors, takeLooseFiles } from './scan-take.ts';

/** All descriptors below the roots, in order of precedence, each real file once. */
export function scan(
  roots: readonly Root[],
  options: ScanOptions,
): { readonly found: readonly Found[]; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const real = roots.map((root) => realRoot(root, issues));
  const allowed = [...real, ...(options.allowSymlinkTargets ?? []).map((path) => realPath(path))];
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

function walkRoot(root: Root, real: string, walk: Walk): void {
  const state: RootWalk = { walk, root, seenFolders: new Set(), links: [], candidates: 0, full: false };
  visit({ path: root.path, real, depth: 0, rules: undefined }, state);
  for (let next = state.links.shift(); next !== undefined && !state.full; next = state.links.shift()) {
    follow(next.folder, next.name, state);
  }
}

function visit(folder: Folder, state: RootWalk): void {
  if (state.full || state.seenFolders.has(folder.real)) return;
  const { limits } = state.walk;
  if (state.seenFolders.size >= limits.maxFoldersPerRoot) {
    stopAt('maxFoldersPerRoot', `more than ${limits.maxFoldersPerRoot} folders`, state);
    return;
  }
  state.seenFolders.add(folder.real);
  const listing = list(folder, state);
  if (listing === undefined) return;
  const rules = rulesOf(folder, listing, state);
  const here = rules === folder.rules ? folder : { ...folder, rules };
  if (takeDescriptors(here, listing, state)) return;
  takeLooseFiles(here, listing, state);
  if (folder.depth >= limits.maxDepth) {
    if (listing.dirs.length > 0) {
      state.walk.issues.push(limitIssue('maxDepth', `Folders below depth ${limits.maxDepth} are not looked into.`, folder.path));
    }
    return;
  }
  for (const name of listing.dirs) enter(here, name, state);
  for (const name of listing.links) state.links.push({ folder: here, name });
}

function enter(folder: Folder, name: string, state: RootWalk): void {
  const path = folder.path + sep + name;
  if (folder.rules !== undefined && isIgnored(folder.rules, path, true)) return;
  const real = folder.real === folder.path ? path : folder.real + sep + name;
  visit({ path, real, depth: folder.depth + 1, rules: folder.rules }, state);
}

/** Follows a link to a folder; links to files were taken with their folder. */
function follow(folder: Folder, name: string, state: RootWalk): void {
  const path = folder.path + sep + name;
  if (folder.rules !== undefined && isIgnored(folder.rules, path, true)) return;
  const real = resolveLink(path, folder.real + sep + name, 'folder', state);
  if (real !== undefined) visit({ path, real, depth: folder.depth + 1, rules: folder.rules }, state);
}

function list(folder: Folder, state: RootWalk): Listing | undefined {
  return attempt(folder, 'folder', state, () => state.walk.disk.list(folder.real));
}

function rulesOf(folder: Folder, listing: Listing, state: RootWalk): IgnoreRules | undefined {
  if (listing.files.length === 0) return folder.rules;
  return attempt(folder, 'ignore file', state, () => rulesIn(folder.path, folder.real, listing.files, folder.rules)) ?? folder.rules;
}

/** What reading gives, or undefined and a finding: one folder that cannot be read hides no other. */
function attempt<Value>(folder: Folder, what: string, state: RootWalk, read: () => Value): Value | undefined {
  try {
    return read();
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `The ${what} cannot be read: ${reason}.`;
    state.walk.issues.push({ level: 'warning', code: 'scan.unreadable', message, file: folder.path });
    return undefined;
  }
}

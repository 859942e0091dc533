import { readdirSync } from 'node:fs';
import { reasonOf, type Issue } from '../../core/index.ts';
import { childOf, ignoreFiles, isIgnored, rulesIn, type IgnoreRules } from '../../files/index.ts';
import { take, takeDescriptors, takeLooseFiles } from './candidates.ts';
import { openDescriptor } from './draft.ts';
import { mayFollow, realRoot, targetOf } from './links.ts';
import { descriptorsOf, type Listing, type Root } from './listing.ts';
import {
  limitIssue,
  stopAt,
  type ScanFolder,
  type RootedCandidate,
  type RootWalk,
  type ScanOptions,
  type Walk,
} from './scan-state.ts';

/**
 * Finds all descriptors below the roots. They are sorted by the precedence of their root and then by path.
 * Returns each file only once.
 */
export function scan(
  roots: readonly Root[],
  options: ScanOptions,
): { readonly found: readonly RootedCandidate[]; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const real = roots.map((root) => realRoot(root, issues));
  const allowed = [...real, ...(options.allowSymlinkTargets ?? []).map((path) => targetOf(path)?.real)];
  const walk: Walk = {
    ...options,
    descriptors: descriptorsOf(options.families),
    allowed: allowed.filter((path) => path !== undefined),
    seenFiles: new Set(),
    issues,
  };
  const walked = new Set<string>();
  const found = roots.flatMap((root, index) => {
    const path = real[index];
    const key = `${root.kind}:${root.only ?? ''}:${path}`;
    if (path === undefined || walked.has(key)) return [];
    walked.add(key);
    return walkRoot(root, path, walk);
  });
  return { found, issues };
}

function walkRoot(root: Root, real: string, walk: Walk): readonly RootedCandidate[] {
  const state: RootWalk = {
    walk,
    root,
    found: [],
    seenFolders: new Set(),
    links: [],
    linkedFiles: [],
    tooDeep: [],
    full: false,
  };
  visitAll({ path: root.path, real, depth: 0, rules: undefined }, state);
  // Following a link can add links while this loop runs.
  for (const { folder, name } of state.links) follow(folder, name, state);
  for (const descriptor of state.linkedFiles) take(descriptor, state);
  if (root.named === true && state.found.length === 0) visitHidden(state, real);
  reportTooDeep(state);
  return state.found.sort((a, b) => (a.file < b.file ? -1 : 1));
}

/**
 * Visits a folder and everything below it. The walk is breadth first, so that a huge folder does not use up
 * the limits before other folders are visited.
 */
function visitAll(first: ScanFolder, state: RootWalk): void {
  const queue = [first];
  for (const folder of queue) visit(folder, queue, state);
}

function visit(folder: ScanFolder, queue: ScanFolder[], state: RootWalk): void {
  if (state.full || state.seenFolders.has(folder.real)) return;
  const { maxDepth, maxFoldersPerRoot } = state.walk.limits;
  if (folder.depth > maxDepth) {
    state.tooDeep.push(folder);
    return;
  }
  if (state.seenFolders.size >= maxFoldersPerRoot) {
    stopAt('maxFoldersPerRoot', `more than ${maxFoldersPerRoot} folders`, state);
    return;
  }
  state.seenFolders.add(folder.real);
  const listing = attempt(folder.path, 'folder', state, () => state.walk.disk.list(folder.real));
  if (listing === undefined) return;
  const rules = rulesOf(folder, listing, state);
  const here = rules === folder.rules ? folder : { ...folder, rules };
  const isSkipped = folder.depth === 0 && state.root.parent !== undefined;
  if (!isSkipped && takeDescriptors(here, listing, state)) return;
  if (!isSkipped) takeLooseFiles(here, listing, state);
  if (state.root.only !== undefined || state.root.isFlat === true) return;
  for (const name of listing.dirs) {
    const path = childOf(folder.path, name);
    if (rules !== undefined && isIgnored(rules, path, true)) continue;
    const real = folder.real === folder.path ? path : childOf(folder.real, name);
    queue.push({ path, real, depth: folder.depth + 1, rules });
  }
  for (const name of listing.links) state.links.push({ folder: here, name });
}

// Hidden folders that belong to other programs, or that contain separate roots.
const notCollections =
  /^\.(?:git|hg|svn|venv|tox|cache|idea|vscode|next|nuxt|yarn|npm|pnpm-store|Trash|agents|skilled|claude|codex|gemini|cursor|github|opencode)$/;

/** Visits the hidden folders of a root that the user named and in which no other skills were found. */
function visitHidden(state: RootWalk, real: string): void {
  const names = attempt(state.root.path, 'folder', state, () => readdirSync(real)) ?? [];
  for (const name of names.sort()) {
    if (!name.startsWith('.') || notCollections.test(name)) continue;
    const path = childOf(state.root.path, name);
    const target = targetOf(childOf(real, name));
    if (target?.real !== childOf(real, name) || target.kind !== 'folder') continue;
    visitAll({ path, real: target.real, depth: 1, rules: undefined }, state);
  }
}

/** Follows a link to a folder. Links to files are handled when the folder that contains them is visited. */
function follow(folder: ScanFolder, name: string, state: RootWalk): void {
  const path = childOf(folder.path, name);
  if (state.full || (folder.rules !== undefined && isIgnored(folder.rules, path, true))) return;
  const target = targetOf(childOf(folder.real, name));
  if (target?.kind !== 'folder' || !mayFollow(path, target, state)) return;
  visitAll({ path, real: target.real, depth: folder.depth + 1, rules: folder.rules }, state);
}

function rulesOf(folder: ScanFolder, listing: Listing, state: RootWalk): IgnoreRules | undefined {
  if (listing.files.length === 0) return folder.rules;
  const names = ignoreFiles.filter((name) => listing.files.includes(name));
  const texts = names.map((name) => {
    const file = childOf(folder.real, name);
    return attempt(childOf(folder.path, name), 'ignore file', state, () => readText(file, state));
  });
  const read = texts.filter((text) => text !== undefined);
  return read.length === 0 ? folder.rules : rulesIn(folder.path, read, folder.rules);
}

function readText(file: string, state: RootWalk): string {
  const { limits } = state.walk;
  const { bytes, stats } = openDescriptor(file, limits);
  if (stats.size <= limits.descriptorBytes) return bytes.toString('utf8');
  throw new Error(`it has more than ${limits.descriptorBytes} bytes`);
}

/**
 * Returns the result of `read`. If it throws, reports an issue and returns undefined, so that one unreadable
 * folder does not hide the others.
 */
function attempt<Value>(file: string, what: string, state: RootWalk, read: () => Value): Value | undefined {
  try {
    return read();
  } catch (thrown) {
    const said = reasonOf(thrown);
    const reason = file.includes('\ufffd') ? 'its name is not valid UTF-8' : said;
    const message = `The ${what} cannot be read: ${reason}.`;
    state.walk.issues.push({ level: 'warning', code: 'scan.unreadable', message, file });
    return undefined;
  }
}

/**
 * Reports all folders that are too deep in a single issue. Omits folders that were also reached through a
 * link.
 */
function reportTooDeep({ walk, tooDeep, seenFolders }: RootWalk): void {
  const [first, ...more] = tooDeep.filter((folder) => !seenFolders.has(folder.real));
  if (first === undefined) return;
  const others =
    more.length === 0
      ? ''
      : ` ${more.length} more ${more.length === 1 ? 'folder is' : 'folders are'} too deep.`;
  const message = `The folder is below depth ${walk.limits.maxDepth} and is not searched.${others}`;
  walk.issues.push(limitIssue('maxDepth', message, first.path));
}

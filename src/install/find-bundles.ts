import {
  AgentError,
  bundleOfBytes,
  isJsonObject,
  isSkillName,
  normaliseName,
  parseJson,
  type Family,
  type Issue,
  type Json,
  type SkillCard,
} from '../core/index.ts';
import { shownName } from '../files/index.ts';
import { draftOfBundle } from '../skills/discover/draft.ts';
import { descriptorsOf } from '../skills/discover/listing.ts';
import { defaultSkillLimits } from '../skills/limits.ts';
import { canonicalName } from '../skills/registry/lookup.ts';
import { refused, type SourceTree } from './tree.ts';

/** A skill in a source. */
export interface OfferedSkill {
  readonly name: string;
  /** The folder in the source. Empty for the root. */
  readonly folder: string;
  /** The file name of the descriptor. */
  readonly descriptor: string;
  /** The plugins of a marketplace that contain the skill. */
  readonly plugins: readonly string[];
  readonly card: SkillCard;
  readonly issues: readonly Issue[];
  readonly isUsable: boolean;
}

const mostSkills = 2_000;
// Files for programs that develop the source, not for its users.
const passedOver = /(?:^|\/)(?:node_modules|\.git|fixtures|__fixtures__)\//;

/**
 * Finds the skills of a source: the outermost folders with a descriptor below `path`. A folder without a
 * hidden parent takes precedence over another one with a skill of the same name.
 */
export async function findBundles(
  tree: SourceTree,
  families: readonly Family[],
  path = '',
): Promise<readonly OfferedSkill[]> {
  const descriptors = descriptorPaths(tree, families, path);
  if (descriptors.length > mostSkills) throw refused('The source', `it has more than ${mostSkills} skills`);
  const plugins = await readPlugins(tree);
  const texts = await tree.read(descriptors);
  const found = descriptors.map((file, index): OfferedSkill => {
    const folder = folderOf(file);
    return {
      ...describe(file, texts[index] ?? new Uint8Array(), tree.label, families),
      folder,
      plugins: plugins.filter((plugin) => plugin.contains(folder)).map(({ name }) => name),
    };
  });
  return withoutTwins(found);
}

/** Chooses skills by name and plugin. Throws `skill.not-found` for a name that the source does not have. */
export function chooseBundles(
  found: readonly OfferedSkill[],
  { names, plugins }: { readonly names: readonly string[]; readonly plugins: readonly string[] },
): readonly OfferedSkill[] {
  const among = found.filter(
    (skill) => plugins.length === 0 || skill.plugins.some((name) => plugins.includes(name)),
  );
  const known = `It offers ${firstNames(among.map(({ name }) => name)) || 'none'}.`;
  for (const plugin of plugins) {
    if (!found.some((skill) => skill.plugins.includes(plugin)))
      throw new AgentError('skill.not-found', `The source has no plugin ${shownName(plugin)}.`, {
        hint: known,
      });
  }
  if (names.length === 0) return among;
  return names.map((name) => {
    const skill = among.find((one) => one.name === normaliseName(name));
    if (skill !== undefined) return skill;
    throw new AgentError('skill.not-found', `The source has no skill ${shownName(name)}.`, { hint: known });
  });
}

/** Lists at most 20 names. */
export function firstNames(names: readonly string[]): string {
  const rest = names.length - 20;
  return `${names.slice(0, 20).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function descriptorPaths(tree: SourceTree, families: readonly Family[], below: string): readonly string[] {
  const { byFile } = descriptorsOf(families);
  const start = below === '' ? '' : `${below}/`;
  const files = tree.entries
    .filter(({ path, kind }) => (kind === 'file' || kind === 'program') && path.startsWith(start))
    .map(({ path }) => path)
    .filter((path) => byFile.has(path.slice(path.lastIndexOf('/') + 1).toLowerCase()))
    .filter((path) => !passedOver.test(path.slice(start.length)))
    .sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
  const outer = new Set<string>();
  return files.filter((file) => {
    const folder = folderOf(file);
    const isInside = ancestorsOf(folder).some((dir) => outer.has(dir));
    outer.add(folder);
    return !isInside;
  });
}

function ancestorsOf(folder: string): readonly string[] {
  const parts = folder.split('/');
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))].slice(
    0,
    folder === '' ? 1 : undefined,
  );
}

function depthOf(path: string): number {
  return path.split('/').length;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

function describe(
  file: string,
  bytes: Uint8Array,
  label: string,
  families: readonly Family[],
): Omit<OfferedSkill, 'folder' | 'plugins'> {
  const descriptor = file.slice(file.lastIndexOf('/') + 1);
  const family = descriptorsOf(families).byFile.get(descriptor.toLowerCase())?.family;
  const stem = normaliseName(folderOf(file).split('/').at(-1) || label);
  if (family === undefined) throw refused('The source', `${shownName(file)} is not a descriptor`);
  const location = { dir: stem, file: descriptor, stem, loose: false };
  const limited = Buffer.from(bytes.subarray(0, defaultSkillLimits.descriptorBytes));
  const draft = draftOfBundle(bundleOfBytes(limited, location, defaultSkillLimits), family);
  const name = canonicalName(draft.name, stem);
  if (!isSkillName(name) || !/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(name))
    throw refused('The source', `the skill in ${shownName(file)} has no valid name`);
  return { name, descriptor, card: draft.card, issues: draft.issues, isUsable: draft.usable };
}

/** Keeps one skill per name. Throws if two have the same name and equal precedence. */
function withoutTwins(found: readonly OfferedSkill[]): readonly OfferedSkill[] {
  const byName = Map.groupBy(found, ({ name }) => name);
  return [...byName.values()].map((twins) => {
    const open = twins.filter(({ folder }) => !/(?:^|\/)\./.test(folder));
    const [first, second] = open.length > 0 ? open : twins;
    if (first === undefined || second !== undefined)
      throw new AgentError('usage.bad-input', `The source has several skills named "${twins[0]?.name}".`, {
        hint: `Add the folder of one to the source: ${twins.map(({ folder }) => shownName(folder)).join(', ')}.`,
      });
    return first;
  });
}

interface PluginFolder {
  readonly name: string;
  contains(folder: string): boolean;
}

const marketplaceFile = '.claude-plugin/marketplace.json';
const largestMarketplace = 1_048_576;

/** Reads the plugins of a Claude Code marketplace whose folders are in the source itself. */
async function readPlugins(tree: SourceTree): Promise<readonly PluginFolder[]> {
  const entry = tree.entries.find(({ path }) => path === marketplaceFile);
  if (entry === undefined || entry.kind !== 'file' || entry.size > largestMarketplace) return [];
  const [bytes = new Uint8Array()] = await tree.read([marketplaceFile]);
  const json = parseJson(Buffer.from(bytes).toString('utf8'));
  const plugins =
    isJsonObject(json) && Array.isArray(json['plugins']) ? (json['plugins'] as readonly Json[]) : [];
  const metadata = isJsonObject(json) ? json['metadata'] : undefined;
  const root =
    isJsonObject(metadata) && typeof metadata['pluginRoot'] === 'string' ? metadata['pluginRoot'] : '';
  return plugins.flatMap((plugin): PluginFolder[] => {
    if (!isJsonObject(plugin)) return [];
    const { name, source = './', skills } = plugin;
    if (typeof name !== 'string' || typeof source !== 'string') return [];
    const folder = joined(source.startsWith('.') ? source : `${root}/${source}`);
    const listed = (Array.isArray(skills) ? (skills as readonly Json[]) : [skills]).flatMap((path) =>
      typeof path === 'string' ? [joined(`${folder}/${path}`)] : [],
    );
    const folders = listed.length > 0 ? listed : [folder];
    const isIn = (path: string, outer: string): boolean =>
      outer === '' || path === outer || path.startsWith(`${outer}/`);
    return [{ name, contains: (path) => folders.some((outer) => isIn(path, outer)) }];
  });
}

function joined(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

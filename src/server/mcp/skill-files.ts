import { accessSync, constants, readFileSync, readdirSync, type Dirent } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SkillFileEntry, SkillFiles } from '@modelcontextprotocol/server/ext/skills';
import type { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import { AgentError, familyOf } from '../../core/index.ts';
import { childBehind, findRealPath, holdFile, holdFolder } from '../../files/index.ts';
import { chosenSkills, type SkillSelection } from './tools.ts';

/** A skill whose files clients can read. */
interface Folder {
  /** The real path of the skill's folder. */
  readonly dir: string;
  /** The file name of the descriptor on disk. `standard` is the standard spelling of that name. */
  readonly written: string;
  readonly standard: string;
}

/**
 * Gives clients access to the files of skills, with one folder per skill. Reads the list of skills from the
 * registry for each request. Omits hidden files, `node_modules`, links and nested descriptors. Never opens
 * files outside a skill's folder.
 */
export function createSkillFiles(agent: BareAgent, choice: SkillSelection = {}): SkillFiles {
  let folders: ReadonlyMap<string, Folder> = new Map();
  const find = (path: string): { readonly folder: Folder; readonly below: readonly string[] } => {
    const [name = '', ...below] = path.split('/');
    const folder = folders.get(name);
    if (folder === undefined || !below.every(isServed)) throw nothingAt(path);
    return { folder, below };
  };
  return {
    async list(path) {
      if (path !== '') {
        const { folder, below } = find(path);
        return listFolder(folder, below);
      }
      folders = servedFolders(agent, choice);
      return [...folders.keys()].map((name) => ({ name, kind: 'directory' }));
    },
    async read(path) {
      const { folder, below } = find(path);
      const isDescriptor = below.length === 1 && below[0] === folder.standard;
      const file = join(folder.dir, ...(isDescriptor ? [folder.written] : below));
      using held = holdFile([folder.dir], file, path);
      if (held.path !== file) throw nothingAt(path); // A parent folder of the file is a link.
      return readFileSync(held.handle);
    },
  };
}

/**
 * Returns the folders of the skills that models may choose and whose descriptor has the standard file name of
 * its family, keyed by skill name.
 */
function servedFolders(agent: BareAgent, choice: SkillSelection): ReadonlyMap<string, Folder> {
  const folders = new Map<string, Folder>();
  for (const { skill } of chosenSkills(agent, choice)) {
    const family = familyOf(agent.families, skill);
    const standard = standardName(family?.text?.load === undefined ? undefined : family.descriptor);
    const written = basename(skill.file);
    const isStandard = standard !== undefined && written.toLowerCase() === standard.toLowerCase();
    // Clients can get a skill of another MCP server directly from that server.
    const isElsewhere = skill.source === 'mcp';
    if (!isStandard || isElsewhere || folders.has(skill.name)) continue;
    const dir = findRealPath(dirname(skill.file));
    if (dir !== undefined) folders.set(skill.name, { dir, written, standard });
  }
  return folders;
}

type Descriptor = BareAgent['families'][number]['descriptor'];

function standardName(descriptor: Descriptor): string | undefined {
  return descriptor !== undefined && 'file' in descriptor ? descriptor.file : undefined;
}

function listFolder(folder: Folder, below: readonly string[]): SkillFileEntry[] {
  const path = join(folder.dir, ...below);
  try {
    using held = holdFolder([folder.dir], path, path);
    if (held.path !== path) return [];
    const entries = readdirSync(childBehind(held, '.'), { withFileTypes: true });
    return entries
      .flatMap((entry) => entryOf(entry, folder, below.length === 0))
      .map((entry) =>
        isReadable(join(path, entry.name === folder.standard ? folder.written : entry.name))
          ? entry
          : { ...entry, kind: 'unsupported' },
      );
  } catch {
    return []; // The folder was removed or cannot be read. The other files of the skill are still served.
  }
}

function entryOf(entry: Dirent, { written, standard }: Folder, isTop: boolean): SkillFileEntry[] {
  const { name } = entry;
  if (!isServed(name)) return [];
  if (entry.isDirectory()) return [{ name, kind: 'directory' }];
  if (!entry.isFile()) return [];
  if (name.toLowerCase() !== standard.toLowerCase()) return [{ name, kind: 'file' }];
  return isTop && name === written ? [{ name: standard, kind: 'file' }] : [];
}

/** Whether a file can be read. Unreadable files are omitted, so that they do not affect other skills. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false; // The user of this process may not read the file.
  }
}

function isServed(name: string): boolean {
  return name !== '' && !name.startsWith('.') && name !== 'node_modules';
}

function nothingAt(path: string): AgentError {
  return new AgentError('usage.not-found', `The file "${path}" is not served.`);
}

import { join } from 'node:path';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { AgentError, didYouMean, normaliseKey, type Family } from '../core/index.ts';
import type { CommonFlags } from './command.ts';
import { oneLine } from './output/text.ts';

/** Returns the lines that explain how to create a first skill. */
export function firstStep(agent: RecursiveSkilledAgent, flags: CommonFlags): readonly string[] {
  const none = 'You have no skills here yet. To create one';
  const [folder] = flags.skills;
  for (const family of agent.families) {
    const { descriptor } = family;
    if (descriptor === undefined || !('file' in descriptor)) continue;
    if (folder === undefined) return [`${none}: \`skilled new ${shortName(family)} hello\``];
    return [
      `${none}, write`,
      `  ${oneLine(join(folder, 'hello', descriptor.file))}`,
      'with a name and a description between two --- lines, and the instructions below them.',
    ];
  }
  return [];
}

/**
 * Finds a family that has a template, by any of its names. If none matches, throws `usage.bad-input` with a
 * list of the families that have a template.
 */
export function findFamily(name: string, families: readonly Family[]): Family {
  const able = families.filter(({ authoring }) => authoring?.template !== undefined);
  const found = able.find((family) => familyNames(family).includes(normaliseKey(name)));
  if (found !== undefined) return found;
  const near = didYouMean(normaliseKey(name), able.flatMap(familyNames));
  throw new AgentError('usage.bad-input', `No template for "${name}".`, {
    hint: `${near === undefined ? '' : `${near} `}Use one of ${templateNames(families)}.`,
  });
}

/** Lists the families that have a template, each with its id and short name. */
export function templateNames(families: readonly Family[]): string {
  const able = families.filter(({ authoring }) => authoring?.template !== undefined);
  const names = able.map((family) => {
    const short = shortName(family);
    return short === family.id ? short : `${family.id} (${short})`;
  });
  return names.join(', ');
}

/**
 * Returns a family's descriptor file name without the extension, or the family's id if it has no fixed
 * descriptor file name.
 */
export function shortName({ id, descriptor }: Family): string {
  return descriptor !== undefined && 'file' in descriptor
    ? normaliseKey(descriptor.file.replace(/\.md$/i, ''))
    : id;
}

function familyNames(family: Family): readonly string[] {
  const { id, aliases = [], descriptor, label } = family;
  const folder = descriptor !== undefined && 'folder' in descriptor ? [descriptor.folder] : [];
  return [...new Set([shortName(family), ...[id, ...aliases, label, ...folder].map(normaliseKey)])];
}

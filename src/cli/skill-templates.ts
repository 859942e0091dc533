import { join } from 'node:path';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { AgentError, didYouMean, normaliseKey, type Family } from '../core/index.ts';
import type { CommonFlags } from './command.ts';
import { oneLine } from './output/text.ts';

/** How to make a first skill, in lines; for whoever has none. */
export function firstStep(agent: RecursiveSkilledAgent, flags: CommonFlags): readonly string[] {
  const none = 'There are no skills of your own here yet. To make the first one';
  const [folder] = flags.skills;
  for (const family of agent.families) {
    const { descriptor } = family;
    if (descriptor === undefined || !('file' in descriptor)) continue;
    if (folder === undefined) return [`${none}: \`skilled new ${shortWord(family)} hello\``];
    return [
      `${none}, write`,
      `  ${oneLine(join(folder, 'hello', descriptor.file))}`,
      'with a name and a description between two --- lines, and what to do below them.',
    ];
  }
  return [];
}

/** The family with a template that a word names; throws `usage.bad-input` with those that there are. */
export function findFamily(word: string, families: readonly Family[]): Family {
  const able = families.filter(({ authoring }) => authoring?.template !== undefined);
  const found = able.find((family) => wordsFor(family).includes(normaliseKey(word)));
  if (found !== undefined) return found;
  const near = didYouMean(normaliseKey(word), able.flatMap(wordsFor));
  throw new AgentError('usage.bad-input', `There is no template for "${word}".`, {
    hint: `${near === undefined ? '' : `${near} `}Name one of ${templateWords(families)}.`,
  });
}

/** The families that have a template, each by its id and its short word. */
export function templateWords(families: readonly Family[]): string {
  const able = families.filter(({ authoring }) => authoring?.template !== undefined);
  const names = able.map((family) => {
    const word = shortWord(family);
    return word === family.id ? word : `${family.id} (${word})`;
  });
  return names.join(', ');
}

/** The name of a family's descriptor without its ending; the id of a family that has a folder instead. */
export function shortWord({ id, descriptor }: Family): string {
  return descriptor !== undefined && 'file' in descriptor
    ? normaliseKey(descriptor.file.replace(/\.md$/i, ''))
    : id;
}

function wordsFor(family: Family): readonly string[] {
  const { id, aliases = [], descriptor, label } = family;
  const folder = descriptor !== undefined && 'folder' in descriptor ? [descriptor.folder] : [];
  return [...new Set([shortWord(family), ...[id, ...aliases, label, ...folder].map(normaliseKey)])];
}

import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { shortWord } from '../../skill-templates.ts';
import type { TypedLine } from './parse-line.ts';

/** What the names in a usage stand for here: `skill` for the skills that there are. Other names stand for nothing that could be known. */
export type ArgumentChoices = (name: string) => Promise<ShellCompletion>;

/** The meanings of the names in the usage of a command; nothing is loaded or opened before it is asked for. */
export function createMeanings(typed: TypedLine): ArgumentChoices {
  const known: Readonly<Record<string, () => ShellCompletion | Promise<ShellCompletion>>> = {
    dir: () => ({ kind: 'folders', offers: [] }),
    file: files,
    path: files,
    database: files,
    key: settingOffers,
    skill: () => offersOf(typed, skillOffers),
    names: () => offersOf(typed, skillOffers),
    family: () => offersOf(typed, familyOffers),
    run: () => runOffers(typed, false),
    id: () => runOffers(typed, true),
  };
  const asked = new Map<string, Promise<ShellCompletion>>();
  return (name) => {
    const before = asked.get(name);
    if (before !== undefined) return before;
    const meant = Promise.resolve(Object.hasOwn(known, name) ? known[name]?.() : undefined);
    const offers = meant.then((found) => found ?? words([]));
    asked.set(name, offers);
    return offers;
  };
}

function words(offers: readonly CompletionWord[]): ShellCompletion {
  return { kind: 'words', offers };
}

function files(): ShellCompletion {
  return { kind: 'files', offers: [] };
}

async function settingOffers(): Promise<ShellCompletion> {
  const { settingsDefinition } = await import('../../../config/schema/definition.ts');
  return words(settingsDefinition.map(({ key, description }) => ({ word: key, about: description })));
}

async function offersOf(
  typed: TypedLine,
  choose: (agent: RecursiveSkilledAgent) => readonly CompletionWord[],
): Promise<ShellCompletion> {
  const { openAgent } = await import('../../open-agent.ts');
  await using agent = await openAgent(typed.flags());
  return words(choose(agent));
}

function skillOffers({ skills }: RecursiveSkilledAgent): readonly CompletionWord[] {
  const usable = skills.list().filter(({ status }) => status !== 'shadowed' && status !== 'invalid');
  return usable.map(({ name, card }) => ({ word: name, about: card.description }));
}

function familyOffers({ families }: RecursiveSkilledAgent): readonly CompletionWord[] {
  const able = families.filter(({ authoring }) => authoring?.template !== undefined);
  return able.flatMap((family) =>
    [...new Set([family.id, shortWord(family)])].map((word) => ({ word, about: family.label })),
  );
}

const most = 50;

/** The newest runs of the project, or those of them that wait; nothing is made where none was ever kept. */
async function runOffers(typed: TypedLine, isWaiting: boolean): Promise<ShellCompletion> {
  const { existingStore, openHistory } = await import('../../runs/run-store.ts');
  const store = existingStore(typed.flags());
  if (store === undefined) return words([]);
  await using agent = openHistory(store);
  const runs = await agent.runs.list({ limit: most });
  const fitting = runs.filter(({ status }) => !isWaiting || status === 'waiting');
  return words(
    fitting.map(({ id, skill, status, title }) => ({ word: id, about: `${status} ${skill} ${title}` })),
  );
}

/** A word that can stand there, and what it means. */
export interface CompletionWord {
  readonly word: string;
  readonly about: string;
}

/** What a shell is to offer: these words, or paths that it knows itself. */
export interface ShellCompletion {
  readonly kind: 'words' | 'files' | 'folders';
  readonly offers: readonly CompletionWord[];
}

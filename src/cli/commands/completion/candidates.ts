import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { createKeyStore } from '../../../server/keys/key-store.ts';
import { shortName } from '../../skill-templates.ts';
import type { TypedLine } from './parse-line.ts';

/**
 * Returns the possible values for an argument, given its name in the usage text, for example all skills for
 * `skill`. Returns nothing if the name has no known values.
 */
export type ArgumentChoices = (name: string) => Promise<ShellCompletion>;

/**
 * Creates a function that returns the possible values for an argument, given its name in the usage text.
 * Nothing is loaded or opened before the first call.
 */
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
    'key-name': () => keyOffers(typed),
  };
  const asked = new Map<string, Promise<ShellCompletion>>();
  return (name) => {
    const before = asked.get(name);
    if (before !== undefined) return before;
    const meant = Promise.resolve(Object.hasOwn(known, name) ? known[name]?.() : undefined);
    const offers = meant.then((found) => found ?? completeWith([]));
    asked.set(name, offers);
    return offers;
  };
}

function completeWith(offers: readonly CompletionWord[]): ShellCompletion {
  return { kind: 'words', offers };
}

function files(): ShellCompletion {
  return { kind: 'files', offers: [] };
}

async function settingOffers(): Promise<ShellCompletion> {
  const { settingsDefinition } = await import('../../../config/schema/definition.ts');
  return completeWith(settingsDefinition.map(({ key, description }) => ({ word: key, about: description })));
}

async function offersOf(
  typed: TypedLine,
  choose: (agent: RecursiveSkilledAgent) => readonly CompletionWord[],
): Promise<ShellCompletion> {
  const { openAgent } = await import('../../open-agent.ts');
  await using agent = await openAgent(typed.flags());
  return completeWith(choose(agent));
}

function skillOffers({ skills }: RecursiveSkilledAgent): readonly CompletionWord[] {
  const usable = skills.list().filter(({ status }) => status !== 'shadowed' && status !== 'invalid');
  return usable.map(({ name, card }) => ({ word: name, about: card.description }));
}

function familyOffers({ families }: RecursiveSkilledAgent): readonly CompletionWord[] {
  const able = families.filter(({ authoring }) => authoring?.template !== undefined);
  return able.flatMap((family) =>
    [...new Set([family.id, shortName(family)])].map((word) => ({ word, about: family.label })),
  );
}

const most = 50;

/** Returns completions for the project's newest runs, or only for waiting runs. Never creates a store. */
async function runOffers(typed: TypedLine, isWaiting: boolean): Promise<ShellCompletion> {
  const { existingStore, openHistory } = await import('../../runs/run-store.ts');
  const store = existingStore(typed.flags());
  if (store === undefined) return completeWith([]);
  await using agent = openHistory(store);
  const runs = await agent.runs.list({ limit: most });
  const fitting = runs.filter(({ status }) => !isWaiting || status === 'waiting');
  return completeWith(
    fitting.map(({ id, skill, status, title }) => ({ word: id, about: `${status} ${skill} ${title}` })),
  );
}

/** Returns the names of the server's keys. Never creates a store. */
async function keyOffers(typed: TypedLine): Promise<ShellCompletion> {
  const { existingStore, openHistory } = await import('../../runs/run-store.ts');
  const store = existingStore(typed.flags());
  if (store === undefined) return completeWith([]);
  await using agent = openHistory(store);
  const keys = await createKeyStore(await agent.runs.store()).list();
  return completeWith(
    keys.map(({ name, user = '', scopes }) => ({ word: name, about: `${user} ${scopes.join(' ')}` })),
  );
}

/** A word that completes a command line, and its description. */
export interface CompletionWord {
  readonly word: string;
  readonly about: string;
}

/**
 * The completions that a shell offers: the words in `offers`, or files or folders that the shell finds
 * itself.
 */
export interface ShellCompletion {
  readonly kind: 'words' | 'files' | 'folders';
  readonly offers: readonly CompletionWord[];
}

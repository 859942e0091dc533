import assert from 'node:assert/strict';
import { builtinFamilies } from '../../src/families/index.ts';
import { discover } from '../../src/skills/discover/discover.ts';
import type { StartWatch } from '../../src/skills/watch/folder-watches.ts';
import { defaultSkillLimits } from '../../src/skills/limits.ts';
import type { Look, Roots } from '../../src/skills/watch/refresh.ts';
import { noKnowledge } from '../../src/skills/cache/memo.ts';
import type { SkillRecord } from '../../src/skills/registry/record.ts';
import type { Root } from '../../src/skills/discover/listing.ts';
import { watchSkills, type Watching, type WatchOptions } from '../../src/skills/watch/watch.ts';
import { eventually } from './deadline.ts';

/** A watch on roots, without a registry. */
export interface Followed extends AsyncDisposable {
  readonly watching: Watching;
  /** Returns the most recently published contents. */
  last(): Look;
  /** Returns a skill's description in the most recently published contents, by the skill's declared name. */
  text(name: string): string | undefined;
  /** The skills that were reported to have changes in files other than their descriptor. */
  readonly touched: Set<string>;
  /** Resolves when the published contents equal those of a new scan. */
  equalsCold(): Promise<void>;
}

/** Disables periodic sweeps, so that only events start a scan. */
export const onlyEvents: Partial<WatchOptions> = {
  pace: { idle: 3_600_000, interval: 3_600_000, blindInterval: 3_600_000, stall: 3_600_000 },
};

/** Disables events, so that only the test's calls start a scan. */
export function onlySweeps(): Partial<WatchOptions> & {
  readonly open: Map<string, Parameters<StartWatch>[1]>;
} {
  const open = new Map<string, Parameters<StartWatch>[1]>();
  const startWatch: StartWatch = (dir, onEvent) => {
    assert.ok(!open.has(dir), `${dir} is watched twice`);
    open.set(dir, onEvent);
    return { close: () => open.delete(dir) };
  };
  return { ...onlyEvents, startWatch, open };
}

/** Starts to watch roots. */
export async function follow(
  roots: readonly Root[] | (() => readonly Root[]),
  more: Partial<WatchOptions> = {},
): Promise<Followed> {
  const options = { families: builtinFamilies, limits: defaultSkillLimits, ...more };
  const rootsNow = (): Roots => ({ roots: typeof roots === 'function' ? [...roots()] : roots, issues: [] });
  const looks: Look[] = [];
  const touched = new Set<string>();
  const watching = watchSkills({
    knowledge: noKnowledge(),
    roots: rootsNow,
    publish: (look, isTouched) => {
      looks.push(look);
      for (const { found } of look.discovered) {
        if (isTouched({ file: found.file } as SkillRecord)) touched.add(found.file);
      }
    },
    ...options,
  });
  await watching.ready;
  const last = (): Look => looks.at(-1) ?? { discovered: [], issues: [] };
  return {
    watching,
    touched,
    last,
    text: (name) => last().discovered.find(({ draft }) => draft.name === name)?.draft.card.description,
    equalsCold: () =>
      eventually(() => {
        const cold = discover(rootsNow().roots, options);
        const { discovered, issues } = last();
        assert.deepEqual({ discovered, issues }, { discovered: cold.discovered, issues: cold.issues });
      }),
    [Symbol.asyncDispose]: () => watching.close(),
  };
}

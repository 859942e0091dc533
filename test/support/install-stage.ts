import { join } from 'node:path';
import { builtinFamilies } from '../../src/families/index.ts';
import { openBlobCache } from '../../src/install/blob-cache.ts';
import { withTarget } from '../../src/install/exclusive.ts';
import { chooseBundles } from '../../src/install/find-bundles.ts';
import { readLock, type SkillLock } from '../../src/install/lock-file.ts';
import { openSource } from '../../src/install/open-source.ts';
import { restoreSkills } from '../../src/install/restore.ts';
import { lockedSource, parseSource } from '../../src/install/source.ts';
import { changeFor, refuseMoved, skillsIn, stageSkill, type StagedSkill } from '../../src/install/stage.ts';
import { installTarget, type InstallTarget } from '../../src/install/target.ts';
import { applyChanges, openInstallStaging } from '../../src/install/transaction.ts';
import type { SourceContext } from '../../src/install/tree.ts';

/** A project in which a test installs skills. */
export interface InstallStage {
  readonly target: InstallTarget;
  readonly lock: () => SkillLock;
  /** Fetches and installs skills, without a question. */
  add(
    source: string,
    how?: { readonly names?: readonly string[]; readonly moved?: boolean },
  ): Promise<readonly StagedSkill[]>;
  /** Installs the given skills again from the lock. */
  restore(names: readonly string[], how?: { readonly offline?: boolean }): Promise<readonly StagedSkill[]>;
}

/** Opens a stage in a folder. `context` replaces parts of what sources see of the machine. */
export function openInstallStage(
  base: string,
  context: Partial<SourceContext> = {},
  gitBase = 'https://github.com',
): InstallStage {
  const target = installTarget(base);
  const blobs = openBlobCache(join(base, 'cache'));
  const own: SourceContext = {
    environment: { PATH: process.env['PATH'], HOME: base },
    npmConfig: '',
    isOffline: false,
    ...context,
  };
  return {
    target,
    lock: () => readLock(target.lockFile),
    add: (text, { names = [], moved = false } = {}) =>
      withTarget(target, {}, async () => {
        using staging = openInstallStaging(target);
        const source = parseSource(text, { gitBase, cwd: base });
        await using tree = await openSource(source, own);
        const chosen = chooseBundles(await skillsIn(tree, source, builtinFamilies), { names, plugins: [] });
        const staged: StagedSkill[] = [];
        for (const skill of chosen) {
          const one = await stageSkill(target, staging, tree, skill, lockedSource(text, source, base));
          refuseMoved(readLock(target.lockFile).get(skill.name), one.entry, moved);
          staged.push(one);
        }
        applyChanges(target, staging, staged.map(changeFor));
        for (const { files } of staged) blobs.keep(files);
        return staged;
      }),
    restore: (names, { offline = false } = {}) =>
      withTarget(target, {}, async () => {
        using staging = openInstallStaging(target);
        const staged = await restoreSkills(names, readLock(target.lockFile), {
          target,
          staging,
          blobs,
          families: builtinFamilies,
          defaults: { gitBase, cwd: base },
          context: { ...own, isOffline: offline },
        });
        applyChanges(target, staging, staged.map(changeFor));
        return staged;
      }),
  };
}

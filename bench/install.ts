import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtinFamilies } from '../src/families/index.ts';
import { openBlobCache } from '../src/install/blob-cache.ts';
import { withTarget } from '../src/install/exclusive.ts';
import { readLock } from '../src/install/lock-file.ts';
import { openLocal } from '../src/install/local.ts';
import { restoreSkills } from '../src/install/restore.ts';
import { changeFor, skillsIn, stageSkill, type StagedSkill } from '../src/install/stage.ts';
import { installTarget } from '../src/install/target.ts';
import { applyChanges, openInstallStaging } from '../src/install/transaction.ts';
import { verifySkills } from '../src/install/verify.ts';
import type { Row } from './measure.ts';

const skills = 200;
const filesPerSkill = 50;

/** Measures an installation of 200 skills from a lock and a full cache, and a check of their 10,000 files. */
export async function installSkills(scratch: string): Promise<readonly Row[]> {
  const folder = join(scratch, 'install');
  const from = join(folder, 'source');
  for (let index = 0; index < skills; index++) writeSkill(join(from, `skill-${index}`), index);
  const target = installTarget(join(folder, 'project'));
  const blobs = openBlobCache(join(folder, 'cache'));
  await withTarget(target, {}, async () => {
    using staging = openInstallStaging(target);
    await using tree = await openLocal(from);
    const staged: StagedSkill[] = [];
    for (const skill of await skillsIn(tree, { kind: 'local', path: from }, builtinFamilies))
      staged.push(await stageSkill(target, staging, tree, skill, '../source'));
    applyChanges(target, staging, staged.map(changeFor));
    for (const { files } of staged) blobs.keep(files);
  });
  rmSync(target.skills, { recursive: true });
  const lock = readLock(target.lockFile);
  const installing = await measured(() =>
    withTarget(target, {}, async () => {
      using staging = openInstallStaging(target);
      const staged = await restoreSkills([...lock.keys()], lock, {
        target,
        staging,
        blobs,
        families: builtinFamilies,
        defaults: { gitBase: 'https://github.com', cwd: folder },
        context: { environment: {}, npmConfig: '', isOffline: true },
      });
      applyChanges(target, staging, staged.map(changeFor));
    }),
  );
  const verifying = await measured(() => {
    const faults = verifySkills(target, lock).filter(({ state }) => state !== 'ok');
    if (faults.length > 0) throw new Error(`${faults.length} skills differ from the lock.`);
    return Promise.resolve();
  });
  const count = skills * filesPerSkill;
  return [
    {
      id: 'L1',
      what: `${skills} skills with ${count} files installed from a lock and a cache`,
      figure: seconds(installing),
      target: '≤ 20 s CPU',
      met: installing.cpu <= 20,
    },
    {
      id: 'L1',
      what: `${count} files verified against a lock`,
      figure: seconds(verifying),
      target: '≤ 2 s CPU',
      met: verifying.cpu <= 2,
    },
  ];
}

function writeSkill(dir: string, index: number): void {
  mkdirSync(join(dir, 'references'), { recursive: true });
  const head = `---\nname: skill-${index}\ndescription: Does the work of number ${index} for you.\n---\n\nDo it.\n`;
  writeFileSync(join(dir, 'SKILL.md'), head);
  for (let file = 1; file < filesPerSkill; file++)
    writeFileSync(join(dir, 'references', `${file}.md`), `# ${index} ${file}\n${'text '.repeat(200)}\n`);
}

/** Returns the CPU time and the wall time of some work, in seconds. */
async function measured(work: () => Promise<void>): Promise<{ readonly cpu: number; readonly wall: number }> {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / 1e6, wall: (performance.now() - wall) / 1e3 };
}

function seconds({ cpu, wall }: { readonly cpu: number; readonly wall: number }): string {
  return `${cpu.toFixed(2)} s CPU, ${wall.toFixed(2)} s`;
}

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { installTarball, packProject } from '../../scripts/test/package.js';
import { documentOf } from '../support/command.ts';
import { runCommand } from '../support/command-process.ts';
import { familyJourneys, takeJourney, type FamilyJourney } from '../support/family-journeys.ts';
import { installedPackage, installedProject } from '../support/installed.ts';
import { skillText, tree } from '../support/tree.ts';

const main = path.join(installPlainly(), 'node_modules', 'skilled', 'dist', 'cli', 'main.js');

describe('without its optional parts', { concurrency: 2 }, () => {
  for (const name of ['code skill', 'table', 'MCP skill'])
    test(`a ${name} works`, async () => {
      await takeJourney(journeyOf(name), { main });
    });

  test('a snippet says what has to be installed', async () => {
    const { steps, ...journey } = journeyOf('dynamic code');
    const failing = steps.map((step) => ({ ...step, out: '', err: /npm install isolated-vm/, code: 7 }));
    const asJson = failing.map((step) => ({
      args: [...step.args, '--json'],
      code: 7,
      out: /"code": "sandbox\.unavailable"[^]*isolated-vm/,
    }));
    const said = await takeJourney({ ...journey, steps: [...failing, ...asJson] }, { main });
    assert.match(said, /^error: .*isolated-vm is not installed/m);
  });

  test('skills are ranked by words', async () => {
    assert.equal(await rankedBy(main), 'words');
  });
});

test('with them, skills are ranked by meaning', async () => {
  assert.equal(await rankedBy(), 'meaning');
});

async function rankedBy(program?: string): Promise<unknown> {
  using files = tree({
    '.git/HEAD': '',
    'skills/taxes/SKILL.md': skillText('taxes', 'Fills in the tax return.'),
    'skills/bread/SKILL.md': skillText('bread', 'Bakes sourdough bread.'),
  });
  const options = {
    ...(program === undefined ? {} : { main: program }),
    env: { HOME: files.at('home'), PATH: '/usr/bin:/bin' },
    cwd: files.path,
  };
  const ended = await runCommand(['find', '--learn', 'bake a loaf of bread', '--json', '-q'], options);
  const { by, results } = documentOf(ended) as { by: string; results: readonly { name: string }[] };
  assert.equal(results[0]?.name, 'bread', ended.out);
  return by;
}

function journeyOf(name: string): FamilyJourney {
  return familyJourneys[name] ?? assert.fail(name);
}

/**
 * Installs the package without its optional parts in a project, which is kept as long as the complete one is
 * current.
 */
function installPlainly(): string {
  const cached = `${installedProject}-plain`;
  if (existsSync(cached)) return cached;
  using packed = tree();
  const app = mkdtempSync(path.join(path.dirname(installedProject), 'app-')); // at the same depth as the final folder, because its links are relative
  try {
    installTarball(packProject(installedPackage, packed.path), app, { omitOptional: true });
    renameSync(app, cached);
  } catch (error) {
    if (!existsSync(cached)) throw error; // otherwise another process was faster
  } finally {
    rmSync(app, { recursive: true, force: true });
  }
  return cached;
}

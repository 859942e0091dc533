import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { documentOf, errorIn, type Ended } from '../support/command.ts';
import { runCommand } from '../support/command-process.ts';
import { tree, type Tree } from '../support/tree.ts';

const descriptor = '# invoice-number\n\n## Description\n\nMakes a number.\n';

/** Creates a repository and a home folder next to it. */
function project(settings = '{}'): Tree {
  return tree({
    'project/.git/HEAD': '',
    'project/skills/invoice-number/cskill.md': descriptor,
    'home/.skilled/settings.json': settings,
  });
}

/** Runs a command in a separate process. */
function skilled(files: Tree, ...args: readonly string[]): Promise<Ended> {
  return runCommand([...args, '-q'], optionsIn(files));
}

/** Runs a command two hours later. */
function skilledLater(files: Tree, ...args: readonly string[]): Promise<Ended> {
  const clock = 'const { now } = Date; Date.now = () => now() + 7_200_000;';
  const node = ['--import', `data:text/javascript,${encodeURIComponent(clock)}`];
  return runCommand([...args, '-q'], { ...optionsIn(files), node });
}

function optionsIn(files: Tree): { readonly env: Record<string, string>; readonly cwd: string } {
  return { env: { HOME: files.at('home'), PATH: '/usr/bin:/bin' }, cwd: files.at('project') };
}

describe('one process asks, another decides', { concurrency: true }, () => {
  test('a command runs when it was approved, and no earlier', async () => {
    using files = project();
    const asked = await skilled(files, 'run', '/bash', '--command', 'echo done > made.txt', '--json');
    assert.deepEqual([asked.code, documentOf(asked)['status']], [4, 'waiting'], asked.err);
    assert.ok(!existsSync(files.at('project/made.txt')));
    const id = String(documentOf(asked)['runId']);
    const again = await skilled(files, 'resume', id, '--json');
    assert.deepEqual([again.code, documentOf(again)['status']], [4, 'waiting'], 'nobody decided');
    const decided = await skilled(files, 'approve', id);
    assert.equal(decided.code, 0, decided.err);
    assert.ok(existsSync(files.at('project/made.txt')));
  });

  test('a call without a decision in time can no longer be decided, and does not happen', async () => {
    using files = project('{"permissions": {"approvalHours": 1}}');
    const asked = await skilled(files, 'run', '/bash', '--command', 'echo done > made.txt', '--json');
    assert.deepEqual([asked.code, documentOf(asked)['status']], [4, 'waiting'], asked.err);
    const runId = String(documentOf(asked)['runId']);
    const late = await skilledLater(files, 'approve', runId, '--json');
    assert.deepEqual([late.code, errorIn(late).code], [4, 'policy.expired'], late.out);
    const ended = await skilledLater(files, 'resume', runId, '--yes', '--json');
    assert.deepEqual([ended.code, errorIn(ended).code], [4, 'policy.expired'], ended.out);
    assert.ok(!existsSync(files.at('project/made.txt')));
  });

  test('trust is given for the files that were asked about, and for no others', async () => {
    using files = project();
    const run = ['run', '/invoice-number', '--json'];
    const asked = await skilled(files, ...run);
    assert.deepEqual([asked.code, documentOf(asked)['status']], [4, 'waiting'], asked.err);
    const id = String(documentOf(asked)['runId']);
    files.write('project/skills/invoice-number/src/index.ts', 'export const action = () => 1;\n');
    const stale = await skilled(files, 'approve', id, '--always', '--json');
    assert.deepEqual([stale.code, errorIn(stale).code], [3, 'skill.changed'], stale.out);
    assert.equal(
      documentOf(await skilled(files, 'resume', id, '--json'))['status'],
      'waiting',
      'it is asked anew',
    );
    await skilled(files, 'approve', id, '--always');
    assert.notEqual(documentOf(await skilled(files, ...run))['status'], 'waiting', 'these files are trusted');
    files.write('project/skills/invoice-number/src/index.ts', 'export const action = () => 2;\n');
    assert.equal(documentOf(await skilled(files, ...run))['status'], 'waiting', 'and not these');
  });
});

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { ApprovalRequest } from '../../src/core/policy.ts';
import { documentOf, errorIn, spawnCommand, type Ended } from '../support/command.ts';
import { tree, type Tree } from '../support/tree.ts';

const descriptor = '# invoice-number\n\n## Description\n\nMakes a number.\n';

/** A repository with a home beside it. */
function project(settings = '{}'): Tree {
  return tree({
    'project/.git/HEAD': '',
    'project/skills/invoice-number/cskill.md': descriptor,
    'home/.skilled/settings.json': settings,
  });
}

/** Runs a command in a process of its own. */
function skilled(files: Tree, ...words: readonly string[]): Ended {
  const env = { HOME: files.at('home'), PATH: '/usr/bin:/bin' };
  return spawnCommand([...words, '-q'], { env, cwd: files.at('project') });
}

describe('one process asks, another decides', () => {
  test('a command runs when it was approved, and no earlier', () => {
    using files = project();
    const asked = skilled(files, 'run', '/bash', '--command', 'echo done > made.txt', '--json');
    assert.deepEqual([asked.code, documentOf(asked)['status']], [4, 'waiting'], asked.err);
    assert.ok(!existsSync(files.at('project/made.txt')));
    const id = String(documentOf(asked)['runId']);
    const again = skilled(files, 'resume', id, '--json');
    assert.deepEqual([again.code, documentOf(again)['status']], [4, 'waiting'], 'nobody decided');
    const decided = skilled(files, 'approve', id);
    assert.equal(decided.code, 0, decided.err);
    assert.ok(existsSync(files.at('project/made.txt')));
  });

  test('what nobody decided in time cannot be decided, and does not happen', async () => {
    using files = project('{"permissions": {"approvalHours": 0.0003}}'); // about a second
    const asked = skilled(files, 'run', '/bash', '--command', 'echo done > made.txt', '--json');
    assert.deepEqual([asked.code, documentOf(asked)['status']], [4, 'waiting'], asked.err);
    const { runId, question } = documentOf(asked) as { runId: string; question: { asks: ApprovalRequest } };
    await wait((question.asks.expires ?? 0) - Date.now());
    const late = skilled(files, 'approve', runId, '--json');
    assert.deepEqual([late.code, errorIn(late).code], [4, 'policy.expired'], late.out);
    const ended = skilled(files, 'resume', runId, '--yes', '--json');
    assert.deepEqual([ended.code, errorIn(ended).code], [4, 'policy.expired'], ended.out);
    assert.ok(!existsSync(files.at('project/made.txt')));
  });

  test('trust is given for the files that were asked about, and for no others', () => {
    using files = project();
    const run = ['run', '/invoice-number', '--json'];
    const asked = skilled(files, ...run);
    assert.deepEqual([asked.code, documentOf(asked)['status']], [4, 'waiting'], asked.err);
    const id = String(documentOf(asked)['runId']);
    files.write('project/skills/invoice-number/src/index.ts', 'export const action = () => 1;\n');
    const stale = skilled(files, 'approve', id, '--always', '--json');
    assert.deepEqual([stale.code, errorIn(stale).code], [3, 'skill.changed'], stale.out);
    assert.equal(documentOf(skilled(files, 'resume', id, '--json'))['status'], 'waiting', 'it is asked anew');
    skilled(files, 'approve', id, '--always');
    assert.notEqual(documentOf(skilled(files, ...run))['status'], 'waiting', 'these files are trusted');
    files.write('project/skills/invoice-number/src/index.ts', 'export const action = () => 2;\n');
    assert.equal(documentOf(skilled(files, ...run))['status'], 'waiting', 'and not these');
  });
});

import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { settled, until } from '../../test/support/deadline.ts';
import { gone } from '../../test/support/process-gone.ts';
import { tree } from '../../test/support/tree.ts';
import { schemaOf } from '../core/define-skill.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { parseRule, ruleAgainst, rulesCover, type Act } from '../core/policy/rules.ts';
import type { Output } from '../core/run.ts';
import type { Sandbox } from '../core/sandbox.ts';
import type { Scope } from '../core/scope.ts';
import { adopt } from '../families/function/adopt.ts';
import { createPlainSandboxes } from '../sandboxes/plain-provider.ts';
import { createTestScope, type TestScopeOptions } from '../testing/test-scope.ts';
import { bash } from './bash.ts';

const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', TERM: 'dumb' };

function scopeIn(workspace: string, more: TestScopeOptions = {}): Scope {
  const grant = { read: [], write: [workspace], hosts: [], environment };
  return createTestScope({ workspace, sandbox: () => createPlainSandboxes().open(grant), ...more });
}

async function run(scope: Scope, input: JsonObject): Promise<Output> {
  const definition = adopt(bash);
  assert.ok(definition);
  return definition.run(definition.accept(input) as Json, scope);
}

describe('bash', { concurrency: true }, () => {
  test('gives output and exit code, and an exit code is not a failure', async () => {
    using folder = tree({ 'a.txt': 'hello\n' });
    const scope = (): Scope => scopeIn(folder.path);
    assert.deepEqual(await run(scope(), { command: 'cat a.txt' }), {
      status: 'done',
      text: 'hello',
      value: { exitCode: 0, stdout: 'hello\n', stderr: '' },
    });
    assert.deepEqual(await run(scope(), { command: 'echo out; echo err >&2; exit 7' }), {
      status: 'done',
      text: 'out\n[stderr]\nerr\n[exit code 7]',
      value: { exitCode: 7, stdout: 'out\n', stderr: 'err\n' },
    });
    assert.equal((await run(scope(), { command: 'true' })).text, '[no output, exit code 0]');
    assert.equal((await run(scope(), { command: 'kill -9 $$' })).text, '[ended by a signal]');
  });

  test('a command that takes more than the sandbox has fails, with its output so far', async () => {
    using folder = tree();
    for (const over of ['memory', 'processes'] as const) {
      const ended = { exitCode: null, stdout: 'begun\n', stderr: '', over };
      const sandbox = async (): Promise<Sandbox> => ({ run: async () => ended }) as unknown as Sandbox;
      const output = await run(scopeIn(folder.path, { sandbox }), { command: 'bomb' });
      assert.equal(output.status === 'failed' && output.error.code, 'limit.too-large');
      assert.match(output.text, new RegExp(`^begun\n\\[The command was stopped: .*${over}`));
    }
  });

  test('the timeout is a number beside the command, never a line of it', async () => {
    using folder = tree();
    const output = await run(scopeIn(folder.path), {
      command: 'echo a\necho timeout: 5',
      timeout_ms: 60_000,
    });
    assert.equal(output.text, 'a\ntimeout: 5');
    const odd = "echo 'dependsOn: x, timeout: 3' `echo y`";
    assert.equal((await run(scopeIn(folder.path), { command: odd })).text, 'dependsOn: x, timeout: 3 y');
    const properties = schemaOf(bash.input)?.['properties'] as JsonObject;
    assert.partialDeepStrictEqual(properties['timeout_ms'], { maximum: 600_000, default: 120_000 });
  });

  test('running out of time fails with what was said so far, and ends the children', async () => {
    using folder = tree();
    const command = 'sleep 3600 & echo $!; echo odd >&2; wait';
    const output = await run(scopeIn(folder.path), { command, timeout_ms: 3_000 });
    assert.equal(output.status === 'failed' && output.error.code, 'limit.time');
    assert.match(output.text, /^\d+\n\[stderr\]\nodd\n\[The command was stopped after 3,000 milliseconds\./);
    assert.partialDeepStrictEqual(output, { error: { details: { timedOut: true, exitCode: null } } });
    await gone(Number.parseInt(output.text, 10));
  });

  test('only the granted environment is there, no profile is read and no one answers', async () => {
    using folder = tree();
    writeFileSync(folder.at('.bash_profile'), 'echo from the profile');
    writeFileSync(folder.at('.bashrc'), 'echo from the profile');
    const inFolder = { ...environment, HOME: folder.path };
    const grant = { read: [], write: [folder.path], hosts: [], environment: inFolder };
    const scope = scopeIn(folder.path, { sandbox: () => createPlainSandboxes().open(grant) });
    const output = await run(scope, { command: 'env | sort; read line; echo "line=$line"' });
    const names = output.text.split('\n').map((line) => line.replace(/=.*/, ''));
    assert.deepEqual(
      names.filter((name) => !['_', 'PWD', 'SHLVL', 'OLDPWD'].includes(name)),
      ['HOME', 'PATH', 'TERM', 'line'],
    );
  });

  test('bash syntax is understood, and a leading hyphen is not an option', async () => {
    using folder = tree();
    const bashOnly = await run(scopeIn(folder.path), {
      command: 'a=(1 2); [[ -n ${a[1]} ]] && echo "${a[1]}"',
    });
    assert.equal(bashOnly.text, '2');
    const hyphen = await run(scopeIn(folder.path), { command: '-x; echo $?' });
    assert.match(hyphen.text, /^127\n\[stderr\]/);
  });

  test('much output is cut in the middle, and that is said', async () => {
    using folder = tree();
    const output = await run(scopeIn(folder.path), { command: 'yes | head -c 3000000' });
    assert.ok(output.text.length < 101_000);
    assert.match(output.text, /characters left out/);
    assert.partialDeepStrictEqual(output, { value: { cut: true } });
  });

  test('is one step, which is asked with what exactly runs', async () => {
    using folder = tree();
    const asked: Json[] = [];
    const step: Scope['step'] = async (key, effect, request) => {
      asked.push([key, request ?? null]);
      return effect('key');
    };
    await run({ ...scopeIn(folder.path), step }, { command: 'true', timeout_ms: 9 });
    assert.deepEqual(asked, [['command', { command: 'true', timeoutMs: 9 }]]);
  });

  test('is stopped with its call', async () => {
    using folder = tree();
    const stop = new AbortController();
    const running = run(scopeIn(folder.path, { signal: stop.signal }), {
      command: 'echo > ready; sleep 3600',
    });
    await until(() => existsSync(folder.at('ready')));
    stop.abort(new Error('cancelled'));
    await assert.rejects(settled(running), /cancelled/);
  });
});

test('bash without a workspace says so', async () => {
  await assert.rejects(run(createTestScope(), { command: 'true' }), { code: 'usage.bad-input' });
});

test('rules for bash mean each simple command of a line by itself', () => {
  const permission = adopt(bash)?.permission ?? {};
  const actOf = (command: string): Act => {
    return { skill: 'bash', aliases: [], permission, input: { command }, workspace: '/' };
  };
  const rules = ['Bash(git diff*)'].map(parseRule).filter((rule) => rule !== undefined);
  for (const command of ['git diff', ' git  diff x', 'git diff | git diff', 'git diff $(git diff)']) {
    assert.equal(rulesCover(rules, actOf(command)), true, command);
  }
  for (const command of [
    'git diff; touch x',
    'git diff && id',
    'git diff\nid',
    'git diff $(id)',
    'X=1 git diff',
  ]) {
    assert.equal(rulesCover(rules, actOf(command)), false, command);
    assert.ok(ruleAgainst(rules, actOf(command)), command);
  }
  assert.deepEqual([bash.runsProcesses, bash.sequential, bash.permission], [true, true, 'Bash']);
});

test('a command that makes a git repository is asked about each time, others are not', () => {
  const asks = (command: string): boolean =>
    adopt(bash)?.permission.alwaysAsks?.({ command }, '') !== undefined;
  assert.deepEqual(['git clone x', 'git init', 'git status', 'ls'].map(asks), [true, true, false, false]);
});

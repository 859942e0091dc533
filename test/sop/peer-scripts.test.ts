import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkSop } from '../../src/engines/sop/check/check-sop.ts';
import { createSop, runSop } from '../../src/engines/sop/execute/run-sop.ts';
import type { SopEnd } from '../../src/engines/sop/plan-run.ts';
import { peerScripts, refusedScripts } from './peer-corpus.ts';
import { commandsOf, createPeerHost, publicForm } from './peer-host.ts';

// Scripts in the language that SOP is based on, with a host like its own.

describe('scripts of the older language have the same results', () => {
  for (const { title, script, input, variables, answer } of peerScripts) {
    test(title, async () => {
      const end = await runSop(script, commandsOf(createPeerHost()), input === undefined ? {} : { input });
      assert.deepEqual(shown(end), variables);
      assert.deepEqual(end.answer, answer);
    });
  }

  test('there are enough of them', () => {
    assert.ok(peerScripts.length + refusedScripts.length >= 50);
  });

  test("a host's own assign takes the place of ours", async () => {
    const host = createPeerHost({ assign: ({ args }, { success }) => success(args.length) });
    assert.deepEqual(shown(await runSop('@a assign one two', commandsOf(host), {})), { a: 2 });
  });
});

describe('scripts that the older language refuses are refused, and nothing runs', () => {
  for (const [title, script, error] of refusedScripts) {
    test(title, async () => {
      const host = createPeerHost();
      const { plan, issues } = checkSop(script, commandsOf(host));
      const [first] = issues.map(({ line, column, code }) => `${line}:${column} ${code}`);
      assert.deepEqual([first, plan], [error, undefined]);
      await assert.rejects(runSop(script, commandsOf(host), {}), { code: 'usage.bad-input' });
      assert.deepEqual(host.executed, []);
    });
  }
});

describe('a script that changes', () => {
  test('keeps what is unchanged, does again what is not, and forgets what is gone', async () => {
    const host = createPeerHost();
    const sop = createSop(commandsOf(host), {});
    await sop.run('@a echo one\n@b echo two\n@c echo $a $b\n@gone echo x');
    const end = await sop.updateCode('@a echo one\n@b echo three\n@c echo $a $b\n@d echo $a');
    assert.deepEqual(shown(end), { a: 'one', b: 'three', c: 'one three', d: 'one' });
    assert.deepEqual(host.executed.slice(4), ['b echo', 'd echo', 'c echo']);
  });

  test('does again what has no result or was canceled', async () => {
    let isOpen = false;
    const host = createPeerHost({
      door: (_payload, { success, cancel }) => (isOpen ? success('open') : cancel('closed')),
      bell: (_payload, { success }) => (isOpen ? success('rings') : undefined),
    });
    const sop = createSop(commandsOf(host), {});
    const before = await sop.run('@door door\n@bell bell\n@in echo $door $bell');
    assert.deepEqual(
      Object.values(before.variables).map(({ status }) => status),
      ['canceled', 'undefined', 'undefined'],
    );
    isOpen = true;
    const after = await sop.updateCode('@door door\n@bell bell\n@in echo $door $bell\n@more echo x');
    assert.deepEqual(shown(after), { door: 'open', bell: 'rings', in: 'open rings', more: 'x' });
  });

  test('gives its answer again', async () => {
    const sop = createSop(commandsOf(createPeerHost()), {});
    assert.equal((await sop.run('@a echo one\n@last final_answer $a')).answer, 'one');
    const end = await sop.updateCode('@a echo two\n@last final_answer $a');
    assert.deepEqual([end.status, end.answer], ['done', 'two']);
  });
});

function shown({ variables }: SopEnd): object {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, publicForm(name, value)]),
  );
}

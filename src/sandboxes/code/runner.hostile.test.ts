import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { codeStage } from '../../../test/support/code-stage.ts';
import { tree } from '../../../test/support/tree.ts';
import type { Json } from '../../core/json.ts';
import { createProcessSandboxes } from '../bubblewrap-provider.ts';

const provider = createProcessSandboxes();

// Evaluates the given code, with everything that an attacker would need.
const puppet = `
const fs = process.getBuiltinModule('node:fs');
const tried = (run) => { try { return run(); } catch (thrown) { return 'refused: ' + (thrown.code ?? thrown.message); } };
export const action = (code, scope) => new (async () => {}).constructor('fs', 'tried', 'scope', code)(fs, tried, scope);
`;

describe('hostile code', { skip: withoutBubblewrap, concurrency: 2 }, () => {
  test('reads nothing of its host', async () => {
    using outside = tree({ 'secret.txt': 'SECRET' });
    await using at = codeStage(provider, puppet);
    process.env['PLANTED_SECRET'] = 'SECRET';
    try {
      const environment = (await at.value('return { ...process.env };')) as Record<string, string>;
      assert.deepEqual(
        Object.keys(environment).filter((name) => !/^(HOME|TMPDIR|USER|PWD|OLDPWD|SHLVL|_)$/.test(name)),
        [],
      );
      const paths = [
        '/etc/shadow',
        outside.at('secret.txt'),
        `/proc/1/root${outside.at('secret.txt')}`,
        homedir(),
      ];
      for (const path of paths) {
        const said = await at.value(
          `return tried(() => fs.readdirSync ? String(fs.statSync(${JSON.stringify(path)}).isDirectory() ? fs.readdirSync(${JSON.stringify(path)}) : fs.readFileSync(${JSON.stringify(path)})) : '');`,
        );
        assert.doesNotMatch(said as string, /SECRET|root:|\\.(?:ssh|bashrc)/, path);
      }
      const environments = await at.value(
        "return fs.readdirSync('/proc').filter((name) => Number(name)).map((id) => tried(() => fs.readFileSync('/proc/' + id + '/environ', 'utf8')));",
      );
      assert.doesNotMatch(JSON.stringify(environments), /SECRET/);
    } finally {
      delete process.env['PLANTED_SECRET'];
    }
  });

  test('writes nothing that it was not granted', async () => {
    using workspace = tree({ 'skills/own/SKILL.md': 'own', 'skills/other/SKILL.md': 'other' });
    await using at = codeStage(provider, puppet, { 'descriptor.md': 'as it was' });
    const paths = ['src/index.ts', 'descriptor.md', 'new.txt'].map((name) => at.files.at(name));
    const readOnlyPaths = ['skills/own/SKILL.md', 'skills/other/SKILL.md', 'skills/new.md'].map((name) =>
      workspace.at(name),
    );
    const grant = { read: [at.files.path], write: [workspace.path], readOnly: [workspace.at('skills')] };
    for (const path of [...paths, ...readOnlyPaths, '/usr/x', '/etc/passwd']) {
      const said = await at.value(`return tried(() => fs.writeFileSync(${JSON.stringify(path)}, 'x'));`, {
        grant,
      });
      assert.match(said as string, /^refused: E/, path);
    }
    assert.match(
      (await at.value(
        `return tried(() => fs.renameSync(${JSON.stringify(workspace.at('skills'))}, ${JSON.stringify(workspace.at('moved'))}));`,
        { grant },
      )) as string,
      /^refused/,
    );
    assert.equal(
      await at.value(
        `return tried(() => fs.writeFileSync(${JSON.stringify(workspace.at('fine.txt'))}, 'x')) ?? 'written';`,
        { grant },
      ),
      'written',
    );
    assert.equal(readFileSync(workspace.at('skills/other/SKILL.md'), 'utf8'), 'other');
    assert.equal(readFileSync(at.files.at('descriptor.md'), 'utf8'), 'as it was');
  });

  test('reaches no network', async () => {
    await using at = codeStage(provider, puppet);
    let connections = 0;
    const server = createServer(() => (connections += 1))
      .listen(0, '127.0.0.1')
      .unref();
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const connect = `return await new Promise((resolve) => process.getBuiltinModule('node:net').connect(${port}, '127.0.0.1').on('connect', () => resolve('connected')).on('error', (fault) => resolve(fault.code)));`;
    assert.notEqual(await at.value(connect), 'connected');
    assert.match(String((await at.fault('await fetch("http://example.org")'))?.message), /fetch failed/);
    assert.equal(connections, 0);
    server.close();
  });

  test('reaches the hosts that it was granted, call after call in one process', async () => {
    const code =
      'const id = Math.random(); export const action = async (url) => [id, await (await fetch(url)).text()];';
    await using at = codeStage(provider, code);
    const server = createHttpServer((_, answer) => answer.end('hello'))
      .listen(0, '127.0.0.1')
      .unref();
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const grant = { hosts: [`localhost:${port}`] };
    const first = (await at.value(`http://localhost:${port}/`, { grant })) as Json[];
    assert.equal(first[1], 'hello');
    assert.deepEqual(await at.value(`http://localhost:${port}/`, { grant }), first);
    assert.match((await at.fault('http://localhost:1/', { grant }))?.message ?? '', /failed/);
    server.close();
  });

  test('starts nothing', async () => {
    await using at = codeStage(provider, puppet);
    const ways = [
      "(await import('node:child_process')).spawnSync('/bin/true')",
      "process.getBuiltinModule('child_process').execFileSync('/bin/true')",
      "process.getBuiltinModule('cluster').fork()",
      "new (process.getBuiltinModule('worker_threads').Worker)('1', { eval: true })",
      "process.binding('spawn_sync').spawn({ file: '/bin/true', args: [], stdio: [] })",
      "process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6')",
      "new (process.getBuiltinModule('wasi').WASI)({ version: 'preview1' })",
      "process.getBuiltinModule('inspector').open(0)",
    ];
    for (const way of ways) {
      const fault = await at.fault(`return (${way});`);
      assert.match(
        fault?.message ?? 'it worked',
        /restricted|ERR_ACCESS_DENIED|not allowed|disabled|No such module|binding/i,
        way,
      );
    }
    const fault = await at.fault("for (;;) (await import('node:child_process')).fork('/x');");
    assert.match(fault?.hint ?? '', /cannot start processes or threads/);
  });

  test('starts processes where it may, which end with its limits', async () => {
    await using at = codeStage(provider, puppet);
    const target = { startsProcesses: true, key: 'starts' };
    const echo =
      "return (await import('node:child_process')).execFileSync('/bin/echo', ['hi'], { encoding: 'utf8' });";
    assert.equal(await at.value(echo, target), 'hi\n');
    const bomb =
      "const { spawn } = await import('node:child_process'); for (;;) { spawn('/bin/sleep', ['60']).on('error', () => undefined); await null; }";
    const fault = await at.fault(bomb, { ...target, grant: { limits: { processes: 20 } } });
    assert.match(fault?.code ?? '', /^(?:limit\.too-large|skill\.failed)$/);
  });

  test('harms no one by signals', async () => {
    await using at = codeStage(provider, puppet);
    for (const who of ['process.ppid', '1', '-1', '0', String(process.pid)]) {
      const outcome = await at.run(`return tried(() => process.kill(${who}, 'SIGKILL'));`).then(
        ({ value }) => value,
        (thrown: unknown) => (thrown as Error).message,
      );
      assert.ok(typeof outcome === 'string' || outcome === true);
    }
    assert.equal(await at.value('return 1;'), 1);
  });

  test('uses no more memory than it may', async () => {
    await using at = codeStage(provider, puppet);
    const bombs = [
      'const all = []; for (let n = 0; n < 512; n += 1) all.push(Buffer.alloc(4 << 20, 1)); return all.length;',
      "const all = []; for (let n = 0; n < 2000; n += 1) all.push('x'.repeat(1e6) + n, [...'y'.repeat(1e5)]); return all.length;",
      'const all = []; for (let n = 0; n < 256; n += 1) all.push(new Float64Array(1 << 20).fill(n)); return all.length;',
    ];
    for (const bomb of bombs) {
      const fault = await at.fault(bomb, { memoryBytes: 200 * 2 ** 20, key: 'small' });
      assert.deepEqual(
        [fault?.code, fault?.message],
        ['limit.too-large', 'src/index.ts needed more than 200 MiB of memory.'],
        bomb,
      );
    }
    assert.equal(await at.value('return 1;'), 1);
  });

  test('may lie about its own value, and asks nothing that it was not given', async () => {
    await using at = codeStage(provider, puppet);
    const asked: Json[] = [];
    const functions = {
      ask: async (given: readonly Json[]) => {
        asked.push(...given);
        return 1;
      },
    };
    const writes = (line: string): string => `fs.writeSync(3, ${line} + '\\n'); await new Promise(() => {});`;
    const outcome = async (line: string): Promise<unknown> => {
      const fault = await at.fault(writes(line), { functions });
      return fault?.code ?? 'value';
    };
    const forged = (rest: string): string => `JSON.stringify(['call', Number(1), ${rest}])`;
    for (const line of [
      ...["'garbage'", "'[]'", "'{}'", "'null'", '\'["ready"]\'', '\'["value",0,true,1]\'', "'\\0'"],
      ...[
        forged("1, 'shell', []"),
        forged("1, '__proto__', []"),
        forged("1, 'constructor', []"),
        forged("'x', 'ask', []"),
      ],
      "'['.repeat(100000)",
    ])
      assert.equal(await outcome(line), 'skill.failed', line);
    const endless = "for (;;) tried(() => fs.writeSync(3, 'x'.repeat(1e6)));";
    assert.equal((await at.fault(endless, { functions }))?.code, 'limit.too-large');
    assert.deepEqual(asked, []);
    assert.equal(await at.value('return 1;'), 1);
  });

  test('floods no one with what it prints', async () => {
    await using at = codeStage(provider, puppet);
    const { value, stdout } = await at.run(
      "for (let n = 0; n < 100; n += 1) fs.writeSync(1, 'x'.repeat(1e6)); return 'printed';",
    );
    assert.deepEqual([value, /[^x]x+$/.exec(stdout)?.[0].length], ['printed', 100_001]);
    assert.match(stdout, /^\[.* 99,900,000 .*\]\n/);
  });

  test('does nothing once it has returned', async () => {
    using workspace = tree();
    mkdirSync(workspace.at('w'));
    await using at = codeStage(provider, puppet);
    const grant = { write: [workspace.at('w')] };
    const beat = `setInterval(() => fs.appendFileSync(${JSON.stringify(workspace.at('w/beats'))}, 'x'), 5); await new Promise((resolve) => setTimeout(resolve, 50)); return 1;`;
    assert.equal(await at.value(beat, { grant, key: 'writes' }), 1);
    await at.runner.close();
    const beats = readFileSync(workspace.at('w/beats'), 'utf8').length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(readFileSync(workspace.at('w/beats'), 'utf8').length, beats);
  });
});

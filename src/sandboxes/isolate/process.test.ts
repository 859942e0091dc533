import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { openLoops } from '../../../test/stress/stress.ts';
import { minute, until } from '../../../test/support/deadline.ts';
import { gone } from '../../../test/support/process-gone.ts';
import { sourceFile, sourceUrl } from '../../../test/support/source-file.ts';
import { tree } from '../../../test/support/tree.ts';
import type { SnippetRunner } from '../../core/code.ts';
import type { Json } from '../../core/json.ts';
import { openChannel } from './channel.ts';
import { installHint, isolateCommands, startIsolateProcess } from './process.ts';
import { createIsolates, takeTurn } from './runner.ts';

const manifest = JSON.stringify({
  name: 'skilled',
  type: 'module',
  exports: { './package.json': './package.json' },
  optionalDependencies: { 'isolated-vm': '7.0.1' },
});

/** Runs a snippet in a copy of the package that can resolve only these packages. */
async function runWith(
  packages: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  using files = tree({ 'package.json': manifest, ...packages });
  for (const folder of ['core', 'sandboxes', 'files'])
    cpSync(sourceFile(`src/${folder}`), files.at('src', folder), { recursive: true });
  cpSync(sourceFile('node_modules/js-yaml'), files.at('node_modules/js-yaml'), { recursive: true }); // core needs it
  const module = pathToFileURL(files.at('src', 'sandboxes', 'isolate', 'runner.ts')).href;
  const program = `
    import { createIsolates } from ${JSON.stringify(module)};
    const runner = createIsolates();
    const told = ({ code, message, hint, details }) => ({ code, message, hint, details });
    const said = await runner.run({ code: 'return 1', input: null }, new AbortController().signal).catch(told);
    console.log(JSON.stringify(said));
    await runner.close();`;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('without the engine', () => {
  test('a snippet fails with the name of the package and the command that installs it', async () => {
    const { code, message, hint, details } = await runWith({});
    assert.equal(code, 'sandbox.unavailable');
    assert.equal(message, 'Snippets cannot run: the optional package isolated-vm is not installed.');
    assert.match(String(hint), /^Install it in \/.*: npm install isolated-vm@7\.0\.1$/);
    assert.deepEqual(details, { package: 'isolated-vm' });
  });

  test('that fits this Node a snippet fails with the whole reason and the command that builds it', async () => {
    const broken = [
      "const lines = ['The module /x.node', 'was compiled against a different Node.js version.', 'Require stack:', '- x'];",
      "throw new Error(lines.join('\\n'));",
    ];
    const { code, message, hint, details } = await runWith({
      'node_modules/isolated-vm/index.js': broken.join('\n'),
      'node_modules/node-gyp-build/index.js': '',
    });
    assert.equal(code, 'sandbox.unavailable');
    assert.match(
      String(message),
      /isolated-vm does not load: The module \/x\.node was compiled against a different Node\.js version\.$/,
    );
    assert.match(String(hint), /^Build it in \/.* for Node \d.*: npm rebuild isolated-vm$/);
    assert.deepEqual(details, { package: 'isolated-vm' });
  });

  test('a part of it is as bad as all of it', async () => {
    const { code, message, hint } = await runWith({ 'node_modules/isolated-vm/index.js': '' });
    assert.equal(code, 'sandbox.unavailable');
    assert.match(String(message), /isolated-vm does not load: Cannot find module 'node-gyp-build'$/);
    assert.match(String(hint), /npm rebuild/);
  });
});

test('the engine is installed where the package finds it: in the project around it, or for all projects', () => {
  using files = tree({
    'shop/package.json': '{}',
    ...Object.fromEntries(
      [
        'shop/node_modules/skilled',
        'shop/node_modules/.pnpm/skilled@1/node_modules/skilled',
        'lib/node_modules/skilled',
        'clone',
      ].map((folder) => [`${folder}/package.json`, manifest]),
    ),
  });
  const hintIn = (folder: string): string => installHint(files.at(folder));
  const local = `Install it in ${files.at('shop')}: npm install isolated-vm@7.0.1`;
  assert.equal(hintIn('shop/node_modules/skilled'), local);
  assert.equal(hintIn('shop/node_modules/.pnpm/skilled@1/node_modules/skilled'), local);
  assert.match(hintIn('lib/node_modules/skilled'), /: npm install --global isolated-vm@7\.0\.1$/);
  assert.equal(hintIn('clone'), `Install it in ${files.at('clone')}: npm install isolated-vm@7.0.1`);
});

test('the process of the engine reads no package but the engine', () => {
  const read = isolateCommands().bare.filter((arg) => arg.startsWith('--allow-fs-read='));
  const packages = read.flatMap((arg) => /\/node_modules(\/[^.].*)$/.exec(arg)?.[1] ?? []);
  assert.deepEqual([...new Set(packages)].sort(), ['/isolated-vm', '/node-gyp-build']);
});

const { size } = openLoops(import.meta);

const never = new AbortController().signal;
const onLinux = { skip: process.platform !== 'linux' };

/** Returns all descendants of a process. */
function processesBelow(ancestor: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]));
    } catch {
      // it went while it was looked at
    }
  }
  const isBelow = (id: number | undefined): boolean =>
    id !== undefined && (parents.get(id) === ancestor || isBelow(parents.get(id)));
  return [...parents.keys()].filter(isBelow);
}

/** Returns the descendants that run snippets. */
function workersBelow(ancestor: number): readonly number[] {
  return processesBelow(ancestor).filter((id) => {
    const commandLine = existsSync(`/proc/${id}/cmdline`) ? readFileSync(`/proc/${id}/cmdline`, 'utf8') : '';
    return commandLine.includes('isolate/worker') && !commandLine.startsWith('bwrap');
  });
}

/** Starts an endless loop, and resolves to its result promise once the loop runs. */
async function loop(runner: SnippetRunner, signal = never): Promise<{ readonly ended: Promise<unknown> }> {
  const { promise, resolve } = Promise.withResolvers<Json>();
  const functions = { begin: () => (resolve(null), null) };
  const code = 'await begin(); while (true);';
  const ended = runner.run({ code, input: null, functions, timeoutMs: 600_000 }, signal);
  ended.catch(() => undefined);
  await promise;
  return { ended };
}

describe('a process that runs snippets', onLinux, () => {
  test('is kept for the next one, and does not grow', async () => {
    const runner = createIsolates();
    const memory = (): number => {
      const [worker, ...others] = workersBelow(process.pid);
      assert.ok(worker !== undefined && others.length === 0);
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${worker}/status`, 'utf8'))?.[1]) / 1024;
    };
    const input = { list: Array.from({ length: 1000 }, (_, index) => `item ${index}`) };
    const code = 'console.log(input.list.length); return { ...input, copy: input.list.map((x) => x + "!") }';
    const repeat = async (times: number): Promise<void> => {
      for (let done = 0; done < times; done += 1) await runner.run({ code, input }, never);
    };
    await repeat(50);
    const before = memory();
    await repeat(size({ small: 150, full: 1000 }));
    assert.ok(memory() < before + 40, `${before} MiB, then ${memory()}`);
    const workers = workersBelow(process.pid);
    await runner.close();
    for (const worker of workers) await gone(worker);
  });

  test('is replaced when it is lost', async () => {
    const before = processesBelow(process.pid); // other test files may have started some
    const runner = createIsolates();
    const { ended } = await loop(runner);
    for (const worker of workersBelow(process.pid)) process.kill(worker, 'SIGKILL');
    await assert.rejects(ended, { code: 'skill.failed', message: /crashed the engine/ });
    assert.equal((await runner.run({ code: 'return 1', input: null }, never)).value, 1);
    const ends = processesBelow(process.pid).filter((id) => !before.includes(id));
    for (const worker of workersBelow(process.pid)) process.kill(worker, 'SIGKILL');
    await until(() => ends.every((id) => !existsSync(`/proc/${id}`))); // then this process has noticed their end
    assert.equal((await runner.run({ code: 'return 2', input: null }, never)).value, 2);
    await runner.close();
  });

  test('ends with the signal', async () => {
    const runner = createIsolates();
    const stop = new AbortController();
    const { ended } = await loop(runner, stop.signal);
    const workers = workersBelow(process.pid);
    assert.equal(workers.length, 1);
    const reason = new Error('enough');
    stop.abort(reason);
    await assert.rejects(ended, reason);
    for (const worker of workers) await gone(worker);
    await assert.rejects(runner.run({ code: '', input: null }, stop.signal), reason);
    await runner.close();
  });

  test('ends with its runner, which takes no more snippets', async () => {
    const runner = createIsolates();
    const { ended } = await loop(runner);
    const workers = workersBelow(process.pid);
    assert.equal(workers.length, 1);
    await runner.close();
    await assert.rejects(ended, { code: 'sandbox.unavailable' });
    for (const worker of workers) await gone(worker);
    await assert.rejects(runner.run({ code: '', input: null }, never), { code: 'sandbox.unavailable' });
    await runner.close();
  });

  test('is started without a sandbox if there is none, or if it does not work', async () => {
    const { bare } = isolateCommands();
    for (const enclosed of [['/no/such/program'], ['false']] as const) {
      const isolate = await startIsolateProcess({ enclosed, bare });
      assert.equal((await takeTurn(isolate, { code: 'return 1', input: null }, never)).value, 1);
      await isolate.end();
    }
  });

  test('that cannot run snippets says why', async () => {
    const { bare } = isolateCommands();
    const wrong = [...bare.slice(0, -1), '/no/such/engine'] as unknown as typeof bare;
    const fault = { code: 'sandbox.unavailable', message: /Snippets cannot run: .*no\/such\/engine/ };
    await assert.rejects(startIsolateProcess({ enclosed: wrong, bare: wrong }), fault);
  });

  test('that fails to start says the error that ended it, and not the version of Node', async () => {
    using files = tree({ 'worker.mjs': "import './chunk.mjs';" });
    const broken = [process.execPath, files.at('worker.mjs')] as const;
    await assert.rejects(startIsolateProcess({ enclosed: broken, bare: broken }), {
      code: 'sandbox.unavailable',
      message: `The snippet worker failed to start: Cannot find module '${files.at('chunk.mjs')}' imported from ${files.at('worker.mjs')}`,
    });
    const missing = ['/no/such/program'] as const;
    await assert.rejects(startIsolateProcess({ enclosed: missing, bare: missing }), { message: /ENOENT/ });
  });

  test('that says nonsense is ended, and its snippet fails', async () => {
    const nonsense = [
      ...['echo what?', 'echo {}', `echo '{"value":1,"log":""}'`, `echo '{"ready":true}'`, 'exit'],
      ...[`echo '{"call":1,"name":{},"given":[]}'`, `echo '{"failed":{"kind":"x"},"log":""}'`],
      ...[`yes '{"call":1,"name":"x","given":"[]"}'`, `yes | tr -d '\\n'`],
    ];
    for (const says of nonsense) {
      const child = spawn('sh', ['-c', `read -r order; ${says}; exec sleep 3600`], {
        stdio: ['pipe', 'pipe', 'ignore'],
        detached: true,
      });
      const isolate = openChannel(child);
      await assert.rejects(
        takeTurn(isolate, { code: '', input: null }, never),
        { code: 'skill.failed' },
        says,
      );
      assert.equal(isolate.isAlive(), false);
      await gone(child.pid ?? 0);
    }
  });

  test('calls nothing that its snippet was not given', async () => {
    const calls =
      '{"call":1,"name":"constructor","given":"[]"}\\n{"call":2,"name":"valueOf","given":"[]"}\\n';
    const program = `
      let heard = '';
      process.stdin.on('data', (text) => {
        if (heard === '') process.stdout.write('${calls}'.replaceAll('\\\\n', '\\n'));
        heard += text;
        const lines = heard.split('\\n').slice(0, -1);
        if (lines.length === 3) console.log(JSON.stringify({ value: JSON.stringify(lines.slice(1).join()), log: '' }));
      })`;
    const child = spawn(process.execPath, ['--eval', program], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    const isolate = openChannel(child);
    const { value } = await takeTurn(isolate, { code: '', input: null }, never);
    assert.equal(JSON.stringify(value).match(/isFault[\\":]+true/g)?.length, 2);
    await isolate.end();
  });
});

describe('the host of such a process', onLinux, () => {
  const module = JSON.stringify(sourceUrl('src/sandboxes/isolate/runner.ts'));

  test('may end without closing anything', async () => {
    const program = `
      import { createIsolates } from ${module};
      const { value } = await createIsolates().run({ code: 'return 5', input: null }, new AbortController().signal);
      console.log(value);`;
    const args = ['--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: minute });
    assert.equal(stdout, '5\n');
  });

  test('takes it along when it is killed, though the snippet is in a loop', async () => {
    const program = `
      import { createIsolates } from ${module};
      const functions = { begin: () => (console.log('begun'), null) };
      const code = 'await begin(); while (true);';
      await createIsolates().run({ code, input: null, functions, timeoutMs: 600_000 }, new AbortController().signal);`;
    const host = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(host.stdout, 'data');
    const workers = workersBelow(host.pid ?? 0);
    assert.equal(workers.length, 1);
    host.kill('SIGKILL');
    for (const worker of workers) await gone(worker);
  });
});

describe('code that would break out of an isolate', onLinux, () => {
  const hasBubblewrap = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;
  for (const kind of ['bare', 'enclosed'] as const) {
    const skip = kind === 'enclosed' && !hasBubblewrap;
    test(`finds little, ${kind}`, { skip }, async () => {
      using outside = tree({ 'secret.txt': 'secret' });
      const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const tries = {
        read: `fs.readFileSync(${JSON.stringify(outside.at('secret.txt'))})`,
        system: `fs.readFileSync('/etc/passwd')`,
        write: `fs.writeFileSync(${JSON.stringify(outside.at('made.txt'))}, 'x')`,
        start: `process.getBuiltinModule('node:child_process').execFileSync('/bin/true')`,
        thread: `new (process.getBuiltinModule('node:worker_threads').Worker)('1', { eval: true })`,
        variable: `if (!Object.keys(process.env).some((name) => name !== 'TZ' && name !== 'PWD')) throw 1`,
      };
      const probe = `
        const fs = process.getBuiltinModule('node:fs');
        const done = [];
        ${Object.entries(tries)
          .map(([name, code]) => `try { ${code}; done.push('${name}') } catch {}`)
          .join('\n')}
        const socket = process.getBuiltinModule('node:net').connect(${port}, '127.0.0.1');
        socket.on('connect', () => done.push('network')).on('error', () => {}).on('close', () => console.log(done.join()));
        socket.resume()`;
      const [program, ...args] = isolateCommands()[kind];
      const probed = promisify(execFile)(program, [...args.slice(0, -2), '--eval', probe], {
        env: { TZ: 'UTC' },
        cwd: '/',
      });
      const { stdout } = await probed.finally(() => server.close());
      assert.equal(stdout.trim(), kind === 'bare' ? 'network' : '');
      assert.equal(existsSync(outside.at('made.txt')), false);
    });
  }
});

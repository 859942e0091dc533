import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { until } from '../../../test/support/deadline.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { ProcessResult, Grant, Sandbox } from '../../core/sandbox.ts';
import { protectedPaths } from '../../files/protected.ts';
import { createProcessSandboxes } from '../bubblewrap-provider.ts';
import { sourceFile } from '../../../test/support/source-file.ts';

const signal = new AbortController().signal;

function open(folder: string, more: Partial<Grant> = {}, rejected?: string): Promise<Sandbox> {
  const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  const grant = { read: [], write: [folder], hosts: [], environment, ...more };
  return createProcessSandboxes({ rejected }).open(grant);
}

async function run(
  folder: string,
  script: string,
  more: Partial<Grant> = {},
  rejected?: string,
): Promise<ProcessResult> {
  const sandbox = await open(folder, more, rejected);
  try {
    return await sandbox.run({ program: 'bash', arguments: ['-c', script], folder }, signal);
  } finally {
    await sandbox.close();
  }
}

function namesIn({ rejected = [] }: ProcessResult, files: Tree): readonly string[] {
  return rejected.map(({ path }) => path.slice(files.path.length + 1)).sort();
}

/** All protected names except that of the top repository, below a folder. */
const listed = [...protectedPaths.map(({ path }) => path), '.env', '.env.local', '.envrc'];

describe('protected paths in a sandbox', { skip: withoutBubblewrap }, () => {
  // Each case has its own folder, `d0` and so on. They share processes, because there are about sixty cases.
  const folders = (prefix: string): string =>
    `mkdir -p ${listed.map((path, index) => `d${index}/${prefix}${dirname(path)}`).join(' ')}`;
  const forEach = (script: (path: string) => string): string =>
    listed.map((path, index) => script(`d${index}/${path}`)).join('\n');
  const upper = (path: string): string => path.replace(/[^/]+$/, (last) => last.toUpperCase());
  const ways: readonly (readonly [string, string])[] = [
    ['create', forEach((path) => `echo new > ${path}`)],
    ['make a folder', `mkdir ${listed.map((path, index) => `d${index}/${path}`).join(' ')}`],
    ['rename over', forEach((path) => `echo new > made; mv made ${path}`)],
    ['hard link', `echo new > made; ${forEach((path) => `ln made ${path}`)}`],
    ['link', forEach((path) => `ln -s /etc/passwd ${path}`)],
    ['through a linked parent', `ln -s . way; ${forEach((path) => `echo new > way/${path}`)}`],
    ['in another case', forEach((path) => `echo new > ${upper(path)}`)],
  ];
  for (const [way, script] of ways)
    test(`that are not there are moved aside: ${way}`, async () => {
      using files = tree({ '.skilled/settings.json': '{}', file: 'x' });
      const result = await run(files.path, `${folders('')}\n${script}`);
      for (const [index, path] of listed.entries())
        for (const name of [path, upper(path)]) assert.ok(!existsSync(files.at(`d${index}`, name)), path);
      const moved = result.rejected?.slice(0, 50) ?? [];
      assert.equal(moved.length, 50, result.stderr);
      assert.ok(moved.every(({ movedTo }) => movedTo?.startsWith(files.at('.skilled/rejected/'))));
    });

  test('that are there stay as they are, whatever is tried', async () => {
    const at = (path: string, index: number): string => `d${index}/deep/${path}/file`;
    using files = tree({
      ...Object.fromEntries(listed.map((path, index) => [at(path, index), 'old'])),
      other: '',
    });
    const scripts = [
      forEach((path) => `echo new > ${path.replace('/', '/deep/')}/file`),
      `ln -f other ${listed.map((path, index) => at(path, index)).join(' ')}`,
      forEach((path) => `mv -f other ${path.replace('/', '/deep/')}/file`),
      `chmod 777 ${listed.map(at).join(' ')}; rm -rf d*`,
      listed.map((path, index) => `mv -T other d${index}/deep/${path}`).join('\n'),
      listed
        .slice(0, 20)
        .map(
          (path, index) =>
            `cd d${index}; mv deep away; mkdir -p deep/${path}; echo new > deep/${path}/file; rm -rf deep; mv away deep; cd ..`,
        )
        .join('\n'),
    ];
    await run(files.path, scripts.join('\n'), {}, files.at('.skilled'));
    for (const [index, path] of listed.entries())
      assert.equal(readFileSync(files.at(at(path, index)), 'utf8'), 'old', path);
  });

  test('at the top of the workspace as well, files and folders', async () => {
    using files = tree({ '.env': 'old', '.vscode/tasks.json': 'old', 'x/.git/config': 'old' });
    const result = await run(
      files.path,
      'for f in .env .vscode/tasks.json x/.git/config; do echo new > $f; done; rm -rf x .env; echo x > .npmrc; git init -q; touch fine',
    );
    for (const path of ['.env', '.vscode/tasks.json', 'x/.git/config'])
      assert.equal(readFileSync(files.at(path), 'utf8'), 'old');
    assert.deepEqual(namesIn(result, files), ['.git', '.npmrc']);
    assert.ok(existsSync(files.at('fine')));
  });

  test('a folder that holds one can be renamed, and what is in it stays protected', async () => {
    using files = tree({ 'a/.env': 'old', 'a/file': 'x' });
    const result = await run(files.path, 'mv a b && echo new > b/file; echo new > b/.env');
    assert.deepEqual(namesIn(result, files), []);
    assert.equal(readFileSync(files.at('b/.env'), 'utf8'), 'old');
    assert.equal(readFileSync(files.at('b/file'), 'utf8'), 'new\n');
  });

  test('a link at one is put back when it was changed, and what it leads to cannot be changed', async () => {
    using files = tree({ 'agents/hooks': 'old', 'evil/hooks': 'x' });
    symlinkSync('agents', files.at('.claude'));
    const result = await run(
      files.path,
      'echo new > .claude/hooks; echo new > agents/hooks; ln -sfn evil .claude',
    );
    assert.deepEqual(namesIn(result, files), ['.claude']);
    assert.equal(readlinkSync(files.at('.claude')), 'agents');
    assert.equal(readFileSync(files.at('agents/hooks'), 'utf8'), 'old');
  });

  test('repositories: nested, bare, by a common folder, and made of a folder of the user', async () => {
    using files = tree({ 'src/own': 'mine' });
    const script = [
      ...[
        'git init -q one',
        'git init -q --bare two',
        'mkdir three',
        'echo "ref: x" > three/HEAD',
        'touch three/commondir',
      ],
      ...[
        'mkdir src/objects src/refs',
        'echo "ref: x" > src/HEAD',
        'mkdir objects refs',
        'echo "ref: x" > HEAD',
      ],
    ];
    const result = await run(files.path, script.join('; '));
    assert.deepEqual(namesIn(result, files), ['HEAD', 'one/.git', 'src/HEAD', 'three', 'two']);
    assert.equal(readFileSync(files.at('src/own'), 'utf8'), 'mine');
    const allowed = await run(
      files.path,
      'git init -q four && git init -q --bare five && touch four/.npmrc',
      { mayCreateRepositories: true },
    );
    assert.deepEqual(namesIn(allowed, files), ['four/.npmrc']);
    assert.ok(existsSync(files.at('four/.git/HEAD')) && existsSync(files.at('five/HEAD')));
    await run(files.path, 'echo x >> four/.git/config; echo x >> five/config');
    assert.doesNotMatch(
      readFileSync(files.at('four/.git/config'), 'utf8') + readFileSync(files.at('five/config'), 'utf8'),
      /^x$/m,
    );
  });

  test('what cannot be looked into is moved aside as well', async () => {
    using files = tree({ file: 'x' });
    const deep =
      'for i in $(seq 1 30); do mkdir -p $(printf "%0200d" 0) && cd $(printf "%0200d" 0); done; git init -q x; pwd | wc -c';
    const result = await run(
      files.path,
      `mkdir -p $'a\\xff/.git'; (${deep}); chmod 311 file 2>/dev/null; true`,
    );
    assert.equal(result.rejected?.length, 2, JSON.stringify(result.rejected));
    assert.deepEqual(
      readdirSync(files.path).filter((name) => name.startsWith('a')),
      [],
    );
  });

  test('two commands at the same time: neither is missed, and both hear of it', async () => {
    using files = tree({ file: 'x' });
    const long = run(
      files.path,
      'mkdir one; touch one/.env started; while ! test -e go; do sleep 0.02; done',
    );
    await until(() => existsSync(files.at('started')));
    const short = await run(files.path, 'touch .npmrc');
    assert.deepEqual(namesIn(short, files), ['.npmrc', 'one/.env']);
    writeFileSync(files.at('go'), '');
    assert.deepEqual(namesIn(await long, files), ['.npmrc', 'one/.env']);
    assert.deepEqual([existsSync(files.at('one/.env')), existsSync(files.at('.npmrc'))], [false, false]);
  });

  test('a process that is talked with is watched while it lasts', async () => {
    using files = tree({ file: 'x' });
    const sandbox = await open(files.path);
    const live = await sandbox.start({
      program: 'sh',
      arguments: ['-c', 'touch .envrc; cat'],
      folder: files.path,
    });
    await until(() => existsSync(files.at('.envrc')));
    await until(() => !existsSync(files.at('.envrc')));
    await live.kill();
    assert.deepEqual(namesIn(await live.ended, files), ['.envrc']);
    await sandbox.close();
  });

  test('what a person makes between two commands stays', async () => {
    using files = tree({ file: 'x' });
    await run(files.path, 'true');
    files.write('.env', 'mine');
    mkdirSync(files.at('sub/.vscode'), { recursive: true });
    const result = await run(files.path, 'mkdir more; touch more/x; echo new > .env; touch sub/.vscode/x');
    assert.deepEqual(namesIn(result, files), []);
    assert.equal(readFileSync(files.at('.env'), 'utf8'), 'mine');
    assert.deepEqual(readdirSync(files.at('sub/.vscode')), []);
  });

  test('what a killed process left is found by the next one', async () => {
    using files = tree({ 'work/.env': 'mine', 'work/sub/file': 'x' });
    const rejected = files.at('rejected');
    const program = `
      import { createProcessSandboxes } from ${JSON.stringify(sourceFile('src/sandboxes/bubblewrap-provider.ts'))};
      const grant = { read: [], write: [${JSON.stringify(files.at('work'))}], hosts: [], environment: { PATH: '/usr/bin:/bin' } };
      const sandbox = await createProcessSandboxes({ rejected: ${JSON.stringify(rejected)} }).open(grant);
      const live = await sandbox.start({ program: 'sh', arguments: ['-c', 'touch sub/.npmrc; echo made; cat'], folder: grant.write[0] });
      for await (const _ of live.output) process.kill(process.pid, 'SIGKILL');
    `;
    spawnSync(process.execPath, ['--input-type=module', '-e', program]);
    assert.ok(existsSync(files.at('work/sub/.npmrc')));
    const result = await run(files.at('work'), 'true', {}, rejected);
    assert.deepEqual(
      result.rejected?.map(({ path }) => path),
      [files.at('work/sub/.npmrc')],
    );
    assert.deepEqual(readdirSync(files.at('work')).sort(), ['.env', 'sub']);
  });

  test('a linked .skilled is refused', async () => {
    using files = tree({ 'elsewhere/settings.json': '{}' });
    symlinkSync('elsewhere', files.at('.skilled'));
    await assert.rejects(run(files.path, 'true'), { code: 'policy.denied', message: /\.skilled" is a link/ });
  });
});

describe('files that people run later', { skip: withoutBubblewrap }, () => {
  test('are named when a command changes or makes them; others are not, nor are those of packages', async () => {
    using files = tree({
      'package.json': '{}',
      Makefile: 'all:\n',
      'lib/sum.test.ts': 'old',
      'lib/sum.ts': 'old',
      'node_modules/x/package.json': '{}',
    });
    const script =
      'echo "{ }" > package.json; echo new > lib/sum.test.ts; echo new > lib/sum.ts; ' +
      'mkdir tools; echo new > tools/build.sh; echo new > node_modules/x/package.json';
    const { changedPrograms = [] } = await run(files.path, script);
    const names = changedPrograms.map((path) => path.slice(files.path.length + 1)).sort();
    assert.deepEqual(names, ['lib/sum.test.ts', 'package.json', 'tools/build.sh']);
    assert.equal((await run(files.path, 'cat Makefile')).changedPrograms, undefined);
  });
});

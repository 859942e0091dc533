import assert from 'node:assert/strict';
import { chmodSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { createProgramHome, plantedFiles, plantedText } from '../../../test/support/home-programs.ts';
import type { Grant, ProcessResult } from '../../core/sandbox.ts';
import { createProcessSandboxes } from '../bubblewrap-provider.ts';

const never = new AbortController().signal;

async function run(
  home: { readonly path: string; readonly searchPath: string },
  script: string,
  more: Partial<Grant> = {},
): Promise<ProcessResult> {
  const environment = { PATH: home.searchPath, HOME: home.path };
  const grant: Grant = { read: [], write: [], hosts: [], environment, ...more };
  const sandbox = await createProcessSandboxes().open(grant);
  try {
    return await sandbox.run({ program: 'sh', arguments: ['-c', script] }, never);
  } finally {
    await sandbox.close();
  }
}

describe('programs in a home folder', { skip: withoutBubblewrap, concurrency: 2 }, () => {
  for (const [what, command, output] of [
    ['pyenv, through its shims', 'python3 -c "print(1 + 1)"', 'pyenv-python\n2\n'],
    ['nvm', 'node -p 1+1', 'nvm-node\n2\n'],
    ['cargo, through rustup', 'cargo', 'cargo-tool stable\n'],
    ['pipx, through a link', 'tool', 'pipx-tool\n'],
    ['its bin folder', 'mine', 'mine\n'],
    ['a link in its bin folder', 'report', 'report\n'],
  ] as const) {
    test(`run if they come from ${what}`, async () => {
      using home = createProgramHome();
      const { stdout, stderr } = await run(home, command);
      assert.equal(stdout, output, stderr);
    });
  }

  test('come without the credentials beside them', async () => {
    using home = createProgramHome();
    const files = plantedFiles.map((path) => `'${home.at(path)}'`).join(' ');
    const all = `grep -rs ${plantedText} ${home.path} ~; cat ${files} 2>/dev/null; echo end`;
    assert.equal((await run(home, all)).stdout, 'end\n');
    const entries = `ls -A ${home.path} ${home.at('.cargo')} ${home.at('documents')}`;
    assert.deepEqual(
      (await run(home, entries)).stdout.split('\n').filter((line) => /^[.a-z]+$/.test(line)),
      [...['.cargo', '.local', '.nvm', '.pyenv', '.rustup', 'bin', 'documents'], ...['bin', 'report']],
    );
  });

  test('cannot be changed', async () => {
    using home = createProgramHome();
    const change = `echo x > ${home.at('.cargo/bin/x')} || echo x >> ${home.at('bin/mine')} || echo refused`;
    assert.equal((await run(home, change)).stdout, 'refused\n');
  });

  test('are hidden with sockets beside them', async () => {
    using home = createProgramHome();
    const { createServer } = await import('node:net');
    const server = createServer((socket) => socket.end('answer')).listen(home.at('.pyenv/plugins.sock'));
    const code = `require('net').connect('${home.at('.pyenv/plugins.sock')}').on('error', ({ code }) => console.log(code)).on('data', console.log)`;
    const { stdout } = await run(home, `${process.execPath} -e "${code}"`);
    server.close();
    assert.match(stdout, /^E[A-Z]+\n$/);
  });

  test('stay as granted where a grant shows their folder', async () => {
    using home = createProgramHome();
    const script = `cat ${home.at('.cargo/bin/token.json')}; echo x > ${home.at('.cargo/x')}; mine`;
    const { stdout, stderr } = await run(home, script, { write: [home.at('.cargo')] });
    assert.equal(stdout, `${plantedText}\nmine\n`, stderr);
  });

  test('that are not visible are named with their folder and how to grant it', async () => {
    using home = createProgramHome();
    const { exitCode, stderr } = await run(home, 'hidden-tool');
    assert.equal(exitCode, 127);
    assert.ok(stderr.includes(`"hidden-tool" is in ${home.at('tools')}`), stderr);
    assert.match(stderr, /skills\.entries\.<name>\.read/);
    const inPython = await run(
      home,
      `/usr/bin/python3 -c "import subprocess; subprocess.run(['hidden-tool'])"`,
    );
    assert.ok(inPython.stderr.includes(`"hidden-tool" is in ${home.at('tools')}`), inPython.stderr);
    assert.equal((await run(home, 'hidden-tool', { read: [home.at('tools')] })).stdout, 'never\n');
    const { stderr: other } = await run(home, 'no-such-tool letter.txt');
    assert.doesNotMatch(other, /skilled:/);
  });

  test('that are not visible fail to start with the folder in the hint', async () => {
    using home = createProgramHome();
    const environment = { PATH: home.searchPath, HOME: home.path };
    const sandbox = await createProcessSandboxes().open({ read: [], write: [], hosts: [], environment });
    const missing = sandbox.run({ program: 'hidden-tool', arguments: [] }, never);
    await assert.rejects(missing, {
      code: 'usage.not-found',
      details: { program: 'hidden-tool', folder: home.at('tools') },
    });
    await sandbox.close();
  });

  test('run if the home folder is a symbolic link', async () => {
    using home = createProgramHome();
    const alias = `${home.path}-alias`;
    symlinkSync(home.path, alias);
    const linked = { path: alias, searchPath: home.searchPath.replaceAll(home.path, alias) };
    const { stdout, stderr } = await run(linked, 'python3 -c "print(1 + 1)"; mine; tool');
    assert.equal(stdout, 'pyenv-python\n2\nmine\npipx-tool\n', stderr);
  });

  test('in a folder that every user can change are not shown', async () => {
    using home = createProgramHome();
    chmodSync(home.at('bin'), 0o777);
    assert.equal((await run(home, 'mine')).exitCode, 127);
  });
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, linkSync, mkdirSync, renameSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { tree } from '../../../test/support/tree.ts';
import { createProcessSandboxes } from '../bubblewrap-provider.ts';
import { readOpenSockets, readSocketList } from './open-sockets.ts';
import { findHostSockets } from './sockets.ts';

async function listen(path: string): Promise<Server> {
  const server = createServer().listen(path);
  await once(server, 'listening');
  return server;
}

/** Starts a process that listens on a relative name in a folder, and then works in another folder. */
async function listenIn(folder: string, name: string, next = folder): Promise<AsyncDisposable> {
  const script = `
    process.chdir(process.argv[1]);
    require('node:net').createServer().listen(process.argv[2], () => {
      process.chdir(process.argv[3]);
      console.log('listening');
    });
  `;
  const child = spawn(process.execPath, ['--eval', script, folder, name, next]);
  await once(child.stdout, 'data');
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

const search = (folder: string): Promise<readonly string[]> =>
  findHostSockets({ found: [], folders: [folder] });

const tag = `${process.pid}.sock`;

/** Limits the search to two folders, and the kernel's list to sockets whose names end with the tag. */
const limited = {
  most: 2,
  list: () => readOpenSockets(readSocketList()?.replace(new RegExp(`^.*(?<!${tag})\\n`, 'gm'), '')),
};

test('finds the sockets that are open, at every depth and after their folder was moved', async () => {
  using files = tree({ 'a/b/file': 'x' });
  await using _one = await listen(files.at('one.sock'));
  await using _two = await listen(files.at('a/b/two.sock'));
  const expected = ['one.sock', 'a/b/two.sock'].map((name) => files.at(name));
  const folders = [files.path, files.at('a/b/file'), files.at('none')];
  assert.deepEqual(await findHostSockets({ found: [], folders }), expected);
  renameSync(files.at('a'), files.at('moved'));
  const moved = ['one.sock', 'moved/b/two.sock'].map((name) => files.at(name));
  assert.deepEqual(await search(files.path), moved);
});

test('finds a socket with a second name, and one that was opened under a longer name', async () => {
  using files = tree({});
  await using _linked = await listen(files.at('linked'));
  await using _longer = await listen(files.at('control.x7Yp'));
  linkSync(files.at('linked'), files.at('other'));
  renameSync(files.at('control.x7Yp'), files.at('control'));
  assert.deepEqual(
    (await search(files.path)).toSorted(),
    ['control', 'linked', 'other'].map((name) => files.at(name)),
  );
});

test('leaves out sockets that nothing listens on, and other files', async () => {
  using files = tree({ file: 'x' });
  const server = await listen(files.at('closed.sock'));
  renameSync(files.at('closed.sock'), files.at('left.sock')); // so that closing does not remove it
  await server[Symbol.asyncDispose]();
  const found = [files.at('left.sock'), files.at('file')];
  assert.deepEqual(await findHostSockets({ found, folders: [files.path] }), []);
});

test('finds sockets among the objects of git', async () => {
  using files = tree({ '.git/HEAD': 'x' });
  mkdirSync(files.at('.git/objects/aa'), { recursive: true });
  await using _server = await listen(files.at('.git/objects/aa/open.sock'));
  assert.deepEqual(await search(files.path), [files.at('.git/objects/aa/open.sock')]);
});

test('in a folder with many folders, finds a socket with a relative name', async () => {
  using files = tree({});
  for (let index = 0; index < 600; index += 1) mkdirSync(files.at(`folders/${index}`), { recursive: true });
  mkdirSync(files.at('folders/1/deep'));
  await using _server = await listenIn(files.at('folders/1/deep'), 'app.sock', '/');
  assert.deepEqual(await search(files.path), [files.at('folders/1/deep/app.sock')]);
});

test('beyond the limit, finds the sockets that the kernel lists and locates relative names', async () => {
  using files = tree({ 'a/b/c/file': 'x', 'a/other/file': 'x' });
  await using _absolute = await listen(files.at(`a/other/one-${tag}`));
  await using _relative = await listenIn(files.at('a/b/c'), `two-${tag}`);
  const expected = [`a/b/c/two-${tag}`, `a/other/one-${tag}`].map((name) => files.at(name));
  assert.deepEqual(
    (await findHostSockets({ found: [], folders: [files.path] }, limited)).toSorted(),
    expected,
  );
});

test('beyond the limit, refuses a sandbox if a relative name cannot be located', async () => {
  using files = tree({ 'a/b/file': 'x', 'next/file': 'x' });
  await using _lost = await listenIn(files.at('a/b'), `lost-${tag}`, files.at('next'));
  const fault = { code: 'sandbox.unavailable', details: { folder: files.path, socket: `lost-${tag}` } };
  await assert.rejects(findHostSockets({ found: [], folders: [files.path] }, limited), fault);
  const incomplete = [files.path];
  await assert.rejects(findHostSockets({ found: [], folders: [], incomplete }, limited), fault);
});

test('a folder that can be entered but not listed counts as not searched', async () => {
  // Root can list every folder. bubblewrap-provider.user.test.ts runs this file as an ordinary user.
  if (process.getuid?.() === 0) return;
  using files = tree({ 'a/file': 'x' });
  await using _server = await listen(files.at(`a/app-${tag}`));
  chmodSync(files.at('a'), 0o100);
  const found = await findHostSockets({ found: [], folders: [files.path] }, limited);
  chmodSync(files.at('a'), 0o700);
  assert.deepEqual(found, [files.at(`a/app-${tag}`)]);
});

describe('a sandboxed command', { skip: withoutBubblewrap }, () => {
  test('cannot connect to sockets in git objects or in folders with many subfolders', async () => {
    using files = tree({ 'work/.git/HEAD': 'ref: refs/heads/main\n', 'work/.git/config': '' });
    mkdirSync(files.at('work/.git/objects/aa'), { recursive: true });
    mkdirSync(files.at('work/.git/refs'));
    for (let index = 0; index < 600; index += 1) mkdirSync(files.at(`read/${index}`), { recursive: true });
    await using _one = await listen(files.at('work/.git/objects/aa/one.sock'));
    await using _two = await listenIn(files.at('read/599'), 'two.sock', '/');
    const sandbox = await createProcessSandboxes().open({
      read: [files.at('read')],
      write: [files.at('work')],
      hosts: [],
      environment: { PATH: '/usr/bin:/bin' },
    });
    try {
      for (const path of [files.at('work/.git/objects/aa/one.sock'), files.at('read/599/two.sock')]) {
        const script = `require('node:net').connect(process.argv[1])
          .on('connect', () => { console.log('connected'); process.exit() })
          .on('error', (fault) => console.log(fault.code))`;
        const command = { program: process.execPath, arguments: ['--eval', script, path] };
        const { stdout } = await sandbox.run(command, new AbortController().signal);
        assert.match(stdout, /^E[A-Z]+$/m, path);
      }
    } finally {
      await sandbox.close();
    }
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { linkSync, mkdirSync, renameSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { findHostSockets } from './sockets.ts';

async function listen(path: string): Promise<Server> {
  const server = createServer().listen(path);
  await once(server, 'listening');
  return server;
}

test('finds the sockets that are open, at every depth and after their folder was moved', async () => {
  using files = tree({ 'a/b/file': 'x' });
  await using _one = await listen(files.at('one.sock'));
  await using _two = await listen(files.at('a/b/two.sock'));
  const expected = ['one.sock', 'a/b/two.sock'].map((name) => files.at(name));
  assert.deepEqual(findHostSockets([], [files.path, files.at('a/b/file'), files.at('none')]), expected);
  renameSync(files.at('a'), files.at('moved'));
  const moved = ['one.sock', 'moved/b/two.sock'].map((name) => files.at(name));
  assert.deepEqual(findHostSockets([], [files.path]), moved);
});

test('finds a socket with a second name, and one that was opened under a longer name', async () => {
  using files = tree({});
  await using _linked = await listen(files.at('linked'));
  await using _longer = await listen(files.at('control.x7Yp'));
  linkSync(files.at('linked'), files.at('other'));
  renameSync(files.at('control.x7Yp'), files.at('control'));
  assert.deepEqual(
    findHostSockets([], [files.path]).toSorted(),
    ['control', 'linked', 'other'].map((name) => files.at(name)),
  );
});

test('leaves out sockets that nothing listens on, objects of git and other files', async () => {
  using files = tree({ file: 'x' });
  mkdirSync(files.at('.git/objects/aa'), { recursive: true });
  await using _git = await listen(files.at('.git/objects/aa/open.sock'));
  const server = await listen(files.at('closed.sock'));
  renameSync(files.at('closed.sock'), files.at('left.sock')); // so that closing does not remove it
  await server[Symbol.asyncDispose]();
  assert.deepEqual(findHostSockets([files.at('left.sock'), files.at('file')], [files.path]), []);
});

test('in a folder with very many folders, finds the sockets that the kernel lists', async () => {
  using files = tree({});
  for (let index = 0; index < 600; index += 1) mkdirSync(files.at(`folders/${index}`), { recursive: true });
  mkdirSync(files.at('folders/1/deep'));
  await using _deep = await listen(files.at('folders/1/deep/app.sock'));
  assert.deepEqual(findHostSockets([], [files.path]), [files.at('folders/1/deep/app.sock')]);
});

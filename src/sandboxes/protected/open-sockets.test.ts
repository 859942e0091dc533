import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { readOpenSockets } from './open-sockets.ts';

const header = 'Num       RefCount Protocol Flags    Type St Inode Path\n';
const socket = (name: string, type = '0001', state = '01'): string =>
  `0000000076ea47d0: 00000002 00000000 00010000 ${type} ${state}  1601 ${name}\n`;

test('locates absolute names whose folders exist, and reports relative names of unknown processes', () => {
  using files = tree({ 'a/file': 'x' });
  const absolute = [files.at('a/one.sock'), files.at('none/two.sock')];
  const list = header + [...absolute, 'relative name', '@abstract'].map((name) => socket(name)).join('');
  assert.deepEqual(readOpenSockets(list).locate(), {
    paths: absolute.slice(0, 1),
    unknown: ['relative name'],
  });
});

test('ignores the connections of a server, but not those of sockets without connections', () => {
  const list = header + socket('stream', '0001', '03') + socket('datagram', '0002', '03');
  assert.deepEqual(readOpenSockets(list).locate()?.unknown, ['datagram']);
});

test('a name that is not valid UTF-8 does not tell where its socket is', () => {
  const list = header + socket('/tmp/a\u{fffd}.sock');
  assert.deepEqual(readOpenSockets(list).locate(), { paths: [], unknown: ['/tmp/a\u{fffd}.sock'] });
});

test('compares file names, also with the start of a longer name', () => {
  const open = readOpenSockets(header + socket('/run/app.sock') + socket('plain') + socket('x/control.Xy7'));
  const names = ['app.sock', 'plain', 'control', 'sock', 'other'];
  assert.deepEqual(
    names.map((name) => open.hasName(name)),
    [true, true, true, false, false],
  );
});

import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { tree } from '../../../test/support/tree.ts';
import { fingerprint, isRacy, isUnchanged, statsOf, type Fingerprint } from './fingerprint.ts';

/** Returns a file's fingerprint as of an hour later, so that its timestamps are reliable. */
function settledPrint(path: string): Fingerprint {
  return fingerprint(statSync(path), Date.now() + 3_600_000);
}

test('a file that no one touched is unchanged', () => {
  using base = tree({ file: 'text' });
  assert.ok(isUnchanged(settledPrint(base.at('file')), base.at('file')));
});

const changes: Record<string, (file: string) => void> = {
  'other content of the same length with the old time stamp': (file) => {
    const { atime, mtime } = statSync(file);
    writeFileSync(file, 'tset');
    utimesSync(file, atime, mtime);
  },
  'another file in its place with the old time stamp': (file) => {
    const { atime, mtime } = statSync(file);
    writeFileSync(`${file}~`, 'tset');
    utimesSync(`${file}~`, atime, mtime);
    renameSync(`${file}~`, file);
  },
  'a second name': (file) => linkSync(file, `${file}-2`),
  'other permissions': (file) => chmodSync(file, 0o600),
  'its removal': (file) => rmSync(file),
};
for (const [what, change] of Object.entries(changes)) {
  test(`${what} counts as a change`, async () => {
    using base = tree({ file: 'text' });
    chmodSync(base.at('file'), 0o644);
    const before = settledPrint(base.at('file'));
    await pause(20); // longer than the resolution of the file system's clock
    change(base.at('file'));
    assert.equal(isUnchanged(before, base.at('file')), false);
  });
}

test('every stamp counts', () => {
  using base = tree({ file: 'text' });
  const print = settledPrint(base.at('file'));
  for (const stamp of ['ino', 'size', 'mtime', 'ctime', 'birth'] as const) {
    assert.equal(isUnchanged({ ...print, [stamp]: print[stamp] - 1 }, base.at('file')), false, stamp);
  }
});

test('what was looked at within the grain of its time stamp is in doubt', () => {
  const stamps = (newest: number): { mtime: number; ctime: number } => ({ mtime: 0, ctime: newest });
  assert.deepEqual(
    [
      isRacy(stamps(10_123.5), 10_200),
      isRacy(stamps(10_123.5), 10_224),
      isRacy({ mtime: 10_123.5, ctime: 0 }, 10_200),
    ],
    [true, false, true],
  );
  // A timestamp in whole seconds may come from a file system without finer ones.
  assert.deepEqual([isRacy(stamps(10_000), 11_900), isRacy(stamps(10_000), 12_000)], [true, false]);
  // A timestamp in the future never becomes reliable.
  assert.ok(isRacy(stamps(99_999.5), 10_000));
});

test('a fresh file counts as changed although its stamps are the same', () => {
  using base = tree();
  const stats = statSync(base.write('file', 'text'));
  assert.equal(isUnchanged(fingerprint(stats, stats.ctimeMs), base.at('file')), false);
});

test('what cannot be looked at counts as changed and never throws', () => {
  using base = tree({ file: 'text' });
  const before = settledPrint(base.at('file'));
  symlinkSync('loop', base.at('loop'));
  for (const path of ['loop', 'loop/x', 'file/x', 'missing', `file${'x'.repeat(300)}`]) {
    assert.equal(isUnchanged(before, base.at(path)), false);
    assert.equal(statsOf(base.at(path)), undefined);
  }
});

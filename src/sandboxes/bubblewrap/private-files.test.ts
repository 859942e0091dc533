import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSyscallFilter } from './private-files.ts';

const allowed = 0x7fff_0000;
const refused = 0x0005_0001;
const unknown = 0x0005_0026;

/** Returns the kernel's answer to a system call, by interpreting the filter's instructions. */
function answer(filter: Buffer, architecture: number, number: number, args: readonly number[] = []): number {
  const given = new Map([
    [0, number],
    [4, architecture],
    ...args.map((value, index): [number, number] => [16 + 4 * index, value]),
  ]);
  let loaded = 0;
  for (let at = 0; ; at += 1) {
    const [code, value] = [filter.readUInt16LE(at * 8), filter.readUInt32LE(at * 8 + 4)];
    if (code === 0x06) return value;
    if (code === 0x20) loaded = given.get(value) ?? assert.fail(`reads at ${value}`);
    else at += filter.readUInt8(at * 8 + ((code === 0x15 ? loaded === value : loaded >= value) ? 2 : 3));
  }
}

for (const { processor, architecture, open, keyctl, socket, shmget, memfd } of [
  { processor: 'x64', architecture: 0xc000_003e, open: 257, keyctl: 250, socket: 41, shmget: 29, memfd: 319 },
  {
    processor: 'arm64',
    architecture: 0xc000_00b7,
    open: 56,
    keyctl: 219,
    socket: 198,
    shmget: 194,
    memfd: 279,
  },
]) {
  test(`on ${processor}, calls are refused that no namespace keeps inside`, () => {
    const filter = buildSyscallFilter(processor) ?? assert.fail();
    assert.equal(answer(filter, architecture, open), allowed);
    assert.equal(answer(filter, architecture, keyctl), refused);
    assert.equal(answer(filter, architecture, 425), refused);
    for (const family of [1, 2, 10, 16])
      assert.equal(answer(filter, architecture, socket, [family]), allowed);
    for (const family of [38, 40, 17])
      assert.equal(answer(filter, architecture, socket, [family]), 0x0005_0061);
    const segment = (low: number, high: number): number =>
      answer(filter, architecture, shmget, [0, 0, low, high]);
    assert.deepEqual([segment(0, 0), segment(4096, 0)], [allowed, allowed]);
    assert.deepEqual([segment(4097, 0), segment(0, 1), segment(2 ** 32 - 1, 0)], [unknown, unknown, unknown]);
    assert.equal(answer(filter, architecture, memfd), unknown);
    assert.equal(answer(filter, architecture, 0x4000_0000 + open), unknown);
    assert.equal(answer(filter, 0x4000_0003, 5), unknown);
  });
}

test('there is none for a processor that is not known', () => {
  assert.equal(buildSyscallFilter('mips'), undefined);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createLoops, type Counts, type Loop, type StressOrder } from './loops.ts';

const counts: Counts = { small: 3, full: 10 };

/** Loops of a file whose clock only moves when a test moves it. */
function open(order: Partial<StressOrder>, file = 'src/a.stress.ts') {
  const clock = { now: 0 };
  const loops = createLoops(
    { mode: 'budget', seed: 1, seconds: 10, ...order },
    { file, now: () => clock.now },
  );
  return { loops, clock, createLoop: loops.createLoop };
}

/** The numbers and seeds of all rounds of a loop, each of which takes a second. */
async function collectRounds(
  loop: Loop,
  clock: { now: number },
): Promise<readonly (readonly [number, number])[]> {
  const list: [number, number][] = [];
  await loop.rounds(({ number, seed }) => {
    list.push([number, seed]);
    clock.now += 1_000;
  });
  return list;
}

describe('rounds', () => {
  test('are counted under npm test and with full counts, however long they take', async () => {
    for (const [mode, count] of [
      ['small', 3],
      ['full', 10],
    ] as const) {
      const { createLoop, clock } = open({ mode, seconds: 1 });
      assert.equal((await collectRounds(createLoop(counts), clock)).length, count);
    }
  });

  test('continue until the time is up', async () => {
    const { createLoop, clock } = open({});
    assert.equal((await collectRounds(createLoop(counts), clock)).length, 10);
    assert.equal(clock.now, 10_000);
  });

  test('are at least as many as under npm test, and at least one', async () => {
    const { createLoop, clock } = open({ seconds: 0.5 });
    assert.equal((await collectRounds(createLoop(counts), clock)).length, 3);
    assert.equal((await collectRounds(createLoop({ small: 0, full: 5 }), clock)).length, 1);
  });

  test('of several loops share the time by weight, and what one leaves is for the others', async () => {
    const { createLoop, clock } = open({ seconds: 30 });
    const [early, half, last] = [1, 2, 1].map((weight) => createLoop({ small: 1, full: 10, weight }));
    await early?.each([1, 2], () => void (clock.now += 1_000)); // it could take 7.5 seconds
    assert.equal((await collectRounds(half!, clock)).length, 19);
    assert.equal((await collectRounds(last!, clock)).length, 9);
  });

  test('run in lanes, and end together when one fails', async () => {
    const { createLoop } = open({ mode: 'full' });
    let [most, now, begun] = [0, 0, 0];
    const loop = createLoop({ ...counts, lanes: 2 }).rounds(async ({ number }) => {
      begun += 1;
      most = Math.max(most, (now += 1));
      await new Promise(setImmediate);
      now -= 1;
      assert.ok(number < 4);
    });
    await assert.rejects(loop);
    assert.deepEqual([most, now, begun], [2, 0, 6]);
  });
});

describe('the seed of a round', () => {
  test('is the same for the same master seed, in every mode', async () => {
    const lists = await Promise.all(
      (['small', 'full', 'budget'] as const).map((mode) => {
        const { createLoop, clock } = open({ mode });
        return collectRounds(createLoop(counts), clock);
      }),
    );
    const [small, full, budget] = lists;
    assert.deepEqual(full?.slice(0, 3), small);
    assert.deepEqual(budget, full);
  });

  test('differs between master seeds, files, loops and rounds', async () => {
    const seeds: number[] = [];
    for (const [seed, file] of [
      [1, 'a'],
      [2, 'a'],
      [1, 'b'],
    ] as const) {
      const { createLoop, clock } = open({ seed, mode: 'full' }, file);
      for (const loop of [createLoop(counts), createLoop(counts)])
        for (const [, derived] of await collectRounds(loop, clock)) seeds.push(derived);
    }
    assert.equal(new Set(seeds).size, 60);
  });

  test('gives the same random numbers when the round is repeated alone', async () => {
    const draw = async (order: Partial<StressOrder>): Promise<readonly (readonly number[])[]> => {
      const drawn: number[][] = [];
      await open(order)
        .createLoop(counts)
        .rounds(({ random }) => void drawn.push([random.below(1_000), random.below(1_000)]));
      return drawn;
    };
    const all = await draw({ mode: 'full' });
    assert.deepEqual(await draw({ round: 7 }), [all[7]]);
  });
});

describe('items', () => {
  const items = Array.from({ length: 50 }, (_, index) => index);
  const chosen = async (order: Partial<StressOrder>): Promise<readonly number[]> => {
    const { createLoop, clock } = open(order);
    const list: number[] = [];
    await createLoop({ small: 5, full: 50 }).each(items, (item, { number }) => {
      assert.equal(item, number);
      list.push(item);
      clock.now += 1_000;
    });
    return list;
  };

  test('are spread evenly by count, and all of them where the count is large', async () => {
    assert.deepEqual(await chosen({ mode: 'small' }), [0, 11, 20, 31, 40]);
    assert.deepEqual(await chosen({ mode: 'full' }), items);
  });

  test('are random ones until the time is up, the same for the same seed', async () => {
    const first = await chosen({});
    assert.equal(first.length, 10);
    assert.equal(new Set(first).size, 10);
    assert.deepEqual(await chosen({}), first);
    assert.notDeepEqual(await chosen({ seed: 2 }), first);
    assert.deepEqual(
      (await chosen({ seconds: 100 })).toSorted((a, b) => a - b),
      items,
    );
  });

  test('are repeated alone', async () => {
    assert.deepEqual(await chosen({ round: 31 }), [31]);
    assert.deepEqual(await chosen({ round: 50 }), []);
  });
});

describe('sizes', () => {
  const sizes = async (order: Partial<StressOrder>): Promise<readonly number[]> => {
    const { createLoop, clock } = open(order);
    const list: number[] = [];
    await createLoop({ small: 100, full: 1_000 }).sizes((size) => {
      list.push(size);
      clock.now += 10 * size;
    });
    return list;
  };

  test('are counts, or double for as long as the next one fits into the time', async () => {
    assert.deepEqual(await sizes({ mode: 'small' }), [100]);
    assert.deepEqual(await sizes({ mode: 'full' }), [1_000]);
    assert.deepEqual(await sizes({ seconds: 100 }), [100, 200, 400, 800, 1_000]);
    assert.deepEqual(await sizes({ seconds: 8 }), [100, 200, 400]);
    assert.deepEqual(await sizes({ seconds: 0 }), [100]);
    assert.deepEqual(await sizes({ round: 3 }), [800]);
  });
});

describe('runs of fast-check', () => {
  const values = (order: Partial<StressOrder>, fails: (value: number) => boolean = () => false) => {
    const { loops, clock, createLoop } = open(order);
    const list: number[] = [];
    const property = fc.property(fc.nat(), (value) => {
      list.push(value);
      clock.now += 1_000;
      return !fails(value);
    });
    fc.assert(property, createLoop(counts).runs());
    return { list, rounds: loops.rounds };
  };

  test('are counted, or continue until the time is up', () => {
    assert.equal(values({ mode: 'small' }).list.length, 3);
    assert.equal(values({ mode: 'full' }).list.length, 10);
    const { list, rounds } = values({ seconds: 20 });
    assert.deepEqual([list.length, rounds], [20, 20]);
    assert.equal(values({ seconds: 0 }).list.length, 3);
  });

  test('have the same values for the same seed, together and alone', () => {
    const { list } = values({ mode: 'full' });
    assert.deepEqual(values({}).list, list);
    assert.deepEqual(values({ round: 6 }).list, [list[6]]);
    assert.notDeepEqual(values({ seed: 2 }).list, list);
  });

  test('are not abandoned when the time is up', async () => {
    const { createLoop, clock } = open({ seconds: 2 });
    let [begun, ended] = [0, 0];
    const property = fc.asyncProperty(fc.nat(), async () => {
      begun += 1;
      clock.now += 1_000;
      await new Promise((resolve) => setTimeout(resolve, 5));
      ended += 1;
    });
    await fc.assert(property, createLoop({ small: 1, full: 10 }).runs());
    assert.deepEqual([begun, ended], [2, 2]);
  });

  test('name the one that failed, which is made smaller by later ones', () => {
    const failing = values({ mode: 'full' }).list.findIndex((value) => value > 10);
    const expected = new RegExp(`\\[11\\][^]*--full --seed 1 --round ${failing} src/a.stress.ts$`);
    const check = (order: Partial<StressOrder>) => () => values(order, (value) => value > 10);
    assert.throws(check({ mode: 'full' }), { message: expected });
    assert.throws(check({ mode: 'full', round: failing }), { message: expected });
    assert.throws(check({ seconds: 0 })); // the time is up, and it stays as large as it is
  });
});

test('a round that fails names the command that repeats it', async () => {
  for (const [mode, command] of [
    ['small', 'npm run stress -- --seed 5 --round 2 src/a.stress.ts'],
    ['budget', 'npm run stress -- --seed 5 --round 2 src/a.stress.ts'],
    ['full', 'npm run stress -- --full --seed 5 --round 2 src/a.stress.ts'],
  ] as const) {
    const { loops, createLoop } = open({ mode, seed: 5 });
    const failing = createLoop(counts).rounds(({ number }) => assert.ok(number < 2));
    await assert.rejects(failing, { message: `Round 2 failed. Repeat it: ${command}` });
    assert.equal(loops.rounds, 2);
  }
});

test('a size is the full one with full counts alone', () => {
  const sizes = (['small', 'budget', 'full'] as const).map((mode) => {
    const { size, isLong } = open({ mode }).loops;
    return [size(counts), isLong];
  });
  assert.deepEqual(sizes, [
    [3, false],
    [3, true],
    [10, true],
  ]);
});

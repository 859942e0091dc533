import type { Random } from './random.ts';

const tokens = [
  ...[
    '@',
    '@a ',
    '@b ',
    '\n@a upper ',
    '\n@b mail ',
    '\n@c each $a ',
    '\n  @d add ',
    '\n@e final_answer ',
    '\n@',
  ],
  ...[
    '\n',
    '\n',
    '\r\n',
    '\r',
    '\n\n',
    ' ',
    ' ',
    '\t',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '\u200b',
    '\0',
    '\ud83d',
  ],
  ...['"', "'", '\\', '\\n', '"x y"', "'it\\'s'", '""', '#', ' # x', '\n# x\n', '\n#\n'],
  ...['$', '$a', ' $b', ' $a.b.0', ' $item', ' $index', ' $input', ' $__proto__', '$$'],
  ...[' when', ' not', ' when $a', ' when not $b', ' each', ' each $a', ' 1', ' 2', ' true', ' low', ' word'],
  ...['=', ' to=', ' to="', ' subject=$a', ' copies=["x"]', ' first=1', ' frist=1', ' urgency=hihg', ' =x'],
  ...[
    ' --begin-x--',
    '\n--begin-x--\n',
    '\n--end-x--\n',
    ' --begin-y--\n',
    '\n--end-y--',
    '--',
    '--begin-',
    '--end-',
  ],
];

/**
 * Creates a generator of scripts: noise, tokens in random order, and valid scripts with errors inserted. Most
 * scripts are short.
 */
export function createScripts(random: Random, good: readonly string[]): () => string {
  return () => {
    const kind = random.below(1_000);
    if (kind < 150) return makeNoise(random);
    if (kind < 500) return makeSoup(random);
    if (kind < 995) return breakScript(random, random.pick(good), good);
    return makeLong(random, good);
  };
}

function makeNoise(random: Random): string {
  const highest = random.pick([128, 256, 0x10000]);
  return repeat(random.below(80), () => String.fromCharCode(random.below(highest)));
}

function makeSoup(random: Random): string {
  const start = random.pick(['', '@a upper ', '@a list x\n@b mail to=$a ']);
  return start + repeat(random.below(25), () => random.pick(tokens));
}

function breakScript(random: Random, script: string, good: readonly string[]): string {
  let broken = script;
  for (let left = random.below(4); left >= 0; left--) {
    const from = random.below(broken.length + 1);
    const to = Math.min(broken.length, from + random.below(12));
    const head = broken.slice(0, from);
    const change = random.below(6);
    if (change === 0) broken = head + broken.slice(to);
    if (change === 1) broken = head + random.pick(tokens) + broken.slice(from);
    if (change === 2) broken = head + random.pick(tokens) + broken.slice(to);
    if (change === 3) broken = head + broken.slice(from, to).repeat(2) + broken.slice(to);
    if (change === 4) broken = head + random.pick(good).slice(random.below(20));
    if (change === 5) broken = head + String.fromCharCode(random.below(0x10000)) + broken.slice(from + 1);
  }
  return broken;
}

function makeLong(random: Random, good: readonly string[]): string {
  const unit = random.below(2) === 0 ? makeSoup(random) : breakScript(random, random.pick(good), good);
  return unit.repeat(Math.ceil(10_000 / (unit.length + 1))).slice(0, 10_000);
}

function repeat(count: number, make: () => string): string {
  return Array.from({ length: count }, make).join('');
}

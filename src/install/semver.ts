interface Version {
  readonly text: string;
  readonly numbers: readonly [number, number, number];
  /** The identifiers after a dash. Empty for a release. */
  readonly pre: readonly string[];
}

/** A version that must be greater, less or equal. */
interface Comparator {
  readonly sign: '<' | '<=' | '>' | '>=' | '=';
  readonly version: Version;
}

/**
 * Returns the newest version in a range as npm writes ranges: `1.2.3`, `^1.2`, `~1.2.3`, `1.x`, `>=1 <3`,
 * `1 - 2`, and alternatives with `||`. A version before a release matches only if the range names one with
 * the same numbers. Undefined if no version matches or the range is not understood. Pure.
 */
export function chooseVersion(versions: readonly string[], range: string): string | undefined {
  const alternatives = range.split('||').map((part) => readRange(part.trim()));
  const matching = versions
    .flatMap((text) => readVersion(text) ?? [])
    .filter((version) => alternatives.some((one) => one !== undefined && isWithin(version, one)));
  return matching.sort(compareVersions).at(-1)?.text;
}

function readVersion(text: string): Version | undefined {
  const [, major, minor, patch, pre] =
    /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { text, numbers: [Number(major), Number(minor), Number(patch)], pre: pre?.split('.') ?? [] };
}

function compareVersions(a: Version, b: Version): number {
  for (let index = 0; index < 3; index++) {
    const difference = (a.numbers[index] ?? 0) - (b.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let index = 0; index < Math.max(a.pre.length, b.pre.length); index++) {
    const difference = comparePre(a.pre[index], b.pre[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function comparePre(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  const [first, second] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (first && second) return Number(a) - Number(b);
  if (first !== second) return first ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

const signs: Readonly<Record<Comparator['sign'], (difference: number) => boolean>> = {
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
  '=': (difference) => difference === 0,
};

function isWithin(version: Version, range: readonly Comparator[]): boolean {
  const fits = range.every((one) => signs[one.sign](compareVersions(version, one.version)));
  if (!fits || version.pre.length === 0) return fits;
  return range.some(
    ({ version: { pre, numbers } }) =>
      pre.length > 0 && numbers.every((number, index) => number === version.numbers[index]),
  );
}

/** Reads comparators that must all match. Undefined if one is not understood. */
function readRange(text: string): readonly Comparator[] | undefined {
  const between = /^(\S+)\s+-\s+(\S+)$/.exec(text);
  const parts =
    between === null
      ? text.replace(/([<>=~^])\s+/g, '$1').split(/\s+/)
      : [`>=${between[1] ?? ''}`, `<=${between[2] ?? ''}`];
  const read = parts.map(readPart);
  return read.every((part) => part !== undefined) ? read.flat() : undefined;
}

function readPart(text: string): readonly Comparator[] | undefined {
  if (/^(?:[*xX]|latest)?$/.test(text)) return [];
  const [, sign = '', rest = ''] = /^(\^|~|<=|>=|<|>|=)?(.*)$/.exec(text) ?? [];
  const whole = readVersion(rest);
  const [, ...written] = /^v?(\d{1,9}|[*xX])(?:\.(\d{1,9}|[*xX]))?(?:\.(?:\d{1,9}|[*xX]))?$/.exec(rest) ?? [];
  const given = written as readonly (string | undefined)[];
  const numbers: readonly number[] =
    whole?.numbers ?? given.filter((part) => part !== undefined && /^\d/.test(part)).map(Number);
  if (numbers.length === 0) return undefined;
  const low: Version = whole ?? { text: rest, numbers: [numbers[0] ?? 0, numbers[1] ?? 0, 0], pre: [] };
  const count = whole === undefined ? numbers.length : 3;
  if (sign === '^') return [at('>=', low), at('<', next(low, caretLength(low, count)))];
  if (sign === '~') return [at('>=', low), at('<', next(low, Math.min(count, 2)))];
  if (count === 3) return [at(sign === '' ? '=' : (sign as Comparator['sign']), low)];
  const above = next(low, count);
  if (sign === '>') return [at('>=', above)];
  if (sign === '<=') return [at('<', above)];
  if (sign === '<' || sign === '>=') return [at(sign, low)];
  return [at('>=', low), at('<', above)];
}

function at(sign: Comparator['sign'], version: Version): Comparator {
  return { sign, version };
}

/** Returns how many numbers a caret keeps: up to the first one that is not zero. */
function caretLength({ numbers }: Version, count: number): number {
  const first = numbers.findIndex((number) => number > 0);
  return first < 0 ? count : Math.min(first + 1, count);
}

/** Returns the first version after all that share the first `count` numbers. */
function next({ numbers: [major, minor, patch] }: Version, count: number): Version {
  const numbers = (
    count <= 1 ? [major + 1, 0, 0] : count === 2 ? [major, minor + 1, 0] : [major, minor, patch + 1]
  ) as Version['numbers'];
  return { text: numbers.join('.'), numbers, pre: [] };
}

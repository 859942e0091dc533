import { isJsonObject, type Json } from '../../src/core/json.ts';
import type { Random } from './random.ts';

const odd: readonly Json[] = [
  null,
  '',
  ' ',
  0,
  -1,
  1e308,
  true,
  [],
  {},
  [null],
  [[]],
  'skilled',
  'skilled/../echo',
  '/ask x',
  '@bash ls',
  { type: 'object', $ref: '#/nowhere' },
  { role: 'user' },
  { type: 'text' },
  '\u0000\ud800',
  'x'.repeat(3_000),
];

/** Replaces, removes or doubles something at a random place of a JSON value. Pure. */
export function mutateJson(value: Json, random: Random): Json {
  if (random.below(6) === 0) return random.pick(odd);
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    if (list.length === 0 || random.below(5) === 0) return [...list, random.pick([...odd, ...list])];
    const at = random.below(list.length);
    return list.map((item, index) => (index === at ? mutateJson(item, random) : item));
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0) return random.pick(odd);
  const key = random.pick(Object.keys(value));
  const { [key]: member = null, ...rest } = value;
  return random.below(5) === 0 ? rest : { ...value, [key]: mutateJson(member, random) };
}

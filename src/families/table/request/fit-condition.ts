import { isJsonObject, type Json, type JsonObject } from '../../../core/index.ts';
import { quote } from '../values/quote.ts';
import { buildComparison } from './build-comparison.ts';
import { badMember, fitField, fitWord, listOf, type FitGround } from './fit-member.ts';
import { requestLimits } from './request-limits.ts';
import { comparisons } from './request-words.ts';
import type { Condition } from './request.ts';

const { deepest, mostLeaves } = requestLimits;

/** A condition that was given as JSON, with values in the forms of their fields. Throws `usage.bad-input` that names the member. */
export function fitCondition(ground: FitGround, given: Json, path: string): Condition {
  let leaves = 0;
  return fit(given, path, 1);

  function fit(part: Json, place: string, depth: number): Condition {
    if (!isJsonObject(part))
      throw badMember(place, part === null ? 'is missing.' : `must be an object, not ${quote(part)}.`, form);
    if (depth > deepest)
      throw badMember(place, `is nested deeper than ${deepest} levels.`, 'Make it flatter.');
    const names = Object.keys(part).filter((name) => part[name] !== null || name === 'value');
    const [kind = ''] = kinds.filter((name) => names.includes(name));
    checkNames(place, part, kind, names);
    if (kind === 'all') return { all: parts(part['all'] ?? null, `${place}.all`, depth) };
    if (kind === 'any') return { any: parts(part['any'] ?? null, `${place}.any`, depth) };
    if (kind === 'not') return { not: fit(part['not'] ?? null, `${place}.not`, depth + 1) };
    leaves++;
    if (leaves > mostLeaves)
      throw badMember(path, `has more than ${mostLeaves} comparisons.`, 'Say fewer of them.');
    return leaf(part, place);
  }

  function parts(list: Json, place: string, depth: number): readonly Condition[] {
    const items = listOf(place, list);
    if (items.length === 0) throw badMember(place, 'is empty.', 'Give at least one condition.');
    return items.map((item, index) => fit(item, `${place}[${index}]`, depth + 1));
  }

  function leaf(part: JsonObject, place: string): Condition {
    const field = fitField(ground, part['field'] ?? null, `${place}.field`);
    const is = fitWord(`${place}.is`, part['is'], comparisons);
    const built = buildComparison(field, is, part['value'], ground.clock);
    if ('condition' in built) return built.condition;
    throw badMember(
      `${place}.value`,
      `does not fit: ${built.fault}`,
      `"${field.name}" is of the type ${field.type}.`,
    );
  }
}

const kinds = ['all', 'any', 'not', 'field'];
const form = 'Write {"field": …, "is": …, "value": …}, {"all": […]}, {"any": […]} or {"not": …}.';

function checkNames(place: string, part: JsonObject, kind: string, names: readonly string[]): void {
  const allowed = kind === 'field' ? ['field', 'is', 'value'] : [kind, 'value'];
  const stray = names.find(
    (name) => !allowed.includes(name) || (name === 'value' && kind !== 'field' && part['value'] !== null),
  );
  if (kind === '') throw badMember(place, 'says nothing.', form);
  if (stray !== undefined) throw badMember(`${place}.${stray}`, `does not go with "${kind}".`, form);
}

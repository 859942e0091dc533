import { isJsonObject, type Json, type JsonObject } from '../../../core/index.ts';
import { quote } from '../values/quote.ts';
import { buildComparison } from './build-comparison.ts';
import { badMember, fitField, fitChoice, listOf, type FitContext } from './fit-member.ts';
import { requestLimits } from './request-limits.ts';
import { comparisons } from './request-words.ts';
import type { Condition } from './request.ts';

const { deepest, maxLeaves } = requestLimits;

/**
 * Validates a condition in JSON and converts its values to their fields' types. Throws `usage.bad-input`,
 * naming the invalid property.
 */
export function fitCondition(context: FitContext, given: Json, path: string): Condition {
  let leaves = 0;
  return fit(given, path, 1);

  function fit(part: Json, partPath: string, depth: number): Condition {
    if (!isJsonObject(part))
      throw badMember(
        partPath,
        part === null ? 'is missing.' : `must be an object, not ${quote(part)}.`,
        form,
      );
    if (depth > deepest) throw badMember(partPath, `is nested deeper than ${deepest} levels.`, 'Flatten it.');
    const names = Object.keys(part).filter((name) => part[name] !== null || name === 'value');
    const [kind = ''] = kinds.filter((name) => names.includes(name));
    checkNames(partPath, part, kind, names);
    if (kind === 'all') return { all: parts(part['all'] ?? null, `${partPath}.all`, depth) };
    if (kind === 'any') return { any: parts(part['any'] ?? null, `${partPath}.any`, depth) };
    if (kind === 'not') return { not: fit(part['not'] ?? null, `${partPath}.not`, depth + 1) };
    leaves++;
    if (leaves > maxLeaves)
      throw badMember(path, `has more than ${maxLeaves} comparisons.`, 'Use fewer comparisons.');
    return leaf(part, partPath);
  }

  function parts(list: Json, partPath: string, depth: number): readonly Condition[] {
    const items = listOf(partPath, list);
    if (items.length === 0) throw badMember(partPath, 'is empty.', 'Add at least one condition.');
    return items.map((item, index) => fit(item, `${partPath}[${index}]`, depth + 1));
  }

  function leaf(part: JsonObject, partPath: string): Condition {
    const field = fitField(context, part['field'] ?? null, `${partPath}.field`);
    const is = fitChoice(`${partPath}.is`, part['is'], comparisons);
    const built = buildComparison(field, is, part['value'], context.clock);
    if ('condition' in built) return built.condition;
    throw badMember(
      `${partPath}.value`,
      `is invalid: ${built.fault}`,
      `The type of "${field.name}" is ${field.type}.`,
    );
  }
}

const kinds = ['all', 'any', 'not', 'field'];
const form = 'Write {"field": …, "is": …, "value": …}, {"all": […]}, {"any": […]} or {"not": …}.';

function checkNames(partPath: string, part: JsonObject, kind: string, names: readonly string[]): void {
  const allowed = kind === 'field' ? ['field', 'is', 'value'] : [kind, 'value'];
  const stray = names.find(
    (name) => !allowed.includes(name) || (name === 'value' && kind !== 'field' && part['value'] !== null),
  );
  if (kind === '') throw badMember(partPath, 'is empty.', form);
  if (stray !== undefined)
    throw badMember(`${partPath}.${stray}`, `cannot be combined with "${kind}".`, form);
}

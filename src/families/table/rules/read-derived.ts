import type { TableField } from '../descriptor/definition.ts';
import type { FindField } from './expressions/names.ts';
import type { Expression } from './expressions/expression.ts';
import { orderDerived } from './order-derived.ts';
import { readExpression } from './expressions/read-expression.ts';

/**
 * Parses the expressions of derived fields. Fields with circular dependencies are excluded and returned
 * separately. Pure.
 */
export function readDerived(
  fields: readonly Pick<TableField, 'name' | 'derivator'>[],
  find: FindField,
): { readonly derived: ReadonlyMap<string, Expression>; readonly circular: readonly string[] } {
  const derived = new Map<string, Expression>();
  for (const { name, derivator } of fields) {
    const expression = derivator && readExpression(derivator.text, find, name);
    if (expression !== undefined) derived.set(name, expression);
  }
  const { circular } = orderDerived(derived);
  for (const name of circular) derived.delete(name);
  return { derived, circular };
}

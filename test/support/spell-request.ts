import type { TableRequest } from '../../src/families/table/request/request.ts';
import type { Understood } from '../../src/families/table/words/verdict.ts';
import type { Condition } from '../../src/engines/conditions/conditions.ts';

/** Formats a condition on one line. Different conditions have different texts. */
export function spellCondition(condition: Condition): string {
  if ('all' in condition) return `(${condition.all.map(spellCondition).join(' & ')})`;
  if ('any' in condition) return `(${condition.any.map(spellCondition).join(' | ')})`;
  if ('not' in condition) return `!${spellCondition(condition.not)}`;
  const { field, is, value } = condition;
  return value === undefined ? `${field} ${is}` : `${field} ${is} ${JSON.stringify(value)}`;
}

/** Formats a request on one line. Different requests have different texts. */
export function spellRequest(request: TableRequest): string {
  const parts = Object.entries(request).map(([name, value]) => {
    if (name === 'operation') return String(value);
    return name === 'where'
      ? `where ${spellCondition(value as Condition)}`
      : `${name} ${JSON.stringify(value)}`;
  });
  return parts.join(' ');
}

/** Formats a parse result on one line, with its position in the words where that matters. */
export function spellUnderstood(understood: Understood): string {
  switch (understood.kind) {
    case 'request':
      return spellRequest(understood.request);
    case 'question':
      return `${understood.at}-${understood.end} ${understood.text} [${understood.options.join('] [')}]`;
    case 'fault':
      return `${understood.at} ${understood.message}`;
    case 'unknown':
      return understood.why;
  }
}

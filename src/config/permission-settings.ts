import { isJsonObject, type Json } from '../core/json.ts';
import { parseRule } from '../core/rule.ts';
import { leaf, type Shape } from './settings-shape.ts';
import type { Setting } from './setting.ts';

const expected = 'a list of rules such as "Read", "Bash(git diff *)" or "Skill(name)"';

/** Rules one by one: of a list that forbids, a single slip must not take the others away. */
const rules: Shape = {
  expected,
  schema: { type: 'array', items: { type: 'string', pattern: '\\S' } },
  fit(value, path, complain) {
    if (!Array.isArray(value)) {
      complain(path, expected);
      return undefined;
    }
    return value.filter((rule: Json, index) => {
      const isRule = typeof rule === 'string' && parseRule(rule) !== undefined;
      if (!isRule) complain(`${path}.${index}`, 'a rule such as "Read", "Bash(git diff *)" or "Skill(name)"');
      return isRule;
    });
  },
};

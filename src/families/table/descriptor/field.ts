import { optional, type Issue } from '../../../core/index.ts';
import { isNumeric } from '../request/comparisons-of.ts';
import { readAttributes, type AttributeKey, type Attributes } from './attributes.ts';
import { readBounds } from './bounds.ts';
import type { KeyStrategy, FieldPattern, Prose, TableField } from './definition.ts';
import type { FieldBlock } from './field-blocks.ts';
import { readType, typeHint, type DeclaredType } from './field-types.ts';
import { createIssue } from './create-issue.ts';
import {
  databaseName,
  defaultIn,
  listedValues,
  listIn,
  patternIn,
  plainValue,
  saysNo,
  saysYes,
} from './values.ts';

/**
 * Reads one field. Its type is the declared type, or string if none is declared. Nothing is inferred from
 * prose.
 */
export function readField(block: FieldBlock, issues: Issue[]): TableField {
  const attributes = readAttributes(block.attributes, issues);
  const text = (key: AttributeKey): string | undefined => attributes.get(key)?.text;
  const declared = declaredType(attributes.get('type'), issues);
  const type = declared?.type ?? 'string';
  const enumerator = attributes.get('enumerator');
  const listed = enumerator && listedValues(enumerator.text);
  const values = text('values');
  return {
    name: block.name,
    line: block.line,
    description: [block.text, text('description')].filter(Boolean).join('\n\n'),
    type,
    ...optional('declaredType', declared && plainValue(text('type') ?? '')),
    ...optional('label', text('label')),
    ...optional('shortLabel', text('shortLabel')),
    ...optional('aliases', map(text('aliases'), listIn)),
    ...optional('grouping', text('grouping')),
    ...optional('column', map(text('column'), databaseName)),
    ...required(attributes.get('required')),
    ...optional('primaryKey', keyStrategy(attributes.get('primaryKey'), declared)),
    ...optional('unique', isUnique(attributes)),
    ...optional(
      'index',
      map(text('index'), (index) => (saysNo(index) ? undefined : (true as const))),
    ),
    ...readBounds(attributes, declared, issues),
    ...optional('pattern', pattern(attributes.get('pattern'), issues)),
    ...optional('values', map(values, listIn) ?? listed ?? declared?.values),
    ...optional('default', map(text('default'), defaultIn)),
    ...optional('validator', attributes.get('validator')),
    ...optional('presenter', attributes.get('presenter')),
    ...optional('namePresenter', attributes.get('namePresenter')),
    ...optional('resolver', attributes.get('resolver')),
    ...optional('enumerator', listed === undefined ? enumerator : undefined),
    ...optional('derivator', attributes.get('derivator')),
  };
}

function declaredType(written: Prose | undefined, issues: Issue[]): DeclaredType | undefined {
  const declared = map(written?.text, readType);
  if (written !== undefined && declared === undefined) {
    const name = plainValue(written.text);
    issues.push(
      createIssue(
        'table.type-unknown',
        `"${name}" is not a type; the field is a string.`,
        written.line,
        typeHint(name),
      ),
    );
  }
  return declared;
}

function required(written: Prose | undefined): Pick<TableField, 'required' | 'requiredWhen'> {
  if (written === undefined || saysNo(written.text)) return {};
  return saysYes(written.text) ? { required: true } : { required: true, requiredWhen: written };
}

/**
 * Returns the key strategy. A key without further details is numbered automatically if it is numeric or has
 * no declared type, and generated if its type is uuid. Otherwise, new records must provide the key.
 */
function keyStrategy(
  written: Prose | undefined,
  declared: DeclaredType | undefined,
): KeyStrategy | undefined {
  if (written === undefined || saysNo(written.text)) return undefined;
  const strategy = plainValue(written.text).toLowerCase().replaceAll('`', '');
  if (numbered.test(strategy)) return { kind: 'auto-increment' };
  if (/^(?:uuid|guid)(?: ?v?\d)?$/.test(strategy)) return { kind: 'uuid' };
  if (/^(?:given|natural|manual|provided|user[- ]provided)$/.test(strategy)) return { kind: 'given' };
  if (!saysYes(written.text)) return { kind: 'prose', prose: written };
  if (declared === undefined || isNumeric(declared.type)) return { kind: 'auto-increment' };
  return { kind: declared.type === 'uuid' ? 'uuid' : 'given' };
}

/**
 * Matches the phrases for keys that are numbered automatically from 1. A phrase with another first number is
 * prose.
 */
const numbered =
  /^(?:an? )?(?:auto[- ]?(?:increment(?:ed|ing|s)?|generated)?|serial|sequence)(?: (?:integer|number|id|key|primary key))?(?:,? (?:start|starts|starting|beginning) (?:from|at|with) (?:1|one))?$/;

function isUnique(attributes: Attributes): true | undefined {
  const unique = attributes.get('unique');
  if (unique !== undefined && !saysNo(unique.text)) return true;
  const index = attributes.get('index')?.text ?? '';
  return /\bunique\b/i.test(index) && !/\b(?:not|non)[ -]unique\b/i.test(index) ? true : undefined;
}

function pattern(written: Prose | undefined, issues: Issue[]): FieldPattern | undefined {
  const found = map(written?.text, patternIn);
  if (written !== undefined && found === undefined) {
    issues.push(
      createIssue(
        'table.pattern',
        'The pattern is not a valid regular expression and is ignored.',
        written.line,
        'Describe the pattern under "Validator" instead.',
      ),
    );
  }
  return found;
}

function map<Value>(text: string | undefined, read: (text: string) => Value): Value | undefined {
  return text === undefined ? undefined : read(text);
}

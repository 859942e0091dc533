import { optional, type Issue } from '../../../core/index.ts';
import { isNumeric } from '../../../engines/values/types.ts';
import type { FieldType, Prose, TableField } from './definition.ts';
import { report } from './issues.ts';
import { readKeyStrategy, readType, typeHint } from './values.ts';
import {
  databaseName,
  defaultIn,
  listIn,
  listedValues,
  numberIn,
  patternIn,
  plainValue,
  saysNo,
  saysYes,
} from '../../../engines/values/markdown-values.ts';

/** The information that an attribute's value can depend on. */
interface FieldContext {
  /** The declared type, or undefined if the field declares none. */
  readonly type: FieldType | undefined;
  readonly issues: Issue[];
}

interface Attribute {
  /** The headings that can introduce the attribute. */
  readonly titles: readonly string[];
  /** Whether the heading has a meaning without text below it. */
  readonly isFlag?: true;
  /** Returns the properties that the attribute sets. */
  read(written: Prose, context: FieldContext): Partial<TableField>;
}

/** The attributes of a field. If two attributes set the same property, the later one in this table wins. */
export const attributes = {
  type: { titles: ['Type', 'Data Type'], read: readDeclaredType },
  description: { titles: ['Description'], read: () => ({}) }, // Belongs to the text below the field's heading.
  label: textAttribute('label', 'Field Display Name', 'Display Name', 'Field Label', 'Label'),
  shortLabel: textAttribute('shortLabel', 'Field Short Label', 'Short Label'),
  aliases: { titles: ['Aliases', 'Alias'], read: ({ text }) => ({ aliases: listIn(text) }) },
  namePresenter: ruleAttribute('namePresenter', 'Field Name Presenter', 'Name Presenter'),
  presenter: ruleAttribute('presenter', 'Field Value Presenter', 'Value Presenter', 'Presenter'),
  resolver: ruleAttribute('resolver', 'Field Value Resolver', 'Value Resolver', 'Resolver'),
  validator: ruleAttribute('validator', 'Field Value Validator', 'Value Validator', 'Validator'),
  enumerator: {
    titles: ['Field Value Enumerator', 'Value Enumerator', 'Enumerator'],
    read(enumerator) {
      const values = listedValues(enumerator.text);
      return values === undefined ? { enumerator } : { values };
    },
  },
  values: {
    titles: ['Values', 'Allowed Values', 'Enum', 'Enum Values'],
    read: ({ text }) => ({ values: listIn(text) }),
  },
  required: {
    titles: ['Field Value Is Required', 'Value Is Required', 'Is Required', 'Required'],
    isFlag: true,
    read(written) {
      if (saysNo(written.text)) return {};
      return saysYes(written.text) ? { required: true } : { required: true, requiredWhen: written };
    },
  },
  derivator: ruleAttribute(
    'derivator',
    ...['Field Value Derivator', 'Value Derivator', 'Derivator', 'Derived', 'Computed'],
  ),
  primaryKey: {
    titles: ['Primary Key', 'Primary', 'PK'],
    isFlag: true,
    read: (written, { type }) => optional('primaryKey', readKeyStrategy(written, type)),
  },
  index: {
    titles: ['Indexed', 'Index'],
    isFlag: true,
    read({ text }) {
      const isUnique = /\bunique\b/i.test(text) && !/\b(?:not|non)[ -]unique\b/i.test(text);
      return { ...(saysNo(text) ? {} : { index: true }), ...(isUnique ? { unique: true } : {}) };
    },
  },
  unique: {
    titles: ['Unique'],
    isFlag: true,
    read: ({ text }) => (saysNo(text) ? {} : { unique: true }),
  },
  grouping: textAttribute('grouping', 'Grouping', 'Group'),
  column: { titles: ['Column', 'Database Column'], read: ({ text }) => ({ column: databaseName(text) }) },
  default: { titles: ['Default', 'Default Value'], read: ({ text }) => optional('default', defaultIn(text)) },
  max: { titles: ['Max', 'Maximum'], read: bound('maximum', 'maxLength') },
  min: { titles: ['Min', 'Minimum'], read: bound('minimum', 'minLength') },
  maxLength: { titles: ['Max Length', 'Maximum Length'], read: bound('maxLength', 'maxLength') },
  minLength: { titles: ['Min Length', 'Minimum Length'], read: bound('minLength', 'minLength') },
  pattern: { titles: ['Pattern', 'Regex'], read: readPattern },
} satisfies Readonly<Record<string, Attribute>>;

function textAttribute(property: keyof TableField, ...titles: readonly string[]): Attribute {
  return { titles, read: ({ text }) => ({ [property]: text }) };
}

function ruleAttribute(property: keyof TableField, ...titles: readonly string[]): Attribute {
  return { titles, read: (written) => ({ [property]: written }) };
}

/** The names of the attributes. */
export type AttributeKey = keyof typeof attributes;

/** The attributes in the order in which they are read. */
export const attributeList = Object.entries(attributes) as readonly (readonly [AttributeKey, Attribute])[];

function readDeclaredType({ text, line }: Prose, { issues }: FieldContext): Partial<TableField> {
  const declaredType = plainValue(text);
  const declared = readType(text);
  if (declared !== undefined) return { ...declared, declaredType };
  const message = `"${declaredType}" is not a type; the field is a string.`;
  report(issues, 'table.type-unknown', line, message, typeHint(declaredType));
  return {};
}

type Bound = 'minimum' | 'maximum' | 'minLength' | 'maxLength';

/** Returns a reader of a limit. It limits the value of numbers, and the length of all other types. */
function bound(forNumbers: Bound, forOthers: Bound): Attribute['read'] {
  return ({ text, line }, { type, issues }) => {
    const property = type !== undefined && isNumeric(type) ? forNumbers : forOthers;
    const isLength = property.endsWith('Length');
    const value = numberIn(text);
    if (value !== undefined && (!isLength || (Number.isInteger(value) && value >= 0)))
      return { [property]: value };
    const expected = isLength ? 'a length' : 'a number';
    report(issues, 'table.number', line, `"${plainValue(text)}" is not ${expected} and is ignored.`);
    return {};
  };
}

function readPattern({ text, line }: Prose, { issues }: FieldContext): Partial<TableField> {
  const pattern = patternIn(text);
  if (pattern !== undefined) return { pattern };
  const message = 'The pattern is not a valid regular expression and is ignored.';
  report(issues, 'table.pattern', line, message, 'Describe the pattern under "Validator" instead.');
  return {};
}
